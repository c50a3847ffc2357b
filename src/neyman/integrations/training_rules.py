"""What is found wrong in a training loop: one rule each."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from neyman.integrations.training_loop import Loop
from neyman.mechanisms.sampled.training import epoch_steps

__all__ = ["RULES", "Finding"]

_SAME = 1e-9  # relative: what the arithmetic of a loop may lose
_COARSE = 1e-4  # relative: a rate that is larger by more shows in epsilon


class Finding(NamedTuple):
    """Something that breaks the guarantee, or lets it say something else than what was run.

    Attributes
    ----------
    code : str
        A name that stays, such as "not-poisson".
    says : str
        What was found, and what it breaks.
    do : str
        The way out.
    """

    code: str
    says: str
    do: str

    def __str__(self) -> str:
        return f"{self.code}: {self.says} {self.do}"


Text = tuple[str, str]


def _not_poisson(loop: Loop) -> Text | None:
    sampling = loop.get("sampling", "poisson")
    if sampling == "poisson":
        return None
    says = (
        f"Batches are drawn by {sampling}, not as Poisson samples: the amplification accounted for is not known of it."
    )
    return says, "Draw each record on its own at the sample rate: make_private(poisson_sampling=True), or DPDataLoader."


def _drop_last(loop: Loop) -> Text | None:
    if not loop.get("drop_last") or loop.get("sampling") == "poisson":
        return None
    says = "A short last batch is dropped: who takes part depends on how many there are."
    return says, "Draw Poisson samples, of which none is short; the number of steps is then chosen freely."


def _rate(loop: Loop) -> Text | None:
    used, told = loop.get("sample_rate"), loop.get("accounted_rate")
    if used is None or told is None or abs(used - told) <= _SAME * told:
        return None
    effect = "gives away more than is stated" if used > told else "is stated to give away more than it does"
    says = f"Records are sampled at rate {used!r}, but accounted for at {told!r}: the run {effect}."
    return says, "Account for the rate of the sampler."


def _rate_bits(loop: Loop) -> Text | None:
    rate, bits = loop.get("sample_rate"), loop.get("uniform_bits")
    if rate is None or bits is None or not 0.0 < rate < 1.0:
        return None
    real = Fraction(math.ceil(Fraction(rate) * 2**bits), 2**bits)
    if not real > Fraction(rate) * (1 + Fraction(_COARSE)):
        return None
    says = f"Uniform numbers of {bits} bits sample at rate {float(real):.6g} where {rate!r} is accounted for."
    return says, "Account for that rate, or draw the uniform numbers in float64."


def _actual_batch(loop: Loop) -> Text | None:
    if loop.get("divided_by") != "actual":
        return None
    says = (
        "The sum is divided by the actual batch size: one record changes it for all, and large batches get less noise."
    )
    return says, "Divide by sample rate times data set size, the same number at every step."


def _too_few_steps(loop: Loop) -> Text | None:
    told, run = loop.get("accounted_steps"), _steps(loop)
    if told is None or run is None or run <= told:
        return None
    says = f"The loop takes {run} steps, but {told} are accounted for."
    return says, "Round steps up where they are counted in epochs: ny.training(...), or count each step as it is taken."


def _accumulation(loop: Loop) -> Text | None:
    times = loop.get("accumulation", 1)
    if times == 1:
        return None
    says = (
        f"{times} batches are added up before noise is added: a record may be in several of them, so that this is no "
        f"step of {times} times the rate."
    )
    return says, "Draw one large Poisson sample and split it, as BatchMemoryManager does."


def _distributed(loop: Loop) -> Text | None:
    processes = loop.get("world_size", 1)
    if processes == 1 or loop.get("sharded"):
        return None
    says = f"{processes} processes draw from the same records: one record may be in several batches that are added up."
    return says, "Give each process records of its own: DPDataLoader(..., distributed=True)."


def _not_counted(loop: Loop) -> Text | None:
    if loop.get("counted", True):
        return None
    says = "No accountant is told of the optimizer's steps: attach_step_hook keeps one hook only, the last."
    return says, "Attach accountant.get_optimizer_hook_fn(sample_rate), and no other hook after it."


def _no_noise(loop: Loop) -> Text | None:
    if loop.get("noise_multiplier", 1.0) > 0.0:
        return None
    return "The noise multiplier is 0: nothing is protected.", "Take it from ny.noise_for_dpsgd(target, rate, steps)."


def _less_noise(loop: Loop) -> Text | None:
    used, told = loop.get("noise_multiplier"), loop.get("accounted_noise")
    if used is None or told is None or used >= told * (1.0 - _SAME):
        return None
    says = f"The optimizer adds noise {used!r}, but {told!r} was the last that was accounted for."
    do = "Go on if the schedule was fixed in advance and every step is counted; if it follows releases, use ny.Filter."
    return says, do


def _noise_scale(loop: Loop) -> Text | None:
    std, ratio, norm = loop.get("noise_std"), loop.get("noise_multiplier"), loop.get("max_grad_norm")
    if std is None or ratio is None or norm is None or std >= ratio * norm * (1.0 - _SAME):
        return None
    says = f"Noise of standard deviation {std!r} is added, but {ratio!r} times the norm {norm!r} is {ratio * norm!r}."
    return says, "Scale the noise by the norm that is clipped to in that step, and add it before any division."


def _clipped(loop: Loop) -> Text | None:
    real, norm = loop.get("clipped_to"), loop.get("max_grad_norm")
    if real is None or norm is None or real <= norm * (1.0 + _SAME):
        return None
    says = f"Gradients are clipped to {real!r}, but the noise is scaled to {norm!r}."
    return says, "Change both together: with ghost clipping the model has a max_grad_norm of its own."


def _adaptive(loop: Loop) -> Text | None:
    if not loop.get("adaptive_clipping"):
        return None
    says = "The clipping norm follows a count that Opacus divides by the actual batch size, to which no noise is added."
    return says, "Use a fixed norm, or divide by the expected batch size."


def _seeded(loop: Loop) -> Text | None:
    if not loop.get("seeded_noise"):
        return None
    says = "The noise comes from a generator of known seed: who knows the seed can take the noise away."
    return says, "Pass no noise_generator."


def _empty(loop: Loop) -> Text | None:
    if not loop.get("skips_empty_batches"):
        return None
    says = "A step is left out where nobody was sampled: that shows who was not there."
    return says, "Add noise to an empty sum and take the step."


def _mixing(loop: Loop) -> Text | None:
    layers = loop.get("mixing_layers", ())
    if not layers:
        return None
    says = f"In {', '.join(layers)} the records of a batch see each other: clipping each gradient then bounds nothing."
    return says, "Replace batch normalisation: opacus.validators.ModuleValidator.fix(model), or GroupNorm."


RULES: tuple[tuple[str, Callable[[Loop], Text | None]], ...] = (
    ("not-poisson", _not_poisson),
    ("drop-last", _drop_last),
    ("rate-mismatch", _rate),
    ("rate-resolution", _rate_bits),
    ("actual-batch-size", _actual_batch),
    ("too-few-steps", _too_few_steps),
    ("accumulation", _accumulation),
    ("distributed", _distributed),
    ("not-counted", _not_counted),
    ("no-noise", _no_noise),
    ("less-noise", _less_noise),
    ("noise-scale", _noise_scale),
    ("clipping-mismatch", _clipped),
    ("adaptive-clipping", _adaptive),
    ("seeded-noise", _seeded),
    ("empty-batches", _empty),
    ("mixing-layers", _mixing),
)


def _steps(loop: Loop) -> int | None:
    """How many steps the loop takes: as stated, or its epochs in whole steps."""
    steps, epochs, rate = loop.get("steps"), loop.get("epochs"), loop.get("sample_rate")
    if steps is not None or epochs is None:
        return steps
    each = loop.get("steps_per_epoch")
    if each is not None:
        return math.ceil(Fraction(repr(float(epochs))) * each)
    return epoch_steps(epochs, rate) if rate else None
