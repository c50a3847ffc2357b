"""Laplace noise and noise on the integers: each lemma, and the bound that is smaller by the factor of its page."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from flint import acb, arb, ctx, fmpq

import neyman as ny
from neyman.witnesses.steps.kinds import step_of
from neyman_check import NotProved
from neyman_check.claims.floorless import tail_mu_squared
from neyman_check.deltas.exact import Outcomes, gaussian_delta, normal
from neyman_check.laws import integers as room
from neyman_check.laws.base import FiniteLaw
from neyman_check.laws.integers import DiscreteGaussian
from neyman_check.laws.laplace import Laplace, SampledLaplace
from neyman_check.laws.told import Rule, Rules
from neyman_check.mechanism import laws_of
from neyman_check.work import Work
from tests.check.making import BITS, inside, supplied
from tests.check.test_lemmas import weaker
from tests.hunt.truth import laplace_power
from tests.reference import closed, exact

SHARP = 1e-12


def listed(mechanism, remove=True, adjacency="add_or_remove"):
    return Outcomes(laws_of(mechanism.to_dict(), adjacency), remove, Work(BITS))


def laplace(d, times=1):
    exactly = Fraction(d)
    return Laplace(fmpq(exactly.numerator, exactly.denominator), times)


def sampled(d, q):
    exactly = Fraction(d)
    return SampledLaplace(fmpq(exactly.numerator, exactly.denominator), arb(q), 1)


def sharp(ball, truth):
    assert inside(ball.lower, ball.upper, truth), (ball, truth)
    assert ball.upper - ball.lower <= ball.upper * SHARP + 1e-40


# ------------------------------------------------------------------------------------------------ Lemma 1: residues


def test_one_step():
    for scale in (0.02, 0.5, 100.0):
        for share in (0.0, 0.3, 0.999):
            epsilon = arb(share) / scale
            sharp(listed(ny.Laplace(scale)).delta(epsilon), 1 - ((epsilon - 1 / arb(scale)) / 2).exp())


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.5, 2.0), (0.25, 0.125)])
def test_two_steps_by_integration(a, b):
    """E over the loss of one step of what the other leaves: its lone losses and a sum by the midpoint rule."""
    d, rest, found = 1 / arb(a), 1 / arb(b), listed(ny.Laplace(a) * ny.Laplace(b))

    def alone(x):
        return arb(0) if x >= rest else 1 - (x.exp() if x <= -rest else ((x - rest) / 2).exp())

    for epsilon in (arb(0), arb("0.3"), arb("1.9")):
        n = 4000
        whole, h = arb(0), 2 * d / n
        for k in range(n):
            loss = -d + h * (k + arb("0.5"))
            whole += ((loss - d) / 2).exp() / 4 * alone(epsilon - loss) * h
        truth = whole + alone(epsilon - d) / 2 + (-d).exp() / 2 * alone(epsilon + d)
        assert abs(truth - found.delta(epsilon).lower) < 1e-5


def test_many_steps_against_another_program():
    for scale, times in ((1.0, 10), (0.25, 7), (1.0, 40), (3.0, 200)):
        known = listed(ny.Laplace(scale) ** times)
        for share in (0.0, 0.2, 0.5):
            epsilon = arb(share * times / scale)
            with ctx.workprec(2000):
                truth = laplace_power(arb(scale), times, epsilon)
            sharp(known.delta(epsilon), truth)
    with ctx.workprec(800):
        truth = exact.laplace_delta([1.0, 2.0, 2.0], 0.5)
    sharp(listed(ny.Laplace(1.0) * ny.Laplace(2.0) ** 2).delta(arb(0.5)), truth)


def test_a_term_whose_sign_is_unsure():
    """At an eps where a residue enters, and is 0."""
    ball = listed(ny.Laplace(1.0) * ny.RandomizedResponse(0.3, 2)).delta(arb(1) + arb(0.3))
    assert ball.lower <= 0
    assert ball.upper < 1e-30


def test_beside_outcomes():
    keep = arb(0.5).exp() / (1 + arb(0.5).exp())
    found = listed(ny.Laplace(1.0) ** 3 * ny.RandomizedResponse(0.5, 2)).delta(arb(0.75))
    truth = keep * laplace_power(arb(1), 3, arb(0.25)) + (1 - keep) * laplace_power(arb(1), 3, arb(1.25))
    sharp(found, truth)


# ------------------------------------------------------------------------------------------------ one sampled step


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("q", [0.25, 0.96875])
def test_one_sampled_step(direction, q):
    for epsilon in (0.0, 0.03125, 0.25):
        found = listed(ny.Laplace(0.5).poisson(q), direction == "remove").delta(arb(epsilon))
        sharp(found, exact.sampled_laplace_delta(0.5, q, epsilon, direction))
        found = listed(ny.Gaussian(0.5).poisson(q), direction == "remove").delta(arb(epsilon))
        sharp(found, closed.one_step_delta(0.5, q, epsilon, direction))


def test_one_sampled_step_at_negative_eps():
    """Of the reversed pair: delta'(-e) = 1 - e^-e + e^-e delta(e)."""
    for epsilon in (0.05, 0.25, 3.0):
        t = (-arb(epsilon)).exp()
        for way in (True, False):
            back = listed(ny.Laplace(0.5).poisson(0.25), not way).delta(arb(-epsilon)).lower
            sharp(listed(ny.Laplace(0.5).poisson(0.25), way).delta(arb(epsilon)), (back - 1 + t) / t)


