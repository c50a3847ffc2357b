"""What an attacker can do at most, between the questions and the output."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from rich.console import Console
from rich.markup import escape

from neyman import __version__
from neyman import risk as risks
from neyman._errors import InvalidParameter, NotCertified
from neyman.cli.printing.answer import Interval
from neyman.cli.printing.helping.in_options import in_options
from neyman.cli.printing.output import print_table
from neyman.cli.printing.table import bracket_text, table
from neyman.guarantees import Guarantee
from neyman.numerics.exact.decimals import exactly, outward
from neyman.risk import Risk
from neyman.risk.kinds import KINDS

__all__ = ["Asked", "Risks", "show", "to_json"]

SCHEMA = 1  # of the JSON form: raised when a field changes its meaning
_DIGITS = 5  # of a risk that is rounded to its safe side
_Question = Callable[[Guarantee], Risk]


@dataclass(frozen=True, slots=True)
class Asked:
    """Where each risk is asked, and which risks (all of them, if none is named).

    ``present`` are chances that the record is there; 1 less them are the priors of bayes_error and accuracy.
    """

    fpr: tuple[float, ...]
    present: tuple[float, ...]
    baseline: tuple[float, ...]
    records: int
    only: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.only:
            if name not in KINDS:
                raise InvalidParameter("only", name, f"one of {', '.join(KINDS)}")

    @property
    def questions(self) -> Iterator[tuple[str, tuple[tuple[str, float], ...], _Question]]:
        """The name of each risk, the place, and how it is asked of a guarantee."""
        places = {
            "tpr": [(("fpr", a),) for a in self.fpr],
            "advantage": [()],
            "posterior": [(("membership_prior", p), ("fpr", a)) for p, a in product(self.present, self.fpr)],
            **{name: [(("prior", 1.0 - p),) for p in self.present] for name in ("bayes_error", "accuracy")},
            **{name: [(("baseline", b),) for b in self.baseline]
               for name in ("reconstruction", "attribute_inference", "singling_out", "relative_risk")},
        }  # fmt: skip
        for name, several in places.items():
            if self.only and name not in self.only:
                continue
            for place in several:
                yield name, place, self._question(name, place)

    def _question(self, name: str, place: tuple[tuple[str, float], ...]) -> _Question:
        keywords: dict[str, float] = dict(place)
        if name == "singling_out":
            keywords["records"] = self.records
        return lambda guarantee: getattr(risks, name)(guarantee, **keywords)


@dataclass(frozen=True, slots=True)
class Row:
    """One risk: what was asked, its safe side with its sentence, and its bracket; or why there is none."""

    name: str
    place: tuple[tuple[str, float], ...]
    risk: Risk | None
    bracket: Interval | None
    refused: str = ""

    @property
    def title(self) -> str:
        """What is asked, as a table has it."""
        places = ", ".join(f"{name.replace('_', ' ')} {exactly(value)}" for name, value in self.place)
        return self.name.replace("_", " ") + (f" at {places}" if places else "")

    def to_json(self) -> dict[str, object]:
        """Return the JSON form."""
        head: dict[str, object] = {"risk": self.name, "at": dict(self.place)}
        if self.risk is None or self.bracket is None:
            return {**head, "refused": self.refused}
        baseline = float(self.risk.baseline)
        return {**head, **self.bracket.to_json(), "baseline": baseline, "sentence": str(self.risk)}


@dataclass(frozen=True, slots=True)
class Risks:
    """Everything ``neyman risk`` says of one SPEC."""

    spec: str
    guarantee: Guarantee
    rows: tuple[Row, ...]

    @classmethod
    def of(cls, spec: str, guarantee: Guarantee, asked: Asked) -> Risks:
        """Ask; what cannot be certified is kept as the reason, and costs no other."""
        return cls(spec, guarantee, tuple(_row(guarantee, *question) for question in asked.questions))

    @property
    def whole(self) -> bool:
        """Whether every risk has its number."""
        return all(row.risk is not None for row in self.rows)


def _row(guarantee: Guarantee, name: str, place: tuple[tuple[str, float], ...], ask: _Question) -> Row:
    try:
        safe, other = ask(guarantee), ask(guarantee.optimistic)
    except NotCertified as error:
        return Row(name, place, None, None, in_options(str(error)))
    low, high = sorted((float(safe), float(other)))
    return Row(name, place, safe, Interval(low, high))


def to_json(found: list[Risks]) -> dict[str, object]:
    """Return the JSON form."""
    return {
        "schema": SCHEMA,
        "version": __version__,
        "specs": [
            {
                "spec": one.spec,
                "guarantee": repr(one.guarantee),
                "adjacency": one.guarantee.adjacency,
                "risks": [row.to_json() for row in one.rows],
            }
            for one in found
        ],
    }


def show(found: Risks, console: Console) -> None:
    """Print the risks of one SPEC: the numbers, then what each means."""
    console.print(f"[bold]{escape(found.spec)}[/bold]", highlight=False, soft_wrap=True)
    console.print(f"adjacency {found.guarantee.adjacency}, one record\n", highlight=False)
    shown = table("what an attacker can do", "certified bracket", "report", "without the output")
    for row in found.rows:
        if row.risk is None or row.bracket is None:
            shown.add_row(row.title, "not certified", "", "")
            continue
        up = not KINDS[row.name].error
        end = row.bracket.upper if up else row.bracket.lower
        shown.add_row(
            row.title, bracket_text(row.bracket), outward(end, _DIGITS, up=up), _plain(float(row.risk.baseline))
        )
    print_table(console, shown)
    for row in found.rows:
        said = str(row.risk) if row.risk is not None else f"{row.title}: {row.refused}"
        console.print(f"- {escape(said)}", highlight=False, soft_wrap=True)


def _plain(value: float) -> str:
    return exactly(value) if math.isfinite(value) else repr(value)
