"""The third engine: the real runtime from npm, in a worker of the page, behind a host of plain files.

NumPy, SciPy and neyman are stand-ins here (``standins.py`` says what they are): nothing of this shows that numbers are
right in a browser. ``true_wheels.py`` does, where somebody has the wheels.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from explorer.driving import read, settled, type_in
from explorer.hosting import Host
from explorer.standins import FIRST, natively, pretender, release_of, small_table, stand_in_wheels
from opened import Opened, listened
from playwright.sync_api import Browser

import neyman as ny
from neyman.explorer.browser.folder import carried, write_folder
from neyman.explorer.browser.runtime import Release, runtime
from neyman.explorer.browser.sources import sources

_CARRIED = (
    "pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json",
    "numpy-2.4.6-cp314-cp314-pyemscripten_2026_0_wasm32.whl", "scipy-1.18.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl",
    f"neyman-{ny.__version__}.zip",
)  # fmt: skip
_PATIENCE = 5  # seconds: what a stand-in answers takes milliseconds
_UP = "exact engine, Pyodide 314.0.7 in this page"
_LACKING = "This table holds DP-SGD, not gaussian."
_BETWEEN = {"noise_multiplier": "0.9", "sample_rate": "0.01", "steps": "1000"}


@dataclass
class Made:
    """What folders are made of."""

    pyodide: Path
    wheels: Path
    release: Release
    table: dict[str, Any]
    told: list[dict[str, Any]]

    def folder(self, place: Path, **more: Any) -> Path:
        data = {
            "table": self.table,
            "given": [],
            "start": FIRST,
            "audit": None,
            "landmarks": [],
            "version": ny.__version__,
        }
        read = runtime(self.pyodide, self.wheels, release=self.release)
        what = carried(data, read, **{"patience": _PATIENCE, "program": pretender(self.told), **more})
        return write_folder(place, what).parent


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """Another place on this machine, that nobody is to ask. Any request would reach it, whatever it may read."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "asked").write_text("whoever reads this has asked elsewhere")
    host = Host(folder)
    yield host
    host.close()


@pytest.fixture(scope="module")
def made(pyodide: Path, elsewhere: Host, tmp_path_factory: pytest.TempPathFactory) -> Made:
    room = tmp_path_factory.mktemp("worker")
    wheels = room / "wheels"
    wheels.mkdir()
    digests = stand_in_wheels(wheels, pyodide, f"{elsewhere.origin}/asked")
    return Made(room / "pyodide", wheels, release_of(pyodide, room / "pyodide", digests), small_table(), natively())


