"""The quantities a report makes claims about: on which side, what they are given, how they are asked for and told."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from neyman import risk
from neyman._errors import InvalidParameter
from neyman._validate import between, choice, inside
from neyman.guarantees import PERFECT, Guarantee
from neyman.numerics.decimals import exactly
from neyman.profiles.pair import Adjacency
from neyman.reports.asked import Asked, Bracket
from neyman.reports.claims import Claim, Side, claim_id, printed
from neyman.reports.points import POINTS
from neyman.risk import Risk

__all__ = ["QUANTITIES", "Given", "Quantity", "checked", "claim", "finite", "restated"]

Given = tuple[tuple[str, float | str], ...]
_Place = Mapping[str, float | str]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One kind of claim."""

    names: tuple[str, ...]
    ask: Callable[[Asked, _Place], Bracket]
    label: Callable[[_Place], str]
    sentence: Callable[[str, _Place, Adjacency], str]
    side: Side = "at most"
    digits: int = 7
    least: int = 1


def claim(asked: Asked, quantity: str, **given: float | str) -> Claim:
    """Return the claim about ``quantity``, from its certified bracket.

    Examples
    --------
    >>> import neyman as ny
    >>> found = claim(Asked(ny.GDP(1.0), 1e-10), "epsilon", delta=1e-5)
    >>> found.id, found.text, found.sentence
    ('epsilon@1e-05', '4.377179', 'At delta = 1e-05, epsilon is at most 4.377179.')
    """
    place: Given = tuple(given.items())
    kind = QUANTITIES[quantity]
    lower, upper = kind.ask(asked, given)
    text = printed(lower, upper, kind.side, kind.digits, kind.least)
    return restated(quantity, place, text, (lower, upper), asked.guarantee.adjacency)


def restated(quantity: str, given: Given, text: str, bracket: Bracket, adjacency: Adjacency) -> Claim:
    """Return the claim that prints ``text``, with everything that follows from it."""
    kind = QUANTITIES[quantity]
    place = dict(given)
    return Claim(
        claim_id(quantity, given), quantity, given, kind.side, float(text), text, *bracket, kind.label(place),
        kind.sentence(text, place, adjacency),
    )  # fmt: skip


def checked(quantity: str, given: Given) -> None:
    """Refuse what no report could ask.

    Raises
    ------
    InvalidParameter
        If the quantity is unknown, or what it is given lies outside its domain.
    """
    kind = QUANTITIES[choice("quantity", quantity, tuple(QUANTITIES))]
    names = tuple(name for name, _ in given)
    if names != kind.names:
        raise InvalidParameter("given", names, f"{kind.names} for {quantity}")
    for name, value in given:
        _DOMAINS[name](value)


_DOMAINS: dict[str, Callable[[object], object]] = {
    "floor": lambda value: inside("floor", value, 0.0, 0.5),
    "delta": lambda value: between("delta", value, 0.0, 1.0),
    "fpr": lambda value: between("fpr", value, 0.0, 1.0),
    "prior": lambda value: between("prior", value, 0.0, 1.0),
    "membership_prior": lambda value: between("membership_prior", value, 0.0, 1.0),
    "baseline": lambda value: inside("baseline", value, 0.0, 1.0),
    "reference": lambda value: choice("reference", value, tuple(POINTS)),
}


def _risk(name: str, guarantee: Guarantee, place: _Place) -> Risk:
    return getattr(risk, name)(guarantee, *place.values())


def _risk_bracket(name: str, asked: Asked, place: _Place) -> Bracket:
    safe, other = (float(_risk(name, g, place).value) for g in (asked.guarantee, asked.optimistic))
    return min(safe, other), max(safe, other)


def _risk_sentence(name: str, text: str, place: _Place, adjacency: Adjacency) -> str:
    """The sentence of ``ny.risk``, about the number that is printed."""
    if text == "inf":  # only where somebody wrote so
        return "Nothing is claimed."
    return str(replace(_blank(name, tuple(place.items())), value=float(text), adjacency=adjacency))


@lru_cache(maxsize=1000)
def _blank(name: str, given: Given) -> Risk:
    """The risk with the baseline that it has of every guarantee."""
    return _risk(name, PERFECT, dict(given))


def _of_tpr(name: str, place: str, label: str) -> Quantity:
    """A risk that is the true positive rate at a false positive rate, of one record."""

    def ask(asked: Asked, at: _Place) -> Bracket:
        return asked.tpr(float(at[place]))

    return replace(_of_risk(name, (place,), label), ask=ask)


def _of_risk(name: str, names: tuple[str, ...], label: str) -> Quantity:
    return Quantity(names, partial(_risk_bracket, name), _of_place(label), partial(_risk_sentence, name))


def _of_place(label: str) -> Callable[[_Place], str]:
    def told(place: _Place) -> str:
        return label.format(**{key: exactly(float(value)) for key, value in place.items()})

    return told


def _mu(text: str, place: _Place, _: Adjacency) -> str:
    at = f"At error rates of {exactly(float(place['floor']))} and above"
    if text == "inf":
        return f"{at}, no finite mu holds."
    return f"{at}, every attack is at most as good as against a Gaussian mechanism with mu = {text}."


