"""The table of the documentation's page: the engine's own numbers, rounded outward."""

from __future__ import annotations

import gzip
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from neyman.explorer.tables.stops import SITE
from neyman.explorer.tables.table import numbers_of

TABLE = Path(__file__).resolve().parents[2] / "docs" / "explorer-table.json"
SOME = range(7, len(SITE), 151)


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    return json.loads(TABLE.read_text(encoding="utf-8"))


def test_its_axes_are_the_stops(table: dict[str, Any]) -> None:
    assert table["axes"] == {
        "noise_multiplier": [*SITE.noise], "sample_rate": [*SITE.rates], "steps": [*SITE.steps]
    }  # fmt: skip
    assert table["deltas"] == [*SITE.deltas]
    assert {len(column) for column in (table["mu"], table["regret"], table["advantage"], *table["epsilon"])} == {
        len(SITE)
    }
    assert len(table["epsilon"]) == len(SITE.deltas)


def row(table: dict[str, Any], at: int) -> list[str | None]:
    return [column[at] for column in (table["mu"], table["regret"], table["advantage"], *table["epsilon"])]


@pytest.mark.parametrize("at", SOME)
def test_stops_are_what_the_engine_says(table: dict[str, Any], at: int) -> None:
    setting = [*SITE.settings()][at]
    assert row(table, at) == numbers_of(setting, SITE.levels())


@pytest.mark.slow
def test_all_stops_are_what_the_engine_says(table: dict[str, Any]) -> None:
    for at, setting in enumerate(SITE.settings()):
        assert row(table, at) == numbers_of(setting, SITE.levels()), setting


def test_it_falls_with_noise_and_rises_with_rate_and_steps(table: dict[str, Any]) -> None:
    """What answers between stops rests on: a stop farther on the safe side never says less."""
    shape = len(SITE.noise), len(SITE.rates), len(SITE.steps)
    for column in (table["mu"], table["advantage"], *table["epsilon"]):
        for at, text in enumerate(column):
            i, rest = divmod(at, shape[1] * shape[2])
            j, k = divmod(rest, shape[2])
            less = [(i - 1, j, k), (i, j + 1, k), (i, j, k + 1)]
            for a, b, c in less:
                if a >= 0 and b < shape[1] and c < shape[2] and text is not None:
                    worse = column[(a * shape[1] + b) * shape[2] + c]
                    assert worse is None or Fraction(worse) >= Fraction(text), (at, worse, text)


def test_it_is_small_and_mostly_full(table: dict[str, Any]) -> None:
    assert len(gzip.compress(TABLE.read_bytes(), 9)) < 300_000
    empty = sum(text is None for column in (table["mu"], *table["epsilon"]) for text in column)
    assert empty < 0.05 * len(SITE) * (1 + len(SITE.deltas))
