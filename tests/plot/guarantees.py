"""What is drawn in these tests: one guarantee of every kind whose points cost little."""

from functools import cache

import numpy as np

import neyman as ny

KINDS = (
    "gdp", "no noise to speak of", "0-gdp", "perfect", "blatant", "pure", "approximate", "laplace", "dpsgd", "add",
    "response", "tradeoff", "profile",
)  # fmt: skip


@cache
def guarantee(kind):
    """The guarantee of that name."""
    makers = {
        "gdp": lambda: ny.GDP(1.0),
        "no noise to speak of": lambda: ny.GDP(8.0),
        "0-gdp": lambda: ny.GDP(0.0),
        "perfect": lambda: ny.PERFECT,
        "blatant": lambda: ny.BLATANT,
        "pure": lambda: ny.PureDP(2.0),
        "approximate": lambda: ny.ApproximateDP(1.0, 1e-3),
        "laplace": lambda: ny.account(ny.Laplace(1.0)),
        "dpsgd": lambda: ny.account(ny.DPSGD(9.4, 0.32768, 2000)),
        "add": lambda: ny.account(ny.DPSGD(1.0, 0.1, 10), adjacency="add"),
        "response": lambda: ny.account(ny.RandomizedResponse(1.0) ** 3),
        "tradeoff": lambda: ny.Tradeoff([0.0, 0.2, 1.0], [0.9, 0.4, 0.0]),
        "profile": lambda: ny.Profile([0.0, 1.0, 2.0], [0.3, 0.05, 0.001]),
    }
    return makers[kind]()


@cache
def swept():
    """A sweep with two settings that failed."""
    found = ny.sweep(
        noise_multiplier=[1.0, 2.0, 4.0], sample_rate=[0.001, 0.01, 0.1], steps=[400, 1000], quantities=["mu"],
        workers=1,
    )  # fmt: skip
    values = found["mu"].values.copy()
    values[1, 0, 0] = np.nan
    values[2, 2, 1] = np.nan
    return found.assign(mu=(found["mu"].dims, values, found["mu"].attrs))


@cache
def runs():
    """A table of five runs, of which two in the middle and the last are not efficient."""
    given = ((2.0, 100, 0.70), (2.5, 200, 0.69), (3.0, 300, 0.68), (4.0, 600, 0.80), (5.0, 1500, 0.75))
    rows = [{"noise_multiplier": a, "sample_rate": 0.1, "steps": b, "accuracy": c} for a, b, c in given]
    return ny.table(rows, baseline="1")


PICTURES = (
    "tradeoff", "roc", "roc", "profile", "bayes_error", "regret", "regret", "difference", "local_mu",
    "likelihood_ratio", "roc_tangent", "rdp_conversions", "sweep_lines", "sweep_map", "audit",
    "weighted_bayes_error", "pareto", "envelope",
    "privacy_loss", "privacy_loss",
)  # fmt: skip


@cache
def drawn(number):
    """The Axes of one of ``PICTURES``, for tests that only look at it."""
    name, positional, named = picture(number)
    return getattr(ny.plot, name)(*positional, **named)


def picture(number):
    """One of ``PICTURES`` with arguments that suit it: name, positional, named."""
    return PICTURES[number], *_arguments()[number]


@cache
def _arguments():
    g, other = guarantee("laplace"), guarantee("gdp")
    sweep = swept()
    return (
        ((g, other), {}),
        ((g, other), {}),
        ((g, other), {"scale": "linear"}),
        ((g, other), {}),
        ((g, other), {}),
        ((g,), {}),
        ((g, ny.PureDP(1.0)), {}),
        ((g, other), {}),
        ((g, other), {}),
        ((1.5,), {"alpha": 0.05}),
        ((g,), {"epsilon": 0.5}),
        ((), {"delta": 1e-5, "mus": [0.5, 1.0, 2.0]}),
        ((sweep.isel(steps=[0]), "mu"), {"x": "noise_multiplier", "hue": "sample_rate"}),
        ((sweep.isel(steps=0), "mu"), {"x": "noise_multiplier", "y": "sample_rate"}),
        (
            (g, [0.01, 0.1, 0.5], [0.02, 0.2, 0.6]),
            {"lower": [0.01, 0.15, 0.55], "upper": [0.05, 0.25, 0.7], "mu_lower": 0.1},
        ),
        ((g, other, ny.comparison.UQuadratic()), {}),
        ((runs(),), {}),
        ((other,), {"of": "tradeoff"}),
        ((guarantee("dpsgd"),), {"direction": "remove"}),
        ((guarantee("approximate"),), {"kind": "cdf"}),
    )
