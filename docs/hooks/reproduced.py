"""Writes the table of docs/reproduce.md from a run of everything: ``python docs/hooks/reproduced.py`` (half a minute).

A test sets the table beside a run of its own (``tests/papers/test_table.py``), so that it cannot grow stale.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from neyman_papers import reproduce
from neyman_papers.markdown import replaced

_PAGE = Path(__file__).parents[1] / "reproduce.md"


def main() -> None:
    """Run everything, and rewrite the page; a run in which anything failed leaves it as it is."""
    with tempfile.TemporaryDirectory() as scratch:
        summary = reproduce("all", scratch)
    if summary.failures:
        sys.exit(f"{summary}: {_PAGE.name} is left as it is")
    _PAGE.write_text(replaced(_PAGE.read_text(encoding="utf-8"), summary), encoding="utf-8")
    sys.stdout.write(f"{summary}\n")


if __name__ == "__main__":
    main()