# ------------------------------------------------------------------------------------------------ Lemma 2: the cut


def test_the_transform_beyond_a_node(monkeypatch):
    """At large d one of two terms is all there is, and the bound is attained; where it rises its limit is."""
    for d, w, omega in ((20, 4.0, 0.5), (20, -3.0, 2.0), (1, 0.75, 3.0), (0.25, 9.0, 40.0), (4, 0.6, 0.3)):
        law = laplace(d)
        bound = law.beyond(arb(w), arb(omega), None)
        for factor in (1, 1.01, 1.5, 4, 31.4):
            assert abs(law.along(arb(w), arb(omega) * factor, 2, None)[1]).lower() <= bound
    bound, truth = laplace(20).beyond(arb(4), arb(0.5), None), abs(laplace(20).along(arb(4), arb(0.5), 2, None)[1])
    assert bound * arb("0.9999") < truth
    law, w = laplace(1), arb("0.6")  # v = 0.1: 1 - 1/(2 v) is small there, and rises to 1
    far = abs(law.along(w, 2 * arb.pi() * 1000, 2, None)[1])
    assert law.beyond(w, arb("0.1"), None).upper() >= far.lower()


def test_the_transform_by_its_definition():
    for d in (0.5, 3.0):
        for w, omega in ((2.0, 1.5), (-1.0, 4.0)):
            n, z = 4000, acb(w, omega)
            total = (-z * d).exp() / 2 + ((z - 1) * d).exp() / 2
            for k in range(n):
                t = -d + arb(2 * d) / n * (k + arb("0.5"))
                total += (-(t + d) / 2 + z * t).exp() / 4 * 2 * d / n
            assert abs(total - laplace(d).along(arb(w), arb(omega), 2, None)[1]) < 1e-4 * (1 + abs(total))


# ------------------------------------------------------------------------------------------------ Lemma 3: Gauss


def test_gauss_errs_by_less(monkeypatch):
    law, w = sampled(0.1, 0.999), arb(-3)
    truth = law._summed(w, arb(0), 1, Rule(40, arb("0.9")))[0].real
    rule = Rule(1, arb("0.5"))
    assert law._summed(w, arb(0), 1, rule)[0].real.overlaps(truth)
    weaker(monkeypatch, SampledLaplace, "_bound", arb("0.1"))
    assert not law._summed(w, arb(0), 1, rule)[0].real.overlaps(truth)


