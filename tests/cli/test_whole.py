"""The command as a whole: help that teaches, codes, completion, pipes, terminals; files are whole or absent."""

from __future__ import annotations

import errno
import inspect
import io
import json
import os
import pty
import re
import shlex
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import neyman as ny
from neyman.cli import exits
from neyman.cli.main import app, main
from neyman.cli.printing.helping.lessons import EXAMPLES, ROOT_EXAMPLES
from neyman.cli.printing.output import check_output, write_output, written
from tests.cli.said import message
from tests.effort import rest_slow

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "neyman")
VERBS = tuple(command.callback.__name__ for command in app.registered_commands if command.callback is not None)
HERE = ("dpsgd", "account", "convert", "compare", "calibrate", "sweep")
RUN = ("dpsgd", "--noise-multiplier", "2", "--sample-rate", "1", "--steps", "4")


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(*arguments: str, stdin: str | None = None) -> tuple[int, str, str]:
        if stdin is not None:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        out, err = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, out, message(err)

    return run


def process(*arguments: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **more.pop("env", {})}
    return subprocess.run([*COMMAND, *arguments], capture_output=True, env=env, timeout=60, check=False, **more)


# help


def test_all_verbs_are_here() -> None:
    assert set(HERE) <= set(VERBS)
    assert set(EXAMPLES) <= set(VERBS)
    assert len(set(VERBS)) == len(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_help_teaches(call: Any, verb: str) -> None:
    """A line that fits the list of verbs, what it answers, examples, codes."""
    code, out, err = call(verb, "--help")
    assert (code, err) == (0, "")
    (listed,) = [line for line in call("--help")[1].splitlines() if line.startswith(f"  {verb} ")]
    assert listed.endswith(".")
    assert "..." not in listed
    assert len(listed.removeprefix(f"  {verb}").split()) >= 4
    words = " ".join(out.split())
    assert "Examples:" in out
    assert sum(bool(re.search(rf"neyman {verb}\b", line)) for line in out.split("Examples:")[1].splitlines()) >= 2
    for number, meaning in exits.meanings_of(verb).items():
        assert f"{number} {meaning}" in words
    assert "--json" in out
    assert "\b" not in out


@pytest.mark.parametrize("verb", HERE)
def test_options_that_mean_the_same_are_spelt_and_ordered_the_same(verb: str) -> None:
    order = ["adjacency", "floor", "tolerance", "workers", "scheduler", "as_json"]
    (command,) = [c for c in app.registered_commands if c.callback is not None and c.callback.__name__ == verb]
    names = list(inspect.signature(command.callback).parameters)  # type: ignore[arg-type]
    assert names[-1] == "as_json"
    assert [name for name in order if name in names] == [name for name in names if name in order]


def test_codes_are_in_the_help(call: Any) -> None:
    _, out, _ = call("--help")
    shown = {int(code): meaning for code, meaning in re.findall(r"^    (\d+) +(.+)$", out, re.MULTILINE)}
    assert shown == exits.MEANINGS
    assert all(line.startswith("neyman ") for line in ROOT_EXAMPLES)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, marks=pytest.mark.slow) if verb == "sweep" else line  # a page of the docs runs the same
        for verb in HERE
        for line in EXAMPLES[verb]
        if " > " not in line
    ]
    + list(ROOT_EXAMPLES),
)
def test_examples_run(call: Any, line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As they are printed: what is piped in, and where the output goes, is done here in place of a shell."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    piped, _, command = line.rpartition(" | ")
    stdin = shlex.split(piped)[1] if piped else None
    if command.startswith("neyman sweep"):
        command += " --workers 1"
    code, out, err = call(*shlex.split(command)[1:], stdin=stdin)
    assert code == 0, err
    assert out


# codes


def test_each_code(call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec = tmp_path / "run.json"
    spec.write_text(json.dumps(ny.DPSGD(1.0, 0.01, 1000).to_dict()))
    hard = ("--tolerance", "1e-12")
    assert call(*RUN, "--noise-multiplier", "1", "--sample-rate", "0.01", *hard)[0] == exits.NOT_CERTIFIED
    assert call("account", "run.json", *hard)[0] == exits.NOT_CERTIFIED
    bad = {
        "dpsgd": (), "account": ("none.json",), "convert": ("--to", "mu"), "compare": ("none.json", "none.json"),
        "calibrate": (), "sweep": ("none.json", "-o", "x.nc"),
    }  # fmt: skip
    assert set(bad) == set(HERE)
    for verb, arguments in bad.items():
        code, out, err = call(verb, *arguments)
        assert (code, out) == (exits.BAD_INPUT, ""), verb
        assert re.fullmatch(r"neyman: .+\n", err), verb
    assert os.listdir() == ["run.json"]


def test_interrupted(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("neyman.cli.printing.answer.account", stop)
    code, out, err = call(*RUN)
    assert (code, out, err.split()) == (exits.INTERRUPTED, "", ["neyman:", "interrupted"])


@pytest.mark.parametrize("error", [MemoryError(), OverflowError("math range error\nagain"), RecursionError("deep")])
def test_what_was_not_foreseen_is_one_line(call: Any, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """And never the code of a claim that does not hold."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("neyman.cli.printing.answer.account", fail)
    code, out, err = call(*RUN)
    assert (code, out) == (exits.UNFORESEEN, "")
    assert re.fullmatch(r"neyman: .+\n", err)
    assert exits.UNFORESEEN != exits.FAILED


def test_a_verb_that_is_not_there(call: Any) -> None:
    for asked, near in (("acount", "account"), ("dpsgdd", "dpsgd"), ("callibrate", "calibrate")):
        code, out, err = call(asked, "--json")
        assert (code, out) == (2, "")
        assert err.endswith(f"got '{asked}'. Did you mean {near}?\n")
    assert call("xyzzy")[2].endswith("got 'xyzzy'. See neyman --help.\n")


def test_no_arguments_is_help(call: Any) -> None:
    assert call() == call("--help")


def test_the_module_is_the_command() -> None:
    done = process("--version")
    assert (done.returncode, done.stdout.decode()) == (0, f"neyman {ny.__version__}\n")


def test_help_starts_fast() -> None:
    """CPU time of the process, of the first of three that is quick; nothing numerical is imported for help."""
    times: list[float] = []
    while len(times) < 3 and not (times and times[-1] < 0.6):
        before = os.times()
        assert process("--help").returncode == 0
        after = os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        times.append(used)
    assert min(times) < 0.6  # 0.16 s measured; a machine under load may take longer
    code = (
        "import sys; from neyman.cli.main import app; "
        "print(sorted({'scipy', 'rich.table', 'neyman.engines'} & {*sys.modules}))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                           env={**os.environ, "PYTHONPATH": str(ROOT / "src")})  # fmt: skip
    assert found.stdout == "[]\n"


# completion


def offered(shell: str, *words: str) -> list[str]:
    line = " ".join(words)
    env = {"_NEYMAN_COMPLETE": f"complete_{shell}"}
    if shell == "bash":
        env |= {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    else:
        env |= {"_TYPER_COMPLETE_ARGS": line}
    done = process(env=env)
    assert done.stderr == b""
    text = done.stdout.decode()
    if shell == "bash":
        return text.split()
    return [quoted.partition('":"')[0].strip('"') for quoted in re.findall(r'"[^"]+"(?::"[^"]*")?', text)]


@pytest.mark.parametrize("shell", ["bash", pytest.param("zsh", marks=pytest.mark.slow)])
def test_completion(shell: str) -> None:
    assert set(offered(shell, "neyman", "c")) == {verb for verb in VERBS if verb.startswith("c")}
    if shell == "zsh":  # the rest is of the verbs, not of the shell
        return
    assert set(offered(shell, "neyman", "dpsgd", "--ad")) == {"--adjacency"}


def test_completion_of_choices() -> None:
    assert set(offered("bash", "neyman", "convert", "--to", "be")) == {"beta"}
    assert set(offered("bash", "neyman", "compare", "a.json", "b.json", "--prior", "u")) == {"uniform", "uquadratic"}


@pytest.mark.slow
def test_completion_of_choices_of_another_verb() -> None:
    assert set(offered("bash", "neyman", "account", "--adjacency", "add")) == {"add", "add_or_remove"}
    assert set(offered("bash", "neyman", "calibrate", "--target", "e")) == {"epsilon="}


@pytest.mark.parametrize("shell", rest_slow(["bash", "zsh", "fish"], "bash"))
def test_the_script_of_a_shell(shell: str) -> None:
    done = process(env={"_NEYMAN_COMPLETE": f"source_{shell}"})
    assert "_NEYMAN_COMPLETE" in done.stdout.decode()
    assert f"complete_{shell}" in done.stdout.decode()
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=done.stdout, check=True)


# pipes and terminals


@pytest.mark.parametrize("arguments", [
    RUN, ("--help",), pytest.param((*RUN, "--json"), marks=pytest.mark.slow),
    pytest.param(("convert", "--mu", "0.5", "--to", "curve", "--points", "64"), marks=pytest.mark.slow),
])  # fmt: skip
def test_a_reader_that_leaves_early(arguments: tuple[str, ...]) -> None:
    """The pipe is closed before anything is written: no traceback, no message, code 141."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        done = subprocess.run([*COMMAND, *arguments], stdout=writing, stderr=subprocess.PIPE, env=env, cwd=ROOT,
                              timeout=60, check=False)  # fmt: skip
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (exits.READER_GONE, b"")


def on_terminal(*arguments: str, **env: str) -> str:
    """What the command writes to a terminal."""
    ours, theirs = pty.openpty()
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")}
    whole = {**clean, "PYTHONPATH": str(ROOT / "src"), "TERM": "xterm-256color", **env}
    with subprocess.Popen([*COMMAND, *arguments], stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL, env=whole,
                          cwd=ROOT) as running:  # fmt: skip
        os.close(theirs)
        text = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                break
            if not piece:
                break
            text += piece
        assert running.wait(60) == 0
    os.close(ours)
    return text.decode()


TABLE = ("convert", "--mu", "0.7", "--to", "tpr")
CENSUS = ("account", "examples/census_topdown.json")


def test_colour_on_a_terminal() -> None:
    assert "\x1b[" in on_terminal(*TABLE, COLUMNS="100")


@pytest.mark.parametrize(("arguments", "width"), [(TABLE, "30"), pytest.param(RUN, "60", marks=pytest.mark.slow)])
def test_no_terminal_is_too_narrow_for_a_number(
    call: Any, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], width: str
) -> None:
    """Every number of the piped table is in the one on the terminal, whole; colours are in neither."""
    numbers = re.compile(r"\[?[0-9][0-9.e-]*(?:, [0-9.e-]+\])?")
    monkeypatch.setenv("COLUMNS", "60")
    piped = call(*arguments)[1]
    rows = [row for row in piped.splitlines() if "[" in row and ", " in row and "Gaussian" not in row]
    assert len(rows) > 6
    shown = on_terminal(*arguments, COLUMNS=width, NO_COLOR="1")
    assert "…" not in shown + piped
    assert "\x1b" not in shown + piped
    assert {n for row in rows for n in numbers.findall(row)} <= set(numbers.findall(shown))


def test_a_pipe_has_no_width(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "40")
    lines = call(*CENSUS)[1].splitlines()
    assert lines[2] == repr(ny.mechanism_from_dict(json.loads((ROOT / CENSUS[1]).read_text())))


# standard input and output, files


def test_a_sweep_on_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The file itself, and nothing else; the table goes to standard error, and nothing is left behind."""
    import xarray as xr

    spec = json.dumps({"noise_multiplier": [1, 2], "sample_rate": 0.1, "steps": 100, "quantities": ["mu"]})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(spec.encode())))
    with pytest.raises(SystemExit) as left:
        main(["sweep", "-", "-o", "-", "--workers", "1"])
    out, err = capsysbinary.readouterr()
    assert (left.value.code, os.listdir(tmp_path)) == (0, [])
    (tmp_path / "out.nc").write_bytes(out)
    with xr.open_dataset(tmp_path / "out.nc") as found:
        assert found.mu.shape == (2, 1, 1)
    assert b"2 settings of DPSGD" in err
    with pytest.raises(SystemExit) as left:
        main(["sweep", "-", "-o", "-", "--json"])
    assert (left.value.code, capsysbinary.readouterr().out) == (2, b"")


def half_written(target: Path, stop: BaseException) -> None:
    def write() -> None:
        with written(str(target)) as path:
            path.write_text("half")
            raise stop

    kind = ny.InvalidParameter if isinstance(stop, OSError) else type(stop)
    words = str(stop.strerror) if isinstance(stop, OSError) else None
    with pytest.raises(kind, match=words):
        write()


def test_a_file_is_whole_or_absent(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    half_written(target, ZeroDivisionError())
    assert os.listdir(tmp_path) == []
    write_output(str(target), "first é")
    target.chmod(0o640)
    for stop in (KeyboardInterrupt, ZeroDivisionError):
        half_written(target, stop())
    assert target.read_text(encoding="utf-8") == "first é"
    write_output(str(target), b"second")
    assert target.read_bytes() == b"second"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["out.txt"]


def test_a_link_is_followed_and_a_device_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_output(str(tmp_path / "link.txt"), "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"
    write_output(os.devnull, "gone")
    assert not Path(os.devnull).is_file()


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask")
def test_a_new_file_has_the_mode_that_the_mask_leaves(tmp_path: Path) -> None:
    write_output(str(tmp_path / "new.txt"), "x")
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o640


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ny.InvalidParameter, match=r"or - for standard output, got .* No space left on device\."):
        write_output("/dev/full", "x")
    half_written(tmp_path / "a.txt", OSError(errno.ENOSPC, "No space left on device"))
    assert os.listdir(tmp_path) == []


def test_standard_output(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    write_output("-", "é\n")
    write_output("-", b"\x00\xff")
    assert capsysbinary.readouterr().out == "é\n".encode() + b"\x00\xff"


def test_places_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "d.html").mkdir()
    cases = [
        (str(tmp_path / "d.html"), (".html",), "It is a directory."),
        (str(tmp_path / "none" / "a.html"), (".html",), "in a directory that exists"),
        (str(tmp_path / "a.txt"), (".html", ".md"), r"a path that ends in \.html or \.md, or -, got"),
    ]
    for target, suffixes, words in cases:
        with pytest.raises(ny.InvalidParameter, match=f"output must be .*{words}"):
            check_output(target, suffixes=suffixes)
    check_output("-", suffixes=(".html",))
    check_output(str(tmp_path / "a.html"), suffixes=(".html",))


def test_no_binary_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    check_output("-")
    with pytest.raises(ny.InvalidParameter, match="where standard output is no terminal"):
        check_output("-", binary=True)
