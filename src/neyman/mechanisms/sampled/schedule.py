"""How long DP-SGD runs, and on how much of the data: a sample rate and steps, or batches, records and epochs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from neyman._errors import InvalidParameter
from neyman._validate import MAX_COUNT, count, whole
from neyman.mechanisms.sampled.training import Rate, batch_rate, epoch_steps, rate_of

__all__ = ["RATE_WORDS", "SCHEDULE_WORDS", "STEPS_WORDS", "Schedule", "Spelling"]

RATE_WORDS = ("sample_rate", "batch_size", "dataset_size")
STEPS_WORDS = ("steps", "epochs")
SCHEDULE_WORDS = (*RATE_WORDS, *STEPS_WORDS)


@dataclass(frozen=True, slots=True)
class Spelling:
    """How whoever is answered spells the words, and the line that would work."""

    rate: str
    steps: str
    line: Callable[[Mapping[str, object]], str]


def in_python(call: str) -> Spelling:
    """As the keyword arguments of ``call``."""

    def line(told: Mapping[str, object]) -> str:
        from neyman._guesses import line as typed  # read where something went wrong

        return typed(call, told)

    return Spelling("sample_rate, or batch_size and dataset_size", "steps or epochs", line)


@dataclass(frozen=True, slots=True)
class Schedule:
    """What was said of a schedule, in any of its words; each number is worked out, or refused, when it is asked for.

    Exactly one way is taken: ``sample_rate``, or ``batch_size`` and ``dataset_size``; ``steps``, or ``epochs``. The
    ``dataset_size`` beside a ``sample_rate`` decides no number: it is remembered.

    Parameters
    ----------
    words : mapping
        From any of ``SCHEDULE_WORDS`` to what was given, None for nothing.
    spelling : Spelling
        How they are spelt where it was said.
    beside : mapping
        What else was said, for the line that would work.

    Examples
    --------
    >>> said = Schedule({"epochs": 10, "batch_size": 512, "dataset_size": 60_000}, in_python("ny.DPSGD"), {})
    >>> said.rate.value, said.steps, said.dataset_size
    (0.008533333333333334, 1172, 60000)
    """

    words: Mapping[str, object]
    spelling: Spelling
    beside: Mapping[str, object]

    @classmethod
    def of(cls, call: str, beside: Mapping[str, object], /, **words: object) -> Schedule:
        """That of the keyword arguments of a function."""
        return cls(words, in_python(call), beside)

    def _given(self, words: tuple[str, ...]) -> list[str]:
        return [word for word in words if self.words.get(word) is not None]

    def _refused(self, name: str, allowed: str, advice: str = "") -> InvalidParameter:
        value = self.words.get(name)
        told = {**self.beside, **{word: self.words[word] for word in self._given(SCHEDULE_WORDS)}}
        return InvalidParameter(name, value, allowed, f"{advice} Write: {self.spelling.line(told)}".lstrip())

    @property
    def says_rate(self) -> bool:
        """Whether anything was said of the rate; records alone are no word about it."""
        return bool(self._given(("sample_rate", "batch_size")))

    @property
    def says_steps(self) -> bool:
        """Whether anything was said of the steps."""
        return bool(self._given(STEPS_WORDS))

    @property
    def rate(self) -> Rate:
        """The sample rate: as a float64 that is not below it, and exactly.

        Raises
        ------
        InvalidParameter
            If it was not said in exactly one way, or lies outside its domain.
        """
        allowed = f"given in exactly one way: {self.spelling.rate}"
        given = self._given(RATE_WORDS)
        if given in (["sample_rate"], ["sample_rate", "dataset_size"]):
            return rate_of(self.words["sample_rate"])
        if given == ["batch_size", "dataset_size"]:
            return batch_rate(self.words["batch_size"], self.words["dataset_size"])
        if "sample_rate" in given:
            raise self._refused("sample_rate", allowed, "A batch size says it once more.")
        missing = {"batch_size": "The dataset size is missing.", "dataset_size": "The batch size is missing."}
        raise self._refused("sample_rate", allowed, missing[given[0]] if given else "")

    @property
    def steps(self) -> int:
        """The number of steps; epochs are rounded up to whole steps, from the exact fractions.

        Raises
        ------
        InvalidParameter
            If it was not said in exactly one way, or lies outside its domain.
        """
        given = self._given(STEPS_WORDS)
        if len(given) != 1:
            raise self._refused("steps", f"given in exactly one way: {self.spelling.steps}")
        if given == ["steps"]:
            return count("steps", self.words["steps"])
        if not self.says_rate:
            advice = "How many steps an epoch has, the rate decides."
            raise self._refused("epochs", f"given beside a rate: {self.spelling.rate}", advice)
        return epoch_steps(self.words["epochs"], self.rate.exact)

    @property
    def dataset_size(self) -> int | None:
        """How many records there are, where that was said."""
        size = self.words.get("dataset_size")
        return None if size is None else whole("dataset_size", size, 1, MAX_COUNT)
