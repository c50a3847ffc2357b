"""Where answers go: to standard output, or into a file that is there whole or not at all."""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from neyman._errors import InvalidParameter
from neyman.cli.printing.helping.in_options import in_options

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["STDOUT", "check_output", "console", "print_json", "print_table", "write_output", "written"]

STDOUT = "-"  # where a file is asked for, this is standard output
_ENDLESS = 100_000  # columns of a pipe or a file, which has no width
_PLACE = "a file that can be written, or - for standard output"


def console(*, error: bool = False) -> Console:
    """A console on standard output (or standard error): plain where NO_COLOR is set; only a terminal has a width."""
    from rich.console import Console

    plain = bool(os.environ.get("NO_COLOR"))
    made = Console(stderr=error, color_system=None if plain else "auto", emoji=False)
    if not made.is_terminal:
        made.width = _ENDLESS
    return made


def print_json(document: object) -> None:
    """Print a document of finite numbers, words, lists and mappings."""
    typer.echo(in_options(json.dumps(document, indent=2, allow_nan=False)))


def print_table(to: Console, made: Table) -> None:
    """Print a table whose numbers are never cut: its first column wraps, then lines grow past a narrow terminal."""
    from neyman.showing.table import print_table as shown  # what is shown brings the engines: not needed for --help

    shown(to, made)


def check_output(target: str, option: str = "output", *, suffixes: tuple[str, ...] = (), binary: bool = False) -> None:
    """Refuse a place where nothing can be written, before anything is computed.

    Parameters
    ----------
    target : str
        A path, or "-" for standard output.
    option : str
        The option as errors name it.
    suffixes : tuple of str
        What the path must end in, such as ".html"; empty if anything will do. "-" has no end.
    binary : bool
        Whether the content is no text: then "-" must not be a terminal.

    Raises
    ------
    InvalidParameter
        If the path is a directory, ends otherwise, or lies in a directory that does not exist or cannot be written to.
    """
    if target == STDOUT:
        if binary and sys.stdout.isatty():
            raise InvalidParameter(option, target, "a file, or - where standard output is no terminal", topic="file")
        return
    path = Path(target)
    if suffixes and path.suffix not in suffixes:
        raise InvalidParameter(option, target, f"a path that ends in {' or '.join(suffixes)}, or -", topic="file")
    if path.is_dir():
        raise InvalidParameter(option, target, _PLACE, "It is a directory.")
    if not path.parent.is_dir():
        raise InvalidParameter(option, target, "in a directory that exists")
    if not os.access(path.parent, os.W_OK) and not _special(path):
        raise InvalidParameter(option, target, "in a directory that can be written to", topic="file")


@contextmanager
def written(target: str, option: str = "output", *, binary: bool = False) -> Generator[Path]:
    """Give the body a path to write to; what it wrote appears under its own name all at once when the body is done.

    If the body fails or is interrupted, nothing is left behind and a file that was there before is as it was. The body
    only writes: an error of the operating system in it is taken as one of writing. See ``check_output``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     with written(f"{place}/answer.txt") as path:
    ...         _ = path.write_text("certified")
    ...     Path(f"{place}/answer.txt").read_text()
    'certified'
    """
    check_output(target, option, binary=binary)
    final = Path(os.path.realpath(target))  # through a link, what it points to is written
    direct = target == STDOUT or _special(final)
    try:
        handle, name = tempfile.mkstemp(prefix=".neyman-", suffix=".tmp", dir=None if direct else final.parent)
    except OSError as error:
        raise _refused(option, target, error) from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        if target == STDOUT:
            _to_stdout(temporary.read_bytes())
        elif direct:
            final.write_bytes(temporary.read_bytes())
        else:
            temporary.chmod(_mode(final))
            os.replace(temporary, final)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _refused(option, target, error) from None
    finally:
        temporary.unlink(missing_ok=True)


def write_output(target: str, content: str | bytes, option: str = "output") -> None:
    """Write ``content`` (text in UTF-8) to a file, whole or not at all, or to standard output: see ``written``."""
    raw = content.encode() if isinstance(content, str) else content
    with written(target, option, binary=isinstance(content, bytes)) as path:
        path.write_bytes(raw)


def _to_stdout(content: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _special(path: Path) -> bool:
    """A device or a pipe: written to as it is, since replacing it would not reach who reads it."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _mode(final: Path) -> int:
    """Of the file that was there, or what the user's mask leaves of a new one."""
    if final.exists():
        return stat.S_IMODE(final.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _refused(option: str, target: str, error: OSError) -> InvalidParameter:
    return InvalidParameter(option, target, _PLACE, f"{error.strerror or error}.")
