"""Sampled Gaussian steps of which a record is exchanged for another: transform, bounds, deltas, rho."""

from __future__ import annotations

import pytest
from flint import acb, arb

import neyman as ny
from neyman_check.claims import concentrated
from neyman_check.deltas.exact import exchanged_once
from neyman_check.errors import NotProved
from neyman_check.laws.sampled import ExchangedGaussian
from neyman_check.laws.told import Cut, Grid, Witness
from neyman_check.mechanism import laws_of
from tests.check.test_deltas import supplied
from tests.effort import crossed

ONE = arb(1)


def truth(s: float, q: float, w: acb) -> acb:
    """A(w) by Arb's own integration, from -14 s to the same beyond the tilted mean."""

    rate = arb(q)

    def value(x: acb, _: bool) -> acb:
        log = [(1 - rate + rate * ((sign * 2 * x - 1) / (2 * arb(s) ** 2)).exp()).log() for sign in (1, -1)]
        return (w * log[0] + (1 - w) * log[1] - x * x / (2 * arb(s) ** 2)).exp()

    low, high = -14 * s - max(float(1 - w.real), 0.0), 14 * s + max(float(w.real), 0.0)
    return acb.integral(value, low, high) / (s * (2 * arb.pi()).sqrt())


def witness(angle: float = 0.5, step: float = 0.1, reach: int = 160) -> Witness:
    grid = Grid(arb(-reach * step), arb(step), int(2.5 * reach), arb(angle))
    return Witness(grid, grid, Cut(arb(-14), arb("0.01"), 3600, arb(angle), arb("0.4")))


@crossed(
    ("q", [0.01, 0.5, 0.9]),
    ("w", [2.5, 6.0, -0.75]),
    ("angle", [0.1, 0.7, 1.2]),
)
def test_the_transform(q: float, w: float, angle: float) -> None:
    law = ExchangedGaussian(ONE, arb(q), 1)
    told = witness(angle, 0.02 if angle < 0.5 else 0.1, 800 if angle < 0.5 else 160)
    found = law.along(arb(w), arb("0.9"), 6, told)
    for k in (0, 1, 5):
        right = truth(1.0, q, acb(w, arb("0.9") * k))
        assert found[k].real.overlaps(right.real)
        assert found[k].imag.overlaps(right.imag)
        assert float(found[k].real.rad()) < 1e-4 * float(abs(found[0]).mid())
    assert law.real(arb(w), told).overlaps(found[0].real)


@pytest.mark.parametrize(("s", "q", "w", "angle"), [(0.2, 0.5, 2.0, 0.02), (0.15, 0.9, 3.0, 0.01)])
def test_bounds_without_the_other_record_would_be_too_small(s: float, q: float, w: float, angle: float) -> None:
    """Where noise is small G(-x) is next to 1 - q, and the factor is all but attained."""
    law, right = ExchangedGaussian(arb(s), arb(q), 1), truth(s, q, acb(w)).real
    bound = law._moment(arb(w)) * law._worse(arb(w), arb(angle))
    assert right <= bound
    assert bound * arb("0.97") < right
    assert law._moment(arb(w)) < right


@pytest.mark.parametrize(("q", "w"), [(0.3, 2.0), (0.3, -1.0), (0.01, 1.5)])
def test_the_bound_beyond_the_cut_falls(q: float, w: float) -> None:
    law = ExchangedGaussian(ONE, arb(q), 1)
    for angle in (0.2, 0.8):
        told = witness(angle)
        bound = law.beyond(arb(w), arb(2), told)
        values = law.along(arb(w), arb("0.5"), 30, told)
        assert all(abs(value).lower() <= bound for value in values[4:])
        assert bound < law.real(arb(w), told) * arb("1.4")


def test_between_0_and_1_nothing_is_known() -> None:
    with pytest.raises(NotProved, match="between 0 and 1"):
        ExchangedGaussian(ONE, arb("0.5"), 1).real(arb("0.5"), witness())


