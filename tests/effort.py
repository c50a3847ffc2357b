"""How much of a test is done in every run, and how much in the long ones: cases left to ``-m slow``, examples to
``HYPOTHESIS_PROFILE=thorough``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings

__all__ = ["examples", "rest_slow"]


def examples(few: int, many: int, **more: Any) -> settings:
    """So ``few`` examples in the default profile, so ``many`` in the thorough one."""
    return settings(max_examples=few if settings().max_examples < 100 else many, **more)


def rest_slow(cases: Iterable[Any], *kept: Any, whole: bool = False) -> list[Any]:
    """The cases as parameters: those ``kept`` (values, or their positions) in every run, the others in the slow one;
    ``whole``: a tuple is the value of one parameter.
    """
    listed = list(cases)
    stays = [case in kept if isinstance(case, str) else number in kept for number, case in enumerate(listed)]
    if sum(stays) != len(kept):
        raise ValueError(f"not every one of {kept} is a case")
    return [case if stay else pytest.param(*_values(case, whole), marks=pytest.mark.slow)
            for case, stay in zip(listed, stays, strict=True)]  # fmt: skip


def _values(case: Any, whole: bool) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) and not whole else (case,)
