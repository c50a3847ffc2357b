"""How a comparison looks to a defender with beliefs about the attacker's prior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray
from neyman.comparison.densities import BetaDensity, Density, UniformDensity, UQuadratic
from neyman.comparison.weighing import weighted_divergence
from neyman.guarantees.questions.regret import Divergence
from neyman.numerics.exact.decimals import outward
from neyman.profiles.pair import Pair

__all__ = ["UQuadratic", "Weighted", "WeightedEstimate", "weighted"]

_FAR = 36.0  # |eps| looked at by the search: a prior of 2e-16
# places of the first look, and of a later one about each peak; looks, and peaks that are followed
_CELLS, _FINER, _ROUNDS, _PEAKS = 1024, 48, 5, 3
_ALLOWED = "a frozen continuous distribution of scipy.stats on [0, 1], or UQuadratic()"

_NONE = Divergence(0.0, 0.0, 0.0)  # where nothing is given away
_PREFERRED = {
    "a": "a is to be preferred.",
    "b": "b is to be preferred.",
    "either": "neither is to be preferred.",
    "undecided": "which is to be preferred cannot be told.",
}


@dataclass(frozen=True, slots=True)
class Weighted:
    """Both divergences with the Bayes errors weighted by a hyper-prior's density, certified.

    ``bounds`` brackets max over priors of density(prior) (R_a - R_b), and the same with a and b exchanged, with the
    real eps at which each lower bound is attained (prior = 1 / (1 + e^-eps), P(record absent)).

    Examples
    --------
    >>> import neyman as ny, scipy.stats
    >>> c = ny.compare(ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0)))
    >>> w = c.weighted(scipy.stats.beta(0.5, 0.5))
    >>> round(w.divergence, 8), round(w.reverse, 8), w.preferred, all(b.upper - b.lower < 1e-10 for b in w.bounds)
    (0.00335639, 0.024507, 'b', True)
    >>> print(str(w)[-48:])
    .0246: b is to be preferred. Both are certified.
    """

    bounds: tuple[Divergence, Divergence]

    @property
    def divergence(self) -> float:
        """From above: what choosing b in place of a costs at most, weighted."""
        return self.bounds[0].upper

    @property
    def reverse(self) -> float:
        """From above: what choosing a in place of b costs at most, weighted."""
        return self.bounds[1].upper

    @property
    def preferred(self) -> Literal["a", "b", "either", "undecided"]:
        """The one whose choice certainly costs less; "either" where neither costs anything, "undecided" where the
        brackets overlap.
        """
        forth, back = self.bounds
        if forth.lower > back.upper:
            return "a"
        if back.lower > forth.upper:
            return "b"
        return "either" if max(forth.upper, back.upper) == 0.0 else "undecided"

    def __str__(self) -> str:
        """The sentence for a person."""
        return (
            f"Weighted by what is believed of the attacker's prior, choosing b instead of a costs at most "
            f"{outward(self.divergence, 3)} of the Bayes error, choosing a instead of b at most "
            f"{outward(self.reverse, 3)}: {_PREFERRED[self.preferred]} Both are certified."
        )


@dataclass(frozen=True, slots=True)
class WeightedEstimate:
    """Both weighted divergences as a search found them, for a density that is somebody's own function.

    Nothing is promised: a search sees the density where it looks, and a narrow peak may lie in between. The sharper
    promise, ``Weighted``, holds for Beta laws, uniform laws and ``UQuadratic()``.
    """

    divergence: float
    reverse: float

    @property
    def preferred(self) -> Literal["a", "b", "either"]:
        """The one whose choice costs less; "either" where the two differ by less than a relative 1e-9."""
        if abs(self.divergence - self.reverse) <= 1e-9 * max(self.divergence, self.reverse):
            return "either"
        return "a" if self.divergence > self.reverse else "b"

    def __str__(self) -> str:
        """The sentence for a person."""
        return (
            f"Weighted by what is believed of the attacker's prior, choosing b instead of a costs about "
            f"{self.divergence:.3g} of the Bayes error, choosing a instead of b about {self.reverse:.3g}: "
            f"{_PREFERRED[self.preferred]} A search found these; nothing is promised."
        )


def weighted(
    a: Pair, b: Pair, hyperprior: Any, none: tuple[bool, bool] = (False, False)
) -> Weighted | WeightedEstimate:
    """Weigh both ways; ``none`` says which of the two unweighted divergences are known to vanish."""
    support = _support(hyperprior)
    known = _known(hyperprior, support)
    if known is None:
        forth = 0.0 if none[0] else _searched(a, b, hyperprior.pdf, support)
        return WeightedEstimate(forth, 0.0 if none[1] else _searched(b, a, hyperprior.pdf, support))
    first = _NONE if none[0] else weighted_divergence(a, b, known)
    return Weighted((first, _NONE if none[1] else weighted_divergence(b, a, known)))


def _known(hyperprior: Any, support: tuple[float, float]) -> Density | None:
    """The density in a form that can be bounded, where it is one of those that are known."""
    if type(hyperprior) is UQuadratic:
        return hyperprior
    from scipy import stats

    kind: Any = getattr(hyperprior, "dist", None)
    names: Any = getattr(kind, "shapes", None)
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else []
    if type(kind) is type(stats.uniform):
        return UniformDensity.on(*support)
    exponents = {type(stats.beta): ("a", "b"), type(stats.powerlaw): ("a", 1.0), type(stats.arcsine): (0.5, 0.5)}
    if type(kind) not in exponents:
        return None
    given: dict[str, Any] = dict(zip([*names, "loc", "scale"], hyperprior.args, strict=False)) | hyperprior.kwds
    a, b = (float(given[v]) if isinstance(v, str) else v for v in exponents[type(kind)])
    if a == b == 1.0:
        return UniformDensity.on(*support)
    return BetaDensity(a, b) if support == (0.0, 1.0) else None


def _searched(mine: Pair, other: Pair, density: Any, support: tuple[float, float]) -> float:
    """max over priors of density (R_mine - R_other), at least 0, near the highest of the places looked at."""
    ends = np.clip([_logit(edge) for edge in support], -_FAR, _FAR)
    best, starts, stops, cells = 0.0, ends[:1], ends[1:], _CELLS
    for _ in range(_ROUNDS):
        epsilon = np.linspace(starts, stops, cells, axis=1)
        value = _values(mine, other, density, epsilon.ravel()).reshape(epsilon.shape)
        best = max(best, float(np.max(value)))
        padded = np.pad(value, ((0, 0), (1, 1)), constant_values=-math.inf)
        peaks = np.where((value >= padded[:, :-2]) & (value >= padded[:, 2:]), value, -math.inf)
        highest = np.argsort(peaks, axis=None)[::-1][:_PEAKS]
        step = ((stops - starts) / (cells - 1))[highest // cells]
        centre = epsilon.ravel()[highest]
        starts, stops, cells = np.maximum(centre - step, ends[0]), np.minimum(centre + step, ends[1]), _FINER
    return best


def _values(mine: Pair, other: Pair, density: Any, epsilon: FloatArray) -> FloatArray:
    """density (R_mine - R_other), each half from its own branch: R = min(prior, 1 - prior) (1 - delta(abs(eps)))."""
    far = np.abs(epsilon)
    forward = other.forward.bracket(far).upper - mine.forward.bracket(far).lower
    symmetric = mine.symmetric and other.symmetric
    backward = forward if symmetric else other.backward.bracket(far).upper - mine.backward.bracket(far).lower
    gain = np.where(epsilon < 0.0, backward, forward) / (1.0 + np.exp(far))
    with np.errstate(all="ignore"):
        value = np.asarray(density(1.0 / (1.0 + np.exp(-epsilon))), dtype=np.float64) * gain
    return np.where(np.isfinite(value), value, 0.0)


def _support(hyperprior: Any) -> tuple[float, float]:
    """Where it lives, after a look at whether it is a density on [0, 1]."""
    from scipy import stats

    if isinstance(hyperprior, (type, stats.rv_continuous, stats.rv_discrete)):
        raise InvalidParameter("hyperprior", hyperprior, _ALLOWED, "Freeze it: scipy.stats.beta(0.5, 0.5).")
    pdf, support = (getattr(hyperprior, name, None) for name in ("pdf", "support"))
    if not callable(pdf) or not callable(support):
        raise InvalidParameter("hyperprior", hyperprior, _ALLOWED)
    try:
        found: Any = np.asarray(support(), dtype=np.float64)
        some = np.asarray(pdf(np.array([0.3, 0.5])), dtype=np.float64)
    except (TypeError, ValueError, AttributeError) as wrong:
        raise InvalidParameter("hyperprior", hyperprior, _ALLOWED) from wrong
    ends: FloatArray = found
    if ends.shape != (2,):
        raise InvalidParameter("hyperprior", hyperprior, _ALLOWED, "One law, not several: no arrays of parameters.")
    low, high = float(ends[0]), float(ends[1])
    if not (0.0 <= low < high <= 1.0):
        raise InvalidParameter("hyperprior", (low, high), _ALLOWED, "Its support must lie in [0, 1].")
    if some.shape != (2,) or not bool(np.all((some >= 0.0) & (some < math.inf))):
        raise InvalidParameter("hyperprior", some.tolist(), _ALLOWED)
    return low, high


def _logit(prior: float) -> float:
    return (math.log(prior) if prior > 0.0 else -math.inf) - (math.log1p(-prior) if prior < 1.0 else -math.inf)
