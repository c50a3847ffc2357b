"""The pictures of the documentation: those below, those of ten.py, and those that gallery.md draws by its own code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from shown import drawn  # pyright: ignore[reportMissingImports] (beside this file)
from ten import TEN  # pyright: ignore[reportMissingImports] (likewise)

import neyman as ny

__all__ = ["PICTURES", "pictures"]

_EXAMPLES = Path(__file__).parents[2] / "examples"


def _start() -> Any:
    """What the start page opens with: the run of its tabs."""
    g = ny.account(ny.DPSGD(1.1, *ny.training(batch_size=512, dataset_size=60_000, epochs=10)))
    pair = ny.ApproximateDP(g.epsilon(1e-5), 1e-5)
    return ny.plot.tradeoff(g, pair, labels=["what the run allows", "what (ε, δ) alone would"])


def _point(epsilon: float, delta: float, rate: float) -> Any:
    return ny.noise_for_dpsgd(ny.targets.Epsilon(epsilon, delta), rate, 500).guarantee


def _same_epsilon() -> Any:
    return ny.sweep(
        noise_multiplier=ny.targets.Epsilon(8.0, delta=1e-5), sample_rate=np.geomspace(0.04, 0.9, 5),
        steps=[534, 1000, 1500], quantities="divergence", baseline=ny.DPSGD(0.54, 0.01, 500), workers=1,
    )  # fmt: skip


def _attacked() -> Any:
    target = ny.targets.Epsilon(4.0, delta=1e-5)
    base = ny.steps_for_dpsgd(target, noise_multiplier=0.6, sample_rate=0.01)
    return ny.sweep(
        noise_multiplier=target, sample_rate=np.geomspace(0.01, 0.99, 9), steps=int(base.parameter),
        quantities=["divergence", "tpr(0.1)"], baseline=base.mechanism, workers=1,
    )  # fmt: skip


def _weighed() -> Any:
    m, other = (ny.account(ny.DPSGD(noise, rate, 30)) for noise, rate in ((0.36, 0.0155), (0.22, 0.0065)))
    return ny.plot.weighted_bayes_error(m, other, ny.comparison.UQuadratic(), labels=["M", "M~"])


PICTURES: dict[str, tuple[str, Callable[[], Any]]] = {
    "start": ("The trade-off curve of a training run, far above what one of its pairs would allow", _start),
    "divergence-1": (
        "Two privacy profiles through one point",
        lambda: ny.plot.profile(_point(4.0, 0.08, 0.01), _point(4.0, 0.08, 0.5), scale="linear"),
    ),
    "divergence-2": (
        "The trade-off curve of a Gaussian, shifted below that of a Laplace mechanism",
        lambda: ny.plot.regret(ny.account(ny.Gaussian(1.4)), ny.account(ny.Laplace(1.0))),
    ),
    "divergence-4": ("Bayes errors weighed by a law of the prior", _weighed),
    "divergence-5": (
        "Accuracy and excess vulnerability of runs that keep (8, 1e-5)",
        lambda: ny.plot.pareto(ny.table(_EXAMPLES / "pareto_digits.csv", baseline="noise 2")),
    ),
    "divergence-6": (
        "Divergence from a baseline by calibrated noise",
        lambda: ny.plot.sweep_lines(_same_epsilon(), "divergence", x="noise_multiplier", hue="steps"),
    ),
    "divergence-7": (
        "Bounds on reconstruction against the divergence",
        lambda: ny.plot.sweep_lines(_attacked(), "tpr(0.1)", x="divergence"),
    ),
    "divergence-8a": (
        "The Bayes error of a Gaussian mechanism under the lines of all tests",
        lambda: ny.plot.envelope(ny.account(ny.Gaussian(1.0)), of="bayes_error"),
    ),
    "divergence-8b": (
        "The trade-off curve of a Gaussian mechanism above the lines of all priors",
        lambda: ny.plot.envelope(ny.account(ny.Gaussian(1.0)), of="tradeoff"),
    ),
}


def pictures() -> dict[str, str]:
    """Return every picture as SVG."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.use("Agg")
    found = {}
    with ny.plot.style.paper():
        for name, (title, draw) in (PICTURES | TEN).items():
            figure = draw().figure
            found[name] = ny.plot.svg(figure, name, title=title)
            plt.close(figure)
        for name, title, ax in drawn():
            found[name] = ny.plot.svg(ax, name, title=title)
    return found