@pytest.mark.parametrize("run", [(2.0, 0.25, 300), (1.0, 0.01, 1000), (4.0, 0.9, 50)])
def test_deltas_lie_in_the_brackets_of_the_engines(run: tuple[float, float, int]) -> None:
    mechanism = ny.DPSGD(*run)
    supply, g = supplied(mechanism, "replace"), ny.account(mechanism, "replace")
    for epsilon in (0.0, 0.5, 1.5, 3.0):
        for remove in (True, False):
            ball = supply.ball(remove, epsilon)
            assert ball is not None
            assert ball.lower.lower() <= g.delta(epsilon)
            assert g.optimistic.delta(epsilon) <= ball.upper.upper()
            assert float((ball.upper - ball.lower).upper()) <= 1e-8 * g.delta(epsilon)


def free(_: int) -> None:
    """No work is counted."""


def test_rho() -> None:
    """At small rates what is left where orders grow without end."""
    made = laws_of(ny.Gaussian(2.0).poisson(0.0625).to_dict(), "replace")
    assert concentrated.at_most(made, True, arb("0.1250001"), free)
    assert not concentrated.at_most(made, True, arb("0.1249999"), free)
    assert concentrated.at_least(made, True, arb("0.1249999"), arb(2), free)
    assert not concentrated.at_least(made, True, arb("0.1250001"), arb(2), free)
    made = laws_of(ny.Gaussian(2.0).poisson(0.5).to_dict(), "replace")
    assert concentrated.at_most(made, True, arb("0.5000001"), free)
    assert not concentrated.at_most(made, True, arb("0.4999999"), free)


@pytest.mark.parametrize(("s", "q"), [(0.5, 0.125), (1.0, 0.125), (2.0, 0.0625), (0.25, 0.375)])
def test_no_order_is_above_that_of_one_record(s: float, q: float) -> None:
    one = 1 / (2 * arb(s) ** 2)
    assert concentrated.exchanged_rho(arb(q), one) == one
    for t in (1.02, 1.5, 6.0):
        assert truth(s, q, acb(t)).real.log() <= one * t * (arb(t) - 1)


@pytest.mark.parametrize(("s", "q", "t"), [(1.0, 0.9, 1.5), (0.5, 0.75, 2.0)])
def test_at_large_rates_orders_are_above_it(s: float, q: float, t: float) -> None:
    one = 1 / (2 * arb(s) ** 2)
    assert concentrated.exchanged_rho(arb(q), one) == 4 * one
    assert truth(s, q, acb(t)).real.log() > one * t * (arb(t) - 1)
    assert truth(s, q, acb(t)).real.log() <= 4 * one * t * (arb(t) - 1)


def test_every_claim_of_an_exchanged_run() -> None:
    found = ny.prove(ny.account(ny.DPSGD(1.0, 0.01, 1000), "replace"))
    assert found, str(found)


@pytest.mark.parametrize(("s", "q"), [(1.0, 0.3), (0.2, 0.01), (5.0, 0.9), (2.0, 1e-6)])
@pytest.mark.parametrize("epsilon", [0.0, 0.02, 0.7, -0.4])
def test_one_step_in_closed_form(s: float, q: float, epsilon: float) -> None:
    """Against the integral of (p - e^eps q)_+, from where it is above 0 on by bisection."""
    law, e = ExchangedGaussian(arb(s), arb(q), 1), arb(epsilon).exp()

    def gap(x: acb, _: bool = False) -> acb:
        tilt = [((sign * 2 * x - 1) / (2 * arb(s) ** 2)).exp() for sign in (1, -1)]
        more = (1 - arb(q)) * (1 - e) + arb(q) * (tilt[0] - e * tilt[1])
        return more * (-x * x / (2 * arb(s) ** 2)).exp() / (s * (2 * arb.pi()).sqrt())

    low, high = -60.0 * s - 60.0, 60.0 * s + 60.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gap(acb(middle)).real < 0 else (low, middle)
    right = sum((acb.integral(gap, high + k * s, high + (k + 1) * s).real for k in range(60)), arb(0))
    assert abs(exchanged_once(law, arb(epsilon)) - right) < 1e-14
    assert right < 1e-25 or abs(exchanged_once(law, arb(epsilon)) - right) < 1e-7 * right


def test_one_step_is_proved_whole() -> None:
    found = ny.prove(ny.report(ny.account(ny.Gaussian(0.7).poisson(0.05), "replace")))
    assert {one.verdict for one in found.answers} == {"proved"}
