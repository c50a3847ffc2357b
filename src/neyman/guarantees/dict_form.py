"""Given guarantees as plain dicts: the kind, and what its constructor takes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import choice
from neyman.guarantees.given.approximate import ApproximateDP
from neyman.guarantees.given.base import Given
from neyman.guarantees.given.gdp import GDP
from neyman.guarantees.given.profile import Profile
from neyman.guarantees.given.pure import PureDP
from neyman.guarantees.given.rdp import RDP, ZCDP
from neyman.guarantees.given.tradeoff import Tradeoff
from neyman.guarantees.twins import PessimisticGuarantee

__all__ = ["from_words", "in_words"]

_KINDS: dict[str, Any] = {
    "gdp": GDP,
    "pure_dp": PureDP,
    "approximate_dp": ApproximateDP,
    "zcdp": ZCDP,
    "rdp": RDP,
    "tradeoff": Tradeoff,
    "profile": Profile,
}
_NAMES = {make: kind for kind, make in _KINDS.items()}


def in_words(guarantee: PessimisticGuarantee) -> dict[str, object] | None:
    """Return the dict of a given guarantee; None for any other.

    Examples
    --------
    >>> in_words(ApproximateDP(1.0, 1e-6))
    {'kind': 'approximate_dp', 'epsilon': 1.0, 'delta': 1e-06}
    """
    kind = _NAMES.get(type(guarantee))
    if kind is None:
        return None
    if isinstance(guarantee, GDP):
        return {"kind": kind, "mu": guarantee.tail_mu}
    if isinstance(guarantee, RDP):  # JSON has no inf, and an order without a bound promises nothing
        orders, epsilons = (np.asarray(guarantee.stated[name]) for name in ("orders", "epsilons"))
        known = np.isfinite(epsilons)
        return {"kind": kind, "orders": orders[known].tolist(), "epsilons": epsilons[known].tolist()}
    stated = guarantee.stated if isinstance(guarantee, Given) else {}
    return {"kind": kind, **{name: list(v) if isinstance(v, tuple) else v for name, v in stated.items()}}


def from_words(path: str, node: Mapping[object, object]) -> PessimisticGuarantee:
    """Read a given guarantee; ``path`` goes before the names in errors.

    Raises
    ------
    InvalidParameter
        On unknown kinds or fields, missing fields, and values outside their domain.
    """
    if "kind" not in node:
        raise InvalidParameter(f"{path}.kind", None, "present", f"The kinds are {', '.join(_KINDS)}.")
    kind = choice(f"{path}.kind", node["kind"], tuple(_KINDS))
    make = _KINDS[kind]
    names = tuple(inspect.signature(make).parameters)
    for key in node:
        if key not in ("kind", *names):
            shown = key if isinstance(key, str) and len(key) <= 80 and key.isprintable() else "(field)"
            known = f"The fields of kind {kind!r} are {', '.join(names)}."
            raise InvalidParameter(f"{path}.{shown}", node[key], "absent", known)
    for name in names:
        if name not in node:
            raise InvalidParameter(f"{path}.{name}", None, f"present in kind {kind!r}")
    try:
        return make(**{name: node[name] for name in names})
    except InvalidParameter as error:
        raise error.called(f"{path}.{error.name}") from None
