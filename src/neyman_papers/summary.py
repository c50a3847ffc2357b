"""What came of it: how many published numbers are reproduced, differ or are left open, and what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from neyman import __version__
from neyman_papers.paper import Paper
from neyman_papers.published import Undetermined
from neyman_papers.tasks import Done
from neyman_papers.verdict import Ours, Verdict, judge

__all__ = ["Count", "PaperResult", "Summary", "collected"]

SCHEMA = 1  # of the JSON form: raised when a field changes its meaning


@dataclass(frozen=True, slots=True)
class Count:
    """Published numbers by outcome; ``failed`` are those that could not be computed."""

    published: int
    reproduced: int
    differs: int
    undetermined: int
    failed: int

    @classmethod
    def of(cls, verdicts: Iterable[Verdict], failed: int = 0) -> Count:
        """Count them."""
        by = Counter(verdict.outcome for verdict in verdicts)
        parts = (by["reproduced"], by["differs"], by["undetermined"])
        return cls(sum(parts) + failed, *parts, failed)

    def __add__(self, other: Count) -> Count:
        return Count(
            self.published + other.published,
            self.reproduced + other.reproduced,
            self.differs + other.differs,
            self.undetermined + other.undetermined,
            self.failed + other.failed,
        )

    def __str__(self) -> str:
        said = (
            f"{self.published} published numbers and statements: {self.reproduced} reproduced, {self.differs} differ, "
            f"{self.undetermined} not determined by the text"
        )
        return f"{said}, {self.failed} failed" if self.failed else said

    def to_json(self) -> dict[str, int]:
        """Return the JSON form."""
        return {"published": self.published, "reproduced": self.reproduced, "differs": self.differs,
                "undetermined": self.undetermined, "failed": self.failed}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PaperResult:
    """One paper: its verdicts in the order of the paper, and every piece of work by its kind and key."""

    paper: Paper
    verdicts: tuple[Verdict, ...]
    done: dict[tuple[str, str], Done]
    count: Count

    @property
    def failures(self) -> tuple[Done, ...]:
        """The pieces that failed."""
        return tuple(piece for piece in self.done.values() if piece.failure is not None)


@dataclass(frozen=True, slots=True)
class Summary:
    """What ``reproduce`` returns: results by paper, where they are, and what they took; ``str()`` is the sentence."""

    directory: Path
    results: tuple[PaperResult, ...]
    cpu_seconds: float
    wall_seconds: float

    @property
    def count(self) -> Count:
        """Over all papers."""
        return sum((result.count for result in self.results), Count(0, 0, 0, 0, 0))

    @property
    def failures(self) -> tuple[Done, ...]:
        """Every piece that failed."""
        return tuple(piece for result in self.results for piece in result.failures)

    def __str__(self) -> str:
        failed = f" {len(self.failures)} pieces of work failed." if self.failures else ""
        return f"{self.count}.{failed}"

    def to_json(self) -> dict[str, object]:
        """Return the JSON form; ``schema`` is raised when a field changes its meaning."""
        return {
            "schema": SCHEMA,
            "version": __version__,
            "directory": str(self.directory),
            "cpu_seconds": round(self.cpu_seconds, 1),
            "wall_seconds": round(self.wall_seconds, 1),
            "count": self.count.to_json(),
            "papers": [_paper_json(result) for result in self.results],
        }


def collected(paper: Paper, pieces: Iterable[Done]) -> PaperResult:
    """Bring the pieces of one paper together, and judge every published number."""
    done = {(piece.task.kind, piece.task.key): piece for piece in pieces if piece.task.paper == paper.key}
    ours: dict[str, Ours] = {}
    for piece in done.values():
        ours.update(piece.numbers)
    verdicts: list[Verdict] = []
    failed = 0
    for published in paper.published:
        found = ours.get(published.key)
        if found is None and not isinstance(published.rule, Undetermined):
            failed += 1
        else:
            verdicts.append(judge(published, found))
    return PaperResult(paper, tuple(verdicts), done, Count.of(verdicts, failed))


def _paper_json(result: PaperResult) -> dict[str, object]:
    failures = [
        {"kind": piece.task.kind, "key": piece.task.key, "message": piece.failure.message}
        for piece in result.failures
        if piece.failure is not None
    ]
    return {
        "paper": result.paper.key,
        "title": result.paper.title,
        "count": result.count.to_json(),
        "numbers": [verdict.to_json() for verdict in result.verdicts],
        "figures": [drawing.key for drawing in result.paper.drawings],
        "tables": [table.key for table in result.paper.tables],
        "failures": failures,
    }
