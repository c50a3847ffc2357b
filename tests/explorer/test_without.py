"""A browser has no processes, no threads, and none of the packages that the command line, pictures and reports need."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from neyman.explorer import answer

SETTINGS: list[dict[str, Any]] = [
    {"kind": "dpsgd", "noise_multiplier": 1.0, "sample_rate": "1%", "steps": 1000},
    {"kind": "dpsgd", "noise_multiplier": 1.0, "sample_rate": "1/100", "steps": 1000, "sampling": "allocation"},
    {"kind": "gaussian", "noise_multiplier": 2, "count": 3},
    {"kind": "laplace", "scale": 1, "count": 5},
    {"kind": "randomized_response", "epsilon": 1, "k": 3, "count": 2},
]
_BARE = """
import json, os, subprocess, sys, threading
from importlib.abc import MetaPathFinder

import numpy, scipy.special  # which look at the platform while they are imported

LACKING = {"click", "typer", "rich", "yaml", "matplotlib", "jinja2", "pydantic", "xarray", "dask", "pyarrow", "flint",
           "multiprocessing", "_multiprocessing", "resource", "termios", "curses", "webbrowser", "http", "sqlite3"}

class Lacking(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in LACKING:
            raise ModuleNotFoundError(f"a browser has no {name}")

def lacking(*_, **__):
    raise RuntimeError("can't start new thread")

sys.meta_path.insert(0, Lacking())
assert not LACKING & {name.split(".")[0] for name in sys.modules}
threading.Thread.start = subprocess.Popen.__init__ = os.fork = os.system = lacking
sys.platform = "emscripten"

from neyman.explorer.answers import Answers, refusal

asked = Answers()
print(json.dumps([asked(question) for question in json.loads(sys.stdin.read())]))
"""


def asked(questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the answers of a Python that lacks what a browser's lacks."""
    command = [sys.executable, "-W", "error", "-c", _BARE]
    found = subprocess.run(command, input=json.dumps(questions), capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


def test_every_kind_is_answered() -> None:
    told = asked([{"v": 1, "ask": "promise", "settings": settings} for settings in SETTINGS])
    assert [one.get("error") for one in told] == [None] * len(SETTINGS)
    assert all(one["numbers"]["epsilon"]["text"] for one in told)


def test_everything_else_is_answered_but_reports() -> None:
    run = SETTINGS[0]
    target = {"name": "mu", "value": 1}
    questions = [
        {"v": 1, "ask": "solve", "settings": run, "free": "noise_multiplier", "target": target},
        {"v": 1, "ask": "compare", "settings": run, "other": SETTINGS[2]},
        {"v": 1, "ask": "copy", "settings": run},
        {"v": 1, "ask": "report", "settings": run},
    ]
    told = asked(questions)
    assert told[:3] == [answer(question) for question in questions[:3]]
    assert all(one["ok"] for one in told[:3])
    assert not told[3]["ok"]
    assert "neyman[report]" in told[3]["error"]


def test_what_is_lacking_is_lacking() -> None:
    """Else the tests of this file would say nothing."""
    probe = _BARE.split("from neyman")[0]
    for name in ("typer", "multiprocessing"):
        found = subprocess.run(
            [sys.executable, "-c", f"{probe}\nimport {name}"], capture_output=True, text=True, check=False
        )
        assert f"a browser has no {name}" in found.stderr
    started = "threading.Thread(target=print).start()"
    found = subprocess.run([sys.executable, "-c", f"{probe}\n{started}"], capture_output=True, text=True, check=False)
    assert "can't start new thread" in found.stderr


def test_bad_questions_are_refused_as_elsewhere() -> None:
    """All in one process, whose start is dearer than they are."""
    bad: list[dict[str, Any]] = [{"kind": "dpsgd"}, {"kind": "given", "name": "spec1"}, {}]
    questions = [{"v": 1, "ask": "promise", "settings": settings} for settings in bad]
    told = asked(questions)
    assert told == [answer(question) for question in questions]
    assert not any(one["ok"] for one in told)
