"""Where does this lie? What others published, on the scale of the number that a report claims.

The landmarks are constants, each with its source; none is in the data of a report, so that reports of any age are
read alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from neyman.numerics.exact.decimals import exactly
from neyman.reports.said.claims import Claim
from neyman.reports.said.document import Document

__all__ = ["LANDMARKS", "Landmark", "Placed", "Scale", "scale_of"]

_FLOOR = 1e-10  # at which every mu below is known
_DELTA = 1e-5  # and every epsilon
_SAME = {"add_or_remove", "replace"}
_CENSUS = "U.S. Census Bureau, DAS 2020"
_GOMEZ = "Gomez et al., Gaussian DP for reporting, Section 5"
_HAFNER = "Hafner (2025), Empirically evaluating privacy in machine learning III, on Dong, Roth and Su (2022)"


@dataclass(frozen=True, slots=True)
class Landmark:
    """A published guarantee, or what somebody said of a mu.

    Attributes
    ----------
    letter, name : str
        How it stands on the scale and in the list below it.
    mu : str
        As it is printed, at error rates of 1e-10 and above; never below the truth.
    epsilon : str
        At delta = 1e-5, likewise; empty where none was published or computed.
    unit : str
        Whom one record stands for; empty for an opinion, which is of any.
    neighbours : set of str
        The adjacencies of which those numbers are true.
    source : str
        Where it is written.
    """

    letter: str
    name: str
    mu: str
    epsilon: str
    unit: str
    neighbours: frozenset[str]
    source: str


LANDMARKS = (
    Landmark("A", "called “reasonable privacy” (Hafner, 2025)", "0.5", "", "", frozenset(), _HAFNER),
    Landmark(
        "B", "image classifier on CIFAR-10 (De et al., 2022)", "1.57", "7.425", "image",
        frozenset({"add_or_remove"}), f"{_GOMEZ}, after De et al. (2022); epsilon: computed here from that run",
    ),
    Landmark(
        "C", "US Census 2020, redistricting data of 2021", "2.262", "11.641", "person", frozenset(_SAME),
        f"{_CENSUS} Redistricting Production Code, commit 289ee46; mu and epsilon: computed here from its allocation",
    ),
    Landmark(
        "D", "US Census 2020, demography as proposed in 2022", "2.702", "14.577", "person", frozenset(_SAME),
        f"{_GOMEZ}, after Su et al. (2024); epsilon: computed here from its allocation ({_CENSUS} DHC Production Code)",
    ),
    Landmark(
        "E", "US Census 2020, demography of 2023", "3.151", "17.769", "person", frozenset(_SAME),
        f"{_CENSUS} DHC Production Code, commit 38ea5f2; mu and epsilon: computed here from its allocation",
    ),
    Landmark("F", "said to give “virtually no privacy” (Hafner, 2025)", "6", "", "", frozenset(), _HAFNER),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Placed:
    """A landmark on a scale: its number, how far to the right it lies (in percent), and what keeps it from being
    compared with the report as it stands; empty if nothing does.
    """

    landmark: Landmark
    text: str
    at: float
    apart: str

    @property
    def told(self) -> str:
        """All of it in a line."""
        aside = f" (not comparable as it stands: {self.apart})" if self.apart else ""
        return f"{self.text}: {self.landmark.name}{aside}. {self.landmark.source}."

    @property
    def opinion(self) -> bool:
        """Whether it is what somebody said, and no mechanism."""
        return not self.landmark.unit


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of page one. ``ticks`` are numbers and their places in percent, ``claim`` is what is placed, ``at``."""

    symbol: str
    what: str
    claim: Claim
    at: float
    ticks: tuple[tuple[str, float], ...]
    placed: tuple[Placed, ...]
    notes: tuple[str, ...]

    @property
    def anchor(self) -> str:
        """How the words at the report's own place are set, so that none is cut off."""
        return "start" if self.at < _EDGE else "end" if self.at > 100.0 - _EDGE else "middle"

    @property
    def lines(self) -> tuple[str, ...]:
        """The scale as a list, from the most private down, this report among what others published."""
        here = (self.claim.value, f"this report: {self.symbol} at most {self.claim.text}")
        others = ((float(one.text), one.told) for one in self.placed)
        return tuple(line.translate(_IN_LETTERS) for _, line in sorted((here, *others)))

    @property
    def words(self) -> str:
        """What is to be known of that list: where nothing is hollow that could be seen."""
        return " ".join(note for note in self.notes if not note.startswith("Hollow")).translate(_IN_LETTERS)

    @property
    def told(self) -> str:
        """The picture in a sentence, for who does not see it."""
        return f"This report: {self.symbol} at most {self.claim.text}. " + "; ".join(
            f"{one.landmark.letter}: {one.text}, {one.landmark.name}" for one in self.placed
        )


