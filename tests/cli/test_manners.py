"""What people expect of a command: options in groups, -h and -V, colour where it helps, a sign of life."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import time
from typing import Any

import pytest
import typer

import neyman as ny
from neyman._errors import NeymanError
from neyman.cli.main import app, main
from neyman.cli.printing import waiting
from neyman.cli.printing.helping import help as helping
from neyman.cli.printing.output import console
from neyman.cli.printing.table import table
from tests.cli.said import message

VERBS = tuple(command.callback.__name__ for command in app.registered_commands if command.callback is not None)
SHARED = {
    "--adjacency": "Who counts as a neighbour", "--tolerance": "How exactly", "--effort": "How exactly",
    "--floor": "How exactly", "--json": "Output", "--help": "Output", "--output": "Output",
    "--steps": "The run", "--epochs": "The run", "--workers": "Where it is computed",
}  # fmt: skip


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        out, err = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, out, message(err)

    return run


# help


@pytest.mark.parametrize("verb", VERBS)
def test_options_stand_in_groups(call: Any, verb: str) -> None:
    """What several verbs share stands under the same heading in all of them, and every option stands once."""
    code, out, err = call(verb, "-h")
    assert (code, err) == (0, "")
    assert out == call(verb, "--help")[1]
    group, found = "", {}
    for line in out.splitlines():
        if heading := re.fullmatch(r"(\w.*):", line):
            group = heading[1]
        elif group and (option := re.match(r"  (?:-\w, )?(--[a-z-]+)", line)):
            assert option[1] not in found
            found[option[1]] = group
    assert "--help" in found
    assert {name: SHARED[name] for name in found if name in SHARED} == {
        name: where for name, where in found.items() if name in SHARED
    }


def test_headings_are_bold_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert helping._heading("Output") == "\x1b[1mOutput\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert helping._heading("Output") == "Output"


@pytest.mark.parametrize("asked", ["-V", "--version"])
@pytest.mark.parametrize("verb", [(), ("dpsgd",), ("report", "dpsgd:1,0.01,10")])
def test_the_version_wherever_it_is_asked_for(call: Any, verb: tuple[str, ...], asked: str) -> None:
    assert call(*verb, asked) == (0, f"neyman {ny.__version__}\n", "")


# colour


@pytest.mark.parametrize(("env", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_the_number_to_copy_is_green(monkeypatch: pytest.MonkeyPatch, env: dict[str, str], coloured: bool) -> None:
    """And nothing else is: without colour, and elsewhere than on a terminal, it is the same letters."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    shown = {}
    for terminal in (True, False):
        stream = io.StringIO()
        stream.isatty = lambda terminal=terminal: terminal  # type: ignore[method-assign]
        monkeypatch.setattr("sys.stdout", stream)
        rows = table("promise", "certified bracket", "report")
        rows.add_row("mu", "0.125", "0.25")
        to = console()
        to.width = 80
        to.print(rows)
        shown[terminal] = stream.getvalue()
    green = re.findall(r"\x1b\[1;32m *([0-9.]+)", shown[True])
    assert green == (["0.25"] if coloured else [])
    assert "\x1b" not in shown[False]
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown[True]) == shown[False]


# a sign of life


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch, patience: float = 0.05) -> Terminal:
    """Standard error as a terminal; called in the test itself, since pytest takes the streams anew for it."""
    made = Terminal()
    monkeypatch.setattr(waiting, "PATIENCE", patience)
    monkeypatch.setattr("sys.stderr", made)
    return made


def until(terminal: Terminal, words: str, times: int = 1) -> None:
    """Work until the terminal has shown ``words`` so often."""
    for _ in range(1000):
        if terminal.getvalue().count(words) >= times:
            return
        time.sleep(0.01)
    pytest.fail(f"never shown: {words}")


def left_on(text: str) -> str:
    """What a terminal shows in the end: a return goes back to the first column, and what comes is written over."""
    shown: list[str] = []
    place = 0
    for letter in text:
        if letter == "\r":
            place = 0
            continue
        shown[place : place + 1] = [letter]
        place += 1
    return "".join(shown)


