"""The pictures of the documentation, drawn from the guarantees that the pages speak of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from ten import TEN  # pyright: ignore[reportMissingImports] (beside this file)

import neyman as ny

__all__ = ["PICTURES", "pictures"]

_EXAMPLES = Path(__file__).parents[2] / "examples"


def _paper() -> Any:
    return ny.account(ny.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000))


def _laplace() -> Any:
    return ny.account(ny.Laplace(1.0))


def _sweep() -> Any:
    return ny.sweep(
        noise_multiplier=[1.0, 1.5, 2.0, 3.0, 4.0], sample_rate=[0.01, 0.02, 0.05, 0.1], steps=400,
        quantities=["mu"], workers=1,
    )  # fmt: skip


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
    "tradeoff": (
        "Trade-off curves of the paper's DP-SGD run and of its mu",
        lambda: ny.plot.tradeoff(_paper(), ny.GDP(_paper().mu()), labels=["DP-SGD", "its mu"]),
    ),
    "roc": (
        "The best attack on the paper's run beside what a pair alone would allow",
        lambda: ny.plot.roc(_paper(), ny.ApproximateDP(7.43, 1e-5), labels=["DP-SGD", "(7.43, 1e-5)"]),
    ),
    "profile": ("Privacy profiles", lambda: ny.plot.profile(_paper(), ny.GDP(1.57), labels=["DP-SGD", "1.57-GDP"])),
    "privacy-loss": (
        "The laws of the privacy loss of the paper's run, for a removed record",
        lambda: ny.plot.privacy_loss(_paper(), direction="remove"),
    ),
    "bayes-error": (
        "Bayes errors of a Gaussian and a Laplace mechanism, with both divergences",
        lambda: ny.plot.bayes_error(ny.account(ny.Gaussian(1.0)), _laplace(), labels=["Gaussian", "Laplace"]),
    ),
    "regret": ("The regret of stating mu for a Laplace mechanism", lambda: ny.plot.regret(_laplace())),
    "difference": ("What the curve of the paper's run holds beyond its mu", lambda: ny.plot.difference(_paper())),
    "local-mu": ("The mu that each error rate would need", lambda: ny.plot.local_mu(_paper())),
    "likelihood-ratio": ("The best test between two normal laws", lambda: ny.plot.likelihood_ratio(1.0, alpha=0.1)),
    "roc-tangent": ("The ROC curve and its tangent", lambda: ny.plot.roc_tangent(ny.GDP(1.0), epsilon=0.5)),
    "rdp-conversions": ("Three roads from Renyi DP to epsilon", lambda: ny.plot.rdp_conversions(delta=1e-5)),
    "sweep-lines": (
        "mu against the noise multiplier",
        lambda: ny.plot.sweep_lines(_sweep(), "mu", x="noise_multiplier", hue="sample_rate"),
    ),
    "sweep-map": (
        "mu over noise multiplier and sample rate",
        lambda: ny.plot.sweep_map(_sweep(), "mu", x="noise_multiplier", y="sample_rate"),
    ),
    "divergence-1": (
        "Two privacy profiles through one point",
        lambda: ny.plot.profile(_point(4.0, 0.08, 0.01), _point(4.0, 0.08, 0.5), scale="linear"),
    ),
    "divergence-2": (
        "The trade-off curve of a Gaussian, shifted below that of a Laplace mechanism",
        lambda: ny.plot.regret(ny.account(ny.Gaussian(1.4)), _laplace()),
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
    "audit": (
        "A claim, and what an attack measured",
        lambda: ny.plot.audit(
            ny.GDP(1.0), [0.01, 0.1], [0.03, 0.2], lower=[0.02, 0.17], upper=[0.05, 0.23], mu_lower=0.3
        ),
    ),
}


def pictures() -> dict[str, str]:
    """Return every picture as SVG."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.use("Agg")
    found = {}
    for name, (title, draw) in (PICTURES | TEN).items():
        with ny.plot.style.paper():
            figure = draw().figure
            found[name] = ny.plot.svg(figure, name, title=title)
            plt.close(figure)
    return found
