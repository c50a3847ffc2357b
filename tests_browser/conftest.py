"""A browser for all tests, and every page of `cases` on disk."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cards import page_of_cards
from cases import written
from notebooks import converted
from opened import Opened, listened
from playwright.sync_api import Browser, Route, sync_playwright

_ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
    if found is None:
        pytest.fail("no chromium on this machine: apt-get install chromium")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=_ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    room = tmp_path_factory.mktemp("reports")
    paths: dict[str, Path] = {}
    for name, page in written().items():
        paths[name] = room / f"{name.replace(' ', '-')}.html"
        paths[name].write_text(page, encoding="utf-8")
    return paths


@pytest.fixture
def open_file(browser: Browser) -> Iterator[Callable[..., Opened]]:
    """Open a file: ``width``, and what a browser context takes. Whatever else it asks for is refused."""
    contexts: list[Any] = []

    def opened(path: Path, width: int = 1280, **settings: Any) -> Opened:
        context = browser.new_context(viewport={"width": width, "height": 900}, **settings)
        context.set_default_timeout(120_000)  # milliseconds; busy machines are slow, not wrong
        contexts.append(context)
        found = listened(context, path.as_uri())

        def answer(route: Route) -> None:
            found.answered.append(route.request.url)
            if route.request.url == found.address:
                route.continue_()
            else:
                route.abort()

        found.page.route("**/*", answer)
        found.page.goto(found.address)
        return found

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def open_page(open_file: Callable[..., Opened], files: dict[str, Path]) -> Callable[..., Opened]:
    """Open the page of a case, likewise."""
    return lambda case, width=1280, **settings: open_file(files[case], width, **settings)


@pytest.fixture(scope="session")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with every card, as a notebook would have them."""
    path = tmp_path_factory.mktemp("cards") / "cards.html"
    path.write_text(page_of_cards(), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def notebooks(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """The notebooks of examples/, run once in a kernel, as JupyterLab shows them by day and by night."""
    return converted(tmp_path_factory.mktemp("notebooks"))