@pytest.fixture(scope="module")
def folder(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made.folder(tmp_path_factory.mktemp("site") / "explore")


@pytest.fixture
def host(folder: Path) -> Iterator[Host]:
    found = Host(folder)
    yield found
    found.close()


@pytest.fixture(scope="module")
def visit(browser: Browser) -> Iterator[Callable[..., Opened]]:
    """Open an address, and wait for nothing but the page itself."""
    contexts: list[Any] = []

    def opened(address: str) -> Opened:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(300_000)  # milliseconds; busy machines are slow, not wrong
        contexts.append(context)
        found = listened(context, address)
        found.page.goto(address)
        return found

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def exact(folder: Path, visit: Callable[..., Opened]) -> Iterator[Opened]:
    """A page whose engine is there."""
    found = Host(folder)
    opened = visit(f"{found.origin}/")
    _wait(opened.page, _UP)
    settled(opened.page)
    yield opened
    found.close()


def _wait(page: Any, words: str) -> str:
    """Wait until the page says so of its engine; return all of what it says."""
    told = "words => document.getElementById('engine').textContent.includes(words)"
    page.wait_for_function(told, arg=words)
    return page.locator("#engine").text_content()


def _noise(page: Any, text: str) -> dict[str, Any]:
    type_in(page, "noise_multiplier", text)
    page.wait_for_timeout(100)
    settled(page)
    return read(page)


def _refused(page: Any, text: str) -> str:
    shown = _noise(page, text)
    assert shown["refused"]
    return shown["refused-error"]


def test_the_table_answers_until_the_engine_is_there(host: Host, visit: Callable[..., Opened], made: Made):
    opened = visit(f"{host.origin}/#noise_multiplier=0.9&delta=1e-5")
    page = opened.page
    settled(page)
    before = page.locator("#engine").text_content()
    assert before.startswith("table of bounds; exact engine: ")
    shown = read(page)
    assert {name: shown["set"][name] for name in _BETWEEN} == _BETWEEN
    assert shown["certain"].startswith("Between the stops of the table")
    assert shown["numbers"]["epsilon"] == made.table["epsilon"][1][3]  # the stop of less noise
    _wait(page, _UP)
    settled(page)
    page.wait_for_function("() => document.getElementById('certain').textContent === ''")
    shown = read(page)
    assert shown["sentence"] == made.told[0]["odds"]["sentence"]  # of the stand-in, which answers one setting for all
    assert shown["numbers"] == {name: number["text"] for name, number in made.told[0]["numbers"].items()}
    page.wait_for_timeout(500)
    assert opened.complaints == []
    assert sorted(host.asked) == sorted(["/", *(f"/engine/{name}" for name in _CARRIED)])
    assert {url.removeprefix("blob:").split("/")[2] for url in opened.requests} == {host.origin.split("/")[2]}
    assert (made.pyodide / "pyodide.asm.wasm").stat().st_size > 9_000_000  # the real runtime


def test_any_mechanism_is_answered(exact: Opened, made: Made):
    page = exact.page
    assert not page.locator("#kind-row").is_hidden()
    page.locator("#kind").select_option("gaussian")
    settled(page)
    assert read(page)["sentence"] == made.told[1]["odds"]["sentence"]
    page.locator("#kind").select_option("dpsgd")
    settled(page)
    assert read(page)["sentence"] == made.told[0]["odds"]["sentence"]


def test_bad_questions_are_survived(exact: Opened, made: Made):
    page = exact.page
    assert _refused(page, "-1") == "Noise multiplier must be > 0, got -1."
    assert _refused(page, "7") == "No answer: RuntimeError (not foreseen: please report it)."
    shown = _noise(page, "1")
    assert not shown["refused"]
    assert shown["sentence"] == made.told[0]["odds"]["sentence"]
    assert page.locator("#engine").text_content() == _UP
    assert exact.complaints == []


def test_python_asks_nobody_elsewhere(exact: Opened, elsewhere: Host):
    assert _refused(exact.page, "9") == "elsewhere: JsException"
    assert elsewhere.asked == []
    exact.complaints.clear()  # where the browser says that it did not
    assert not _noise(exact.page, "1")["refused"]


def test_a_question_that_takes_too_long_is_ended(exact: Opened, made: Made):
    page = exact.page
    assert _refused(page, "8") == f"No answer within {_PATIENCE} seconds: nothing was decided. {_ELSE}"
    assert page.locator("#engine").text_content() != _UP
    type_in(page, "noise_multiplier", "1")  # asked while it starts again, and answered once it is there
    _wait(page, _UP)
    settled(page)
    page.wait_for_selector("body:not(.refused)")
    assert read(page)["sentence"] == made.told[0]["odds"]["sentence"]
    assert exact.complaints == []


def test_an_engine_that_breaks_down_starts_again(exact: Opened, made: Made):
    page = exact.page
    assert _refused(page, "10") == "The engine broke down over this question, and starts again."
    exact.complaints.clear()  # the runtime says what became of it
    type_in(page, "noise_multiplier", "1")
    _wait(page, _UP)
    settled(page)
    page.wait_for_selector("body:not(.refused)")
    assert read(page)["sentence"] == made.told[0]["odds"]["sentence"]
    assert exact.complaints == []


_COMPILE = """
const [place, archive] = process.argv.slice(2);
const { loadPyodide } = await import(`${place}/pyodide.mjs`);
const { readFile } = await import("node:fs/promises");
const python = await loadPyodide({ indexURL: place });
python.unpackArchive(new Uint8Array(await readFile(archive)), "zip", { extractDir: "/tmp/sources" });
console.log(python.runPython(`
import sys, warnings
from pathlib import Path
warnings.simplefilter("error")
files = sorted(Path("/tmp/sources").rglob("*.py"))
for file in files:
    compile(file.read_text(encoding="utf-8"), str(file), "exec")
f"{len(files)} {sys.platform}"
`));
"""
_RAN = b"\nfetch('/ran');\n"


@pytest.mark.parametrize(
    ("name", "how"),
    [*((name, "another") for name in _CARRIED), *((_CARRIED[0], how) for how in ("longer", "shorter", "empty"))],
)
def test_a_tampered_file_is_refused_before_anything_runs(
    host: Host, folder: Path, visit: Callable[..., Opened], name: str, how: str
):
    whole = (folder / "engine" / name).read_bytes()
    half = len(whole) // 2
    changed = {
        "another": whole[:half] + bytes([whole[half] ^ 1]) + whole[half + 1 :],
        "longer": _RAN + whole,
        "shorter": whole[:-1],
        "empty": b"",
    }
    if how == "another" and name.endswith(".mjs"):
        changed[how] = _RAN + whole[: -len(_RAN)]  # of the right length
    host.instead[f"/engine/{name}"] = [changed[how]]
    opened = visit(f"{host.origin}/")
    page = opened.page
    told = _wait(page, "did not start")
    assert (
        told == f"table of bounds: the exact engine did not start ({name} is not the file that this page was made with)"
    )
    settled(page)
    assert not read(page)["refused"]
    assert read(page)["numbers"]["mu"]
    page.wait_for_timeout(200)
    assert "/ran" not in host.asked
    assert host.asked.count(f"/engine/{name}") == 2  # once more, past the cache
    assert not [url for url in opened.requests if url.startswith("blob:")][1:]  # nothing but the worker itself
    assert opened.complaints == []


def test_a_missing_file_is_named(host: Host, visit: Callable[..., Opened]):
    host.instead[f"/engine/{_CARRIED[5]}"] = [None]
    page = visit(f"{host.origin}/").page
    assert _wait(page, "did not start").endswith(f"({_CARRIED[5]} is not there (404))")
    page.locator("#kind").select_option("gaussian")
    settled(page)
    words = read(page)["refused-error"]
    assert words == f"{_LACKING} This says the table, which answers alone: the exact engine did not start. {_ELSE}"


def test_what_an_older_page_left_in_the_cache_is_asked_for_again(
    host: Host, folder: Path, visit: Callable[..., Opened]
):
    path = f"/engine/{_CARRIED[7]}"
    host.instead[path] = [b"of yesterday", (folder / "engine" / _CARRIED[7]).read_bytes()]
    page = visit(f"{host.origin}/").page
    _wait(page, "starting Python")
    assert host.asked.count(path) == 2


_ELSE = "Run `neyman explore` for an engine that knows."
_LATER = "This says the table, which answers until the exact engine is loaded."


def test_while_it_loads_what_the_table_lacks_is_said(host: Host, visit: Callable[..., Opened]):
    opened = visit(f"{host.origin}/#kind=gaussian")
    page = opened.page
    settled(page)
    assert page.locator("#engine").text_content() != _UP
    assert read(page)["refused-error"] == f"{_LACKING} {_LATER}"
    page.evaluate("() => { location.hash = '#kind=laplace&scale=1&hold=1&target=tpr&risk=0.3&free=scale'; }")
    page.wait_for_timeout(100)
    settled(page)
    assert read(page)["refused-error"] == f"This table holds DP-SGD, not laplace. {_LATER}"
    page.evaluate("() => { location.hash = '#kind=gaussian'; }")
    _wait(page, _UP)
    page.wait_for_selector("body:not(.refused)")
    settled(page)
    assert not read(page)["refused"]
    assert opened.complaints == []


def test_a_first_answer_that_contradicts_the_native_one_is_refused(
    made: Made, visit: Callable[..., Opened], tmp_path: Path
):
    false = dict(made.told[0]["numbers"]["epsilon"], lower=1.0, upper=1.1)
    told = [{**made.told[0], "numbers": {**made.told[0]["numbers"], "epsilon": false}}, made.told[1]]
    host = Host(made.folder(tmp_path / "false", program=pretender(told)))
    opened = visit(f"{host.origin}/")
    words = _wait(opened.page, "did not start")
    assert words.endswith("(its first answer contradicts what was certified of epsilon)")
    assert opened.complaints == []
    host.close()


def test_the_real_sources_run_as_far_as_numpy(made: Made, visit: Callable[..., Opened], tmp_path: Path):
    """Under the runtime's own Python, up to the first thing that a stand-in does not have."""
    host = Host(made.folder(tmp_path / "real", program=None))
    opened = visit(f"{host.origin}/")
    words = _wait(opened.page, "did not start")
    assert re.search(r"(No module named 'numpy\.|module 'numpy' has no attribute)", words)
    settled(opened.page)
    assert not read(opened.page)["refused"]
    assert opened.complaints == []
    host.close()


def test_the_sources_are_compiled_by_that_python_without_a_warning(pyodide: Path, tmp_path: Path):
    archive, program = tmp_path / "neyman.zip", tmp_path / "compile.mjs"
    archive.write_bytes(sources())
    program.write_text(_COMPILE, encoding="utf-8")
    node = shutil.which("node") or pytest.fail("no node on this machine: it comes with npm")
    command = [node, str(program), str(pyodide), str(archive)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    counted = sum(1 for _ in Path(ny.__file__).parent.rglob("*.py"))
    assert done.stdout.split() == [str(counted), "emscripten"]


def test_a_page_that_is_opened_as_a_file_says_what_to_do(folder: Path, visit: Callable[..., Opened], tmp_path: Path):
    shutil.copytree(folder, tmp_path / "copy")
    opened = visit((tmp_path / "copy" / "index.html").as_uri())
    assert "serve its folder, such as by python -m http.server" in _wait(opened.page, "did not start")
    settled(opened.page)
    assert read(opened.page)["numbers"]["mu"]
    assert opened.complaints == []
    assert opened.requests == [opened.address]


def test_a_page_without_a_table_waits(made: Made, visit: Callable[..., Opened], tmp_path: Path):
    bare = Made(made.pyodide, made.wheels, made.release, None, made.told)  # type: ignore[arg-type]
    host = Host(bare.folder(tmp_path / "bare"))
    host.instead["/engine/pyodide.asm.mjs"] = [b"another"]
    opened = visit(f"{host.origin}/")
    _wait(opened.page, "no engine: the exact engine did not start")
    settled(opened.page)
    assert read(opened.page)["refused-error"].startswith(
        "The exact engine did not start: pyodide.asm.mjs is not the file"
    )
    host.close()
