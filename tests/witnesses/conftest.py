"""Balls of 128 bits, and whatever they were before again after."""

from collections.abc import Iterator

import pytest
from flint import ctx


@pytest.fixture(autouse=True)
def bits() -> Iterator[None]:
    with ctx.workprec(128):
        yield
