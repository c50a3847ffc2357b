"""The examples of the documentation: found in Markdown, run, and compared with what the page shows.

A block of ``python`` or ``sh`` is run, in the order of the page, in one namespace and one directory for each page; a
block of ``text`` right below it is what it prints. In a ``sh`` block ``# exit 2`` at the end of a line is the code that
the command leaves with. Marks, on the line above a block: ``<!-- not run: why -->``, ``<!-- slow -->``,
``<!-- frameworks -->`` for what tests_frameworks runs, and ``<!-- command: name -->`` for the commands of the README
that build an environment (``.ci/run`` reads those).

``python -m tests.docs.examples docs/page.md`` runs pages and writes what the blocks print into them.
"""

from __future__ import annotations

import io
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import types
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["ROOT", "Block", "blocks", "pages", "run_command", "run_page", "same"]

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[a-z]*).*$")
_MARK = re.compile(r"^ *<!-- (?:not run: (?P<why>\S.*)|(?P<command>command: \w+|frameworks)|(?P<slow>slow)) -->$")
_EXIT = re.compile(r"  # exit (\d+)$")
_PLAIN = r"[^|<>;&$`]"
_PIPED = re.compile(
    rf"(?:(?P<before>(?:echo|printf) {_PLAIN}*) \| )?(?P<neyman>neyman {_PLAIN}*?)"
    rf"(?: \| (?P<after>(?!neyman){_PLAIN}+)| > (?P<file>[\w.]+))?"
)
_MODULE = "neyman_documentation_example"
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?(?![\w])")


@dataclass(frozen=True)
class Block:
    """A fenced block; ``shown`` is the text below it (lines ``span`` of the page, None where there is none)."""

    line: int
    language: str
    code: str
    why: str | None = None
    slow: bool = False
    shown: str | None = None
    span: tuple[int, int] | None = None

    @property
    def runs(self) -> bool:
        return self.language in ("python", "sh") and self.why is None


def pages() -> list[Path]:
    """Every page whose examples are run."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page."""
    lines, found, number = text.splitlines(), list[Block](), 0
    mark: re.Match[str] | None = None
    after = -1  # the line where a block ended with nothing but blank lines since
    while number < len(lines):
        opened = _FENCE.match(lines[number])
        if not opened:
            mark = _MARK.match(lines[number]) or (mark if not lines[number].strip() else None)
            after = after if not lines[number].strip() else -1
            number += 1
            continue
        end = next(n for n in range(number + 1, len(lines)) if lines[n].strip() == "```")
        code = textwrap.dedent("\n".join(lines[number + 1 : end])) + "\n"
        if opened["language"] == "text" and after >= 0 and found and found[-1].language in ("python", "sh"):
            last = found[-1]
            found[-1] = Block(last.line, last.language, last.code, last.why, last.slow, code, (number + 1, end))
            after = -1
        else:
            why = (mark["why"] or mark["command"]) if mark else None
            found.append(Block(number + 2, opened["language"], code, why, bool(mark and mark["slow"])))
            after = end
        mark, number = None, end + 1
    return found


def run_page(page: Path, *, slow: bool, place: Path) -> list[tuple[Block, str]]:
    """Run the blocks of a page in ``place``; return each with what it printed."""
    module = sys.modules[_MODULE] = types.ModuleType(_MODULE)  # dataclasses ask for the module they are in
    names: dict[str, Any] = vars(module)
    if not (place / "examples").exists():
        (place / "examples").symlink_to(ROOT / "examples")
    printed: list[tuple[Block, str]] = []
    with chdir(place):
        for block in blocks(page.read_text(encoding="utf-8")):
            if not block.runs or block.slow > slow:
                continue
            run = _python if block.language == "python" else _shell
            printed.append((block, run(block, f"{page.name}:{block.line}", names)))
    return printed


