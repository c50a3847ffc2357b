"""Figures of the sensitivity paper; those that teach have no parameters in the text: psi is ours."""

from __future__ import annotations

import numpy as np

from neyman.conversions import GaussianPage, gaussian_epsilon
from neyman.guarantees import GDP
from neyman.plot import roc_tangent
from neyman.plot.drawing.style import GUIDE, INK
from neyman_papers.canvas import curves_of, line, mark, panels, shade, square
from neyman_papers.drawn import Curve, Picture
from neyman_papers.sensitivity.numbers import DELTA, excess

__all__ = ["figure_1", "figure_2", "figure_3", "figure_4", "figure_5", "figure_6"]

_PSI = 1.5  # of the law that is drawn
_COLUMNS = {"standard": "standard_rdp", "a": "improved_rdp_a", "b": "improved_rdp_b"}
_FPR = np.unique(np.concatenate([np.geomspace(1e-6, 1e-2, 60), np.linspace(0.0, 1.0, 201)]))
_RATES = ("false positive rate", "true positive rate")


def _normal(x: np.ndarray, mean: float, deviation: float = 1.0) -> np.ndarray:
    return np.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * np.sqrt(2.0 * np.pi))


def figure_1() -> Picture:
    """The outputs on both data sets, and the privacy loss."""
    figure, (left, right) = panels(2, height=2.4)
    x = np.linspace(-4.0, 4.0 + _PSI, 301)
    line(left, x, _normal(x, 0.0), 4, "M(q(D'))", linestyle="solid")
    line(left, x, _normal(x, _PSI), 4, "M(q(D))", linestyle=(0, (5, 1.6)))
    loss = np.linspace(-5.0, 7.5, 301)
    mean = 0.5 * _PSI * _PSI
    line(right, loss, _normal(loss, mean, _PSI), 0, f"mean ψ²/2 = {mean:g}, sd ψ = {_PSI:g}")
    right.axvline(mean, color=GUIDE, linewidth=0.6)
    for axes, name in ((left, "output, in units of σ"), (right, "privacy loss Ω")):
        axes.set(xlabel=name, ylabel="density")
        axes.set_ylim(0.0, 1.35 * float(axes.get_ylim()[1]))
        axes.legend(loc="upper right")
    return Picture(figure, [
        Curve("outputs", {"x": x, "density_absent": _normal(x, 0.0), "density_present": _normal(x, _PSI)}),
        Curve("loss", {"x": loss, "density": _normal(loss, mean, _PSI)}),
    ])  # fmt: skip


def figure_2() -> Picture:
    """What a cut-off makes of the two laws."""
    figure, (axes,) = panels(1, height=2.6)
    x, cut = np.linspace(-4.0, 4.0 + _PSI, 601), 1.0
    without, present = _normal(x, 0.0), _normal(x, _PSI)
    above, below = x >= cut, x <= cut
    shade(axes, x[below], without[below], 3, "true negatives", "", 0.25)
    shade(axes, x[below], present[below], 0, "false negatives", "\\\\\\\\", 0.2)
    shade(axes, x[above], present[above], 2, "true positives", "", 0.25)
    shade(axes, x[above], without[above], 5, "false positives", "////", 0.3)
    axes.plot(x, without, color=INK)
    axes.plot(x, present, color=INK, linestyle=(0, (5, 1.6)))
    axes.plot([cut, cut], [0.0, 0.47], color="#b00020", linewidth=1.2)
    axes.annotate("cut-off c", (cut, 0.45), (4.0, 0.0), textcoords="offset points", fontsize=7, color="#b00020")
    axes.set(xlabel="output, in units of σ", ylabel="density", ylim=(0.0, 0.68))
    axes.legend(loc="upper right", ncols=2)
    fpr = float(GDP(0.0).roc(float(1.0 - _area(cut))))
    columns = {"psi": [_PSI], "cut": [cut], "fpr": [fpr], "tpr": [float(GDP(_PSI).roc(fpr))]}
    laws = Curve("laws", {"x": x, "density_absent": without, "density_present": present})
    return Picture(figure, [laws, Curve("rates", columns)])


def _area(cut: float) -> float:
    from scipy import special

    return float(special.ndtr(cut))


def figure_3() -> Picture:
    """The ROC curve and its area."""
    figure, (axes,) = panels(1, height=2.9)
    page = GaussianPage(_PSI)
    power = np.asarray(page.roc(_FPR))
    shade(axes, _FPR, power, 0, f"area {page.auc:.4f} = Φ(ψ/√2)", "", 0.18)
    line(axes, _FPR, power, 0, f"R(x), ψ = {_PSI:g}")
    axes.plot([0, 1], [0, 1], color=GUIDE, linewidth=0.6)
    square(axes, *_RATES, diagonal=False)
    axes.legend(loc="lower right")
    return Picture(figure, [Curve("roc", {"fpr": _FPR, "tpr_at_most": power}), Curve("area", {"auc": [page.auc]})])


def figure_4() -> Picture:
    """The ROC curve and its tangent."""
    figure, (axes,) = panels(1, height=3.0)
    roc_tangent(GDP(_PSI), epsilon=1.0, labels=[f"R(x), ψ = {_PSI:g}"], ax=axes)
    return Picture(figure, curves_of(roc_tangent.data(GDP(_PSI), epsilon=1.0)))


def figure_5() -> Picture:
    """A mechanism that reveals the record now and then."""
    figure, (axes,) = panels(1, height=2.9)
    page, kappa = GaussianPage(_PSI), 0.25
    power, failed = np.asarray(page.roc(_FPR)), np.asarray(page.failed_roc(_FPR, kappa))
    line(axes, _FPR, failed, 0, f"failed with probability κ = {kappa:g}")
    line(axes, _FPR, power, 1, f"R(x), ψ = {_PSI:g}")
    mark(axes, 0.0, kappa, "κ", (6.0, -2.0), clip_on=False)
    axes.plot([0, 1], [0, 1], color=GUIDE, linewidth=0.6)
    square(axes, *_RATES, diagonal=False)
    axes.legend(loc="lower right")
    return Picture(figure, [Curve("failed", {"fpr": _FPR, "tpr_at_most": failed}),
                            Curve("actual", {"fpr": _FPR, "tpr_at_most": power})])  # fmt: skip


def figure_6() -> Picture:
    """Three conversions of Renyi DP beside the profile, for large and for small psi."""
    figure, axes = panels(2, height=3.0)
    names = {"standard": "standard RDP", "b": "improved (B)", "a": "improved (A)"}
    curves: list[Curve] = []
    shown = ((axes[0], 2.0, np.linspace(2.0, 6.0, 161), "(A) high ψ, order 2"),
             (axes[1], 6.0, np.linspace(0.02, 2.0, 199), "(B) low ψ, order 6"))  # fmt: skip
    for one, order, psi, title in shown:
        exact = np.array([gaussian_epsilon(float(p), DELTA) for p in psi])
        columns = {"psi": psi, "order": np.full(psi.shape, order), "epsilon_by_profile": exact}
        for number, (rule, name) in enumerate(names.items()):
            found = columns[f"epsilon_by_{_COLUMNS[rule]}"] = excess(rule, order, psi)
            line(one, psi, found, number, name)
        line(one, psi, exact, 4, "privacy profile", linestyle="solid", linewidth=0.9)
        one.set(title=title, xlabel="ψ", ylabel=f"ε at δ = {DELTA:g}", xlim=(psi[0], psi[-1]))
        one.set_ylim(bottom=0.0)
        one.legend(loc="upper left")
        curves.append(Curve(title, columns))
    return Picture(figure, curves)
