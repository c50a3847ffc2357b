"""Files made of records: how one is written, and how a file is read to the last record that is whole.

A record is one line of text,

    length sequence checksum checksum-of-the-head payload

lengths and checksums (CRC-32) in hexadecimal, the payload JSON. The first line names the kind of file; the sequence
numbers are 0, 1, 2, ... The head has a checksum of its own, so that a damaged length is not taken for a record that
was cut short. Checksums find accidents; they are no defence against malice.
"""

from __future__ import annotations

import json
import string
from typing import NamedTuple
from zlib import crc32

__all__ = ["JOURNAL", "STATE", "Scan", "encode", "scan"]

STATE = b"neyman accountant state\n"
JOURNAL = b"neyman accountant journal\n"

_HEAD = 44  # bytes
_SPACES = (8, 25, 34, 43)  # places in a head where a space stands
_HEX = frozenset(string.hexdigits[:16].encode())  # what the digits of a head may be


class Scan(NamedTuple):
    """What a file holds: the payloads that are whole, where they end, and what comes then.

    ``torn``: a record begins at ``end`` and is cut short. ``damage``: what is wrong at ``end``, empty if nothing is.
    """

    payloads: list[object]
    end: int
    torn: bool
    damage: str


def encode(sequence: int, payload: object) -> bytes:
    r"""Return one record.

    Examples
    --------
    >>> encode(3, {"runs": [[0, 1]]})
    b'00000010 0000000000000003 970c6d0e 01eff046 {"runs":[[0,1]]}\n'
    """
    text = json.dumps(payload, separators=(",", ":")).encode("ascii")
    return _head(len(text), sequence, crc32(text)) + text + b"\n"


def scan(data: bytes, start: int) -> Scan:
    """Read the records of ``data`` from byte ``start`` on, to the end or to the first that is not whole."""
    payloads: list[object] = []
    at = start
    while at < len(data):
        head = data[at : at + _HEAD]
        if len(head) < _HEAD:
            torn = _begins(head, len(payloads))
            return Scan(payloads, at, torn, "" if torn else "no record begins here")
        length, checksum = int(head[:8], 16) if _hexadecimal(head[:8]) else -1, head[26:34]
        if length < 0 or not _hexadecimal(checksum) or head != _head(length, len(payloads), int(checksum, 16)):
            return Scan(payloads, at, False, "the head of a record is damaged, or the record out of order")
        text = data[at + _HEAD : at + _HEAD + length + 1]
        if len(text) <= length:
            return Scan(payloads, at, True, "")
        if crc32(text[:-1]) != int(checksum, 16) or text[-1:] != b"\n":
            return Scan(payloads, at, False, "a record does not match its checksum")
        try:
            payloads.append(json.loads(text))
        except (ValueError, RecursionError):
            return Scan(payloads, at, False, "a record is no JSON")
        at += _HEAD + length + 1
    return Scan(payloads, at, False, "")


def _head(length: int, sequence: int, checksum: int) -> bytes:
    head = b"%08x %016x %08x " % (length, sequence, checksum)
    return head + b"%08x " % crc32(head)


def _begins(piece: bytes, sequence: int) -> bool:
    """Whether ``piece``, shorter than a head, can be how record ``sequence`` begins."""
    numbered = b" %016x " % sequence
    return numbered.startswith(piece[8:26]) and all(
        byte == 32 if at in _SPACES else byte in _HEX for at, byte in enumerate(piece)
    )


def _hexadecimal(text: bytes) -> bool:
    return all(byte in _HEX for byte in text)
