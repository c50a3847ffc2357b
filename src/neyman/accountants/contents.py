"""What a file of an accountant says, read as far as it can be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, cast

from neyman._errors import FileInUse, InvalidParameter, UnreadableState
from neyman._validate import choice, inside
from neyman.accountants.files import lock, same_file
from neyman.accountants.ledger import Ledger
from neyman.accountants.records import JOURNAL, STATE, encode, scan
from neyman.accounting import ADJACENCIES

__all__ = ["VERSION", "Contents", "Terms", "contents", "header", "look", "pack", "read_state", "starts", "terms"]

_STATE = {"schema", "adjacency", "tolerance", "settings", "runs"}
VERSION = 1  # of files and of ``state_dict``: raised when a field changes its meaning


class Terms(NamedTuple):
    """For which neighbours and how sharply an accountant accounts."""

    adjacency: str = "add_or_remove"
    tolerance: float = 1e-6


@dataclass(slots=True)
class Contents:
    """A file as far as it is whole: ``records`` of them up to byte ``end``, and what is wrong there, if anything is."""

    journal: bool = False
    terms: Terms | None = None
    ledger: Ledger = field(default_factory=Ledger)
    records: int = 0
    end: int = 0
    torn: bool = False
    damage: str = ""

    def refusal(self, path: Path) -> UnreadableState:
        """Return the error that says what was still readable, and the way out."""
        advice = "Accountant.recover(path) returns that much." if self.terms is not None else "Name another file."
        return UnreadableState(str(path), self.damage, self.records, self.ledger.total, advice)


def terms(adjacency: object, tolerance: object) -> Terms:
    """Return checked terms."""
    return Terms(choice("adjacency", adjacency, ADJACENCIES), inside("tolerance", tolerance, 0.99e-12, 1.0))


def header(of: Terms) -> dict[str, object]:
    """Return the first record of a file."""
    return {"version": VERSION, **of._asdict()}


def pack(of: Terms, ledger: Ledger, journal: bool) -> tuple[bytes, int]:
    """Return a whole file, and the number of its records."""
    end: Iterable[object] = () if journal else ({"end": ledger.total},)
    records = [encode(number, payload) for number, payload in enumerate([header(of), *ledger.entries(), *end])]
    return (JOURNAL if journal else STATE) + b"".join(records), len(records)


def contents(data: bytes) -> Contents:
    """Read a file; never raises, whatever the bytes."""
    magic = next((magic for magic in (JOURNAL, STATE) if data.startswith(magic)), None)
    if magic is None:
        return Contents(damage="it is no file of an accountant")
    found = scan(data, len(magic))
    result = Contents(journal=magic is JOURNAL, end=found.end, torn=found.torn)
    where = f"{found.damage}, at byte {found.end}" if found.damage else ""
    if not found.payloads:
        result.damage = where or "it ends before its first record does"
        return result
    closed = False
    for number, payload in enumerate(found.payloads):
        try:
            if closed:
                raise InvalidParameter("record", payload, "absent after the end")
            if number == 0:
                result.terms = _opening(payload)
            elif isinstance(payload, dict) and "end" in payload and not result.journal:
                closed = _closing(cast("dict[object, object]", payload), result.ledger)
            else:
                result.ledger.read(payload)
        except InvalidParameter as error:
            result.damage = f"record {number} makes no sense ({error})"
            return result
        result.records = number + 1
    if not result.journal and not (closed and not result.torn):
        where = where or ("something follows its end" if closed else "it ends too early")
    result.damage = where
    return result


def _opening(payload: object) -> Terms:
    node: Mapping[object, object] = cast("dict[object, object]", payload) if isinstance(payload, dict) else {}
    version = node.get("version")
    if type(version) is not int or version != VERSION:
        raise _another("version", version)
    if set(node) != {"version", *Terms._fields}:
        raise InvalidParameter("record", node, "an opening with version, adjacency and tolerance")
    return terms(node["adjacency"], node["tolerance"])


def _closing(node: dict[object, object], ledger: Ledger) -> bool:
    if node != {"end": ledger.total}:
        raise InvalidParameter("end", node, f"the number of steps before it, {ledger.total}")
    return True


def read_state(state: object) -> tuple[Terms, Ledger]:
    """Read the dict that ``Accountant.state_dict`` writes."""
    if not isinstance(state, Mapping):
        raise InvalidParameter("state", state, "a dict that state_dict wrote")
    node = dict(cast("Mapping[object, object]", state))
    schema = node.get("schema")
    if type(schema) is not int or schema != VERSION:
        raise _another("schema", schema)
    if set(node) != _STATE:
        raise InvalidParameter("state", sorted(map(str, node)), f"made of {', '.join(sorted(_STATE))}")
    found = terms(node["adjacency"], node["tolerance"])
    if not isinstance(node["settings"], (list, tuple)):
        raise InvalidParameter("settings", node["settings"], "a list of mechanisms")
    ledger = Ledger()
    for setting in cast("list[object]", node["settings"]):
        ledger.read({"define": setting})
    ledger.read({"runs": node["runs"]})
    return found, ledger


def _another(name: str, value: object) -> InvalidParameter:
    newer = type(value) is int and value > VERSION
    advice = "It was written by a later neyman: update this one." if newer else ""
    return InvalidParameter(name, value, f"the whole number {VERSION}", advice)


def look(path: Path) -> Contents:
    """Read a file; a journal only while nobody has it open."""
    with path.open("rb") as file:
        if file.read(len(JOURNAL)) == JOURNAL:
            lock(file.fileno(), path, shared=True)
            if not same_file(file.fileno(), path):  # it was compacted in the meantime: this is an old copy
                raise FileInUse(str(path))
        file.seek(0)
        return contents(file.read())


def starts(path: Path, magic: bytes) -> bool:
    """Whether a file begins with these bytes."""
    with path.open("rb") as file:
        return file.read(len(magic)) == magic
