"""Guarantees of every make to draw from, and curves known independently of the library."""

from __future__ import annotations

import functools

import numpy as np
from hypothesis import strategies as st
from scipy import special

import neyman as ny
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.guarantees import PessimisticGuarantee
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Profile


class Veiled(Profile):
    """A profile that nobody can recognise: only its numbers are to be seen."""

    method = "veiled"

    def __init__(self, profile):
        self._profile = profile

    @property
    def tail_mu(self):
        return self._profile.tail_mu

    @property
    def end(self):
        return self._profile.end

    def bracket(self, epsilon):
        return self._profile.bracket(epsilon)

    def slope(self, epsilon):
        return self._profile.slope(epsilon)


def veiled(mu):
    profile = Veiled(GaussianProfile(mu))
    return PessimisticGuarantee(Pair(profile, profile), "add_or_remove")


@functools.cache
def computed(name, adjacency="add_or_remove"):
    mechanism = {
        "laplace": lambda: ny.Laplace(1.0),
        "laplace wide": lambda: ny.Laplace(2.5),
        "dpsgd": lambda: ny.DPSGD(1.0, 0.05, 50),
        "dpsgd more": lambda: ny.DPSGD(1.0, 0.05, 80),
        "dpsgd rarer": lambda: ny.DPSGD(1.0, 0.03, 50),
        "one step": lambda: ny.Gaussian(0.8).poisson(0.2),
        "response": lambda: ny.RandomizedResponse(1.0, k=4),
        "responses": lambda: ny.RandomizedResponse(0.3) ** 5,
        "failing": lambda: ny.ApproximateMechanism(0.5, 1e-6) ** 2,
        "discrete": lambda: ny.DiscreteGaussian(2.0) ** 3,
        "laplaces": lambda: ny.Laplace(2.0) ** 3,
    }[name]()
    return ny.account(mechanism, adjacency)


NAMES = ["laplace", "laplace wide", "dpsgd", "one step", "response", "responses", "failing", "discrete"]

given = st.one_of(
    st.floats(1e-3, 6.0).map(ny.GDP),
    st.floats(1e-2, 4.0).map(ny.PureDP),
    st.builds(ny.ApproximateDP, st.floats(0.0, 4.0), st.floats(1e-9, 0.3)),
    st.floats(0.05, 5.0).map(veiled),
)
any_guarantee = st.one_of(given, st.sampled_from(NAMES).map(computed))

EPSILONS = np.concatenate([-np.geomspace(1e-3, 12.0, 14)[::-1], [0.0], np.geomspace(1e-3, 12.0, 14)])


def gaussian(mu):
    return lambda a: special.ndtr(special.ndtri(1.0 - a) - mu)


def approximate(epsilon, delta):
    x = np.exp(epsilon)
    return lambda a: np.maximum(0.0, np.maximum(1.0 - delta - x * a, (1.0 - delta - a) / x))


def laplace(b):
    """T(Lap(0, b), Lap(1, b)), Dong, Roth and Su (2022), (4)."""
    x = np.exp(1.0 / b)

    def f(a):
        middle = 0.25 / (x * np.maximum(a, 1e-300))
        return np.where(a < 0.5 / x, 1.0 - x * a, np.where(a <= 0.5, middle, (1.0 - a) / x))

    return f


def delta_of(f, epsilon, rounds=14):
    """sup over alpha of 1 - f(alpha) - e^epsilon alpha, by zooming in on a grid: from below, to about 1e-11."""
    x = np.exp(np.asarray(epsilon, dtype=np.float64))[:, None]
    low, high = np.zeros_like(x), np.ones_like(x)
    share = np.concatenate([[0.0], np.geomspace(1e-14, 0.01, 100), np.linspace(0.011, 0.989, 200)])
    share = np.unique(np.round(np.concatenate([share, 1.0 - share]), 14))
    best = np.zeros_like(x)
    for _ in range(rounds):
        a = low + (high - low) * share
        value = (1.0 - f(a)) - x * a
        at = np.argmax(value, axis=1)
        best = np.maximum(best, value[np.arange(len(x)), at][:, None])
        left = a[np.arange(len(x)), np.maximum(at - 1, 0)]
        right = a[np.arange(len(x)), np.minimum(at + 1, share.size - 1)]
        low, high = left[:, None], right[:, None]
        share = np.linspace(0.0, 1.0, 41)
    return best[:, 0]


def between(g, truth, epsilon, width=1e-6):
    """The certified bounds enclose ``truth`` (known to 1e-10) and are close to it."""
    upper, lower = g.delta(epsilon), g.optimistic.delta(epsilon)
    assert np.all(lower <= truth + 1e-10)
    assert np.all(truth <= upper + 1e-10)
    assert np.all(upper - lower <= width * upper + 1e-10)
