"""Guarantees: what a mechanism promises, and every view of it."""

from neyman.guarantees.approximate import ApproximateDP
from neyman.guarantees.base import Guarantee
from neyman.guarantees.combined import join, meet
from neyman.guarantees.composed import ComposedGuarantee
from neyman.guarantees.extremes import BLATANT, PERFECT
from neyman.guarantees.gdp import GDP
from neyman.guarantees.given import Given
from neyman.guarantees.opaque import Opaque
from neyman.guarantees.pairs import Profile
from neyman.guarantees.polyline import Tradeoff
from neyman.guarantees.product import compose_tradeoffs
from neyman.guarantees.pure import PureDP
from neyman.guarantees.rdp import RDP, ZCDP
from neyman.guarantees.report import GDPReport, TradeoffPoints
from neyman.guarantees.satisfaction import Satisfaction
from neyman.guarantees.twins import OptimisticGuarantee, PessimisticGuarantee
from neyman.mechanisms import mechanism_from_dict

__all__ = [
    "BLATANT",
    "GDP",
    "PERFECT",
    "RDP",
    "ZCDP",
    "ApproximateDP",
    "ComposedGuarantee",
    "GDPReport",
    "Given",
    "Guarantee",
    "Opaque",
    "OptimisticGuarantee",
    "PessimisticGuarantee",
    "Profile",
    "PureDP",
    "Satisfaction",
    "Tradeoff",
    "TradeoffPoints",
    "compose_tradeoffs",
    "join",
    "mechanism_from_dict",
    "meet",
]
