"""A store of answers: a directory that outlives the run, with one small NetCDF file for every block that is done.

``sweep.json`` says which sweep it is. The name of a block file carries the hash of the sweep, of the block's number and
settings and of the file's bytes, so that a file that was cut short, damaged, or is another block's is noticed and the
block computed again; what it says of itself inside is compared as well. It gets its name only when it is whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from neyman._errors import InvalidParameter
from neyman.sweeps.answers import Answers, digest
from neyman.sweeps.dataset import IN_BATCH, REASON, STATUS, write
from neyman.sweeps.extras import need
from neyman.sweeps.plan import BESIDES, USUAL, Plan

__all__ = ["Store"]

SCHEMA = 2  # of the store: raised when its form changes
_MANIFEST = "sweep.json"
_RESULT = "result.nc"
_BLOCK = re.compile(r"block-(\d{8,9})-[0-9a-f]{32}\.nc")
_ADVICE = "Name another directory, or delete this one to begin anew."


class Store:
    """The blocks of one sweep on disk.

    Parameters
    ----------
    path : Path
        A directory that does not exist, is empty, or holds this very sweep, begun or done.
    plan : Plan
        The sweep. Where the store was cut into blocks of another shape, its own is kept: see ``plan``.

    Raises
    ------
    InvalidParameter
        If the directory cannot be used, or holds something else: another sweep, or that of another version.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path = path
        if plan.nameless:
            advice = "Without one a store could not tell whether it is the same; nor can ny.mechanism_from_dict."
            raise InvalidParameter("baseline", None, "a baseline with a dict form where there is a store", advice)
        if path.exists() and not path.is_dir():
            raise InvalidParameter("store", str(path), "a directory")
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unusable(path, error) from None
        manifest = path / _MANIFEST
        if os.path.lexists(manifest):
            self.plan = plan.cut(_checked(manifest, plan))
        elif any(not name.name.endswith(".tmp") for name in path.iterdir()):
            raise InvalidParameter("store", str(path), "a new or empty directory, or the store of a sweep", _ADVICE)
        else:
            self.plan = plan
            text = json.dumps({"schema": SCHEMA, **plan.description, "block": list(plan.block)}, indent=1)
            self._put(text.encode(), manifest)
        self._files = {int(name[1]): path / name[0] for name in self._names()}

    def take(self, number: int, found: Answers) -> None:
        """Keep the answers of a block: all of them, or if this is interrupted none."""
        plan, temporary = self.plan, self._temporary
        with need("h5netcdf").File(temporary, "w") as file:
            for some, values in zip(plan.axes, plan.values(number), strict=True):
                file.dimensions[some.name] = len(values)
                made = file.create_variable(some.name, (some.name,), some.array.dtype, np.array(values))
                made.attrs.update(some.labels)
            for quantity, values in zip(plan.job.columns, found.values, strict=True):
                made = file.create_variable(quantity.key, plan.job.names, "f8", values, fillvalue=np.nan)
                made.attrs.update(quantity.labels)
            file.create_variable("status", plan.job.names, "i4", found.status).attrs.update(STATUS)
            if plan.job.batches:
                file.create_variable("in_batch", plan.job.names, "i1", found.batched).attrs.update(IN_BATCH)
            file.dimensions["reason_number"] = len(found.reasons)
            words = np.array(found.reasons, dtype=object)
            made = file.create_variable("reason", ("reason_number",), need("h5py").string_dtype(), words)
            made.attrs.update(REASON)
            file.attrs.update({"sweep": plan.fingerprint, "block": number, "neyman_version": found.version})
            if not plan.settled:
                file.attrs["mechanisms"] = digest(plan.job, plan.values(number))
        name = self.path / self._named(number, temporary)
        os.replace(temporary, name)
        self._files[number] = name

    def holds(self, number: int) -> bool:
        """Whether the block is here, whole, and this one of this sweep; any other is removed.

        Raises
        ------
        InvalidParameter
            If it is whole, but its mechanisms are not those that ``make`` gives now.
        """
        file = self._files.get(number)
        if file is None:
            return False
        if file.name == self._named(number, file):
            with need("h5netcdf").File(file, "r") as data:
                own = self._is_of(number, data)
                mechanisms = data.attrs.get("mechanisms")
            if own:
                if not self.plan.settled and mechanisms != digest(self.plan.job, self.plan.values(number)):
                    raise InvalidParameter(
                        "store", str(self.path), "the store of this very sweep", f"make() gives others. {_ADVICE}"
                    )
                return True
        file.unlink()
        del self._files[number]
        return False

    def _is_of(self, number: int, data: Any) -> bool:
        """Whether an open file says that it is this block: its sweep, number and settings, and answers of its shape."""
        plan, values = self.plan, self.plan.values(number)
        shape = tuple(len(some) for some in values)
        marks = ["in_batch"] if plan.job.batches else []
        names = [*plan.job.names, "status", "reason", *marks, *(q.key for q in plan.job.columns)]
        return (
            data.attrs.get("sweep") == plan.fingerprint
            and data.attrs.get("block") == number
            and set(names) <= set(data.variables)
            and all(data[q.key].shape == shape for q in plan.job.columns)
            and all(data[name].shape == shape for name in ("status", *marks))
            and all(np.array_equal(data[n][...], some) for n, some in zip(plan.job.names, values, strict=True))
        )

    def _named(self, number: int, file: Path) -> str:
        """The name of a block file, from what it is and what it holds."""
        about = json.dumps([self.plan.fingerprint, number, self.plan.values(number)])
        found = hashlib.sha256(hashlib.sha256(about.encode()).digest() + file.read_bytes())
        return f"block-{number:08d}-{found.hexdigest()[:32]}.nc"

    def blocks(self) -> Iterator[tuple[int, Answers]]:
        """All answers, block by block."""
        for number in range(self.plan.count):
            with need("h5netcdf").File(self._files[number], "r") as file:
                values = tuple(np.asarray(file[q.key][...]) for q in self.plan.job.columns)
                words = tuple(_text(word) for word in file["reason"][...])
                status = np.asarray(file["status"][...])
                marks = np.asarray(file["in_batch"][...]) if self.plan.job.batches else np.zeros(status.shape, np.int8)
                yield number, Answers(values, status, marks, words, str(file.attrs["neyman_version"]))

    def result(self) -> Path:
        """Write all blocks to one file, which gets its name when it is whole."""
        temporary = self._temporary
        write(temporary, self.plan, self.blocks())
        os.replace(temporary, self.path / _RESULT)
        return self.path / _RESULT

    def discard(self) -> None:
        """Remove the store; whatever else has been put beside it stays."""
        blocks = [self.path / name[0] for name in self._names()]
        for file in (*blocks, *self.path.glob("*.tmp"), self.path / _RESULT, self.path / _MANIFEST):
            file.unlink(missing_ok=True)
        if not any(self.path.iterdir()):
            self.path.rmdir()

    def _names(self) -> list[re.Match[str]]:
        """Of all block files that are there.

        Raises
        ------
        InvalidParameter
            If something else has such a name: a directory, or a link to who knows where.
        """
        found = [(file, name) for file in sorted(self.path.iterdir()) if (name := _BLOCK.fullmatch(file.name))]
        for file, _ in found:
            if file.is_symlink() or not file.is_file():
                raise InvalidParameter("store", str(file), "a store whose blocks are files", _ADVICE)
        return [name for _, name in found]

    @property
    def _temporary(self) -> Path:
        return self.path / f"{os.getpid()}.tmp"

    def _put(self, content: bytes, name: Path) -> None:
        try:
            self._temporary.write_bytes(content)
            os.replace(self._temporary, name)
        except OSError as error:
            raise _unusable(self.path, error) from None


