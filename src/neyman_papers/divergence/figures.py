"""Figures of the divergence paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from neyman.accounting import account
from neyman.comparison import UQuadratic, compare
from neyman.guarantees import Guarantee
from neyman.plot import bayes_error, regret
from neyman.plot.drawing.style import COLOURS, GUIDE, INK
from neyman_papers.canvas import ALPHAS, bayes_of, curve_of, curves_of, line, mark, panels, ruler, square
from neyman_papers.cases import laplace
from neyman_papers.divergence.designs import bounds
from neyman_papers.divergence.series import gauss, grid, noisier, same_pair, sgms
from neyman_papers.drawn import Curve, Picture
from neyman_papers.verdict import outward

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["figure_1", "figure_2", "figure_3", "figure_4", "figure_5", "figure_6", "figure_7", "figure_8"]

_PRIORS = np.linspace(0.0, 1.0, 401)
_WIDER = 1.4  # a Gaussian whose curve visibly crosses that of Laplace noise of scale 1


def figure_1() -> Picture:
    """Two profiles through one point."""
    figure, (axes,) = panels(1, height=2.7)
    epsilon = np.linspace(0.0, 10.0, 301)
    curves: list[Curve] = []
    for number, member in enumerate(same_pair()):
        name = f"σ = {member.noise:.3f}, p = {member.rate:g}, {member.steps} steps"
        delta = np.asarray(member.guarantee.delta(epsilon))
        line(axes, epsilon, delta, number, name)
        curves.append(Curve(name, {"epsilon": epsilon, "delta_at_most": delta,
                                   "delta_at_least": member.guarantee.optimistic.delta(epsilon)}))  # fmt: skip
    mark(axes, 4.0, 0.08, "(4.00, 0.08)", (8.0, 4.0))
    axes.set(xlabel="ε", ylabel="δ(ε)", xlim=(0.0, 10.0), ylim=(0.0, 0.75))
    axes.legend(loc="upper right")
    return Picture(figure, curves)


def figure_2() -> Picture:
    """A Gaussian's curve shifted below that of a Laplace mechanism."""
    figure, (axes,) = panels(1, height=3.0)
    pair, names = (gauss(_WIDER), laplace()), [f"f: Gauss, σ = {_WIDER:g}", "f~: Laplace, b = 1"]
    regret(*pair, labels=names, ax=axes)
    return Picture(figure, curves_of(regret.data(*pair, labels=names)))


def figure_3() -> Picture:
    """The canonical comparison: every divergence as a ruler; on the right what the small one measures."""
    figure, (left, right) = panels(2, height=2.9)
    pair, names = (gauss(), laplace()), ["Gauss, σ = 1", "Laplace, b = 1"]
    facts = bayes_error.data(*pair, labels=names).facts
    errors = [np.asarray(g.bayes_error(_PRIORS)) for g in pair]
    for axes in (left, right):
        axes.plot([0.0, 0.5, 1.0], [0.0, 0.5, 0.0], color=GUIDE, linewidth=0.6)
        for number, (error, name) in enumerate(zip(errors, names, strict=True)):
            line(axes, _PRIORS, error, number, name)
        axes.set(xlabel="prior π = P(record absent)", xlim=(0.0, 1.0))
    star, far = float(pair[0].bayes_error(0.5)), facts["reverse_prior"]
    low, high = (float(g.bayes_error(far)) for g in pair)
    ruler(left, (0.5, 0.0), (0.5, star), f"Δ(Gauss ‖ BNP)\n= R* = {star:.3f}", (4.0, -24.0))
    ruler(left, (0.5, star), (0.5, 0.5), f"Δ(PP ‖ Gauss)\n= {0.5 - star:.3f}", (-5.0, 3.0))
    for axes, offset in ((left, (5.0, 4.0)), (right, (6.0, 7.0))):
        ruler(axes, (far, low), (far, high), f"Δ(Lap ‖ Gauss)\n≤ {outward(facts['reverse'], 3, up=True)}", offset)
    ruler(right, (0.5, float(pair[1].bayes_error(0.5))), (0.5, star), "Δ(Gauss ‖ Lap)\n≤ "
        f"{outward(facts['divergence'], 3, up=True)}",
          (0.0, -26.0))  # fmt: skip
    left.set(ylabel="Bayes error R(π)", ylim=(0.0, 0.52))
    right.set(xlim=(0.25, 0.85), ylim=(0.2, 0.34))
    left.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return Picture(figure, curves_of(bayes_error.data(*pair, labels=names)))


