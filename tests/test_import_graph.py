"""Circles of imports: of two files that are one thought, at most. What a first answer imports."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src"
FILES = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in SOURCE.rglob("*.py")
}


def imported(path: Path) -> Iterator[str]:
    """Modules of the package that a file imports anywhere, in functions and for type checkers too."""
    for node in statements(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("neyman"):
            for name in node.names:
                whole = f"{node.module}.{name.name}"
                yield whole if whole in FILES else node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in FILES)


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Those below a node: no expression holds any."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from statements(child)


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


# what other answers alone need: with all of it a first answer takes twice the time
ROOMS = {
    "neyman.engines": {"atoms", "batch", "lattice", "line", "region", "renyi"},
    "neyman.engines.combine": {"beside", "infinite_mass", "listed", "mixture"},
    "neyman.engines.contour": {"bulk_jumps", "exchanged", "hyperbola"},
    "neyman.engines.contour.straight": {"periodic_line", "witness"},
    "neyman.engines.contour.rare": {"profile", "steps"},
    "neyman.engines.counts": {"beside", "levels", "participation"},
    "neyman.engines.closed_form": {"nearly_gaussian", "polygon", "replaced", "straight"},
    "neyman.guarantees": {
        "between",
        "dict_form",
        "envelope",
        "given",
        "groups",
        "implication",
        "loss",
        "opaque",
        "renyi",
    },
    "neyman.guarantees.algebra": {"blocks", "group", "join_meet", "product", "reversal"},
    "neyman.guarantees.questions": {"curve", "mu", "regret", "report"},
    "neyman.losses": {"allocated", "custom"},
    "neyman.losses.gaussian": {"bins", "parts", "paths", "powers"},
    "neyman.losses.discrete": {"bins", "powers", "tail_mu", "theta_transform", "transform"},
    "neyman.losses.laplace": {"bins", "powers", "transform"},
    "neyman.losses.enclosed": {"laws"},
    "neyman.losses.readings": {"bins", "outcomes", "powers"},
    "neyman.mechanisms": {"serialise"},
    "neyman.mechanisms.additive": {"discrete_gaussian", "discrete_laplace", "laplace"},
    "neyman.mechanisms.sampled": {"allocated"},
    "neyman.mechanisms.stated": {"custom", "tabulated"},
    "neyman.profiles": {"certificate", "vertices"},
    "scipy": {"fft", "interpolate", "optimize", "sparse", "spatial", "stats"},
}


def modules_after(questions: str) -> set[str]:
    """What a fresh process has imported when it has asked that of the guarantee ``g`` of a run of DP-SGD."""
    code = f"import sys, neyman as ny; g = ny.account(ny.DPSGD(9.4, 0.32768, 2000)); {questions}; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {*found.stdout.split()}


def test_a_first_answer_imports_no_room_that_it_does_not_ask() -> None:
    found = modules_after("g.epsilon(1e-5)")
    assert {"neyman.engines.contour.straight.line", "neyman.losses.gaussian.transform"} <= found
    assert not {name for name in found if name.startswith("scipy")}  # a third of the time that the first would take
    named = {f"{room}.{name}" for room, names in ROOMS.items() for name in names}
    assert {name for name in named if name.startswith("neyman")} <= {*FILES}
    assert not named & found


def test_first_answers_import_no_solver_of_scipy() -> None:
    """A tenth of a second each, for what most answers have no use for."""
    found = modules_after("g.gdp(), g.advantage, g.roc(0.01), g.beta(0.01), g.optimistic.gdp()")
    assert {"scipy.special", "neyman.guarantees.questions.regret"} <= found
    assert not {f"scipy.{name}" for name in ROOMS["scipy"]} & found


@pytest.mark.parametrize("package", ["neyman", "neyman.guarantees", "neyman.mechanisms"])
def test_a_package_gives_every_name_that_it_lists(package: str) -> None:
    listed = import_module(package)
    assert {*listed.__all__} <= {*dir(listed)}
    for name in listed.__all__:
        assert getattr(listed, name) is not None
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = listed.nothing


@pytest.mark.parametrize("package", ["neyman.guarantees", "neyman.mechanisms"])
def test_no_file_stands_in_the_place_of_a_name(package: str) -> None:
    """As one would that bears the name of what a package imports on first use, once somebody imports the file."""
    files = [name for name in FILES if name.rpartition(".")[0] == package]
    code = (
        f"import importlib, inspect, sys; [importlib.import_module(name) for name in {files}]; "
        f"p = sys.modules[{package!r}]; print(*[name for name in p.__all__ if inspect.ismodule(getattr(p, name))])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len(files) > 5
    assert found.stdout.split() == []
