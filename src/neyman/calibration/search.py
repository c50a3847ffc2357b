"""The search for the parameter at which a target is just met.

The excess of a trial is nearly straight on its chart, so that inverse quadratic interpolation through the best three
trials, guarded by bisection, needs few of them. Nothing is read from the interpolation but where to look next: the
answer is a trial that certainly meets the target, beside one that certainly misses it.
"""

from __future__ import annotations

import math

from neyman._errors import InvalidParameter, NotCertified
from neyman.calibration.guide import BESIDE, hasten, nearer
from neyman.calibration.trial import Trial, Trials

__all__ = ["SOUGHT", "Limits", "bracketed", "expanded", "refused", "settled", "unseen"]

_FIRST = 0.7  # the longest step on the chart while the direction is new; it doubles after a few
_STEPS = 60  # trials at most until both sides are seen, and numbers tried in place of one that is refused
_PATIENCE = 4  # trials in which the bracket must halve
_MOST = 200  # trials at most between both sides; after that nothing is certified
_HOPE = 1e3  # how much steeper than seen the excess may become next to where make ends
SOUGHT = "the parameter that just meets the target"

Limits = tuple[float, float]


def expanded(
    trials: Trials, start: float, limits: Limits, tolerance: float, slope: float | None = None
) -> tuple[Trial, Trial]:
    """Return a trial that meets the target and one that does not, found by walking from ``start``.

    ``slope`` is what the excess is expected to rise by on the chart, if that is known.

    Raises
    ------
    InvalidParameter
        If there is none of the one or of the other kind within ``limits``.
    NotCertified
        If the accounting does not tell the number from its limit, and no parameter seems to change that.
    """
    here, slope = _begun(trials, start, limits, tolerance, slope)
    for step in range(_STEPS):
        pair = _opposed(trials, here)
        if pair is not None:
            return pair
        longest = _FIRST * 2.0 ** max(step - 3, 0)
        x = _onward(trials, here, slope, longest, step)
        halfway = abs(x - here.x) > 0.999 * longest
        wished = _beyond(trials, here, x, limits, tolerance)
        parameter = _taken(trials, here, wished)
        if trials.known(parameter) is not None:
            if parameter in limits and (_direction(trials) != 0.0 or all(map(trials.known, limits))):
                break
            if _direction(trials) == 0.0:
                continue  # nothing has moved yet: the other way, and farther
            parameter = _farther(trials, here, limits, 2.0**step)
            if trials.known(parameter) is not None or trials.refusal(parameter):
                break
        far = abs(trials.chart.to(parameter) - here.x) > 0.9 * _FIRST
        trial = trials.at(parameter, rough=far, hopeless=here.meets != halfway)
        _refuse_blindness(trials, here, trial)
        if trials.refusal(wished) and _out_of_reach(here, trial, trials.chart.to(wished)):
            break
        here = trial if trial.meets != here.meets or abs(trial.excess) <= abs(here.excess) else here
    pair = _counted(trials, here, limits) if trials.integer and here.meets else None
    if pair is None:
        raise refused(trials)
    return pair


def _begun(
    trials: Trials, start: float, limits: Limits, tolerance: float, slope: float | None
) -> tuple[Trial, float | None]:
    """Return the trial from which to walk, the nearest to the target where batches have told it, and the slope."""
    first = _whole(trials, min(max(start, limits[0]), limits[1]))
    refusal = trials.refusal(first)
    if refusal is not None:
        advice = f"It says: {refusal}" + (" That is integer=True." if "whole number" in refusal.allowed else "")
        raise InvalidParameter(
            "bracket", None, f"given: the search would start at {first!r}, which make refuses", advice
        )
    hasten(trials, first, limits, tolerance)
    if trials.by_age:
        return min(trials.by_age, key=lambda trial: abs(trial.excess)), slope
    if slope is None and not trials.integer:
        first, slope = nearer(trials, first, limits)
    return trials.at(first, rough=slope is None), slope


def _counted(trials: Trials, here: Trial, limits: Limits) -> tuple[Trial, Trial] | None:
    """The same by counting up and down fourfold: of few copies the excess may be too far off to show a direction."""
    low, high = trials.in_order[0].parameter, trials.in_order[-1].parameter
    while low > limits[0] or high < limits[1]:
        low, high = max(math.floor(0.25 * low), limits[0]), min(4.0 * high, limits[1])
        for parameter in (low, high):
            if trials.known(parameter) is None and trials.refusal(parameter) is None:
                trials.at(parameter, rough=True)
        pair = _opposed(trials, here)
        if pair is not None or (trials.refusal(low) and trials.refusal(high)):
            return pair
    return None


