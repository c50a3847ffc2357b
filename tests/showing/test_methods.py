"""What a guarantee offers of the rooms above it, and ``ny.convert``."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import neyman as ny
from neyman._upward import PICTURES, Accountable, Shown
from neyman.cli.main import main

RUN = ny.DPSGD(1.0, 0.01, 1000)
G = ny.account(RUN)


def test_print_is_the_table_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["dpsgd", "--noise-multiplier", "1", "--sample-rate", "0.01", "--steps", "1000"])
    shown = [line.rstrip() for line in capsys.readouterr().out.strip().splitlines()]
    print(G)
    assert [line.rstrip() for line in capsys.readouterr().out.strip().splitlines()] == shown
    assert "\n" not in repr(G)


def test_methods_are_the_functions() -> None:
    assert RUN.account(tolerance=1e-7).tolerance == 1e-7
    assert RUN.account(adjacency="replace").adjacency == "replace"
    assert G.tpr(0.01) == ny.risk.tpr(G, 0.01)
    assert G.posterior(0.5, 0.01) == ny.risk.posterior(G, 0.5, 0.01)
    assert G.report(title="A title").document.title == "A title"
    assert G.summary().headline == G.optimistic.summary().headline


def test_signatures_are_those_of_the_functions() -> None:
    """What a method takes is what the function behind it takes, under the same names, by default the same."""
    for method, function in (
        (Accountable.account, ny.account),
        (Shown.tpr, ny.risk.tpr),
        (Shown.posterior, ny.risk.posterior),
    ):
        own = list(inspect.signature(method).parameters.values())[1:]
        others = list(inspect.signature(function).parameters.values())[1:]
        own, others = ([p for p in some if p.kind is not p.VAR_KEYWORD] for some in (own, others))  # of guessed names
        assert [(p.name, p.kind) for p in own] == [(p.name, p.kind) for p in others]
        assert all(p.default in (q.default, None) for p, q in zip(own, others, strict=True))  # None is answered


@pytest.mark.parametrize("kind", [k for k in PICTURES if k not in ("regret", "roc_tangent")])
def test_pictures_by_name(kind: str) -> None:
    assert ny.GDP(1.0).plot(kind).lines


def test_a_picture_that_is_none() -> None:
    with pytest.raises(ny.InvalidParameter, match="kind must be"):
        G.plot("pie")


@pytest.mark.parametrize(
    ("given", "to", "at", "number"),
    [
        ({"mu": 1.0}, "epsilon", 1e-5, 4.377178),
        ({"mu": 1.0}, "tpr", 0.01, 0.092362),
        ({"rho": 0.5}, "epsilon", 1e-6, 4.886554),
        ({"epsilon": 1.0}, "advantage", None, 0.462117),
        ({"epsilon": 8.0, "delta": 1e-5}, "mu", None, 1.663),
        ({"source": ny.Gaussian(1.0)}, "mu", 1e-10, 1.0),
        ({"source": ny.GDP(1.0)}, "bayes-error", 0.5, 0.308537),
    ],
)
def test_convert(given: dict[str, Any], to: str, at: float | None, number: float) -> None:
    found = ny.convert(**given, to=to, at=at)
    if "rho" in given:
        assert number <= float(found) < 7.0  # zCDP alone says less than the Gaussian behind it
    else:
        assert float(found) == pytest.approx(number, rel=2e-3)
    assert found.rows[0].value.lower <= float(found) <= found.rows[0].value.upper


def test_convert_at_several_places() -> None:
    found = ny.convert(mu=1.0, to="epsilon", at=[1e-5, 1e-6])
    assert found.numbers == pytest.approx(ny.GDP(1.0).epsilon(np.array([1e-5, 1e-6])))
    assert "4.377179" in str(found)
    with pytest.raises(ny.InvalidParameter, match="one place"):
        float(found)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "source must be exactly one of source, epsilon, mu and rho, got None"),
        ({"mu": 1.0, "rho": 1.0}, "got 'mu and rho'"),
        ({"mu": 1.0, "delta": 1e-5}, "delta must be given beside epsilon"),
        ({"source": 3.0}, "source must be a Guarantee or a Mechanism, got 3.0"),
        ({"mu": 1.0, "to": "rhubarb"}, "to must be"),
        ({"mu": 1.0, "to": "advantage", "at": 0.1}, "at must be left out"),
        ({"mu": 1.0, "to": "renyi"}, "at must be given"),
        ({"mu": 1.0, "at": 2.0}, "delta must be"),
    ],
)
def test_convert_refuses(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ny.InvalidParameter, match=message):
        ny.convert(**given)
