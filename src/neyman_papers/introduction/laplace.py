"""Many Laplace mechanisms, each with more noise."""

from __future__ import annotations

import math
from functools import cache

from neyman.accounting import account
from neyman.guarantees import Guarantee
from neyman.mechanisms import Laplace

__all__ = ["COPIES", "many_laplace"]

COPIES = (1, 4, 16)  # Laplace mechanisms in a row, a panel each


@cache
def many_laplace(copies: int) -> Guarantee:
    """So many Laplace mechanisms of scale sqrt(copies): about as private together as one of scale 1."""
    return account(Laplace(math.sqrt(copies)) ** copies)
