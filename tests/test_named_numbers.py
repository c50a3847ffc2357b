"""Numbers look alike whether truth rests on them or they only steer: each has a name, which says so.

Small whole numbers and their dyadic fractions belong to formulas; of all others only a few may stand in a function.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "neyman"
PLAIN = {0.0, 0.125, 0.25, 0.5, 0.75, 1.0, 1.125, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, math.inf}

# coefficients of formulas, and what steers the grids of contours, above all; fewer is better
MOST = 46


def bare(path: Path) -> Iterator[str]:
    """Where a float that is none of the plain ones stands in a function: the line, the value, what is written there."""
    lines = path.read_text().splitlines()
    seen = set[tuple[int, int]]()  # of functions in functions
    for function in ast.walk(ast.parse("\n".join(lines))):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if not (isinstance(node, ast.Constant) and isinstance(node.value, float)) or node.value in PLAIN:
                continue
            if (node.lineno, node.col_offset) not in seen:
                seen.add((node.lineno, node.col_offset))
                yield f"{node.lineno}: {node.value}: {lines[node.lineno - 1].strip()}"


def test_numbers_of_engines_and_losses_have_names() -> None:
    paths = [path for room in ("engines", "losses") for path in sorted((ROOT / room).rglob("*.py"))]
    found = [f"{path.relative_to(ROOT).as_posix()}:{one}" for path in paths for one in bare(path)]
    assert len(found) <= MOST, "\n".join([f"{len(found)} numbers without a name:", *found])


def test_a_number_without_a_name_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "room.py"
    path.write_text("_ROOM = 1e-9\n\n\ndef room(x: float) -> float:\n    return x * (1.0 + _ROOM) + 16.0 * x\n")
    assert list(bare(path)) == []
    path.write_text("def room(x: float) -> float:\n    return x * (1.0 + 1e-9) + 16.0 * x\n")
    assert list(bare(path)) == ["2: 1e-09: return x * (1.0 + 1e-9) + 16.0 * x"]
