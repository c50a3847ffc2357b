"""What may be asked of a guarantee by name: one table, for the command line, sweeps, targets and reports.

Nothing numerical is imported with the table: the help of the command line is written from it.

>>> from neyman.quantities import QUANTITIES
>>> QUANTITIES["tpr"].form, QUANTITIES["tpr"].side, QUANTITIES["beta"].side
('tpr(fpr)', 'at most', 'at least')
"""

from __future__ import annotations

from neyman.quantities.quantity import Quantity, Side
from neyman.quantities.table import QUANTITIES

__all__ = ["QUANTITIES", "Quantity", "Side"]
