"""Arguments of a sweep outside their domain, and the words with which they are refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.sweeps.plan import plan
from neyman.sweeps.quantities import WORDS, Quantity

WHOLE: dict[str, Any] = {"noise_multiplier": 1.0, "sample_rate": 0.1, "steps": 10}
USUAL = ("add_or_remove", 1e-6, 1e-10, 10.0)


def refused(**changes: Any) -> str:
    with pytest.raises(ny.InvalidParameter) as refusal:
        ny.sweep(**{**WHOLE, **changes})
    return str(refusal.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"steps": None}, (
            "axes must be named noise_multiplier; sample_rate, or batch_size and dataset_size; steps or epochs, for "
            "DPSGD, got ['noise_multiplier', 'sample_rate']. Write: ny.sweep(noise_multiplier=[1.0, 2.0], "
            "sample_rate=0.01, steps=1000)"
        )),
        ({"steps": []}, "steps must be a number, or a non-empty list of numbers, got []."),
        ({"steps": [[1, 2]]}, "steps must be a number, or a non-empty list of numbers, got [[1, 2]]."),
        ({"steps": [1, 5, 1]}, "steps must be made of values that differ: each is a label, got 1."),
        ({"steps": True}, "steps must be a number, or a non-empty list of numbers, got True."),
        ({"steps": [1, 2.5]}, "steps must be a whole number from 0 to 1e+18, got 2.5."),
        ({"noise_multiplier": ["1"]}, "noise_multiplier must be a number, or a non-empty list of numbers, got ['1']."),
        ({"sample_rate": [0.1, 1.5]}, "sample_rate must be a number in [0, 1], got 1.5."),
        ({"sample_rate": [0.1, math.nan]}, "sample_rate must be a number in [0, 1], got nan."),
        ({"quantities": []}, 'quantities must be a non-empty list of strings such as "mu" and "epsilon(1e-5)", got [].'),  # noqa: E501
        ({"quantities": ["mu", "mu(1e-10)"]}, "quantities must be asked once each, got 'mu(1e-10)'."),
        ({"quantities": "epsilon"}, "quantity epsilon must be at some delta, got None. Write: 'epsilon(1e-5)'"),
        ({"quantities": "epsilon(x)"}, "delta of the quantity epsilon(x) must be a number in [0, 1], got 'x'."),
        ({"quantities": "epsilon(2)"}, "delta of the quantity epsilon(2) must be a number in [0, 1], got 2.0."),
        ({"quantities": "mu(nan)"}, "floor of the quantity mu(nan) must be a number in (0, 0.5), got nan."),
        ({"quantities": "rho(1)"}, "quantity rho(1) must be without a number, got '1'."),
        ({"floor": 0.5}, "floor must be a number in (0, 0.5), got 0.5."),
        ({"adjacency": "zero"}, "adjacency must be one of 'add_or_remove', 'add', 'remove', 'replace', got 'zero'."),
        ({"tolerance": 0.0}, "tolerance must be a number in (9.9e-13, 1), got 0.0."),
        ({"effort": math.nan}, "effort must be a finite number > 0, got nan."),
        ({"effort": 0.0}, "effort must be a finite number > 0, got 0.0."),
        ({"effort": -1.0}, "effort must be a finite number > 0, got -1.0."),
        ({"workers": 0}, "workers must be a whole number from 1 to 1e+03, got 0."),
        ({"block": 0}, "block must be a whole number from 1 to 1e+09, got 0."),
        ({"store": 3}, "store must be a path of a directory, got 3."),
        ({"client": "tcp://x"}, "client must be a dask.distributed.Client, got 'tcp://x'."),
        ({"client": 1, "workers": 2}, "workers must be left out where a client is given, got 2."),
        ({"axes": {"sigma": 1.0}}, "noise_multiplier must be left out, or one of axes, got 1.0."),
    ],
)  # fmt: skip
def test_words(changes: dict[str, Any], words: str) -> None:
    assert refused(**changes) == words


def test_unknown_quantity() -> None:
    words = refused(quantities=["mu", "privacy"])
    assert words.startswith("quantity must be one of mu, regret, shortfall, tail_mu, epsilon(delta), delta(epsilon),")
    assert words.endswith("got 'privacy'. Before any of them, \"optimistic.\" asks for the bound from the other side.")


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        (None, "axes must be a non-empty mapping from names to values, got None."),
        ({}, "axes must be a non-empty mapping from names to values, got {}."),
        ({"not a name": 1}, "got 'not a name'."),
        ({"status": 1}, "of no variable (status, reason, reason_number, in_batch, mu, regret), got 'status'."),
        ({"mu": 1}, "(status, reason, reason_number, in_batch, mu, regret), got 'mu'."),
        ({"sigma": [1.0, math.inf]}, "sigma must be a finite number, at most 1e+18 if it is an int, got inf."),
        (
            {"sigma": range(10**5), "n": range(10**5)},
            "got 10000000000. A setting takes 1 to 15 ms: raise at_most if this is meant, to 1e+09 at most.",
        ),
        ({"sigma": [*range(10**5), 7]}, "sigma must be made of values that differ: each is a label, got 7."),
    ],
)  # fmt: skip
def test_axes_of_any_mechanism(axes: Any, words: str) -> None:
    with pytest.raises(ny.InvalidParameter) as refusal:
        ny.sweep(ny.Gaussian, axes=axes)
    assert str(refusal.value).endswith(words)


def test_make() -> None:
    make: Any = 3
    with pytest.raises(ny.InvalidParameter, match=r"make must be a function that returns a Mechanism, got 3\."):
        ny.sweep(make, axes={"sigma": 1.0})
    with pytest.raises(ny.InvalidParameter, match="axes must be named noise_multiplier; sample_rate, or batch_size"):
        ny.sweep(ny.DPSGD, axes={"steps": 1})


@given(st.sampled_from(sorted(WORDS)), st.floats(0.0, 0.49, exclude_min=True), st.booleans())
def test_words_read_back(word: str, at: float, optimistic: bool) -> None:
    """What is written is what is asked, spaces or none."""
    number = f"({at!r})" if WORDS[word].place else ""
    text = "optimistic." * optimistic + word + number
    spaced = text.replace("(", " ( ").replace(".o", ". o")
    expected = Quantity(text, word, at if number else None, optimistic)
    assert Quantity.read(text, 0.1) == Quantity.read(spaced, 0.1) == expected


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(1, 50))
def test_blocks_cover_the_grid_once(shape: list[int], points: int) -> None:
    asked = plan(ny.Gaussian, {f"a{i}": np.arange(1, n + 1) for i, n in enumerate(shape)}, "mu", USUAL, points)
    seen = np.zeros(shape, int)
    for number in range(asked.count):
        place = asked.place(number)
        seen[place] += 1
        assert seen[place].size == asked.points(number) <= points
        assert asked.values(number) == tuple(tuple(range(part.start + 1, part.stop + 1)) for part in place)
    assert np.all(seen == 1)


def test_large_grids_are_cut_into_bounded_blocks() -> None:
    grid: Any = {"noise_multiplier": np.arange(1, 1001), "sample_rate": np.linspace(0.1, 1, 1000), "steps": range(100)}
    asked = plan(None, grid, "mu", USUAL, at_most=10**8)
    assert (asked.size, asked.block, asked.count) == (10**8, (1, 40, 100), 25_000)


def test_rows_of_unequal_lengths() -> None:
    with pytest.raises(ny.InvalidParameter, match="steps must be a number, or a non-empty list"):
        ny.sweep(noise_multiplier=1.0, sample_rate=1.0, steps=[[1, 2], [3]], workers=1)


@pytest.mark.parametrize("name", ["mechanism", "make", "scale"])
def test_arguments_that_sweeps_do_not_have(name: str) -> None:
    words = f"{name} must be left out: sweep has no argument of that name, .*comes first.*ny.sweep\\(ny.Laplace, axes="
    with pytest.raises(ny.InvalidParameter, match=words):
        ny.sweep(axes={"scale": [1.0]}, **{name: ny.Laplace})  # type: ignore[call-arg]


def test_the_reason_says_what_became_of_a_regret() -> None:
    found = ny.sweep(noise_multiplier=ny.targets.Regret(0.01), sample_rate=[0.1, 0.3], steps=400, workers=1)
    assert found.attrs["failed"] == 1
    (reason,) = found.reason.values[found.status.values.ravel()[1:]]
    assert "It is met throughout where it was tried" in reason
    found = ny.sweep(steps=ny.targets.Regret(0.005), noise_multiplier=2.0, sample_rate=[0.01], workers=1)
    assert "joined to one that limits steps" in found.reason.values[-1]
