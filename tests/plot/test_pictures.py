"""What is drawn is what ``data`` says; nothing of the user's is touched; nothing but promises is drawn."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import neyman as ny
from neyman.plot.drawing.marks import band
from neyman.plot.drawing.span import Span
from tests.effort import rest_slow
from tests.plot.guarantees import KINDS, PICTURES, drawn, guarantee, picture, swept

DRAWN = {
    "tradeoff": ("alpha", "beta_lower"), "roc": ("fpr", "tpr_upper"), "profile": ("epsilon", "delta_upper"),
    "bayes_error": ("prior", "bayes_error_lower"), "regret": ("alpha", "beta_lower"),
    "difference": ("alpha", "difference_lower"), "local_mu": ("alpha", "local_mu_upper"),
    "roc_tangent": ("fpr", "tpr_upper"), "rdp_conversions": ("mu", "epsilon"), "audit": ("fpr", "tpr"),
    "sweep_lines": ("noise_multiplier", "mu"), "weighted_bayes_error": ("prior", "weighted_lower"),
    "envelope": ("x", "y"),
}  # fmt: skip


@pytest.mark.parametrize("number", [i for i, name in enumerate(PICTURES) if name in DRAWN])
def test_lines_are_the_data(number):
    name, positional, named = picture(number)
    data, ax = getattr(ny.plot, name).data(*positional, **named), drawn(number)
    x, y = DRAWN[name]
    lines = [np.column_stack(line.get_data()) for line in ax.lines]
    for label in data.curves:
        part = data.of(label)
        wanted = np.column_stack([part[x], part[y]])
        assert any(line.shape == wanted.shape and np.array_equal(line, wanted, equal_nan=True) for line in lines)


def test_laws_of_the_loss_are_the_data():
    data = ny.plot.privacy_loss.data(guarantee("laplace"), kind="cdf")
    ax = ny.plot.privacy_loss(guarantee("laplace"), kind="cdf")
    for line, label in zip(ax.lines, data.curves, strict=True):
        part = data.of(label)
        np.testing.assert_array_equal(line.get_ydata(), 0.5 * (part["cdf_lower"] + part["cdf_upper"]))
        np.testing.assert_array_equal(line.get_xdata(), part["loss"])
    data = ny.plot.privacy_loss.data(guarantee("response"), bins=11)  # its losses are -3, -1, 1, 3
    for label, mass in (("under P", [0.0195, 0.1586, 0.4312, 0.3907]), ("under Q", [0.3907, 0.4312, 0.1586, 0.0195])):
        part = data.of(label)
        width = part["high"] - part["low"]
        seen = (part["density_lower"] * width)[part["density_upper"] * width > 1e-3]
        np.testing.assert_allclose(seen, mass, atol=1e-4)
        assert np.all(part["density_upper"] - part["density_lower"] < 1e-6)


def test_densities_and_cells_are_the_data():
    ax, data = ny.plot.likelihood_ratio(1.0), ny.plot.likelihood_ratio.data(1.0)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), data["density_absent"])
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), data["density_present"])
    sweep = swept().isel(steps=0)
    ax = ny.plot.sweep_map(sweep, "mu", "noise_multiplier", "sample_rate")
    (mesh,) = [shape for shape in ax.collections if shape.get_array() is not None]
    shown = np.ma.filled(mesh.get_array(), np.nan)
    np.testing.assert_array_equal(shown.T, sweep["mu"].values)


@pytest.mark.parametrize("number", range(1, len(PICTURES), 3))
def test_settings_stay_and_no_pyplot_is_used(number):
    name, positional, named = picture(number)
    before = dict(mpl.rcParams)
    ax = getattr(ny.plot, name)(*positional, **named)
    assert dict(mpl.rcParams) == before
    assert isinstance(ax, Axes)
    assert ax.figure.get_size_inches()[0] == ny.plot.style.WIDTH


def test_data_needs_no_matplotlib_and_pictures_no_pyplot():
    """In a process of its own: matplotlib is loaded by the first picture, and what is missing is said."""
    code = (
        "import sys, neyman as ny; ny.plot.tradeoff.data(ny.GDP(1.0)); assert 'matplotlib' not in sys.modules\n"
        "sys.modules['matplotlib'] = None\n"
        "try: ny.plot.tradeoff(ny.GDP(1.0))\n"
        "except ny.NeymanError as error: assert str(error) == \"plot needs matplotlib: pip install 'neyman[plot]'\"\n"
        "else: raise SystemExit(1)\n"
        "del sys.modules['matplotlib']; ny.plot.svg(ny.plot.tradeoff(ny.GDP(1.0)), 'a')\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("number", range(0, len(PICTURES), 3))
def test_own_axes_are_drawn_on(number):
    name, positional, named = picture(number)
    figure = Figure(figsize=(4.0, 3.0))
    ax = figure.add_subplot()
    assert getattr(ny.plot, name)(*positional, **named, ax=ax) is ax
    np.testing.assert_array_equal(figure.get_size_inches(), (4.0, 3.0))


@pytest.mark.parametrize("name", rest_slow(["tradeoff", "profile", "local_mu"], "tradeoff"))
def test_every_kind_at_once_is_drawn(name):
    ax = getattr(ny.plot, name)(*map(guarantee, KINDS))
    ax.figure.draw_without_rendering()
    shown = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(shown) == len(KINDS)
    legend, axes = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert legend.y0 >= axes.y1 - 1.0 or axes.x0 <= legend.x0 <= legend.x1 <= axes.x1
    assert axes.height / ax.figure.dpi > 1.5


@pytest.mark.parametrize("number", rest_slow(range(len(PICTURES)), *range(1, len(PICTURES), 2)))
def test_legends_cover_no_curve(number):
    ax = drawn(number)
    ax.figure.draw_without_rendering()
    if ax.get_legend() is None:
        return
    box = ax.get_legend().get_window_extent()
    for line in ax.lines:
        path = line.get_transform().transform_path(line.get_path())
        assert box.y0 >= ax.get_window_extent().y1 or not path.intersects_bbox(box, filled=False)


def test_a_figure_is_the_same_after_the_settings_change():
    expected = ny.plot.svg(ny.plot.roc(ny.GDP(1.0)), "a")
    ax = ny.plot.roc(ny.GDP(1.0))
    with mpl.rc_context({"font.size": 30.0, "xtick.major.size": 20.0, "axes.grid": True, "font.family": "serif"}):
        assert ny.plot.svg(ax, "a") == expected
        assert ny.plot.svg(ny.plot.roc(ny.GDP(1.0)), "a") == expected


def test_notebooks_show_it():
    ax = ny.plot.tradeoff(ny.GDP(1.0))
    assert ax._repr_png_()[:4] == b"\x89PNG"
    assert ax.figure._repr_png_()[:4] == b"\x89PNG"


def test_the_first_six_curves_differ_in_grey():
    ax = ny.plot.tradeoff(*(ny.GDP(mu) for mu in (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)))
    curves = [line for line in ax.lines if line.get_label().endswith("GDP")]
    assert len({str(line._unscaled_dash_pattern) for line in curves}) == 6
    assert len({line.get_color() for line in curves}) == 6


def test_the_first_forty_two_differ():
    assert len({(str(one.dashes), one.colour) for one in map(ny.plot.style.look, range(42))}) == 42


def test_bands_are_drawn_where_they_are_wider_than_a_pixel():
    x, spans = np.linspace(0.0, 1.0, 11), (Span(0.0, 1.0), Span(0.0, 1.0))
    ax = Figure().add_subplot()
    assert not band(ax, x, 1.0 - x, 1.0 - x + 1e-4, spans, 0)
    assert len(ax.collections) == 0
    assert band(ax, x, 1.0 - x, 1.0 - x + 1e-2, spans, 0)
    assert len(ax.collections) == 1
    # wide upwards, but on a curve so steep that the band is narrower than its line
    steep = np.linspace(0.0, 1e-4, 11)
    assert not band(ax, steep, 1.0 - 1e4 * steep, 1.0 - 1e4 * steep + 0.05, spans, 0)


def test_a_label_that_is_no_formula_is_shown_as_it_is():
    ax = ny.plot.tradeoff(ny.GDP(1.0), ny.GDP(2.0), labels=[r"costs $\frac{1", "_two"])
    ax.figure.savefig("/dev/null", format="png", dpi=40)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [r"costs $\frac{1", "_two"]


def test_failed_settings_are_marked_and_not_bridged():
    ax = ny.plot.sweep_lines(swept().isel(steps=[0]), "mu", x="noise_multiplier", hue="sample_rate")
    crosses = [line for line in ax.lines if line.get_marker() == "x"]
    assert [line.get_xdata().tolist() for line in crosses] == [[2.0]]
    assert np.isnan(ax.lines[0].get_ydata()[1])


@pytest.mark.parametrize(
    "name", ["tradeoff", "roc", "profile", "bayes_error", "difference", "local_mu", "regret", "roc_tangent"]
)
@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        (ny.GDP(1.0).optimistic, "pass the guarantee itself"),
        (1.0, ""),
        (None, ""),
    ],
)
def test_what_is_no_promise_is_refused(name, wrong, advice):
    drawing = getattr(ny.plot, name)
    for asked in (drawing, drawing.data):
        with pytest.raises(ny.InvalidParameter, match="must be a finished Guarantee") as refused:
            asked(wrong)
        assert advice in str(refused.value)


SWEPT = object()  # stands for the sweep, which is made when a test asks for it
REFUSALS = [
    ("tradeoff", (), {}, "guarantees must be at least one Guarantee"),
    ("tradeoff", (ny.GDP(1.0),), {"labels": ["a", "b"]}, "labels must be one label for each of 1 curves"),
    ("tradeoff", (ny.GDP(1.0), ny.GDP(2.0)), {"labels": ["a", "a"]}, "labels must be different printable texts"),
    ("tradeoff", (ny.GDP(1.0),), {"labels": ["\x00"]}, "labels must be different printable texts"),
    ("tradeoff", (ny.GDP(1.0),), {"labels": [1]}, "labels must be different printable texts"),
    ("tradeoff", (ny.GDP(1.0),), {"labels": 1}, "labels must be a list of texts"),
    ("tradeoff", (ny.GDP(1.0),), {"labels": [""]}, "labels must be different printable texts"),
    ("roc", (ny.GDP(1.0),), {"scale": "cubic"}, "scale must be one of 'log', 'linear'"),
    ("roc", (ny.GDP(1.0),), {"floor": 0.0}, "floor must be a number in"),
    ("roc", (ny.GDP(1.0),), {"floor": float("nan")}, "floor must be a number in"),
    ("profile", (ny.GDP(1.0),), {"floor": 0.5}, "floor must be a number in"),
    ("difference", (ny.GDP(1.0),), {"floor": float("nan")}, "floor must be a number in"),
    ("local_mu", (ny.GDP(1.0),), {"floor": 1.0}, "floor must be a number in"),
    ("regret", (ny.GDP(1.0), 2.0), {}, "other must be a finished Guarantee"),
    ("regret", (ny.GDP(1.0),), {"floor": -1.0}, "floor must be a number in"),
    ("regret", (ny.GDP(1.0),), {"labels": ["a", "f(α + κ) - κ"]}, "labels must be other than"),
    ("likelihood_ratio", (-1.0,), {}, "mu must be a number in [0, 40]"),
    ("likelihood_ratio", (41.0,), {}, "mu must be a number in [0, 40]"),
    ("likelihood_ratio", (1.0, 1.0), {}, "alpha must be a number in"),
    ("likelihood_ratio", (float("nan"),), {}, "mu must be a number in [0, 40]"),
    ("roc_tangent", (ny.GDP(1.0), -0.1), {}, "epsilon must be a number in"),
    ("roc_tangent", (ny.GDP(1.0), float("inf")), {}, "epsilon must be a number in"),
    ("rdp_conversions", (0.0,), {}, "delta must be a number in"),
    ("rdp_conversions", (1e-5, [0.0]), {}, "mus must be a finite number > 0"),
    ("rdp_conversions", (1e-5, [101.0]), {}, "mus must be a number in (0, 100], got 101.0"),
    ("rdp_conversions", (1e-5, [1.0], [1.0]), {}, "orders must be a number in (1, 1e+06], got 1.0"),
    ("sweep_lines", ("no", "mu", "steps"), {}, "dataset must be a Dataset of ny.sweep"),
    ("sweep_lines", (SWEPT, "rho", "steps"), {}, "quantity must be one of 'mu'"),
    ("sweep_lines", (SWEPT, "mu", "sigma"), {}, "x must be one of"),
    ("sweep_lines", (SWEPT, "mu", "steps", "steps"), {}, "hue must be another axis"),
    ("sweep_lines", (SWEPT, "mu", "steps"), {}, "dataset must be of one value there, got '3 values of noise_mul"),
    ("sweep_map", (SWEPT, "mu", "steps", "sample_rate"), {}, "dataset must be of one value there"),
    ("sweep_map", (SWEPT, "mu", "steps", "steps"), {}, "y must be another axis"),
    ("audit", (ny.GDP(1.0), [0.1], [0.1, 0.2]), {}, "tpr must be as many numbers as fpr has, 1"),
    ("audit", (ny.GDP(1.0), [2.0], [0.1]), {}, "fpr must be a number in"),
    ("audit", (ny.GDP(1.0), [0.1], [float("nan")]), {}, "tpr must be a number in"),
    ("audit", (ny.GDP(1.0), [0.1], [0.2]), {"lower": [0.3]}, "lower must be on its side of tpr"),
    ("audit", (ny.GDP(1.0), [0.1], [0.2]), {"upper": [0.1]}, "upper must be on its side of tpr"),
    ("audit", (ny.GDP(1.0), [0.1], [0.2]), {"mu_lower": float("nan")}, "mu_lower must be a finite number >= 0"),
    ("audit", (ny.GDP(1.0), [0.1], [0.2]), {"labels": ["attack"]}, "labels must be another label"),
    ("audit", (1.0, [0.1], [0.2]), {}, "must be a finished Guarantee"),
    ("privacy_loss", (ny.GDP(1.0).optimistic,), {}, "must be a finished Guarantee"),
    ("privacy_loss", (ny.GDP(1.0),), {"kind": "density"}, "kind must be one of 'histogram', 'cdf'"),
    ("privacy_loss", (ny.GDP(1.0),), {"direction": "both"}, "direction must be one of 'stated', 'remove', 'add'"),
    ("privacy_loss", (ny.GDP(1.0),), {"bins": 4}, "bins must be a whole number from 5 to"),
]


@pytest.mark.parametrize(("name", "positional", "named", "message"), REFUSALS)
def test_refusals(name, positional, named, message):
    given = [swept() if one is SWEPT else one for one in positional]
    drawing = getattr(ny.plot, name)
    for asked in (drawing, drawing.data):
        with pytest.raises(ny.InvalidParameter) as refused:
            asked(*given, **named)
        assert message in str(refused.value)


@pytest.mark.parametrize(
    ("name", "positional", "named"),
    rest_slow([
        ("likelihood_ratio", (0.0, 1e-300), {}),
        ("likelihood_ratio", (40.0, 1.0 - 1e-16), {}),
        ("roc_tangent", (ny.GDP(1.0), 700.0), {}),
        ("roc_tangent", (ny.BLATANT, 0.0), {}),
        ("rdp_conversions", (1e-300, [1e-300, 100.0], [1.0 + 1e-15, 1e6]), {}),
        ("difference", (ny.GDP(1.0),), {"floor": 1e-250}),
        ("local_mu", (ny.BLATANT, ny.PERFECT), {"floor": 0.49}),
        ("profile", (ny.PERFECT,), {"floor": 1e-300}),
        ("roc", (ny.BLATANT, ny.GDP(30.0)), {"floor": 1e-300}),
        ("regret", (ny.BLATANT, ny.PERFECT), {}),
        ("regret", (ny.PERFECT, ny.BLATANT), {}),
        ("bayes_error", (ny.PERFECT, ny.BLATANT), {}),
        ("bayes_error", (ny.GDP(1.0), ny.GDP(1.0)), {}),
        ("audit", (ny.BLATANT, [0.0, 1.0], [0.0, 1.0]), {"mu_lower": 0.0}),
        ("privacy_loss", (ny.BLATANT,), {}),
        ("privacy_loss", (ny.PERFECT,), {"kind": "cdf"}),
        ("privacy_loss", (ny.GDP(1e-9),), {}),
    ], 1, 3, 4, 5, 6, 7, 10, 11, 14, 15, 16),
)  # fmt: skip
def test_extremes_are_drawn(name, positional, named):
    ax = getattr(ny.plot, name)(*positional, **named)
    ax.figure.savefig("/dev/null", format="png", dpi=40)


def test_a_sweep_with_nothing_certified_is_drawn():
    data = swept().isel(steps=0)
    data = data.assign(mu=(data["mu"].dims, np.full(data["mu"].shape, np.nan)))
    ny.plot.sweep_map(data, "mu", "noise_multiplier", "sample_rate").figure.draw_without_rendering()
    ny.plot.sweep_lines(data, "mu", "noise_multiplier", "sample_rate").figure.draw_without_rendering()


@pytest.mark.parametrize("ax", [1, "ax", Figure()])
def test_what_is_no_axes_is_refused(ax):
    with pytest.raises(ny.InvalidParameter, match="ax must be a matplotlib Axes"):
        ny.plot.tradeoff(ny.GDP(1.0), ax=ax)


def test_a_map_of_one_value_is_refused():
    with pytest.raises(ny.InvalidParameter, match=r"ny\.plot\.sweep_lines"):
        ny.plot.sweep_map(swept().isel(steps=[0], noise_multiplier=0), "mu", "steps", "sample_rate")
