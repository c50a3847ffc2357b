"""``account(m, proved=True)``: what is handed out was accepted, what was not accepted is refused."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from flint import arb, ctx

import neyman as ny
from neyman.witnesses import guarantee as room
from neyman_check import check
from tests.hunt.truth import laplace_power

MECHANISM = ny.Laplace(1.0) ** 10


@pytest.fixture(scope="module")
def proved():
    return ny.account(MECHANISM, proved=True)


def test_enclosed_and_true(proved):
    for epsilon in (0.0, 2.5, 8.0):
        truth = laplace_power(arb(1), 10, arb(epsilon))
        assert proved.optimistic.delta(epsilon) <= truth
        assert truth <= proved.delta(epsilon)
        assert proved.delta(epsilon) <= proved.computed.delta(epsilon) * (1 + 1e-6)


def test_arrays_and_negative_eps(proved):
    found = proved.delta(np.array([[0.5, -1.0], [2.0, 8.0]]))
    assert found.shape == (2, 2)
    t = math.exp(-1.0)
    assert found[0, 1] == pytest.approx(1 - t + t * proved.delta(1.0), rel=1e-6)
    assert proved.epsilon(found[1, 0]) == pytest.approx(2.0, rel=1e-5)


@pytest.mark.parametrize(
    "ask",
    [
        lambda g: g.beta(0.1), lambda g: g.roc(0.01), lambda g: g.mu(), lambda g: g.mu(1e-3), lambda g: g.advantage,
        lambda g: g.bayes_error(0.3), lambda g: g.fixed_point, lambda g: g.epsilon(1e-5),
        lambda g: g.zcdp(),
    ],
)  # fmt: skip
def test_every_verb(proved, ask):
    ends = sorted([ask(proved), ask(proved.optimistic)])
    assert ends[0] == pytest.approx(ends[1], rel=1e-5)
    known = sorted([ask(proved.computed), ask(proved.computed.optimistic)])
    assert ends[0] <= known[1] * (1 + 1e-9)
    assert known[0] * (1 - 1e-9) <= ends[1]


def test_an_engine_that_errs_is_refused(proved, monkeypatch):
    """Three per cent below the truth: further out than what is tried."""
    whole = type(proved.computed)._delta
    monkeypatch.setattr(type(proved.computed), "_delta", lambda self, e: 0.97 * whole(self, e))
    with pytest.raises(ny.NotCertified, match="opposite is proved"):
        proved.delta(1.0)


def test_only_the_checker_decides(proved, monkeypatch):
    monkeypatch.setattr(
        room, "proved", lambda *a, **_: ({}, [one._replace(verdict="not proved", reason="no") for one in made(*a)])
    )

    def made(mechanism, adjacency, statements, places):
        return check({
            "format": "neyman-proof", "version": 1, "bits": 64, "mechanism": mechanism, "adjacency": adjacency,
            "lines": [], "places": [], "statements": statements,
        })  # fmt: skip

    with pytest.raises(ny.NotCertified, match="not proved: no"):
        proved.delta(1.0)


def test_laws_without_a_lemma():
    g = ny.account(ny.Gaussian(1.0).allocated(7), proved=True)
    with pytest.raises(ny.NotCertified, match="allocation"):
        g.delta(0.0)
    assert "Gaussian" in repr(g)


def test_what_has_no_lemma(proved):
    with pytest.raises(ny.NotCertified, match="Renyi"):
        proved.renyi(2.0)
    with pytest.raises(ny.NotCertified, match="'add'"):
        ny.account(MECHANISM, "add", proved=True).roc(0.1)
    with pytest.raises(ny.InvalidParameter, match="floor"):
        proved.mu(0.7)


def test_infinite_epsilon_says_nothing():
    assert ny.account(ny.ApproximateMechanism(1.0, 1e-3), proved=True).epsilon(1e-5) == math.inf


def test_bits_are_given_back(proved):
    before = ctx.prec
    proved.delta(0.25)
    assert ctx.prec == before


def test_without_flint(monkeypatch):
    monkeypatch.setitem(sys.modules, "neyman.witnesses.guarantee", None)
    with pytest.raises(ny.InvalidParameter, match=r"\[prove\]"):
        ny.account(MECHANISM, proved=True)
