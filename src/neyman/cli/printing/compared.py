"""A comparison as plain numbers, for programs and for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.markup import escape

from neyman import __version__
from neyman.cli.printing.answer import Interval
from neyman.cli.printing.output import print_table
from neyman.cli.printing.table import bracket_text, rounded_up, table
from neyman.comparison import Comparison, Weighted
from neyman.guarantees import Guarantee
from neyman.guarantees.questions.regret import Divergence
from neyman.mechanisms import Mechanism
from neyman.numerics.exact.decimals import exactly
from neyman.numerics.exact.short_exact import in_short
from neyman.quantities import QUANTITIES

__all__ = ["Compared", "show"]

SCHEMA = 1  # of the JSON form: raised when a field changes its meaning


@dataclass(frozen=True, slots=True)
class Compared:
    """Everything ``neyman compare`` says."""

    mechanisms: tuple[Mechanism, Mechanism]
    comparison: Comparison
    errors: tuple[tuple[float, Interval, Interval], ...]
    weighted: tuple[tuple[str, Weighted], ...]

    @classmethod
    def of(
        cls, mechanisms: tuple[Mechanism, Mechanism], comparison: Comparison, priors: list[float],
        beliefs: list[tuple[str, Any]],
    ) -> Compared:  # fmt: skip
        """With both Bayes errors at each prior, and weighed by each law of it."""
        rows = [(p, _error(comparison.a, p), _error(comparison.b, p)) for p in priors]
        weighed = ((name, comparison.weighted(law)) for name, law in beliefs)
        kept = tuple((name, one) for name, one in weighed if isinstance(one, Weighted))  # all that are offered are
        return cls(mechanisms, comparison, tuple(rows), kept)

    @property
    def divergences(self) -> tuple[Interval, Interval]:
        """Certified brackets, both ways."""
        forth, back = self.comparison.bounds
        return _interval(forth), _interval(back)

    def to_json(self) -> dict[str, object]:
        """Return the JSON form; ``schema`` is raised when a field changes its meaning."""
        c = self.comparison
        return {
            "schema": SCHEMA, "version": __version__,
            "a": self.mechanisms[0].to_dict(), "b": self.mechanisms[1].to_dict(), "adjacency": c.a.adjacency,
            "divergence": self.divergences[0].to_json(), "reverse": self.divergences[1].to_json(),
            "order": c.order, "width": c.width, "prior": c.prior, "epsilon": c.epsilon,
            "excess_advantage": c.excess_advantage,
            "unseen": c.unseen,
            "crossings": [{"low": x.low, "high": x.high, "prior": x.prior} for x in c.crossings],
            "bayes_error": [{"prior": p, "a": x.to_json(), "b": y.to_json()} for p, x, y in self.errors],
            "weighted": [
                {"prior": name, **{key: _interval(d).to_json() for key, d in _both(w)}, "preferred": w.preferred}
                for name, w in self.weighted
            ],
            "safer": [{"low": one.low, "high": one.high, "safer": one.safer} for one in c.stretches],
            "sentence": str(c),
        }  # fmt: skip


def _both(weighted: Weighted) -> tuple[tuple[str, Divergence], tuple[str, Divergence]]:
    return ("divergence", weighted.bounds[0]), ("reverse", weighted.bounds[1])


def _interval(found: Divergence) -> Interval:
    return Interval(found.lower, found.upper)


def _error(guarantee: Guarantee, prior: float) -> Interval:
    return Interval(*QUANTITIES["bayes_error"].bracket(guarantee, (prior,)))


def show(answer: Compared, console: Console) -> None:
    """Print ``answer``."""
    c = answer.comparison
    first = f"{c.verdict} {c.attackers}".strip()
    console.print(f"Which is safer: {first}\n", style="bold", highlight=False, soft_wrap=True)
    for name, mechanism in zip("ab", answer.mechanisms, strict=True):
        code = in_short(repr(mechanism), mechanism.dataset_size)
        console.print(f"{name}: [bold]{escape(code)}[/bold]", highlight=False, soft_wrap=True)
    console.print(f"adjacency {c.a.adjacency}, one record\n", highlight=False)
    main = table("what it costs", "certified bracket", "at most")
    for words, interval in zip(("b instead of a", "a instead of b"), answer.divergences, strict=True):
        main.add_row(f"{words}, in Bayes error", bracket_text(interval), rounded_up(interval.upper, 5))
    print_table(console, main)
    errors = table("P(record absent)", "Bayes error of a", "Bayes error of b")
    for prior, x, y in answer.errors:
        errors.add_row(exactly(prior), bracket_text(x), bracket_text(y))
    print_table(console, errors)
    if answer.weighted:
        weighed = table("weighed by", "certified bracket", "at most")
        for name, w in answer.weighted:
            for words, (_, found) in zip(("b instead of a", "a instead of b"), _both(w), strict=True):
                weighed.add_row(f"{name}, {words}", bracket_text(_interval(found)), rounded_up(found.upper, 5))
        print_table(console, weighed)
        for name, w in answer.weighted:
            choice = (
                "neither can be preferred" if w.preferred in ("either", "undecided") else f"{w.preferred} is preferred"
            )
            console.print(f"Weighed by {name}, {choice}.", highlight=False)
    if c.crossings:
        places = ", ".join(f"{x.prior:.5g}" for x in c.crossings)
        console.print(f"The curves cross at prior {places}.", highlight=False, soft_wrap=True)
    console.print(str(c).removeprefix(first).strip(), highlight=False, soft_wrap=True)
