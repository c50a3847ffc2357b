"""What is drawn goes through the point that is marked, and promises nowhere more than is certified."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from explorer.driving import at_rest, settled, type_in

import neyman as ny

_LEFT, _RIGHT, _TOP, _BOTTOM = 60.0, 446.0, 14.0, 376.0  # of the picture
_RATES = ("3e-10", "1e-7", "1e-4", "0.01", "0.3", "0.9")
_RUNS = {"": (1.0, 0.01, 1000), "&noise_multiplier=2.5": (2.5, 0.01, 1000), "&steps=4000": (1.0, 0.01, 4000)}


def _drawn(page: Any, name: str) -> np.ndarray:
    """The corners of a line, in units of the picture."""
    path = page.locator(f"#curve .{name}").get_attribute("d")
    return np.array([float(text) for text in re.findall(r"[0-9.]+", path)]).reshape(-1, 2)


def _shares(pixels: np.ndarray, low: float | None) -> tuple[np.ndarray, np.ndarray]:
    along = np.array([(pixels[:, 0] - _LEFT) / (_RIGHT - _LEFT), (_BOTTOM - pixels[:, 1]) / (_BOTTOM - _TOP)])
    along = along if low is None else low ** (1.0 - along)
    return np.clip(along[0], 0.0, 1.0), np.clip(along[1], 0.0, 1.0)


@pytest.mark.parametrize("log", ["", "&log=1"])
@pytest.mark.parametrize("run", _RUNS)
def test_the_curve_goes_through_its_point(explore: Callable[..., Any], engine: str, run: str, log: str):
    page = explore(engine, f"#fpr=0.01{run}{log}").page
    for rate in _RATES:
        type_in(page, "fpr", rate)
        settled(page)
        x, y = (float(page.locator("#curve .handle").get_attribute(name)) for name in ("cx", "cy"))
        line = _drawn(page, "bound")
        steep = line[(line[:, 0] >= x - 0.02) & (line[:, 0] <= x + 0.02), 1]
        heights = np.append(steep, np.interp(x, line[:, 0], line[:, 1]))
        assert heights.min() - 0.5 <= y <= heights.max() + 0.5


@pytest.mark.parametrize("log", ["", "&log=1"])
@pytest.mark.parametrize("run", _RUNS)
def test_what_is_drawn_promises_no_more_than_is_certified(explore: Callable[..., Any], engine: str, run: str, log: str):
    page = explore(engine, f"#a=dpsgd,1,0.01,4000,poisson{run}{log}").page
    at_rest(page)
    low = 1e-11 if log else None
    mu = ny.GDP(float(page.locator("[data-number=mu]").text_content()))
    of = {"bound": ny.account(ny.DPSGD(*_RUNS[run])), "pin-a": ny.account(ny.DPSGD(1.0, 0.01, 4000))}
    for name, promised in {**of, "gaussian": mu}.items():
        if name == "gaussian" and engine == "table":
            continue
        corners = _drawn(page, name)
        between = np.concatenate([part * corners[1:] + (1.0 - part) * corners[:-1] for part in np.linspace(0, 1, 7)])
        fpr, tpr = _shares(between, low)
        assert len(corners) > 20
        assert np.all(tpr >= np.asarray(promised.optimistic.roc(fpr)) * (1.0 - 1e-9))


@pytest.mark.parametrize("log", ["", "&log=1"])
@pytest.mark.parametrize(("name", "text"), [("noise_multiplier", "1e99"), ("sample_rate", "0")])
def test_a_run_that_tells_nothing_is_drawn_without_a_complaint(
    explore: Callable[..., Any], name: str, text: str, log: str
):
    opened = explore("server", f"#fpr=0.01{log}")
    type_in(opened.page, name, text)
    at_rest(opened.page)
    assert opened.page.locator("#curve .bound").get_attribute("d")
    assert opened.complaints == []


def test_a_point_beyond_the_picture_is_not_marked(explore: Callable[..., Any]):
    page = explore("server", "#fpr=1e-13&log=1").page
    assert not page.locator("#curve .handle").is_visible()
    page.locator("#log").click()
    assert page.locator("#curve .handle").is_visible()
