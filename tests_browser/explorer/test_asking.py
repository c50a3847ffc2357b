"""One question at a time, the newest wins, and no answer is shown as that of other settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from explorer.driving import at_rest, positions, read, settled, slide
from playwright.sync_api import Route

from neyman.explorer import answer as answered

# every change of what is shown: which noise is set, which was answered, and whether it is said to be old
_WATCH = """
window.seen = [];
addEventListener("DOMContentLoaded", () => new MutationObserver(() => window.seen.push([
  document.getElementById("noise_multiplier").value, document.getElementById("run").textContent,
  document.body.classList.contains("stale"),
])).observe(document.body, {
  subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["class"],
}));
"""


class _Slow:
    """Answers that come when they are let go."""

    def __init__(self) -> None:
        self.waiting: list[Route] = []
        self.most = 0

    def __call__(self, route: Route) -> None:
        self.waiting.append(route)
        self.most = max(self.most, len(self.waiting))

    def let_go(self) -> dict[str, Any]:
        route = self.waiting.pop(0)
        route.continue_()
        return json.loads(route.request.post_data or "{}")


def _wait_for_question(page: Any, slow: _Slow) -> None:
    for _ in range(200):
        if slow.waiting:
            return
        page.wait_for_timeout(25)
    raise AssertionError("nothing was asked")


def test_one_question_at_a_time_and_the_newest_wins(explore: Callable[..., Any]):
    page = explore("server").page
    at_rest(page)
    slow = _Slow()
    page.route("**/answer", slow)
    for position in range(100, 160):
        slide(page, "noise_multiplier", position)
        page.wait_for_timeout(5)
    _wait_for_question(page, slow)
    assert page.locator("body.stale").count() == 1
    assert float(page.evaluate("getComputedStyle(document.querySelector('.told')).opacity")) < 1
    assert page.locator("#answer").get_attribute("aria-busy") == "true"
    first = slow.let_go()
    _wait_for_question(page, slow)  # the second, of the newest settings: those between were never asked
    assert page.locator("body.stale").count() == 1  # what came is shown as old
    asked = first["settings"]["noise_multiplier"], read(page)["set"]["noise_multiplier"]
    assert asked[0] != asked[1]
    second = slow.let_go()
    assert second["settings"]["noise_multiplier"] == asked[1]
    settled(page)
    assert float(asked[1]) == float(read(page)["run"].split("deviation ")[1].split(",")[0])
    assert page.locator("#answer").get_attribute("aria-busy") == "false"
    assert slow.most == 1


def test_an_old_answer_never_stands_as_that_of_new_settings(explore: Callable[..., Any]):
    page = explore("server", script=_WATCH).page
    last = positions(page, ("noise_multiplier",))["noise_multiplier"]
    for position in range(last // 4, last // 2):
        slide(page, "noise_multiplier", position)
        page.wait_for_timeout(20)
    at_rest(page)
    seen = page.evaluate("window.seen")
    assert len({run for _, run, _ in seen}) > 5  # answers came while it moved
    for noise, run, stale in seen:
        answered = run.split("deviation ")[-1].split(",")[0]
        assert stale or not run or float(answered) == float(noise)


def test_what_follows_is_dropped_once_settings_move_on(explore: Callable[..., Any]):
    page = explore("server").page
    at_rest(page)
    slow = _Slow()
    page.route("**/answer", slow)  # before anything is asked, however long this takes
    slide(page, "noise_multiplier", 120)
    _wait_for_question(page, slow)
    assert slow.let_go()["brackets"] is False
    settled(page)
    _wait_for_question(page, slow)  # for the brackets, of these settings
    slide(page, "noise_multiplier", 180)
    assert slow.let_go()["brackets"] is True
    _wait_for_question(page, slow)
    assert slow.let_go()["brackets"] is False
    settled(page)
    before = read(page)["numbers"]
    page.wait_for_timeout(100)
    assert read(page)["numbers"] == before
    assert slow.most == 1


def test_a_server_that_is_gone_is_told(explore: Callable[..., Any]):
    page = explore("server").page
    at_rest(page)
    page.route("**/answer", lambda route: route.abort())
    slide(page, "noise_multiplier", 120)
    settled(page)
    assert "neyman explore" in page.locator("#refused").inner_text()
    assert not page.locator("#sentence").is_visible()
    page.unroute("**/answer")
    slide(page, "noise_multiplier", 121)
    settled(page)
    assert page.locator("#sentence").is_visible()


def test_words_of_the_engine_are_words(explore: Callable[..., Any]):
    """Whatever an answer holds, it is text: markup in it is shown as it is written."""
    opened = explore("server")
    page = opened.page
    evil = "<img src=x onerror=window.neymanRan=1><b>bold</b>"

    def answer(route: Route) -> None:
        told: Any = answered(json.loads(route.request.post_data or ""))
        for name in ("run", "sentence", "python", "command", "bibtex"):
            if name in told:
                told[name] = evil
        for number in told.get("numbers", {}).values():
            number.update(text=evil, says=evil, bracket=evil)
        if "headline" in told:
            told["headline"] = {"number": evil, "why": evil, "report": "mu"}
            told["odds"]["sentence"] = evil
        route.fulfill(json=told)

    page.route("**/answer", answer)
    page.locator("#pin-a").click()
    slide(page, "noise_multiplier", 120)
    at_rest(page)
    assert page.locator("main img").count() == 0
    assert page.evaluate("window.neymanRan") is None
    assert page.locator("#sentence").inner_text() == evil
    assert page.locator("#copies code").first.inner_text() == evil
