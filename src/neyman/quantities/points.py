"""Named reference points that a guarantee is compared with: guarantees that readers may know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neyman.guarantees import Guarantee

__all__ = ["POINTS", "Point"]

_REPORTING = "Gomez et al., Gaussian DP for reporting differential privacy guarantees in machine learning"


@dataclass(frozen=True, slots=True)
class Point:
    """A guarantee with a name, and where it is written."""

    key: str
    name: str
    stated: str
    source: str
    mu: float = 0.0
    epsilon: float = 0.0

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee itself."""
        from neyman.guarantees import GDP, PureDP

        return GDP(self.mu) if self.mu else PureDP(self.epsilon)


POINTS: dict[str, Point] = {
    point.key: point
    for point in (
        Point("gaussian", "a Gaussian mechanism whose noise is as large as one record's contribution", "mu = 1",
              "Dong, Roth and Su (2022), Gaussian differential privacy", mu=1.0),
        Point("census", "the release of the 2020 US Census by the TopDown algorithm", "mu = 2.702",
              f"{_REPORTING}, Section 5", mu=2.702),
        Point("cifar", "an image classifier trained with DP-SGD on CIFAR-10 to an accuracy of 81.4 %", "mu = 1.57",
              f"{_REPORTING}, Section 5, after De et al. (2022)", mu=1.57),
        Point("eight", "a Gaussian mechanism with epsilon = 8 at delta = 1e-5", "mu = 1.67",
              f"{_REPORTING}, Table 3", mu=1.67),
        Point("response", "randomised response with epsilon = 1", "epsilon = 1",
              "Warner (1965), Randomized response", epsilon=1.0),
    )
}  # fmt: skip
