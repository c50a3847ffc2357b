"""Paths, forks and lines behind a veil on cells (Lemma C4): deltas by other means lie within, and less would not do."""

from __future__ import annotations

from functools import cache

import mpmath as mp
import pytest
from flint import acb, arb, arb_poly, ctx
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.witnesses.plans import fork as forks
from neyman.witnesses.plans.veil import veil
from neyman.witnesses.steps.kinds import step_of
from neyman_check import NotProved, check
from neyman_check.curves import sums
from neyman_check.curves.cell import left_over
from neyman_check.curves.made import cell_of, work_of
from neyman_check.curves.sums import _at_most, _series, of_fork, of_path, of_veil
from neyman_check.deltas.fork import Fork
from neyman_check.deltas.path import Bound, Path
from neyman_check.deltas.veil import Veil
from neyman_check.form import plan_of
from neyman_check.mechanism import laws_of
from neyman_check.work import Work
from tests.check.making import lattices, path_proof
from tests.check.test_cells import within
from tests.check.twofold import laplace_steps, twofold
from tests.effort import crossed, examples, rest_slow

PLACES = [arb(k) / 16 for k in range(-16, 17)]


@pytest.fixture(autouse=True)
def bits():
    with ctx.workprec(128):
        yield


@cache
def a_path():
    data = path_proof()
    plan = plan_of(data["lines"][data["places"][0]["line"]], 0)
    return Path(laws_of(data["mechanism"], "remove"), plan, Work(128))


@cache
def a_fork(mechanism, remove, epsilon):
    laws = laws_of(mechanism.to_dict(), "remove")
    return Fork(laws, plan_of(forks.fork([step_of(one) for one in laws], remove, epsilon, 0.5, 30.0), 0), Work(128))


def test_a_path_on_a_cell():
    one = of_path(a_path(), arb("0.875"), arb("0.0625"), 30)
    for y in PLACES[::8]:
        assert within(one, y, arb(twofold(0.5, 0.01, float(one.centre + y * one.radius))))
    assert one.off < one.coefficients[0] * arb("1e-7")


@pytest.mark.parametrize("radius", [1e-6, 0.01, 0.3])
def test_a_path_on_any_cell(radius):
    """Wider ones are told worse, and not wrong."""
    known = a_path()
    one = of_path(known, arb("0.9"), arb(radius), 24)
    for y in PLACES:
        x = y * one.radius
        ball = known.delta(one.centre + x)
        value = arb_poly(list(one.coefficients))(y) * (-one.tilt * x).exp() + one.constant
        off = one.off * (-one.tilt * x).exp()
        assert value - off <= ball.upper
        assert ball.lower <= value + off


@crossed(
    ("remove", [True, False]),
    (("d", "q", "times", "epsilon"), rest_slow([(1.0, 0.125, 2, 0.125), (2.0, 0.5, 3, 0.75)], 0)),
)
def test_a_fork_on_a_cell(remove, d, q, times, epsilon):
    mechanism = ny.Laplace(1.0 / d).poisson(q) ** times
    if not remove:
        epsilon *= 0.5
    known = a_fork(mechanism, remove, epsilon)
    one = of_fork(known, arb(epsilon), arb(2) ** -10, 24)
    for y in PLACES[::8]:
        with mp.workdps(30):
            truth = mp.nstr(laplace_steps(d, q, times, remove, float(one.centre + y * one.radius)), 25)
        assert within(one, y, arb(truth))
    assert one.off < one.coefficients[0] * arb("1e-6")


@pytest.mark.parametrize("thin", [1e-3, 0.05, 0.2])
def test_a_veil_on_a_cell(thin):
    known = a_veil(thin)
    one = of_veil(known, arb("1.5"), arb("0.5"), 24)
    for y in PLACES[::4]:
        assert within(one, y, lattices(((4.0, 8), (3.3, 8)), float(one.centre + y * one.radius)))
    assert one.off < one.coefficients[0] * arb(20 * thin**2 + 1e-3)


def a_veil(thin):
    laws = laws_of((ny.DiscreteGaussian(4.0) ** 8 * ny.DiscreteGaussian(3.3) ** 8).to_dict(), "add_or_remove")
    return Veil(laws, plan_of(veil([step_of(one) for one in laws], True, 1.5, 1.5, 30.0, thin=thin), 0), Work(128))


def test_a_thick_veil_costs(monkeypatch):
    """Were the thin one's line taken for delta, it would be told too large."""
    known = a_veil(0.2)
    truth = lattices(((4.0, 8), (3.3, 8)), 1.5)
    assert within(of_veil(known, arb("1.5"), arb("0.5"), 24), arb(0), truth)
    monkeypatch.setattr(Veil, "room", arb(0))
    assert not within(of_veil(known, arb("1.5"), arb("0.5"), 24), arb(0), truth)


