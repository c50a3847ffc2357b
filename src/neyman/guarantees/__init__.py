"""Guarantees: what a mechanism promises, and every view of it."""

from neyman.guarantees.algebra import group, reversal
from neyman.guarantees.algebra.join_meet import join, meet
from neyman.guarantees.algebra.product import compose_tradeoffs
from neyman.guarantees.between import Between, tradeoff_between
from neyman.guarantees.computed import ComposedGuarantee
from neyman.guarantees.given.approximate import ApproximateDP
from neyman.guarantees.given.base import Given
from neyman.guarantees.given.extremes import BLATANT, PERFECT
from neyman.guarantees.given.gdp import GDP
from neyman.guarantees.given.profile import Profile
from neyman.guarantees.given.pure import PureDP
from neyman.guarantees.given.rdp import RDP, ZCDP
from neyman.guarantees.given.tradeoff import Tradeoff
from neyman.guarantees.guarantee import Guarantee
from neyman.guarantees.implication import fdp, satisfaction
from neyman.guarantees.loss.bounds import Bounds
from neyman.guarantees.loss.jumps import Jump
from neyman.guarantees.loss.law import LossLaw
from neyman.guarantees.loss.privacy_loss import PrivacyLoss
from neyman.guarantees.loss.table import DrawError
from neyman.guarantees.opaque import Opaque
from neyman.guarantees.questions.answer import Satisfaction
from neyman.guarantees.questions.report import GDPReport, TradeoffPoints
from neyman.guarantees.twins import OptimisticGuarantee, PessimisticGuarantee
from neyman.mechanisms import mechanism_from_dict
from neyman.profiles.certificate import Certificate, CertifiedDelta

_ = group, reversal, fdp, satisfaction  # what guarantees are made into: each names itself in ``ALGEBRA``

__all__ = [
    "BLATANT",
    "GDP",
    "PERFECT",
    "RDP",
    "ZCDP",
    "ApproximateDP",
    "Between",
    "Bounds",
    "Certificate",
    "CertifiedDelta",
    "ComposedGuarantee",
    "DrawError",
    "GDPReport",
    "Given",
    "Guarantee",
    "Jump",
    "LossLaw",
    "Opaque",
    "OptimisticGuarantee",
    "PessimisticGuarantee",
    "PrivacyLoss",
    "Profile",
    "PureDP",
    "Satisfaction",
    "Tradeoff",
    "TradeoffPoints",
    "compose_tradeoffs",
    "join",
    "mechanism_from_dict",
    "meet",
    "tradeoff_between",
]
