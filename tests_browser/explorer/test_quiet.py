"""The page asks nobody but where it came from, says nothing to the console, and runs nothing but its own program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from explorer.driving import at_rest, choices, positions, read, settled, slide

_SLIDERS = ("noise_multiplier", "sample_rate", "steps", "fpr", "delta", "risk")
_RAN = "neymanRan"
_EVIL = f"<script>window.{_RAN}=1</script><img src=x onerror=window.{_RAN}=2><svg onload=window.{_RAN}=3>"
_INJECT = """([program, markup]) => {
  const one = document.createElement("script");
  one.textContent = program;
  document.body.append(one);
  document.body.insertAdjacentHTML("beforeend", markup);
}"""
_FRAGMENTS = (
    f"#kind={_EVIL}", f"#noise_multiplier={_EVIL}", f"#a={_EVIL}", f"#name={_EVIL}&kind=given", "#a=dpsgd,1",
    "#kind=given", "#a=given,nobody", "#noise_multiplier=" + "9" * 100_000, "#steps=1e999",
    "#sample_rate=0/0", "#fpr=-1&delta=2",
    "#__proto__=1&constructor=2&toString=3", "#target=__proto__&hold=1", "#free=constructor&hold=1", "#%ff%fe%00",
    "#hold=1&risk=x", "#sampling=evil", "#kind=toString", "#a=toString,1", "#log=2", "#noise_multiplier=1%2F0",
    "#" + "&".join(f"a{i}=1" for i in range(300)), f"#{_EVIL}", f"#{quote(_EVIL)}", "#noise_multiplier=٣",
    "#steps=--------", "#&&&===",
)  # fmt: skip


def _press_everything(page: Any) -> None:
    for button in page.locator("button:visible").all():
        button.click(force=True)  # those that are at rest, too
    for summary in page.locator("summary:visible").all():
        summary.click()
    for box in page.locator("input[type=checkbox]:visible").all():
        box.click()
    for name in ("free", "target", "sampling", "kind"):
        for value in choices(page, name):
            page.locator(f"#{name}").select_option(value)
            settled(page)


def test_nothing_is_asked_for_elsewhere_and_nothing_complained_of(explore: Callable[..., Any], engine: str):
    opened = explore(engine, accept_downloads=True)
    page = opened.page
    for name, last in positions(page, _SLIDERS).items():
        slide(page, name, round(0.6 * last))
        settled(page)
    _press_everything(page)
    at_rest(page)
    assert opened.complaints == []
    if engine == "table":
        assert opened.requests == [opened.address]
        return
    place = urlsplit(opened.address)
    assert {urlsplit(url)[:2] for url in opened.requests} == {place[:2]}
    assert {urlsplit(url).path for url in opened.requests} == {place.path, f"{place.path}answer"}


def test_an_injected_program_does_not_run(explore: Callable[..., Any], addresses: dict[str, str], tmp_path: Path):
    whole = Path(urlsplit(addresses["table"]).path).read_text(encoding="utf-8")
    path = tmp_path / "evil.html"
    path.write_text(whole.replace("<main>", f"<main>{_EVIL}<style>main {{ color: red }}</style>"), encoding="utf-8")
    opened = explore(path.as_uri())
    opened.page.wait_for_timeout(200)
    assert opened.page.evaluate(f"window.{_RAN}") is None
    assert opened.page.evaluate("getComputedStyle(document.querySelector('main')).color") != "rgb(255, 0, 0)"
    assert len(opened.complaints) >= 3  # the policy says what it refused
    assert read(opened.page)["sentence"].startswith("Of 1,000 people")  # and its own program ran


def test_a_served_page_runs_no_other_program(explore: Callable[..., Any]):
    opened = explore("server")
    opened.page.evaluate(_INJECT, [f"window.{_RAN} = 1", _EVIL])
    opened.page.wait_for_timeout(200)
    assert opened.page.evaluate(f"window.{_RAN}") is None
    assert len(opened.complaints) >= 2


def test_hostile_addresses_are_harmless(explore: Callable[..., Any], engine: str):
    opened = explore(engine)
    page = opened.page
    for fragment in _FRAGMENTS:
        page.goto("about:blank")
        page.goto(opened.address + fragment)
        settled(page)
        assert opened.complaints == [], fragment
        assert page.evaluate(f"window.{_RAN}") is None
        assert page.locator("main img, main script, iframe").count() == 0
        shown = read(page)
        assert shown["refused"] == bool(page.locator("#refused:visible").count())
        assert shown["refused"] or shown["sentence"].startswith("Of 1"), fragment
        assert page.locator("[data-number]:visible").count() == (0 if shown["refused"] else len(shown["numbers"]))
