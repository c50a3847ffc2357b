"""How far long work has come: who is shown what, and that quick work shows nothing."""

from __future__ import annotations

import io
import os
import sys
from types import ModuleType
from typing import Any

import pytest

import neyman as ny
from neyman import _progress
from neyman._progress import counting, progress_bar, progress_elsewhere


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which passes when a test says so."""
    clock = [0.0]
    monkeypatch.setattr(_progress.time, "monotonic", lambda: clock[0])
    return clock


def test_a_log_has_a_line_now_and_then(now: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar(True, 1000) as told:
        for _ in range(12):
            now[0] += 1.5
            told(50)
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert lines == ["200 of 1,000 settings, 6 s", "400 of 1,000 settings, 12 s", "600 of 1,000 settings, 18 s",
                     "600 of 1,000 settings, 18 s"]  # fmt: skip


def test_a_log_of_what_nobody_can_count(now: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar(True, None, "parameters tried") as told:
        now[0] = 3.0
        told(1)
    assert capsys.readouterr().err == "1 parameters tried, 3 s\n"


@pytest.mark.parametrize("shown", [False, None])
def test_what_takes_no_second_is_silent(
    shown: bool | None, now: list[float], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for stream in (sys.stderr, _Terminal()):
        monkeypatch.setattr(sys, "stderr", stream)
        with progress_bar(shown, 3) as told:
            now[0] += 0.9
            told(3)
        assert not isinstance(stream, _Terminal) or stream.getvalue() == ""
    assert capsys.readouterr() == ("", "")


def test_a_bar_on_a_terminal_alone(now: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    for shown, stream, bar in ((None, _Terminal(), True), (False, _Terminal(), False), (None, io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        with progress_bar(shown, 30) as told:
            now[0] += 2.0
            told(10)
            told(20)
        assert ("30/30" in stream.getvalue()) is bar


def test_what_is_asked_for_is_drawn_at_once(now: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", _Terminal())
    with progress_bar(True, 2) as told:
        told(2)
    assert "2/2" in sys.stderr.getvalue()


def test_a_notebook_is_known_by_its_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    class ZMQInteractiveShell:
        pass

    kernel: Any = ModuleType("IPython")
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    for shell, known in ((ZMQInteractiveShell(), True), (object(), False), (None, False)):
        kernel.get_ipython = lambda shell=shell: shell
        assert _progress._in_notebook() is known


def test_a_notebook_has_one_line_that_is_written_over(
    now: list[float], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """rich would ask for ipywidgets, and warn where there are none."""
    monkeypatch.setattr(_progress, "_in_notebook", lambda: True)
    with progress_bar(None, 30, "claims") as told:
        for _ in range(3):
            now[0] += 0.7
            told(10)
    assert capsys.readouterr().err == "\r20 of 30 claims, 1 s\r30 of 30 claims, 2 s\r30 of 30 claims, 2 s\n"
    with progress_bar(None, 30, "claims") as told:
        told(30)
    assert capsys.readouterr().err == ""


def test_calibrations_tell_what_they_try(capsys: pytest.CaptureFixture[str]) -> None:
    found = ny.calibrate(ny.Laplace, ny.targets.Mu(1.0), tolerance=1e-3, progress=True)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"{found.evaluations} parameters tried")
    ny.calibrate(ny.Laplace, ny.targets.Mu(1.0), tolerance=1e-3)
    assert capsys.readouterr().err == ""


def test_what_another_process_does_is_counted_here(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_elsewhere(True, 5, "claims") as there:
        assert len(there) == 1
        told = counting(there)
        told(2)
        told(3)
    assert capsys.readouterr().err == "5 of 5 claims, 0 s\n"


def test_nobody_who_is_told_nothing_fails() -> None:
    counting(())(3)
    here, there = os.pipe()
    os.close(here)
    counting((there,))(1)  # whoever waited has gone
    os.close(there)
    counting((there,))(1)


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (lambda: ny.verify(ny.report(ny.Gaussian(1.0)).to_dict(), progress=True), "33 of 33 claims"),
        (lambda: ny.report(ny.Gaussian(1.0), progress=True), "33 claims"),
        (lambda: ny.noise_for_dpsgd(mu=1.0, sample_rate=0.01, steps=10, progress=True), "parameters tried"),
        (lambda: ny.steps_for_dpsgd(mu=1.0, noise_multiplier=1.0, sample_rate=0.01, progress=True), "parameters tried"),
        (lambda: ny.rate_for_dpsgd(mu=1.0, noise_multiplier=1.0, steps=10, progress=True), "parameters tried"),
        (lambda: ny.prove(ny.Gaussian(1.0), ["epsilon@1e-05"], progress=True), "of 2 statements"),
    ],
)
def test_long_work_tells_how_far_it_is(work: Any, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    work()
    assert said in capsys.readouterr().err
