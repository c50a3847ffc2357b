"""How a page is driven, and what is read from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Page

__all__ = ["at_rest", "choices", "positions", "read", "settled", "slide", "type_in"]

_SLIDE = """([name, position]) => {
  const slider = document.getElementById(`${name}-slider`);
  slider.value = position;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
}"""
_READ = """() => {
  const words = (id) => document.getElementById(id).textContent;
  const set = {};
  for (const one of document.querySelectorAll("[data-control] input[type=text]")) {
    if (!one.closest("[data-control]").hidden) set[one.id] = one.value;
  }
  const numbers = {};
  for (const one of document.querySelectorAll("[data-number]")) {
    if (!one.closest("details").hidden) numbers[one.dataset.number] = one.textContent;
  }
  const ids = ["sentence", "run", "certain", "headline", "why", "refused-error", "strip-odds", "strip-epsilon",
    "strip-mu"];
  return { set, numbers, refused: document.body.classList.contains("refused"),
    sampling: document.getElementById("sampling").value,
    ...Object.fromEntries(ids.map((id) => [id, words(id)])) };
}"""


def settled(page: Page) -> None:
    """Wait until the answer shown is that of what is set."""
    page.wait_for_selector("body:not(.stale)")


def at_rest(page: Page) -> None:
    """Wait until all that follows once nobody drags is there, too."""
    settled(page)
    page.wait_for_timeout(300)
    page.wait_for_selector("body:not(.busy)")


def slide(page: Page, name: str, position: int) -> None:
    """Move a slider, as a drag does: one input event."""
    page.evaluate(_SLIDE, [name, position])


def type_in(page: Page, name: str, text: str) -> None:
    """Type a number."""
    page.locator(f"#{name}").fill(text)


def positions(page: Page, names: Sequence[str]) -> dict[str, int]:
    """Return how far each slider goes."""
    return {name: int(page.locator(f"#{name}-slider").get_attribute("max") or 0) for name in names}


def choices(page: Page, name: str) -> list[str]:
    """Return what may be chosen; nothing of a choice that is not shown."""
    which = "s => s.checkVisibility() ? [...s.options].filter(one => !one.disabled).map(one => one.value) : []"
    return page.locator(f"#{name}").evaluate(which)


def read(page: Page) -> dict[str, Any]:
    """Return what is set and what is shown."""
    return page.evaluate(_READ)
