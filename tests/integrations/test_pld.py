"""A privacy loss distribution of dp_accounting becomes the guarantee it states: on its own grid, nothing repaired."""

import math
import sys
from functools import cache

import numpy as np
import pytest
from dp_accounting.pld import common, pld_pmf
from dp_accounting.pld import privacy_loss_distribution as pld

import neyman as ny
from tests.effort import rest_slow

METHOD = "privacy loss distribution, as sound as its source"
EPS = np.array([0.0, 1e-3, 0.1, 0.37, 1.0, 2.2, 5.0, 9.99, 40.0])
P = {i: math.log(x) for i, x in enumerate((0.5, 0.3, 0.2))}
Q = {i: math.log(x) for i, x in enumerate((0.25, 0.25, 0.4, 0.1))}


def grid(loss_probs, infinite=0.0, spacing=1.0, **rest):
    return pld.PrivacyLossDistribution.create_from_rounded_probability(loss_probs, infinite, spacing, **rest)


def message(value):
    with pytest.raises(ny.InvalidParameter) as caught:
        ny.from_pld(value)
    return str(caught.value)


DISTRIBUTIONS = {
    "Laplace": lambda: pld.from_laplace_mechanism(1.0),
    "Gaussian": lambda: pld.from_gaussian_mechanism(1.0),
    "Gaussian, buckets": lambda: pld.from_gaussian_mechanism(1.0, use_connect_dots=False),
    "sampled Gaussian": lambda: pld.from_gaussian_mechanism(1.0, sampling_prob=0.2),
    "discrete Laplace": lambda: pld.from_discrete_laplace_mechanism(0.7, sensitivity=2),
    "discrete Gaussian": lambda: pld.from_discrete_gaussian_mechanism(1.5),
    "randomised response": lambda: pld.from_randomized_response(0.4, 5),
    "(epsilon, delta)": lambda: pld.from_privacy_parameters(common.DifferentialPrivacyParameters(1.0, 1e-3)),
    "three of them": lambda: pld.from_privacy_parameters(common.DifferentialPrivacyParameters(1.0, 1e-3)).self_compose(
        3
    ),
    "two laws": lambda: pld.from_two_probability_mass_functions(P, Q, symmetric=False),
    "two laws, composed": lambda: pld.from_two_probability_mass_functions(P, Q, symmetric=False).self_compose(4),
    "a mix": lambda: pld.from_laplace_mechanism(2.0).compose(pld.from_gaussian_mechanism(3.0, sampling_prob=0.5)),
    "sampled, composed": lambda: pld.from_gaussian_mechanism(
        1.0, sampling_prob=0.01, value_discretization_interval=1e-3
    ).self_compose(1000),
}


FINE = ("sampled Gaussian", "Gaussian")  # whose grids are long


@cache
def made(name):
    return DISTRIBUTIONS[name]()


