"""Guarantees: what a mechanism promises, and every view of it."""

from neyman.guarantees.base import Guarantee
from neyman.guarantees.composed import ComposedGuarantee, OptimisticGuarantee, PessimisticGuarantee
from neyman.guarantees.extremes import BLATANT, PERFECT
from neyman.guarantees.gdp import GDP
from neyman.guarantees.report import GDPReport, TradeoffPoints

__all__ = [
    "BLATANT",
    "GDP",
    "PERFECT",
    "ComposedGuarantee",
    "GDPReport",
    "Guarantee",
    "OptimisticGuarantee",
    "PessimisticGuarantee",
    "TradeoffPoints",
]
