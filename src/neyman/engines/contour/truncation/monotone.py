"""Where the integral along a line may be cut: what lies beyond is negligible, by a bound that never grows again."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.cumulant import WALKED
from neyman.engines.contour.parts import Parts
from neyman.losses.gaussian.many.bounds import certified_of, estimates_of, log_unturned
from neyman.losses.gaussian.shifted_bound import log_size
from neyman.numerics.rounding import UNIT, largest_sum_error

__all__ = ["cut_by_parts", "cut_off", "log_beyond"]

_BOUND_ERROR = 1e-12  # relative rounding of the bound on |A|
_FURTHER = (1.0, 1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 4.0, 16.0)  # shares of a cut at which it is tried to be certified
_HOPE, _BEYOND = 10.0, 30.0  # e-folds by which what is left may be less than it seems; times a frequency, beside it
_MISSED = 0.05  # e-folds by which a bound may lie above its estimate
_FIRST, _PAST = 8.6, 1.1  # deviations at which a cut is looked for first; times that of a few steps
_AHEAD, _NEXT = 1.02, 1.03  # times the last cut: it was the least of another line; in deviations
_NORMAL = 2.0  # noise multiplier from which the axis is shifted as far as a normal loss wants it, about
_SHIFTED = 5.0  # deviations of the noise by which it is at most: of pi s^2, where r may vanish, .8
_SHORT = 14.0  # deviations of a cut up to which a line has so few nodes that no nearer one is worth a look
_SLOWER = 1.5  # power of a frequency with which |e^K| falls, at first: of a normal loss 2, of all others less
# e-folds beyond a goal that do, and where other steps or lines tell where; ratio of two cuts that need no third
_WITHIN, _OF_FEW, _NEAR = 4.0, 12.0, 1.05
# least fall, power, and step back; ratio of cuts that are one
_FALLEN, _FLATTEST, _BACK, _CLOSE = 1e-3, 0.15, 0.3, 1.02
# deviations of a cut beyond which a line has many nodes, so that it is looked for closely, unless they are such a share
# of those that may be (arcs are read more cheaply), and the power learnt there
_DEAR, _TOO_DEAR, _SLOWLY = 100.0, 0.4, 0.7
_SHORTER, _FARTHEST = 0.7, 1e4  # steps in which that is tried, and standard deviations to begin at


def cut_off(
    parts: Parts, cuts: FloatArray, c: float, sd: float, top: float, target: float, furthest: float,
    spend: Callable[[float], None] | None = None,
) -> tuple[float, float]:  # fmt: skip
    """Least W (to a few per cent) beyond which the integral is certainly negligible, and the log of its bound; inf
    where it would lie beyond ``furthest``.

    It is sought by estimates; where the bound itself is not as good, a little further on. What was found is kept: lines
    through one place that serve other eps are cut alike. ``spend`` is told the work of a search, in nominal
    nanoseconds.
    """
    asked = (c, sd, top, target, furthest, *cuts.tolist())
    if asked not in parts.ends:
        if spend is not None:
            spend(math.fsum(law.searched for law, _ in parts.steps))
        parts.ends[asked] = _cut_off(parts, cuts, c, sd, top, target, furthest)
    return parts.ends[asked]


def _cut_off(
    parts: Parts, cuts: FloatArray, c: float, sd: float, top: float, target: float, furthest: float
) -> tuple[float, float]:
    """The same, looked for."""
    if _hopeless(parts, c, target, furthest):
        return math.inf, -math.inf
    start, hinted = _start(parts, cuts, c, sd, top, target, furthest)
    place, share = min(start, furthest), sd / math.sqrt(parts.count)
    if _normal(parts) and place * share <= _SHIFTED and place * sd <= _SHORT:
        looks = np.array([target / parts.count]), np.array([place * share * parts.least_noise])
        tail = _certified(parts, cuts, c, place, looks, top)
        if tail <= target:
            return _noted(parts, place, sd, tail)
    cut, estimate, looks = _near_cut(parts, cuts, c, sd, top, target, furthest, (start, hinted))
    for further in _FURTHER:
        place = cut * further
        if not place <= furthest or math.isinf(place):
            break
        tail = _certified(parts, cuts, c, place, looks, top)
        if tail <= max(target, estimate + _MISSED):
            return _noted(parts, place, sd, tail)
    return math.inf, -math.inf


def _normal(parts: Parts) -> bool:
    """Whether losses are so nearly normal that nobody has to look where a cut lies."""
    return len(parts.steps) == 1 and parts.sampled and parts.mu == 0.0 and parts.least_noise >= _NORMAL


def _certified(
    parts: Parts, cuts: FloatArray, c: float, place: float, looks: tuple[FloatArray, FloatArray], top: float
) -> float:
    """The log of a bound on what lies beyond ``place``, of which ``looks`` tell about how much it is, of each step, and
    how far to shift its axis; ``top`` is K(c).
    """
    size = top / float(parts.times[0]) + WALKED if len(parts.steps) == 1 and parts.mu == 0.0 else math.inf
    found = certified_of(parts.laws, parts.argument(c), place, cuts, looks, size)
    return _log_plain(parts, c, place) + _summed(parts, found)


def _noted(parts: Parts, place: float, sd: float, tail: float) -> tuple[float, float]:
    """What was found, for the next as well."""
    parts.cut_before[parts.direction] = place, place * sd
    return place, tail


def _start(
    parts: Parts, cuts: FloatArray, c: float, sd: float, top: float, target: float, furthest: float
) -> tuple[float, bool]:
    """Where a cut is looked for first, and whether lines or steps before tell: where losses are nearly normal, or of
    the direction "add", which has no large ones, at as many deviations; else where jumps turn, which is one frequency.
    """
    known, some = parts.cut_before, parts.few
    if known:
        place, deviations = known.get(parts.direction) or next(iter(known.values()))
        alike = _normal(parts) or (parts.direction == "add" and "add" in known)
        return (_NEXT * deviations / sd if alike else _AHEAD * place), True
    if some is None:
        return _FIRST / sd, False
    # of many steps a few, counted for all, tell nearly where
    near = _near_cut(parts.sample(), cuts[some], c, sd, top, target - 1.0, furthest, (_FIRST / sd, False))[0]
    return (_PAST * near if math.isfinite(near) else _FIRST / sd), True


def _hopeless(parts: Parts, c: float, target: float, furthest: float) -> bool:
    """Whether even there far more is left than is wanted, of the part that hardly turns."""
    if not parts.sampled or parts.mu > 0.0 or not 0.0 < furthest < math.inf:
        return False
    w = parts.argument(c)
    left = math.fsum(times * log_unturned(law, w, _BEYOND * furthest) for law, times in parts.gaussians)
    return _log_plain(parts, c, furthest) + left - _HOPE > target


def _summed(parts: Parts, bounds: FloatArray) -> float:
    """The bounds of all steps together, from above: rounding of the products and of their sum besides."""
    if len(bounds) == 1:
        term = float(parts.times[0]) * (float(bounds[0]) + _BOUND_ERROR)
        return term + (largest_sum_error(1) + 2.0) * UNIT * abs(term)
    terms = parts.times * (bounds + _BOUND_ERROR)
    return float(terms.sum() + (largest_sum_error(len(terms)) + 2.0) * UNIT * np.abs(terms).sum())


def log_beyond(parts: Parts, cuts: FloatArray, c: float, sd: float, cut: float) -> float:
    """The log of a bound on what lies beyond ``cut``, wherever that is."""
    w, share = parts.argument(c), sd / math.sqrt(parts.count)
    looks = estimates_of(parts.laws, w, cut, share, cuts)
    return _log_plain(parts, c, cut) + _summed(parts, certified_of(parts.laws, w, cut, cuts, looks))


def cut_by_parts(
    parts: Parts, cuts: FloatArray, c: float, known: tuple[float, float], target: float, furthest: float, sd: float
) -> tuple[float, float]:
    """The same as ``known``, or less by what the losses that are large say alone (``TurningPart``)."""
    w, best, some = parts.argument(c), known, parts.fewest
    if some is not None and cut_by_parts(parts.sample(some), cuts[some], c, known, target, furthest, sd) == known:
        return known  # of many steps a few, counted for all, tell that nothing is won
    steps = [
        (law, times, float(end), log_size(law, w, float(end)))
        for (law, times), end in zip(parts.gaussians, cuts, strict=True)
    ]
    furthest = min(furthest, _FARTHEST / sd)
    if not all(size < math.inf for *_, size in steps):
        return best
    from neyman.losses.gaussian.parts.decaying import CUTS, TurningPart

    # the last of the cuts leaves most in the part that turns
    most = math.fsum(times * TurningPart.of(law, w, end, CUTS[-1], size).least for law, times, end, size in steps)
    if not _log_plain(parts, c, furthest) + most <= target:
        return best
    for place in CUTS:
        cut = _SHORTER * min(best[0], furthest / _SHORTER)
        laws = [(TurningPart.of(law, w, end, place, size), times) for law, times, end, size in steps]
        if not _log_plain(parts, c, cut) + math.fsum(times * law.least for law, times in laws) <= target:
            continue
        while True:
            tail = _log_plain(parts, c, cut)
            tail += math.fsum(times * (law.log_bound(cut) + _BOUND_ERROR) for law, times in laws)
            if not tail <= target:
                break
            best, cut = (cut, tail), _SHORTER * cut
    return best


def _log_plain(parts: Parts, c: float, cut: float) -> float:
    """What the unsampled Gaussian and the kernel contribute to the log of the bound."""
    return -0.5 * parts.mu**2 * (cut * cut - c * (c + 1.0)) - math.log(math.pi * cut)


def _near_cut(
    parts: Parts, cuts: FloatArray, c: float, sd: float, top: float, target: float, furthest: float,
    begin: tuple[float, bool],
) -> tuple[float, float, tuple[FloatArray, FloatArray]]:  # fmt: skip
    """The same, by the estimates that are returned, too: from a ``begin``, and whether that was told. How far |e^K| has
    fallen at W is taken for a power of W, learnt on the way.
    """
    start, told = begin
    w, share = parts.argument(c), sd / math.sqrt(parts.count)
    dear, previous = start * sd > _DEAR and start < _TOO_DEAR * furthest, (0.0, 0.0)
    within = _WITHIN + _OF_FEW * (told and not dear)
    cut, short = min(start, furthest), 0.0
    best: tuple[float, float, tuple[FloatArray, FloatArray]] = (math.inf, -math.inf, (np.empty(0), np.empty(0)))
    for _ in range(20):
        looks = estimates_of(parts.laws, w, cut, share, cuts)
        tail = _log_plain(parts, c, cut) + _summed(parts, looks[0])
        if tail <= target:
            best = (cut, tail, looks) if (cut, tail) < best[:2] else best
        else:
            short = max(short, cut)
            if cut >= furthest:
                break
        if (tail <= target and (tail > target - within or cut * sd <= _SHORT)) or best[0] < _NEAR * short:
            break
        fallen = max(top + 2.0 - tail, _FALLEN)
        power = _SLOWLY if dear else (2.0 if tail <= target else _SLOWER)
        if previous[0] > 0.0 and cut != previous[0]:
            power = min(max(math.log(fallen / previous[1]) / math.log(cut / previous[0]), _FLATTEST), 3.0)
        previous = (cut, fallen)
        cut *= min(max(((top + 4.0 - target) / fallen) ** (1.0 / power), _BACK), 8.0)
        if not _CLOSE * short < cut < (2.0 - _CLOSE) * best[0]:
            cut = math.sqrt(short * best[0]) if math.isfinite(best[0]) else 2.0 * short
            if cut == 0.0:  # nothing shorter was seen to be too short: the best is all that estimates tell
                break
        cut = min(cut, furthest)
    return best