@given(st.complex_numbers(max_magnitude=3.0), st.floats(0.0, 6.3), st.integers(2, 12))
@examples(60, 3000)
def test_what_few_terms_leave(rate, angle, number):
    """On the whole cell, wherever it is looked at."""
    turn, value = acb(0, angle), acb(0.75, -0.5)
    found, off = _series([(acb(rate), turn, value)], arb(1), number)
    for y in PLACES[::4]:
        truth = value * (turn + acb(rate) * y).exp()
        near = sum((a * y**j for j, a in enumerate(found)), acb(0))
        assert (abs(truth - near) - off).lower() <= 1e-30


def test_what_few_terms_leave_is_hardly_less():
    found, off = _series([(acb("0.05"), acb(0), acb(1))], arb(1), 4)
    apart = abs(acb("0.05").exp() - sum(found, acb(0)))
    assert off * arb("0.9") < apart
    assert apart <= off
    assert _series([(acb(0, 100), acb(0), acb(1))], arb(1), 4)[1] == 1  # as a whole


@pytest.mark.parametrize("rate", [0.25, 2.0, 7.0])
def test_an_error_is_most_at_one_end(rate):
    bound, tilt = Bound(arb(3), arb(rate)), arb(2)
    most = _at_most(bound, tilt, arb(1), arb("0.5"))
    ends = [bound.at(1 + x) * (tilt * x).exp() for x in (-arb("0.5"), arb("0.5"))]
    assert all(one.lower() <= most for one in ends)
    assert any(most * arb("0.999") < one for one in ends) or rate == 2.0


def test_errors_of_a_path_count(monkeypatch):
    """Of few nodes a rule errs: with nothing for that a cell would be wrong."""
    data = path_proof()
    line = data["lines"][data["places"][0]["line"]]
    line["path"]["counts"] = [max(n // 5, 1) for n in line["path"]["counts"]]
    known = Path(laws_of(data["mechanism"], "remove"), plan_of(line, 0), Work(128))
    truth = arb(twofold(0.5, 0.01, 0.875))
    one = of_path(known, arb("0.875"), arb("0.01"), 24)
    assert within(one, arb(0), truth)
    monkeypatch.setattr(sums, "_at_most", lambda *_: arb(0))
    assert not within(of_path(known, arb("0.875"), arb("0.01"), 24), arb(0), truth)


def test_cells_of_all_kinds_are_counted():
    fork = a_fork(ny.Laplace(1.0).poisson(0.125) ** 2, True, 0.125)  # that of a test above
    for made in (a_path(), fork, a_veil(0.05)):
        assert work_of(made, 24) > 10_000
        assert cell_of(made, arb("0.1"), arb("0.001"), 5).remove


def test_a_path_that_bends_left_proves_nothing_false():
    """Its cell lies at the tilt with which it begins: left of the poles Lemma C2 would leave less than nothing."""
    mechanism = ny.Gaussian(1.0) * ny.RandomizedResponse(0.5)
    path = {"points": [[0.5, 0.0], [-0.5, 3.0], [-0.5, 12.0]], "counts": [60, 60], "ellipses": [1.15, 1.3]}
    line = {"direction": "remove", "steps": [None, None], "path": path}
    places = [{"direction": way, "epsilon": e, "line": None} for e in (0.0, 10.0) for way in ("remove", "add")]
    answers = check({
        "format": "neyman-proof", "version": 1, "bits": 128, "mechanism": mechanism.to_dict(),
        "adjacency": "add_or_remove", "lines": [line], "places": places,
        "cells": [{"direction": "remove", "line": 0, "epsilon": 5.0, "radius": 5.0, "terms": n} for n in (5, 24)],
        "statements": [
            {"id": "shortfall", "quantity": "shortfall", "given": {"mu": 0.5, "floor": 0.01}, "at_most": 1e-6},
            {"id": "mu", "quantity": "mu", "given": {"floor": 0.01}, "at_most": 0.5},
            {"id": "mu, at least", "quantity": "mu", "given": {"floor": 0.01, "at": 0.2}, "at_least": 1.0},
        ],
    })  # fmt: skip
    verdicts = {one.id: one.verdict for one in answers}
    assert "proved" not in (verdicts["shortfall"], verdicts["mu"])
    assert verdicts["mu, at least"] != "refuted"
    data = laws_of(mechanism.to_dict(), "add_or_remove")
    assert of_path(Path(data, plan_of(line, 0), Work(128)), arb(5), arb(5), 5).tilt == arb("0.5")


@pytest.mark.parametrize("tilt", ["0", "-0.5", "-1.5"])
def test_no_remainder_left_of_the_poles(tilt):
    with pytest.raises(NotProved, match="tilt"):
        left_over(arb(1), arb(1), arb("0.5"), arb(tilt), 5)
