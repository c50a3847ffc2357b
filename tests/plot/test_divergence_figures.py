"""The pictures of the divergence paper: each is what compare, table, sweep and the guarantee say."""

from functools import cache

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from scipy import stats

import neyman as ny
from neyman.comparison import Candidate, UQuadratic
from neyman.comparison import pareto as chosen
from tests.plot.guarantees import guarantee, runs

LAWS = {"uniform": stats.uniform(), "jeffreys": stats.beta(0.5, 0.5), "uquadratic": UQuadratic()}


def test_a_profile_on_a_linear_axis_shows_where_deltas_are_large():
    a, b = guarantee("laplace"), guarantee("gdp")
    data = ny.plot.profile.data(a, b, scale="linear")
    ax = ny.plot.profile(a, b, scale="linear")
    assert ax.get_yscale() == "linear"
    assert ax.get_ylim()[0] == 0.0
    assert max(a.advantage, b.advantage) < ax.get_ylim()[1] <= 1.1 * max(a.advantage, b.advantage)
    assert float(data["epsilon"].max()) < 10.0 < float(ny.plot.profile.data(b)["epsilon"].max()) * 2.0
    for g, label in zip((a, b), data.curves, strict=True):
        part = data.of(label)
        np.testing.assert_array_equal(part["delta_upper"], g.sides.bracket(part["epsilon"]).upper)
        assert b.delta(float(data["epsilon"].max())) < 0.003
    with pytest.raises(ny.InvalidParameter, match="scale must be one of 'log', 'linear'"):
        ny.plot.profile(a, scale="logarithmic")
    perfect = ny.plot.profile(ny.PERFECT, scale="linear")
    assert perfect.get_ylim()[0] == 0.0


@pytest.mark.parametrize("law", LAWS)
def test_weighed_errors_are_density_times_error(law):
    a, b = guarantee("gdp"), guarantee("laplace")
    data = ny.plot.weighted_bayes_error.data(a, b, LAWS[law])
    found = ny.compare(a, b).weighted(LAWS[law])
    assert (data.facts["divergence"], data.facts["reverse"]) == (found.divergence, found.reverse)
    first, second = (data.of(label) for label in data.curves)
    for part, g in ((first, a), (second, b)):
        np.testing.assert_array_equal(part["density"], LAWS[law].pdf(part["prior"]))
        np.testing.assert_array_equal(part["weighted_lower"], part["density"] * g.bayes_error(part["prior"]))
        assert (part["weighted_lower"] <= part["weighted_upper"]).all()
    gap = first["weighted_lower"] - second["weighted_upper"]
    assert 0.9 * found.divergence <= gap.max() <= found.divergence * (1.0 + 1e-9)
    assert 0.9 * found.reverse <= (second["weighted_lower"] - first["weighted_upper"]).max() <= found.reverse + 1e-9


def test_weighed_errors_of_what_is_none_are_refused():
    a = guarantee("gdp")
    for wrong in (3, stats.norm(), None):
        with pytest.raises(ny.InvalidParameter):
            ny.plot.weighted_bayes_error(a, a, wrong)
    with pytest.raises(ny.InvalidParameter, match="guarantee"):
        ny.plot.weighted_bayes_error(a, guarantee("add"), UQuadratic())


def test_runs_are_efficient_as_the_comparison_says():
    data = ny.plot.pareto.data(runs())
    base = ny.account(ny.DPSGD(2.0, 0.1, 100))
    steps = (100, 200, 300, 600, 1500)
    rows = [
        Candidate(str(i), ny.account(ny.DPSGD(float(noise), 0.1, n)), float(utility))
        for i, (noise, utility, n) in enumerate(zip(data["noise_multiplier"], data["accuracy"], steps, strict=True))
    ]
    found = {row.name: row for row in chosen(rows, base)}
    assert [found[str(i)].efficient for i in range(5)] == data["efficient"].tolist()
    np.testing.assert_allclose(data["divergence"], [found[str(i)].excess for i in range(5)], atol=1e-9)


def shaded(ax):
    return sorted(
        (round(float(p.get_x()), 9), round(float(p.get_x() + p.get_width()), 9))
        for p in ax.patches if isinstance(p, Rectangle)
    )  # fmt: skip


def test_the_inefficient_region_is_between_efficient_runs_and_beyond_the_last():
    ax = ny.plot.pareto(runs())
    good = ny.plot.pareto.data(runs())["efficient"].tolist()
    assert good == [True, False, False, True, False]
    spans = shaded(ax)
    assert spans[0] == (2.0, 4.0)
    assert spans[1] == (4.0, round(float(ax.get_xlim()[1]), 9))
    (right,) = [other for other in ax.figure.axes if other is not ax]
    star = [line for line in right.lines if line.get_marker() == "*"]
    assert [line.get_xdata().tolist() for line in star] == [[4.0]]
    figure = Figure()
    own = figure.add_subplot()
    assert ny.plot.pareto(runs(), ax=own) is own


