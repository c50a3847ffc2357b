"""The third engine with the true NumPy and SciPy: every number in the browser against the native one.

No registry has these wheels, so that this is no part of the suite; a file of another name is not collected. With
Pyodide's full distribution unpacked (pyodide-314.0.7.tar.bz2, among the releases of github.com/pyodide/pyodide):

    NEYMAN_WHEELS=path/to/pyodide python -m pytest -c tests_browser/pytest.ini tests_browser/explorer/true_wheels.py
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from explorer.driving import at_rest, read
from explorer.hosting import Host
from explorer.standins import small_table
from opened import Opened, listened
from playwright.sync_api import Browser

import neyman as ny
from neyman.explorer import Answers
from neyman.explorer.browser.folder import carried, write_folder
from neyman.explorer.browser.runtime import runtime
from neyman.explorer.exploring import USUAL_START

_SETTINGS = (
    "noise_multiplier=1.1&sample_rate=512/60000&steps=1172", "noise_multiplier=0.7&sample_rate=0.001&steps=20000",
    "noise_multiplier=4&sample_rate=0.2&steps=300", "noise_multiplier=1&sample_rate=1&steps=3",
    "noise_multiplier=2&sample_rate=0.01&steps=200&sampling=allocation", "kind=gaussian&noise_multiplier=1.5&count=7",
    "kind=laplace&scale=2&count=20", "kind=randomized_response&epsilon=0.5&k=4&count=30",
    "noise_multiplier=1&sample_rate=0.01&steps=1000&fpr=0.0001&delta=1e-9&floor=1e-13",
    "hold=1&target=tpr&risk=0.3&free=noise_multiplier", "hold=1&target=epsilon&risk=3&free=steps",
)  # fmt: skip
_OVERHEARD = """{
  const post = Worker.prototype.postMessage;
  const asked = {};
  window.heard = [];
  Worker.prototype.postMessage = function (data) {
    if (data.question) asked[data.id] = JSON.parse(data.question);
    else this.addEventListener("message", ({ data: told }) => {
      if (told.answer) window.heard.push([asked[told.id], JSON.parse(told.answer)]);
    });
    return post.call(this, data);
  };
}"""


@pytest.fixture(scope="module")
def page(browser: Browser, pyodide: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    wheels = os.environ.get("NEYMAN_WHEELS")
    if wheels is None:
        pytest.fail("NEYMAN_WHEELS is to name a folder with the wheels")
    beside = {"given": [], "audit": None, "landmarks": [], "version": ny.__version__}
    data = {"table": small_table(), "start": USUAL_START, **beside}
    what = carried(data, runtime(pyodide, wheels))
    host = Host(write_folder(tmp_path_factory.mktemp("true") / "explore", what).parent)
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(300_000)
    found = listened(context, f"{host.origin}/")
    found.page.add_init_script(_OVERHEARD)
    found.page.goto(found.address)
    told = "() => /^exact|did not start/.test(document.getElementById('engine').textContent)"
    found.page.wait_for_function(told)
    assert found.page.locator("#engine").text_content() == "exact engine, Pyodide 314.0.7 in this page"
    yield found
    context.close()
    host.close()


@pytest.mark.parametrize("fragment", _SETTINGS)
def test_every_number_is_that_of_the_native_engine(page: Opened, fragment: str):
    found = page.page
    found.evaluate("() => { window.heard = []; }")
    found.evaluate("fragment => { location.hash = fragment; }", f"#{fragment}")
    found.wait_for_timeout(300)
    at_rest(found)
    assert not read(found)["refused"]
    heard = found.evaluate("() => window.heard")
    assert {question["ask"] for question, _ in heard} >= {"solve" if "hold" in fragment else "promise", "copy"}
    native: Any = Answers()
    for question, answer in heard:
        expected = native(question)
        assert answer["ok"]
        assert answer.keys() == expected.keys()
        if question["ask"] == "copy":
            assert answer == {**expected, "engine": "worker"}
            continue
        _agree(answer, expected)
    assert page.complaints == []


def _agree(answer: dict[str, Any], expected: dict[str, Any]) -> None:
    """Two certified brackets of one number overlap, and are as narrow; what is shown is the same."""
    assert answer["settings"] == expected["settings"]
    assert answer["headline"] == expected["headline"]
    assert answer["odds"] == expected["odds"]
    for name, number in expected["numbers"].items():
        other = answer["numbers"][name]
        assert (other["text"], other["refused"]) == (number["text"], number["refused"])
        assert other["value"] == pytest.approx(number["value"], rel=1e-9)
        if number["lower"] is not None and number["upper"] is not None:
            assert other["lower"] <= number["upper"]
            assert number["lower"] <= other["upper"]
    for name in ("alpha", "tpr"):
        assert answer["curve"][name] == pytest.approx(expected["curve"][name], abs=1e-9)