def same(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed.

    Blanks do not count and ``...`` stands for anything. Whole numbers are the same; others may differ by 1e-5 of
    themselves, or by 1e-9: machines and versions of NumPy differ in last digits.
    """
    pattern, numbers = "", list[str]()
    for part in re.split(rf"({_NUMBER.pattern}|\.\.\.)", shown):
        if part == "...":
            pattern += r"[\s\S]*?"
        elif _NUMBER.fullmatch(part):
            numbers.append(part)
            pattern += rf"({_NUMBER.pattern})"
        else:
            pattern += r"\s*".join(map(re.escape, part.split())).join([r"\s*"] * 2)
    found = re.fullmatch(pattern, printed)
    return found is not None and all(map(_near, numbers, found.groups()))


def _near(shown: str, printed: str) -> bool:
    whole = not re.search("[.e]", shown + printed)
    return shown == printed if whole else math.isclose(float(shown), float(printed), rel_tol=1e-5, abs_tol=1e-9)


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()).strip("\n") + "\n"


def _python(block: Block, where: str, names: dict[str, Any]) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(block.code, where, "exec"), names)
    return out.getvalue()


def _shell(block: Block, where: str, _: dict[str, Any]) -> str:
    printed = ""
    for line in re.sub(r"\\\n\s*", "", block.code).splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        expected = _EXIT.search(line)
        wanted = int(expected[1]) if expected else 0
        command = line[: expected.start()] if expected else line
        code, text = _piped(command) or _outside(command)
        if code != wanted:
            raise AssertionError(f"{where}: {line!r} left with {code}, not {wanted}:\n{text}")
        printed += text
    return printed


def run_command(command: str, stdin: str = "", out: io.TextIOWrapper | None = None) -> tuple[int, str]:
    """Run a command line in this process, which has its imports already; return its code and all it prints.

    With an ``out`` of its own, what goes to standard output goes there, and what is returned went to standard error.
    """
    from neyman.cli.main import main

    said, code, before = _stream(), 0, sys.stdin
    sys.stdin = _stream(stdin)
    try:
        with redirect_stdout(out or said), redirect_stderr(said):
            main(shlex.split(command, comments=True)[1:])
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 0
    finally:
        sys.stdin = before
    return code, _held(said)


def _stream(text: str = "") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8", write_through=True)


def _held(stream: io.TextIOWrapper) -> str:
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]


def _piped(command: str) -> tuple[int, str] | None:
    """Run ``[one |] neyman ... [| another] [> file]`` here, and the shell's share of it in a shell; None if it is more.

    A process of its own would spend a second on imports; tests/cli/test_whole.py runs the command as processes.
    """
    found = _PIPED.fullmatch(command.strip())
    if found is None:
        return None
    stdin = _outside(found["before"])[1] if found["before"] else ""
    if found["after"] is None and found["file"] is None:
        return run_command(found["neyman"], stdin)
    out = _stream()
    code, said = run_command(found["neyman"], stdin, out)
    if found["file"] is not None:
        Path(found["file"]).write_text(_held(out), encoding="utf-8")
        return code, said
    done = subprocess.run(["bash", "-c", found["after"]], input=_held(out), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120, check=False)  # fmt: skip
    return code or done.returncode, said + done.stdout


def _outside(command: str) -> tuple[int, str]:
    """A pipeline, with this very interpreter as ``neyman``."""
    with tempfile.TemporaryDirectory() as shelf:
        shim = Path(shelf) / "neyman"
        shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m neyman "$@"\n', encoding="utf-8")
        shim.chmod(0o755)
        env = {**os.environ, "PATH": f"{shelf}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "src")}
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], env=env, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120, check=False)  # fmt: skip
    return done.returncode, done.stdout


def _write(page: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        printed = run_page(page, slow=True, place=Path(place))
    lines = page.read_text(encoding="utf-8").splitlines()
    for block, text in reversed(printed):
        if block.span is not None and not same(block.shown or "", text):
            indent = " " * (len(lines[block.span[0] - 1]) - len(lines[block.span[0] - 1].lstrip()))
            lines[block.span[0] : block.span[1]] = [(indent + line).rstrip() for line in _trimmed(text).splitlines()]
        elif block.span is None and text:
            print(f"{page.name}:{block.line} prints, and no text block shows it:\n{text}")
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        _write(Path(name).resolve())
