"""What was run and under which assumptions, in plain words."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from neyman.guarantees import Opaque
from neyman.mechanisms import (
    Allocated,
    ApproximateMechanism,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    PoissonSampled,
    PureMechanism,
    RandomizedResponse,
    Tabulated,
)
from neyman.numerics.exact.short_exact import one_in, setting
from neyman.profiles.pair import Adjacency
from neyman.reports.said.document import StepWords

__all__ = ["MOST_STEPS", "adjacency_meaning", "assumptions", "summary"]

MOST_STEPS = 100  # kinds of step that are told one by one


def summary(mechanism: Mechanism, unit: str, *, formerly: bool = False) -> tuple[StepWords, ...]:
    """Return what was run, one entry for each kind of step; the last counts those beyond the first hundred.

    ``formerly``: as earlier versions wrote it, every setting in all its digits.
    """
    parts = mechanism.parts
    shown = _in_full if formerly else partial(setting, of=mechanism.dataset_size)
    told = [_step(step, times, unit, shown) for step, times in parts[:MOST_STEPS]]
    if not parts:
        told = [StepWords("nothing", "", "", 0, "Nothing was released that depends on the data.")]
    rest = len(parts) - MOST_STEPS
    if rest > 0:
        times = sum(n for _, n in parts[MOST_STEPS:])
        sentence = f"{rest} more kinds of step, {times:,} runs in all, as listed in the mechanism."
        told.append(StepWords("more", "", "", times, sentence))
    return tuple(told)


def adjacency_meaning(adjacency: Adjacency, unit: str) -> str:
    """Return what it is for two data sets to be neighbours."""
    return {
        "add_or_remove": f"Data sets are neighbours if one has exactly one {unit} more than the other; the claims hold "
        "in both directions.",
        "add": f"The neighbour has exactly one {unit} more. The other direction is not claimed.",
        "remove": f"The neighbour has exactly one {unit} less. The other direction is not claimed.",
        "replace": f"Data sets are neighbours if they differ in exactly one {unit}, exchanged for another; their size "
        "is public.",
    }[adjacency]


def assumptions(mechanism: Mechanism, unit: str) -> tuple[str, ...]:
    """Return what must be true of the run, of what applies to this mechanism."""
    steps = [step for step, _ in mechanism.parts]
    kinds = {type(_inside(step)) for step in steps}
    runs = sum(times for _, times in mechanism.parts)
    sampled = any(isinstance(step, PoissonSampled) for step in steps)
    boxes = ", ".join(dict.fromkeys(_BOXES[kind] for kind in _BOXES if kind in kinds))
    told = [
        f"The claims are about one {unit}. " + _LEVELS["record" if unit == "record" else "other"].format(unit=unit),
        sampled
        and f"Sampling is Poisson: each {unit} joins each batch independently, with the stated probability, drawn "
        "afresh for every step. Shuffled batches, batches of a fixed size and batches cut at a maximum are other "
        "mechanisms. Neither the batches nor their sizes are released.",
        Allocated in kinds
        and f"Batches are dealt at random: each {unit} is put into one of them, each equally likely, independently "
        "of all others. Batches of one fixed size are another mechanism. Neither the batches nor their sizes "
        "are released.",
        kinds & {Gaussian, Laplace, DiscreteGaussian, DiscreteLaplace, Allocated}
        and f"One {unit} changes each value that noise is added to by no more than the stated sensitivity (L2 for "
        f"normal noise, L1 for Laplace noise): contributions are clipped for each {unit}, before they are summed.",
        runs > 1 and "The noise of each step is drawn afresh, independently of everything else.",
        runs > 1
        and "The number of steps and their settings were fixed in advance; what a later step looks at may depend on "
        "what earlier ones released.",
        kinds & {Gaussian, Laplace, Allocated}
        and "The noise follows the continuous law exactly: the errors of sampling it in floating point, and what they "
        "may give away, are not covered.",
        kinds & {DiscreteGaussian, DiscreteLaplace}
        and "The noise follows the discrete law exactly, and is added to whole numbers.",
        boxes and f"Of {boxes}, the guarantee was stated, not computed: the claims are as good as that statement.",
        Tabulated in kinds and "The two listed laws are the worst pair that neighbouring data sets can give rise to.",
        (
            "Everything that was released is in the list of what was run: choosing hyperparameters on the same data, "
            "statistics of the data, and runs that were thrown away after a look at them are not accounted for."
        ),
    ]
    return tuple(line for line in told if isinstance(line, str) and line)


_LEVELS = {
    "record": "A person with several records is protected less: as a group of that many (see Guarantee.group).",
    "other": "That needs all that one {unit} contributes to be sampled, clipped, and added or left out together; a "
    "guarantee of single records is weaker.",
}
_BOXES: dict[type, str] = {
    PureMechanism: "the black box with a pure epsilon",
    ApproximateMechanism: "the black box with an epsilon and a delta",
    Opaque: "the black box with a stated guarantee",
}


def _contribution(step: Gaussian | Allocated | Laplace | DiscreteGaussian | DiscreteLaplace, shown: _Shown) -> str:
    return f"sensitivity {shown(step.sensitivity, up=False)}"


class _Shown(Protocol):
    """How a setting is written; ``up``: to which side it may be rounded."""

    def __call__(self, value: float, *, up: bool) -> str: ...


def _in_full(value: float, *, up: bool) -> str:
    return repr(value)


def _in_words(written: str, rate: float) -> str:
    """A fraction with how often that is."""
    often = one_in(rate) if "/" in written else ""
    return f"{written} ({often})" if often else written


def _inside(step: Mechanism) -> Mechanism:
    return step.of if isinstance(step, PoissonSampled) else step


def _step(step: Mechanism, times: int, unit: str, shown: _Shown) -> StepWords:
    kind, noise = _words(_inside(step), shown)
    often = "once" if times == 1 else f"{times:,} times"
    if isinstance(step, Allocated):
        passes = "" if step.epochs == 1 else f", the same ones in each of {step.epochs} epochs"
        sampling = f"random allocation, {step.steps} batches{passes}"
        on = f"on batches, {often}: each {unit} is in one of {step.steps} batches, chosen at random{passes}"
        return StepWords(kind, noise, sampling, times, f"{kind[0].upper()}{kind[1:]} ({noise}), run {on}.")
    if isinstance(step, PoissonSampled):
        rate = shown(step.rate, up=False)
        sampling = f"Poisson, rate {rate}"
        on = f"on a Poisson sample that each {unit} joins with probability {_in_words(rate, step.rate)}"
        on += ", drawn afresh each time"
        on = on.removesuffix(", drawn afresh each time") if times == 1 else on
    else:
        sampling, on = "none", "on all the data"
    return StepWords(kind, noise, sampling, times, f"{kind[0].upper()}{kind[1:]} ({noise}), run {often} {on}.")


def _words(step: Mechanism, shown: _Shown) -> tuple[str, str]:
    """The name of a kind of step, and its numbers."""
    match step:
        case Gaussian() | Allocated():
            return (
                "normal noise",
                f"standard deviation {shown(step.sigma, up=True)}, {_contribution(step, shown)}",
            )
        case Laplace():
            return (
                "Laplace noise",
                f"scale {shown(step.scale, up=True)}, {_contribution(step, shown)}",
            )
        case DiscreteGaussian():
            return (
                "discrete normal noise",
                f"sigma {shown(step.sigma, up=True)}, {_contribution(step, shown)}",
            )
        case DiscreteLaplace():
            return (
                "discrete Laplace noise",
                f"scale {shown(step.scale, up=True)}, {_contribution(step, shown)}",
            )
        case RandomizedResponse():
            return "randomised response", f"epsilon {step.epsilon!r}, {step.k!r} answers"
        case PureMechanism():
            return "a black box", f"epsilon {step.epsilon!r}"
        case ApproximateMechanism():
            return "a black box", f"epsilon {step.epsilon!r}, delta {step.delta!r}"
        case Tabulated():
            return "a mechanism given by two listed laws", f"{len(step.p)} outputs"
        case Opaque():
            stated = repr(step.guarantee)
            return "a black box", stated if len(stated) <= 200 else f"{type(step.guarantee).__name__}, many numbers"
        case _:
            return "a mechanism", repr(step)[:200]