def figure_4() -> Picture:
    """Bayes errors weighed by three hyper-priors."""
    from scipy import stats

    figure, axes = panels(3, height=2.7)
    pair = [account(mechanism) for mechanism in sgms()]
    c = compare(*pair)
    laws: dict[str, Any] = {"(a) no hyper-prior": stats.uniform(), "(b) Beta(0.5, 0.5)": stats.beta(0.5, 0.5),
                            "(c) UQuadratic[0, 1]": UQuadratic()}  # fmt: skip
    prior = np.linspace(0.002, 0.998, 499)
    curves: list[Curve] = []
    for one, (name, law) in zip(axes, laws.items(), strict=True):
        density, found = np.asarray(law.pdf(prior)), c.weighted(law)
        for number, (g, label) in enumerate(zip(pair, ("M", "M~"), strict=True)):
            weighed = density * np.asarray(g.bayes_error(prior))
            line(one, prior, weighed, number, label)
            curves.append(Curve(f"{name}: {label}", {"prior": prior, "density": density, "error_at_least": weighed}))
        one.set(title=name, xlabel="prior π = P(record absent)", xlim=(0.0, 1.0))
        one.set_ylim(0.0, 1.45 * float(one.get_ylim()[1]))
        one.legend(loc="upper left")
        one.text(0.02, 0.72, f"Δ(M ‖ M~) = {found.divergence:.3f}\nΔ(M~ ‖ M) = {found.reverse:.3f}", fontsize=7,
                 transform=one.transAxes)  # fmt: skip
        _inset(one, prior, density)
    axes[0].set_ylabel("weighted Bayes error")
    return Picture(figure, curves)


def _inset(axes: Axes, x: Any, density: Any) -> None:
    small = axes.inset_axes((0.66, 0.74, 0.32, 0.22))
    small.plot(x, density, color=INK, linewidth=0.8)
    small.set(xticks=[0, 1], yticks=[], ylim=(0.0, 3.2))
    small.tick_params(labelsize=6)
    small.set_title("density", fontsize=6, pad=2)


def figure_5() -> Picture:
    """Excess vulnerability over noise 2, of runs that share (8, 1e-5)."""
    figure, (axes,) = panels(1, height=2.7)
    rows = noisier()
    noise, excess = [m.noise for m in rows], [m.divergence[1] for m in rows]
    line(axes, noise, excess, 0, "Δ(σ = 2 ‖ σ~)", marker="o")
    star = noise.index(3.0)
    mark(axes, 3.0, excess[star], "σ~ = 3: best accuracy\n(De et al.)", (8.0, -20.0), marker="*", markersize=9,
         color=COLOURS[1])  # fmt: skip
    axes.set(xlabel="noise multiplier σ~", ylabel="excess vulnerability")
    axes.set_ylim(0.0, 1.15 * max(excess))
    axes.legend(loc="lower right")
    columns = {"noise_multiplier": noise, "sample_rate": [m.rate for m in rows], "steps": [m.steps for m in rows],
               "divergence_at_most": excess, "divergence_at_least": [m.divergence[0] for m in rows]}  # fmt: skip
    return Picture(figure, [Curve("runs", columns)])


