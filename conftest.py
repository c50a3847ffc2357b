"""What the tests and the doctests of the package share."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def close_pictures() -> Iterator[None]:
    """Figures are pyplot's where anything has imported it, and it warns of too many that are open."""
    yield
    if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
        pyplot.close("all")
