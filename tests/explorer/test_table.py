"""Tables are bounds: what is answered between stops is never below what the engine says of the setting itself."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman._errors import NotCertified
from neyman.explorer.asking.settings import settings_of
from neyman.explorer.tables import table as tables
from neyman.explorer.tables.stops import DELTAS, SITE, Stops
from neyman.explorer.tables.table import numbers_of, table_of
from neyman.understanding.number_text import exact
from tests.effort import examples

STOPS = Stops(("0.7", "1.1", "2"), ("512/60000", "0.03"), ("300", "2000"), ("0.3", "0.01", "1e-5"))
TABLE: Any = None


def table() -> Any:
    global TABLE
    if TABLE is None:
        TABLE = table_of(STOPS)
    return TABLE


def test_its_form() -> None:
    found = table()
    assert (found["v"], found["version"], found["kind"], found["floor"]) == (1, ny.__version__, "dpsgd", "1e-10")
    assert found["axes"] == {"noise_multiplier": STOPS.noise, "sample_rate": STOPS.rates, "steps": STOPS.steps}
    assert {len(column) for column in (found["mu"], found["regret"], found["advantage"], *found["epsilon"])} == {12}
    assert found["deltas"] == STOPS.deltas


@examples(8, 200)
@given(st.floats(0.701, 2.2), st.floats(0.003, 0.0299), st.integers(100, 1999), st.floats(1.1e-5, 0.4))
def test_the_next_stop_on_the_safe_side_is_never_below_the_engine(
    noise: float, rate: float, steps: int, delta: float
) -> None:
    """As the page snaps: noise down, rate and steps up, delta down."""
    found = table()
    i = max(k for k, text in enumerate(STOPS.noise) if exact(text) <= Fraction(noise))
    j = min(k for k, text in enumerate(STOPS.rates) if exact(text) >= Fraction(rate))
    k = min(k for k, text in enumerate(STOPS.steps) if int(text) >= steps)
    d = min(k for k, text in enumerate(STOPS.deltas) if exact(text) <= Fraction(delta))
    at = (i * len(STOPS.rates) + j) * len(STOPS.steps) + k
    g = ny.account(ny.DPSGD(noise, rate, steps))
    assert float(found["mu"][at]) >= g.mu()
    assert float(found["advantage"][at]) >= g.advantage
    assert float(found["epsilon"][d][at]) >= g.epsilon(delta)
    fpr = np.array([1e-6, 1e-3, 0.01, 0.1, 0.5])
    pairs = [(float(column[at]), float(text)) for column, text in zip(found["epsilon"], STOPS.deltas, strict=True)]
    power = np.min([e_delta + math.exp(e) * fpr for e, e_delta in (*pairs, (0.0, float(found["advantage"][at])))], 0)
    assert np.all(power * (1.0 + 1e-12) >= g.roc(fpr))


def test_stops_are_at_the_float_on_the_safe_side_of_their_decimals() -> None:
    for stops in (STOPS, SITE):
        noise, rates = {one[0] for one in stops.settings()}, {one[1] for one in stops.settings()}
        assert all(any(0 <= exact(text) - Fraction(x) < Fraction(x) / 2**50 for x in noise) for text in stops.noise)
        assert all(any(0 <= Fraction(x) - exact(text) < Fraction(x) / 2**50 for x in rates) for text in stops.rates)
        assert all(Fraction(x) <= exact(text) for x, text in zip(stops.levels(), stops.deltas, strict=True))
        assert len([*stops.settings()]) == len(stops)
        for axis in (stops.noise, stops.rates, stops.steps):
            assert [*axis] == sorted(set(axis), key=exact)
        assert [*stops.deltas] == sorted(set(stops.deltas), key=exact, reverse=True)
    assert (DELTAS[0], DELTAS[-1]) == ("0.5", "1e-12")


def test_numbers_are_rounded_outward() -> None:
    setting = (1.0, 0.01, 500)
    found = numbers_of(setting, [1e-5, 1e-9])
    g = ny.account(ny.DPSGD(*setting))
    truth = [g.mu(), g.gdp().regret, g.advantage, g.epsilon(1e-5), g.epsilon(1e-9)]
    for text, value in zip(found, truth, strict=True):
        assert text is not None
        assert Decimal(text) >= Decimal(g.optimistic.mu() if text == found[0] else value) * (1 - Decimal("1e-8"))
        assert Decimal(text) <= Decimal(value) * Decimal("1.0011")
        assert len(Decimal(text).normalize().as_tuple().digits) <= 4


def test_what_is_not_certified_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> float:
        raise NotCertified("x", 0.0, 1.0, "of some reason")

    monkeypatch.setattr("neyman.guarantees.guarantee.Guarantee.gdp", refused)
    assert numbers_of((1.0, 0.01, 500), [1e-5])[:3] == [None, None, None]
    monkeypatch.setattr("neyman.guarantees.verbs.Views.epsilon", refused)
    assert numbers_of((1.0, 0.01, 500), [1e-5, 1e-6]) == [None] * 5
    assert numbers_of((0.001, 1.0, 10**12), [1e-5])[0] is None


def test_one_delta_that_is_refused_keeps_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    own = ny.Guarantee.epsilon

    def some(self: ny.Guarantee, delta: Any) -> Any:
        if np.ndim(delta) or delta < 1e-8:
            raise NotCertified("epsilon", 0.0, 1.0, "of some reason")
        return own(self, delta)

    monkeypatch.setattr("neyman.guarantees.verbs.Views.epsilon", some)
    found = numbers_of((1.0, 0.01, 500), [1e-5, 1e-9])
    assert found[3] is not None
    assert found[4] is None


@pytest.mark.parametrize("said", [(1.1, "512/60000", 1172), (0.05, 0.7, 1), (40, "1%", 10**15), (1, 1, 3)])
@pytest.mark.parametrize("fine", [False, True])
def test_stops_around_a_setting_hold_it(said: Any, fine: bool) -> None:
    told = dict(zip(("noise_multiplier", "sample_rate", "steps"), said, strict=True))
    settings: Any = settings_of("settings", {"kind": "dpsgd", **told}, {})
    around = Stops.around(settings, fine)
    sigma, rate, steps = settings.noise_multiplier, settings.rate, settings.steps
    assert any(exact(text) == Fraction(repr(sigma)) for text in around.noise)
    assert any(exact(text) == rate.exact for text in around.rates)
    assert str(steps) in around.steps
    assert len(around) <= (960 if fine else 135)
    assert all(0.0 < rate <= 1.0 for _, rate, _ in around.settings())


def test_processes_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    few = Stops(("1", "2"), ("0.01",), ("100", "200"), ("1e-5",))
    monkeypatch.setattr(tables, "_CHUNK", 1)
    assert table_of(few, workers=2) == table_of(few, workers=1)
