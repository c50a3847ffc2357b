"""Guarantees: what a mechanism promises, and every view of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neyman._first_use import on_first_use

if TYPE_CHECKING:
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
    from neyman.guarantees.loss.bounds import Bounds
    from neyman.guarantees.loss.jumps import Jump
    from neyman.guarantees.loss.law import LossLaw
    from neyman.guarantees.loss.privacy_loss import PrivacyLoss
    from neyman.guarantees.loss.table import DrawError
    from neyman.guarantees.opaque import Opaque, mechanism_from_dict
    from neyman.guarantees.questions.answer import Satisfaction
    from neyman.guarantees.questions.report import GDPReport, TradeoffPoints
    from neyman.guarantees.twins import OptimisticGuarantee, PessimisticGuarantee
    from neyman.profiles.certificate import Certificate, CertifiedDelta

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

_FILES = {
    "neyman.guarantees.algebra.join_meet": ("join", "meet"),
    "neyman.guarantees.algebra.product": ("compose_tradeoffs",),
    "neyman.guarantees.between": ("Between", "tradeoff_between"),
    "neyman.guarantees.computed": ("ComposedGuarantee",),
    "neyman.guarantees.given.approximate": ("ApproximateDP",),
    "neyman.guarantees.given.base": ("Given",),
    "neyman.guarantees.given.extremes": ("BLATANT", "PERFECT"),
    "neyman.guarantees.given.gdp": ("GDP",),
    "neyman.guarantees.given.profile": ("Profile",),
    "neyman.guarantees.given.pure": ("PureDP",),
    "neyman.guarantees.given.rdp": ("RDP", "ZCDP"),
    "neyman.guarantees.given.tradeoff": ("Tradeoff",),
    "neyman.guarantees.guarantee": ("Guarantee",),
    "neyman.guarantees.loss.bounds": ("Bounds",),
    "neyman.guarantees.loss.jumps": ("Jump",),
    "neyman.guarantees.loss.law": ("LossLaw",),
    "neyman.guarantees.loss.privacy_loss": ("PrivacyLoss",),
    "neyman.guarantees.loss.table": ("DrawError",),
    "neyman.guarantees.opaque": ("Opaque", "mechanism_from_dict"),  # from here it knows the kind "opaque" too
    "neyman.guarantees.questions.answer": ("Satisfaction",),
    "neyman.guarantees.questions.report": ("GDPReport", "TradeoffPoints"),
    "neyman.guarantees.twins": ("OptimisticGuarantee", "PessimisticGuarantee"),
    "neyman.profiles.certificate": ("Certificate", "CertifiedDelta"),
}

__getattr__, __dir__ = on_first_use(__name__, _FILES)
