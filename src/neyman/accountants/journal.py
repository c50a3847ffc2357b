"""A journal: a file to which every step is appended, on the disk before the step is counted.

What can happen, and what becomes of it:

- the process dies between two steps: nothing is lost;
- it dies while it appends: the step had not returned. The record is whole, and counts, or cut short, and is taken away
  when the journal is opened next;
- the machine dies: the same, unless ``durable=False``, which may lose steps that had returned;
- an append fails or is interrupted: whether it is on the disk is not known, so the journal refuses all further use
  until it is opened again;
- it dies while it compacts: the old file is there, or the new one, and both say the same.

Only the beginning of a record is taken for one that was cut short. Whatever else stands at the end (zeros, say, which
some file systems leave behind after a power cut) is damage, and refused: it might have been a step that returned.
A journal whose end was cut off by other hands, at a record's edge, looks like a shorter one: no file can tell.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
import weakref
from pathlib import Path

from neyman._errors import NeymanError
from neyman.accountants.contents import Contents, Terms, contents, pack
from neyman.accountants.files import create_whole, demand_locks, lock, same_file, sync, sync_directory, write_all
from neyman.accountants.ledger import Ledger
from neyman.accountants.records import encode

__all__ = ["Journal"]

_TRIES = 20  # each failure means that another process has just replaced the file
_CLOSED = "it was closed"


class Journal:
    """An open journal, locked: nobody else has it.

    Parameters
    ----------
    path : Path
        An existing journal, or a name for a new one.
    new : Terms
        What a new one is kept for.
    durable : bool
        Whether to wait for the disk at every append.

    Raises
    ------
    FileInUse
        If somebody has it open.
    UnreadableState
        If the file is damaged.
    NeymanError
        Where files cannot be locked.
    """

    def __init__(self, path: Path, new: Terms, durable: bool) -> None:
        self.path = path
        self.durable = durable
        self.dropped = 0  # bytes of a record cut short, taken away on opening
        self._refusal = ""
        self._thread = threading.get_ident()
        self._descriptor = _opened(path, new)
        try:
            self.found = self._read()
        except BaseException:
            os.close(self._descriptor)
            raise
        self._sequence = self.found.records
        self._end = self.found.end
        _all.add(self)

    def append(self, payload: object) -> None:
        """Append one record; it is durable when this returns."""
        self.check()
        record = encode(self._sequence, payload)
        try:
            if not self._mine():
                raise NeymanError(f"{self.path} was moved, deleted or changed by somebody else.")
            write_all(self._descriptor, record)
            if self.durable:
                sync(self._descriptor)
            self._sequence += 1
            self._end += len(record)
        except BaseException:
            self.refuse("an append failed or was interrupted")
            raise

    def replace(self, data: bytes, records: int) -> None:
        """Put a whole file of so many records in the place of this one, in one move, and go on with it."""
        self.check()
        if not self._mine():  # another journal may stand there by now, with steps of its own
            self.refuse("it was moved, deleted or changed by somebody else")
            self.check()
        fresh = self.path.with_name(f".{self.path.name}.compact.tmp")  # one name: whoever compacts holds the lock
        descriptor = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o666)
        try:
            os.fchmod(descriptor, stat.S_IMODE(os.fstat(self._descriptor).st_mode))
            write_all(descriptor, data)
            sync(descriptor)
            lock(descriptor, fresh)
            os.replace(fresh, self.path)
            sync_directory(self.path.parent)
            self._descriptor, descriptor = descriptor, self._descriptor
            self._sequence, self._end = records, len(data)
        except BaseException:
            self.refuse("compacting failed or was interrupted")
            raise
        finally:
            os.close(descriptor)

    def check(self, reading: bool = False) -> None:
        """Refuse if the journal is no longer known to agree with what is in memory or, unless ``reading``, closed."""
        if self._refusal and not (reading and self._refusal == _CLOSED):
            raise NeymanError(
                f"The journal {self.path} cannot be used: {self._refusal}. "
                "Open it again with Accountant.journalled(path): the file knows which steps count."
            )
        if not reading and threading.get_ident() != self._thread:
            raise NeymanError(
                f"The journal {self.path} belongs to the thread that opened it: records of two threads could mix. "
                "Nothing was counted. Hand the steps to that thread, by a queue.Queue for example."
            )

    def refuse(self, reason: str) -> None:
        """Close, and say why whenever it is used; the first reason stands."""
        if not self._refusal:
            self._refusal = reason
            os.close(self._descriptor)

    def close(self) -> None:
        """Give back the file and its lock."""
        self.refuse(_CLOSED)

    def __del__(self) -> None:
        if getattr(self, "_refusal", _CLOSED) == "" and hasattr(self, "_sequence"):
            self.refuse(_CLOSED)

    def _mine(self) -> bool:
        """Whether the path still names this file, and it is as long as it was left."""
        return same_file(self._descriptor, self.path) and os.fstat(self._descriptor).st_size == self._end

    def _read(self) -> Contents:
        with os.fdopen(os.dup(self._descriptor), "rb") as file:
            data = file.read()
        found = contents(data)
        if not found.journal and not found.damage:
            found.damage = "it is a saved state, not a journal (Accountant.load reads it)"
        if found.damage:
            raise found.refusal(self.path)
        if found.torn:
            self.dropped = len(data) - found.end
            os.ftruncate(self._descriptor, found.end)
            sync(self._descriptor)
        return found


def _opened(path: Path, new: Terms) -> int:
    """Open and lock ``path``, or make it, then open and lock it."""
    demand_locks(path)
    for _ in range(_TRIES):
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):  # somebody was faster
                create_whole(path, pack(new, Ledger(), journal=True)[0])
            continue
        try:
            lock(descriptor, path)
            if same_file(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # it was compacted in the meantime
    raise NeymanError(f"{path} is being replaced again and again; it was not opened.")


_all: weakref.WeakSet[Journal] = weakref.WeakSet()


def _leave() -> None:
    """In a forked child: let go of the parent's journals, or its lock would outlive it."""
    for journal in list(_all):
        journal.refuse("it belongs to the process that this one was forked from")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave)
