"""Brackets whose bounds from below are found when somebody reads them."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from neyman import NotCertified
from neyman.profiles.profile import Bracket

UPPER, GAP = np.array([0.2]), np.array([-0.5])


def test_either_bound_finds_both_and_only_once() -> None:
    for name in ("lower", "log_gap_upper"):
        asked: list[str] = []

        def below(asked: list[str] = asked) -> tuple[np.ndarray, np.ndarray]:
            asked.append("once")
            return np.array([0.1]), np.array([-0.1])

        late = Bracket.late(UPPER, GAP, below)
        assert not asked
        getattr(late, name)
        assert (late.lower.tolist(), late.log_gap_upper.tolist()) == ([0.1], [-0.1])
        assert asked == ["once"]
        assert not late.sharp


def test_what_was_refused_may_be_asked_again() -> None:
    tries: list[int] = []

    def below() -> tuple[np.ndarray, np.ndarray]:
        tries.append(len(tries))
        if len(tries) == 1:
            raise NotCertified("delta", 0.0, 0.2, "")
        return np.array([0.1]), np.array([-0.1])

    late = Bracket.late(UPPER, GAP, below)
    with pytest.raises(NotCertified):
        _ = late.lower
    assert late.lower.tolist() == [0.1]


def test_a_bracket_has_no_other_attributes() -> None:
    late = Bracket.late(UPPER, GAP, lambda: (np.zeros(1), np.zeros(1)))
    with pytest.raises(AttributeError, match="middle"):
        _ = late.middle  # type: ignore[attr-defined]


def test_copies_are_whole() -> None:
    late = Bracket.late(UPPER, GAP, lambda: (np.array([0.1]), np.array([-0.1])))
    sharp = Bracket(UPPER, UPPER, GAP, GAP, sharp=True)
    for one in (late, sharp):
        again = copy.deepcopy(one)
        assert again.lower.tolist() == one.lower.tolist()
        assert again.sharp == one.sharp