def test_what_takes_its_time_shows_that_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with waiting.waiting("neyman dpsgd"):
        until(terminal, "neyman dpsgd, ", 2)
        sys.stderr.write("answer")
        after = terminal.getvalue()
        time.sleep(0.3)  # three turns, were it not over
        assert terminal.getvalue() == after
    assert len({*re.findall(r"\r(\S) neyman", after)}) >= 2
    assert left_on(terminal.getvalue()).rstrip() == "answer"
    assert sys.stderr is terminal


def test_it_goes_with_the_answer_and_with_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = on_terminal(monkeypatch)

    def work(verb: str, said: str | None) -> None:
        with waiting.waiting(verb):
            until(terminal, verb)
            if said is None:
                raise KeyboardInterrupt
            print(said)

    before = sys.stdout
    work("neyman risk", "0.25")
    assert capsys.readouterr().out == "0.25\n"
    with pytest.raises(KeyboardInterrupt):
        work("neyman plot", None)
    assert left_on(terminal.getvalue()).strip() == ""
    assert (sys.stdout, sys.stderr) == (before, terminal)


def test_what_is_quick_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch, patience=60.0)
    with waiting.waiting("neyman convert"):
        pass
    assert terminal.getvalue() == ""


def test_where_there_is_no_braille_a_bar_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr(Terminal, "encoding", "ascii")
    with waiting.waiting("neyman convert"):
        until(terminal, "neyman", 2)
    assert re.match(r"\r\| neyman convert, \d s\r/ neyman convert, \d s", terminal.getvalue())


@pytest.mark.parametrize(
    ("arguments", "error", "typing", "term"),
    [(["dpsgd"], False, False, "xterm"), (["account", "-"], True, True, "xterm"), (["dpsgd"], True, False, "dumb")],
)
def test_who_is_shown_nothing(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], error: bool, typing: bool, term: str
) -> None:
    """A pipe, a person who is typing the input, a terminal that cannot go back."""
    from neyman.cli import main as command

    def refuse(_: str) -> None:
        raise AssertionError

    monkeypatch.setattr(waiting, "waiting", refuse)
    monkeypatch.setattr("sys.stderr", Terminal() if error else io.StringIO())
    monkeypatch.setattr("sys.stdin", Terminal() if typing else io.StringIO())
    monkeypatch.setenv("TERM", term)
    with command._patience(arguments):
        pass
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", Terminal())
    with pytest.raises(AssertionError):
        command._patience(["dpsgd"])


# options that are plain are read without pydantic


def test_a_plain_command_starts_without_pydantic() -> None:
    code = (
        "import sys; from neyman.cli.main import _command\n"
        "_command()(args=sys.argv[1:], prog_name='neyman', standalone_mode=False)\n"
        "print('pydantic' in sys.modules, file=sys.stderr)"
    )
    plain = ("--noise-multiplier", "2", "--sample-rate", "1e0", "--steps", "4", "--delta", "1e-5", "--delta", "1e-6")
    for more in ((), ("--steps", " 4 ")):
        done = subprocess.run(
            [sys.executable, "-c", code, "dpsgd", *plain, *more], capture_output=True, text=True, check=True, timeout=60
        )
        assert done.stderr == "False\n"


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (
            "--tolerance",
            ("1", "-2.5", "1e-5", "0.1e+10", "1_0", " 1 ", "inf", "nan", "x", "", ".5", "5.", "1e400", "٣"),
        ),
        ("--steps", ("1", "-2", "007", "1.0", "1_0", " 1 ", "1e3", "x", "", "9" * 18, "9" * 19, "٣", "+1")),
        ("--adjacency", ("add", "", " x ", "1")),
        ("--delta", ("1e-5", "x")),
    ],
)
def test_values_are_those_that_typer_reads(kind: str, texts: tuple[str, ...]) -> None:
    """To the type and the last bit, or refused in the same words."""
    ours, theirs = typer.main.get_command(app), typer.main.get_command(app)

    def read(command: Any, text: str, plainly: bool) -> Any:
        verb = command.commands["dpsgd"]
        context = verb.context_class(verb)
        (option,) = [one for one in (verb.get_params(context) if plainly else verb.params) if kind in one.opts]
        try:
            found = option.process_value(context, (text, text) if option.multiple else text)
        except typer.BadParameter as error:
            return error.format_message()
        except NeymanError as error:
            return str(error)
        return repr(found)

    for text in texts:
        assert read(ours, text, True) == read(theirs, text, False)
