"""Targets as they are typed: ``epsilon=8,delta=1e-5``."""

from __future__ import annotations

import re

from neyman import targets
from neyman._errors import InvalidParameter
from neyman.calibration.limit import Limit
from neyman.calibration.target import Target
from neyman.understanding.number_text import number as read_number
from neyman.understanding.number_text import rounded

__all__ = ["check_targets", "read_targets"]

_NUMBERS: tuple[type[Limit], ...] = (
    targets.Epsilon, targets.Mu, targets.Regret, targets.Advantage, targets.TPR, targets.Reconstruction,
    targets.BayesError, targets.Posterior,
)  # fmt: skip


def _words(kind: type[Limit]) -> dict[str, str]:
    """The fields by the words that are typed for them; the first is the limit, typed as what it limits."""
    words = (kind.quantity, *kind.__match_args__[1:])
    return {word.replace("_", "-"): name for word, name in zip(words, kind.__match_args__, strict=True)}


_KINDS = {kind.quantity.replace("_", "-"): (kind, _words(kind)) for kind in _NUMBERS}
_OPTIONAL = {name for kind in _NUMBERS for name in kind.__match_args__ if hasattr(kind, name)}  # they have a default
_DIVERGENCE = "divergence"
_MEANT = {"eps": "epsilon", "tv": "advantage", "power": "tpr"}  # what else the first word of a target is called
_FROM_BELOW = ("bayes-error",)  # fractions are rounded to the side that asks more
_FORMS = "; ".join(",".join(f"{name}=..." for name in words if name not in _OPTIONAL) for _, words in _KINDS.values())
ALLOWED = f"one of: {_FORMS}; divergence=...,baseline=MECHANISM"


def read_targets(texts: list[str], adjacency: str, tolerance: float, effort: float) -> Target:
    """Return all of the targets at once; a baseline is accounted for as the other arguments say.

    Raises
    ------
    InvalidParameter
        If there is none, one is not of the form, or its numbers lie outside their domains.
    """
    if not texts:
        raise InvalidParameter("target", None, "given, once or several times", f"{ALLOWED[0].upper()}{ALLOWED[1:]}.")
    read = [_divergence(text, adjacency, tolerance, effort) or _target(text) for text in texts]
    return read[0] if len(read) == 1 else targets.All(*read)


def check_targets(texts: list[str]) -> None:
    """Refuse what is not of the form, before anything is accounted for."""
    for text in texts:
        if text.partition("=")[0].strip() != _DIVERGENCE:
            _target(text)


def _form(text: str) -> str:
    """What may stand here: the form of the kind that was named, or all."""
    kind = re.split("[=,]", text, maxsplit=1)[0].strip().replace("_", "-")
    _, words = _KINDS.get(_MEANT.get(kind, kind), (None, {}))
    if not words:
        return ALLOWED
    needed = ",".join(f"{name}=NUMBER" for name in words if name not in _OPTIONAL)
    return needed + "".join(f" (or with ,{name}=NUMBER)" for name in words if name in _OPTIONAL)


def _target(text: str) -> Target:
    found: dict[str, float] = {}
    for piece in text.split(","):
        name, sign, number = piece.partition("=")
        name = name.strip().replace("_", "-")
        name = name if found else _MEANT.get(name, name)
        try:
            value = rounded(read_number(number), "up" if name in _FROM_BELOW else "down")
        except ValueError:
            raise InvalidParameter("target", text, _form(text), topic="target") from None
        if not sign or name in found:
            raise InvalidParameter("target", text, _form(text), topic="target")
        found[name] = value
    make, words = _KINDS.get(next(iter(found)), (None, {}))
    if make is None or not {name for name in words if name not in _OPTIONAL} <= set(found) <= set(words):
        raise InvalidParameter("target", text, _form(text), topic="target")
    try:
        return make(**{words[name]: value for name, value in found.items()})
    except InvalidParameter as error:
        raise error.called(f"target {text}: {error.name}") from None


def _divergence(text: str, adjacency: str, tolerance: float, effort: float) -> Target | None:
    """The baseline is a mechanism, in the form of ``neyman compare``."""
    kind, _, rest = text.partition("=")
    if kind.strip() != _DIVERGENCE:
        return None
    number, comma, baseline = rest.partition(",baseline=")
    try:
        value = rounded(read_number(number), "down")
    except ValueError:
        raise InvalidParameter("target", text, ALLOWED) from None
    if not comma:
        raise InvalidParameter("target", text, ALLOWED)
    from neyman.accounting import account
    from neyman.cli.reading.mechanism import read_mechanism

    try:
        mechanism = read_mechanism("baseline", baseline)
    except InvalidParameter as error:
        name = "baseline" if error.name == "baseline" else f"baseline: {error.name}"
        raise error.called(f"target {text}: {name}") from None
    guarantee = account(mechanism, adjacency=adjacency, tolerance=tolerance, effort=effort)
    return targets.Divergence(value, guarantee)