@pytest.mark.parametrize("name", rest_slow(DISTRIBUTIONS, *(name for name in DISTRIBUTIONS if name not in FINE)))
def test_the_grid_is_kept(name):
    source = made(name)
    g = ny.from_pld(source)
    theirs = np.array([source.get_delta_for_epsilon(e) for e in EPS])
    np.testing.assert_allclose(g.delta(EPS), theirs, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(g.optimistic.delta(EPS), theirs, rtol=0.0, atol=1e-12)
    assert np.all(g.optimistic.delta(EPS) <= g.delta(EPS))
    assert (g.method, g.adjacency) == (METHOD, "add_or_remove")
    assert METHOD in repr(g)


@pytest.mark.parametrize("name", rest_slow(DISTRIBUTIONS, "discrete Laplace", "two laws", "a mix"))
def test_every_view_of_it(name):
    source = made(name)
    g = ny.from_pld(source)
    for delta in (0.3, 1e-2, 1e-6):
        theirs = source.get_epsilon_for_delta(delta)
        assert g.epsilon(delta) == pytest.approx(theirs, abs=1e-6)
        assert g.optimistic.epsilon(delta) <= g.epsilon(delta)
    assert g.tail_mu == math.inf
    report = g.gdp(1e-4)
    assert report.mu == g.mu(1e-4) >= g.optimistic.mu(1e-4) > 0.0
    alpha = np.array([1e-3, 0.01, 0.1, 0.5])
    beta = g.beta(alpha)
    assert np.all(beta <= g.optimistic.beta(alpha))
    assert np.all((beta >= 0.0) & (beta <= 1.0 - alpha))
    for a, b in zip(alpha, beta, strict=True):  # the best of the tangents that the peer states
        e = np.linspace(0.0, 20.0, 101)
        tangents = 1.0 - np.array([source.get_delta_for_epsilon(x) for x in e]) - np.exp(e) * a
        assert b >= np.max(tangents) - 1e-6
    points = g.curve(7)
    assert np.all(points.beta <= g.optimistic.beta(points.alpha))


def test_infinite_mass_is_revealed():
    m = pld.from_privacy_parameters(common.DifferentialPrivacyParameters(1.0, 1e-3))
    g = ny.from_pld(m.self_compose(3))
    assert g.delta(100.0) == pytest.approx(-math.expm1(3.0 * math.log1p(-1e-3)), rel=1e-12)
    assert math.isinf(g.epsilon(1e-3))
    assert math.isfinite(g.epsilon(4e-3))
    assert math.isinf(g.mu(1e-4))
    same = ny.account(ny.ApproximateMechanism(1.0, 1e-3) ** 3)
    np.testing.assert_allclose(g.delta(EPS), same.delta(EPS), atol=1e-11)
    assert "No finite mu is promised: with a chance above 1e-10 (the floor)" in str(g.gdp())


def test_both_directions_count():
    both = pld.from_two_probability_mass_functions(P, Q, symmetric=False)
    table = ny.Tabulated((0.5, 0.3, 0.2, 0.0), (0.25, 0.25, 0.4, 0.1))
    g, exact = ny.from_pld(both), ny.account(table)
    assert np.all(exact.optimistic.delta(EPS) <= g.delta(EPS) + 1e-15)  # its rounding is pessimistic
    np.testing.assert_allclose(g.delta(EPS), exact.delta(EPS), atol=2e-4)
    assert g.delta(5.0) == pytest.approx(0.1, rel=1e-12)  # only "add" reveals


def test_pessimistic_distributions_lie_above_the_truth():
    for source, m in (
        (pld.from_laplace_mechanism(1.0).self_compose(10), ny.Laplace(1.0) ** 10),
        (pld.from_gaussian_mechanism(2.0, sampling_prob=0.1).self_compose(50), ny.DPSGD(2.0, 0.1, 50)),
    ):
        g, exact = ny.from_pld(source), ny.account(m)
        e = EPS[:6]
        assert np.all(g.delta(e) >= exact.optimistic.delta(e) - 1e-12)
        np.testing.assert_allclose(g.delta(e), exact.delta(e), rtol=5e-3, atol=1e-9)
        assert exact.optimistic.mu(1e-6) - 1e-9 <= g.mu(1e-6) <= exact.mu(1e-6) + 2e-3


def test_lost_mass_is_revealed():
    """A list that sums to 0.995 has lost 0.005, nobody knows where to."""
    lost = {-1: 0.495, 1: 0.5}
    g = ny.from_pld(grid(lost))
    assert g.delta(0.0) == pytest.approx(0.5 * -math.expm1(-1.0) + 0.005, rel=1e-12)
    assert g.delta(3.0) == pytest.approx(0.005, rel=1e-12)
    assert math.isinf(g.epsilon(0.001))
    assert grid(lost).get_delta_for_epsilon(3.0) == 0.0


def test_a_tail_that_was_cut_off_is_revealed():
    whole = pld.from_gaussian_mechanism(1.0, value_discretization_interval=1e-3)._pmf_remove.to_dense_pmf()
    last = int(3.0 / 1e-3) - whole._lower_loss
    cut = pld.PrivacyLossDistribution(
        pld_pmf.DensePLDPmf(1e-3, whole._lower_loss, whole._probs[:last], whole._infinity_mass, True)
    )
    tail = float(whole._probs[last:].sum())
    assert 0.004 < tail < 0.01
    assert cut.get_delta_for_epsilon(4.0) < 1e-12
    g, exact = ny.from_pld(cut), ny.account(ny.Gaussian(1.0))
    assert g.delta(4.0) == pytest.approx(tail, rel=1e-7)
    assert np.all(g.delta(EPS) >= exact.optimistic.delta(EPS))


@pytest.mark.slow
def test_round_off_at_very_negative_losses_is_harmless():
    """The ADD law of the peer sums to more than 1 after many steps: no part of delta at eps >= 0, and none of mu."""
    one = pld.from_gaussian_mechanism(0.6, sampling_prob=1e-3, value_discretization_interval=1e-4)
    source = one.self_compose(100_000)
    dense = source._pmf_add.to_dense_pmf()
    assert dense._probs.sum() + dense._infinity_mass > 1.001
    g, exact = ny.from_pld(source), ny.account(ny.DPSGD(0.6, 1e-3, 100_000))
    for floor in (1e-3, 1e-6):
        assert exact.optimistic.mu(floor) <= g.mu(floor) <= exact.mu(floor) * 1.01
    for delta in (1e-3, 1e-6):
        assert exact.optimistic.epsilon(delta) <= g.epsilon(delta) <= exact.epsilon(delta) + 1e-3
    assert np.all(g.beta([1e-4, 1e-2]) <= exact.optimistic.beta([1e-4, 1e-2]))
    rough = grid({-50: 0.408, -1: 0.3, 1: 0.3})  # the same, writ large
    plain = grid({-50: 0.4, -1: 0.3, 1: 0.3})
    assert np.array_equal(ny.from_pld(rough).delta(EPS), ny.from_pld(plain).delta(EPS))


SPACING = "must be of a spacing > 0 and an infinite mass in [0, 1], got"
TOO_MUCH = "must be at most 1 in total at losses above 0, got"
ASTRAY = "must be of a total mass within 0.01 of 1, got"
NEGATIVE = "must be without negative probabilities, got"
HALVES = {-1: 0.5, 1: 0.5}
REFUSED = [
    (grid({1: 1.1}), f"_remove {TOO_MUCH} 1.1."),
    (grid({1: 0.5, 2: 0.25}, 0.5), f"_remove {TOO_MUCH} 1.25."),
    (grid({-1: 0.5, 1: math.inf}), f"_remove {TOO_MUCH} inf."),
    (grid({-1: 0.5, 1: math.nan}), f"_remove {NEGATIVE} nan."),
    (grid({-1: math.nan, 1: 0.5}), f"_remove {NEGATIVE} nan."),
    (grid({-1: 1.125, 1: -0.125}), f"_remove {NEGATIVE} -0.125."),
    (grid({-1: -0.125, 1: 0.5}), f"_remove {NEGATIVE} -0.125."),
    (grid({-1: 0.4, 1: 0.5}), f"_remove {ASTRAY} 0.9."),
    (grid({-1: 0.625, 1: 0.5}), f"_remove {ASTRAY} 1.125."),
    (grid({-50: 0.9, -1: 0.5, 1: 0.5}), f"_remove {ASTRAY} 1.9."),
    (grid(HALVES, 1.25), f"_remove {SPACING} (1.0, 1.25)."),
    (grid(HALVES, -0.25), f"_remove {SPACING} (1.0, -0.25)."),
    (grid(HALVES, math.nan), f"_remove {SPACING} (1.0, nan)."),
    (grid(HALVES, 0.0, -1.0), f"_remove {SPACING} (-1.0, 0.0)."),
    (grid(HALVES, 0.0, 0.0), f"_remove {SPACING} (0.0, 0.0)."),
    (grid(HALVES, 0.0, math.inf), f"_remove {SPACING} (inf, 0.0)."),
    (
        grid(HALVES, symmetric=False, rounded_probability_mass_function_add={1: 1.5}, infinity_mass_add=0.0),
        f"_add {TOO_MUCH} 1.5.",
    ),
]


@pytest.mark.parametrize(("source", "said"), REFUSED, ids=lambda v: v if isinstance(v, str) else "")
def test_what_no_distribution_can_hold_is_refused(source, said):
    assert message(source) == f"pld._pmf{said}"


@pytest.mark.parametrize("times", [1, 3])
def test_an_optimistic_estimate_is_refused(times):
    """It says of itself that its deltas are too small: 0.0823 at epsilon 1 where the truth is 0.1269."""
    coarse = {"pessimistic_estimate": False, "value_discretization_interval": 1.0, "use_connect_dots": False}
    source = pld.from_gaussian_mechanism(1.0, **coarse).self_compose(times)
    exact = ny.account(ny.Gaussian(1.0) ** times)
    assert source.get_delta_for_epsilon(1.0) < 0.9 * exact.optimistic.delta(1.0)
    assert message(source) == (
        "pld._pmf_remove must be a pessimistic estimate, got 'an optimistic estimate'. Make it with "
        "pessimistic_estimate=True: an optimistic one promises less loss than there is."
    )


@pytest.mark.parametrize("value", [None, 1.0, "pld", {1: 1.0}, pld.PrivacyLossDistribution], ids=str)
def test_other_things_are_refused(value):
    assert message(value) == f"pld must be a dp_accounting PrivacyLossDistribution, got {value!r}."


def test_one_direction_alone_is_refused():
    pmf = pld.from_laplace_mechanism(1.0)._pmf_remove
    shown = repr(pmf) if len(repr(pmf)) <= 80 else repr(pmf)[:77] + "..."
    assert message(pmf) == f"pld must be a dp_accounting PrivacyLossDistribution, got {shown}."


def test_round_off_is_not_refused():
    """FFT leaves -1e-17 here and 1 + 1e-12 there."""
    g = ny.from_pld(grid({-1: 0.5 + 1e-12, 0: -1e-17, 1: 0.5}))
    assert g.delta(0.0) == pytest.approx(0.5 * -math.expm1(-1.0), rel=1e-12)
    assert ny.from_pld(grid({1: 1.0 + 1e-12})).delta(0.0) >= -math.expm1(-1.0)


def test_without_dp_accounting(monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting.pld.privacy_loss_distribution", None)
    with pytest.raises(ImportError):
        ny.from_pld(None)
