"""The trade-off between two distributions of one real number, as a guarantee."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from neyman._errors import InvalidParameter
from neyman._remade import remembered
from neyman._validate import FloatArray, flag, not_negative, reals
from neyman.engines.closed_form.enclosed_corners import enclosed_pair
from neyman.engines.closed_form.pairs import BlatantProfile
from neyman.engines.line.atoms import Corners, DiscreteLaw, corners_between
from neyman.engines.line.densities import DensityLaw
from neyman.engines.line.laws import LEAST, LineLaw, StatsLaw, around, quietly
from neyman.engines.line.pieces import Contradiction
from neyman.engines.line.profile import line_profiles
from neyman.guarantees.attained import Attained, touching
from neyman.guarantees.questions.curve.lower_polygon import lower_hull
from neyman.guarantees.questions.curve.tradeoff import line
from neyman.guarantees.twins import OptimisticGuarantee, PessimisticGuarantee
from neyman.numerics.rounding import SMALLEST, UNIT
from neyman.profiles.effort import question
from neyman.profiles.pair import Pair

__all__ = ["Between", "tradeoff_between"]

Density = Callable[[FloatArray], FloatArray]

_ERROR = 1e-12  # default of relative_error: what SciPy's distribution functions err by, with room
_LOAD = 4.0 * UNIT  # relative: an exponential of a sum, a product and a sum
_CANCELLED = 2.0**-49  # of masses that are 1 minus something: sixteen units
_MOST_POINTS = 64  # places that may be stated
_WHAT = "a continuous or discrete distribution of scipy.stats with fixed numbers, or a density: a function of an array"


class Between(PessimisticGuarantee):
    """The trade-off curve of two known laws, certified from both sides: what ``tradeoff_between`` returns."""

    def __init__(self, sides: Pair, words: str) -> None:
        super().__init__(sides, "add_or_remove")
        self._words = words

    @cached_property
    def optimistic(self) -> OptimisticGuarantee:
        """The guarantee of certified lower bounds: its answers and this one's enclose the truth."""
        return Attained(self)

    @question
    def _beta(self, alpha: FloatArray) -> FloatArray:
        found, epsilon = super()._beta(alpha), touching(self._sides, alpha, self._start)
        return np.maximum(found, line(self._sides.bracket(epsilon).log_gap_lower, epsilon, alpha))

    @question
    def _power(self, fpr: FloatArray) -> FloatArray:
        found, epsilon = super()._power(fpr), touching(self._sides, fpr, self._start)
        with np.errstate(divide="ignore", under="ignore"):
            load = np.exp(np.minimum(epsilon + np.log(fpr), 1.0)) * (1.0 + _LOAD * (2.0 + np.abs(epsilon) + 745.0))
        bound = self._sides.bracket(epsilon).upper + load
        return np.minimum(found, bound * (1.0 + _LOAD) + SMALLEST)

    def __repr__(self) -> str:
        return self._words


