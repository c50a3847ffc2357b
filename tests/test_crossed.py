"""What ``crossed`` leaves to the long run is tried there, and no value is left to it alone."""

from __future__ import annotations

from typing import Any

from tests.effort import crossed, rest_slow


def parted(*axes: Any) -> tuple[list[Any], list[Any]]:
    """The cases of every run, and of the long one."""
    _, cases = crossed(*axes).args
    return [one.values for one in cases if not one.marks], [one.values for one in cases if one.marks]


def test_every_value_is_in_every_run_and_every_combination_in_one() -> None:
    often, seldom = parted(("a", [1, 1, 2]), (("b", "c"), [(3, 4), (5, 6)]), ("d", [[7], [7]]))
    assert [values[0] for values in often] == [1, 1, 2]
    assert [values[1:3] for values in often] == [(3, 4), (5, 6), (3, 4)]
    assert len(often) + len(seldom) == 3 * 2 * 2


def test_what_is_slow_by_itself_stays_so() -> None:
    often, seldom = parted(("a", rest_slow(["x", "y", "z"], "x", "z")), ("b", [1, 2]))
    assert often == [("x", 1), ("z", 2)]
    assert len(seldom) == 4