def figure_6() -> Picture:
    """The divergence from the baseline, by noise, rate and steps."""
    figure, (axes,) = panels(1, height=3.0)
    members = grid()
    curves: list[Curve] = []
    for number, steps in enumerate(sorted({m.steps for m in members})):
        row = [m for m in members if m.steps == steps]
        noise, found = [m.noise for m in row], [m.divergence[1] for m in row]
        line(axes, noise, found, number, f"{steps} steps", marker="os^D"[number], markersize=3.5, linewidth=0.8)
        columns = {"noise_multiplier": noise, "sample_rate": [m.rate for m in row], "steps": [m.steps for m in row],
                   "divergence_at_most": found, "divergence_at_least": [m.divergence[0] for m in row]}  # fmt: skip
        curves.append(Curve(f"{steps} steps", columns))
    mark(axes, 0.54, 0.0, "baseline: σ = 0.54, p = 0.01, 500 steps", (8.0, 6.0), marker="X", markersize=6)
    last = max(members, key=lambda m: m.noise)
    axes.annotate("along each line p~ rises\nfrom 0.04 to 0.9", (last.noise, last.divergence[1]), (-6.0, -28.0),
                  textcoords="offset points", fontsize=7, ha="right")  # fmt: skip
    axes.set(xscale="log", xlabel="noise multiplier σ~", ylabel="Δ(M ‖ M~)", ylim=(-0.006, 0.15))
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 0.12))
    return Picture(figure, curves)


def figure_7() -> Picture:
    """Bounds on reconstruction against the divergence."""
    figure, (axes,) = panels(1, height=2.7)
    divergence, success = (np.array(values) for values in bounds())
    slope, start = np.polyfit(divergence, success, 1)
    ends = np.array([0.0, divergence.max()])
    axes.plot(ends, start + slope * ends, color=GUIDE, linewidth=0.8, label="least squares")
    axes.plot(divergence, success, "o", color=COLOURS[0], label="certified bounds")
    axes.set(xlabel="Δ(M ‖ M~)", ylabel="reconstruction succeeds, at most")
    axes.legend(loc="upper left")
    return Picture(figure, [Curve("mechanisms", {"divergence_at_most": divergence, "success_at_most": success})])


def figure_8() -> Picture:
    """From f to its Bayes error function and back."""
    figure, (left, right) = panels(2, height=2.8)
    g: Guarantee = gauss()
    for alpha in np.concatenate([[0.002, 0.01], np.linspace(0.03, 0.97, 24)]):
        left.plot(_PRIORS, _PRIORS * alpha + (1.0 - _PRIORS) * float(g.beta(alpha)), color=GUIDE, linewidth=0.5)
    line(left, _PRIORS, g.bayes_error(_PRIORS), 0, "$R_{min}$, below all lines", linewidth=1.8)
    star = float(g.bayes_error(0.5))
    mark(left, 0.5, star, f"R* = {star:.4f}", (0.0, -16.0))
    left.set(xlim=(0.0, 1.0), ylim=(0.0, 0.6), xlabel="prior π = P(record absent)", ylabel="Bayes error",
             title="(a) f to $R_{min}$: a line for each α")  # fmt: skip
    left.legend(loc="lower center")
    for prior in np.linspace(0.03, 0.97, 26):
        height = (float(g.bayes_error(prior)) - prior * ALPHAS) / (1.0 - prior)
        right.plot(ALPHAS, height, color=GUIDE, linewidth=0.5)
    square(right, diagonal=False)
    line(right, ALPHAS, g.beta(ALPHAS), 1, "f, above all lines", linewidth=1.8, linestyle="solid")
    mark(right, g.fixed_point, g.fixed_point, f"α* = {g.fixed_point:.4f}", (9.0, 8.0))
    right.set_title("(b) $R_{min}$ to f: a line for each π")
    right.legend(loc="upper right")
    return Picture(figure, [curve_of("f", g), bayes_of("R", g, _PRIORS)])
