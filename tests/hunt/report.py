"""What a hunt came to: a table by family."""

from __future__ import annotations

from collections import Counter

from tests.hunt.run import Outcome

__all__ = ["KINDS", "Report"]

KINDS = ("false", "refused", "slow", "hung", "warned", "crashed", "memory", "oracle")


class Report:
    """Outcomes, counted as they come."""

    def __init__(self) -> None:
        self.settings: Counter[str] = Counter()
        self.points: Counter[str] = Counter()
        self.open: Counter[str] = Counter()
        self.seconds: Counter[str] = Counter()
        self.events: Counter[tuple[str, str]] = Counter()
        self.widths: dict[str, list[float]] = {}

    def add(self, outcome: Outcome) -> None:
        """Count one setting."""
        family = outcome.family
        self.settings[family] += 1
        self.points[family] += outcome.points
        self.open[family] += outcome.open
        self.seconds[family] += outcome.seconds
        self.widths.setdefault(family, []).extend(outcome.widths)
        for event in outcome.events:
            self.events[family, event.kind] += 1

    def count(self, kind: str) -> int:
        """Events of a kind over all families."""
        return sum(n for (_, k), n in self.events.items() if k == kind)

    def __str__(self) -> str:
        head = f"{'family':18}{'settings':>9}{'points':>8}" + "".join(f"{kind:>9}" for kind in KINDS)
        rows = [head + f"{'no truth':>10}{'vague':>7}{'truth':>9}{'CPU s':>8}"]
        rows += [self._row(family, [family]) for family in self.settings]
        rows.append(self._row("all", list(self.settings)))
        rows.append(
            "no truth: the oracles took too long; vague: truths wider than 10 %; truth: their median relative width"
        )
        return "\n".join(rows)

    def _row(self, name: str, families: list[str]) -> str:
        def total(counts: Counter[str]) -> float:
            return sum(counts[f] for f in families)

        widths = sorted(w for f in families for w in self.widths[f])
        vague = sum(w > 0.1 for w in widths) / len(widths) if widths else 0.0
        events = "".join(f"{sum(self.events[f, kind] for f in families):9}" for kind in KINDS)
        middle = f"{widths[len(widths) // 2]:.0e}" if widths else ""
        return (f"{name:18}{total(self.settings):9}{total(self.points):8}{events}{total(self.open):10}"
                f"{vague:7.0%}{middle:>9}{total(self.seconds):8.0f}")  # fmt: skip
