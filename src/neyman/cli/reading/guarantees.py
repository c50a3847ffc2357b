"""Guarantees as they are named on the command line: of a mechanism, or stated."""

from __future__ import annotations

from neyman._errors import InvalidParameter
from neyman.accounting import account
from neyman.cli.reading.claim import read_claim
from neyman.cli.reading.mechanism import read_mechanism
from neyman.guarantees import Guarantee

__all__ = ["read_guarantees"]


def read_guarantees(texts: list[str], adjacency: str, tolerance: float, effort: float) -> list[Guarantee]:
    """Return the guarantee of each SPEC: a report, a mechanism's file, a short form, or "-" for standard input.

    Raises
    ------
    InvalidParameter
        If one of them is nothing of the kind, or standard input is named twice.
    """
    if texts.count("-") > 1:
        raise InvalidParameter("SPEC", "-", "named once", "Standard input can be read once.")
    return [_read(text, adjacency, tolerance, effort) for text in texts]


def _read(text: str, adjacency: str, tolerance: float, effort: float) -> Guarantee:
    if text == "-":
        return account(read_mechanism("SPEC", text), adjacency=adjacency, tolerance=tolerance, effort=effort)
    try:
        return read_claim(text, adjacency, tolerance, effort)
    except InvalidParameter as error:
        name = "SPEC" if error.name == "claim" else error.name
        raise error.called(name) from None
