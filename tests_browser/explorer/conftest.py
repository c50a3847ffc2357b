"""The explorer, served by the native engine and as a file with a table, opened in the browser of all tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from explorer.driving import settled
from opened import Opened, listened
from playwright.sync_api import Browser

import neyman as ny
from neyman.explorer.exploring import USUAL_START, file_of
from neyman.explorer.tables.stops import DELTAS, Stops
from neyman.explorer.tables.table import table_of

_HERE = Path(__file__).parent
_NOISE = ("0.6", "0.8", "1", "1.1", "1.5", "2.5")
_RATES = ("0.001", "0.004", "1/150", "0.01", "0.02")
_STEPS = ("100", "500", "1000", "4000")
ENGINES = ("server", "table")


@pytest.fixture(scope="session")
def table() -> dict[str, Any]:
    """A table of a few stops: more would only take longer to make."""
    return table_of(Stops(_NOISE, _RATES, _STEPS, DELTAS), progress=False)


@pytest.fixture(scope="session")
def addresses(table: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Where the page of each engine is."""
    room = tmp_path_factory.mktemp("explorer")
    file = room / "explore.html"
    file.write_text(file_of(table, USUAL_START), encoding="utf-8")
    with ny.explore() as served:
        yield {"server": served.url, "table": file.as_uri()}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def explore(browser: Browser, addresses: dict[str, str]) -> Iterator[Callable[..., Opened]]:
    """Open the page of an engine, or of an address, and wait for its first answer."""
    contexts: list[Any] = []

    def opened(where: str, fragment: str = "", width: int = 1280, script: str = "", **settings: Any) -> Opened:
        context = browser.new_context(viewport={"width": width, "height": 900}, **settings)
        context.set_default_timeout(120_000)  # milliseconds; busy machines are slow, not wrong
        contexts.append(context)
        found = listened(context, addresses.get(where, where))
        if script:
            found.page.add_init_script(script)
        found.page.goto(found.address + fragment)
        settled(found.page)
        return found

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where npm puts what these tests take from it: the releases whose digests stand in package-lock.json."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.fail("no npm on this machine: apt-get install npm, or set NEYMAN_AXE and NEYMAN_PYODIDE (see below)")
    room = tmp_path_factory.mktemp("npm")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(_HERE / name, room)
    subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=room, check=True)
    return room / "node_modules"


def _taken(variable: str, name: str, request: pytest.FixtureRequest) -> Path:
    if variable in os.environ:
        return Path(os.environ[variable])
    return request.getfixturevalue("modules") / name


@pytest.fixture(scope="session")
def axe(request: pytest.FixtureRequest) -> str:
    """axe-core; from npm, or from where NEYMAN_AXE says that axe.min.js is."""
    return _taken("NEYMAN_AXE", "axe-core/axe.min.js", request).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def pyodide(request: pytest.FixtureRequest) -> Path:
    """The runtime; from npm, or from where NEYMAN_PYODIDE says that its package is."""
    return _taken("NEYMAN_PYODIDE", "pyodide", request)
