"""Every reading of a law against every other that it has, over the whole documented domain."""

from itertools import combinations

import numpy as np
import pytest

from tests.losses.table import LAWS, ORDERS, Interval, readings


def apart(a: Interval | None, b: Interval | None) -> bool:
    """Whether two readings cannot both be true (an interval that is no number holds nothing)."""
    return a is not None and b is not None and not (a[0] <= b[1] and b[0] <= a[1])


def contradictions(name: str, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    step = LAWS[name](rng)
    read = readings(step)
    found: list[str] = []
    for kind, places in (("log_a", ORDERS), ("delta", (0.0, *(10.0 ** rng.uniform(-6.0, 1.5, 2))))):
        for at in places:
            known = [(one.name, getattr(one, kind)(float(at))) for one in read]
            found += [
                f"{step}: {kind}({at!r}) is {x} by {a} and {y} by {b}"
                for (a, x), (b, y) in combinations(known, 2)
                if apart(x, y)
            ]
    return found


@pytest.mark.parametrize("name", LAWS)
def test_the_readings_of_a_law_agree(name: str) -> None:
    assert [fault for seed in range(2) for fault in contradictions(name, seed)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_the_readings_of_hundreds_of_laws_agree(name: str) -> None:
    assert [fault for seed in range(1000, 1300) for fault in contradictions(name, seed)] == []
