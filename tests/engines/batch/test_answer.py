"""mu and regret of a batch beside those of the regular engine: no contradiction anywhere, and nothing unsaid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.batch.answering import answer as room
from neyman.engines.batch.answering.answer import REGRET_WIDTH, RELATIVE_WIDTH, Batch, answer
from neyman.engines.batch.laying.settings import taken
from tests.effort import rest_slow

FIELDS = ("mu", "mu_lower", "regret", "regret_lower")


def asked(settings: list[tuple[float, float, int]], floor: float = 1e-10) -> Batch:
    sigma, rate, steps = (np.array(column, dtype=np.float64) for column in zip(*settings, strict=True))
    return answer(sigma, rate, steps, floor)


def agrees(batch: Batch, place: int, setting: tuple[float, float, int], floor: float = 1e-10) -> None:
    """Each is an upper bound of what the other is a lower bound of."""
    guarantee = ny.account(ny.DPSGD(*setting))
    above, below = guarantee.gdp(floor), guarantee.optimistic.gdp(floor)
    assert below.mu <= batch.mu[place]
    assert batch.mu_lower[place] <= above.mu
    # the regret grows with mu, by 0.2 of it at most
    moved = 0.2 * abs(batch.mu[place] - above.mu)
    assert below.regret <= batch.regret[place] + moved
    assert batch.regret_lower[place] <= above.regret


def sound(batch: Batch) -> None:
    """What is certain is as narrow as it says, and what is not is no number."""
    sure = batch.certain
    assert ((batch.mu - batch.mu_lower)[sure] <= RELATIVE_WIDTH * batch.mu[sure]).all()
    assert ((batch.regret - batch.regret_lower)[sure] <= REGRET_WIDTH).all()
    assert ((batch.mu_lower > 0.0) & (batch.regret_lower >= 0.0))[sure].all()
    for name in FIELDS:
        assert np.isnan(getattr(batch, name)[~sure]).all()


@pytest.mark.parametrize("first", rest_slow([0, 2], 0))
def test_settings_of_the_figure(first: int) -> None:
    rng = np.random.default_rng(11)
    rates = np.geomspace(1e-2, 1.0, 200)
    some = [
        (float(rng.integers(1, 11)), float(rng.choice(rates)), int(rng.choice([400, 1000, 2000]))) for _ in range(200)
    ]
    batch = asked(some)
    sound(batch)
    assert batch.certain.mean() > 0.85
    for place in np.flatnonzero(batch.certain)[first::4]:
        agrees(batch, int(place), some[place])


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(np.log(low), np.log(high)).map(lambda x: float(np.exp(x)))


ANY = st.tuples(log_uniform(0.3, 1e3), log_uniform(1e-8, 1.0), log_uniform(1.0, 1e9).map(int))


@settings(max_examples=40, deadline=None)
@given(st.lists(ANY, min_size=8, max_size=8), st.sampled_from([1e-6, 1e-10, 1e-14]))
def test_anything_is_certain_or_handed_on(some: list[tuple[float, float, int]], floor: float) -> None:
    batch = asked(some, floor)
    sound(batch)
    for place in np.flatnonzero(batch.certain)[:1]:
        agrees(batch, int(place), some[place], floor)


REACHED = st.tuples(log_uniform(0.5, 20.0), log_uniform(1e-3, 0.9), log_uniform(50.0, 1e5).map(int))


@settings(max_examples=25, deadline=None)
@given(st.lists(REACHED, min_size=6, max_size=6), st.sampled_from([1e-5, 1e-10]))
def test_where_most_is_certain_nothing_is_false(some: list[tuple[float, float, int]], floor: float) -> None:
    batch = asked(some, floor)
    sound(batch)
    for place in np.flatnonzero(batch.certain)[:1]:
        agrees(batch, int(place), some[place], floor)


@pytest.mark.parametrize(
    "setting",
    [(1.0, 0.9995, 100), (1.0, 0.0, 100), (1.0, 0.1, 1), (0.05, 0.1, 100), (1e9, 0.1, 100), (1.0, 1e-12, 100),
     (1.0, 0.9, 10**6), (1.0, 0.5, 10**15), (1e-300, 0.5, 1000)],
)  # fmt: skip
def test_what_is_handed_on_unseen(setting: tuple[float, float, int]) -> None:
    sigma, rate, steps = (np.array([float(x)]) for x in setting)
    assert not taken(sigma, rate, steps)[0]
    batch = asked([setting, (2.0, 0.1, 400)])
    sound(batch)
    assert batch.certain.tolist() == [False, True]


def test_no_setting_at_all() -> None:
    none = np.zeros(0)
    assert len(answer(none, none, none, 1e-10).certain) == 0


def test_places_are_kept() -> None:
    some = [(3.0, 0.1, 400), (9.0, 0.5, 1000), (1.5, 0.03, 2000)]
    one, two = asked(some), asked(some[::-1])
    for name in FIELDS:
        assert getattr(one, name)[::-1] == pytest.approx(getattr(two, name), rel=1e-9, abs=1e-9)
    assert one.mu == pytest.approx([ny.account(ny.DPSGD(*each)).gdp(1e-10).mu for each in some], rel=1e-8)


def test_a_tighter_width_is_not_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "RELATIVE_WIDTH", 1e-15)
    assert not asked([(2.0, 0.1, 400)]).certain.any()


def test_regret_is_that_of_the_mu_that_is_handed_out() -> None:
    batch = asked([(2.0, 0.1, 400)])
    other = ny.account(ny.DPSGD(2.0, 0.1, 400))
    low, high = (ny.GDP(float(batch.mu[0])).regret(other), other.regret(ny.GDP(float(batch.mu[0]))))
    assert batch.regret[0] == pytest.approx(high, abs=3e-9) or batch.regret[0] == pytest.approx(low, abs=3e-9)
