"""The numbers behind pictures: those of the guarantee's own verbs, both ends, safe side drawn."""

import csv
import math

import numpy as np
import pytest
from scipy import special, stats

import neyman as ny
from neyman.plot.drawing.curves import label_of
from neyman.plot.drawing.words import rounded
from tests.effort import rest_slow
from tests.plot.guarantees import KINDS, PICTURES, guarantee, picture, swept


@pytest.mark.parametrize("kind", KINDS)
def test_tradeoff_holds_both_ends_of_beta(kind):
    g = guarantee(kind)
    found = ny.plot.tradeoff.data(g, labels=["it"])
    assert list(found) == ["curve", "alpha", "beta_lower", "beta_upper"]
    assert found.curves == ("it",)
    alpha = found["alpha"]
    assert alpha[0] == 0.0
    assert alpha[-1] == 1.0
    assert np.all(np.diff(alpha) > 0.0)
    assert np.all(found["beta_lower"] <= found["beta_upper"])
    middle = slice(None, None, 7)
    np.testing.assert_allclose(g.beta(alpha)[middle], found["beta_lower"][middle], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(g.optimistic.beta(alpha), found["beta_upper"], rtol=1e-12)


@pytest.mark.parametrize("kind", rest_slow(KINDS, *KINDS[1::2]))
def test_no_line_between_points_is_seen_to_leave_the_curve(kind):
    g = guarantee(kind)
    found = ny.plot.tradeoff.data(g)
    between = np.linspace(0.0, 1.0, 701)
    drawn = np.interp(between, found["alpha"], found["beta_lower"])
    # the horizontal distance where the curve is steep, the vertical one elsewhere: the nearer of the two
    beside = np.minimum(np.abs(drawn - g.beta(between)), _sideways(found, between, g.beta(between)))
    assert np.max(beside) < 2e-3


def _sideways(found, alpha, beta):
    falling = np.maximum.accumulate(found["beta_lower"][::-1] + np.arange(len(found["alpha"])) * 1e-15)
    return np.abs(np.interp(beta, falling, found["alpha"][::-1]) - alpha)


@pytest.mark.parametrize(
    ("kind", "scale"),
    rest_slow([(kind, ("log", "linear")[i % 2]) for i, kind in enumerate(KINDS)], *range(0, len(KINDS), 3)),
)
def test_roc_holds_both_ends_of_power(kind, scale):
    g = guarantee(kind)
    found = ny.plot.roc.data(g, scale=scale, floor=1e-4)
    fpr = found["fpr"]
    assert fpr[0] == (1e-4 if scale == "log" else 0.0)
    assert fpr[-1] == 1.0
    assert np.all(found["tpr_lower"] <= found["tpr_upper"])
    np.testing.assert_allclose(g.roc(fpr), found["tpr_upper"], rtol=1e-6)
    np.testing.assert_allclose(g.optimistic.roc(fpr), found["tpr_lower"], rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_profile_holds_both_ends_of_delta(kind):
    g = guarantee(kind)
    found = ny.plot.profile.data(g)
    epsilon = found["epsilon"]
    assert epsilon[0] == 0.0
    assert np.all(found["delta_lower"] <= found["delta_upper"])
    np.testing.assert_allclose(g.delta(epsilon), found["delta_upper"], rtol=1e-12)
    np.testing.assert_allclose(g.optimistic.delta(epsilon), found["delta_lower"], rtol=1e-12)
    last = g.epsilon(1e-10)
    if 0.0 < last < math.inf:
        assert epsilon[-1] >= last


@pytest.mark.parametrize("kind", KINDS)
def test_bayes_error_holds_both_ends(kind):
    g = guarantee(kind)
    found = ny.plot.bayes_error.data(g)
    np.testing.assert_allclose(g.bayes_error(found["prior"]), found["bayes_error_lower"], rtol=1e-12)
    np.testing.assert_allclose(g.optimistic.bayes_error(found["prior"]), found["bayes_error_upper"], rtol=1e-12)
    assert found.facts == {}


def test_rulers_stand_where_the_comparison_finds_them():
    a, b = ny.account(ny.Gaussian(1.0)), guarantee("laplace")
    facts = ny.plot.bayes_error.data(a, b).facts
    comparison = ny.compare(a, b)
    assert facts["divergence"] == comparison.divergence
    assert facts["reverse"] == comparison.reverse
    assert facts["divergence_prior"] == pytest.approx(comparison.prior)
    for name, first, second in (("divergence", a, b), ("reverse", b, a)):
        gap = first.bayes_error(facts[f"{name}_prior"]) - second.bayes_error(facts[f"{name}_prior"])
        assert gap == pytest.approx(facts[name], abs=1e-7)


def test_guarantees_for_different_neighbours_have_no_rulers():
    assert ny.plot.bayes_error.data(guarantee("add"), guarantee("gdp")).facts == {}


def test_difference_is_f_less_its_gaussian():
    g = guarantee("dpsgd")
    found = ny.plot.difference.data(g, floor=1e-8)
    mu = g.mu(1e-8)
    assert np.all(found["mu"] == mu)
    exact = g.beta(found["alpha"]) - stats.norm.cdf(stats.norm.isf(found["alpha"]) - mu)
    np.testing.assert_allclose(found["difference_lower"], exact, atol=1e-9)
    assert np.all(found["difference_lower"] <= found["difference_upper"])
    assert np.all(found["difference_lower"][found["alpha"] >= 1e-8] > -1e-12)


def test_difference_without_a_finite_mu_is_the_whole_curve():
    g = ny.ApproximateDP(1.0, 1e-5)
    found = ny.plot.difference.data(g)
    assert np.all(found["mu"] == math.inf)
    np.testing.assert_allclose(found["difference_lower"], g.beta(found["alpha"]), atol=1e-12)


@pytest.mark.parametrize("kind", ["gdp", "no noise to speak of", "laplace", "dpsgd", "response"])
def test_local_mu_stays_below_mu_above_the_floor(kind):
    g = guarantee(kind)
    found = ny.plot.local_mu.data(g)
    above = (found["alpha"] >= 1e-10) & (g.beta(found["alpha"]) >= 1e-10)
    assert np.all(found["local_mu_upper"][above] <= g.mu() + 1e-6)
    assert np.all(found["local_mu_lower"] <= found["local_mu_upper"])
    at = np.array([1e-6, 0.01, 0.3])
    exact = -special.ndtri(g.beta(at)) - special.ndtri(at)
    drawn = np.interp(np.log(at), np.log(found["alpha"]), found["local_mu_upper"])
    np.testing.assert_allclose(drawn, exact, atol=2e-3)


@pytest.mark.parametrize("mu", [0.0, 0.1, 1.0, 8.0])
def test_local_mu_of_gdp_is_its_mu(mu):
    found = ny.plot.local_mu.data(ny.GDP(mu))
    assert np.all(found["local_mu_upper"] >= mu)
    np.testing.assert_allclose(found["local_mu_upper"], mu, atol=1e-6)


def test_local_mu_of_no_privacy_is_infinite():
    found = ny.plot.local_mu.data(ny.BLATANT)
    assert np.all(found["local_mu_upper"] == math.inf)


@pytest.mark.parametrize("other", [None, ny.PureDP(1.0), ny.PERFECT, ny.BLATANT])
def test_the_shift_by_the_regret_touches_and_no_more(other):
    g = guarantee("laplace")
    found = ny.plot.regret.data(g, other)
    stated = ny.GDP(g.mu()) if other is None else other
    kappa = found.facts["regret"]
    assert kappa == pytest.approx(g.regret(stated), abs=1e-9)
    shifted = found.of(found.curves[2])
    room = stated.optimistic.beta(np.clip(shifted["alpha"], 0.0, 1.0)) - shifted["beta_lower"]
    assert np.min(room) > -1e-9
    assert np.min(room) < 3e-3
    touching = found.facts["alpha"], found.facts["beta"]
    assert g.beta(min(touching[0], 1.0)) == pytest.approx(touching[1], abs=1e-6)


def test_regret_of_an_infinite_mu_is_against_no_privacy():
    g = ny.ApproximateDP(1.0, 1e-5)
    facts = ny.plot.regret.data(g).facts
    assert facts["mu"] == math.inf
    assert facts["regret"] == pytest.approx(g.regret(ny.BLATANT))


@pytest.mark.parametrize(("mu", "alpha"), [(0.0, 0.5), (1.0, 0.05), (4.0, 1e-9)])
def test_likelihood_ratio_holds_both_errors(mu, alpha):
    found = ny.plot.likelihood_ratio.data(mu, alpha)
    threshold = found.facts["threshold"]
    assert stats.norm.sf(threshold) == pytest.approx(alpha)
    assert stats.norm.cdf(threshold - mu) == pytest.approx(found.facts["beta"])
    np.testing.assert_allclose(found["density_present"], stats.norm.pdf(found["x"], mu))
    np.testing.assert_allclose(found["density_absent"], stats.norm.pdf(found["x"]))


@pytest.mark.parametrize("epsilon", rest_slow([0.0, 2.0], 1))
@pytest.mark.parametrize("kind", KINDS[::2])
def test_tangent_lies_above_and_its_intercept_is_delta(kind, epsilon):
    g = guarantee(kind)
    found = ny.plot.roc_tangent.data(g, epsilon)
    assert found.facts["delta"] == g.delta(epsilon)
    curve = found.of(found.curves[0])
    above = found.facts["delta"] + math.exp(epsilon) * curve["fpr"]
    assert np.all(curve["tpr_lower"] <= above + 1e-12)
    touched = found.facts["delta"] + math.exp(epsilon) * found.facts["fpr"]
    assert touched - found.facts["tpr"] < 1e-2 * math.exp(epsilon)


def test_rdp_conversions_are_those_of_conversions():
    orders = np.linspace(1.1, 64.0, 100)
    found = ny.plot.rdp_conversions.data(1e-6, [0.5, 2.0], orders)
    roads = [found.of(name)["epsilon"] for name in found.curves]
    for road, rule in zip(
        roads, (ny.conversions.rdp_standard, ny.conversions.rdp_improved_b, ny.conversions.rdp_improved_a), strict=False
    ):
        np.testing.assert_allclose(road, [rule(orders, orders * m * m / 2.0, 1e-6) for m in (0.5, 2.0)], rtol=1e-12)
    np.testing.assert_allclose(roads[3], [ny.GDP(m).epsilon(1e-6) for m in (0.5, 2.0)], rtol=1e-9)
    assert np.all(roads[0] >= roads[1])
    assert np.all(roads[1] >= roads[2])
    assert np.all(roads[2] >= roads[3])


def test_sweeps_keep_what_failed_as_nan():
    data = swept()
    lines = ny.plot.sweep_lines.data(data.isel(steps=[0]), "mu", x="noise_multiplier", hue="sample_rate")
    assert lines.curves[0] == "sampling rate q = 0.001"
    np.testing.assert_array_equal(lines.of(lines.curves[0])["mu"], data["mu"].values[:, 0, 0])
    assert np.isnan(lines.of(lines.curves[0])["mu"][1])
    cells = ny.plot.sweep_map.data(data.isel(steps=1), "mu", x="sample_rate", y="noise_multiplier")
    np.testing.assert_array_equal(cells["mu"], data["mu"].values[:, :, 1].T.ravel())
    assert np.count_nonzero(np.isnan(cells["mu"])) == 1


def test_sweep_axes_are_drawn_as_they_rise():
    data = swept().isel(steps=0, noise_multiplier=[2, 0, 1])
    cells = ny.plot.sweep_map.data(data, "mu", x="noise_multiplier", y="sample_rate")
    expected = ny.plot.sweep_map.data(swept().isel(steps=0), "mu", x="noise_multiplier", y="sample_rate")
    np.testing.assert_array_equal(cells["mu"], expected["mu"])
    np.testing.assert_array_equal(cells["noise_multiplier"], expected["noise_multiplier"])


def test_audit_keeps_what_was_measured():
    fpr, tpr, lower, upper = [0.1, 0.01], [0.2, 0.02], [0.15, 0.01], [0.25, 0.05]
    found = ny.plot.audit.data(guarantee("dpsgd"), fpr, tpr, lower, upper, mu_lower=0.3)
    attack = found.of("attack")
    np.testing.assert_array_equal(attack["fpr"], [0.01, 0.1])
    np.testing.assert_array_equal(attack["tpr_lower"], [0.01, 0.15])
    np.testing.assert_array_equal(attack["tpr_upper"], [0.05, 0.25])
    claim = found.of(found.curves[0])
    np.testing.assert_array_equal(claim["tpr"], claim["tpr_upper"])
    proved = found.of(found.curves[3])
    assert np.all(proved["tpr"] <= ny.GDP(0.3).roc(proved["fpr"]))
    assert found.facts["mu"] == guarantee("dpsgd").mu()


def test_labels_are_made_told_apart_and_taken():
    same = ny.plot.tradeoff.data(ny.GDP(1.0), ny.GDP(1.0), ny.PERFECT)
    assert same.curves == ("1-GDP (1)", "1-GDP (2)", "perfect privacy")
    assert ny.plot.tradeoff.data(ny.GDP(1.0), labels="one").curves == ("one",)
    assert ny.plot.tradeoff.data(guarantee("add")).curves == ("DP-SGD, σ = 1, q = 0.1, T = 10 (add)",)
    long = ny.account(ny.Tabulated([0.123456789, 0.876543211], [0.876543211, 0.123456789]))
    (label,) = ny.plot.tradeoff.data(long).curves
    assert label.endswith("…")
    assert len(label) == 34


@pytest.mark.parametrize("number", range(len(PICTURES)))
def test_columns_are_of_one_length_and_locked(number):
    name, positional, named = picture(number)
    found = getattr(ny.plot, name).data(*positional, **named)
    lengths = {len(array) for array in found.values()}
    assert len(lengths) == 1
    assert found.caption
    for array in found.values():
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_csv_gives_every_number_back(tmp_path):
    path = tmp_path / "curve.csv"
    found = ny.plot.tradeoff.data(guarantee("laplace"), ny.GDP(1.0), labels=['says "a, b"', "two"])
    found.to_csv(path)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == list(found)
    assert [row[0] for row in rows[1:]] == list(found["curve"])
    for i, name in enumerate(rows[0][1:], 1):
        np.testing.assert_array_equal([float(row[i]) for row in rows[1:]], found[name])


def test_a_curve_that_is_not_there_is_refused():
    with pytest.raises(ny.InvalidParameter, match="curve must be one of '1-GDP', got 'other'"):
        ny.plot.tradeoff.data(ny.GDP(1.0)).of("other")


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(ny.InvalidParameter, match="of one length"):
        ny.plot.Columns({"a": np.zeros(2), "b": np.zeros(3)})


def test_a_release_of_many_steps_is_counted():
    steps = ny.compose([ny.DiscreteGaussian(2.0 + i) ** 10 for i in range(8)])
    assert label_of(ny.account(steps)) == "80 discrete Gaussian"
    mixed = ny.compose([ny.Laplace(20.0) ** 100, ny.DPSGD(1.0, 0.01, 2000), ny.Gaussian(3.0)])
    assert label_of(ny.account(mixed)) == "2101 releases of 3 kinds"


@pytest.mark.parametrize("value", [0.3, 0.1, 1e-7, 2.0, 0.29999, 1.0000001])
def test_bounds_are_written_to_their_own_side(value):
    assert float(rounded(value, False)) <= value <= float(rounded(value, True))
    if len(repr(value)) < 5:
        assert float(rounded(value, False)) == float(rounded(value, True)) == value


def test_local_mu_says_where_no_mu_is_finite():
    drawn = ny.plot.local_mu(ny.ApproximateDP(1.0, 1e-5), ny.GDP(1.0))
    said = [text.get_text() for text in drawn.get_legend().get_texts()]
    assert said == ["(1, 1e-05)-DP: no finite μ at the floor", "1-GDP"]