def _unusable(path: Path, error: OSError) -> InvalidParameter:
    return InvalidParameter(
        "store", str(path), "a directory that can be written to", f"{error.strerror or error}.", topic="file"
    )


def _checked(manifest: Path, plan: Plan) -> tuple[int, ...]:
    """The blocks of a store, if it is of this sweep."""
    where, ours = str(manifest.parent), plan.description
    if manifest.is_symlink() or not manifest.is_file():
        raise InvalidParameter("store", where, "a store whose sweep.json is a file", _ADVICE, topic="file")
    try:
        theirs: Any = {**USUAL, **json.loads(manifest.read_bytes())}
        block = tuple(int(n) for n in theirs["block"])
        schema = theirs["schema"]
    except (OSError, ValueError, OverflowError, KeyError, TypeError):
        raise InvalidParameter("store", where, "a store whose sweep.json can be read", _ADVICE) from None
    differ = [key for key in dict.fromkeys((*ours, *BESIDES)) if theirs.get(key) != ours.get(key)]
    if schema != SCHEMA or differ:
        advice = f"Not the same there: {', '.join(differ or ['schema'])}. {_ADVICE}"
        raise InvalidParameter("store", where, "the store of this very sweep", advice)
    if len(block) != len(plan.shape) or not all(1 <= b <= n for b, n in zip(block, plan.shape, strict=True)):
        raise InvalidParameter("store", where, "a store whose sweep.json can be read", _ADVICE)
    return block


def _text(word: str | bytes) -> str:
    """A word as h5netcdf gives it back, which depends on its version."""
    return word if isinstance(word, str) else word.decode()
