"""Accountants, filters and odometers: privacy followed while it is being spent."""

from neyman.accountants.accountant import Accountant, Recovered
from neyman.accountants.budget import Filter
from neyman.accountants.individual import IndividualFilter
from neyman.accountants.odometer import Checkpoint, Odometer
from neyman.accountants.tables import FPR_TABLE, ErrorRates, MuAndRegret

__all__ = [
    "FPR_TABLE",
    "Accountant",
    "Checkpoint",
    "ErrorRates",
    "Filter",
    "IndividualFilter",
    "MuAndRegret",
    "Odometer",
    "Recovered",
]
