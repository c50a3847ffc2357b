"""What was handed over at the start: mechanisms, guarantees, an audit; and the page inside a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from explorer.driving import at_rest, choices, read, settled

import neyman as ny
from neyman.explorer import Explorer


@pytest.fixture(scope="module")
def served() -> Iterator[Explorer]:
    scores = ny.audit.from_scores([3.0] * 400 + [0.0] * 100, [0.0] * 500)
    mixed = ny.compose([ny.Gaussian(2.0), ny.Laplace(3.0)])
    with ny.explore(ny.DPSGD(1.23456789, 0.0123456, 321), mixed, "rho:0.1", audit=scores) as page:
        yield page


def test_each_is_offered_and_answers(explore: Callable[..., Any], served: Explorer):
    opened = explore(served.url)
    page = opened.page
    first = read(page)
    assert first["set"]["noise_multiplier"] == "1.23456789"  # as it was, to the last digit
    guarantee = ny.account(ny.DPSGD(1.23456789, 0.0123456, 321))
    assert float(first["numbers"]["epsilon"]) >= guarantee.epsilon(1e-5)
    offered = choices(page, "kind")
    assert len(offered) == 3 + 4
    for choice in offered[1:3]:
        page.locator("#kind").select_option(choice)
        at_rest(page)
        assert not read(page)["refused"]
        assert not page.locator("#risks").is_visible()  # nothing of it can be changed
        again = explore(served.url, page.evaluate("location.hash")).page
        settled(again)
        assert read(again)["numbers"] == read(page)["numbers"]
    page.locator("#kind").select_option(offered[0])
    settled(page)
    assert read(page)["numbers"] == first["numbers"]
    assert opened.complaints == []


def test_what_an_audit_saw_lies_over_the_claim(explore: Callable[..., Any], served: Explorer):
    page = explore(served.url).page
    assert page.locator("#audit").is_visible()
    assert "did better than these settings allow" in page.locator("#verdict").inner_text()
    assert page.locator("#curve .saw").get_attribute("d")
    page.locator("#noise_multiplier").fill("0.1")
    settled(page)
    assert "no attack of this audit did better" in page.locator("#verdict").inner_text()


def test_without_an_audit_nothing_is_said_of_one(explore: Callable[..., Any], engine: str):
    assert not explore(engine).page.locator("#audit").is_visible()


def test_in_the_frame_of_a_notebook(
    explore: Callable[..., Any], addresses: dict[str, str], browser: Any, tmp_path: Path
):
    """Which has no address, no clipboard, and no origin."""
    text = (
        Path(addresses["table"].removeprefix("file://"))
        .read_text(encoding="utf-8")
        .replace("&", "&amp;")
        .replace('"', "&quot;")
    )
    path = tmp_path / "notebook.html"
    path.write_text(
        f'<iframe sandbox="allow-scripts" width="100%" height="900" srcdoc="{text}"></iframe>', encoding="utf-8"
    )
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page, complaints = context.new_page(), list[str]()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(path.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("#noise_multiplier").fill("1.5")
    page.wait_for_timeout(600)
    assert "1.5" in frame.locator("#run").inner_text()
    frame.get_by_role("button", name="Copy: Python").click()
    page.wait_for_timeout(200)
    assert complaints == []
    context.close()
