"""The package's own sources as one archive, for a Python that has no package manager."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = ["sources"]

_WHEN = (1980, 1, 1, 0, 0, 0)  # the earliest that an archive knows: when it is made says nothing
_READABLE = 0o644 << 16  # the mode of a file, rw-r--r--, where an archive has it


def sources(package: str = "neyman") -> bytes:
    """Return the package as a zip archive; of the same files, the same bytes.

    Examples
    --------
    >>> sources() == sources(), len(sources()) < 2_000_000
    (True, True)
    """
    room = io.BytesIO()
    with zipfile.ZipFile(room, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, file in sorted(_files(package, files(package))):
            entry = zipfile.ZipInfo(name, _WHEN)
            entry.create_system, entry.external_attr = 3, _READABLE  # as if made on Unix, wherever it is made
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes(), compresslevel=9)
    return room.getvalue()


def _files(prefix: str, folder: Traversable) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        name = f"{prefix}/{entry.name}"
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _files(name, entry)
        elif not entry.name.endswith((".pyc", ".pyo")):
            yield name, entry
