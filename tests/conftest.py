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
    """The program of the process in which a report is examined runs in this one: the same order, the same answer, and
    no second or three for what it imports. Others, and all with little time, have a process of their own.
    """
    from neyman.reports.verifying import recompute

    def run(command: list[str], **more: Any) -> subprocess.CompletedProcess[bytes]:
        if more["timeout"] < 30.0:
            return subprocess.run(command, **more)
        out = io.StringIO()
        with monkeypatch.context() as patch, redirect_stdout(out):
            patch.setattr(sys, "stdin", io.StringIO(more["input"].decode()))
            patch.setattr(recompute, "_limit", lambda _: None)  # it would hold for all that comes after
            exec(command[-1], {})
        return subprocess.CompletedProcess(command, 0, out.getvalue().encode(), b"")

    monkeypatch.setattr(recompute, "subprocess", SimpleNamespace(run=run, TimeoutExpired=subprocess.TimeoutExpired))
