"""Arguments outside their domain: the whole message."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neyman as ny
from neyman.audit.precision import one_precision, scores_of, to_bfloat16
from tests.effort import rest_slow

GOOD = np.arange(10.0)


def refused(message: str, *given: Any, **more: Any) -> None:
    with pytest.raises(ny.InvalidParameter, match="^" + re.escape(message) + "\n"):
        ny.audit.from_scores(*given, **more)


@pytest.mark.parametrize("method", ["simultaneous", "split", "dkw", "fixed"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_must_be_finite(bad: float, method: str) -> None:
    scores = np.append(GOOD, [bad, 3.0])
    more = {"method": method, "threshold": 1.0 if method == "fixed" else None}
    advice = "Leave out records without a score."
    refused(f"scores_in must be finite numbers only, got {bad}. {advice}", scores, GOOD, **more)
    refused(f"scores_out must be finite numbers only, got {bad}. {advice}", GOOD, scores, **more)


@pytest.mark.parametrize(
    ("bad", "found"),
    [
        ([], "'float64 array of shape (0,)'"),
        (3.0, "'float64 array of shape ()'"),
        ([[1.0], [2.0]], "'float64 array of shape (2, 1)'"),
        (["a"], "'<U1 array of shape (1,)'"),
        ([True, False], "'bool array of shape (2,)'"),
        ([1j], "'complex128 array of shape (1,)'"),
        ([None, 1.0], "'object array of shape (2,)'"),
        ([[1.0], [2.0, 3.0]], "'rows of unequal lengths'"),
    ],
)
def test_scores_must_be_a_list_of_numbers(bad: Any, found: str) -> None:
    allowed = "a non-empty one-dimensional array of numbers"
    refused(f"scores_in must be {allowed}, got {found}. One score a record.", bad, GOOD)
    refused(f"scores_out must be {allowed}, got {found}. One score a record.", GOOD, bad)


@pytest.mark.parametrize("confidence", [0, 1, 0.0, 1.0, -0.1, 95, np.nan, np.inf, "0.95", True, None])
def test_confidence(confidence: Any) -> None:
    message = f"confidence must be a number in (0, 1), got {confidence!r}."
    refused(message, GOOD, GOOD, confidence)
    with pytest.raises(ny.InvalidParameter, match="^" + re.escape(message) + "\n"):
        ny.audit.from_counts(1, 2, 1, 2, confidence)


def test_method_and_threshold() -> None:
    refused(
        "method must be one of 'simultaneous', 'fixed', 'split', 'dkw', got 'union'.", GOOD, GOOD, method="union"
    )  # fmt: skip
    refused(
        "threshold must be left out with method='dkw', got 1.0. It is for method=\"fixed\".",
        GOOD, GOOD, method="dkw", threshold=1.0,
    )  # fmt: skip
    for bad in (None, np.nan, np.inf, "1"):
        with pytest.raises(
            ny.InvalidParameter, match=r"^threshold must be a number in \(-inf, inf\), got .* Choose it"
        ):
            ny.audit.from_scores(GOOD, GOOD, method="fixed", threshold=bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("pilot", [0.0, 1.0, np.nan, -1.0])
def test_pilot(pilot: float) -> None:
    refused(f"pilot must be a number in (0, 1), got {pilot}.", GOOD, GOOD, method="split", pilot=pilot)


def test_seed_and_too_few_to_split() -> None:
    refused("seed must be a whole number from 0 to 1e+18, got -1.", GOOD, GOOD, method="split", seed=-1)
    refused(
        "scores_out must be at least 2 scores, got 1. A split sample needs one for each part.",
        GOOD, [1.0], method="split",
    )  # fmt: skip
    assert ny.audit.from_scores([1.0, 2.0], [0.0, 1.0], method="split").n_in == 1


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ((11, 10, 0, 10), "true_positives must be at most positives = 10, got 11. The counts do not add up."),
        ((1, 10, 12, 10), "false_positives must be at most negatives = 10, got 12. The counts do not add up."),
        ((0, 0, 0, 10), "positives must be a whole number from 1 to 1e+12, got 0."),
        ((0, 10, 0, 0), "negatives must be a whole number from 1 to 1e+12, got 0."),
        ((-1, 10, 0, 10), "true_positives must be a whole number from 0 to 1e+18, got -1."),
        ((1, 10, 1.5, 10), "false_positives must be a whole number from 0 to 1e+18, got 1.5."),
        ((True, 10, 1, 10), "true_positives must be a whole number from 0 to 1e+18, got True."),
    ],
)
def test_counts(counts: Any, message: str) -> None:
    with pytest.raises(ny.InvalidParameter, match="^" + re.escape(message) + "\n"):
        ny.audit.from_counts(*counts)


@pytest.mark.parametrize("bad", [-0.1, 1.1, np.nan, "0.1"])
def test_questions(bad: Any) -> None:
    found = ny.audit.from_scores(GOOD + 5, GOOD)
    with pytest.raises(ny.InvalidParameter, match=r"^delta must be a number"):
        found.epsilon(bad)
    with pytest.raises(ny.InvalidParameter, match=r"^fpr must be a number"):
        found.tpr(bad)
    with pytest.raises(ny.InvalidParameter, match=r"^share must be a number in \(0, 1\)"):
        found.needed(ny.GDP(1.0), share=bad if isinstance(bad, str) else bad * 10)


def test_shapes() -> None:
    found = ny.audit.from_scores(GOOD + 5, GOOD)
    assert isinstance(found.epsilon(0.1), float)
    assert isinstance(found.tpr(0.1), float)
    assert found.epsilon([[0.1, 0.2]]).shape == found.tpr([[0.1, 0.2]]).shape == (1, 2)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int8, np.int64, np.uint16, np.longdouble])
def test_kinds_of_numbers(kind: Any) -> None:
    plain = ny.audit.from_scores(GOOD + 5, GOOD)
    assert ny.audit.from_scores((GOOD + 5).astype(kind), GOOD.astype(kind)).mu == plain.mu
    assert ny.audit.from_scores((GOOD + 5).astype(kind), GOOD.tolist()).mu == plain.mu


@pytest.mark.parametrize("coarse", rest_slow([np.float32, np.float16], 0))
@pytest.mark.parametrize("method", ["simultaneous", "split", "dkw"])
def test_equal_scores_of_different_kinds_stay_equal(coarse: Any, method: Any) -> None:
    """0.1 in float32 is not 0.1 in float64: as they are, they would tell the sides apart whatever was trained."""
    rough, fine = np.full(100, 0.1, dtype=coarse), np.full(100, 0.1)
    for pair in ((rough, fine), (fine, rough)):
        found = ny.audit.from_scores(*pair, method=method)
        assert found.mu == 0.0
        assert ny.audit.check(ny.GDP(0.5), found).outcome == "not informative"


class Tensor:
    """What PyTorch gives for bfloat16, of which NumPy has no kind."""

    dtype = "torch.bfloat16"

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.values = values

    def detach(self) -> Tensor:
        return self

    float = cpu = detach

    def numpy(self) -> np.ndarray[Any, Any]:
        return self.values


def test_bfloat16_is_read_as_such() -> None:
    rng = np.random.default_rng(5)
    fine = rng.normal(size=300)
    rough = Tensor(to_bfloat16(fine))
    for pair in ((rough, fine), (fine, rough)):
        assert np.array_equal(*one_precision(scores_of("a", pair[0]), scores_of("b", pair[1])))
        assert ny.audit.from_scores(*pair).mu == 0.0


@settings(max_examples=60)
@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=40))
def test_bfloat16_is_the_nearest_of_its_kind(values: list[float]) -> None:
    x = np.array(values, np.float32)
    found = to_bfloat16(x).astype(np.float64)
    assert not np.any(found.astype(np.float32).view(np.uint32) & 0xFFFF)
    for step in (-1, 1):  # neither neighbour is nearer
        bits = found.astype(np.float32).view(np.int32) + np.int32(step * 65536)
        with np.errstate(invalid="ignore"):  # past the largest number lies no number
            other = bits.view(np.float32).astype(np.float64)
        near = np.abs(found - x.astype(np.float64)) <= np.abs(other - x.astype(np.float64))
        assert np.all(near | ~np.isfinite(other) | ~np.isfinite(found) | (found == 0.0))


def test_what_is_too_large_for_the_coarser_kind_stays_the_largest() -> None:
    found = ny.audit.from_scores(np.full(50, 1e300), np.full(50, 1.0, np.float16))
    assert found.mu > 1.0


@pytest.mark.parametrize("side", ["scores_in", "scores_out"])
def test_masked_scores_are_refused(side: str) -> None:
    hidden = np.ma.masked_greater(np.arange(10.0), 6.5)
    shown = np.ma.masked_greater(np.arange(10.0), 99.0)
    both = {"scores_in": GOOD, "scores_out": GOOD, side: hidden}
    with pytest.raises(ny.InvalidParameter, match=f"^{side} must be an array that hides nothing, got .*hides 3"):
        ny.audit.from_scores(**both)
    assert ny.audit.from_scores(**{**both, side: shown}).n_in == 10
    with pytest.raises(ny.InvalidParameter, match=r"Leave the hidden ones out, for example by \.compressed"):
        ny.GDP(1.0).delta(hidden)
    with pytest.raises(ny.InvalidParameter, match="members must be an array that hides nothing"):
        ny.audit.one_run_from_scores(np.arange(10.0), np.ma.masked_equal([0, 1] * 5, 1), guesses=2)


def test_the_coarsest_kind_in_a_list_decides() -> None:
    """One float64 among numbers of float32 makes NumPy take all of them for float64."""
    for rough in (np.float32, np.float16):
        mixed = [rough(0.1)] * 99 + [0.1]
        for pair in ((mixed, [0.1] * 100), ([0.1] * 100, tuple(mixed))):
            assert ny.audit.from_scores(*pair).mu == 0.0
            test = ny.audit.Sequential(0.3)
            test.update(*pair)
            assert test.highest_e_value <= 1.0
    assert scores_of("a", [1, 2.5]).kind == scores_of("a", [1, np.float64(2.5)]).kind == "float64"


def test_what_hands_out_a_masked_array_is_masked() -> None:
    class Column:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.ma.masked_greater(GOOD, 8.0)

    with pytest.raises(ny.InvalidParameter, match="an array that hides nothing, got 'a masked array that hides 1'"):
        ny.audit.from_scores(Column(), GOOD)  # type: ignore[arg-type]