_IN_LETTERS = str.maketrans({"μ": "mu", "ε": "epsilon", "δ": "delta", "“": '"', "”": '"'})
_EDGE = 16.0  # percent: half of what the words about the report take on a narrow screen


def scale_of(document: Document) -> Scale | None:
    """Return the landmarks around the report's mu, or, where no finite one holds, around its epsilon at delta = 1e-5.

    None where it claims neither: no landmark is then of the same kind.
    """
    mu = document.of("mu")[0]
    if not mu.says_nothing:
        return _scale(document, mu, ("μ", "mu, at error rates of 1e-10 and above"), (0.1, 10.0), _of_mu(document))
    name = f"epsilon@{_DELTA!r}"
    if name not in document or document[name].says_nothing:
        return None
    notes = ("No finite μ holds of this report, so that it is placed by ε at δ = 1e-05.",)
    return _scale(document, document[name], ("ε", "epsilon at delta = 1e-05"), (0.1, 100.0), notes)


def _scale(
    document: Document, claim: Claim, words: tuple[str, str], ends: tuple[float, float], notes: tuple[str, ...]
) -> Scale:
    symbol, what = words
    numbers = ((one, one.mu if symbol == "μ" else one.epsilon) for one in LANDMARKS)
    placed = tuple(
        Placed(one, text, _at(float(text), ends), _apart(document, one)) for one, text in numbers if text
    )  # fmt: skip
    decades = range(round(math.log10(ends[0])), round(math.log10(ends[1])) + 1)
    steps = (float(f"{first}e{decade}") for decade in decades for first in (1, 2, 5))
    ticks = tuple((f"{step:g}", _at(step, ends)) for step in steps if step <= ends[1])
    told = (*notes, *_beyond(claim, ends), *_hollow(document, placed))
    return Scale(symbol, what, claim, _at(claim.value, ends), ticks, placed, told)


def _at(value: float, ends: tuple[float, float]) -> float:
    """How far to the right, in percent; what lies beyond an end stands there. Logarithmic, to a tenth of a percent."""
    low, high = ends
    inside = min(max(value, low), high)
    return round(100.0 * math.log(inside / low) / math.log(high / low), 1)


def _apart(document: Document, landmark: Landmark) -> str:
    if not landmark.unit:
        return "an opinion about mu, of no mechanism"
    reasons = (
        landmark.unit != document.unit.casefold() and f"one {landmark.unit}, not one {_short(document.unit)}",
        document.adjacency not in landmark.neighbours and "other neighbouring data",
    )
    return "; ".join(reason for reason in reasons if reason)


def _of_mu(document: Document) -> tuple[str, ...]:
    """What to know of the place of a mu: where it is not what the report recommends, or at another floor."""
    notes: list[str] = []
    if document.floor > _FLOOR:
        notes.append(
            f"The μ of this report is down to error rates of {exactly(document.floor)} only; at those of the "
            "landmarks, 1e-10, its own may be larger."
        )
    if not document.verdict.mu_suffices:
        notes.append("By its μ this report looks less private than it is: see its regret.")
    return tuple(notes)


def _beyond(claim: Claim, ends: tuple[float, float]) -> Iterator[str]:
    if not ends[0] <= claim.value <= ends[1]:
        yield f"This report lies beyond the {'left' if claim.value < ends[0] else 'right'} end."


def _hollow(document: Document, placed: tuple[Placed, ...]) -> Iterator[str]:
    """Which of them say nothing about this report, and why."""
    apart = [one for one in placed if one.apart and not one.opinion]
    if apart:
        letters = ", ".join(one.landmark.letter for one in apart)
        whom = f"one {_short(document.unit)} and the neighbouring data of this report"
        yield f"Hollow ({letters}): not comparable as they stand, for they are not about {whom}."
    yield "The smaller, the more private; what is small enough, no landmark says."


def _short(text: str) -> str:
    """What a user typed, where there is room for little."""
    return text if len(text) <= _ROOM else f"{text[: _ROOM - 1].rstrip()}…"


_ROOM = 24  # characters
