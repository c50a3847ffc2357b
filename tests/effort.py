"""How much of a test is done in every run, and how much in the long ones: cases left to ``-m slow``, examples to
``HYPOTHESIS_PROFILE=thorough``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import pytest
from hypothesis import settings

__all__ = ["crossed", "examples", "rest_slow"]


def crossed(
    *axes: tuple[str | tuple[str, ...], Iterable[Any]], ids: Callable[[Any], Any] | None = None
) -> pytest.MarkDecorator:
    """Parametrize with every value of each axis beside every one of the others: in every run so many of these that
    each value is in one, the rest in the slow one. An axis is a name, or several, and the values; those that are slow
    by themselves are nowhere else.
    """
    names = [name for axis, _ in axes for name in ([axis] if isinstance(axis, str) else axis)]
    listed = [[_slow_or_not(value, isinstance(axis, tuple)) for value in values] for axis, values in axes]
    often = [[value for value, slow in values if not slow] for values in listed]
    kept = [[values[k % len(values)] for values in often] for k in range(max(map(len, often)))]
    cases = [[value for value, _ in case] for case in product(*listed)]
    every = [pytest.param(*sum(case, ()), marks=[] if _among(case, kept) else pytest.mark.slow) for case in cases]
    return pytest.mark.parametrize(tuple(names), every, ids=ids)


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


def _slow_or_not(value: Any, several: bool) -> tuple[tuple[Any, ...], bool]:
    if isinstance(value, type(pytest.param())):
        return tuple(value.values), bool(value.marks)
    return (tuple(value) if several else (value,)), False


def _among(case: list[tuple[Any, ...]], kept: list[list[tuple[Any, ...]]]) -> bool:
    """By identity: values may be arrays, or laws that are equal."""
    return any(all(a is b for a, b in zip(case, one, strict=True)) for one in kept)
