"""Figures of the reporting paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from neyman.guarantees import GDP, ApproximateDP, Guarantee, PureDP
from neyman.plot import regret
from neyman.plot.drawing.style import COLOURS, GUIDE, INK
from neyman_papers.canvas import ALPHAS, curve_of, curves_of, legend, line, mark, panels, square
from neyman_papers.cases import CIFAR_RATE, FINE_TUNING, FROM_SCRATCH, census, dpsgd, fit, laplace, response
from neyman_papers.drawn import Curve, Picture
from neyman_papers.reporting.numbers import gaussian_mu
from neyman_papers.reporting.printed import EPSILONS
from neyman_papers.reporting.regrets import one_pair
from neyman_papers.reporting.sampling import NOISES, STEPS, findings, regrets_by_rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["figure_1", "figure_2", "figure_4", "figure_5", "figure_6", "figure_7", "figure_8"]


_LOOKS = tuple((0.35 + 0.325 * place, 0.8 + 0.4 * place) for place in range(len(STEPS)))
"""Opacity and width of the lines of Fig. 4 by their number of steps."""


def figure_1() -> Picture:
    """Laplace and DP-SGD beside the summaries of each."""
    figure, (left, right) = panels(2)
    curves: list[Curve] = []
    shown = (
        (left, {"Laplace, b = 1": laplace(), "ε-DP, ε = 1": PureDP(1.0)}),
        (right, _sgd_and_summaries()),
    )
    for axes, named in shown:
        for number, (name, g) in enumerate(named.items()):
            line(axes, ALPHAS, g.beta(ALPHAS), number, name)
            curves.append(curve_of(name, g))
        square(axes)
        legend(axes)
    power = dpsgd(9.4, CIFAR_RATE, 2000).roc(0.1)
    mark(right, 0.1, 1.0 - power, f"TPR {100 * power:.1f} %", (9.0, 7.0), markersize=3)
    left.set_title("(a) Laplace")
    right.set_title("(b) DP-SGD")
    return Picture(figure, curves)


def _sgd_and_summaries() -> dict[str, Guarantee]:
    g = dpsgd(9.4, CIFAR_RATE, 2000)
    mu, pair = fit(g)[0].mu, one_pair(g)
    return {"DP-SGD": g, f"μ-GDP, μ = {mu:.3f}": GDP(mu), f"(ε, δ)-DP, ε = {pair.epsilon(1e-5):.2f}": pair}


def figure_2() -> Picture:
    """The regret as the shift that restores dominance."""
    figure, (axes,) = panels(1, height=3.0)
    g = response(1.0)
    names = ["f: randomised response, ε = 1", f"f~: μ-GDP, μ = {fit(g)[0].mu:.3f}"]
    regret(g, labels=names, ax=axes)
    return Picture(figure, curves_of(regret.data(g, labels=names)))


def figure_4() -> Picture:
    """Regret over the sampling rate, by noise and steps."""
    figure, (axes,) = panels(1, height=3.6)
    found = regrets_by_rate()
    rates = found["sample_rate"].values
    curves: list[Curve] = []
    for number, noise in enumerate(NOISES):
        for place, steps in enumerate(STEPS):
            one = found.sel(noise_multiplier=noise, steps=steps)
            label = f"σ = {noise:g}" if place == len(STEPS) - 1 else ""
            opacity, width = _LOOKS[place]
            line(axes, rates, np.maximum(one["regret"].values, 1e-9), number, label, alpha=opacity,
                 linewidth=width)  # fmt: skip
            columns = {
                "noise_multiplier": np.full(rates.shape, noise),
                "steps": np.full(rates.shape, steps),
                "sample_rate": rates,
                "regret_at_most": one["regret"].values,
                "regret_at_least": one["optimistic.regret"].values,
            }
            curves.append(Curve(f"noise {noise:g}, {steps} steps", columns))
    axes.axhline(0.01, color=GUIDE, linewidth=0.6)
    axes.annotate("0.01", (1.02, 0.01), xycoords=("axes fraction", "data"), fontsize=7, color=INK, va="center")
    axes.set(
        xscale="log", yscale="log", xlabel="sampling rate", ylabel="regret of μ", ylim=(1e-6, 0.1), xlim=(0.01, 1.0)
    )
    for (opacity, width), steps in zip(_LOOKS, STEPS, strict=True):
        axes.plot([], [], color=INK, alpha=opacity, linewidth=width, label=f"{steps} steps")
    axes.legend(*_by_row(axes, 3), loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3)
    return Picture(figure, curves, findings())


def _by_row(axes: Axes, columns: int) -> tuple[list[Any], list[str]]:
    """The entries of a legend so that they are read row by row; Matplotlib fills columns."""
    handles, labels = axes.get_legend_handles_labels()
    order = [place for first in range(columns) for place in range(first, len(labels), columns)]
    return [handles[place] for place in order], [labels[place] for place in order]


def figure_5() -> Picture:
    """TopDown and randomised response, each with its mu."""
    figure, both = panels(2)
    curves: list[Curve] = []
    for axes, name, g in zip(
        both, ("(a) TopDown", "(b) randomised response, ε = 1"), (census(), response(1.0)), strict=True
    ):
        report = fit(g)[0]
        line(axes, ALPHAS, g.beta(ALPHAS), 0, "trade-off curve")
        line(axes, ALPHAS, GDP(report.mu).beta(ALPHAS), 1, f"μ-GDP, μ = {report.mu:.4f}\nregret {report.regret:.2g}")
        square(axes)
        axes.set_title(name)
        legend(axes)
        curves += [curve_of(name, g), curve_of(f"{name}, mu", GDP(report.mu))]
    return Picture(figure, curves)


def figure_6() -> Picture:
    """The profile through (8, 1e-5), and what each of its pairs says of attacks."""
    figure, (top, bottom) = panels(2, height=2.9)
    whole = GDP(gaussian_mu(8.0, 1e-5).lower)
    epsilon = np.linspace(0.0, 12.0, 241)
    delta = np.asarray(whole.delta(epsilon))
    others = np.asarray(whole.epsilon(10.0 ** -np.array([1.0, 2.0, 3.0, 4.0, 6.0, 7.0, 8.0])))
    line(top, epsilon, delta, 0)
    top.plot(others, whole.delta(others), "o", color=COLOURS[1], markersize=3.5)
    mark(top, 8.0, 1e-5, "(8, 1e-5)", (6.0, 3.0), color=COLOURS[0], markersize=6)
    top.set(yscale="log", xlabel="ε", ylabel="δ", ylim=(1e-10, 1.0), xlim=(0.0, 12.0), title="privacy profile")
    fpr = np.geomspace(1e-8, 1.0, 400)
    curves = [Curve("profile", {"epsilon": epsilon, "delta_at_most": delta})]
    for place, e in enumerate(others):
        pair = ApproximateDP(float(e), float(np.asarray(whole.delta(float(e)))))
        power = np.asarray(pair.roc(fpr))
        bottom.plot(fpr, power, color=COLOURS[1], linewidth=0.6, linestyle=(0, (4, 2)),
                    label="other pairs of the profile" if place == 0 else "_nolegend_")  # fmt: skip
        curves.append(Curve(f"pair ({e:.4f}, {pair.delta(float(e)):.1e})", {"fpr": fpr, "tpr_at_most": power}))
    single = np.asarray(ApproximateDP(8.0, 1e-5).roc(fpr))
    bottom.plot(fpr, single, color=COLOURS[0], linewidth=0.9, label="(8, 1e-5) alone")
    bottom.plot(fpr, whole.roc(fpr), color=COLOURS[0], linewidth=2.2, label="all pairs: the envelope")
    bottom.plot(fpr, fpr, color=GUIDE, linewidth=0.6)
    bottom.set(xscale="log", yscale="log", xlim=(1e-8, 1.0), ylim=(1e-8, 1.3), xlabel="false positive rate",
               ylabel="true positive rate, at most", title="attack success")  # fmt: skip
    bottom.legend(loc="lower right")
    curves.append(Curve("(8, 1e-5) alone", {"fpr": fpr, "tpr_at_most": single}))
    curves.append(Curve("envelope", {"fpr": fpr, "tpr_at_most": np.asarray(whole.roc(fpr))}))
    return Picture(figure, curves)


def figure_7() -> Picture:
    """The rows of Table 4."""
    return _rows({e: FROM_SCRATCH[e] for e in EPSILONS})


def figure_8() -> Picture:
    """The rows of Table 5."""
    return _rows(FINE_TUNING)


def _rows(rows: dict[float, tuple[float, int]]) -> Picture:
    """Curves with their mu, their log-log ROC, and how far curve and summary are apart."""
    figure, (left, middle, right) = panels(3)
    curves: list[Curve] = []
    small = np.unique(np.concatenate([np.geomspace(1e-10, 0.05, 300), np.linspace(0.05, 1.0, 400)]))
    for number, (epsilon, (noise, steps)) in enumerate(rows.items()):
        g = dpsgd(noise, CIFAR_RATE, steps)
        mu = fit(g)[0].mu
        name = f"σ = {noise:g}: μ = {mu:.3f}"
        difference = np.asarray(g.beta(small)) - np.asarray(GDP(mu).optimistic.beta(small))
        line(left, ALPHAS, g.beta(ALPHAS), number, name, linestyle="solid")
        line(left, ALPHAS, GDP(mu).beta(ALPHAS), number, linestyle=":", color=INK, linewidth=0.9)
        line(middle, small, g.roc(small), number, linestyle="solid")
        line(middle, small, GDP(mu).roc(small), number, linestyle=":", color=INK, linewidth=0.9)
        line(right, small, difference, number, name)
        curves += [
            curve_of(f"epsilon {epsilon:g}", g),
            curve_of(f"epsilon {epsilon:g}, mu {mu:.6g}", GDP(mu)),
            Curve(f"epsilon {epsilon:g}, difference", {"alpha": small, "difference_at_least": difference}),
        ]
    square(left)
    legend(left)
    middle.set(xscale="log", yscale="log", xlabel="false positive rate", ylabel="true positive rate, at most",
               xlim=(1e-10, 1.0), ylim=(1e-10, 1.5))  # fmt: skip
    right.set(xscale="log", xlabel="false positive rate α", ylabel="$f - G_μ$", xlim=(1e-10, 1.0))
    right.set_ylim(bottom=0.0)
    right.legend(loc="upper left")
    return Picture(figure, curves)
