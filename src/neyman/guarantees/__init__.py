"""Guarantees: what a mechanism promises, and every view of it."""

from neyman.guarantees.approximate import ApproximateDP
from neyman.guarantees.base import Guarantee
from neyman.guarantees.composed import ComposedGuarantee, OptimisticGuarantee, PessimisticGuarantee
from neyman.guarantees.extremes import BLATANT, PERFECT
from neyman.guarantees.gdp import GDP
from neyman.guarantees.given import Given
from neyman.guarantees.pairs import Profile
from neyman.guarantees.polyline import Tradeoff
from neyman.guarantees.pure import PureDP
from neyman.guarantees.report import GDPReport, TradeoffPoints

__all__ = [
    "BLATANT",
    "GDP",
    "PERFECT",
    "ApproximateDP",
    "ComposedGuarantee",
    "GDPReport",
    "Given",
    "Guarantee",
    "OptimisticGuarantee",
    "PessimisticGuarantee",
    "Profile",
    "PureDP",
    "Tradeoff",
    "TradeoffPoints",
]
