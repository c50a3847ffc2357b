"""Numbers look alike whether truth rests on them or they only steer: each has a name, which says so.

Small whole numbers and their dyadic fractions belong to formulas; of all others only a few may stand in a function.
Where a number is named, at the top of a file, it is told what it is.
"""

from __future__ import annotations

import ast
import io
import math
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "neyman"
ORDERS = ("# fmt:", "# noqa", "# type:", "# pragma")  # comments that tell a tool something, and nobody else
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


def untold(path: Path) -> Iterator[str]:
    """Where a file names a number and has no comment beside it or on the line above, and no words below it."""
    text = path.read_text()
    lines, body = text.splitlines(), ast.parse(text).body
    for place, line in enumerate(body):
        if not (isinstance(line, ast.Assign | ast.AnnAssign) and line.value is not None):
            continue
        names = line.targets if isinstance(line, ast.Assign) else [line.target]
        kinds = {type(one.value) for one in ast.walk(line.value) if isinstance(one, ast.Constant)}
        if str in kinds or not kinds & {int, float} or not all(map(_constant, names)):
            continue
        below = body[place + 1] if place + 1 < len(body) else None
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
            continue
        above, end = line.lineno - 1, line.end_lineno or line.lineno
        before = body[place - 1].end_lineno or 0 if place else 0
        alone = above > before and lines[above - 1].startswith("#") and not lines[above - 1].startswith(ORDERS)
        if not alone and not _comments(lines[above:end]):
            yield f"{line.lineno}: {lines[line.lineno - 1]}"


def _comments(lines: list[str]) -> bool:
    """Whether anything is said beside a statement, to whoever reads it."""
    found = tokenize.generate_tokens(io.StringIO("\n".join(lines)).readline)
    return any(one.type == tokenize.COMMENT and not one.string.startswith(ORDERS) for one in found)


def _constant(target: ast.expr) -> bool:
    return all(one.id.isupper() for one in ast.walk(target) if isinstance(one, ast.Name))


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


def test_numbers_that_have_names_are_told_of() -> None:
    paths = sorted(ROOT.rglob("*.py"))
    found = [f"{path.relative_to(ROOT).as_posix()}:{one}" for path in paths for one in untold(path)]
    assert not found, "\n".join([f"{len(found)} numbers without a comment:", *found])


@pytest.mark.parametrize("line", ["_ROOM = 1e-9", "_A, _B = 2, -3", "WIDE: float = 0.5 * ROOM", "_AT = (\n    1.0,\n)"])
def test_a_number_without_a_comment_is_seen(tmp_path: Path, line: str) -> None:
    path = tmp_path / "room.py"
    for bare_of_words in (line, f"{line}  # fmt: skip", f"x = 1  # of another\n{line}", f'x = "#"\n{line}'):
        path.write_text(f"{bare_of_words}\n")
        assert len(list(untold(path))) == 1
    for told in (f"{line}  # relative", f"# relative\n{line}", f'{line}\n"""Relative."""'):
        path.write_text(f"{told}\n")
        assert list(untold(path)) == []


def test_what_is_no_number_needs_no_comment(tmp_path: Path) -> None:
    path = tmp_path / "room.py"
    path.write_text('NAME = "of 12"\nname = 3\n_NAMES = {"one": 1}\n_SURE = True\n')
    assert list(untold(path)) == []
