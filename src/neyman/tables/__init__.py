"""Tables: many runs, one row each, in the forms that papers and spreadsheets take."""

from __future__ import annotations

from neyman.tables.summary import table
from neyman.tables.table import Column, Table

__all__ = ["Column", "Table", "table"]