@remembered
def tradeoff_between(
    p: Any,
    q: Any,
    *,
    support: tuple[float, float] | None = None,
    log: bool = False,
    turns: object = None,
    points: object = None,
    relative_error: float = _ERROR,
    absolute_error: float | None = None,
) -> Between:
    """Return the trade-off curve T(P, Q): the least false negative rate of any test of P (under H0) against Q (H1).

    Two distributions of ``scipy.stats``, or two densities, of one real number. The null hypothesis is ``p``, as in the
    papers; ``Tabulated(p, q)`` lists the law with the record first, so that ``account(Tabulated(a, b),
    adjacency="remove")`` is T(b, a). For both orders, ask ``symmetrized()``.

    Parameters
    ----------
    p, q : distributions or callables
        Two frozen distributions of ``scipy.stats`` (or two of its new kind), both continuous or both discrete; or two
        densities, each a function of a 1-d float64 array that answers with as many numbers. What they raise is passed
        on.
    support : (float, float), optional
        Of two densities, and of them alone: the ends between which they live, -inf and inf included.
    log : bool
        Whether the two functions are logs of densities, which keep their digits in far tails.
    turns : array, optional
        All places where the likelihood ratio q/p changes between rising and falling (``[]`` where it never does).
        Found on a few thousand places unless they are given. Of continuous laws only.
    points : array, optional
        Where a density bends, jumps or has a narrow peak, at most 64. Of continuous laws only.
    relative_error, absolute_error : float
        In [0, 0.01]. What p and q answer (densities, distribution functions, probabilities) is right to within the one
        times itself, and the masses of distributions to the other beside. The default 1e-12 is what SciPy's common
        distributions keep. Some lose digits in one tail (``cdf`` as 1 minus something): the absolute error is 0 by
        default, and 2^-49 where their densities show that.

    Returns
    -------
    Guarantee
        ``beta`` is nowhere above T(P, Q), ``optimistic.beta`` nowhere below. Composes with others by ``*`` and
        ``Opaque``.

    Raises
    ------
    InvalidParameter
        If p and q are not of one kind, are not laws (masses add up to 1), or contradict what is assumed of them.

    Notes
    -----
    The best test between two laws says "Q" where q/p is large (Neyman and Pearson 1933; Dong, Roth and Su 2022,
    Definition 2.1). Of continuous laws its masses are taken from distribution functions between the places at which
    q/p crosses a level, of which both sides are bounded: what is certified rests on the errors stated and on q/p being
    monotone between the turns. That many places cannot prove this is the one assumption; stated turns that are not all
    of them, and masses that contradict the densities, are refused. Densities are integrated by Gauss-Legendre rules,
    halved until two agree to 1e-13. Discrete laws need no assumption about their ratio: outcomes are listed, as far as
    131,072 from the medians, and those left out count as revealed.

    Error bound: about 10 times ``relative_error``, times the likelihood ratio where a test has its edges inside the
    laws and not in their tails, and what rounding hides below 1e-300. ``mu`` has no bound with no
    floor (``tail_mu`` is inf): no table proves what two tails are beside each other. Where the pair has a name, that is
    sharper: ``GDP(mu)``.

    Examples
    --------
    >>> from scipy import stats
    >>> g = tradeoff_between(stats.norm(0, 1), stats.norm(0, 2))
    >>> round(g.beta(0.05), 6), round(g.optimistic.beta(0.05), 6), round(g.advantage, 6)
    (0.672905, 0.672905, 0.322675)
    """
    relative = _error("relative_error", relative_error)
    absolute = 0.0 if absolute_error is None else _error("absolute_error", absolute_error)
    words, kind = f"tradeoff_between({_named(p)}, {_named(q)})", _common_kind(p, q)
    told = {"support": support, "points": points, "log": flag("log", log) or None, "turns": turns}
    for name in ("turns", "points") * (kind == "discrete") + ("support", "log") * (kind != "a density"):
        if told[name] is not None:
            raise InvalidParameter(name, told[name], f"left out where p and q are {kind} distributions")
    if kind == "discrete":
        below, above = corners_between(*(DiscreteLaw(*law, relative, absolute) for law in (("p", p), ("q", q))))
        return Between(enclosed_pair(_closed_below(below), _closed_above(above)), words)
    places = None if turns is None else _places("turns", turns)
    hints = _places("points", points) if points is not None else np.zeros(0)
    if len(hints) > _MOST_POINTS:
        raise InvalidParameter("points", len(hints), f"at most {_MOST_POINTS} places")
    if kind == "a density":
        if absolute > 0.0:
            raise InvalidParameter("absolute_error", absolute, "0 for densities, which err relatively")
        both = _of_densities(p, q, support, log, np.union1d(hints, [] if places is None else places), relative)
        return Between(_sides(both, places, hints), words)
    try:
        return Between(_sides(_of_distributions(p, q, relative, absolute), places, hints), words)
    except Contradiction:
        if absolute_error is not None:
            raise
    return Between(_sides(_of_distributions(p, q, relative, _CANCELLED), places, hints), words)


def _sides(laws: tuple[LineLaw, LineLaw], turns: FloatArray | None, points: FloatArray) -> Pair:
    p, q = laws
    if not max(p.low, q.low) < min(p.high, q.high):  # one look tells them apart
        return Pair.both([BlatantProfile()])
    width = max(float(np.ptp(points)) if len(points) else 0.0, 1.0)
    backward, forward = line_profiles(p, q, turns, around(points, width))
    return Pair(forward, backward)


def _of_distributions(p: Any, q: Any, relative: float, absolute: float) -> tuple[LineLaw, LineLaw]:
    return StatsLaw("p", p, relative, absolute), StatsLaw("q", q, relative, absolute)