def bracketed(trials: Trials, bracket: Limits, tolerance: float) -> tuple[Trial, Trial]:
    """Return the trial at one end that meets the target and that at the other that does not, or a nearer pair.

    Raises
    ------
    InvalidParameter
        If both ends are of one kind.
    """
    low, high = (trials.at(end, rough=True) for end in bracket)
    if low.meets == high.meets:
        raise refused(trials)
    least = max(bracket[0], 1.0) if trials.integer else bracket[0]
    hasten(trials, _whole(trials, math.sqrt(least) * math.sqrt(bracket[1])), bracket, tolerance)
    near = min(trials.by_age, key=lambda trial: abs(trial.excess))
    return _opposed(trials, near) or ((low, high) if low.meets else (high, low))


def settled(trials: Trials, meets: Trial, misses: Trial, tolerance: float) -> tuple[Trial, Trial]:
    """Narrow the pair down to ``tolerance`` (whole numbers: to neighbours), the second trial certainly missing.

    Raises
    ------
    NotCertified
        If certainly missing begins farther away than the tolerance allows.
    """
    toward = _direction(trials)  # from meeting to missing
    if not trials.target.ordered:  # the excess may rise on one side and fall on the other: between these two it counts
        toward = math.copysign(1.0, misses.parameter - meets.parameter)
    width, patience = math.inf, _PATIENCE
    for _ in range(_MOST):
        if (misses.parameter - meets.parameter) * toward < 0.0:  # neighbours told apart by rounding alone
            meets = _clear(trials, misses, toward, tolerance)
        if _adjacent(trials, meets, misses, tolerance):
            break
        if abs(meets.x - misses.x) <= 0.5 * width:
            width, patience = abs(meets.x - misses.x), _PATIENCE
        patience -= 1
        low, high = sorted((meets.x, misses.x))
        root = _crossing(trials) if patience > 0 else None
        if root is None or not low <= root <= high:
            root, width, patience = None, high - low, _PATIENCE
        parameter = _beside(trials, meets, misses, root, tolerance)
        hopeless = root is not None and (parameter - trials.chart.back(root)) * toward > 0.0
        trial = trials.at(parameter, hopeless=hopeless)
        meets, misses = (trial, misses) if trial.meets else (meets, trial)
    else:
        low, high = sorted((meets.parameter, misses.parameter))
        raise NotCertified(
            SOUGHT, low, high, f"the search came no nearer in {_MOST} evaluations{trials.left_out}", topic="tolerance"
        )
    return meets, _certainly_missing(trials, meets, misses, toward, tolerance)


def refused(trials: Trials) -> InvalidParameter:
    """Return the refusal of a target that is met nowhere, or everywhere, with what was found at the ends; of one that
    is not ordered no more is said than what was tried.
    """
    rows = trials.in_order
    if not trials.target.ordered:
        return unseen(trials)
    ends = (rows[0], rows[-1]) if len(rows) > 1 else (rows[0],)
    found = "; ".join(f"at {row.parameter!r} {_found(trials, row)}" for row in ends) + trials.left_out
    if rows[0].meets:
        return InvalidParameter(
            "target",
            trials.target,
            "missed somewhere in reach",
            f"It is met throughout: {found}.",
            topic="target-out-of-reach",
        )
    return InvalidParameter(
        "target", trials.target, "met somewhere in reach", f"It is met nowhere: {found}.", topic="target-out-of-reach"
    )


def unseen(trials: Trials) -> InvalidParameter:
    """Return the refusal of a target that every trial met, or none: of what was tried, and of nothing else."""
    rows, target = trials.in_order, trials.target
    meets = rows[0].meets
    pick = max if meets else min
    shown = pick(rows, key=lambda trial: trial.excess)
    worst = max(target.parts, key=lambda part: part.excess(shown.guarantee))
    where = f"from {rows[0].parameter!r} to {rows[-1].parameter!r}, at {len(rows)} parameters"
    extreme, number = "largest" if meets else "smallest", worst.number(shown.guarantee)
    found = (
        f"the {extreme} {worst.label} is certified to be {number:.6g}, at {shown.parameter!r}, "
        f"allowed {worst.limit:.6g}{trials.left_out}"
    )
    advice = f"It is met {'throughout' if meets else 'nowhere'} where it was tried: {where}; {found}."
    if not meets:
        advice += " Elsewhere it may be met: give calibrate() a bracket of which one end meets it and one does not."
    return InvalidParameter(
        "target", target, f"{'missed' if meets else 'met'} somewhere that is tried", advice, topic="target-out-of-reach"
    )


