"""Circles of imports: of two files that are one thought, at most. What a first answer imports."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
FILES = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in SOURCE.rglob("*.py")
}


def imported(path: Path) -> Iterator[str]:
    """Modules of the package that a file imports anywhere, in functions and for type checkers too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("neyman"):
            for name in node.names:
                whole = f"{node.module}.{name.name}"
                yield whole if whole in FILES else node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in FILES)


def test_no_circle_is_of_more_than_two_files() -> None:
    graph = {name: {other for other in imported(path) if other != name} for name, path in FILES.items()}
    graph["neyman._upward"] = set()  # it names the rooms above for type checkers alone, and opens them when asked
    knots = {frozenset((name, other)) for name, others in graph.items() for other in others if name in graph[other]}
    assert {len(knot & other) for knot in knots for other in knots if knot != other} <= {0}
    # a knot of two counts as one
    whole = {name: "+".join(sorted(next((knot for knot in knots if name in knot), {name}))) for name in graph}
    tied: dict[str, set[str]] = {}
    for name, others in graph.items():
        tied.setdefault(whole[name], set()).update(whole[other] for other in others if whole[other] != whole[name])
    try:
        order = list(TopologicalSorter(tied).static_order())
    except CycleError as found:
        raise AssertionError(" -> ".join(one for pair in list(pairwise(found.args[1]))[:1] for one in pair)) from found
    assert len(order) == len(tied)


def test_a_first_answer_imports_no_solver_of_scipy() -> None:
    """A tenth of a second each, for what most answers have no use for."""
    code = (
        "import sys, neyman as ny; g = ny.account(ny.DPSGD(9.4, 0.32768, 2000)); g.gdp(); g.epsilon(1e-5); "
        "print(*sorted({'.'.join(m.split('.')[:2]) for m in sys.modules if m.startswith('scipy.')}))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "scipy.special" in found
    assert not {"scipy.optimize", "scipy.interpolate", "scipy.spatial", "scipy.sparse", "scipy.stats"} & {*found}
