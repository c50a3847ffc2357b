"""Rooms that are called, forms that are guessed, words that are asked for: each is answered with the line to write."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import neyman as ny
from neyman._guessed_names import CALLED_ROOMS, OF_REPORTS, OF_TABLES
from neyman.cli.main import main
from neyman.cli.printing.helping import topics as pages

ROOT = Path(__file__).parents[2]


@cache
def names() -> dict[str, Any]:
    """What the lines speak of."""
    run = {"name": "a", "noise_multiplier": 2.0, "sample_rate": 0.5, "steps": 4}
    return {
        "ny": ny, "g": ny.account(ny.Gaussian(1.0)), "scores_in": [0.9] * 40, "scores_out": [0.1] * 40,
        "t": ny.table([run]), "r": ny.report(ny.Gaussian(1.0)),
    }  # fmt: skip


def line_of(error: BaseException) -> str:
    return str(error).partition("Write: ")[2]


@pytest.mark.parametrize("room", CALLED_ROOMS)
def test_a_room_that_is_called_says_what_to_write(room: str) -> None:
    with pytest.raises(TypeError, match=rf"'ny\.{room}' is not callable") as caught:
        getattr(ny, room)(names()["g"])
    eval(line_of(caught.value), dict(names()))
    assert caught.value.__notes__ == ["More: neyman help unknown-argument"]


@pytest.mark.usefixtures("examined_here", "drawn_once")
@pytest.mark.parametrize(("called", "guesses"), [("t", OF_TABLES), ("r", OF_REPORTS)])
def test_forms_that_are_guessed(called: str, guesses: dict[str, str], tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    made = names()[called]
    lines: set[str] = set()  # many names are answered with the same: each line is run once
    for name in guesses:
        with pytest.raises(AttributeError) as caught:
            getattr(made, name)
        line = line_of(caught.value)
        assert line
        if "pdf" not in name and "prove" not in name:
            lines.add(line)
    for line in sorted(lines):
        eval(line, dict(names()))
    with pytest.raises(AttributeError, match=r"has no attribute 'weather'$"):
        _ = made.weather
    with pytest.raises(AttributeError, match=r"has no attribute 'mu'$"):  # what a guarantee has, they have not
        _ = made.mu


def test_the_glossary_comes_with_the_package() -> None:
    """One text: after a change, ``cp docs/glossary.md src/neyman/cli/printing/helping/glossary.md``."""
    packed = ROOT / "src/neyman/cli/printing/helping/glossary.md"
    assert packed.read_bytes() == (ROOT / "docs/glossary.md").read_bytes()


@pytest.mark.parametrize("word", [*pages.words(), "mu", "epsilon", "delta", "alpha", "psi", "laplace", "TPR", "q", "f"])
def test_a_word_is_explained(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["help", word] if word != "audit" else ["help", "audit-"])
    out, err = capsys.readouterr()
    if word == "audit":  # the verb's own help
        return
    assert left.value.code == 0
    assert err == ""
    assert len(out) > 60
    assert "](" not in out
    assert "; page" not in out
    assert "```" not in out


def test_other_words_name_topics_that_are_there() -> None:
    known = {**pages.topics(), **pages.words()}
    assert set(pages._BY_OTHER_NAMES.values()) <= set(known)
    assert not set(pages._BY_OTHER_NAMES) & set(known)


@pytest.mark.parametrize(("rate", "said"), [(1 / 118, "$1/118$"), (0.01, "$0.01$")])
def test_a_citation_says_what_was_run(rate: float, said: str) -> None:
    text = ny.account(ny.DPSGD(1.1, rate, 1180)).cite()
    assert text.startswith(f"DP-SGD with noise multiplier $1.1$, sample rate {said} and $1180$ steps satisfies ")
    assert r"Stating $\mu \le 0." in text
    assert (
        ny.account(ny.DPSGD(1.0, 0.1, 1))
        .cite()
        .startswith("DP-SGD with noise multiplier $1.0$, sample rate $0.1$ and one step ")
    )
    assert ny.account(ny.Gaussian(1.0) * ny.Laplace(1.0)).cite().startswith("The mechanism satisfies ")


def test_a_stated_epsilon_that_does_not_hold_is_a_no(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = tmp_path / "runs.csv"
    for stated, code in (("0.1", 1), ("20", 0)):
        runs.write_text(f"name,noise_multiplier,sample_rate,steps,delta,epsilon\na,2,0.5,4,1e-5,{stated}\n")
        with pytest.raises(SystemExit) as left:
            main(["table", str(runs), "--format", "csv"])
        assert left.value.code == code
        assert "a,2.0,0.5,4" in capsys.readouterr().out
