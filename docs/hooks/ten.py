"""The ten pictures of docs/ten-pictures.md, each from a guarantee of the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import neyman as ny
from neyman.plot.drawing.style import COLOURS, GUIDE

__all__ = ["TEN"]

_ALPHA = np.unique(np.concatenate([np.linspace(0.0, 1.0, 201), np.geomspace(1e-6, 5e-3, 60)]))


def _axes(height: float = 2.3) -> Any:
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(3.3, height), layout="constrained")[1]


def _square(ax: Any) -> Any:
    ax.plot([0.0, 1.0], [1.0, 0.0], color=GUIDE, linewidth=0.6, zorder=0)
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="false positive rate α", ylabel="false negative rate β", aspect="equal")
    ax.legend(loc="upper right", frameon=True, facecolor="white", edgecolor="none", framealpha=1.0)
    return ax


def _above(ax: Any, columns: int) -> Any:
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns)
    return ax


def epsilon() -> Any:
    """Two Laplace laws: nowhere is one more than e times the other."""
    ax, x = _axes(), np.linspace(-4.0, 5.0, 601)
    without, present = 0.5 * np.exp(-np.abs(x)), 0.5 * np.exp(-np.abs(x - 1.0))
    bound = float(np.exp(ny.account(ny.Laplace(1.0)).epsilon(0.0)))
    ax.plot(x, without, color=COLOURS[0], label="without the record")
    ax.fill_between(x, without / bound, without * bound, color=COLOURS[0], alpha=0.12, linewidth=0.0,
                    label=f"within a factor of {bound:.3f} of it")  # fmt: skip
    ax.plot(x, present, color=COLOURS[1], linestyle="--", label="with it")
    ax.set(xlabel="output", ylabel="density", ylim=(0.0, 0.6), xlim=(-4.0, 5.0))
    return _above(ax, 1)


def delta() -> Any:
    """Two normal laws, and what of the second is above e times the first."""
    ax, x = _axes(), np.linspace(-3.5, 4.5, 801)
    without, present = (np.exp(-0.5 * (x - m) ** 2) / np.sqrt(2.0 * np.pi) for m in (0.0, 1.0))
    found = ny.account(ny.Gaussian(1.0)).delta(1.0)
    ax.plot(x, np.e * without, color=COLOURS[0], linestyle=":", linewidth=1.0, label="e times the first")
    ax.plot(x, without, color=COLOURS[0], label="without the record")
    ax.plot(x, present, color=COLOURS[1], linestyle="--", label="with it")
    ax.fill_between(x, np.e * without, present, where=present > np.e * without, facecolor=COLOURS[1], alpha=0.35,
                    hatch="////", edgecolor=COLOURS[1], linewidth=0.0, label=f"δ(1) = {found:.4f}")  # fmt: skip
    ax.set(xlabel="output, in units of σ", ylabel="density", ylim=(0.0, 0.5), xlim=(-3.5, 4.5))
    return _above(ax, 2)


def profile() -> Any:
    """All pairs of the Gaussian mechanism."""
    g = ny.account(ny.Gaussian(1.0))
    ax = ny.plot.profile(g, labels=["Gaussian noise, σ = 1"], ax=_axes())
    at = g.epsilon([0.1, 1e-3, 1e-5])
    ax.plot(at, [0.1, 1e-3, 1e-5], "o", color=COLOURS[1], markersize=3.5, label="three of its pairs")
    ax.legend(loc="lower left")
    return ax


def attacker() -> Any:
    """One threshold, two errors."""
    return ny.plot.likelihood_ratio(1.0, alpha=0.1, ax=_axes())


def curve() -> Any:
    """Every threshold: the trade-off curve."""
    g, ax = ny.GDP(1.0), _axes(2.7)
    ax.plot(_ALPHA, g.beta(_ALPHA), color=COLOURS[0], label="f of Gaussian noise, σ = 1")
    ax.plot([0.1], [g.beta(0.1)], "o", color=COLOURS[1], label=f"α = 0.1, β = {g.beta(0.1):.3f}")
    return _square(ax)


def pairs() -> Any:
    """What pairs say alone, and what all of them say."""
    g, ax = ny.account(ny.Gaussian(1.0)), _axes(2.7)
    for number, d in enumerate((0.3, 0.1, 1e-2, 1e-5)):
        pair = ny.ApproximateDP(g.epsilon(d), d)
        ax.plot(_ALPHA, pair.beta(_ALPHA), color=COLOURS[number + 1], linestyle="--", linewidth=0.9,
                label=f"({pair.stated['epsilon']:.2f}, {d:g}) alone")  # fmt: skip
    ax.plot(_ALPHA, g.beta(_ALPHA), color=COLOURS[0], linewidth=1.8, label="all pairs: f")
    return _square(ax)


def tangent() -> Any:
    """The tangent of slope e^epsilon."""
    return ny.plot.roc_tangent(ny.GDP(1.0), epsilon=0.5, ax=_axes(2.7))


def gaussian() -> Any:
    """The family G_mu."""
    given = [ny.GDP(mu) for mu in (0.5, 1.0, 3.0, 6.0)]
    return ny.plot.tradeoff(*given, labels=[f"μ = {g.mu():g}" for g in given], ax=_axes(2.7))


def limit() -> Any:
    """One Laplace mechanism and sixteen with a quarter of the loss each, beside their Gaussians."""
    ax = _axes(2.7)
    for number, copies in enumerate((1, 16)):
        g = ny.account(ny.Laplace(copies**0.5) ** copies)
        r = g.gdp()
        ax.plot(_ALPHA, g.beta(_ALPHA), color=COLOURS[2 * number], label=f"{copies} Laplace, b = {copies**0.5:g}")
        ax.plot(_ALPHA, ny.GDP(r.mu).beta(_ALPHA), color=COLOURS[2 * number + 1], linestyle="--",
                label=f"μ = {r.mu:.3f}, regret {r.regret:.4f}")  # fmt: skip
    return _square(ax)


def fit() -> Any:
    """The mu that each error rate needs: of a run of DP-SGD nearly the same, of Laplace noise not at all."""
    run = ny.account(ny.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000))
    return ny.plot.local_mu(run, ny.account(ny.Laplace(1.0)), labels=["DP-SGD", "Laplace noise, b = 1"], ax=_axes())


TEN: dict[str, tuple[str, Callable[[], Any]]] = {
    "ten-epsilon": ("Two Laplace laws, nowhere more than e times each other", epsilon),
    "ten-delta": ("Two normal laws, and the part that exceeds e times the first", delta),
    "ten-profile": ("The privacy profile of a Gaussian mechanism", profile),
    "ten-attacker": ("One threshold and its two errors", attacker),
    "ten-curve": ("The trade-off curve of a Gaussian mechanism", curve),
    "ten-pairs": ("Single pairs of a Gaussian mechanism beside all of them", pairs),
    "ten-tangent": ("The ROC curve and its tangent", tangent),
    "ten-gaussian": ("Trade-off curves of Gaussian DP", gaussian),
    "ten-limit": ("One Laplace mechanism and sixteen, beside Gaussian curves", limit),
    "ten-fit": ("The mu that each error rate needs, of a DP-SGD run and of Laplace noise", fit),
}