def _tail(text: str, _: _Place, __: Adjacency) -> str:
    return f"With no floor at all, {'no finite mu holds' if text == 'inf' else f'mu = {text} holds'}."


def _shortfall(text: str, _: _Place, __: Adjacency) -> str:
    if text == "0":
        return "The same mu holds below the floor."
    return f"Below the floor, the curve falls short of that of mu by at most {text}."


def _epsilon(text: str, place: _Place, _: Adjacency) -> str:
    at = f"At delta = {exactly(float(place['delta']))}"
    return f"{at}, no finite epsilon holds." if text == "inf" else f"{at}, epsilon is at most {text}."


def _rho(text: str, _: _Place, __: Adjacency) -> str:
    return "No finite rho of zCDP holds." if text == "inf" else f"zCDP holds with rho = {text}."


def _to_reference(text: str, place: _Place, _: Adjacency) -> str:
    name = POINTS[str(place["reference"])].name
    if text == "0":
        return f"Nothing is claimed of how much higher an attacker's Bayes error here is than against {name}."
    return f"At some prior, an attacker's Bayes error here is higher than against {name} by at least {text}."


def _from_reference(text: str, place: _Place, _: Adjacency) -> str:
    name = POINTS[str(place["reference"])].name
    return f"An attacker's Bayes error here is lower than against {name} by at most {text}."


def _point(place: _Place) -> str:
    return POINTS[str(place["reference"])].stated


QUANTITIES: dict[str, Quantity] = {
    "mu": Quantity(("floor",), lambda a, _: a.mu, _of_place("mu, floor {floor}"), _mu),
    "regret": Quantity(
        ("floor",), lambda a, _: a.regret, lambda _: "regret of that mu",
        lambda text, _, __: f"Stating the least mu alone overstates what attackers can do by at most {text} in Bayes "
        f"error.", digits=3,
    ),
    "tail_mu": Quantity((), lambda a, _: a.tail_mu, lambda _: "mu with no floor", _tail, least=5),
    "shortfall": Quantity(
        ("floor",), lambda a, _: a.shortfall, lambda _: "shortfall of mu below the floor", _shortfall, digits=2,
        least=2,
    ),
    "epsilon": Quantity(
        ("delta",), lambda a, p: a.epsilon(float(p["delta"])), _of_place("epsilon at delta {delta}"), _epsilon
    ),
    "tpr": _of_tpr("tpr", "fpr", "true positive rate at false positive rate {fpr}"),
    "fixed_point": Quantity(
        (), lambda a, _: (a.guarantee.fixed_point, a.optimistic.fixed_point), lambda _: "rate where both errors meet",
        lambda text, _, __: f"An attack that errs equally often both ways errs with a chance of at least {text}.",
        side="at least",
    ),
    "advantage": _of_risk("advantage", (), "membership advantage"),
    "auc": Quantity(
        (), lambda a, _: (a.optimistic.auc, a.guarantee.auc), lambda _: "area under the ROC curve",
        lambda text, _, __: f"The area under the ROC curve of an attack is at most {text}: an average over thresholds, "
        "no promise about any of them.",
    ),
    "zcdp": Quantity((), lambda a, _: a.zcdp, lambda _: "rho of zCDP", _rho),
    "zcdp_regret": Quantity(
        (), lambda a, _: a.zcdp_regret, lambda _: "regret of that rho",
        lambda text, _, __: f"Stating the least rho alone overstates what attackers can do by at most {text} in Bayes "
        "error.", digits=3,
    ),
    "epsilon_regret": Quantity(
        (), lambda a, _: a.epsilon_regret, lambda _: "regret of epsilon at delta 0",
        lambda text, _, __: "Stating the least epsilon at delta = 0 alone overstates what attackers can do by at most "
        f"{text} in Bayes error.", digits=3,
    ),
    "divergence": Quantity(
        ("reference",), lambda a, p: a.to(POINTS[str(p["reference"])].guarantee),
        lambda p: f"more private than {_point(p)}, in Bayes error, by", _to_reference, side="at least", digits=3,
    ),
    "reverse": Quantity(
        ("reference",), lambda a, p: a.back(POINTS[str(p["reference"])].guarantee),
        lambda p: f"less private than {_point(p)}, in Bayes error, by", _from_reference, digits=3,
    ),
    "accuracy": _of_risk("accuracy", ("prior",), "accuracy of a guess, prior {prior}"),
    "posterior": _of_risk(
        "posterior", ("membership_prior", "fpr"), "belief after an accusation, prior {membership_prior}, rate {fpr}"
    ),
    "reconstruction": _of_tpr("reconstruction", "baseline", "reconstruction, baseline {baseline}"),
    "attribute_inference": _of_tpr("attribute_inference", "baseline", "attribute inference, baseline {baseline}"),
    "singling_out": _of_tpr("singling_out", "baseline", "singling out, weight {baseline}"),
    "relative_risk": _of_risk("relative_risk", ("baseline",), "relative risk, baseline {baseline}"),
}  # fmt: skip


def finite(bracket: Bracket) -> bool:
    """Whether the safe end is a number."""
    return math.isfinite(bracket[1]) and not np.isnan(bracket[0])
