"""Every first guess works, with the right value, or is answered with the exact line that does."""

from __future__ import annotations

import shlex
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neyman as ny
from neyman.cli.main import main
from tests.front_door.first_guesses import COMMANDS_ANSWERED, COMMANDS_RIGHT, PYTHON_ANSWERED, PYTHON_RIGHT

WRITE = "Write: "
SPEC = "schema: 1\nkind: dpsgd\nnoise_multiplier: 1.1\nepochs: 10\nbatch_size: 512\ndataset_size: 60000\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the files that people have: a report and a mechanism."""
    made = tmp_path_factory.mktemp("guesses")
    ny.report(ny.Gaussian(1.0)).save(made / "run.json")
    (made / "spec.yaml").write_text(SPEC)
    return made


@pytest.fixture
def names(place: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(place)
    m = ny.Gaussian(1.0)
    return {"ny": ny, "np": np, "Fraction": Fraction, "Path": Path, "m": m, "g": ny.account(m)}


@pytest.fixture
def call(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.chdir(place)

    def run(line: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(shlex.split(line))
        out, err = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, out, err

    return run


def test_there_are_a_hundred() -> None:
    assert len({*PYTHON_RIGHT, *PYTHON_ANSWERED}) >= 100
    assert len({*COMMANDS_RIGHT, *COMMANDS_ANSWERED}) >= 50


@pytest.mark.parametrize(("typed", "value"), PYTHON_RIGHT)
def test_what_works_in_python(names: dict[str, Any], typed: str, value: float) -> None:
    assert eval(typed, names) == pytest.approx(value, rel=2e-5, abs=1e-9)


@pytest.mark.parametrize(("typed", "line"), PYTHON_ANSWERED)
def test_what_is_answered_in_python(names: dict[str, Any], typed: str, line: str) -> None:
    with pytest.raises((AttributeError, ny.InvalidParameter)) as caught:
        eval(typed, names)
    text = str(caught.value)
    assert text.endswith(WRITE + line)
    assert eval(text.rpartition(WRITE)[2], names) is not None


@pytest.mark.parametrize(("typed", "said"), COMMANDS_RIGHT)
def test_what_works_on_the_command_line(call: Any, typed: str, said: str) -> None:
    code, out, err = call(typed)
    assert (code, err) == (0, "")
    assert said in out


@pytest.mark.parametrize(("typed", "line"), COMMANDS_ANSWERED)
def test_what_is_answered_on_the_command_line(call: Any, typed: str, line: str) -> None:
    code, out, err = call(typed)
    assert (code, out, err.count("\n")) == (2, "", 1)
    written = err.rstrip("\n").rpartition(WRITE)[2]
    written = written if written.startswith("neyman ") else f"neyman {typed.split()[0]} {written}"  # a short form
    assert written == line
    assert call(written.removeprefix("neyman "))[0] == 0
