"""Figures of the blog post; where it names no mu, mu is ours."""

from __future__ import annotations

import numpy as np
from scipy import special

from neyman.guarantees import GDP
from neyman.plot import likelihood_ratio, tradeoff
from neyman.plot.drawing.style import GUIDE, INK
from neyman_papers.blog.numbers import BASE, FRIENDS
from neyman_papers.canvas import ALPHAS, curve_of, curves_of, legend, line, mark, panels, shade, square
from neyman_papers.drawn import Curve, Picture

__all__ = ["figure_1", "figure_2", "figure_3", "figure_4", "figure_5"]

_MU = 2.0  # mean under H1 of the two laws that are drawn


def figure_1() -> Picture:
    """One curve is f-DP, two are not."""
    figure, (axes,) = panels(1, height=2.9)
    line(axes, ALPHAS, BASE.beta(ALPHAS), 4, "f", linestyle="solid", linewidth=1.8)
    for number, (name, g) in enumerate(FRIENDS.items()):
        line(axes, ALPHAS, g.beta(ALPHAS), number, name, linestyle=("dashed", "dotted", "dashdot")[number])
    square(axes)
    legend(axes)
    return Picture(figure, [curve_of("f", BASE), *(curve_of(name, g) for name, g in FRIENDS.items())])


def _laws() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = np.linspace(-3.5, _MU + 3.5, 401)
    return x, np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi), np.exp(-0.5 * (x - _MU) ** 2) / np.sqrt(2.0 * np.pi)


def figure_2() -> Picture:
    """The two laws."""
    figure, (axes,) = panels(1, height=2.3)
    x, absent, present = _laws()
    line(axes, x, absent, 0, "H0: mean 0")
    line(axes, x, present, 1, f"H1: mean μ = {_MU:g}")
    for mean in (0.0, _MU):
        axes.plot([mean, mean], [0.0, float(absent.max())], color=GUIDE, linewidth=0.6)
    axes.set(xlabel="X, standard deviation 1", ylabel="density", ylim=(0.0, 0.5))
    axes.legend(loc="upper right", ncols=2)
    return Picture(figure, [Curve("laws", {"x": x, "density_absent": absent, "density_present": present})])


def figure_3() -> Picture:
    """The likelihood-ratio test."""
    figure, (axes,) = panels(1, height=2.5)
    likelihood_ratio(_MU, alpha=0.16, ax=axes)
    return Picture(figure, curves_of(likelihood_ratio.data(_MU, alpha=0.16)))


def figure_4() -> Picture:
    """How alpha and mu make beta."""
    figure, (left, right) = panels(2, height=2.7)
    alpha = 0.1
    cut = float(-special.ndtri(alpha))
    x, absent, present = _laws()
    line(left, x, absent, 0, "H0")
    line(left, x, present, 1, "H1")
    above, below = x >= cut, x <= cut
    shade(left, x[above], absent[above], 0, f"α = {alpha:g} = 1 - Φ(t)", "////")
    shade(left, x[below], present[below], 1, f"β = Φ(t - μ) = {float(GDP(_MU).beta(alpha)):.3f}", "", 0.25)
    left.plot([cut, cut], [0.0, 0.42], color=INK, linewidth=0.9)
    left.annotate("t", (cut, 0.425), fontsize=7, ha="center")
    left.set(xlabel=f"X; μ = {_MU:g}", ylabel="density", ylim=(0.0, 0.68))
    left.legend(loc="upper right", ncols=2)
    line(right, ALPHAS, GDP(_MU).beta(ALPHAS), 1, "β(α) = Φ(Φ⁻¹(1 - α) - μ)", linestyle="solid")
    mark(right, alpha, float(GDP(_MU).beta(alpha)), "", (8.0, 5.0))
    square(right)
    legend(right)
    laws = Curve("laws", {"x": x, "density_absent": absent, "density_present": present})
    return Picture(figure, [laws, curve_of("beta", GDP(_MU))])


def figure_5() -> Picture:
    """G_mu for several mu."""
    figure, (axes,) = panels(1, height=3.0)
    given = [GDP(mu) for mu in (0.5, 1.0, 3.0, 6.0)]
    names = [f"μ = {g.mu():g}" for g in given]
    tradeoff(*given, labels=names, ax=axes)
    return Picture(figure, curves_of(tradeoff.data(*given, labels=names)))
