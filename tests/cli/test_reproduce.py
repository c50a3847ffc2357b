"""The command ``neyman reproduce``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import neyman as ny
from neyman.cli.main import main
from neyman_papers.tasks import Done, Failure, Task
from tests.cli.said import message


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command in a directory of its own; returns code, output, error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["reproduce", *arguments])
        out, err = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, out, message(err)

    return run


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Numbers are computed, figures left out; what is returned names those that fail, and how."""
    from neyman_papers import crew, tasks

    failing: dict[str, Failure] = {}

    def work(task: Task) -> Done:
        return tasks.work(task) if task.kind == "numbers" else Done(task, failure=failing.get(task.key))

    monkeypatch.setattr(crew, "work", work)
    return failing


def test_a_paper(call: Any, small: dict[str, Failure], tmp_path: Path) -> None:
    code, out, err = call("introduction", "-o", "papers", "--workers", "1", "--quiet")
    assert (code, err) == (0, "")
    assert "45 published numbers and statements: 28 reproduced, 9 differ, 8 not determined by the text." in out
    assert "index.html" in out
    assert (tmp_path / "papers" / "index.html").is_file()


def test_json_and_failures(call: Any, small: dict[str, Failure]) -> None:
    small |= {"figure-1": Failure("certified only to\nlie in [1, 2]", certified=False)}
    code, out, err = call("introduction", "-o", "papers", "--workers", "1", "--json")
    assert code == 3
    told = json.loads(out)
    assert told["version"] == ny.__version__
    assert told["papers"][0]["failures"][0]["key"] == "figure-1"
    assert "neyman: failed: introduction figure figure-1: certified only to lie in [1, 2]" in err.splitlines()
    small |= {"figure-2": Failure("ValueError: made up")}
    assert call("introduction", "-o", "papers", "--workers", "1", "--json")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("other", "-o", "papers"), "paper must be one of 'reporting'"),
        (("introduction", "-o", "file"), "directory must be a directory"),
        (("introduction", "-o", "papers", "--workers", "0"), "workers must be a whole number"),
        (("introduction",), "Missing option"),
    ],
)
def test_refusals(call: Any, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    (tmp_path / "file").write_text("mine")
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert not (tmp_path / "papers").exists()


def test_help(call: Any) -> None:
    code, out, _ = call("--help")
    assert code == 0
    assert "neyman reproduce all -o papers" in out
    assert "1  a figure, a table or a number failed" in out
