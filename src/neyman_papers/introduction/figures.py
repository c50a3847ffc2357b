"""Teaching figures for the passage, which has none of its own."""

from __future__ import annotations

from neyman.guarantees import GDP
from neyman.plot import likelihood_ratio
from neyman_papers.canvas import ALPHAS, curve_of, curves_of, legend, line, mark, panels, square
from neyman_papers.cases import fit
from neyman_papers.drawn import Picture
from neyman_papers.introduction.laplace import COPIES, many_laplace

__all__ = ["figure_1", "figure_2", "figure_3"]


def figure_1() -> Picture:
    """The attacker's dilemma: one threshold, two errors, one point of the curve."""
    figure, (left, right) = panels(2, height=2.7)
    likelihood_ratio(1.0, alpha=0.1, ax=left)
    g = GDP(1.0)
    beta = float(g.beta(0.1))
    line(right, ALPHAS, g.beta(ALPHAS), 0, "f, μ = 1")
    mark(right, 0.1, beta, label=f"α = 0.1, β = {beta:.3f}")
    square(right)
    legend(right)
    return Picture(figure, [*curves_of(likelihood_ratio.data(1.0, alpha=0.1)), curve_of("f", g)])


def figure_2() -> Picture:
    """Two Gaussian mechanisms and their composition."""
    figure, (axes,) = panels(1, height=2.9)
    shown = {"μ = 1": GDP(1.0), "μ = 2": GDP(2.0), "both: μ = √5": GDP(1.0) * GDP(2.0)}
    for number, (name, g) in enumerate(shown.items()):
        line(axes, ALPHAS, g.beta(ALPHAS), number, name)
    square(axes)
    legend(axes)
    return Picture(figure, [curve_of(name, g) for name, g in shown.items()])


def figure_3() -> Picture:
    """Composition makes any mechanism look Gaussian."""
    figure, axes = panels(len(COPIES), height=2.6)
    curves = []
    for one, copies in zip(axes, COPIES, strict=True):
        g = many_laplace(copies)
        report = fit(g)[0]
        line(one, ALPHAS, g.beta(ALPHAS), 0, f"{copies} Laplace, b = {copies**0.5:g}")
        line(one, ALPHAS, GDP(report.mu).beta(ALPHAS), 1, f"its μ-GDP, μ = {report.mu:.3f}\nregret {report.regret:.2g}")
        square(one)
        legend(one)
        curves += [curve_of(f"{copies} Laplace", g), curve_of(f"{copies} Laplace, mu", GDP(report.mu))]
    return Picture(figure, curves)
