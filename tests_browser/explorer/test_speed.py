"""How fast it is, as this machine says; bounds so wide that only what is broken fails them."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import pytest
from explorer.driving import at_rest

_FIRST = """
addEventListener("DOMContentLoaded", () => {
  const sentence = document.getElementById("sentence");
  const look = () => {
    if (window.first === undefined && sentence.textContent.startsWith("Of ")) window.first = performance.now();
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
  look();
});
"""
# a drag of two seconds: an input event and a frame by turns; answers shown, and the time of each frame
_DRAG = """(name) => new Promise((done) => {
  const slider = document.getElementById(`${name}-slider`);
  const [low, high] = [0.25 * slider.max, 0.6 * slider.max];
  const frames = [];
  let answers = 0;
  const drawn = document.querySelector("#curve .bound");
  new MutationObserver(() => { answers += 1; }).observe(drawn, { attributes: true });
  const begun = performance.now();
  const step = (now) => {
    frames.push(now);
    const part = Math.abs((((now - begun) / 1000) % 2) - 1);
    slider.value = Math.round(low + part * (high - low));
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    if (now - begun < 2000) requestAnimationFrame(step); else done({ frames, answers });
  };
  requestAnimationFrame(step);
})"""


@pytest.mark.parametrize(("where", "slider", "fewest"), [("table", "fpr", 20), ("server", "noise_multiplier", 1)])
def test_how_fast_it_is(explore: Callable[..., Any], record_property: Any, where: str, slider: str, fewest: int):
    page = explore(where, script=_FIRST).page
    at_rest(page)
    loaded = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    first = page.evaluate("window.first")
    drag = page.evaluate(_DRAG, slider)
    gaps = [after - before for before, after in zip(drag["frames"], drag["frames"][1:], strict=False)]
    seconds = (drag["frames"][-1] - drag["frames"][0]) / 1000
    figures = {
        "first answer, ms after the load": round(first - loaded), "ms after the navigation began": round(first),
        "answers a second": round(drag["answers"] / seconds, 1),
        "frames a second": round(1000 / statistics.mean(gaps), 1),
        "median ms a frame": round(statistics.median(gaps), 1), "longest ms": round(max(gaps)),
    }  # fmt: skip
    print(where, figures)
    for name, value in figures.items():
        record_property(f"{where}: {name}", value)
    assert first - loaded < 10_000
    assert drag["answers"] >= fewest