def _of_densities(
    p: Density, q: Density, support: object, log: bool, points: FloatArray, relative: float
) -> tuple[LineLaw, LineLaw]:
    low, high = _interval(support)
    found, least = [one if log else _log_of(one) for one in (p, q)], -math.inf if log else LEAST
    first, second = (
        DensityLaw(name, one, low, high, points, relative, least) for name, one in zip("pq", found, strict=True)
    )
    return first, second


def _log_of(density: Density) -> Density:
    """The log of a density; what is no density stays NaN, to be refused."""

    def logged(x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(np.asarray(density(x), dtype=np.float64))

    return logged


def _common_kind(p: Any, q: Any) -> str:
    one, other = _kind("p", p), _kind("q", q)
    if one != other:
        advice = "Laws of two kinds are told apart without error."
        raise InvalidParameter("q", other, f"{one}, as p is", advice)
    return one


def _kind(name: str, law: Any) -> str:
    if any(hasattr(law, verb) for verb in ("cdf", "ccdf")):
        if isinstance(law, type) or not callable(getattr(law, "support", None)):
            raise InvalidParameter(name, law, _WHAT)
        new = hasattr(law, "ccdf")
        discrete = any(one.__name__ == "DiscreteDistribution" for one in type(law).__mro__) if new else None
        discrete = hasattr(law, "pmf") and not hasattr(law, "pdf") if discrete is None else discrete
        wanted = ("logpmf" if discrete else "logpdf", "cdf")
        try:
            ends = np.asarray(quietly(law.support), dtype=np.float64)
        except TypeError:  # a family, which has parameters still to be given
            raise InvalidParameter(name, law, _WHAT, "Fix its parameters: scipy.stats.norm(0.0, 1.0).") from None
        if ends.shape != (2,) or not all(hasattr(law, verb) for verb in wanted):
            raise InvalidParameter(name, law, _WHAT)
        return "discrete" if discrete else "continuous"
    if not callable(law):
        raise InvalidParameter(name, law, _WHAT)
    return "a density"


def _interval(value: object) -> tuple[float, float]:
    allowed = "two numbers (low, high) with low < high, for two densities; -inf and inf where they have no end"
    try:
        low, high = (float(one) for one in value)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise InvalidParameter("support", value, allowed) from None
    if not low < high:
        raise InvalidParameter("support", value, allowed)
    return low, high


def _places(name: str, value: object) -> FloatArray:
    if isinstance(value, (list, tuple)) and not value:
        return np.zeros(0)
    places = np.atleast_1d(reals(name, value))
    if places.ndim > 1 or not bool(np.all(np.diff(places) > 0.0)):
        raise InvalidParameter(name, places.tolist(), "strictly rising numbers")
    return places


def _error(name: str, value: object) -> float:
    error = not_negative(name, value)
    if not error <= 0.01:
        raise InvalidParameter(name, error, "at most 0.01")
    return error


def _closed_below(corners: Corners) -> Corners:
    """A polygon nowhere above the curve: corners moved left or down lie below it, and so do chords between them."""
    alpha, beta = corners
    return _hulled(np.append(alpha, 1.0), np.append(beta, 0.0))


def _closed_above(corners: Corners) -> Corners:
    """A polygon nowhere below it: f is convex, below every point that a test attains, (0, 1) and (1, 0) among them."""
    alpha, beta = corners
    return _hulled(np.concatenate([[0.0], alpha, [1.0]]), np.concatenate([[1.0], beta, [0.0]]))


def _hulled(alpha: FloatArray, beta: FloatArray) -> Corners:
    alpha, beta = np.clip(alpha, 0.0, 1.0), np.clip(beta, 0.0, 1.0)
    first = np.flatnonzero(np.append(True, np.diff(alpha) > 0.0))
    alpha, beta = alpha[first], np.minimum.reduceat(beta, first)
    ended = int(np.argmax(beta <= 0.0)) + 1  # beyond it the curve is 0
    return lower_hull(alpha[:ended], np.minimum.accumulate(beta)[:ended])


def _named(law: Any) -> str:
    """A distribution in the words that made it, as far as they are known."""
    family = getattr(getattr(law, "dist", None), "name", None)
    if isinstance(family, str):
        words = [f"{one!r}" for one in getattr(law, "args", ())]
        words += [f"{key}={one!r}" for key, one in getattr(law, "kwds", {}).items()]
        return f"{family}({', '.join(words)})"
    return str(getattr(law, "__name__", type(law).__name__))