@pytest.mark.parametrize(("d", "q", "w"), [(0.5, 0.25, 2.0), (3.0, 0.9, -2.0), (8.0, 0.01, 1.5), (8.0, 0.75, -0.5)])
def test_gauss_where_it_turns(d, q, w):
    """Few nodes, many nodes, and a midpoint sum."""
    law, omega = sampled(d, q), arb(2.5)
    fine = law._summed(arb(w), omega, 3, Rule(120, arb("1.2")))
    for nodes in (2, 5, 12, 30):
        for angle in (0.2, 0.8, 1.5):
            rough = law._summed(arb(w), omega, 3, Rule(nodes, arb(angle)))
            assert all(a.overlaps(b) for a, b in zip(fine, rough, strict=True))
    n = 4000
    total = sum((mass * (acb(w, omega) * log).exp() for mass, log in law._atoms()), acb(0))
    for k in range(n):
        t = -d + arb(2 * d) / n * (k + arb("0.5"))
        total += (-(t + d) / 2 + acb(w, omega) * law.r(t).log()).exp() / 4 * 2 * d / n
    assert abs(total - fine[1]) < 1e-3 * (1 + abs(total))


def test_an_ellipse_that_reaches_too_far_is_refused():
    with pytest.raises(NotProved, match="too far"):
        sampled(1.0, 0.5)._summed(arb(2), arb(0), 1, Rule(9, arb("1.6")))


# ------------------------------------------------------------------------------------------------ Lemma 4: its cut


def test_the_smooth_part_beyond_a_node():
    law, w, omega = sampled(0.5, 0.999), arb("0.5"), arb(3)
    lone = sum((mass * (acb(w, omega) * log).exp() for mass, log in law._atoms()), acb(0))
    smooth = abs(law._summed(w, omega, 2, Rule(60, arb("0.9")))[1] - lone)
    assert smooth <= law.turns(w) / omega
    assert law.turns(w) * arb("0.49") / omega < smooth


@pytest.mark.parametrize(
    ("d", "q", "w", "near"),
    [
        (0.5, 0.25, 2.0, 0.99), (3.0, 0.9, -2.5, 0.99), (8.0, 0.01, 1.5, 0.99), (2.0, 0.05, -9.0, 0.99),
        (28.75, 1.25e-4, 1.18, 0.9), (28.75, 1.25e-4, -2000.0, 0.9), (60.0, 0.5, 3.0, 0.8), (60.0, 0.5, -0.25, 0.9),
    ],
)  # fmt: skip
def test_the_smooth_part_piece_by_piece(d, q, w, near):
    """It is no more, and 0.99 of it, where pieces are short, would be less."""
    law = sampled(d, q)

    def smooth(t, _):
        return (-(t + d) / 2 + arb(w) * (1 - arb(q) + arb(q) * t.exp()).log()).exp() / 4

    points = [-d + 2.0 * d * k / 40 for k in range(41)]
    truth = sum((acb.integral(smooth, a, b).real for a, b in pairwise(points)), arb(0))
    found = law._pieces(arb(w))
    assert truth <= found
    assert found * near < truth


@pytest.mark.parametrize(("d", "q", "w"), [(0.5, 0.25, 2.0), (3.0, 0.9, -2.5), (8.0, 0.01, 1.5), (2.0, 0.05, -9.0)])
def test_beyond_a_node_all_is_less(d, q, w):
    law, rules = sampled(d, q), Rules(Rule(150, arb("1.2")), Rule(150, arb("1.2")))
    bound = law.beyond(arb(w), arb("0.7"), rules)
    assert all(abs(one).lower() <= bound for one in law._summed(arb(w), arb("0.7"), 12, rules.here)[1:])


# ------------------------------------------------------------------------------------------------ integers


