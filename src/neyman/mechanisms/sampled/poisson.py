"""Poisson sampling: every record takes part independently with the same probability."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from neyman._errors import InvalidParameter
from neyman._validate import inside
from neyman.losses.base import Step
from neyman.mechanisms.additive.rounding import at_least
from neyman.mechanisms.base import Mechanism, SingleStep
from neyman.mechanisms.sampled.unsampled import Unsampled

__all__ = ["PoissonSampled"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PoissonSampled(SingleStep):
    """A single mechanism run on a fresh Poisson sample of the records; built by ``m.poisson(rate)``.

    With (P, Q) the dominating pair of ``of`` for a record that is removed, that of the sampled mechanism is
    (1 - rate) Q + rate P against Q, and the reverse for a record that is added (Zhu, Dong and Wang 2022).

    Parameters
    ----------
    of : Unsampled
        What runs on the sample: a single unsampled mechanism of any kind.
    rate : float
        Probability with which a record takes part, 0 < rate < 1.

    Raises
    ------
    InvalidParameter
        If ``of`` is not a single unsampled mechanism or ``rate`` is not in (0, 1).

    Notes
    -----
    When one record is exchanged for another, additive noise F has the dominating pair (1 - rate) F_0 + rate F_s against
    (1 - rate) F_0 + rate F_-s, s the sensitivity. Let the noise be symmetric and log-concave (or a Gaussian in any
    dimension) and the records move the query by u and v. At order a = e^epsilon >= 1 (below 1 exchange u and v) the
    divergence is

        H(u, v) = sup over A of rate F_u(A) - a rate F_v(A) - (a - 1) (1 - rate) F_0(A).

    If u and v lie on one side of 0, reflecting u through 0 and polarising A to the other side raises H: so u >= 0 >= v.
    The best A is then a half-line, on which H grows with u and with -v: the worst are u = s and v = -s, and both are
    attained. Composition keeps dominating pairs (Zhu, Dong and Wang 2022). Of a black box (see
    ``PureMechanism``) the worst pair is not known, and the adjacency is refused.

    Examples
    --------
    >>> from neyman import Gaussian, Laplace
    >>> Gaussian(9.4).poisson(0.5).poisson(0.5)
    Gaussian(sigma=9.4, sensitivity=1.0).poisson(0.25)
    >>> Laplace(2.0).poisson(0.1).loss(replace=True)
    LaplaceStep(scale=2.0, rate=0.1, two_sided=True)
    """

    of: Unsampled
    rate: float

    def __post_init__(self) -> None:
        if not isinstance(self.of, Unsampled):
            raise InvalidParameter("of", self.of, "a single unsampled mechanism")
        advice = "m.poisson(rate) also takes 0 and 1."
        object.__setattr__(self, "rate", inside("rate", self.rate, 0.0, 1.0, advice))

    def __repr__(self) -> str:
        return f"{self.of!r}.poisson({self.rate!r})"

    @property
    def law(self) -> Hashable:
        """The kind, the law of what is sampled and the rate."""
        return "poisson", self.of.law, self.rate

    @property
    def order(self) -> tuple[Any, ...]:
        """Sort key among steps: the kind, that of what is sampled, the rate."""
        return "poisson", *self.of.order, self.rate

    def check_adjacency(self, asked: str) -> None:
        """Refuse neighbours for which nothing is promised of what runs on the sample."""
        self.of.check_adjacency(asked)

    def loss(self, replace: bool = False) -> Step:
        """Return the loss of one sampled step."""
        return self.of.loss_at(self.rate, replace)

    def _sampled(self, rate: float) -> Mechanism:
        return PoissonSampled(self.of, at_least(Fraction(self.rate) * Fraction(rate)))

    def to_node(self) -> dict[str, object]:
        """Return the dict form without the schema number."""
        return {"kind": "poisson", "rate": self.rate, "of": self.of.to_node()}
