"""Guarantees of every kind, drawn for the same neighbours, and Delta(a || b) three times by what a reader can ask."""

from __future__ import annotations

import functools

import numpy as np
from hypothesis import strategies as st

import neyman as ny
from neyman.profiles.pair import LargestProfile, MaximumProfile
from tests.guarantees.pool import computed, veiled

LOPSIDED = ny.Tradeoff([0.0, 0.1, 0.5, 1.0], [0.9, 0.6, 0.2, 0.0])
PAIRS = ny.Profile([0.0, 1.0, 2.5], [0.35, 0.12, 1e-3])
LOSSES = ny.Tabulated([0.5, 0.3, 0.2, 0.0], [0.2, 0.3, 0.4, 0.1])  # something may be revealed, in one direction
BOUNDED = ny.Tabulated([0.5, 0.3, 0.2], [0.2, 0.3, 0.5])


def mixed(adjacency="add_or_remove"):
    """Gaussian noise, and a small chance that everything is revealed."""
    return ny.account(ny.ApproximateMechanism(0.5, 0.02) * ny.Gaussian(1.5), adjacency)


# what takes long to make or to ask is made once; "slow" ones take 10 ms for each point of the curve
MAKERS = {
    "laplace": lambda: computed("laplace"),
    "dpsgd": lambda: computed("dpsgd"),
    "dpsgd more": lambda: computed("dpsgd more"),
    "one step": lambda: computed("one step"),
    "response": lambda: computed("response"),
    "responses": lambda: computed("responses"),
    "failing": lambda: computed("failing"),
    "discrete": lambda: computed("discrete"),
    "discrete laplace": lambda: ny.account(ny.DiscreteLaplace(1.5)),
    "gaussian": lambda: ny.account(ny.Gaussian(1.2)),
    "sampled laplace": lambda: ny.account(ny.Laplace(1.0).poisson(0.3)),
    "failing noise": mixed,
    "tabulated": lambda: ny.account(LOSSES),
    "sampled table": lambda: ny.account(BOUNDED.poisson(0.4) ** 3),
    "pure": lambda: ny.account(ny.PureMechanism(0.8)),
    "lopsided": lambda: LOPSIDED,
    "turned": LOPSIDED.inverse,
    "pairs": lambda: PAIRS,
    "product": lambda: ny.GDP(0.5) * ny.PureDP(0.7),
    "box": lambda: ny.account(ny.Opaque(LOPSIDED) ** 2),
    "box of pairs": lambda: ny.account(ny.Opaque(PAIRS).poisson(0.2) ** 2, tolerance=1e-3),
    "join": lambda: ny.join(ny.GDP(1.0), ny.PureDP(1.0)),
    "join of computed": lambda: ny.join(computed("dpsgd"), computed("response")),
    "join of polygons": lambda: ny.join(PAIRS, LOPSIDED, ny.PureDP(0.9)),
    "meet": lambda: ny.meet(ny.GDP(1.0), ny.PureDP(1.0)),
    "perfect": lambda: ny.PERFECT,
    "blatant": lambda: ny.BLATANT,
}
SLOW = {
    "meet of computed": lambda: ny.meet(computed("dpsgd"), ny.account(ny.Laplace(2.0))),
    "meet of polygons": lambda: ny.meet(PAIRS, LOPSIDED),
    "laplaces": lambda: computed("laplaces"),
    "power of a join": lambda: ny.join(ny.GDP(0.8), ny.PureDP(0.7)) ** 2,
    "group": lambda: ny.account(ny.Laplace(3.0)).group(3),
    "group of responses": lambda: ny.PureDP(0.4).group(2),
    "symmetrized": LOPSIDED.symmetrized,
    "zcdp": lambda: ny.ZCDP(0.3),
    "rdp": lambda: ny.RDP([1.5, 2.0, 4.0, 16.0], [0.2, 0.3, 0.6, 2.0]),
}
# curves for one order alone, or for an exchanged record
ONE_WAY = {
    "dpsgd": lambda: computed("dpsgd", "remove"),
    "one step": lambda: computed("one step", "remove"),
    "turned": lambda: computed("one step", "add").inverse(),
    "sampled laplace": lambda: ny.account(ny.Laplace(1.0).poisson(0.3), "remove"),
    "tabulated": lambda: ny.account(LOSSES, "remove"),
    "turned table": lambda: ny.account(LOSSES, "add").inverse(),
    "sampled table": lambda: ny.account(BOUNDED.poisson(0.4) ** 3, "remove"),
    "gaussian": lambda: ny.account(ny.Gaussian(1.2), "remove"),
    "failing noise": lambda: mixed("remove"),
    "box": lambda: ny.account(ny.Opaque(LOPSIDED, "remove") ** 2, "remove"),
    "join": lambda: ny.join(computed("one step", "remove"), ny.account(ny.Laplace(1.5), "remove")),
    "meet": lambda: ny.meet(computed("one step", "remove"), computed("one step", "add").inverse()),
}
EXCHANGED = {
    "dpsgd": lambda: computed("dpsgd", "replace"),
    "laplace": lambda: computed("laplace", "replace"),
    "gaussian": lambda: ny.account(ny.Gaussian(1.7), "replace"),
    "pure": lambda: ny.account(ny.PureMechanism(0.8), "replace"),
    "box": lambda: ny.account(ny.Opaque(PAIRS, "replace"), "replace", tolerance=1e-3),
}
_ROOMS = {"": MAKERS, "slow": SLOW, "remove": ONE_WAY, "replace": EXCHANGED}