def test_a_discrete_gaussian_listed(monkeypatch):
    """Reaches that are much too short: what is left out is in the ball, and the tail bound is needed for that."""
    truth = exact.delta(exact.discrete_gaussian(0.5), 1.0)
    monkeypatch.setattr(room.math, "ceil", lambda _: 1)
    short = listed(ny.DiscreteGaussian(0.5)).delta(arb(1))
    assert inside(short.lower, short.upper, truth)
    weaker(monkeypatch, room, "beyond", arb("0.9"))
    (law,) = laws_of(ny.DiscreteGaussian(0.5).to_dict(), "add_or_remove")
    assert isinstance(law, DiscreteGaussian)
    whole = 1 + 2 * sum(((-arb(x * x) * 2).exp() for x in range(1, 30)), arb(0))
    p, _ = law.listed().outcomes[1]  # x = 0: e^{-2} over the sum
    assert not p.overlaps(arb(-2).exp() / whole)


@pytest.mark.parametrize(("sigma", "shift", "rate"), [(0.25, 1, 1.0), (2.0, 3, 1.0), (3.0, 1, 0.25), (1.0, 2, 0.875)])
def test_discrete_gaussians_against_another_program(sigma, shift, rate):
    mechanism = ny.DiscreteGaussian(sigma, shift)
    mechanism = mechanism if rate == 1.0 else mechanism.poisson(rate)
    for times in (1, 2):
        law = exact.compose((exact.discrete_gaussian(sigma, shift, rate), times))
        for way in (True, False):
            known = listed(mechanism**times, way)
            for epsilon in (0.0, 0.3125, 2.0):
                sharp(known.delta(arb(epsilon)), exact.delta(law if way else exact.reverse(law), epsilon))


@pytest.mark.parametrize(("scale", "shift", "rate"), [(0.25, 1, 1.0), (2.0, 3, 1.0), (3.0, 2, 0.25), (1e4, 5, 1.0)])
def test_discrete_laplace_against_another_program(scale, shift, rate):
    mechanism = ny.DiscreteLaplace(scale, shift)
    mechanism = mechanism if rate == 1.0 else mechanism.poisson(rate)
    law = exact.compose((exact.discrete_laplace(scale, shift, rate), 3))
    for way in (True, False):
        known = listed(mechanism**3, way)
        for share in (0.0, 0.4, 1.2):
            epsilon = share * shift / scale
            ball = known.delta(arb(epsilon))
            assert inside(ball.lower, ball.upper, exact.delta(law if way else exact.reverse(law), epsilon))


@pytest.mark.parametrize("sigma", [0.125, 1.5, 30.0])
def test_a_theta_function_is_the_transform(sigma):
    law = DiscreteGaussian(Fraction(sigma) ** 2, 2, 1)
    for w, omega in ((1.5, 0.7), (-2.0, 9.0)):
        z, total, whole = acb(w, omega), acb(0), arb(0)
        for x in range(-math.ceil(16 * sigma) - 8, math.ceil(16 * sigma) + 9):
            mass = (-arb(x * x) / (2 * arb(sigma) ** 2)).exp()
            whole += mass
            total += mass * (z * (4 * x - 4) / (2 * arb(sigma) ** 2)).exp()
        assert abs(law.along(arb(w), arb(omega), 2, None)[1] - total / whole) < abs(law.real(arb(w), None)) * 1e-20


def test_masses_out_of_reach_are_refused():
    """The ball of e^{-1e600} holds 0: an outcome must not be taken for none."""
    law = DiscreteGaussian(Fraction(1, 10**600), 1, 2)
    with pytest.raises(NotProved, match="neither 0 nor"):
        law.listed()
    with pytest.raises(NotProved, match="more than"):
        DiscreteGaussian(Fraction(10**700), 1, 2).listed()


def test_powers_of_a_lattice_are_powers():
    """One polynomial, and outcome by outcome."""
    mechanism = ny.DiscreteLaplace(2.0, 3) ** 4 * ny.DiscreteLaplace(4.0, 3) ** 2 * ny.RandomizedResponse(0.25, 3)
    known = listed(mechanism)
    laws = [FiniteLaw(law.outcomes, law.times) for law in laws_of(mechanism.to_dict(), "add_or_remove")]
    apart = Outcomes(laws, True, Work(BITS))
    assert len(known.outcomes) < len(apart.outcomes) / 4
    for epsilon in (-1.0, 0.0, 0.25, 2.5, 9.0):
        one, other = known.delta(arb(epsilon)), apart.delta(arb(epsilon))
        assert one.lower.overlaps(other.lower)
        assert abs(one.upper - one.lower) < 1e-30


