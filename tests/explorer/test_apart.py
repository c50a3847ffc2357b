"""A report is written by another process, and nothing else waits for it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

import neyman as ny
from neyman.explorer import Answers
from neyman.explorer.asking.given import handed_over
from neyman.explorer.serving import apart
from neyman.explorer.serving.apart import Apart

RUN = {"kind": "gaussian", "noise_multiplier": 2}
REPORT: dict[str, Any] = {"v": 1, "ask": "report", "settings": RUN}
PROMISE: dict[str, Any] = {**REPORT, "ask": "promise"}


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "_CHILD", "import time; time.sleep(60)")


def _begun(asked: Apart, found: list[Any]) -> threading.Thread:
    writing = threading.Thread(target=lambda: found.append(asked(REPORT)))
    writing.start()
    while asked._writing is None:
        time.sleep(0.01)
    return writing


@pytest.mark.usefixtures("examined_here")
def test_the_report_is_that_of_this_process() -> None:
    given = handed_over([ny.GDP(0.5), "laplace:1"])
    asked = Apart(Answers(given))
    found: Any = asked({**REPORT, "settings": {"kind": "given", "name": "spec2"}})
    assert (found["ok"], found["name"]) == (True, "neyman-report.html")
    assert ny.verify(found["html"]).outcome == "holds"
    refused = asked({**REPORT, "settings": {**RUN, "noise_multiplier": -1}})
    assert refused == Answers()({**REPORT, "settings": {**RUN, "noise_multiplier": -1}})


@pytest.mark.usefixtures("slow")
def test_nothing_waits_for_a_report_and_closing_ends_it() -> None:
    asked, found = Apart(Answers()), list[Any]()
    writing = _begun(asked, found)
    assert asked(PROMISE)["ok"] is True
    assert asked("no question")["ok"] is False
    assert found == []
    asked.close()
    writing.join(10)
    assert found[0]["error"] == "No report was written: the process that wrote it ended."
    assert asked._writing is None


def test_what_takes_too_long_is_given_up(slow: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "_PATIENCE", 0.1)
    found = Apart(Answers())(REPORT)
    assert (found["kind"], found["error"]) == ("too_long", "No report was written within 0.1 seconds.")


def test_without_processes_it_is_written_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> None:
        raise OSError

    monkeypatch.setattr(subprocess, "Popen", none)
    assert Apart(Answers())({**REPORT, "settings": {"kind": "gaussian"}})["parameter"] == "noise_multiplier"


def test_what_is_lacking_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert apart.unreported() == ""
    monkeypatch.setattr(apart, "find_spec", lambda name: None if name == "jinja2" else object())
    assert apart.unreported() == "A report needs jinja2: pip install 'neyman[report]'."


def test_the_process_reads_one_question() -> None:
    import pickle

    told = pickle.dumps(({}, PROMISE))
    done = subprocess.run([sys.executable, "-c", apart._CHILD], input=told, capture_output=True, check=True)
    assert json.loads(done.stdout)["numbers"]["mu"]["text"] == "0.5"
