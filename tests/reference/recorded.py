"""Truths that take long to compute, and are kept: of each function its arguments, the digits, and how near they are.

What is not kept is computed. ``NEYMAN_RECORD=1 .venv/bin/python -m pytest -n 0 -m "slow or not slow" tests/...`` keeps
whatever is asked there; ``test_recorded.py`` computes some of it anew in every run, and all of it in the slow one.
"""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any

__all__ = ["FILE", "kept", "recorded"]

FILE = Path(__file__).parent / "data" / "recorded.json"


@cache
def kept() -> dict[str, Any]:
    """By function: its ``radius``, and ``values`` by arguments."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def recorded(radius: float) -> Callable[[Callable[..., str]], Callable[..., str]]:
    """A function of numbers that returns digits, to ``radius`` of their modulus: read where they are kept."""

    def reading(compute: Callable[..., str]) -> Callable[..., str]:
        name = (
            f"tests.{compute.__module__.removeprefix('tests.')}.{compute.__qualname__}"  # pytest leaves out the first
        )
        form = inspect.signature(compute)

        @wraps(compute)
        def told(*args: Any, **named: Any) -> str:
            bound = form.bind(*args, **named)
            bound.apply_defaults()
            key = json.dumps(list(bound.arguments.values()))
            values = kept().get(name, {}).get("values", {})
            return values[key] if key in values else _kept_now(name, radius, key, compute(*args, **named))

        return told

    return reading


def _kept_now(name: str, radius: float, key: str, digits: str) -> str:
    if os.environ.get("NEYMAN_RECORD"):
        kept().setdefault(name, {"radius": radius, "values": {}})["values"][key] = digits
        FILE.write_text(json.dumps(kept(), indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return digits
