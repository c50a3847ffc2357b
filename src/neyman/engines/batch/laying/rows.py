"""Some settings of what is known of all."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from neyman._validate import IntArray

__all__ = ["rows_of"]

_T = TypeVar("_T")


def rows_of(whole: _T, rows: IntArray) -> _T:
    """The rows of every array in a record, whose first axis is the setting; of records and tuples in it, too."""
    found: Any = whole
    return _rows_of(found, rows)


def _rows_of(found: Any, rows: IntArray) -> Any:
    if isinstance(found, np.ndarray):
        return found[rows]
    if isinstance(found, tuple):
        parts = [_rows_of(part, rows) for part in found]
        return type(found)(*parts) if hasattr(found, "_fields") else tuple(parts)
    return replace(found, **{one.name: _rows_of(getattr(found, one.name), rows) for one in fields(found)})
