"""What may be held against the evidence."""

from __future__ import annotations

from neyman._errors import InvalidParameter
from neyman.accounting import account
from neyman.guarantees import Guarantee, OptimisticGuarantee
from neyman.mechanisms import Mechanism

__all__ = ["claimed"]


def claimed(claim: object) -> Guarantee:
    """Return the guarantee that is claimed; a mechanism is accounted for.

    Raises
    ------
    InvalidParameter
        If ``claim`` is neither, or states lower bounds only.
    """
    if isinstance(claim, Mechanism):
        return account(claim)
    if isinstance(claim, OptimisticGuarantee):
        raise InvalidParameter("claim", claim, "a promise", "Its .optimistic bounds promise nothing.")
    if not isinstance(claim, Guarantee):
        raise InvalidParameter("claim", claim, "a Guarantee or a Mechanism", "Say GDP(1.0), or the mechanism itself.")
    return claim
