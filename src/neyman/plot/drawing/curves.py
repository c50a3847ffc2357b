"""The guarantees of a picture: checked, and each with the label it is known by."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from neyman._errors import InvalidParameter, NotCertified
from neyman.guarantees import (
    BLATANT,
    GDP,
    PERFECT,
    RDP,
    ZCDP,
    ApproximateDP,
    ComposedGuarantee,
    Given,
    Guarantee,
    OptimisticGuarantee,
    PessimisticGuarantee,
    PureDP,
)
from neyman.mechanisms import Mechanism
from neyman.plot.drawing.hull import Hull
from neyman.understanding.subject import Subject

__all__ = ["Curve", "Labels", "curves", "finished", "gaussian", "label_of", "labelled", "least_mu"]

Labels = Sequence[str] | str | None

_LONGEST = 34  # letters that fit beside a line in a column
_MOST = 200  # letters of a label
_KINDS = {
    "gaussian": "Gaussian",
    "laplace": "Laplace",
    "discrete_gaussian": "discrete Gaussian",
    "discrete_laplace": "discrete Laplace",
}
NEAREST = 1e-9  # far below what a linear axis shows


class Curve(NamedTuple):
    """One guarantee of a picture."""

    label: str
    guarantee: PessimisticGuarantee

    def traced(self, nearest: float = NEAREST) -> PessimisticGuarantee | Hull:
        """What answers ``beta`` and ``roc`` of many alphas fast, sharp from ``nearest`` on.

        That is the guarantee itself; of Renyi divergences, where each call takes a second, its hull of lines.
        """
        return Hull(self.guarantee, nearest) if isinstance(self.guarantee, (RDP, ZCDP)) else self.guarantee


def curves(guarantees: tuple[object, ...], labels: Labels) -> tuple[Curve, ...]:
    """Check what is to be drawn, one by one or in one list.

    Raises
    ------
    InvalidParameter
        If there is none, one is no finished guarantee, or the labels do not fit.
    """
    if not guarantees:
        raise InvalidParameter("guarantees", (), "at least one Guarantee")
    listed = guarantees[0] if len(guarantees) == 1 and isinstance(guarantees[0], (list, tuple)) else guarantees
    found = [finished("guarantees", one) for one in cast("Sequence[object]", listed)]
    if not found:
        raise InvalidParameter("guarantees", (), "at least one Guarantee")
    return tuple(map(Curve, labelled([label_of(one) for one in found], labels), found))


def finished(name: str, value: object) -> PessimisticGuarantee:
    """Return a guarantee that is a promise, of whatever ``account`` takes."""
    if isinstance(value, (PessimisticGuarantee, Mechanism, str, os.PathLike, list, tuple)):
        return Subject.of(name, cast("object", value)).guarantee()
    known = isinstance(value, OptimisticGuarantee)
    advice = "Its lower bounds are drawn as the band: pass the guarantee itself." if known else ""
    raise InvalidParameter(name, value, "a finished Guarantee, computed or given", advice)


def labelled(own: list[str], labels: Labels) -> tuple[str, ...]:
    """The labels asked for, or else the ``own`` ones, numbered where they are the same."""
    if labels is None:
        return tuple(label if own.count(label) == 1 else f"{label} ({own[:i].count(label) + 1})"
                     for i, label in enumerate(own))  # fmt: skip
    asked: list[object] = [labels] if isinstance(labels, str) else list(_listed(labels))
    if len(asked) != len(own):
        raise InvalidParameter("labels", asked, f"one label for each of {len(own)} curves")
    checked = [label for label in asked if isinstance(label, str) and label.isprintable() and 0 < len(label) <= _MOST]
    if len(checked) != len(asked) or len(set(checked)) != len(checked):
        raise InvalidParameter("labels", asked, f"different printable texts of 1 to {_MOST} letters")
    return tuple(checked)


def _listed(labels: object) -> Sequence[object]:
    if not isinstance(labels, Sequence):
        raise InvalidParameter("labels", labels, "a list of texts")
    return labels


def label_of(guarantee: Guarantee) -> str:
    """What a guarantee is called in a picture, short.

    Examples
    --------
    >>> import neyman as ny
    >>> label_of(ny.GDP(0.5)), label_of(ny.ApproximateDP(8.0, 1e-5)), label_of(ny.account(ny.DPSGD(9.4, 0.25, 2000)))
    ('0.5-GDP', '(8, 1e-05)-DP', 'DP-SGD, σ = 9.4, q = 0.25, T = 2000')
    """
    if isinstance(guarantee, Given):
        return _of_given(guarantee)
    if guarantee is PERFECT:
        return "perfect privacy"
    if guarantee is BLATANT:
        return "no privacy"
    mechanism = guarantee.mechanism if isinstance(guarantee, ComposedGuarantee) else None
    if mechanism is None:
        return "guarantee"
    name = _of_mechanism(mechanism.to_dict(), repr(mechanism))
    return name if guarantee.adjacency == "add_or_remove" else f"{name} ({guarantee.adjacency})"


def _of_given(guarantee: Given) -> str:
    said = guarantee.stated
    short = {key: f"{value:.4g}" for key, value in said.items() if isinstance(value, float)}
    if isinstance(guarantee, GDP):
        return f"{short['mu']}-GDP"
    if isinstance(guarantee, PureDP):
        return f"{short['epsilon']}-DP"
    if isinstance(guarantee, ZCDP):
        return f"{short['rho']}-zCDP"
    if isinstance(guarantee, ApproximateDP) and len(short) == 2:
        return f"({short['epsilon']}, {short['delta']})-DP"
    return "Rényi DP" if isinstance(guarantee, RDP) else type(guarantee).__name__


def _of_mechanism(spec: dict[str, object], text: str) -> str:
    """DP-SGD by its three numbers, others as they are typed, cut where they would be too long."""
    match spec:
        case {
            "kind": "repeat",
            "times": steps,
            "of": {"kind": "poisson", "rate": rate, "of": {"kind": "gaussian", "sigma": sigma, "sensitivity": 1.0}},
        }:
            return f"DP-SGD, σ = {sigma:.4g}, q = {rate:.4g}, T = {steps}"
        case _:
            plain = text.replace(", sensitivity=1.0", "").replace(", sensitivity=1", "")
            return plain if len(plain) <= _LONGEST else _counted(spec) or plain[: _LONGEST - 1] + "…"


def _counted(spec: dict[str, object]) -> str:
    """How many releases of which kinds a long composition is made of; empty for anything else."""
    kinds: dict[str, int] = {}
    _count(spec, 1, kinds)
    said = [f"{count} {_KINDS.get(kind, kind)}" for kind, count in kinds.items()]
    if sum(kinds.values()) < 2:
        return ""
    text = ", ".join(said)
    return text if len(text) <= _LONGEST else f"{sum(kinds.values())} releases of {len(said)} kinds"


def _count(spec: Mapping[str, object], times: int, kinds: dict[str, int]) -> None:
    match spec:
        case {"kind": "repeat", "times": int(more), "of": Mapping() as inner}:
            _count(inner, times * more, kinds)
        case {"kind": "compose", "of": Sequence() as parts}:
            for part in parts:
                _count(part, times, kinds)
        case {"kind": "poisson", "of": Mapping() as inner}:
            name = f"sampled {_KINDS.get(str(inner['kind']), str(inner['kind']))}"
            kinds[name] = kinds.get(name, 0) + times
        case {"kind": kind}:
            kinds[str(kind)] = kinds.get(str(kind), 0) + times
        case _:
            pass


def least_mu(guarantee: Guarantee, floor: float) -> float:
    """``mu`` at the floor; its certified upper end where that is wider than the tolerance."""
    try:
        return guarantee.mu(floor)
    except NotCertified as wide:
        return wide.upper


def gaussian(mu: float) -> PessimisticGuarantee:
    """G_mu, for an infinite mu too."""
    return GDP(mu) if math.isfinite(mu) else BLATANT
