"""The tables of the paper that ours are laid out beside, from its data file."""

from __future__ import annotations

from neyman_papers.published import tables_of

__all__ = ["EPSILONS", "REPLACEMENTS", "TABLE_3", "TABLE_3_DELTAS"]

_DATA = tables_of("reporting")

EPSILONS: tuple[float, ...] = tuple(_DATA["epsilons"])
REPLACEMENTS: dict[float, str] = {float(epsilon): text for epsilon, text in _DATA["replacements"].items()}
TABLE_3: dict[float, tuple[str, ...]] = {float(epsilon): tuple(row) for epsilon, row in _DATA["table_3"].items()}
TABLE_3_DELTAS: tuple[float, ...] = tuple(_DATA["table_3_deltas"])
