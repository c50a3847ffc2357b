"""Hypothesis profiles: fast and repeatable by default, HYPOTHESIS_PROFILE=thorough for a long search, freshly drawn.

One thread of linear algebra in each process, unless asked otherwise: workers share the cores, and matrices here are
small. Two threads each took twice the processor time for nothing.

What is compiled once is kept, even where PYTHONDONTWRITEBYTECODE says otherwise: workers and the processes that tests
start would each compile all of the package and all of the tests anew, every time.
"""

import io
import os
import subprocess
import sys
from contextlib import redirect_stdout
from types import SimpleNamespace
from typing import Any

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # of the workers, and of what they start
sys.dont_write_bytecode = False
for _threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):  # read once, when NumPy is imported
    os.environ.setdefault(_threads, "1")

import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

settings.register_profile("fast", max_examples=10, deadline=None, derandomize=True, database=None)
settings.register_profile(
    "thorough", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


@pytest.fixture
def examined_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs of the processes in which a report is examined and proved run in this one: the same order, the same
    answer, and no second or three for what they import. Others, and all with little time, have a process of their own.
    """
    from neyman.proving import elsewhere
    from neyman.reports.verifying import recompute

    def run(command: list[str], **more: Any) -> subprocess.CompletedProcess[bytes]:
        if more["timeout"] < 30.0:
            return subprocess.run(command, **more)
        out = io.StringIO()
        with monkeypatch.context() as patch, redirect_stdout(out):
            patch.setattr(sys, "stdin", io.StringIO(more["input"].decode()))
            patch.setattr(recompute, "_limit", lambda _: None)  # it would hold for all that comes after
            patch.setattr(elsewhere, "resource", SimpleNamespace(RLIMIT_AS=0, setrlimit=lambda *_: None))
            exec(command[-1], {})
        return subprocess.CompletedProcess(command, 0, out.getvalue().encode(), b"")

    here = SimpleNamespace(run=run, TimeoutExpired=subprocess.TimeoutExpired)
    for module in (recompute, elsewhere):
        monkeypatch.setattr(module, "subprocess", here)


_DRAWN: dict[str, tuple[str, ...]] = {}


@pytest.fixture
def drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pictures of a report, which take most of a second, are drawn once for each document: they follow from it
    alone (tests/reports/test_html.py).
    """
    from neyman.reports.forms import html, pictures

    draw = pictures.svgs

    def drawn(document: Any) -> tuple[str, ...]:
        key = repr(document)
        if key not in _DRAWN:
            _DRAWN[key] = draw(document)
        return _DRAWN[key]

    for module in (html, pictures):
        monkeypatch.setattr(module, "svgs", drawn)
