"""Every first guess works, with the right value, or is answered with the exact line that does."""

from __future__ import annotations

import re
import shlex
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neyman as ny
from neyman.cli.main import main
from tests.cli.said import message
from tests.front_door import first_guesses, more_guesses

WRITE = "Write: "
PYTHON_RIGHT = [*first_guesses.PYTHON_RIGHT, *more_guesses.PYTHON_RIGHT]
PYTHON_ANSWERED = [*first_guesses.PYTHON_ANSWERED, *more_guesses.PYTHON_ANSWERED]
COMMANDS_RIGHT = [*first_guesses.COMMANDS_RIGHT, *more_guesses.COMMANDS_RIGHT]
COMMANDS_ANSWERED = [*first_guesses.COMMANDS_ANSWERED, *more_guesses.COMMANDS_ANSWERED]
SPEC = "schema: 1\nkind: dpsgd\nnoise_multiplier: 1.1\nepochs: 10\nbatch_size: 512\ndataset_size: 60000\n"

RUN: set[str] = set()  # answers of the command line that were run
CALIBRATED = ny.noise_for_dpsgd(mu=1, sample_rate=1.0, steps=4)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the files that people have: a report and a mechanism."""
    made = tmp_path_factory.mktemp("guesses")
    ny.report(ny.Gaussian(1.0)).save(made / "run.json")
    (made / "spec.yaml").write_text(SPEC)
    (made / "runs.csv").write_text("noise_multiplier,sample_rate,steps\n1,100%,1e0\n")
    return made


@pytest.fixture
def names(place: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(place)
    m = ny.Gaussian(1.0)
    return {
        "ny": ny, "np": np, "Fraction": Fraction, "Path": Path, "m": m, "g": ny.account(m), "c": CALIBRATED,
        "a": ny.Accountant(),
    }  # fmt: skip


@pytest.fixture
def call(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.chdir(place)

    def run(line: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(shlex.split(line))
        out, err = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, out, message(err)

    return run


def test_there_are_hundreds() -> None:
    assert len({*PYTHON_RIGHT, *PYTHON_ANSWERED}) >= 240
    assert len({*COMMANDS_RIGHT, *COMMANDS_ANSWERED}) >= 90


@pytest.mark.parametrize(("typed", "value"), PYTHON_RIGHT)
def test_what_works_in_python(names: dict[str, Any], typed: str, value: float) -> None:
    assert eval(typed, names) == pytest.approx(value, rel=2e-5, abs=1e-9)


def answered(line: str, names: dict[str, Any], known: dict[str, Any] = {}) -> Any:  # noqa: B006
    """What the line gives; many guesses are answered with the same."""
    if line not in known:
        known[line] = eval(line, names)
    return known[line]


@pytest.mark.parametrize(("typed", "line"), PYTHON_ANSWERED)
def test_what_is_answered_in_python(names: dict[str, Any], typed: str, line: str) -> None:
    with pytest.raises((AttributeError, ny.InvalidParameter)) as caught:
        eval(typed, names)
    text = str(caught.value)
    assert text.endswith(WRITE + line)
    answer = answered(line, names)
    if isinstance(answer, dict):
        ny.mechanism_from_dict(answer)
    elif isinstance(answer, str) and line.startswith("'"):  # in place of the text that was refused
        again = re.sub(r"""'[^']*'(?=[^']*$)""", lambda _: line, typed)
        assert again != typed
        assert eval(again, names) is not None


def test_an_answer_names_its_page() -> None:
    """The note below the message, whatever kind of error a guess ends in."""
    for typed in (lambda: ny.DPSGD(sigma=1.0), lambda: ny.GDP(1.0).compute_delta(1.0), lambda: ny.laplce):  # type: ignore[attr-defined]
        with pytest.raises((AttributeError, ny.UnknownArgument)) as caught:
            typed()
        assert caught.value.__notes__ == ["More: neyman help unknown-argument"]


@pytest.mark.parametrize(("typed", "said"), COMMANDS_RIGHT)
def test_what_works_on_the_command_line(call: Any, typed: str, said: str) -> None:
    code, out, err = call(typed)
    assert (code, err) == (0, "")
    assert said in out or said in " ".join(out.split())  # lines are as wide as a terminal


@pytest.mark.parametrize(("typed", "line"), COMMANDS_ANSWERED)
def test_what_is_answered_on_the_command_line(call: Any, typed: str, line: str) -> None:
    code, out, err = call(typed)
    assert (code, out, err.count("\n")) == (2, "", 1)
    written = err.rstrip("\n").rpartition(WRITE)[2]
    written = written if written.startswith("neyman ") else f"neyman {typed.split()[0]} {written}"  # a short form
    assert written == line
    if written not in RUN:  # many guesses are answered with the same
        assert call(written.removeprefix("neyman "))[0] == 0
        RUN.add(written)
