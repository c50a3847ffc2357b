"""Targets as the page states them: the risk that somebody accepts, by its name and its places."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from neyman.calibration import targets
from neyman.calibration.target import Target
from neyman.explorer.answering.numbers import DIGITS
from neyman.explorer.asking.plainly import fields_of, number_of, word_of
from neyman.explorer.asking.questions import At
from neyman.guarantees import Guarantee
from neyman.numerics.exact.decimals import outward
from neyman.quantities import QUANTITIES
from neyman.showing.headline import brief

__all__ = ["TARGETS", "Wanted", "wanted_of"]

_NUMBER = "a number"


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a target is made of its value and its places, and which quantity it limits, where."""

    make: Callable[..., Target]
    places: tuple[str, ...]
    quantity: str
    at_least: bool = False


# of each: places in the order of its arguments. An error is limited from below, all else from above
_KINDS: dict[str, _Kind] = {
    "epsilon": _Kind(targets.Epsilon, ("delta",), "epsilon"),
    "mu": _Kind(targets.Mu, ("floor",), "mu"),
    "tpr": _Kind(targets.TPR, ("fpr",), "tpr"),
    "advantage": _Kind(targets.Advantage, (), "advantage"),
    "posterior": _Kind(targets.Posterior, ("prior", "fpr"), "posterior"),
    "bayes_error": _Kind(targets.BayesError, ("prior",), "bayes_error", at_least=True),
    "reconstruction": _Kind(targets.Reconstruction, ("prior",), "reconstruction"),
    "regret": _Kind(targets.Regret, ("floor",), "regret"),
    "divergence": _Kind(targets.Divergence, (), "reverse"),
}
TARGETS = tuple(_KINDS)
_USUAL_PRIOR = {"posterior": 0.5, "bayes_error": 0.5, "reconstruction": 0.001}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A target with its words: what is limited, and how far."""

    target: Target
    name: str
    at: tuple[float, ...]
    value: float

    def told(self, guarantee: Guarantee) -> str:
        """Return what is certified of a guarantee that meets it, as a clause."""
        kind = _KINDS[self.name]
        quantity = QUANTITIES[kind.quantity]
        if self.name == "divergence":
            what = "what it gives away beyond the other setting, in Bayes error,"
            number = self.target.parts[0].number(guarantee)
        else:
            what = quantity.title(self.at, lambda _, value: brief(value)).replace(
                "TPR at FPR", "the true positive rate at a false positive rate of"
            )
            number = quantity.attacked(guarantee, self.at)
        side = "at least" if kind.at_least else "at most"
        return f"{what} is {side} {outward(number, DIGITS, up=not kind.at_least)} (allowed: {brief(self.value)})"


def wanted_of(raw: Mapping[str, object], at: At, other: Callable[[object], Guarantee]) -> Wanted:
    """Return the target that a JSON object states; ``other`` gives the guarantee of other settings.

    Raises
    ------
    InvalidParameter
        If it states none, or a number lies outside its domain.

    Examples
    --------
    >>> wanted_of({"name": "tpr", "value": "30%"}, At(), lambda _: None).target
    TPR(value=0.3, fpr=0.01)
    """
    name = word_of("target", raw.get("name"), TARGETS)
    kind = _KINDS[name]
    more = ("other",) if name == "divergence" else ()
    found = fields_of("target", raw, ("name", "value", *more), kind.places)
    value = number_of("value", found["value"], _NUMBER, "up" if kind.at_least else "down")
    if name == "divergence":
        base = cast("Any", other(found["other"]))
        return Wanted(targets.Divergence(value, baseline=base), name, (), value)
    usual = {"delta": at.delta, "fpr": at.fpr, "floor": at.floor, "prior": _USUAL_PRIOR.get(name, 0.5)}
    places = tuple(
        number_of(place, found.get(place, usual[place]), _NUMBER, "down" if place in ("delta", "floor") else "up")
        for place in kind.places
    )
    return Wanted(kind.make(value, *places), name, places, value)
