"""Writes the table of the documentation's explorer: ``python docs/hooks/explored.py`` (some minutes).

A test computes some of its stops anew (``tests/explorer/test_site.py``), and all of them where long tests are run, so
that it cannot grow stale.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from neyman.explorer.tables.stops import SITE
from neyman.explorer.tables.table import table_of

TABLE = Path(__file__).parents[1] / "explorer-table.json"


def written(table: dict[str, object]) -> str:
    """Return the table as JSON, a line for each list of numbers."""
    return json.dumps(table, separators=(",", ":")).replace('],"', '],\n"').replace("],[", "],\n[") + "\n"


def page() -> str:
    """Return the explorer around that table, as one file of HTML."""
    from neyman.explorer.exploring import USUAL_START, file_of

    return file_of(json.loads(TABLE.read_text(encoding="utf-8")), USUAL_START)


def main() -> None:
    """Compute every stop, and write them."""
    TABLE.write_text(written(table_of(SITE, os.cpu_count() or 1, progress=True)), encoding="utf-8")
    sys.stdout.write(f"{len(SITE)} settings\n")


if __name__ == "__main__":
    main()
