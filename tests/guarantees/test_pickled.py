"""Guarantees travel: pickled, copied, to other processes; and are equal where what they state is."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from typing import Any

import cloudpickle
import joblib
import numpy as np
import pytest

import neyman as ny
from neyman.guarantees import ComposedGuarantee
from tests.effort import crossed

RUN = ny.DPSGD(1.0, 0.01, 1000)
G = ny.account(RUN)
ONE = ny.account(RUN, adjacency="remove")
MADE: dict[str, Callable[[], Any]] = {
    "computed": lambda: G,
    "optimistic": lambda: G.optimistic,
    "one order": lambda: ONE,
    "black boxes": lambda: ny.account(ny.Laplace(20.0) ** 10 * ny.ApproximateMechanism(0.1, 1e-9)),
    "opaque": lambda: ny.account(ny.Opaque(ny.GDP(1.0)) * ny.Laplace(1.0)),
    "inverse": lambda: ONE.inverse(),
    "symmetrized": lambda: ONE.symmetrized(),
    "group": lambda: G.group(2),
    "product": lambda: G * ny.GDP(0.5),
    "power": lambda: G**2,
    "composed": lambda: ny.compose_tradeoffs([G, ny.GDP(0.1)], tolerance=1e-5),
    "one by one": lambda: ny.join(one for one in (G, ny.GDP(0.7))),
    "join": lambda: ny.join(G, ny.GDP(0.7)),
    "meet": lambda: ny.meet(G, ny.GDP(0.7)),
    "of optimistic": lambda: ny.join(G.optimistic, ny.GDP(0.7).optimistic),
    "GDP": lambda: ny.GDP(1.0),
    "pure": lambda: ny.PureDP(1.0),
    "pair": lambda: ny.ApproximateDP(1.0, 1e-5),
    "RDP": lambda: ny.RDP([2.0, 3.0], [1.0, 2.0]),
    "zCDP": lambda: ny.ZCDP(0.5),
    "profile": lambda: ny.Profile([1.0, 2.0], [1e-3, 1e-5]),
    "tradeoff": lambda: ny.Tradeoff([0.0, 0.5, 1.0], [1.0, 0.2, 0.0]),
    "perfect": lambda: ny.PERFECT,
    "blatant": lambda: ny.BLATANT,
}


@cache
def made(name: str) -> Any:
    return MADE[name]()


@crossed(("name", MADE), ("pickled", [pickle, cloudpickle]), ids=lambda value: getattr(value, "__name__", None))
def test_it_comes_back_and_says_the_same(name: str, pickled: Any) -> None:
    g = made(name)
    g.delta(0.5), g.optimistic.delta(0.5), g.advantage
    back = pickled.loads(pickled.dumps(g))
    assert type(back) is type(g)
    assert back.adjacency == g.adjacency
    points = np.array([-1.0, 0.0, 0.5, 2.0])
    fresh = pickle.loads(pickle.dumps(g))
    assert back.delta(points).tolist() == fresh.delta(points).tolist()
    lower, upper = g.pessimistic.optimistic.delta(points), g.pessimistic.delta(points)
    assert np.all(back.pessimistic.delta(points) >= lower)
    assert np.all(back.pessimistic.optimistic.delta(points) <= upper)


@pytest.mark.parametrize("name", MADE)
def test_a_copy_is_the_value_itself(name: str) -> None:
    assert copy.copy(made(name)) is made(name)
    assert copy.deepcopy([made(name)])[0] is made(name)


def test_little_is_sent() -> None:
    """What it was made from, however much it has computed."""
    g = ny.account(RUN)
    g.gdp(), g.curve(64)
    assert len(pickle.dumps(g)) < 1000


def test_equality_is_of_mechanism_adjacency_and_tolerance() -> None:
    same = ny.account(ny.DPSGD(1.0, 0.01, 400) * ny.DPSGD(1.0, 0.01, 600))
    assert same == G
    assert hash(G) == hash(same)
    assert G.optimistic == same.optimistic
    assert hash(G.optimistic) == hash(same.optimistic)
    assert ny.account(RUN, adjacency="replace") != G
    assert ny.account(RUN, tolerance=1e-7) != G
    assert ny.account(ny.DPSGD(1.0, 0.01, 999)) != G
    assert G.optimistic != G
    assert ny.GDP(1.0) != ny.account(ny.Gaussian(1.0))
    assert (G * G) != (G * G)  # no mechanism is known of it
    assert len({G, same, G.optimistic, ny.GDP(1.0), ny.GDP(1.0)}) == 3


def test_extremes_stay_the_only_ones() -> None:
    assert pickle.loads(pickle.dumps(ny.PERFECT)) is ny.PERFECT
    assert pickle.loads(pickle.dumps(ny.BLATANT)) is ny.BLATANT


def test_without_a_recipe_its_mechanism_is_one() -> None:
    g = ny.calibrate(ny.Laplace, ny.targets.Epsilon(0.5, delta=0.0), tolerance=1e-3).guarantee
    assert isinstance(g, ComposedGuarantee)
    assert pickle.loads(pickle.dumps(g)) == g


def test_what_holds_guarantees_travels_too() -> None:
    c = ny.compare(G, ny.GDP(1.0))
    assert pickle.loads(pickle.dumps(c)).divergence == pytest.approx(c.divergence, abs=1e-9)
    law = pickle.loads(pickle.dumps(ONE.loss.add.under_q))
    here, there = law.cdf(0.0), ONE.loss.add.under_q.cdf(0.0)
    assert max(here.lower, there.lower) <= min(here.upper, there.upper)
    assert here.upper == pytest.approx(there.upper, abs=1e-8)
    assert pickle.loads(pickle.dumps(G.loss)).direction == "both"
    s = pickle.loads(pickle.dumps(G.summary()))
    assert s == G.summary()


def test_what_another_process_answers() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        (found,) = pool.map(_epsilon, [G])
    assert found == pytest.approx(G.epsilon(1e-5), rel=1e-9)


def test_what_joblib_sends() -> None:
    asked = [G, ny.GDP(1.0), made("product")]
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(_epsilon)(g) for g in asked)
    assert list(found) == pytest.approx([g.epsilon(1e-5) for g in asked], rel=1e-9)


def _epsilon(g: ny.Guarantee) -> float:
    return g.epsilon(1e-5)