@functools.cache
def made(name, room=""):
    return _ROOMS[room][name]()


def drawn_from(room):
    return st.sampled_from(sorted(_ROOMS[room])).map(lambda name: made(name, room))


def _line(points):
    """A convex falling polyline through random corners: the lower hull of points under 1 - alpha, and the ends."""
    corners = sorted({0.0: 1.0, 1.0: 0.0, **{a: (1.0 - a) * b for a, b in points}}.items())
    hull = []
    for x, y in corners:
        while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (x - hull[-2][0]) >= (y - hull[-2][1]) * (
            hull[-1][0] - hull[-2][0]
        ):
            hull.pop()
        hull.append((x, y))
    alpha, beta = zip(*hull, strict=True)
    return ny.Tradeoff(alpha, np.minimum.accumulate(beta))


_shares = st.floats(0.03, 0.97)
quick = st.one_of(
    st.floats(1e-3, 6.0).map(ny.GDP),
    st.floats(1e-2, 4.0).map(ny.PureDP),
    st.builds(ny.ApproximateDP, st.floats(0.0, 4.0), st.floats(1e-9, 0.3)),
    st.floats(0.05, 5.0).map(veiled),
    st.lists(st.tuples(_shares, _shares), min_size=1, max_size=3).map(_line),
    st.lists(
        st.tuples(st.floats(0.0, 4.0), st.floats(1e-6, 0.8)), min_size=1, max_size=4, unique_by=lambda p: p[0]
    ).map(lambda pairs: ny.Profile(*zip(*sorted(pairs), strict=True))),
    st.floats(0.3, 4.0).map(lambda b: ny.account(ny.Laplace(b))),
    st.tuples(st.floats(0.1, 2.0), st.integers(2, 6)).map(lambda p: ny.account(ny.RandomizedResponse(p[0], k=p[1]))),
    st.floats(0.2, 3.0).map(lambda mu: ny.GDP(0.3) * ny.GDP(mu)),
)
anything = st.one_of(quick, drawn_from(""))


def alike(number, slow=False):
    """That many guarantees for the same neighbours."""
    rooms = [st.tuples(*[anything] * number)] * 2 + [
        st.tuples(*[drawn_from(r)] * number) for r in ("remove", "replace")
    ]
    if slow:
        rooms.append(st.tuples(*[anything] * (number - 1), drawn_from("slow")).flatmap(st.permutations).map(tuple))
    return st.one_of(rooms)


def one_pair(g):
    """Whether one pair of laws has the curve, in both orders: else divergences and powers know two directions."""
    profile = g.sides.forward
    return not isinstance(profile, MaximumProfile) or isinstance(profile, LargestProfile)


# Delta(a || b) by each of its definitions

_SPREAD = np.concatenate([-np.geomspace(40.0, 1e-3, 90), [0.0], np.geomspace(1e-3, 40.0, 90)])


def largest(function, places, rounds=8, kept=4, parts=12):
    """The largest value on the line: on the grid ``places``, and then ever closer around the best cells."""
    value = function(places)
    best = float(np.max(value))
    cells = [(places[max(i - 1, 0)], places[min(i + 1, places.size - 1)]) for i in np.argsort(-value)[:kept]]
    for _ in range(rounds):
        inner = np.unique(np.concatenate([np.linspace(low, high, parts + 1) for low, high in cells]))
        value = function(inner)
        best = max(best, float(np.max(value)))
        order = np.argsort(-value)[:kept]
        cells = [(inner[max(i - 1, 0)], inner[min(i + 1, inner.size - 1)]) for i in order]
    return best


def by_profiles(a, b, **search):
    """Max over real eps of (delta_b - delta_a) / (1 + e^eps)."""
    return largest(lambda e: (b.delta(e) - a.delta(e)) / (1.0 + np.exp(e)), _SPREAD, **search)


def by_errors(a, b, **search):
    """Max over priors of R_a - R_b, at priors whose log odds are searched."""

    def gain(odds):
        prior = 1.0 / (1.0 + np.exp(-odds))
        return a.bayes_error(prior) - b.bayes_error(prior)

    return largest(gain, _SPREAD, **search)


def over(a, b, shift, **search):
    """Max over alpha of f_a(alpha + shift) - shift - f_b(alpha): at most 0 if, and only if, shift >= Delta(a || b).

    As f_a falls, it decreases in the shift by at least as much: |over| bounds how far the shift is from Delta.
    """

    def excess(t):
        alpha = (1.0 - shift) * t
        return a.beta(np.minimum(alpha + shift, 1.0)) - shift - b.beta(alpha)

    return largest(excess, _share(10 if search else 36), **search)


@functools.cache
def _share(half):
    near = np.geomspace(1e-9, 0.1, half)
    return np.unique(np.concatenate([[0.0, 1.0], near, 1.0 - near, np.linspace(0.1, 0.9, 2 * half)]))


def certificate(g, places=_SPREAD[::4]):
    """How wide the bracket of its Bayes errors is, at most."""
    prior = 1.0 / (1.0 + np.exp(-places))
    return float(np.max(g.optimistic.bayes_error(prior) - g.bayes_error(prior)))