def test_tables_without_accuracies_or_baseline_are_refused():
    row = {"noise_multiplier": 2.0, "sample_rate": 0.1, "steps": 100}
    good = [{**row, "accuracy": 1.0}, {**row, "noise_multiplier": 3.0, "accuracy": 2.0}]
    for table, words in (
        (3, "table must be a Table of ny.table"),
        (ny.table(good), "table must be one with a baseline and accuracies"),
        (ny.table([row], baseline="1"), "table must be one with a baseline and accuracies"),
        (ny.table([good[0], row], baseline="1"), "table must be one of at least two runs with an accuracy"),
    ):
        with pytest.raises(ny.InvalidParameter, match=words):
            ny.plot.pareto(table)
    with pytest.raises(ny.InvalidParameter, match="x must be a column in which runs differ"):
        ny.plot.pareto(ny.table(good, baseline="1"), x="steps")
    with pytest.raises(ny.InvalidParameter, match="x must be one of noise_multiplier, sample_rate, steps"):
        ny.plot.pareto(ny.table(good, baseline="1"), x="mu")


@pytest.mark.parametrize("kind", ["gdp", "laplace", "tradeoff", "perfect"])
@pytest.mark.parametrize("of", ["bayes_error", "tradeoff"])
def test_no_line_crosses_its_envelope(kind, of):
    """From f to R all lines lie above the envelope and one touches it; from R to f all below."""
    data = ny.plot.envelope.data(guarantee(kind), of=of)
    curve = data.of("envelope")
    sign = 1.0 if of == "bayes_error" else -1.0
    nearest = np.inf
    for label in data.curves[1:]:
        part = data.of(label)
        heights = np.interp(curve["x"], part["x"], part["y"])
        gap = sign * (heights - curve["y"])
        assert gap.min() >= -1e-9
        nearest = min(nearest, gap[(curve["x"] > 0.02) & (curve["x"] < 0.98)].min())
    assert nearest < 5e-3
    g = guarantee(kind)
    assert data.facts["star"] == (g.bayes_error(0.5) if of == "bayes_error" else g.fixed_point)


def test_envelopes_of_what_is_none_are_refused():
    with pytest.raises(ny.InvalidParameter, match="of must be one of 'bayes_error', 'tradeoff'"):
        ny.plot.envelope(guarantee("gdp"), of="roc")
    with pytest.raises(ny.InvalidParameter, match="finished Guarantee"):
        ny.plot.envelope(1.0)


@cache
def calibrated():
    return ny.sweep(
        noise_multiplier=ny.targets.Mu(1.0), sample_rate=[0.3, 0.05], steps=[100, 200],
        quantities=["divergence", "tpr(0.1)"], baseline=ny.DPSGD(1.0, 0.05, 300), workers=1,
    )  # fmt: skip


def test_lines_run_along_what_was_calibrated():
    data = calibrated()
    found = ny.plot.sweep_lines.data(data, "divergence", x="noise_multiplier", hue="steps")
    assert found.curves == ("steps T = 100", "steps T = 200")
    for steps, label in zip((100, 200), found.curves, strict=True):
        part = data.sel(steps=steps)
        order = np.argsort(part.noise_multiplier.values)
        np.testing.assert_array_equal(found.of(label)["noise_multiplier"], part.noise_multiplier.values[order])
        np.testing.assert_array_equal(found.of(label)["divergence"], part.divergence.values[order])
    assert "upper bound" in found.caption
    ax = ny.plot.sweep_lines(data.sel(steps=100), "tpr(0.1)", x="divergence")
    assert ax.get_xscale() == "linear"
    assert len(ny.plot.sweep_lines.data(data.sel(steps=100), "tpr(0.1)", x="divergence")["divergence"]) == 2


def test_lines_along_a_variable_need_one_way_to_run():
    with pytest.raises(ny.InvalidParameter, match="several values of sample_rate and steps"):
        ny.plot.sweep_lines(calibrated(), "divergence", x="noise_multiplier")
    with pytest.raises(ny.InvalidParameter, match="hue must be one of 'sample_rate', 'steps'"):
        ny.plot.sweep_lines(calibrated(), "divergence", x="noise_multiplier", hue="noise")
    with pytest.raises(ny.InvalidParameter, match="quantity must be one of"):
        ny.plot.sweep_lines(calibrated(), "mu", x="noise_multiplier", hue="steps")
