"""DP-SGD in the words of those who train, and what a mechanism remembers of its data set."""

from __future__ import annotations

import copy
import math
import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.cli.printing.answer import Answer
from neyman.guarantees.verbs import delta_of_records
from neyman.quantities.places import usual_deltas

RUN = ny.DPSGD(noise_multiplier=1.1, epochs=10, batch_size=512, dataset_size=60_000)


@given(size=st.integers(2, 10**9), share=st.fractions(0, 1), epochs=st.integers(1, 50))
def test_nothing_is_rounded_down(size: int, share: Fraction, epochs: int) -> None:
    batch = max(1, math.floor(size * share))
    (step, steps), *_ = ny.DPSGD(1.1, epochs=epochs, batch_size=batch, dataset_size=size).parts
    assert steps == -(-epochs * size // batch)
    rate = getattr(step, "rate", 1.0)
    assert Fraction(batch, size) <= Fraction(rate) <= Fraction(batch, size) * (1 + Fraction(1, 2**51))


@given(share=st.fractions(0, 1))
def test_fractions_are_rounded_up(share: Fraction) -> None:
    found = ny.DPSGD(1.1, share, 2)
    rate = getattr(found.parts[0][0], "rate", 1.0) if found.parts else 0.0
    assert rate == 0.0 if share == 0 else Fraction(rate) >= share


def test_the_data_set_is_remembered() -> None:
    assert RUN.dataset_size == 60_000
    for made in (
        RUN * ny.Gaussian(5.0), ny.Gaussian(5.0) * RUN, RUN**3, ny.compose([RUN, ny.Laplace(1.0)]),
        pickle.loads(pickle.dumps(RUN)), copy.deepcopy(RUN), ny.mechanism_from_dict(RUN.to_dict()), RUN**0,
    ):  # fmt: skip
        assert made.dataset_size == 60_000
    assert ny.Gaussian(1.0).with_dataset_size(50).poisson(0.1).dataset_size == 50
    assert ny.Gaussian(1.0).with_dataset_size(50).poisson(0.1) == ny.Gaussian(1.0).poisson(0.1)
    assert (RUN * ny.Gaussian(1.0).with_dataset_size(10)).dataset_size == 60_000  # the larger: the smaller delta
    assert ny.DPSGD(1.0, 0.01, 10).dataset_size is ny.Gaussian(1.0).dataset_size is None


def test_it_is_no_part_of_the_law() -> None:
    plain = ny.DPSGD(1.1, 512 / 60_000, 1172)
    assert plain == RUN
    assert hash(RUN) == hash(plain)
    assert repr(RUN) == repr(plain)
    assert ny.account(RUN).epsilon(1e-5) == ny.account(plain).epsilon(1e-5)
    assert {key: value for key, value in RUN.to_dict().items() if key != "dataset_size"} == plain.to_dict()


def test_a_sample_shared_by_several_steps_is_refused_all_the_same() -> None:
    with pytest.raises(ny.InvalidParameter, match="a single step to be sampled"):
        RUN.poisson(0.5)


def test_epsilon_without_delta() -> None:
    g = ny.account(RUN)
    assert g.default_delta == delta_of_records(60_000)
    assert Fraction(g.default_delta) <= Fraction(1, 60_000)
    assert g.epsilon() == g.epsilon(g.default_delta)
    assert g.epsilon(1 / 60_000) <= g.epsilon() * (1.0 + 1e-14)  # of deltas that are neighbours; both are certified
    assert g.optimistic.epsilon() <= g.epsilon()
    for unknown in (ny.account(ny.Gaussian(1.0)), ny.GDP(1.0), ny.account(ny.Gaussian(1.0).with_dataset_size(1))):
        assert unknown.default_delta is None
        with pytest.raises(ny.InvalidParameter, match=r"Write: g\.epsilon\(1e-5\)\n"):
            unknown.epsilon()


def test_the_command_line_tells_it_first() -> None:
    assert usual_deltas(60_000) == (delta_of_records(60_000), 1e-5, 1e-6, 1e-9)
    assert usual_deltas(None) == (1e-5, 1e-6, 1e-9)
    assert len(usual_deltas(100_000)) == 3  # 1e-5 is not told twice
    assert Answer.to(RUN, usual_deltas(60_000), "add_or_remove", 1e-10).to_json()["mechanism"] == RUN.to_dict()


@pytest.mark.parametrize("size", [0, -1, 1.5, math.inf, True, "60000", 10**19])
def test_data_sets_that_are_none(size: object) -> None:
    with pytest.raises(ny.InvalidParameter, match="dataset_size must be a whole number from 1 to 1e"):
        ny.Gaussian(1.0).with_dataset_size(size)  # type: ignore[arg-type]
