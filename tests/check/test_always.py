"""What is true of any mechanism is proved with no delta at all; what is not true of all is not."""

from __future__ import annotations

import pytest

import neyman as ny
from neyman_check import check

KINDS = [  # of a mechanism that tells nothing: values that are attained
    ("tpr", {"fpr": 0.1}, 0.1),
    ("attribute_inference", {"baseline": 0.2}, 0.2),
    ("relative_risk", {"baseline": 0.05}, 1.0),
    ("posterior", {"membership_prior": 0.3, "fpr": 0.01}, 0.3),
    ("auc", {}, 0.5),
    ("delta", {"epsilon": 1.0}, 0.0),
    ("fixed_point", {}, 0.0),
]


def answer(quantity, given, side, value, mechanism=None):
    data = {
        "format": "neyman-proof", "version": 1, "bits": 128, "adjacency": "add_or_remove", "lines": [], "places": [],
        "mechanism": (mechanism or ny.DPSGD(1.0, 0.01, 10)).to_dict(),
        "statements": [{"id": "x", "quantity": quantity, "given": given, side: value}],
    }  # fmt: skip
    (one,) = check(data)
    return one.verdict


@pytest.mark.parametrize(("quantity", "given", "least"), KINDS)
def test_no_worse_than_a_guess(quantity, given, least):
    assert answer(quantity, given, "at_least", least) == "proved"
    assert answer(quantity, given, "at_least", least * (1 + 1e-15) + 1e-300) == "not proved"


@pytest.mark.parametrize("quantity", ["tpr", "posterior", "auc", "delta", "fixed_point", "accuracy", "bayes_error"])
def test_shares(quantity):
    given = {"tpr": {"fpr": 0.1}, "posterior": {"membership_prior": 0.3, "fpr": 0.01}, "delta": {"epsilon": 1.0},
             "accuracy": {"prior": 0.5}, "bayes_error": {"prior": 0.5}}.get(quantity, {})  # fmt: skip
    assert answer(quantity, given, "at_most", 1.0) == "proved"
    assert answer(quantity, given, "at_most", 1.0 - 2**-53) == "not proved"


@pytest.mark.parametrize("quantity", ["relative_risk", "mu", "epsilon", "regret"])
def test_what_has_no_bound(quantity):
    given = {"relative_risk": {"baseline": 0.5}, "mu": {"floor": 1e-10}, "epsilon": {"delta": 1e-5},
             "regret": {"floor": 1e-10, "mu": 1.0}}.get(quantity, {})  # fmt: skip
    assert answer(quantity, given, "at_most", 1.0) == "not proved"


def test_rho_is_told_by_the_laws():
    """Of ten sampled steps of noise 1 it is 5."""
    assert answer("zcdp", {}, "at_most", 5.001) == "proved"
    assert answer("zcdp", {}, "at_most", 4.999) == "refuted"


def test_a_rate_of_nothing():
    """No prior is kept where nobody is accused, no risk beside a baseline of 0."""
    assert answer("posterior", {"membership_prior": 0.3, "fpr": 0.0}, "at_least", 0.3) == "not proved"
    assert answer("relative_risk", {"baseline": 0.0}, "at_least", 1.0) == "not proved"
