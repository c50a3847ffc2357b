"""Random allocation as a mechanism: its algebra, forms, refusals, and epochs of it."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import neyman as ny
from neyman.mechanisms import Allocated
from neyman.mechanisms.serialise import json_schema
from neyman.reports.said.prose import assumptions, summary
from tests.effort import rest_slow


def message(call):
    with pytest.raises(ny.InvalidParameter) as caught:
        call()
    return str(caught.value)


def test_equal_where_the_laws_are():
    m = ny.Gaussian(2.0).allocated(100)
    assert ny.Gaussian(4.0, sensitivity=2.0).allocated(100) == m
    assert ny.Gaussian(4.0).balls_in_bins(100, 4) == m
    assert ny.Gaussian(4.0).balls_in_bins(100, 3) != m
    assert ny.Gaussian(2.0).allocated(1) == ny.Gaussian(2.0)
    assert ny.Gaussian(2.0).balls_in_bins(1, 4) == ny.Gaussian(1.0)
    assert m**2 * m == m**3
    assert hash(m**2 * m) == hash(m**3)


def test_what_is_written_is_read_back():
    for m in (ny.Gaussian(2.0).allocated(100) ** 3, ny.Gaussian(0.3, 0.1).balls_in_bins(7, 5) * ny.DPSGD(1.0, 0.1, 10)):
        assert ny.mechanism_from_dict(json.loads(json.dumps(m.to_dict()))) == m
    assert repr(ny.Gaussian(2.0).balls_in_bins(7, 5)) == "Gaussian(sigma=2.0, sensitivity=1.0).balls_in_bins(7, 5)"
    assert "allocated" in json_schema()["$defs"]


@pytest.mark.parametrize(("steps", "epochs"), [(0, 1), (10**10, 1), (2.5, 1), (True, 1), (5, 0), (5, 10**10)])
def test_bad_numbers_are_refused(steps, epochs):
    with pytest.raises(ny.InvalidParameter):
        ny.Gaussian(1.0).balls_in_bins(steps, epochs)


def test_nan_is_refused():
    with pytest.raises(ny.InvalidParameter):
        Allocated(float("nan"), 1.0, 5, 1)


def test_exchanged_records_and_samples_are_refused_with_the_reason():
    m = ny.Gaussian(1.0).allocated(10)
    assert "No proof is known" in message(lambda: ny.account(m, adjacency="replace"))
    assert "not sampled besides" in message(lambda: m.poisson(0.5))


def test_what_people_ask():
    g = ny.account(ny.Gaussian(1.0).allocated(100))
    assert g.epsilon(1e-5) == pytest.approx(0.6209397, abs=5e-8)
    assert g.optimistic.epsilon(1e-5) == pytest.approx(g.epsilon(1e-5), rel=1e-9)
    assert g.mu() == pytest.approx(g.optimistic.mu(), rel=1e-6)
    assert g.epsilon(1e-5) < ny.account(ny.DPSGD(1.0, 0.01, 100)).epsilon(1e-5)  # what Poisson samples cost


# what PLD_accounting brackets epsilon(1e-5) by, and what is known of it (shared/design/mechanisms.md)
BRACKETS = {(1.0, 100): (0.5999, 0.6307), (0.8, 1000): (0.2746, 0.2881), (2.0, 100): (0.1676, 0.1760)}


@pytest.mark.parametrize(("run", "bracket"), BRACKETS.items(), ids=str)
def test_inside_what_a_lattice_knows(run, bracket):
    g = ny.account(ny.Gaussian(run[0]).allocated(run[1]))
    assert bracket[0] < g.optimistic.epsilon(1e-5) <= g.epsilon(1e-5) < bracket[1]


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "batches", "epsilon"), [(1.0, 10, 0.5), (0.6, 10, 1.5), (2.0, 4, 0.3)])
def test_ten_million_draws(sigma, batches, epsilon):
    """delta as a mean of (1 - e^{eps - L})_+, with the record ("remove") and without ("add"): four of its errors."""
    rng = np.random.default_rng(20261124)
    found = {"remove": [], "add": []}
    for _ in range(20):
        for way, kept in found.items():
            x = rng.standard_normal((500_000, batches))
            if way == "remove":
                x[:, 0] += 1.0 / sigma
            loss = np.log(np.mean(np.exp(x / sigma - 0.5 / sigma**2), axis=1)) * (1.0 if way == "remove" else -1.0)
            kept.append(np.maximum(-np.expm1(epsilon - loss), 0.0))
    for way, kept in found.items():
        draws = np.concatenate(kept)
        error = 4.0 * float(draws.std()) / math.sqrt(len(draws))
        g = ny.account(ny.Gaussian(sigma).allocated(batches), adjacency=way)
        assert float(draws.mean()) - error <= g.delta(epsilon)
        assert g.optimistic.delta(epsilon) <= float(draws.mean()) + error
        assert 0.0 < error < 0.1 * g.delta(epsilon)


def test_epochs_that_are_dealt_anew():
    """shared/reference/random_allocation_epochs.json."""
    g = ny.account(ny.Gaussian(1.0).allocated(100) ** 2, adjacency="remove")
    truth = 9.986775789077650645859e-4
    assert g.optimistic.delta(0.44091796875) <= truth <= g.delta(0.44091796875)
    assert g.delta(0.44091796875) == pytest.approx(truth, rel=1e-6)


def test_a_rounded_noise_is_enclosed():
    """sigma / sensitivity = 1/3 of 1: no float."""
    g = ny.account(ny.Gaussian(1.0, 0.3).allocated(20), adjacency="remove")
    assert g.optimistic.delta(0.1) <= g.delta(0.1)
    near = [ny.account(ny.Gaussian(s).allocated(20), adjacency="remove") for s in (3.34, 3.33)]
    assert near[0].delta(0.1) < g.optimistic.delta(0.1) < g.delta(0.1) < near[1].optimistic.delta(0.1)


def test_what_is_compared_is_the_mechanism():
    found = ny.compare(ny.account(ny.Gaussian(1.0).allocated(100)), ny.account(ny.DPSGD(1.0, 0.01, 100)))
    assert found.note == ""  # nothing is said of promises


def test_renyi_divergences_enclose():
    """Of "add", whose orders rest on the profile; the log is nearly normal."""
    g = ny.account(ny.Gaussian(20.0).allocated(100), adjacency="add")
    assert g.optimistic.renyi(2.0) <= 1.0 / (20.0**2 * 100) * 1.001
    assert g.renyi(2.0) >= 1.0 / (20.0**2 * 100) * 0.999
    assert g.optimistic.renyi(2.0) <= g.renyi(2.0) <= 1.1 * g.optimistic.renyi(2.0)


def test_reports_say_what_was_run():
    m = ny.Gaussian(1.0).allocated(100) ** 3
    (words,) = summary(m, "person")
    assert "one of 100 batches" in words.sentence
    assert any("dealt" in line for line in assumptions(m, "person"))


def test_the_certificate_names_the_line_and_its_errors():
    for sigma, t, kind, term in (
        (1.0, 100, "hyperbola", "quadrature"),
        (5.0, 1000, "straight line", "aliasing"),
        (0.4, 10, "hyperbola", "quadrature"),
    ):
        found = ny.account(ny.Gaussian(sigma).allocated(t)).certificate(0.02)
        for name, one in found.directions.items():
            assert one.supply in ((kind, "to the left of 0") if name == "remove" else (kind,))
            assert one.nodes > 20
            assert set(one.terms) == {*([term] if one.supply == kind else []), "truncation", "rounding"}
            assert one.width <= sum(one.terms.values()) <= 1.01 * one.width + 1e-300


def test_the_certificate_names_integrals_and_lines_for_the_sum_less_its_mean():
    found = ny.account(ny.Gaussian(1.0).allocated(2)).certificate(0.02)
    assert {one.supply for one in found.directions.values()} == {"integral"}
    found = ny.account(ny.Gaussian(50.0).allocated(9)).certificate(0.002)
    for one in found.directions.values():
        assert one.supply == "straight line"
        assert one.nodes > 10
        assert set(one.terms) == {"aliasing", "truncation", "rounding"}
        assert one.width <= sum(one.terms.values()) <= 1.01 * one.width


@pytest.mark.parametrize(
    "run", rest_slow([(73.2, 2), (100.0, 2), (1e5, 7), (0.126, 2), (0.15, 3)], 0, 2, 3, whole=True)
)
def test_little_information_and_hardly_any_noise_are_known(run):
    g = ny.account(ny.Gaussian(run[0]).allocated(run[1]))
    for delta in (1e-5, 1e-8):
        if delta < 0.1 * g.advantage:
            assert g.epsilon(delta) == pytest.approx(g.optimistic.epsilon(delta), rel=1e-6)
    if run != (0.15, 3):  # where pairs of floats take seconds
        assert g.mu() == pytest.approx(g.optimistic.mu(), rel=1e-6)
    if run[0] > 1.0:
        assert 1.0 - g.auc == pytest.approx(1.0 - g.optimistic.auc, rel=1e-6)
