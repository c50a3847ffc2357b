"""Certified differential-privacy guarantees: what a mechanism promises, as bounds on both sides of the truth.

>>> import neyman as ny
>>> ny.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000)
Gaussian(sigma=9.4, sensitivity=1.0).poisson(0.32768) ** 2000
"""

from __future__ import annotations

from neyman._first_use import on_first_use
from neyman._version import __version__

TYPE_CHECKING = False  # as type checkers know it: typing itself takes longer to import than all that is here
if TYPE_CHECKING:
    from neyman import audit, census, comparison, conversions, plot, risk
    from neyman._errors import (
        BudgetExceeded,
        FileInUse,
        InvalidParameter,
        MissingPackage,
        NeymanError,
        NotCertified,
        UnknownArgument,
        UnreadableState,
    )
    from neyman.accountants import Accountant, Filter, IndividualFilter, Odometer
    from neyman.accounting import account
    from neyman.calibration import (
        Calibration,
        calibrate,
        noise_for_dpsgd,
        rate_for_dpsgd,
        steps_for_dpsgd,
        targets,
    )
    from neyman.comparison import Comparison, compare
    from neyman.explorer import Explorer, explore
    from neyman.guarantees import (
        BLATANT,
        GDP,
        PERFECT,
        RDP,
        ZCDP,
        ApproximateDP,
        Bounds,
        Guarantee,
        Opaque,
        PrivacyLoss,
        Profile,
        PureDP,
        Satisfaction,
        Tradeoff,
        compose_tradeoffs,
        join,
        mechanism_from_dict,
        meet,
        tradeoff_between,
    )
    from neyman.integrations import from_dp_event, from_pld
    from neyman.mechanisms import (
        DPSGD,
        ApproximateMechanism,
        CustomLoss,
        DiscreteGaussian,
        DiscreteLaplace,
        Gaussian,
        Laplace,
        Mechanism,
        PureMechanism,
        RandomizedResponse,
        Tabulated,
        compose,
        training,
    )
    from neyman.proving import prove
    from neyman.reports import report, verify
    from neyman.showing import Conversion, Summary, convert
    from neyman.sweeps import sweep
    from neyman.tables import Table, table


__all__ = [
    "BLATANT",
    "DPSGD",
    "GDP",
    "PERFECT",
    "RDP",
    "ZCDP",
    "Accountant",
    "ApproximateDP",
    "ApproximateMechanism",
    "Bounds",
    "BudgetExceeded",
    "Calibration",
    "Comparison",
    "Conversion",
    "CustomLoss",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Explorer",
    "FileInUse",
    "Filter",
    "Gaussian",
    "Guarantee",
    "IndividualFilter",
    "InvalidParameter",
    "Laplace",
    "Mechanism",
    "MissingPackage",
    "NeymanError",
    "NotCertified",
    "Odometer",
    "Opaque",
    "PrivacyLoss",
    "Profile",
    "PureDP",
    "PureMechanism",
    "RandomizedResponse",
    "Satisfaction",
    "Summary",
    "Table",
    "Tabulated",
    "Tradeoff",
    "UnknownArgument",
    "UnreadableState",
    "__version__",
    "account",
    "audit",
    "calibrate",
    "census",
    "compare",
    "comparison",
    "compose",
    "compose_tradeoffs",
    "conversions",
    "convert",
    "explore",
    "from_dp_event",
    "from_pld",
    "join",
    "mechanism_from_dict",
    "meet",
    "noise_for_dpsgd",
    "plot",
    "prove",
    "rate_for_dpsgd",
    "report",
    "risk",
    "steps_for_dpsgd",
    "sweep",
    "table",
    "targets",
    "tradeoff_between",
    "training",
    "verify",
]

_ROOMS = {
    "neyman._errors": (
        "BudgetExceeded",
        "FileInUse",
        "InvalidParameter",
        "MissingPackage",
        "NeymanError",
        "NotCertified",
        "UnknownArgument",
        "UnreadableState",
    ),
    "neyman.accountants": ("Accountant", "Filter", "IndividualFilter", "Odometer"),
    "neyman.accounting": ("account",),
    "neyman.calibration": (
        "Calibration",
        "calibrate",
        "noise_for_dpsgd",
        "rate_for_dpsgd",
        "steps_for_dpsgd",
        "targets",
    ),
    "neyman.comparison": ("Comparison", "compare"),
    "neyman.explorer": ("Explorer", "explore"),
    "neyman.guarantees": (
        "BLATANT",
        "GDP",
        "PERFECT",
        "RDP",
        "ZCDP",
        "ApproximateDP",
        "Bounds",
        "Guarantee",
        "Opaque",
        "PrivacyLoss",
        "Profile",
        "PureDP",
        "Satisfaction",
        "Tradeoff",
        "compose_tradeoffs",
        "join",
        "meet",
        "tradeoff_between",
        "mechanism_from_dict",  # from here it knows the kind "opaque" too
    ),
    "neyman.integrations": ("from_dp_event", "from_pld"),
    "neyman.mechanisms": (
        "DPSGD",
        "ApproximateMechanism",
        "CustomLoss",
        "DiscreteGaussian",
        "DiscreteLaplace",
        "Gaussian",
        "Laplace",
        "Mechanism",
        "PureMechanism",
        "RandomizedResponse",
        "Tabulated",
        "compose",
        "training",
    ),
    "neyman.proving": ("prove",),
    "neyman.reports": ("report", "verify"),
    "neyman.showing": ("Conversion", "Summary", "convert"),
    "neyman.sweeps": ("sweep",),
    "neyman.tables": ("Table", "table"),
}
_WHOLE_ROOMS = ("audit", "census", "comparison", "conversions", "plot", "risk")  # public as they are


def _unknown(name: str) -> AttributeError:
    """What is raised for a name that is not there."""
    if name.startswith("_"):
        return AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from neyman._answering import answered
    from neyman._guesses import module_name  # what people type first, and the line that would work

    return answered(module_name(name, tuple(__all__)), name)


__getattr__, __dir__ = on_first_use(__name__, _ROOMS, _WHOLE_ROOMS, _unknown)
