"""From a risk that is accepted to the settings that keep it: the parameter as it is shown, and certified as shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from neyman._errors import InvalidParameter, NotCertified
from neyman.calibration import calibrate, noise_for_dpsgd, rate_for_dpsgd, steps_for_dpsgd
from neyman.explorer.answering.wanted import Wanted
from neyman.explorer.asking.settings import DPSGDSettings, NoiseSettings, Settings
from neyman.guarantees import Guarantee
from neyman.mechanisms import Gaussian, Laplace, Mechanism
from neyman.mechanisms.sampled.training import rate_of
from neyman.numerics.exact.decimals import outward

__all__ = ["Solved", "solved"]

_TOLERANCE = 2e-5  # of a parameter that is shown to four digits
_MOST_EPOCHS = 10**6  # in which a number of epochs is looked for
_DIGITS = (4, 5, 6, 8, 12, 17)  # of the parameter: the first with which it is met
_WORDS = {
    "noise_multiplier": "A noise multiplier of {}", "scale": "A scale of {}", "sample_rate": "A sample rate of {}",
    "steps": "{} steps",
}  # fmt: skip

Accounted = Callable[[Settings], Guarantee]


class Solved:
    """What was found: ``settings`` with the parameter as its ``text`` says it, which certainly meets the target."""

    def __init__(self, wanted: Wanted, free: str, text: str, settings: Settings, guarantee: Guarantee) -> None:
        self.settings = settings
        self._free = free
        self._text = text
        parameter = _WORDS[free].format(f"{int(text):,}" if free == "steps" else text)
        self._sentence = f"{parameter}: {wanted.told(guarantee)}."

    def to_dict(self) -> dict[str, object]:
        """Return what the page is told."""
        number = int(self._text) if self._free == "steps" else float(self._text)
        return {
            "parameter": self._free, "value": number, "text": self._text, "met": True, "sentence": self._sentence
        }  # fmt: skip


def solved(settings: Settings, free: str, wanted: Wanted, accounted: Accounted, effort: float) -> Solved:
    """Return the least noise, the most steps or the largest rate that certainly meets a target, in few digits.

    Raises
    ------
    InvalidParameter
        If the settings have no such parameter, or no value of it, or every one, meets the target.
    NotCertified
        If the accounting leaves that open.
    """
    found = _parameter(settings, free, wanted, effort)
    for digits in _DIGITS:
        text = f"{int(found)}" if free == "steps" else outward(found, digits, up=free != "sample_rate")
        tried = _with(settings, free, text)
        guarantee = accounted(tried)
        if wanted.target.met_by(guarantee):
            return Solved(wanted, free, text, tried, guarantee)
        if free == "steps":
            break
    raise NotCertified(f"the {free} that meets the target", 0.0, found, "what was found does not meet it as written")


def _parameter(settings: Settings, free: str, wanted: Wanted, effort: float) -> float:
    """The parameter that just meets the target."""
    if free not in _free(settings):
        raise InvalidParameter("free", free, f"one of {', '.join(_free(settings)) or 'none: nothing is free here'}")
    if isinstance(settings, NoiseSettings):
        kind, count = Gaussian if settings.kind == "gaussian" else Laplace, settings.count
        return _calibrated(lambda amount: kind(amount) ** count, wanted, effort)
    if isinstance(settings, DPSGDSettings):
        found = _of_poisson(settings, free, wanted, effort)
        return found if settings.sampling == "poisson" else _of_batches(settings, free, wanted, effort, found)
    raise InvalidParameter("settings", settings, "settings with sliders")


def _of_poisson(settings: DPSGDSettings, free: str, wanted: Wanted, effort: float) -> float:
    target = wanted.target
    noise, rate, steps = settings.noise_multiplier, settings.rate.value, settings.steps
    if free == "noise_multiplier":
        return noise_for_dpsgd(target, rate, steps, tolerance=_TOLERANCE, effort=effort).parameter
    if free == "steps":
        if not target.ordered:
            advice = "It is not monotone in steps: follow the risk by the noise."
            raise InvalidParameter("target", wanted.name, "another, where steps are free", advice)
        return steps_for_dpsgd(target, noise, rate, tolerance=_TOLERANCE, effort=effort).parameter
    return rate_for_dpsgd(target, noise, steps, tolerance=_TOLERANCE, effort=effort).parameter


def _of_batches(settings: DPSGDSettings, free: str, wanted: Wanted, effort: float, near: float) -> float:
    """The same of random allocation, which is dear to account for: looked for about what Poisson samples would need."""
    batches, epochs = settings.batches, settings.epochs
    if not wanted.target.ordered:
        advice = "It is not monotone, and the search would take minutes: solve for Poisson samples."
        raise InvalidParameter("target", wanted.name, "another, where records are dealt into batches", advice)
    if free == "steps":
        once, about = Gaussian(settings.noise_multiplier).allocated(batches), int(near // batches)
        ends = [(max(about * 3 // 4, 1), about * 4 // 3 + 2), (1, _MOST_EPOCHS)]
        return _between(lambda n: once ** int(n), wanted, effort, ends) * batches
    ends = [(0.8 * near, 1.25 * near), (1e-2 * near, 1e3 * near)]
    return _between(lambda sigma: Gaussian(sigma).allocated(batches) ** epochs, wanted, effort, ends)


def _between(
    make: Callable[[float], Mechanism], wanted: Wanted, effort: float, ends: Sequence[tuple[float, float]]
) -> float:
    """By the first of these brackets whose ends lie on either side of the target."""
    for bracket in ends[:-1]:
        try:
            return _calibrated(make, wanted, effort, bracket)
        except InvalidParameter:  # both ends meet it, or neither
            continue
    return _calibrated(make, wanted, effort, ends[-1])


def _calibrated(
    make: Callable[[float], Mechanism], wanted: Wanted, effort: float, ends: tuple[float, float] | None = None
) -> float:
    found = calibrate(make, wanted.target, ends, tolerance=_TOLERANCE, effort=effort, progress=False)
    return float(found.parameter)


def _free(settings: Settings) -> tuple[str, ...]:
    match settings:
        case NoiseSettings():
            return (settings.name,)
        case DPSGDSettings(sampling="poisson"):
            return "noise_multiplier", "steps", "sample_rate"
        case DPSGDSettings():
            return "noise_multiplier", "steps"
        case _:
            return ()


def _with(settings: Settings, free: str, text: str) -> Settings:
    """The same settings with the parameter as it is written."""
    if isinstance(settings, NoiseSettings):
        return replace(settings, amount=float(text))
    if not isinstance(settings, DPSGDSettings):
        return settings
    if free == "steps":
        return replace(settings, steps=int(text))
    if free == "sample_rate":
        rate = rate_of(float(text))
        return replace(settings, rate=rate, written=rate.value)
    return replace(settings, noise_multiplier=float(text))
