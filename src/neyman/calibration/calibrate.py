"""``calibrate``: from the risk that is accepted to the parameter that keeps it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Never

import numpy as np

from neyman._answering import Asked, refuse_missing, refuse_unknown
from neyman._errors import InvalidParameter, NotCertified
from neyman._progress import progress_bar
from neyman._upward import Carded
from neyman._validate import choice, inside, positive, whole
from neyman.calibration.scan import scanned
from neyman.calibration.search import SOUGHT, Limits, bracketed, expanded, settled
from neyman.calibration.target import Target
from neyman.calibration.target_words import Wanted
from neyman.calibration.trial import LOGARITHMIC, Chart, Trial, Trials
from neyman.guarantees import ComposedGuarantee, Guarantee
from neyman.mechanisms import DPSGD, Mechanism
from neyman.profiles.effort import EFFORT
from neyman.profiles.pair import Adjacency

__all__ = ["TRIED", "Calibration", "calibrate", "solved", "trials_of"]

_ADJACENCIES: tuple[Adjacency, ...] = ("add_or_remove", "add", "remove", "replace")
_REACH = (1e-9, 1e9)  # of a parameter, where no limits are given
_REACH_WHOLE = (1.0, 1e15)  # the same of a whole number
_SHARPEST = 1e-10  # the least tolerance, relative, of the parameter
TRIED = "parameters tried"  # what a bar counts
_ACCOUNTED, _WIDEST = 1e-6, 0.01  # the widest bracket of delta that is asked for; that is handed out


@dataclass(frozen=True, slots=True)
class Calibration(Asked, Carded):
    """A parameter that certainly meets a target, beside one that certainly misses it.

    Attributes
    ----------
    parameter : float or int
        It was itself evaluated, and meets the target by its certified bound.
    mechanism : Mechanism
        What was made of it.
    guarantee : Guarantee
        Of that mechanism.
    target : Target
        What was asked.
    evaluations : int
        How many parameters were evaluated.
    bracket : tuple of float or int
        (meets, misses): ``parameter``, and one as close to it as the tolerance asks (whole numbers: its neighbour) that
        misses the target by the bounds from the other side.

    Examples
    --------
    >>> import neyman as ny
    >>> print(ny.calibrate(ny.Laplace, ny.targets.Epsilon(0.5, delta=0.0), tolerance=1e-3))
    Laplace(scale=2.0008..., sensitivity=1.0) meets Epsilon(value=0.5, delta=0.0); at 1.9992... in place of 2.0008... it
    is certainly missed.
    """

    _called: ClassVar[str] = "c"
    parameter: float
    mechanism: Mechanism
    guarantee: Guarantee
    target: Target
    evaluations: int
    bracket: tuple[float, float]

    def __float__(self) -> float:
        return float(self.parameter)

    def __str__(self) -> str:
        meets, misses = self.bracket
        return f"{self.mechanism!r} meets {self.target!r}; at {misses!r} in place of {meets!r} it is certainly missed."


def calibrate(
    make: Callable[[float], Mechanism] | Callable[[int], Mechanism] | None = None,
    target: Target | None = None,
    bracket: Sequence[float] | None = None,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    mu: float | None = None,
    advantage: float | None = None,
    regret: float | None = None,
    adjacency: str = "add_or_remove",
    tolerance: float = 1e-6,
    effort: float = EFFORT,
    integer: bool | None = None,
    progress: bool | None = None,
    **unknown: Never,
) -> Calibration:
    """Return the parameter at which a mechanism just meets a target: the least noise, the most steps, the largest rate.

    Whether small or large parameters meet it is found out. A target that is not ordered (``Regret``) may be met, missed
    and met again: of it no more is promised than a parameter that certainly meets it beside one that certainly misses
    it. Without a bracket they are looked for from where little is told, in steps; between these nothing is seen.

    Parameters
    ----------
    make : callable
        From a number > 0 (a whole number where ``integer``) to a Mechanism, ever more private or ever less.
    target : Target, optional
        See ``ny.targets``; ``&`` joins several. Or in words, which hold together: ``epsilon`` with its ``delta``,
        ``mu``, ``advantage``, ``regret``.
    bracket : (low, high), optional
        Where to search, low < high, both > 0 and finite (whole numbers may start at 0). Both ends are evaluated.
        Without it the search starts at 1 and goes as far as it must.
    adjacency : str
        As of ``account``.
    tolerance : float
        How far, relatively, the answer may be from a parameter that certainly misses; in [1e-10, 0.1].
    effort : float
        How much work each question asked of a parameter that is tried may take, in nominal seconds, as of ``account``;
        finite, > 0.
    integer : bool, optional
        Whether ``make`` takes whole numbers: the answer is then the last that meets the target, and its neighbour
        misses it. By default, whether both ends of the bracket are ``int``.
    progress : bool, optional
        Whether what takes longer than a second is seen to go on, on the standard error; if left out, on a terminal and
        in a notebook.

    Returns
    -------
    Calibration
        ``.parameter`` certainly meets the target.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, ``make`` returns no mechanism or is certainly not monotone where it was
        evaluated, or the target is met everywhere or nowhere (one that is not ordered: wherever it was tried): with
        what was found at the ends.
    NotCertified
        If the accounting leaves open, on more than the tolerance, which parameters meet the target; where work was left
        out for it, the reason names ``effort``.

    Notes
    -----
    Inverse quadratic interpolation, guarded by bisection, on the scale of the Gaussian mechanism that would be as far
    from the target; certified bounds alone decide what meets and what misses. Of DP-SGD (adjacency "add_or_remove")
    batches of settings foresee where to look, so that two evaluations are usual; of other mechanisms half a dozen.

    Examples
    --------
    >>> import neyman as ny
    >>> found = ny.calibrate(ny.Gaussian, ny.targets.Mu(0.5))
    >>> round(found.parameter, 5), found.evaluations < 8
    (2.0, True)
    >>> round(ny.calibrate(ny.Gaussian, epsilon=1.0, delta=1e-5).parameter, 6)  # the analytic Gaussian mechanism
    3.730632
    >>> ny.calibrate(lambda n: ny.DPSGD(1.0, 0.01, n), ny.targets.Epsilon(2.0, 1e-5), (1, 100000)).parameter
    1202
    """
    call, words = "ny.calibrate", Wanted(epsilon=epsilon, delta=delta, mu=mu, advantage=advantage, regret=regret)
    refuse_unknown(call, unknown, make=make, target=target, bracket=bracket, **words.words)
    if make is DPSGD or (make is not None and not callable(make)):
        raise _no_function(make, target, words.words)
    if make is None:
        refuse_missing(call, {"make": None, "target": target, **words.words})
    asked = words.target(call, {"make": make}, target)
    if integer is not None and not isinstance(integer, (bool, np.bool_)):
        raise InvalidParameter("integer", integer, "True, False or None")
    if bracket is None:
        limits, whole_numbers = None, bool(integer)
    else:
        limits, whole_numbers = _bracket(bracket, integer)
    trials = trials_of(make, asked, adjacency, (tolerance, effort), LOGARITHMIC, whole_numbers)
    with progress_bar(progress, None, TRIED) as trials.told:
        try:
            if limits is None:
                reach = _REACH_WHOLE if whole_numbers else _REACH
                pair = expanded(trials, 1.0, reach, tolerance) if trials.target.ordered else scanned(trials, 1.0, reach)
            else:
                pair = bracketed(trials, limits, tolerance)
            return solved(trials, pair, tolerance)
        except InvalidParameter as error:
            if whole_numbers or not error.allowed.startswith("a whole number"):
                raise
            advice = f"It says: {error} That is integer=True."
            allowed = "True: the search came to a number that make refuses"
            raise InvalidParameter("integer", integer, allowed, advice) from error


def trials_of(
    make: Callable[[float], Mechanism] | Callable[[int], Mechanism] | None,
    target: Target,
    adjacency: str,
    limits: tuple[object, object],
    chart: Chart,
    integer: bool,
) -> Trials:
    """Return the trials to come, arguments checked; the ``limits`` are tolerance and effort."""
    if not callable(make):
        raise InvalidParameter("make", make, "a function of one number that returns a Mechanism")
    kind: Adjacency = choice("adjacency", adjacency, _ADJACENCIES)
    width, effort = inside("tolerance", limits[0], 0.99 * _SHARPEST, 0.1), positive("effort", limits[1])
    return Trials(make, target, kind, min(0.1 * width, _ACCOUNTED), chart, integer, effort)


def _no_function(make: object, target: object, words: Mapping[str, object]) -> InvalidParameter:
    """Return the refusal of what is no function of one number, with a line that calibrates what it looks like."""
    from neyman._guesses import Typed, line, write  # read where something went wrong

    told = {name: value for name, value in words.items() if value is not None}
    if make is DPSGD:
        aim = {} if target is None else {"target": Typed(f"ny.targets.{target!r}")}
        advice = write(line("ny.noise_for_dpsgd", {**told, **aim}))
        return InvalidParameter("make", make, "a function of one number", advice, topic="target")
    kind = make.partition(":")[0].strip().title() if isinstance(make, str) else type(make).__name__
    kind = kind if kind in ("Gaussian", "Laplace") else "Gaussian"
    aim = {} if target is None else {"target": Typed(f"ny.targets.{target!r}")}
    advice = write(line("ny.calibrate", {"make": Typed(f"ny.{kind}"), **told, **aim}))
    return InvalidParameter("make", make, "a function of one number that returns a Mechanism", advice)


def solved(trials: Trials, pair: tuple[Trial, Trial], tolerance: float) -> Calibration:
    """Return the answer, from a trial that meets the target and one that does not."""
    meets, misses = settled(trials, *pair, tolerance)
    meets = trials.sharpened(meets)
    ends = (meets.parameter, misses.parameter)
    shown = (int(ends[0]), int(ends[1])) if trials.integer else ends
    guarantee = _telling(trials, meets, ends)
    return Calibration(shown[0], meets.mechanism, guarantee, trials.target, len(trials.by_age), shown)


def _telling(trials: Trials, meets: Trial, ends: Limits) -> ComposedGuarantee:
    """Return its guarantee, held to what it can tell of the target: bounds that are wider may do to meet it."""
    guarantee, target = meets.guarantee, trials.target
    while not target.told_by(guarantee):
        width = 10.0 * guarantee.tolerance
        guarantee = trials.accounted(meets.mechanism, min(width, _WIDEST))
        if not (width <= _WIDEST and target.met_by(guarantee)):
            reason = "the target is met, but by bounds that are too wide to be handed out"
            raise NotCertified(SOUGHT, min(ends), max(ends), reason + trials.left_out, topic="tolerance")
    return guarantee


def _bracket(bracket: Sequence[float], integer: bool | None) -> tuple[Limits, bool]:
    advice = "Give the two ends between which the target begins to be met."
    try:
        low, high = bracket
    except (TypeError, ValueError):
        raise InvalidParameter("bracket", bracket, "two numbers, low < high", advice) from None
    ints = all(isinstance(end, (int, np.integer)) for end in (low, high))
    if ints if integer is None else integer:
        ends = (float(whole("bracket", low, 0, 10**15)), float(whole("bracket", high, 0, 10**15)))
        return _rising(bracket, ends), True
    return _rising(bracket, (positive("bracket", low), positive("bracket", high))), False


def _rising(bracket: object, ends: Limits) -> Limits:
    if not ends[0] < ends[1]:
        raise InvalidParameter("bracket", bracket, "two numbers, low < high", "Whichever end meets the target.")
    return ends
