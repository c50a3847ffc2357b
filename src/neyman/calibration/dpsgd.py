"""The three numbers of DP-SGD, each from a target and the other two."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Never

from neyman._answering import refuse_missing, refuse_more, refuse_unknown
from neyman._errors import InvalidParameter
from neyman._progress import progress_bar
from neyman._validate import MAX_COUNT, whole
from neyman.calibration.calibrate import TRIED, Calibration, solved, trials_of
from neyman.calibration.scan import scanned
from neyman.calibration.search import Limits, expanded, refused
from neyman.calibration.target import All, Target
from neyman.calibration.target_words import Wanted
from neyman.calibration.trial import LOGARITHMIC, Chart
from neyman.guarantees import ApproximateDP, PessimisticGuarantee
from neyman.mechanisms import DPSGD, Mechanism
from neyman.mechanisms.additive.gaussian import gaussian_noise
from neyman.mechanisms.composition import remembering
from neyman.mechanisms.sampled.schedule import Schedule
from neyman.profiles.effort import EFFORT

__all__ = ["noise_for_dpsgd", "rate_for_dpsgd", "steps_for_dpsgd"]

_NOISES = (0.055, 1e12)  # less noise of sampled records is dear to account for, and no protection
_UNSAMPLED = (1e-3, 1e12)  # the same where every record takes part in every step
_FAR = 1e6  # noise that meets what can be met, unless the first guess says otherwise
_STEPS = (1.0, 1e15)  # the least number of steps that is looked for, and the largest
_RATES = (1e-12, 1.0)  # the least sample rate, and the largest
_LARGEST = 600.0  # exponent


def noise_for_dpsgd(
    target: Target | None = None,
    sample_rate: float | Fraction | None = None,
    steps: int | None = None,
    *more: Never,
    epochs: float | None = None,
    batch_size: int | None = None,
    dataset_size: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    mu: float | None = None,
    advantage: float | None = None,
    regret: float | None = None,
    adjacency: str = "add_or_remove",
    tolerance: float = 1e-6,
    effort: float = EFFORT,
    progress: bool | None = None,
    **unknown: Never,
) -> Calibration:
    """Return the least noise multiplier with which DP-SGD certainly meets a target.

    Of a target that is not ordered (``Regret``, alone or among others) it is the last of those tried, from much noise
    to less, that certainly meets it, beside one that certainly misses it; with still less noise it may be met again.

    Parameters
    ----------
    target : Target, optional
        See ``ny.targets``. Or in words, which hold together: ``epsilon`` with its ``delta`` (left out: 1/dataset_size,
        where that is given), ``mu``, ``advantage``, ``regret``.
    sample_rate, steps, epochs, batch_size, dataset_size
        As of ``DPSGD``, in either way of saying them; rate and steps > 0.
    adjacency, tolerance, effort, progress
        As of ``calibrate``.

    Returns
    -------
    Calibration
        ``.parameter`` is the noise multiplier, from 0.055 (at rate 1: 0.001) to 1e12.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or the target is met with any noise or with none.
    NotCertified
        As ``calibrate``.

    Examples
    --------
    >>> import neyman as ny
    >>> found = ny.noise_for_dpsgd(ny.targets.Epsilon(8.0, delta=1e-5), sample_rate=0.01, steps=10_000)
    >>> round(found.parameter, 5), found.guarantee.epsilon(1e-5) <= 8.0
    (0.88253, True)
    >>> found = ny.noise_for_dpsgd(epsilon=8, delta=1e-5, epochs=10, batch_size=512, dataset_size=60_000)
    >>> round(found.parameter, 5)
    0.57307
    """
    call, words = "ny.noise_for_dpsgd", Wanted(epsilon=epsilon, delta=delta, mu=mu, advantage=advantage, regret=regret)
    said = {
        "sample_rate": sample_rate, "steps": steps, "epochs": epochs, "batch_size": batch_size,
        "dataset_size": dataset_size,
    }  # fmt: skip
    if more:  # epsilon, delta, rate, steps: as others order them
        order: tuple[str, ...] = ("epsilon", "delta", "sample_rate", "steps")
        told: dict[str, object] = dict(zip(order, (target, sample_rate, steps, *more), strict=False))
        refuse_more(call, 3, more, told)
    refuse_unknown(call, unknown, target=target, **words.words, **said)
    schedule = Schedule.of(call, {"target": target, **words.words}, **said)
    asked = words.target(call, said, target, schedule.dataset_size)
    rate, times = _rate(schedule), whole("steps", schedule.steps, 1, MAX_COUNT)

    def make(noise: float) -> Mechanism:
        return remembering(DPSGD(noise, rate, times), schedule.dataset_size)

    limits = _NOISES if rate < 1.0 else _UNSAMPLED
    chart = _noise_chart(rate, times, limits)
    trials = trials_of(make, asked, adjacency, (tolerance, effort), chart, False)
    shown = -math.expm1(times * math.log1p(-rate)) * (1.0 + 1e-14) if rate < 1.0 else 1.0
    bare = PessimisticGuarantee(ApproximateDP(0.0, min(shown, 1.0)).sides, trials.adjacency)
    if asked.ordered and asked.met_by(bare):
        advice = f"A record is in one of {times} batches with a probability of {shown:.3g}: less than it allows."
        raise InvalidParameter("target", asked, "missed where no noise is added", advice, topic="target-out-of-reach")
    start = chart.back(math.log(asked.gaussian_mu))
    reach = (limits[0], min(max(_FAR, 100.0 * start), limits[1]))
    ordered = asked.ordered
    with progress_bar(progress, None, TRIED) as trials.told:
        pair = expanded(trials, start, reach, tolerance, slope=1.0) if ordered else scanned(trials, start, reach)
        return solved(trials, pair, tolerance)


def steps_for_dpsgd(
    target: Target | None = None,
    noise_multiplier: float | None = None,
    sample_rate: float | Fraction | None = None,
    *,
    batch_size: int | None = None,
    dataset_size: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    mu: float | None = None,
    advantage: float | None = None,
    regret: float | None = None,
    adjacency: str = "add_or_remove",
    tolerance: float = 1e-6,
    effort: float = EFFORT,
    progress: bool | None = None,
    **unknown: Never,
) -> Calibration:
    """Return the most steps of DP-SGD that certainly meet a target; one more certainly misses it.

    A target that is not ordered (``Regret``) limits no number of steps from above, since the regret falls in the end as
    steps go on. Joined to targets that are ordered, such as ``Epsilon(8.0, 1e-5) & Regret(0.01)``, the answer is the
    most steps that keep those, if they keep it, too; where they do not, or it stands alone, it is refused.

    Parameters
    ----------
    target : Target, optional
        See ``ny.targets``. Or in words, which hold together: ``epsilon`` with its ``delta`` (left out: 1/dataset_size,
        where that is given), ``mu``, ``advantage``, ``regret``.
    noise_multiplier, sample_rate, batch_size, dataset_size
        As of ``DPSGD``, the rate in either way of saying it; > 0.
    adjacency, tolerance, effort, progress
        As of ``calibrate``.

    Returns
    -------
    Calibration
        ``.parameter`` is a whole number >= 1.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or not even one step meets the target; or if the target is not ordered,
        and is missed at the most steps that keep the rest of it, or there is no rest.
    NotCertified
        As ``calibrate``.

    Examples
    --------
    >>> import neyman as ny
    >>> ny.steps_for_dpsgd(ny.targets.Advantage(0.1), noise_multiplier=1.0, sample_rate=0.01).bracket
    (384, 385)
    """
    call, words = "ny.steps_for_dpsgd", Wanted(epsilon=epsilon, delta=delta, mu=mu, advantage=advantage, regret=regret)
    said = {"sample_rate": sample_rate, "batch_size": batch_size, "dataset_size": dataset_size}
    told = {"target": target, **words.words, "noise_multiplier": noise_multiplier}
    refuse_unknown(call, unknown, **told, **said)
    if noise_multiplier is None:
        refuse_missing(call, {"noise_multiplier": None, **told, **said})
    schedule = Schedule.of(call, told, **said)
    asked = words.target(call, {"noise_multiplier": noise_multiplier, **said}, target, schedule.dataset_size)
    noise, rate = gaussian_noise("noise_multiplier", noise_multiplier), _rate(schedule)
    rest = [part for part in asked.parts if part.ordered]
    if not rest:
        raise _endless(asked, noise, rate)
    kept = asked if asked.ordered else All(*rest)

    def make(times: float) -> Mechanism:
        return remembering(DPSGD(noise, rate, int(times)), schedule.dataset_size)

    trials = trials_of(make, kept, adjacency, (tolerance, effort), LOGARITHMIC, True)
    start = kept.gaussian_mu**2 / max(_spread(rate, noise), 1e-300)  # which may be no float
    with progress_bar(progress, None, TRIED) as trials.told:
        if start > 1e3 * _STEPS[1] and trials.at(_STEPS[1]).meets:  # as many as can be asked for
            raise refused(trials)
        start = min(start, 0.1 * _STEPS[1])
        found = solved(trials, expanded(trials, start, _STEPS, tolerance, slope=0.5), tolerance)
    if asked.ordered:
        return found
    if not asked.met_by(found.guarantee):
        raise _endless(asked, noise, rate, found)
    return replace(found, target=asked)  # with one step more, and with every larger number, the rest is missed


def _endless(target: Target, noise: float, rate: float, most: Calibration | None = None) -> InvalidParameter:
    """Return the refusal of steps for a target that is not ordered."""
    call = f"ny.calibrate(lambda n: ny.DPSGD({float(noise)!r}, {float(rate)!r}, n), target, bracket=(low, high))"
    way = f"For a number of steps at which it begins or ceases to be met: {call}, of which one end meets it."
    part = next(part for part in target.parts if not part.ordered)
    if most is None:
        allowed = "joined to one that limits steps, such as Epsilon(8.0, 1e-5) & Regret(0.01)"
        return InvalidParameter("target", target, allowed, f"A {part.quantity} falls again as steps go on. {way}")
    told = f"the {part.label} is certified to be {part.number(most.guarantee):.6g}, allowed {part.limit:.6g}"
    advice = f"They are {most.parameter}: there {told}. Fewer steps may meet it. {way}"
    return InvalidParameter(
        "target", target, "met at the most steps that keep the rest of it", advice, topic="target-out-of-reach"
    )


def rate_for_dpsgd(
    target: Target | None = None,
    noise_multiplier: float | None = None,
    steps: int | None = None,
    *,
    dataset_size: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    mu: float | None = None,
    advantage: float | None = None,
    regret: float | None = None,
    adjacency: str = "add_or_remove",
    tolerance: float = 1e-6,
    effort: float = EFFORT,
    progress: bool | None = None,
    **unknown: Never,
) -> Calibration:
    """Return the largest sample rate with which DP-SGD certainly meets a target.

    Of a target that is not ordered (``Regret``, alone or among others) it is the last of those tried, from small rates
    to large, that certainly meets it, beside one that certainly misses it; at larger rates it may be met again.

    Parameters
    ----------
    target : Target, optional
        See ``ny.targets``. Or in words, which hold together: ``epsilon`` with its ``delta`` (left out: 1/dataset_size,
        where that is given), ``mu``, ``advantage``, ``regret``.
    noise_multiplier, steps
        As of ``DPSGD``; at least one step. Steps that are counted in epochs change with the rate: they cannot be given.
    dataset_size : int, optional
        How many records there are: the rate times that is the batch size.
    adjacency, tolerance, effort, progress
        As of ``calibrate``.

    Returns
    -------
    Calibration
        ``.parameter`` is the rate, in (0, 1).

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or the target is met at every rate.
    NotCertified
        As ``calibrate``.

    Examples
    --------
    >>> import neyman as ny
    >>> found = ny.rate_for_dpsgd(ny.targets.Mu(1.0), noise_multiplier=1.0, steps=1000)
    >>> round(found.parameter, 5), found.guarantee.mu() <= 1.0
    (0.0211, True)
    """
    call, words = "ny.rate_for_dpsgd", Wanted(epsilon=epsilon, delta=delta, mu=mu, advantage=advantage, regret=regret)
    said = {"steps": steps, "dataset_size": dataset_size}
    told = {"target": target, **words.words, "noise_multiplier": noise_multiplier}
    refuse_unknown(call, unknown, **told, **said)
    if noise_multiplier is None or steps is None:
        refuse_missing(call, {"noise_multiplier": noise_multiplier, "steps": steps, **told, **said})
    schedule = Schedule.of(call, told, **said)
    asked = words.target(call, {"noise_multiplier": noise_multiplier, **said}, target, schedule.dataset_size)
    noise, times = gaussian_noise("noise_multiplier", noise_multiplier), whole("steps", steps, 1, MAX_COUNT)

    def make(rate: float) -> Mechanism:
        return remembering(DPSGD(noise, rate, times), schedule.dataset_size)

    trials = trials_of(make, asked, adjacency, (tolerance, effort), LOGARITHMIC, False)
    one = math.expm1(min(asked.gaussian_mu**2 / times, _LARGEST)) / math.expm1(min(noise**-2, _LARGEST))
    start = math.sqrt(one)
    ordered = asked.ordered
    with progress_bar(progress, None, TRIED) as trials.told:
        pair = expanded(trials, start, _RATES, tolerance, slope=1.0) if ordered else scanned(trials, start, _RATES)
        return solved(trials, pair, tolerance)


def _rate(schedule: Schedule) -> float:
    rate = schedule.rate.value
    if rate == 0.0:
        raise InvalidParameter("sample_rate", rate, "a number in (0, 1]", "At 0 nothing is learnt of anybody.")
    return rate


def _spread(rate: float, noise: float) -> float:
    """log(1 + q^2 (e^(1/sigma^2) - 1)), the mu^2 of one of many steps: where few records are sampled the limit of Dong,
    Roth and Su (2022, Corollary 5.4), at rate 1 exact.
    """
    return math.log1p(rate * rate * math.expm1(min(noise**-2, _LARGEST))) if rate < 1.0 else noise**-2


def _noise_chart(rate: float, steps: int, limits: Limits) -> Chart:
    """Noise by the log of that mu."""

    def to(noise: float) -> float:
        return 0.5 * math.log(steps * _spread(rate, noise))

    def back(x: float) -> float:
        exponent = math.exp(min(2.0 * x, 700.0)) / steps
        if rate < 1.0:
            exponent = math.log1p(math.expm1(min(exponent, _LARGEST)) / rate / rate)
        return min(max(exponent**-0.5, limits[0]), limits[1]) if exponent > 0.0 else limits[1]

    return Chart(to, back)
