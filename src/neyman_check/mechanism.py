"""A mechanism's dict, read by its own eyes: kinds of steps with their counts, under an adjacency.

The worst pair of each kind (docs/proofs/pairs.md quotes the theorems): normal noise N(0, s^2) against N(d, s^2), with
d = 1 sensitivity for a record added or removed and d = 2 for one exchanged; k-ary randomised response with the two
inputs that differ; of a promise (epsilon, delta) the pair that attains it. A Poisson sample mixes P' = (1 - q) Q + q P.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from neyman_check.deltas.twofold import DealtGaussian
from neyman_check.errors import NotProved, Unreadable
from neyman_check.laws.base import FiniteLaw, Gaussian, Law
from neyman_check.laws.exchanged import ExchangedLaplace
from neyman_check.laws.integers import DiscreteGaussian, discrete_laplace, exact, exchanged_discrete_laplace
from neyman_check.laws.laplace import Laplace, SampledLaplace
from neyman_check.laws.sampled import ExchangedGaussian, SampledGaussian
from neyman_check.reading import Fields, number

__all__ = ["ADJACENCIES", "laws_of"]

ADJACENCIES = ("add_or_remove", "add", "remove", "replace")
_DEEPEST = 64
_MOST_STEPS = 10**18
_MOST_KINDS = 200
_LISTED = 400  # units of work of an integer that is listed: so that not more are than memory holds


def _free(_: int) -> None:
    """Nobody counts."""


def laws_of(data: Any, adjacency: str, spend: Callable[[int], None] = _free) -> list[Law]:
    """The laws that compose, Gaussians put together; ``spend`` counts the work of listing integers."""
    fields = Fields(data, "mechanism")
    if fields.count("schema", 1, 1) != 1:
        raise Unreadable("mechanism.schema: 1 was expected")
    if fields.has("dataset_size"):  # remembered, and no part of the law
        fields.count("dataset_size", 1, _MOST_STEPS)
    square, others = arb(0), list[Law]()
    for kind, times in _steps(fields, 1, 0):
        law = _law(kind, times, adjacency, spend)
        if isinstance(law, Gaussian):
            square += law.square
        elif times:
            others.append(law)
        if len(others) > _MOST_KINDS:
            raise NotProved(f"more than {_MOST_KINDS} kinds of steps")
    return ([Gaussian(square)] if square > 0 else []) + others


_Kind = tuple[Fields, Fraction]
_BLACK = ("randomized_response", "pure_mechanism", "approximate_mechanism", "tabulated")
_ATTAINED = {"gdp": "gaussian", "pure_dp": "pure_mechanism", "approximate_dp": "approximate_mechanism"}
_PROMISES = (*_ATTAINED, "profile", "tradeoff", "rdp", "zcdp")
_KINDS = ("gaussian", *_BLACK, "poisson", "repeat", "compose", "laplace", "discrete_gaussian", "discrete_laplace",
          "allocated", "opaque")  # fmt: skip


def _steps(node: Fields, times: int, depth: int, rate: Fraction = Fraction(1)) -> Iterator[tuple[_Kind, int]]:
    """Every kind of step with its rate, and how often it is run."""
    if depth > _DEEPEST:
        raise Unreadable(f"{node.where[:60]}: nested more than {_DEEPEST} deep")
    kind = node.word("kind", _KINDS)
    if kind == "repeat":
        again = node.count("times", 0, _MOST_STEPS)
        inner = node.within("of")
        node.done()
        if rate != 1:
            raise Unreadable(f"{node.where}: a composition cannot be sampled")
        if not times * again <= _MOST_STEPS:
            raise NotProved("more than 10^18 steps of a kind")
        yield from _steps(inner, times * again, depth + 1)
    elif kind == "compose":
        parts = node.list("of")
        node.done()
        if rate != 1:
            raise Unreadable(f"{node.where}: a composition cannot be sampled")
        for i, part in enumerate(parts):
            yield from _steps(Fields(part, f"{node.where}.of[{i}]"), times, depth + 1)
    elif kind == "poisson":
        own = Fraction(node.number("rate", lambda x: 0.0 <= x <= 1.0, "a rate from 0 to 1"))
        inner = node.within("of")
        node.done()
        yield from _steps(inner, times, depth + 1, rate * own)
    else:
        yield (node.back("kind", kind), rate), times


def _law(step: _Kind, times: int, adjacency: str, spend: Callable[[int], None]) -> Law:
    fields, rate = step
    kind = fields.word("kind", _KINDS)
    if rate == 0:
        return Gaussian(arb(0))
    if rate != 1 and adjacency == "replace" and kind != "gaussian":
        return _exchanged(kind, fields, exact(rate), times, spend)
    if kind == "gaussian":
        mu = _mu(fields, adjacency)
        fields.done()
        if rate == 1:
            return Gaussian(times * mu * mu)
        exchanged = adjacency == "replace"
        made = ExchangedGaussian if exchanged else SampledGaussian
        return made((2 if exchanged else 1) / mu, exact(rate), times)
    if kind == "laplace":
        d = _moved(fields, adjacency) / Fraction(fields.number("scale", lambda x: x > 0.0, "a number above 0"))
        fields.done()
        ratio = fmpq(d.numerator, d.denominator)
        return Laplace(ratio, times) if rate == 1 else SampledLaplace(ratio, exact(rate), times)
    if kind == "allocated":
        return _dealt(fields, rate, times, adjacency)
    if kind == "opaque":
        return _promised(fields, rate, times, adjacency)
    whole = _listed(kind, fields, times, adjacency, spend)
    fields.done()
    if rate == 1:
        return whole
    q = exact(rate)
    if isinstance(whole, DiscreteGaussian):
        spend(_LISTED * (2 * whole.reach + whole.shift))
        return whole.sampled(q)
    return FiniteLaw(tuple(((1 - q) * b + q * a, b) for a, b in whole.outcomes), times)


def _exchanged(kind: str, fields: Fields, q: arb, times: int, spend: Callable[[int], None]) -> Law:
    """A sample in which a record is exchanged: one record's distance on either side of none."""
    if kind == "laplace":
        d = _moved(fields, "remove") / Fraction(fields.number("scale", lambda x: x > 0.0, "a number above 0"))
        law: Law = ExchangedLaplace(fmpq(d.numerator, d.denominator), q, times)
    elif kind == "discrete_gaussian":
        sigma = Fraction(fields.number("sigma", lambda x: x > 0.0, "a number above 0"))
        one = DiscreteGaussian(sigma * sigma, _shift(fields, "remove"), times)
        spend(2 * _LISTED * (one.reach + one.shift))
        law = one.exchanged(q)
    elif kind == "discrete_laplace":
        scale = Fraction(fields.number("scale", lambda x: x > 0.0, "a number above 0"))
        shift = _shift(fields, "remove")
        spend(2 * _LISTED * shift)
        law = exchanged_discrete_laplace(scale, shift, q, times)
    else:
        raise NotProved("sampled steps other than noise of which one record is exchanged")
    fields.done()
    return law


