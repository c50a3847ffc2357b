"""What the tests and the doctests of the package share."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator

import pytest


def pytest_collection() -> None:
    """Thousands of tests are collected, and kept: looking meanwhile for what is garbage among them finds nothing."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Nor is what is kept by then looked through again and again while they run, and what comes later seldom."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(autouse=True)
def close_pictures() -> Iterator[None]:
    """Figures are pyplot's where anything has imported it, and it warns of too many that are open."""
    yield
    if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
        pyplot.close("all")