def test_outcomes_of_which_it_is_not_sure_where_they_lie():
    """An eps as wide as several losses."""
    known = listed(ny.DiscreteGaussian(2.0))
    ends = [known.delta(arb(e)).lower for e in (0.5, 1.5)]
    wide = known.delta(arb(1.0, 0.5)).lower
    assert all(wide.overlaps(end) for end in ends)


# ------------------------------------------------------------------------------------------------ lines


def test_lines_of_laplace_steps():
    supply = supplied(ny.Laplace(0.5) ** 401)
    for epsilon in (0.0, 400.0):
        with ctx.workprec(4000):
            truth = laplace_power(arb(0.5), 401, arb(epsilon))
        sharp(supply.ball(True, epsilon), truth)
    assert supply.lines


def test_lines_of_a_mix_and_outcomes_of_its_parts():
    """A line, and the sum over outcomes of a Gaussian's."""
    mechanism = ny.Gaussian(2.0) * ny.DiscreteGaussian(1.5) * ny.DiscreteLaplace(2.0, 3)
    known, plans = listed(mechanism), supplied(mechanism)
    plans.listed = False
    plans._steps = [step_of(law) for law in plans._checker.laws]
    for epsilon in (0.0, 1.5):
        ball, other = plans.ball(True, epsilon), known.delta(arb(epsilon))
        assert ball.lower <= other.upper
        assert other.lower <= ball.upper
        assert ball.upper - ball.lower <= ball.upper * SHARP
    assert plans.lines


def test_lines_of_sampled_laplace_steps():
    """Two lines of different tilts, grids and cuts agree, to what each says."""
    supply = supplied(ny.Laplace(2.0).poisson(0.25) ** 800)
    first = supply.ball(True, 1.0)
    for line in list(supply.lines):
        supply.lines.remove(line)
    supply._known.clear()
    supply._nats = 50.0
    other = supply.ball(True, 1.25)
    again = supply.ball(True, 1.0)
    assert first.lower <= again.upper
    assert again.lower <= first.upper
    assert other.upper < first.lower


# ------------------------------------------------------------------------------------------------ no floor


def free(_: int) -> None:
    """No work is counted."""


def test_mu_with_no_floor():
    half = normal(arb(1))
    (law,) = laws_of(ny.RandomizedResponse(1.0, 2).to_dict(), "add_or_remove")
    keep = 1 / (1 + arb(-1).exp())
    assert abs(normal(tail_mu_squared([law], free).sqrt() / 2) - keep) < 1e-30
    (law,) = laws_of(ny.Laplace(1.0).to_dict(), "add_or_remove")
    assert abs(normal(-tail_mu_squared([law], free).sqrt() / 2) - (-arb("0.5")).exp() / 2) < 1e-30
    assert half > 0.84
    (law,) = laws_of(ny.DiscreteLaplace(2.0, 3).to_dict(), "add_or_remove")
    mu = tail_mu_squared([law], free).sqrt()
    assert float(mu) == pytest.approx(ny.account(ny.DiscreteLaplace(2.0, 3)).tail_mu, rel=1e-9)
    finite = listed(ny.DiscreteLaplace(2.0, 3))
    for i in range(-40, 41):  # and no delta is above that of its Gaussian
        e = arb(i) / 20
        assert finite.delta(e).upper <= gaussian_delta(mu, e) + arb(2) ** -100


def test_mu_with_no_floor_of_what_reveals():
    with pytest.raises(NotProved, match="no floor"):
        tail_mu_squared(laws_of(ny.ApproximateMechanism(1.0, 1e-3).to_dict(), "add_or_remove"), free)
