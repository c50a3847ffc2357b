"""Certificates: who answered, and terms of the error that account for the whole width."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import mpmath
import numpy as np
import pytest

import neyman as ny
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.estimate import Book
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.straight.line import Line
from neyman.engines.contour.straight.plan import Plan
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.profiles.certificate import Certificate, CertifiedDelta, handed_on
from tests.effort import rest_slow

FIVE = {"aliasing", "truncation", "quadrature", "rounding", "lost mass"}
SETTINGS = {
    "account(DPSGD(1.0, 0.01, 1000))": ("straight line", FIVE),
    "account(DPSGD(0.5, 1e-4, 1000), 'remove')": ("lines of bulk and jumps", FIVE | {"parting"}),
    "account(DPSGD(0.25, 1e-5, 3), 'remove')": ("hyperbola of a part of the law", FIVE | {"parting"}),
    "account(DPSGD(1.0, 0.1, 30), 'replace')": ("hyperbola", FIVE),
    "account(Laplace(2.0) ** 50)": ("closed form", {"rounding"}),
    "account(Laplace(2.0) * Laplace(1.0))": ("lattice under a tilt", FIVE | {"division"}),
    "account(Laplace(2.0).poisson(0.1) ** 20, 'add')": ("lattice under a tilt", FIVE | {"division"}),
    "account(DiscreteGaussian(3.0) ** 10 * Gaussian(2.0))": ("straight line", FIVE),
    "account(RandomizedResponse(0.3, 4) ** 20 * Gaussian(1.0))": ("exact sum over closed form", {"bounds"}),
    "account(RandomizedResponse(0.3, 4) ** 20)": ("exact sum", {"lost mass", "rounding"}),
    "account(ApproximateMechanism(0.1, 1e-6) ** 30)": ("exact sum", {"bounds"}),
    "GDP(1.0)": ("closed form", {"rounding"}),
    "ZCDP(0.1)": ("closed form", {"enclosure"}),
    "ZCDP(0.1) ** 4": (None, {"enclosure", "lost mass", "rounding"}),
    "meet(PureDP(1.0), ZCDP(0.1))": ("closed form", {"enclosure"}),
    "account(DPSGD(1.0, 0.1, 30)).group(2)": (None, {"enclosure"}),
    "account(DPSGD(0.07, 1e-3, 5), 'remove')": ("sum over participations", {"bounds"}),
}


def made(expression: str) -> ny.Guarantee:
    return eval(expression, {name: getattr(ny, name) for name in ny.__all__})  # type: ignore[no-any-return]


def each(found: CertifiedDelta | Certificate) -> list[Certificate]:
    inner = found.directions.values() if isinstance(found, CertifiedDelta) else found.parts
    own = [found] if isinstance(found, Certificate) else []
    return own + [deep for one in inner for deep in each(one)]


@pytest.mark.parametrize(  # where epsilon is positive more is asked
    ("expression", "epsilon"),
    rest_slow(product(SETTINGS, [0.7, 0.0, -0.7]), *range(0, 3 * len(SETTINGS), 3), 1, 2, 10, 29),
)
def test_terms_account_for_the_width(expression: str, epsilon: float) -> None:
    g = made(expression)
    found = g.certificate(epsilon)
    supply, names = SETTINGS[expression]
    bracket = g.sides.bracket(np.array([epsilon]))
    assert (found.lower, found.upper) == (bracket.lower[0], bracket.upper[0])
    assert 0.0 <= found.lower <= found.upper <= 1.0
    for one in each(found):
        assert all(value >= 0.0 for value in one.terms.values())
        assert math.fsum(one.terms.values()) >= one.width
        assert set(one.terms) <= FIVE | {"division", "enclosure", "parting", "bounds"}
        assert one.epsilon == abs(epsilon)
    if epsilon > 0.0:
        assert any(set(one.terms) <= names for one in each(found))
        assert supply is None or supply in {one.supply for one in each(found)}
        # no less than each direction, and one of them
        assert found.upper == max(one.upper for one in found.directions.values())


def test_directions_are_named() -> None:
    steps = ny.DPSGD(1.0, 0.1, 10)
    assert list(ny.account(steps).certificate(1.0).directions) == ["remove", "add"]
    assert list(ny.account(steps, "add").certificate(1.0).directions) == ["add"]
    assert list(ny.account(steps, "replace").certificate(1.0).directions) == ["both"]
    assert list(ny.account(ny.Laplace(1.0) ** 3).certificate(1.0).directions) == ["both"]
    assert list(ny.account(steps, "add").optimistic.certificate(-1.0).directions) == ["add"]


def test_what_is_printed_is_what_is_there() -> None:
    found = ny.account(ny.DPSGD(1.0, 0.1, 10)).certificate(1.0)
    text = str(found)
    assert text.startswith(f"delta(1) is in [{found.lower!r}, {found.upper!r}]")
    for name, one in found.directions.items():
        assert f"{name}: {one.supply}, {one.nodes} nodes" in text
        for term, value in one.terms.items():
            assert any(line.split() == [*term.split(), f"{value:.2e}"] for line in text.splitlines())
    assert "reversed, at 0.5" in str(ny.account(ny.DPSGD(1.0, 0.1, 10), "remove").certificate(-0.5))


def test_below_zero_a_direction_is_the_reversal_of_the_other() -> None:
    mechanism = ny.Gaussian(0.7).poisson(0.1) * ny.RandomizedResponse(1.0, 3) ** 2
    both = ny.account(mechanism)
    for name in ("remove", "add"):
        alone = ny.account(mechanism, name).certificate(-0.5).directions[name]
        for g in (both, ny.account(mechanism, "remove").symmetrized(), ny.account(mechanism, "add").symmetrized()):
            assert g.certificate(-0.5).directions[name].upper == pytest.approx(alone.upper, rel=1e-9)
            ahead = ny.account(mechanism, name).certificate(0.5).directions[name]
            assert g.certificate(0.5).directions[name].upper == pytest.approx(ahead.upper, rel=1e-9)


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "epsilon"), [(7.0, 1e-5, 2, 0.07), (5.0, 1e-4, 10, 0.5), (20.0, 1e-3, 300, 1.0)]
)
def test_terms_of_next_to_nothing_are_numbers(sigma: float, rate: float, steps: int, epsilon: float) -> None:
    """Where delta is no normal float, terms were NaN, and a bound -0.0."""
    for one in each(ny.account(ny.DPSGD(sigma, rate, steps)).certificate(epsilon)):
        assert all(value >= 0.0 for value in one.terms.values())
        assert math.fsum(one.terms.values()) >= one.width
        assert math.copysign(1.0, one.lower) == 1.0


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, "1", [1.0, 2.0], None, 1j])
def test_one_real_number_is_asked(bad: object) -> None:
    with pytest.raises(ny.InvalidParameter, match="epsilon"):
        ny.GDP(1.0).certificate(bad)  # type: ignore[arg-type]


def test_whoever_gave_each_bound_is_named() -> None:
    own = Certificate(1.0, 0.2, 0.4, "both")
    low, high, other = (Certificate(1.0, *bounds, "x") for bounds in ((0.2, 0.5), (0.1, 0.4), (0.0, 1.0)))
    assert handed_on(own, "bounds", "rule", [other, low, high]).parts == (low, high)
    assert handed_on(own, "bounds", "rule", [replace(own, supply="one"), low]).supply == "one"
    asked: list[Certificate] = []

    def behind():
        for one in (replace(own, supply="one"), low):
            asked.append(one)
            yield one

    assert handed_on(own, "bounds", "rule", behind()).rule == ("rule",)
    assert len(asked) == 1
    alone = handed_on(own, "bounds", "", [])
    assert alone.terms["bounds"] >= alone.width


def delta_of_one(sigma: float, rate: float, epsilon: float) -> float:
    """One sampled Gaussian step, "remove", to 30 digits."""
    with mpmath.workdps(40):
        s, q, e = mpmath.mpf(sigma), mpmath.mpf(rate), mpmath.mpf(epsilon)
        x = s**2 * mpmath.log((mpmath.exp(e) - 1 + q) / q) + mpmath.mpf(1) / 2
        tails = [mpmath.erfc((x - m) / (s * mpmath.sqrt(2))) / 2 for m in (0, 1)]
        return float((1 - q - mpmath.exp(e)) * tails[0] + q * tails[1])


@pytest.mark.parametrize("share", [0.15, 0.2, 0.3, 0.4, 0.6])
@pytest.mark.parametrize(("sigma", "rate", "epsilon"), [(1.0, 0.5, 0.5), (2.0, 0.3, 0.2), (0.8, 0.7, 1.5)])
def test_aliases_are_no_larger_than_their_term(sigma: float, rate: float, epsilon: float, share: float) -> None:
    """A line with too few nodes is off by its aliases, and says so."""
    parts = Parts(((SamplingTransform(sigma, rate), 1),), 0.0, "remove")
    walk = Walk.along(parts)
    index = int(np.argmin(np.where(walk.c > 0.2, np.abs(walk.mean - epsilon), np.inf)))
    plan = Plan.make(parts, walk, index, (epsilon, epsilon))
    book = Book()
    line = Line.run(parts, walk, replace(plan, spread=share * plan.spread))
    value, _, error, log_scale = (float(x[0]) for x in line.integrate(np.array([epsilon]), book))
    off = abs(value - delta_of_one(sigma, rate, epsilon) * math.exp(-log_scale))
    terms = {name: float(amount[0]) for name, amount in book.items()}
    assert math.fsum(terms.values()) == pytest.approx(error, rel=1e-12)
    assert off <= terms["aliasing"] + terms["rounding"] + terms["truncation"] + terms["lost mass"]
    if share <= 0.2:  # it is the aliases, and nothing else
        assert off > 10.0 * (terms["rounding"] + terms["truncation"] + terms["lost mass"])
