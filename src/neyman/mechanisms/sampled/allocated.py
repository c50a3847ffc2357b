"""Random allocation: every record takes part in one of a number of steps, chosen at random."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar

from neyman._errors import InvalidParameter
from neyman._validate import positive, whole
from neyman.losses.allocated.step import allocated_step
from neyman.losses.base import Step
from neyman.mechanisms.additive.gaussian import Gaussian, gaussian_noise
from neyman.mechanisms.additive.rounding import root_at_least, root_at_most
from neyman.mechanisms.base import Mechanism, SingleStep

__all__ = ["Allocated", "allocated"]

MOST_STEPS = 10**9  # batches at most, and epochs


@dataclass(frozen=True, slots=True, eq=False)
class Allocated(SingleStep):
    """Gaussian sums over batches into which the records were dealt at random; built by ``Gaussian(...).allocated(t)``
    or ``.balls_in_bins(t, epochs)``.

    Every record is in one of ``steps`` batches, each equally likely, independently of the other records, and in the
    same one in every epoch. All ``steps * epochs`` noisy sums are released. It is what a loader does that shuffles the
    records into batches of varying size; batches of one fixed size are another mechanism.

    With t steps and noise multiplier sigma the worst pair for a record that is removed is (1/t) sum of N(e_i, sigma^2
    I) against N(0, sigma^2 I) in t dimensions, and the reverse for one that is added (Chua et al. 2024, arXiv
    2412.16802; Feldman and Shenfeld 2025, arXiv 2502.08202). E epochs of the same batches are one at sigma / sqrt(E):
    the means are orthogonal and of norm sqrt(E). Re-drawn batches are another run: ``m.allocated(t) ** epochs``.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise of each sum.
    sensitivity : float
        The largest change of a sum, in Euclidean norm, when one record is added to it or removed.
    steps : int
        How many batches there are, from 2 to 1e9.
    epochs : int
        How often the same batches are gone through, from 1 to 1e9.

    Raises
    ------
    InvalidParameter
        If a number is outside its domain; of ``loss``, if one record is exchanged for another: no proof is known of
        which pair is worst then.

    Notes
    -----
    delta is bounded on both sides (see ``docs/internals/allocation.md``): of two steps by one integral of closed forms,
    at large noise by contour integrals for the sum of the likelihood ratios less its mean, else for that sum itself, in
    106 bits, from noise multipliers sigma / sensitivity / sqrt(epochs) of 0.05 on. Below, closed forms bound it.

    Examples
    --------
    >>> import neyman as ny
    >>> ny.Gaussian(1.0).allocated(100)
    Gaussian(sigma=1.0, sensitivity=1.0).allocated(100)
    >>> round(ny.account(ny.Gaussian(1.0).allocated(100), adjacency="remove").epsilon(1e-5), 7)
    0.6209397
    """

    kind: ClassVar[str] = "allocated"

    sigma: float
    sensitivity: float
    steps: int
    epochs: int

    def __post_init__(self) -> None:
        sensitivity = positive("sensitivity", self.sensitivity)
        object.__setattr__(self, "sigma", gaussian_noise("sigma", self.sigma, sensitivity))
        object.__setattr__(self, "sensitivity", sensitivity)
        object.__setattr__(self, "steps", whole("steps", self.steps, 2, MOST_STEPS, "Of one step it is no choice."))
        object.__setattr__(self, "epochs", whole("epochs", self.epochs, 1, MOST_STEPS))

    def __repr__(self) -> str:
        noise = Gaussian(self.sigma, self.sensitivity)
        return f"{noise!r}.{f'allocated({self.steps})' if self.epochs == 1 else self._kept}"

    @property
    def _kept(self) -> str:
        return f"balls_in_bins({self.steps}, {self.epochs})"

    @property
    def _square(self) -> Fraction:
        """(sigma / sensitivity)^2 / epochs, exactly."""
        return (Fraction(self.sigma) / Fraction(self.sensitivity)) ** 2 / self.epochs

    @property
    def law(self) -> Hashable:
        """The kind, the steps and the exact square of the noise multiplier of all epochs together."""
        return self.kind, self.steps, self._square

    @property
    def order(self) -> tuple[Any, ...]:
        """Sort key among steps: the kind, then the fields."""
        return self.kind, self.sigma, self.sensitivity, self.steps, self.epochs

    def loss(self, replace: bool = False) -> Step:
        """Return the privacy loss, unless a record is exchanged for another."""
        if replace:
            raise InvalidParameter(
                "adjacency", "replace", 'one of "add_or_remove", "add", "remove" for random allocation',
                "No proof is known of which pair is worst then: the other record may be in another step.",
            )  # fmt: skip
        return allocated_step(root_at_most(self._square), root_at_least(self._square), self.steps)

    def _sampled(self, rate: float) -> Mechanism:
        raise InvalidParameter(
            "mechanism", self, "a single step to be sampled",
            "Records that are dealt into batches are not sampled besides: m.poisson(rate) ** n is the other scheme.",
        )  # fmt: skip

    def to_node(self) -> dict[str, object]:
        """Return the dict form without the schema number."""
        return {"kind": self.kind, **{field.name: getattr(self, field.name) for field in fields(self)}}


def allocated(noise: Gaussian, steps: int, epochs: int) -> Mechanism:
    """Return ``noise`` on batches into which the records are dealt once; one batch is all of them, every time."""
    steps, epochs = whole("steps", steps, 1, MOST_STEPS), whole("epochs", epochs, 1, MOST_STEPS)
    return noise**epochs if steps == 1 else Allocated(noise.sigma, noise.sensitivity, steps, epochs)