def _found(trials: Trials, trial: Trial) -> str:
    worst = max(trials.target.parts, key=lambda part: part.excess(trial.guarantee))
    return f"the {worst.label} is certified to be {worst.number(trial.guarantee):.6g}, allowed {worst.limit:.6g}"


def _refuse_blindness(trials: Trials, here: Trial, trial: Trial) -> None:
    """Stop where the number is neither within the limit nor beyond it, and comes no nearer."""
    if (
        here.meets
        or trial.meets
        or not trial.sharp
        or trial.excess < here.excess
        or trials.missed(trial)
        or trials.missed(here)
    ):
        return
    lower = trials.target.excess(trial.guarantee.optimistic)
    name = f"log mu over the target, at the parameter {trial.parameter!r},"
    reason = f"the accounting does not tell it from the target {trials.target!r}, here or farther on{trials.left_out}"
    raise NotCertified(name, lower, trial.excess, reason, topic="tolerance")


def _opposed(trials: Trials, here: Trial) -> tuple[Trial, Trial] | None:
    """The trial nearest to ``here`` on the other side of the target."""
    others = [trial for trial in trials.by_age if trial.meets != here.meets]
    if not others:
        return None
    other = min(others, key=lambda trial: abs(trial.x - here.x))
    return (here, other) if here.meets else (other, here)


def _direction(trials: Trials) -> float:
    """1.0 where the excess rises with the parameter, -1.0 where it falls, 0.0 where it has not moved."""
    low, high = (pick(trials.by_age, key=lambda trial: trial.excess) for pick in (min, max))
    return math.copysign(1.0, high.parameter - low.parameter) if low.excess < high.excess else 0.0


def _onward(trials: Trials, here: Trial, slope: float | None, longest: float, step: int) -> float:
    """Where the excess should vanish, at most ``longest`` away on the chart."""
    rows = sorted(trials.by_age, key=lambda trial: abs(trial.x - here.x))
    other = next((row for row in rows if row.excess != here.excess), None)
    if other is not None:
        slope = (here.excess - other.excess) / (here.x - other.x)
    if not slope:  # nothing tells the direction: either way, ever farther
        return trials.by_age[0].x + longest * (step + 1.0) * (-1.0 if step % 2 else 1.0)
    if here.excess == 0.0:  # just met: the least step to where it is not
        return here.x + math.copysign(1e-12, slope)
    far = here.excess / slope
    if other is not None and not (here.sharp and other.sharp):
        far = math.copysign(longest, far)
    root = _crossing(trials, 3)
    if root is not None and abs(far) < _FIRST and 0.5 < (here.x - root) / far < 2.0:
        far = here.x - root
    return here.x - min(max(far, -longest), longest)


def _out_of_reach(here: Trial, trial: Trial, end: float) -> bool:
    """Whether what is left of the way to ``end``, which make refuses, is far too short to reach the target."""
    if trial.x == here.x or trial.meets != here.meets:
        return False
    slope = (trial.excess - here.excess) / (trial.x - here.x)
    return _HOPE * abs(slope * (end - trial.x)) < abs(trial.excess)


def _farther(trials: Trials, here: Trial, limits: Limits, times: float) -> float:
    """The parameter beyond all trials, toward the side of the target that has not been seen."""
    way = _direction(trials) * (1.0 if here.meets else -1.0)
    last = max(trials.by_age, key=lambda trial: trial.parameter * way).parameter
    return _whole(trials, min(max(last * (1.0 + times) ** way, limits[0]), limits[1]))


def _beyond(trials: Trials, here: Trial, x: float, limits: Limits, tolerance: float) -> float:
    """The parameter at ``x``, and a little beyond, so that what is almost met is met and the reverse."""
    low, high = sorted(trials.chart.to(limit) for limit in limits)
    if not low < x < high:
        return min(limits, key=lambda limit: abs(trials.chart.to(limit) - min(max(x, low), high)))
    parameter = trials.chart.back(x)
    way = math.copysign(1.0, parameter - here.parameter)
    if trials.integer:
        parameter = float(math.ceil(parameter) if way > 0.0 else math.floor(parameter))
        parameter += way if trials.known(parameter) is not None else 0.0
    else:
        parameter *= 1.0 + way * BESIDE * tolerance
    return min(max(parameter, limits[0]), limits[1])