def _dealt(fields: Fields, rate: Fraction, times: int, adjacency: str) -> Law:
    """Random allocation: into one batch it is a Gaussian mechanism, into one of two it has an integral."""
    mu = _mu(fields, adjacency)
    batches, epochs = fields.count("steps", 1, _MOST_STEPS), fields.count("epochs", 1, _MOST_STEPS)
    fields.done()
    if batches == 1 and rate == 1:
        return Gaussian(epochs * times * mu * mu)
    if batches == 2 and epochs == times == 1 and rate == 1 and adjacency != "replace":
        return DealtGaussian(1 / mu)
    raise NotProved("random allocation but of one record to one of two batches, once")


def _promised(fields: Fields, rate: Fraction, times: int, adjacency: str) -> Law:
    """A given guarantee, by the pair that attains it."""
    given = fields.within("guarantee")
    fields.done()
    kind = given.word("kind", _PROMISES)
    stated = given.word("adjacency", ADJACENCIES) if given.has("adjacency") else "add_or_remove"
    if not (stated == adjacency or (stated == "add_or_remove" and adjacency in ("add", "remove"))):
        raise NotProved("a promise about other neighbouring data")
    if kind not in _ATTAINED or rate != 1:
        raise NotProved(f"steps of the kind opaque: {kind}{'' if rate == 1 else ', sampled'}")
    if kind == "gdp":
        mu = exact(Fraction(given.number("mu", lambda x: x >= 0.0, "a number of 0 or more")))
        given.done()
        return Gaussian(mu * mu * times)
    law = FiniteLaw(*_outcomes(_ATTAINED[kind], given, times), symmetric=True)
    given.done()
    return law


