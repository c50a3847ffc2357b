"""What a damaged file of an accountant still says."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from neyman.accountants.accountant import Accountant

__all__ = ["Recovered"]


class Recovered(NamedTuple):
    """What a damaged file still says: ``records`` of it are intact, then comes ``damage`` (empty if there is none)."""

    accountant: Accountant
    records: int
    damage: str
