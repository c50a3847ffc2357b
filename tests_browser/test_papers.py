"""The page of the papers: its filter finds rows by words, verdict and paper; without programs every row is there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from neyman_papers.page import page
from neyman_papers.paper import Paper
from neyman_papers.published import Holds, Published, Undetermined
from neyman_papers.summary import Summary, collected
from neyman_papers.tasks import Done, Task
from neyman_papers.verdict import Statement


def _paper(key: str, holds: tuple[bool | None, ...]) -> tuple[Paper, Done]:
    rules = [Undetermined() if h is None else Holds() for h in holds]
    rows = tuple(
        Published(
            key, f"row-{i}", f"Lemma {i}", f"statement {i} of <b>{key}</b>", "stated", rule, "why", f"Section {i % 2}"
        )
        for i, rule in enumerate(rules)
    )
    rows = tuple(sorted(rows, key=lambda p: p.part))
    done = Done(Task(key, "numbers", "all"), numbers={f"row-{i}": Statement(h, "") for i, h in enumerate(holds)})
    return Paper(key, f"Paper {key}", "nobody", "", rows, {}, (), ()), done


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = []
    for key, holds in (("one", (True, False, None, True)), ("two", (False, True))):
        paper, done = _paper(key, holds)
        results.append(collected(paper, [done]))
    path = tmp_path_factory.mktemp("papers") / "index.html"
    path.write_text(page(Summary(Path(), tuple(results), 0.0, 0.0)), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser: Browser, written: Path) -> Iterator[Any]:
    made: list[Any] = []

    def at(programs: bool = True, width: int = 1280) -> tuple[Any, list[str]]:
        context = browser.new_context(viewport={"width": width, "height": 900}, java_script_enabled=programs)
        made.append(context)
        found, complaints = context.new_page(), []
        found.on("console", lambda message: complaints.append(message.text))
        found.on("pageerror", lambda error: complaints.append(str(error)))
        found.goto(written.as_uri())
        return found, complaints

    yield at
    for context in made:
        context.close()


def _shown(found: Any) -> int:
    return sum(row.is_visible() for row in found.locator("tr[data-verdict]").all())


def test_rows_are_found_by_words_verdict_and_paper(opened: Any) -> None:
    found, complaints = opened()
    bar = found.locator("#filter")
    assert _shown(found) == 6
    for words, verdict, paper, expected in (
        ("lemma 1", "", "", 2), ("LEMMA one", "", "", 4), ("nothing of that kind", "", "", 0), ("", "differs", "", 2),
        ("", "differs", "two", 1), ("statement", "undetermined", "", 1), ("", "", "two", 2), ("", "", "", 6),
    ):  # fmt: skip
        bar.locator("input").fill(words)
        bar.locator("#verdict").select_option(verdict)
        bar.locator("#paper").select_option(paper)
        assert _shown(found) == expected
        assert bar.locator("output").inner_text() == f"{expected} of 6 rows"
    assert complaints == []


def test_sections_without_a_row_are_not_shown_and_enter_does_not_leave(opened: Any) -> None:
    found, complaints = opened()
    box = found.locator("#filter input")
    box.fill("lemma 0")
    box.press("Enter")
    assert [part.is_visible() for part in found.locator("tbody.part").all()] == [True, False, True, False]
    assert found.url.endswith("index.html")
    found.locator("nav a", has_text="Section 1").first.click()  # of what is hidden: the filter gives way
    found.wait_for_function("document.querySelector('#filter output').textContent === '6 of 6 rows'")
    assert box.input_value() == ""
    assert complaints == []


@pytest.mark.parametrize("width", [360, 1280])
def test_without_programs_every_row_is_there(opened: Any, width: int) -> None:
    found, complaints = opened(programs=False, width=width)
    assert _shown(found) == 6
    assert not found.locator("#filter").is_visible()
    assert complaints == []


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_window(opened: Any, width: int) -> None:
    found, _ = opened(width=width)
    assert found.evaluate("document.documentElement.scrollWidth") <= width
    found.locator("#filter input").fill("lemma 1")
    assert _shown(found) == 2
