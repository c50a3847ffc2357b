"""Through how many hands a question passes whose line is already laid: it must not grow unnoticed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType

import numpy as np
import pytest

import neyman as ny

PACKAGE = str(Path(ny.__file__).parent)
PAPER = (9.4, 0.32768, 2000)
HANDS = {  # docs/internals/flow.md says what each is for
    "guarantees/verbs.py", "_validate.py", "profiles/effort.py", "guarantees/computed.py", "profiles/pair.py",
    "engines/contour/profile.py", "engines/contour/straight/lines.py", "engines/contour/straight/stacked.py",
    "numerics/sums/turns.py", "engines/contour/estimate.py", "profiles/profile.py",
}  # fmt: skip
DEPTH, CALLS = 15, 46
REDUCTIONS = "numerics/functions/few.py"  # no hands: what else were methods of arrays


def passed(ask: Callable[[], object]) -> tuple[set[str], int, int]:
    """The files of the package that ``ask`` passes, how deep, and the number of calls."""
    files: set[str] = set()
    depth = deepest = calls = 0

    def ours(code: CodeType) -> bool:
        return code.co_filename.startswith(PACKAGE) and not code.co_filename.endswith(REDUCTIONS)

    def follow(frame: FrameType, event: str, _: object) -> None:
        nonlocal depth, deepest, calls
        if event == "call" and ours(frame.f_code):
            depth, calls = depth + 1, calls + 1
            deepest = max(deepest, depth)
            files.add(frame.f_code.co_filename.removeprefix(PACKAGE + "/"))
        elif event == "return" and ours(frame.f_code):
            depth -= 1

    before = sys.getprofile()
    sys.setprofile(follow)
    try:
        ask()
    finally:
        sys.setprofile(before)
    return files, deepest, calls


@pytest.mark.parametrize("verb", ["pessimistic", "optimistic"])
def test_a_warm_question_passes_few_hands(verb: str) -> None:
    guarantee = getattr(ny.account(ny.DPSGD(*PAPER)), verb)
    guarantee.delta(3.9)
    files, deepest, calls = passed(lambda: guarantee.delta(4.0))
    assert files <= HANDS | ({"guarantees/twins.py"} if verb == "optimistic" else set())
    assert deepest <= DEPTH
    assert calls <= CALLS


def test_many_places_pass_no_more_hands_than_one() -> None:
    guarantee = ny.account(ny.DPSGD(*PAPER))
    places = np.linspace(3.9, 4.1, 64)
    guarantee.delta(places)
    files, deepest, _ = passed(lambda: guarantee.delta(places + 1e-3))
    assert files <= HANDS
    assert deepest <= DEPTH


def test_what_is_asked_again_is_not_integrated_again() -> None:
    guarantee = ny.account(ny.DPSGD(*PAPER))
    guarantee.delta(4.0)
    files, _, _ = passed(lambda: guarantee.delta(4.0))
    assert not files & {"engines/contour/straight/stacked.py", "engines/contour/straight/line.py"}