def _listed(
    kind: str, fields: Fields, times: int, adjacency: str, spend: Callable[[int], None]
) -> FiniteLaw | DiscreteGaussian:
    """A law of countably many outcomes."""
    if kind == "discrete_gaussian":
        sigma = Fraction(fields.number("sigma", lambda x: x > 0.0, "a number above 0"))
        return DiscreteGaussian(sigma * sigma, _shift(fields, adjacency), times)
    if kind == "discrete_laplace":
        scale = Fraction(fields.number("scale", lambda x: x > 0.0, "a number above 0"))
        shift = _shift(fields, adjacency)
        spend(_LISTED * shift)
        return discrete_laplace(scale, shift, times)
    if kind not in _BLACK:
        raise NotProved(f"steps of the kind {kind}")
    return FiniteLaw(*_outcomes(kind, fields, times), symmetric=kind != "tabulated")


def _shift(fields: Fields, adjacency: str) -> int:
    return fields.count("sensitivity", 1, 10**6) * (2 if adjacency == "replace" else 1)


def _moved(fields: Fields, adjacency: str) -> Fraction:
    """How far one record moves a query."""
    sensitivity = fields.number("sensitivity", lambda x: x > 0.0, "a number above 0")
    return Fraction(sensitivity) * (2 if adjacency == "replace" else 1)


def _mu(fields: Fields, adjacency: str) -> arb:
    """The distance of the two means in standard deviations."""
    return exact(_moved(fields, adjacency) / Fraction(fields.number("sigma", lambda x: x > 0.0, "a number above 0")))


def _outcomes(kind: str, fields: Fields, times: int) -> tuple[tuple[tuple[arb, arb], ...], int, tuple[Fraction, ...]]:
    """Their probabilities, and the losses of those that both laws may show, as far as they are rational."""
    if kind == "tabulated":
        p, q = (_masses(fields, name) for name in ("p", "q"))
        if len(p) != len(q):
            raise Unreadable(f"{fields.where}: p and q are of different lengths")
        pairs = [(a, b) for a, b in zip(p, q, strict=True) if a != 0 or b != 0]
        whole = [sum((one[i] for one in pairs), arb(0)) for i in (0, 1)]
        return tuple((a / whole[0], b / whole[1]) for a, b in pairs), times, ()
    epsilon = Fraction(fields.number("epsilon", lambda x: x >= 0.0, "a number of 0 or more"))
    grown = exact(epsilon).exp()
    if kind == "randomized_response":
        k = fields.count("k", 2, 10**9)
        true, false = grown / (grown + k - 1), 1 / (grown + k - 1)
        others = ((false * (k - 2), false * (k - 2)),) if k > 2 else ()
        return ((true, false), (false, true), *others), times, (epsilon, -epsilon, Fraction(0))[: 2 + len(others)]
    likely, other, zero = grown / (1 + grown), 1 / (1 + grown), arb(0)
    if kind == "pure_mechanism":
        return ((likely, other), (other, likely)), times, (epsilon, -epsilon)
    delta = arb(fields.number("delta", lambda x: 0.0 <= x < 1.0, "a number from 0 to below 1"))
    a, b = (1 - delta) * likely, (1 - delta) * other
    return ((a, b), (b, a), *(((delta, zero), (zero, delta)) if delta != 0 else ())), times, (epsilon, -epsilon)


def _masses(fields: Fields, name: str) -> list[arb]:
    found = [
        number(one, f"{fields.where}.{name}[{i}]", lambda x: 0.0 <= x <= 1.0, "a probability")
        for i, one in enumerate(fields.list(name, 10_000))
    ]
    if not abs(sum(map(Fraction, found)) - 1) <= Fraction(1, 10**9):
        raise Unreadable(f"{fields.where}.{name}: probabilities that sum to 1 were expected")
    return [arb(one) for one in found]
