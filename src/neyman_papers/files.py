"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from neyman._errors import InvalidParameter

__all__ = ["checked_directory", "write_all"]

_ALLOWED = "a directory, or a path where one can be made"


def checked_directory(output: str | os.PathLike[str]) -> Path:
    """Return the directory that results go to, refused before any work if nothing can be written there.

    Raises
    ------
    InvalidParameter
        If it is a file, below a file, or may not be written to.
    """
    if not isinstance(output, (str, os.PathLike)) or not os.fspath(output):
        raise InvalidParameter("directory", output, _ALLOWED)
    path = Path(output)
    try:
        there = _nearest(path)
    except (OSError, ValueError) as error:  # a name too long, a null character
        raise InvalidParameter("directory", str(path), _ALLOWED, f"{error}.") from None
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise InvalidParameter("directory", str(path), _ALLOWED, "Nothing was computed.")
    return path


def _nearest(path: Path) -> Path:
    """What is there of a path."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return _nearest(path.absolute().parent)
    return path


def write_all(directory: Path, files: Mapping[str, bytes], stale: frozenset[str] = frozenset()) -> None:
    """Write every file whole, in the order given; ``stale`` ones are taken away, all others left alone.

    Raises
    ------
    InvalidParameter
        If the directory cannot be written to.
    """
    try:
        for name, content in files.items():
            _write(directory / name, content)
        for name in sorted(stale - set(files)):
            (directory / name).unlink(missing_ok=True)
    except OSError as error:
        raise InvalidParameter("directory", str(directory), "writable, with room to spare", f"{error}.") from None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(scratch, 0o666 & ~_umask())
        os.replace(scratch, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(scratch)
        raise


def _umask() -> int:
    """What this process takes away from the permissions of new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
