"""Sweeps on several processes: the same answers, whatever happens to a process."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from pathlib import Path

import pytest
import xarray as xr

import neyman as ny
from tests.sweeps.grids import GRID, QUESTIONS, deadly, fatal, faulty


@pytest.fixture(autouse=True)
def no_child_is_left() -> object:
    yield
    assert not [child for child in multiprocessing.active_children() if child.name == "neyman sweep"]


@pytest.mark.slow  # of a cluster's processes in every run
def test_same_as_in_one_process() -> None:
    xr.testing.assert_identical(
        ny.sweep(**GRID, quantities=QUESTIONS, workers=2, block=5), ny.sweep(**GRID, quantities=QUESTIONS, workers=1)
    )


def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    mark = str(tmp_path / "killed")
    sigmas = [1.0, 2.0, 3.0, 4.0, 5.0]
    found = ny.sweep(lambda sigma: fatal(sigma, mark), axes={"sigma": sigmas}, workers=2, block=1)
    assert Path(mark).exists()
    assert found.mu.values.tolist() == [ny.account(ny.Gaussian(sigma)).mu() for sigma in sigmas]


@pytest.mark.slow
def test_a_setting_that_kills_every_process_is_named() -> None:
    with pytest.raises(ny.NeymanError) as lost:
        ny.sweep(deadly, axes={"sigma": [1.0, 2.0]}, workers=2, block=1)
    assert str(lost.value) == "sweep: 3 worker processes have died at the settings 2.0."


def test_mistakes_of_make_are_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        ny.sweep(faulty, axes={"sigma": [3.0, 2.0]}, workers=2, block=1)


@pytest.mark.slow
def test_a_script_without_a_guard_is_told(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import neyman\nneyman.sweep(neyman.Gaussian, axes={'sigma': [1.0, 2.0]}, workers=2, block=1)\n")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode == 1
    assert "sweep: a worker process could not start." in run.stderr.splitlines()[-1]
    assert "if __name__ == '__main__':" in run.stderr.splitlines()[-1]
