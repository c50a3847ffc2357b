"""Opaque: a mechanism of which only a guarantee is known."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from neyman._errors import InvalidParameter
from neyman._validate import choice
from neyman.guarantees.dict_form import from_words, in_words
from neyman.guarantees.dominating_pair import worst_loss
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.losses.base import Step
from neyman.mechanisms.serialise import admit, mechanism_from_dict
from neyman.mechanisms.stated.black_box import BlackBox
from neyman.profiles.pair import Adjacency

__all__ = ["Opaque", "mechanism_from_dict", "promises"]  # the second from here, where it knows the first

_ADJACENCIES: tuple[Adjacency, ...] = ("add_or_remove", "add", "remove", "replace")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Opaque(BlackBox):
    """A mechanism of which only a guarantee is known; accounted as the worst one that keeps it.

    It composes like any other, also inside spec files. A promise for "add_or_remove" holds for "add" and for "remove"
    alone; one for "replace" holds for nothing else, and is not implied by any other: what is not promised is refused.

    Parameters
    ----------
    guarantee : Guarantee
        Given (``GDP``, ``PureDP``, ``ApproximateDP``, ``ZCDP``, ``RDP``, ``Tradeoff``, ``Profile``) or computed.
    adjacency : str, optional
        The neighbours it was promised for: "add_or_remove", "add", "remove" or "replace". That of the guarantee, unless
        one is stated for a given guarantee, which says nothing of neighbours by itself: a curve that is not symmetric
        is the one for the neighbours stated (for "add_or_remove", in either order).

    Raises
    ------
    InvalidParameter
        If ``guarantee`` is no guarantee, or one of lower bounds, or ``adjacency`` is unknown or not what was computed.

    Notes
    -----
    Composition is that of dominating pairs: the pair (P, Q) whose trade-off curve is the one guaranteed dominates the
    mechanism (Zhu, Dong and Wang 2022; Dong, Roth and Su 2022, Theorem 3.2). The pair is known exactly for mu-GDP,
    epsilon-DP, (epsilon, delta)-DP, piecewise straight curves and whatever ``account`` computed; any other is enclosed
    by two finite laws, one for the upper and one for the lower bounds. Lower bounds are those of the worst mechanism
    with that trade-off curve, not of the one in the box. A computed guarantee stands for what it was computed from: its
    two directions are kept apart, which another mechanism that merely satisfies it need not do (``join`` of the two, or
    what is stated of that other mechanism, is safe). Of zCDP and RDP both hold: the
    curves compose, and the divergences add. Of a sampled box the curve alone is known.

    Poisson-sampled at rate q, its pair is ((1 - q) Q + q P, Q), and the reverse for a record that is added: given the
    other records drawn, the hockey-stick divergence of (1 - q) M(S) + q M(S + x) from M(S) at e^eps is q times that of
    M(S + x) at 1 + (e^eps - 1) / q, at most that of the pair, and an average over S is at most the largest (joint
    convexity). That needs both directions dominated at every real eps, as they are here.

    Examples
    --------
    >>> from neyman import GDP, Gaussian, Opaque, account
    >>> m = Opaque(GDP(0.5)) ** 3 * Gaussian(2.0)
    >>> m
    Gaussian(sigma=2.0, sensitivity=1.0) * Opaque(GDP(mu=0.5)) ** 3
    >>> round(account(m).mu(), 12)
    1.0
    """

    kind: ClassVar[str] = "opaque"

    guarantee: PessimisticGuarantee
    adjacency: Adjacency

    def __init__(self, guarantee: PessimisticGuarantee, adjacency: str | None = None) -> None:
        if not isinstance(guarantee, PessimisticGuarantee):
            raise InvalidParameter("guarantee", guarantee, "a Guarantee", "Lower bounds (optimistic) promise nothing.")
        stated = guarantee.adjacency if adjacency is None else choice("adjacency", adjacency, _ADJACENCIES)
        if not promises(guarantee.adjacency, stated) and in_words(guarantee) is None:
            advice = "A computed guarantee holds for the neighbours it was computed for."
            raise InvalidParameter("adjacency", adjacency, _allowed(guarantee.adjacency), advice)
        object.__setattr__(self, "guarantee", guarantee)
        object.__setattr__(self, "adjacency", stated)

    def __repr__(self) -> str:
        stated = "" if self.adjacency == self.guarantee.adjacency else f", adjacency={self.adjacency!r}"
        return f"Opaque({self.guarantee!r}{stated})"

    @property
    def law(self) -> Hashable:
        """The kind, the guarantee and its neighbours: those of computed guarantees are equal when they are the same."""
        return self.kind, self.guarantee, self.adjacency

    @property
    def order(self) -> tuple[Any, ...]:
        """Sort key among steps: computed guarantees have no order but that of their identity."""
        if in_words(self.guarantee) is None:
            return self.kind, "", str(id(self.guarantee)), self.adjacency
        return self.kind, type(self.guarantee).__name__, repr(self.guarantee), self.adjacency

    def to_node(self) -> dict[str, object]:
        """Return the dict form without the schema number.

        Raises
        ------
        InvalidParameter
            If the guarantee was computed: only given ones are made of a few numbers.
        """
        words = in_words(self.guarantee)
        if words is None:
            raise InvalidParameter(
                "guarantee", self.guarantee, "a given guarantee to become a dict",
                "Write the mechanism that it was computed from in its place.",
            )  # fmt: skip
        stated = {} if self.adjacency == self.guarantee.adjacency else {"adjacency": self.adjacency}
        return {"kind": self.kind, "guarantee": {**words, **stated}}

    def loss_at(self, rate: float, replace: bool) -> Step:
        """Return the privacy loss, if it is promised for these neighbours."""
        if replace != (self.adjacency == "replace"):
            raise _refused(self, "replace" if replace else "add_or_remove")
        if replace and rate < 1.0:
            advice = "No proof is known of which pair is worst when a record is exchanged inside a sampled black box."
            raise InvalidParameter("rate", rate, f"1 for {self!r}", advice)
        return self._pair(rate)

    def check_adjacency(self, asked: str) -> None:
        """Refuse neighbours for which the guarantee promises nothing."""
        if not promises(self.adjacency, asked):
            raise _refused(self, asked)

    def _pair(self, rate: float) -> Step:
        return worst_loss(self.guarantee, rate, turned=self.adjacency == "add")


def promises(promised: str, asked: str) -> bool:
    """Whether what is promised for some neighbours is promised for these."""
    return promised == asked or (promised == "add_or_remove" and asked in ("add", "remove"))


def _allowed(promised: str) -> str:
    found = [f'"{asked}"' for asked in _ADJACENCIES if promises(promised, asked)]
    return f"one of {', '.join(found)}" if len(found) > 1 else found[0]


def _refused(box: Opaque, asked: str) -> InvalidParameter:
    advice = f"{box!r} promises nothing else; Opaque(guarantee, adjacency=...) says what a given guarantee is for."
    return InvalidParameter("adjacency", asked, _allowed(box.adjacency), advice)


def _read(value: object) -> Opaque:
    """Read the guarantee of a dict form."""
    if not isinstance(value, Mapping):
        raise InvalidParameter("guarantee", value, "a dict")
    node = dict(cast("Mapping[object, object]", value))
    adjacency = choice("guarantee.adjacency", node.pop("adjacency", "add_or_remove"), _ADJACENCIES)
    return Opaque(from_words("guarantee", node), adjacency)


admit(Opaque.kind, "guarantee", _read)
