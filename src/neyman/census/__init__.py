"""The census: what TopDown's noise promises, from the rho of each geographic level, by level and in total.

>>> from neyman import census
>>> found = census.account(census.published("dhc-2022-08-25"))
>>> found["level"][-1], round(found["mu"][-1], 3)
('total', 2.702)
"""

from __future__ import annotations

from neyman.census.allocation import Allocation, Share
from neyman.census.levels import account
from neyman.census.published import NAMES, published, read

__all__ = ["NAMES", "Allocation", "Share", "account", "published", "read"]
