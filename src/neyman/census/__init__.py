"""The census: what TopDown's noise promises, from the rho of each geographic level, by level and in total.

>>> import neyman as ny
>>> allocation = ny.census.published("dhc-2022-08-25")
>>> float(allocation.exactly("State")), round(ny.account(allocation.mechanism()).mu(), 3)
(1.0001, 2.702)
"""

from __future__ import annotations

import sys

from neyman._answering import Room
from neyman.census.allocation import Allocation, Share
from neyman.census.levels import account
from neyman.census.published import NAMES, published, read

__all__ = ["NAMES", "Allocation", "Share", "account", "published", "read"]

sys.modules[__name__].__class__ = Room
