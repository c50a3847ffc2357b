"""Pages ask for nothing, run nothing, and hold nothing that was injected, with programs allowed or not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from cases import CASES, MARKER

_WORDS = "document.body.innerText"


@pytest.mark.parametrize("programs", [True, False])
@pytest.mark.parametrize("case", CASES)
def test_nothing_is_asked_for_and_nothing_complained_of(open_page: Callable[..., Any], case: str, programs: bool):
    opened = open_page(case, java_script_enabled=programs)
    opened.page.wait_for_timeout(200)
    assert opened.requests == [opened.address]
    assert opened.complaints == []


@pytest.mark.parametrize("case", CASES)
def test_without_programs_the_page_is_the_same(open_page: Callable[..., Any], case: str):
    pictures = [
        open_page(case, java_script_enabled=programs).page.screenshot(full_page=True) for programs in (True, False)
    ]
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize("case", CASES)
def test_the_only_script_is_the_data_and_nothing_else_could_run(open_page: Callable[..., Any], case: str):
    page = open_page(case).page
    scripts = page.evaluate("[...document.querySelectorAll('script')].map(s => [s.type, s.id])")
    assert scripts == [["application/json", "neyman-report"]]
    assert page.evaluate(f"window.{MARKER}") is None
    assert page.locator("img, iframe, object, embed, form, input, link, base, a").count() == 0
    assert page.evaluate("document.querySelectorAll('style').length") == 1
    handlers = "[...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => a.name.startsWith('on')))"
    assert page.evaluate(f"{handlers}.length") == 0


def test_a_program_that_did_get_in_would_not_run(open_page: Callable[..., Any], files: dict[str, Any]):
    path = files["paper"]
    whole = path.read_text(encoding="utf-8")
    evil = f"<script>window.{MARKER}=1</script><img src='x.png' onerror='window.{MARKER}=2'></main>"
    path.write_text(whole.replace("</main>", evil), encoding="utf-8")
    try:
        opened = open_page("paper")
        opened.page.wait_for_timeout(200)
        assert opened.page.evaluate(f"window.{MARKER}") is None
        assert len(opened.complaints) >= 2  # the policy says what it refused
        assert opened.answered == [opened.address]  # nothing else came as far as being asked for
    finally:
        path.write_text(whole, encoding="utf-8")


@pytest.mark.parametrize("case", CASES)
def test_the_words_are_those_of_the_data(open_page: Callable[..., Any], case: str):
    page = open_page(case).page
    data = json.loads(page.evaluate("document.getElementById('neyman-report').textContent"))
    shown = page.evaluate(_WORDS)
    flat = "".join(shown.split())
    for field in ("title", "unit", "context"):
        assert "".join(data[field].split()) in flat
    how = "d => [d.dataset.claim, d.value, d.textContent]"
    claims = page.evaluate(f"[...document.querySelectorAll('data.claim')].map({how})")
    stated = {claim["id"]: claim["text"] for claim in data["claims"]}
    assert {name for name, _, _ in claims} == set(stated)
    for name, value, text in claims:
        assert value == stated[name]
        assert text == stated[name].replace("inf", "∞")