def _taken(trials: Trials, here: Trial, parameter: float) -> float:
    """The parameter, or, where ``make`` refuses it, one between it and ``here``."""
    for _ in range(_STEPS):
        if trials.refusal(parameter) is None:
            return parameter
        parameter = _whole(trials, math.sqrt(parameter) * math.sqrt(here.parameter))
    return here.parameter


def _whole(trials: Trials, parameter: float) -> float:
    return float(round(parameter)) if trials.integer else parameter


def _crossing(trials: Trials, least: int = 2) -> float | None:
    """Where the excess should vanish on the chart, by the three best trials, or two."""
    rows = sorted((t for t in trials.by_age if t.sharp and math.isfinite(t.x)), key=lambda t: abs(t.excess))[:3]
    for count in range(3, least - 1, -1):
        best = rows[:count]
        if len(best) == count == len({row.excess for row in best}):
            return math.fsum(
                a.x * math.prod(b.excess / (b.excess - a.excess) for b in best if b is not a) for a in best
            )
    return None


def _clear(trials: Trials, misses: Trial, toward: float, tolerance: float) -> Trial:
    """Return a trial that meets the target, on its own side of ``misses``."""
    for doublings in range(_STEPS):
        step = 2.0**doublings
        step *= 1.0 if trials.integer else BESIDE * tolerance * misses.parameter
        trial = trials.at(max(misses.parameter - toward * step, 0.0 if trials.integer else 0.5 * misses.parameter))
        if trial.meets:
            return trial
    raise refused(trials)


def _beside(trials: Trials, meets: Trial, misses: Trial, root: float | None, tolerance: float) -> float:
    """Return the next parameter strictly between the two: at the crossing, a little to the side that is still open."""
    a, b = meets.parameter, misses.parameter
    toward = math.copysign(1.0, b - a)
    if root is None:
        middle = trials.chart.back(0.5 * (meets.x + misses.x)) if math.isfinite(meets.x + misses.x) else 0.5 * (a + b)
    else:
        middle = trials.chart.back(root)
    low, high = min(a, b), max(a, b)
    if not low < middle < high:
        middle = math.sqrt(low) * math.sqrt(high) if low > 0.0 else 0.5 * high
    if trials.integer:
        whole = int(math.floor(middle) if toward > 0.0 else math.ceil(middle))
        return min(max(whole, int(low) + 1), int(high) - 1)
    if root is None:
        return middle
    near = 2.0 * BESIDE * tolerance * middle
    # first the side that misses: to tell that takes the least
    side = -toward if abs(middle - b) <= near < abs(middle - a) else toward
    aimed = middle * (1.0 + side * BESIDE * tolerance)
    if abs(middle - a) <= near:  # near enough to the one that meets to be its neighbour
        farthest = a * (1.0 + toward * 0.9 * tolerance)
        aimed = min(aimed, farthest) if toward > 0.0 else max(aimed, farthest)
    elif abs(aimed - b) < 0.1 * tolerance * middle or not low < aimed < high:
        aimed = middle
    return aimed if low < aimed < high else 0.5 * (low + high)


def _adjacent(trials: Trials, meets: Trial, misses: Trial, tolerance: float) -> bool:
    gap = abs(meets.parameter - misses.parameter)
    return gap <= 1 if trials.integer else gap <= tolerance * max(meets.parameter, misses.parameter)


def _certainly_missing(trials: Trials, meets: Trial, misses: Trial, toward: float, tolerance: float) -> Trial:
    """Return the nearest trial that certainly misses the target, at ``misses`` or beyond."""
    farthest = meets.parameter * (1.0 + toward * 0.999 * tolerance)
    if trials.missed(misses):
        return misses
    if trials.integer:
        allowed = int(math.floor(max(farthest, meets.parameter)) if toward > 0.0 else math.ceil(farthest))
        gap = 2
        while gap <= abs(allowed - meets.parameter):
            trial = trials.at(meets.parameter + toward * gap)
            if trials.missed(trial):
                return trial
            gap *= 2
    elif abs(misses.parameter - farthest) > 0.0:
        trial = trials.at(farthest)
        if trials.missed(trial):
            return trial
    beyond = [t for t in trials.by_age if (t.parameter - meets.parameter) * toward > 0.0 and trials.missed(t)]
    nearest = min(beyond, key=lambda t: abs(t.parameter - meets.parameter), default=None)
    far = nearest.parameter if nearest else math.inf if toward > 0.0 else 0.0
    low, high = sorted((meets.parameter, far))
    reason = f"the accounting does not tell what lies between from the target, and the tolerance is {tolerance:g}"
    raise NotCertified(SOUGHT, low, high, reason + trials.left_out, topic="tolerance")
