"""The value itself: sentences that are never better than the truth, arrays, equality; and the pair alone."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neyman as ny
from neyman.risk.kinds import KINDS
from neyman.risk.numbers import plain, points, share, times
from tests.effort import examples

numbers = st.one_of(
    st.floats(0.0, 1.0),
    st.floats(-320.0, 0.0).map(lambda e: 10.0**e),
    st.floats(-16.0, 0.0).map(lambda e: 1.0 - 10.0**e),
    st.sampled_from([0.0, 5e-324, 2.3e-308, 1e-4, 0.5, 0.9995, 0.99995, 1.0 - 2.0**-53, 1.0]),
)


def read(text: str) -> Fraction:
    """What a person reads, as an exact number."""
    text = text.replace(",", "")
    if text.startswith("1 in "):
        return 1 / Fraction(text[5:])
    number, unit = re.fullmatch(r"([\d.e+-]+)( %| percentage points|)", text).groups()  # type: ignore[union-attr]
    return Fraction(number) / (100 if unit else 1)


@settings(max_examples=300)
@given(value=numbers)
def test_numbers_are_rounded_to_their_own_side(value: float) -> None:
    exact = Fraction(value)
    for shown in (share, points):
        above, below = read(shown(value, True)), read(shown(value, False))
        assert below <= exact <= above
        assert above - below <= Fraction(12, 1000) * exact
    assert read(share(value, True)) <= 1
    # what is left of 100 % keeps its digits too
    assert 1 - read(share(value, False)) <= (1 - exact) * Fraction(12, 10) or value < 0.5


@settings(max_examples=300)
@given(value=st.one_of(st.floats(1.0, 1e300), st.sampled_from([1.0, 9.995, 999.5, 1e15, 1.7e308])))
def test_ratios_are_rounded_to_their_own_side(value: float) -> None:
    assert read(times(value, False)) <= Fraction(value) <= read(times(value, True))
    assert times(math.inf, True) == "infinitely many"


def test_what_was_given_is_shown_as_it_was() -> None:
    shown = {0.0: "0 %", 0.1: "10 %", 0.32768: "about 32.77 %", 1e-6: "1 in 1,000,000", 3e-6: "about 1 in 3.33e+05"}
    for value, text in (shown | {1.0: "100 %", 1e-4: "0.01 %", 0.999: "99.9 %", 1 / 3: "about 33.33 %"}).items():
        assert plain(value) == text
    assert plain(5e-324).startswith("about 1 in ")


def every(g: ny.Guarantee, x: float) -> list[ny.risk.Risk]:
    r = ny.risk
    return [
        r.tpr(g, x),
        r.advantage(g),
        r.posterior(g, 0.3, x),
        r.bayes_error(g, x),
        r.accuracy(g, x),
        r.reconstruction(g, x),
        r.attribute_inference(g, x),
        r.singling_out(g, x),
        r.singling_out(g, x, 12),
        r.relative_risk(g, x),
    ]


@examples(4, 250)
@given(mu=st.floats(1e-6, 9.0), x=st.one_of(st.floats(1e-12, 1.0), st.sampled_from([1e-300, 1.0])))
def test_no_sentence_is_better_than_the_truth(mu: float, x: float) -> None:
    for g in (ny.GDP(mu), ny.GDP(mu).optimistic):
        for risk in every(g, x):
            sentence = str(risk)
            assert risk.shown in sentence
            side, number = re.fullmatch(r"at (most|least) (.*)", risk.shown).groups()  # type: ignore[union-attr]
            assert (side == "most") == (risk.promise == (risk.name != "bayes_error"))
            assert (
                (read(number) >= Fraction(float(risk))) if side == "most" else (read(number) <= Fraction(float(risk)))
            )
            assert "{" not in sentence
            assert ("not a promise" in sentence) == (not risk.promise)


def test_every_risk_says_what_it_is() -> None:
    for adjacency in ("add_or_remove", "add", "remove", "replace"):
        for risk in every(ny.account(ny.Laplace(1.0), adjacency=adjacency), 0.2):
            assert len(risk.definition) > 20
            assert re.search(r"\(\d{4}\)|et al\.", risk.source)
            assert "every other record" in risk.assumes
            assert ("exchanged" in risk.assumes) == (adjacency == "replace")
            assert risk.adjacency == adjacency
    replaced = ny.risk.bayes_error(ny.account(ny.Laplace(1.0), adjacency="replace"), 0.5)
    assert "when it was replaced with a chance of 50 %" in str(replaced)
    assert "one of 1,200 people" in str(ny.risk.singling_out(ny.GDP(1.0), 1e-9, 1200))
    assert "a given person" in str(ny.risk.singling_out(ny.GDP(1.0), 1e-9))


def test_arrays_keep_their_shape_and_are_scalars_inside() -> None:
    g, x = ny.GDP(1.0), np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    for call in (
        lambda y: ny.risk.tpr(g, y),
        lambda y: ny.risk.posterior(g, 0.5, y),
        lambda y: ny.risk.bayes_error(g, y),
        lambda y: ny.risk.accuracy(g, y),
        lambda y: ny.risk.reconstruction(g, y),
        lambda y: ny.risk.singling_out(g, y, 3),
        lambda y: ny.risk.relative_risk(g, y),
    ):
        found = call(x)
        assert found.value.shape == found.baseline.shape == x.shape
        assert all(numbers.shape == x.shape for _, numbers in found.given)
        assert not found.value.flags.writeable
        one = found[1, 2]
        assert isinstance(one.value, float)
        assert one.given == call(0.6).given
        assert one.value == pytest.approx(call(0.6).value, rel=1e-12)
        assert one.baseline == call(0.6).baseline
        assert found[0].value.tolist() == found.value[0].tolist()
        assert str(found).startswith(f"{found.name} at 6 settings, from ")
        assert call(x) == found
        assert hash(call(x)) == hash(found)
        assert call(x[0]) != found
        with pytest.raises(ny.InvalidParameter, match=r"risk must be of a scalar, got \(2, 3\)"):
            _ = found.shown
    grid = ny.risk.posterior(g, np.array([[0.1], [0.5]]), [0.01, 0.1, 0.2])
    assert grid.value.shape == (2, 3)
    assert grid[1, 0].given == (("membership_prior", 0.5), ("fpr", 0.01))


def test_the_room_is_public() -> None:
    assert "risk" in dir(ny)
    assert all(hasattr(ny.risk, name) for name in ny.risk.__all__)
    assert set(KINDS) <= set(ny.risk.__all__)


def test_scalars() -> None:
    one = ny.risk.tpr(ny.GDP(1.0), 0.1)
    assert float(one) == one.value
    assert isinstance(one.value, float)
    assert one == ny.risk.tpr(ny.GDP(1.0), 0.1) != ny.risk.tpr(ny.GDP(1.0), 0.2)
    assert one != 0.389
    assert len({one, ny.risk.tpr(ny.GDP(1.0), 0.1)}) == 1
    assert re.fullmatch(r"<Risk: tpr\(fpr=0\.1\) <= 0\.38914\d+>", repr(one))
    assert re.fullmatch(
        r"<Risk: bayes_error\(prior=0\.5\) >= 0\.30853\d+>", repr(ny.risk.bayes_error(ny.GDP(1.0), 0.5))
    )
    with pytest.raises(ny.InvalidParameter, match="index must be used with the risk of an array"):
        one[0]
    with pytest.raises(AttributeError):
        one.value = 0.0  # type: ignore[misc]


def test_the_paper_case() -> None:
    """TPR at FPR 10 % is at most 61 %; its own pair at delta 1e-5 alone says 99.95 %."""
    g = ny.account(ny.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000))
    found = ny.risk.against_pair(g, 1e-5, fpr=0.1, baseline=0.01)
    assert found.epsilon == pytest.approx(7.4243790, abs=1e-6)
    row = found["tpr"]
    assert row.whole.value == pytest.approx(0.6098993, abs=1e-6)
    assert row.pair.value == pytest.approx(0.9995, abs=5e-5)
    assert (row.whole.shown, row.pair.shown) == ("at most 61 %", "at most 99.947 %")
    assert ny.risk.tpr(ny.ApproximateDP(8.0, 1e-5), 0.1).value == pytest.approx(0.9997, abs=5e-5)
    assert [r.whole.name for r in found] == [r.pair.name for r in found]
    assert len(found) == 9
    for r in found:
        if r.whole.name == "bayes_error":
            assert r.pair.value < r.whole.value
        else:
            assert r.whole.value < r.pair.value
    text = str(found)
    assert text.splitlines()[0].endswith("(epsilon = 7.42438, delta = 1e-05) alone would:")
    assert "tpr(fpr=0.1): at most 61 %; the pair alone: at most 99.947 %" in text
    assert len(text.splitlines()) == 10


@examples(10, 250)
@given(mu=st.floats(0.01, 6.0), delta=st.floats(-12.0, -0.5).map(lambda e: 10.0**e), x=st.floats(1e-6, 0.9))
def test_a_pair_never_says_less(mu: float, delta: float, x: float) -> None:
    for row in ny.risk.against_pair(ny.GDP(mu), delta, fpr=x, membership_prior=x, baseline=x, records=3):
        sign = -1.0 if row.whole.name == "bayes_error" else 1.0
        assert sign * row.whole.value <= sign * row.pair.value + 1e-12 * row.whole.value


def test_pairs_that_promise_nothing_and_pairs_of_one_order() -> None:
    for g, delta in ((ny.GDP(1.0), 0.0), (ny.ApproximateDP(1.0, 1e-3), 1e-5), (ny.GDP(100.0), 1e-9)):
        found = ny.risk.against_pair(g, delta)
        assert found.epsilon > 700.0
        assert found["advantage"].pair.value == 1.0
    alone = ny.account(ny.DPSGD(1.0, 0.1, 10), adjacency="add")
    both = ny.account(ny.DPSGD(1.0, 0.1, 10))
    assert ny.risk.against_pair(alone, 1e-5).epsilon == pytest.approx(both.epsilon(1e-5), rel=1e-9)
    swapped = ny.account(ny.Laplace(1.0), adjacency="replace")
    assert "replaced" in str(ny.risk.against_pair(swapped, 1e-5)["accuracy"].pair)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("guarantee", lambda: ny.risk.against_pair(ny.Laplace(1.0), 1e-5)),
        ("guarantee", lambda: ny.risk.against_pair(ny.GDP(1.0).optimistic, 1e-5)),
        ("delta", lambda: ny.risk.against_pair(ny.GDP(1.0), math.nan)),
        ("delta", lambda: ny.risk.against_pair(ny.GDP(1.0), 1.5)),
        ("fpr", lambda: ny.risk.against_pair(ny.GDP(1.0), 1e-5, fpr=math.nan)),
        ("fpr", lambda: ny.risk.against_pair(ny.GDP(1.0), 1e-5, fpr=[0.1])),
        ("membership_prior", lambda: ny.risk.against_pair(ny.GDP(1.0), 1e-5, membership_prior=-0.1)),
        ("baseline", lambda: ny.risk.against_pair(ny.GDP(1.0), 1e-5, baseline=0.0)),
        ("baseline", lambda: ny.risk.against_pair(ny.GDP(1.0), 1e-5, baseline=math.nan)),
        ("records", lambda: ny.risk.against_pair(ny.GDP(1.0), 1e-5, records=0)),
        ("name", lambda: ny.risk.against_pair(ny.GDP(1.0), 1e-5)["mu"]),
    ],
)
def test_refusals(name: str, call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ny.InvalidParameter) as caught:
        call()
    assert caught.value.name == name


def test_what_tells_nothing_is_not_rounded() -> None:
    """At a rate of 1 there is nothing above the baseline to round up to."""
    for g in (ny.GDP(1.0), ny.PureDP(0.3), ny.account(ny.Laplace(2.0)), ny.GDP(1.0).optimistic):
        assert ny.risk.posterior(g, 0.5, 1.0).value == 0.5
        assert ny.risk.relative_risk(g, 1.0).value == 1.0
    assert "at most 50 % of its accusations" in str(ny.risk.posterior(ny.GDP(1.0), 0.5, 1.0))
    assert "at most 1 times" in str(ny.risk.relative_risk(ny.GDP(1.0), 1.0))


def test_rows_of_unequal_lengths_are_refused() -> None:
    with pytest.raises(ny.InvalidParameter, match="fpr must be"):
        ny.risk.tpr(ny.GDP(1.0), [[0.1, 0.2], [0.3]])
