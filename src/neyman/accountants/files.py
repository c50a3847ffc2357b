"""Files that survive a crash: written whole or not at all, and locked by one process at a time."""

from __future__ import annotations

import contextlib
import importlib
import os
import secrets
import stat
from pathlib import Path
from typing import Any, cast

from neyman._errors import FileInUse, InvalidParameter, NeymanError

__all__ = [
    "create_whole",
    "demand_locks",
    "file_path",
    "lock",
    "replace_whole",
    "same_file",
    "sync",
    "sync_directory",
    "write_all",
]

_fcntl: Any = None
with contextlib.suppress(ImportError):  # absent on Windows
    _fcntl = importlib.import_module("fcntl")


def file_path(value: object) -> Path:
    """Return a path given by a caller, with its symbolic links followed."""
    if not isinstance(value, (str, os.PathLike)):
        raise InvalidParameter("path", value, "the path of a file", topic="file")
    path = Path(cast("str | os.PathLike[str]", value))
    if path.is_dir():
        raise InvalidParameter("path", str(path), "the path of a file, not of a directory", topic="file")
    if path.exists() and not path.is_file():
        raise InvalidParameter(
            "path", str(path), "the path of a file", "A pipe or a device may never end.", topic="file"
        )
    return path.resolve()


def lock(descriptor: int, path: Path, shared: bool = False) -> None:
    """Take the lock of an open file, or refuse at once; the kernel frees it when the process ends, also by kill -9.

    It is held by the open file (``flock``), so a second accountant of this process is refused like one of another.
    """
    demand_locks(path)
    try:
        _fcntl.flock(descriptor, (_fcntl.LOCK_SH if shared else _fcntl.LOCK_EX) | _fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileInUse(str(path)) from None


def demand_locks(path: Path) -> None:
    """Refuse where files cannot be locked."""
    if _fcntl is None:
        raise NeymanError(
            f"{path}: journals are locked with fcntl, which this system does not have, and without a lock two "
            "processes would miss each other's steps. Use an Accountant without a journal, and save(path)."
        )


def same_file(descriptor: int, path: Path) -> bool:
    """Whether ``path`` still names the open file (and not one that was put in its place)."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def sync(descriptor: int) -> None:
    """Wait until what was written is on the disk, not only on its way there."""
    full = getattr(_fcntl, "F_FULLFSYNC", None)  # of macOS, where fsync stops at the drive's cache
    if full is not None:
        with contextlib.suppress(OSError):  # not every file system has it
            _fcntl.fcntl(descriptor, full)
            return
    os.fsync(descriptor)


def sync_directory(path: Path) -> None:
    """Wait until the directory's entries are on the disk; where directories cannot be opened there is no such call."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of ``data``."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def replace_whole(path: Path, data: bytes) -> None:
    """Put ``data`` into the file ``path``: after a crash at any moment it holds the old bytes or the new ones."""
    temporary = _written(path, data)
    try:
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink()
        raise
    sync_directory(path.parent)


def create_whole(path: Path, data: bytes) -> None:
    """Make the file ``path`` of ``data`` unless there is one; nobody ever sees it half written.

    Raises
    ------
    FileExistsError
        If there is a file of that name.
    """
    temporary = _written(path, data)
    try:
        os.link(temporary, path)  # unlike a rename it fails if somebody was faster
    finally:
        temporary.unlink()
    sync_directory(path.parent)


def _written(path: Path, data: bytes) -> Path:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        try:
            write_all(descriptor, data)
            sync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        temporary.unlink()
        raise
    return temporary
