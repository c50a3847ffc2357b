"""Settings: what was run, as the page's controls say it, and the mechanism that it is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from neyman._errors import InvalidParameter
from neyman.explorer.asking.plainly import count_of, fields_of, number_of, word_of, written_number
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.mechanisms import DPSGD, Gaussian, Laplace, Mechanism, RandomizedResponse
from neyman.mechanisms.sampled.training import Rate, rate_of
from neyman.understanding.promise import promise_of

__all__ = ["KINDS", "SAMPLINGS", "DPSGDSettings", "NoiseSettings", "ResponseSettings", "Settings", "settings_of"]

SAMPLINGS = ("poisson", "allocation")
_DEVIATION = 1e4  # of the loss, about: engines would take minutes to say that all is lost
_LARGEST, _NO_NOISE = 600.0, 1e-3  # exponent; noise below which it is larger
KINDS = ("dpsgd", "gaussian", "laplace", "randomized_response", "given")


class Settings(ABC):
    """What was run. Two that are equal are the same question."""

    @abstractmethod
    def mechanism(self) -> Mechanism:
        """Return what it is."""

    def accounted(self, effort: float) -> tuple[Mechanism, PessimisticGuarantee]:
        """Return it with its guarantee, of which no number may take more than so many nominal seconds."""
        made = self.mechanism()
        return made, promise_of(made, effort=effort)

    @abstractmethod
    def to_dict(self) -> dict[str, object]:
        """Return the settings as the page has them, normalised."""

    @property
    @abstractmethod
    def code(self) -> str:
        """The mechanism in Python."""

    @property
    @abstractmethod
    def command(self) -> str:
        """What stands behind ``neyman`` on a command line."""

    @property
    def note(self) -> str:
        """What was made of the numbers that were given; empty if nothing."""
        return ""


@dataclass(frozen=True, slots=True)
class DPSGDSettings(Settings):
    """DP-SGD: Poisson samples, or records dealt anew into batches in every epoch.

    ``written`` is the rate as it was given, a text where that is a quotient or in percent.
    """

    noise_multiplier: float
    rate: Rate
    steps: int
    sampling: str
    written: float | str

    @property
    def batches(self) -> int:
        """How many batches an epoch has: 1/rate, rounded down, since fewer batches tell more of each record."""
        return math.floor(1 / self.rate.exact)

    @property
    def epochs(self) -> int:
        """How many whole epochs the steps take."""
        return -(-self.steps // self.batches)

    def accounted(self, effort: float) -> tuple[Mechanism, PessimisticGuarantee]:
        """Return it with its guarantee; what hides nothing of anybody is not worth the time.

        Raises
        ------
        InvalidParameter
            If the loss deviates by more than ten thousand.
        """
        exponent = min(self.noise_multiplier**-2.0, _LARGEST) if self.noise_multiplier > _NO_NOISE else _LARGEST
        spread = math.sqrt(self.steps * math.log1p(self.rate.value**2 * math.expm1(exponent)))
        if self.rate.value < 1.0 and not spread <= _DEVIATION:
            advice = "Such a run hides nothing: take more noise, a lower rate or fewer steps."
            raise InvalidParameter("noise_multiplier", self.noise_multiplier, "large enough to hide something", advice)
        return super(DPSGDSettings, self).accounted(effort)

    def mechanism(self) -> Mechanism:
        """Return ``Gaussian.poisson ** steps``, or ``Gaussian.allocated ** epochs``."""
        if self.sampling == "poisson":
            return DPSGD(self.noise_multiplier, self.rate.value, self.steps)
        return Gaussian(self.noise_multiplier).allocated(self.batches) ** self.epochs

    def to_dict(self) -> dict[str, object]:
        """Return the settings; of random allocation with the steps of whole epochs."""
        return {
            "kind": "dpsgd", "noise_multiplier": self.noise_multiplier, "sample_rate": self.written,
            "steps": self.steps if self.sampling == "poisson" else self.epochs * self.batches,
            "sampling": self.sampling,
        }  # fmt: skip

    @property
    def code(self) -> str:
        """``ny.DPSGD(...)``, or what deals the records."""
        noise = repr(self.noise_multiplier)
        if self.sampling == "poisson":
            return f"ny.DPSGD(noise_multiplier={noise}, sample_rate={self.rate.value!r}, steps={self.steps})"
        return f"ny.Gaussian({noise}).allocated({self.batches}) ** {self.epochs}"

    @property
    def command(self) -> str:
        """``dpsgd ...``; random allocation is handed over in JSON."""
        if self.sampling == "poisson":
            numbers = f"--noise-multiplier {self.noise_multiplier!r} --sample-rate {self.rate.value!r}"
            return f"dpsgd {numbers} --steps {self.steps}"
        return "account -"

    @property
    def note(self) -> str:
        """How the epochs were counted."""
        if self.sampling == "poisson":
            return ""
        whole = self.epochs * self.batches
        more = f"; {self.steps:,} steps are rounded up to {whole:,}" if whole != self.steps else ""
        epochs = "1 epoch" if self.epochs == 1 else f"{self.epochs:,} epochs"
        return f"Each record is in one of {self.batches:,} batches of every epoch, {epochs}{more}."


@dataclass(frozen=True, slots=True)
class NoiseSettings(Settings):
    """Gaussian or Laplace noise on all the data, ``count`` times; ``amount`` is over the sensitivity."""

    kind: str
    amount: float
    count: int
    _names: ClassVar[Mapping[str, str]] = {"gaussian": "noise_multiplier", "laplace": "scale"}

    @property
    def name(self) -> str:
        """What the amount is called."""
        return self._names[self.kind]

    def mechanism(self) -> Mechanism:
        """Return the noise, repeated."""
        try:
            once = Gaussian(self.amount) if self.kind == "gaussian" else Laplace(self.amount)
        except InvalidParameter as error:
            raise InvalidParameter(self.name, error.value, error.allowed, error.advice) from None
        return once**self.count

    def to_dict(self) -> dict[str, object]:
        """Return the settings."""
        return {"kind": self.kind, self.name: self.amount, "count": self.count}

    @property
    def code(self) -> str:
        """``ny.Gaussian(...)`` or ``ny.Laplace(...)``."""
        once = f"ny.{self.kind.capitalize()}({self.amount!r})"
        return once if self.count == 1 else f"{once} ** {self.count}"

    @property
    def command(self) -> str:
        """A short form."""
        times = "" if self.count == 1 else f"*{self.count}"
        return f"account '{self.kind}:{self.amount!r}{times}'"


@dataclass(frozen=True, slots=True)
class ResponseSettings(Settings):
    """Randomised response to a question of ``k`` answers, ``count`` times."""

    epsilon: float
    k: int
    count: int

    def mechanism(self) -> Mechanism:
        """Return it, repeated."""
        return RandomizedResponse(self.epsilon, self.k) ** self.count

    def to_dict(self) -> dict[str, object]:
        """Return the settings."""
        return {"kind": "randomized_response", "epsilon": self.epsilon, "k": self.k, "count": self.count}

    @property
    def code(self) -> str:
        """``ny.RandomizedResponse(...)``."""
        once = f"ny.RandomizedResponse({self.epsilon!r}, k={self.k})"
        return once if self.count == 1 else f"{once} ** {self.count}"

    @property
    def command(self) -> str:
        """A short form."""
        times = "" if self.count == 1 else f"*{self.count}"
        return f"account 'randomized_response:{self.epsilon!r},{self.k}{times}'"


def settings_of(name: str, value: object, given: Mapping[str, Settings]) -> Settings:
    """Return the settings that a JSON object says; ``given`` are those that were handed over at the start.

    Raises
    ------
    InvalidParameter
        If it says none, or a number lies outside its domain.

    Examples
    --------
    >>> settings_of("settings", {"kind": "laplace", "scale": "2"}, {}).code
    'ny.Laplace(2.0)'
    """
    kind = value.get("kind") if isinstance(value, dict) else None
    if isinstance(value, dict) and kind is None:
        raise InvalidParameter("kind", None, f"one of {', '.join(KINDS)}")
    if not isinstance(value, dict):
        raise InvalidParameter(name, value, "an object, such as the settings of an answer")
    read = {"dpsgd": _dpsgd, "gaussian": _noise, "laplace": _noise, "randomized_response": _response}
    own = word_of("kind", kind, KINDS)
    return _given(value, given) if own == "given" else read[own](value)


def _dpsgd(told: object) -> Settings:
    found = fields_of("settings", told, ("kind", "noise_multiplier", "sample_rate", "steps"), ("sampling",))
    sampling = word_of("sampling", found.get("sampling", "poisson"), SAMPLINGS)
    noise = number_of("noise_multiplier", found["noise_multiplier"], "a finite number > 0", "down")
    raw = found["sample_rate"]
    exact = written_number("sample_rate", raw, "a number in [0, 1]")
    rate = rate_of(float(exact) if isinstance(exact, int) else exact)
    written = raw.strip() if isinstance(raw, str) and isinstance(exact, Fraction) else rate.value
    steps = count_of("steps", found["steps"])
    made = DPSGDSettings(noise, rate, steps, sampling, written)
    if sampling == "allocation" and not rate.exact > 0:
        raise InvalidParameter("sample_rate", raw, "> 0 where records are dealt into batches")
    made.mechanism()  # which refuses what lies outside its domain
    return made


def _noise(told: object) -> Settings:
    kind = str(fields_of("settings", told, ("kind",), ("noise_multiplier", "scale", "count"))["kind"])
    name = "noise_multiplier" if kind == "gaussian" else "scale"
    found = fields_of("settings", told, ("kind", name), ("count",))
    amount = number_of(name, found[name], "a finite number > 0", "down")
    made = NoiseSettings(kind, amount, count_of("count", found.get("count", 1)))
    made.mechanism()
    return made


def _response(told: object) -> Settings:
    found = fields_of("settings", told, ("kind", "epsilon"), ("k", "count"))
    epsilon = number_of("epsilon", found["epsilon"], "a finite number > 0", "up")
    k, count = count_of("k", found.get("k", 2), 2, 10**9), count_of("count", found.get("count", 1))
    made = ResponseSettings(epsilon, k, count)
    made.mechanism()
    return made


def _given(told: object, given: Mapping[str, Settings]) -> Settings:
    found = fields_of("settings", told, ("kind", "name"))
    if not given:
        raise InvalidParameter("kind", "given", "one of dpsgd, gaussian, laplace", "Nothing was handed over.")
    return given[word_of("name", found["name"], tuple(given))]
