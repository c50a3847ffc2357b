"""What is kept is what is computed: one truth of most functions in every run, all of them in the long one."""

from __future__ import annotations

import json
from importlib import import_module

import mpmath as mp
import pytest

from tests.effort import rest_slow
from tests.reference.recorded import kept

EVERY = [(name, key) for name, found in sorted(kept().items()) for key in sorted(found["values"])]
DEAR = ("exchanged", ", 3, ")  # a function, and three steps: seconds each, for the long run
QUICK = [one for one in EVERY if not (one[0].endswith(DEAR[0]) or DEAR[1] in one[1])]
OFTEN = [EVERY.index(next(one for one in QUICK if one[0] == name)) for name in sorted({name for name, _ in QUICK})]


def number(digits: str) -> mp.mpc:
    """A number, or both parts of one."""
    return mp.mpc(*digits.split())


@pytest.mark.parametrize(("name", "key"), rest_slow(EVERY, *OFTEN))
def test_what_is_kept_is_what_is_computed(name: str, key: str) -> None:
    module, _, function = name.rpartition(".")
    compute = getattr(import_module(module), function).__wrapped__
    with mp.workdps(50):
        old, new = (number(digits) for digits in (kept()[name]["values"][key], compute(*json.loads(key))))
        assert abs(new - old) <= kept()[name]["radius"] * abs(old)


def test_of_every_function_some_are_kept() -> None:
    assert {name.rpartition(".")[2] for name in kept()} == {"twofold", "exchanged", "steps_digits", "before_digits",
                                                            "profile_digits"}  # fmt: skip
    assert all(found["values"] for found in kept().values())
