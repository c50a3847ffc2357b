"""Each lemma holds, and a bound that is smaller by the factor which its page names would prove what is false."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from flint import acb, arb, ctx, fmpq

import neyman as ny
from neyman_check.check import Checker
from neyman_check.curves.curve import Curve, Place
from neyman_check.deltas.exact import gaussian_delta, normal, sampled_once
from neyman_check.deltas.line import Ball, Line, Plan
from neyman_check.form import Proof, Wanted
from neyman_check.laws import base as laws
from neyman_check.laws.base import FiniteLaw, Gaussian
from neyman_check.laws.laplace import Laplace, SampledLaplace
from neyman_check.laws.sampled import SampledGaussian
from neyman_check.laws.told import Cut, Grid, Witness
from neyman_check.work import Work
from tests.effort import crossed

ONE = arb(1)


def weaker(monkeypatch, owner, name, factor):
    """The same bound, smaller."""
    whole = getattr(owner, name)

    def less(*arguments):
        found = whole(*arguments)
        return tuple(factor * x for x in found) if isinstance(found, tuple) else factor * found

    monkeypatch.setattr(owner, name, less)


def gaussian_line(c, far, period, nodes):
    return Line([Gaussian(ONE)], Plan(True, arb(c), arb(far), arb(period), nodes, (None,)), Work(128))


def holds(line, epsilon, truth):
    ball = line.delta(arb(epsilon))
    return bool(ball.lower <= truth) and bool(truth <= ball.upper)


# ------------------------------------------------------------------------------------------------ Lemma 1


def loud():
    """Losses of +-10 beside a Gaussian whose transform falls: few nodes, aliases that are nearly what bounds them."""
    keep, lie = arb(10).exp() / (1 + arb(10).exp()), 1 / (1 + arb(10).exp())
    law, square = FiniteLaw(((keep, lie), (lie, keep)), 1), arb("0.25")
    plan = Plan(True, arb("0.05"), arb("0.1"), arb(7), 60, (None, None))

    def truth(e):
        mu = square.sqrt()
        return keep * gaussian_delta(mu, e - 10) + lie * gaussian_delta(mu, e + 10)

    return [Gaussian(square), law], plan, truth


def test_terms_after_eps(monkeypatch):
    steps, plan, truth = loud()
    assert holds(Line(steps, plan, Work(128)), 0, truth(arb(0)))
    plan = plan._replace(c=arb("0.5"), far=arb("0.55"))  # those before hardly count
    assert holds(Line(steps, plan, Work(128)), 3, truth(arb(3)))
    weaker(monkeypatch, Line, "beyond", arb("0.02"))
    assert not holds(Line(steps, plan, Work(128)), 3, truth(arb(3)))


def test_terms_before_eps_from_above_and_below(monkeypatch):
    truth = gaussian_delta(ONE, arb(1))
    line = gaussian_line("0.2", 6, 12, 80)
    assert holds(line, 1, truth)
    before = Line.before
    monkeypatch.setattr(Line, "before", lambda self, e: (before(self, e)[0] * arb("0.99"), before(self, e)[1]))
    assert not line.delta(arb(1)).lower <= truth
    spare = arb("0.5")  # of what the terms may fall short of their bound
    monkeypatch.setattr(Line, "before", lambda self, e: (b := before(self, e), (b[0], b[0] - spare * (b[0] - b[1])))[1])
    assert not truth <= line.delta(arb(1)).upper


def test_terms_beyond_the_last_node(monkeypatch):
    """P = Q: all terms at eps = 0 have one sign, and the bound is as large as they are."""
    plan = Plan(True, ONE, arb(2), arb(60), 400, (None,))
    law = FiniteLaw(((ONE, ONE),), 1)
    assert holds(Line([law], plan, Work(128)), 0, arb(0))
    weaker(monkeypatch, Line, "cut", arb("0.9"))
    assert not holds(Line([law], plan, Work(128)), 0, arb(0))


def test_what_the_values_of_a_line_err_by_is_added_up(monkeypatch):
    """A rule so coarse that it errs, of steps that see every record: the truth is known."""
    coarse = Grid(arb(-12), arb("0.85"), 33, arb("1.1"))
    fine, cut = Grid(arb(-14), arb("0.1"), 320, arb(1)), Cut(arb(-14), arb("0.01"), 3200, arb("1.4"), arb("0.06"))
    plan = Plan(True, arb("1.2"), arb(6), arb(16), 24, (Witness(coarse, fine, cut),))
    line, truth = Line([SampledGaussian(ONE, ONE, 1)], plan, Work(128)), gaussian_delta(ONE, ONE)

    def inside():
        ball = line.delta(ONE)
        return bool(ball.lower.lower() <= truth) and bool(truth <= ball.upper.upper())

    assert inside()
    monkeypatch.setattr(line, "off", line.off * arb("1e-6"))
    assert not inside()


# ------------------------------------------------------------------------------------------------ Lemma 6


def test_from_the_largest_loss_on_nothing_is_left():
    law, alone = SampledGaussian(ONE, arb("0.01"), 10), -math.log1p(-0.01)
    assert law.largest(True) is None
    assert abs(law.largest(False) + 10 * arb("0.99").log()) < 1e-30
    mechanism = ny.Gaussian(1.0).poisson(0.01).to_dict()
    checker = Checker(Proof(mechanism, "add", 128, (), (), ()), Work(128))
    assert checker.beyond(Wanted(False, alone * (1 + 1e-9), None)) == (0, 0)
    assert checker.beyond(Wanted(False, alone * 0.99, None)) is None
    assert checker.beyond(Wanted(True, 700.0, None)) is None
    # a smaller end would prove what is false: a bit before it something is left
    assert sampled_once(lambda e: gaussian_delta(ONE, e), arb("0.01"), arb(alone * 0.99), False) > 0


@pytest.mark.parametrize("remove", [True, False])
def test_the_largest_loss_of_each_law(remove):
    laplace, sampled = Laplace(fmpq(1, 2), 3), SampledLaplace(fmpq(1, 2), arb("0.25"), 2)
    assert laplace.largest(remove) == arb("1.5")
    end = (arb("0.75") + arb("0.25") * arb("0.5" if remove else "-0.5").exp()).log()
    assert abs(sampled.largest(remove) - 2 * (end if remove else -end)) < 1e-30
    third = arb(1) / 3
    finite = FiniteLaw(((2 * third, third), (third, 2 * third), (arb(0), arb(0))), 4)
    assert abs(finite.largest(remove) - 4 * arb(2).log()) < 1e-30
    assert FiniteLaw(finite.outcomes, 4, (), arb("0.1")).largest(remove) is None
    with pytest.raises(laws.NotProved, match="without end"):
        laws.largest_loss([laplace, Gaussian(ONE)], remove)


# ------------------------------------------------------------------------------------------------ Lemma 2


def whole(s, w):
    """A(w) where every record is sampled."""
    return ((w * w - w) / (2 * s * s)).exp()


def everyone(angle, step, center=2, nodes=40):
    """A rule with a node where the integrand is largest."""
    step = arb(step)
    grid = Grid(center - step * nodes, step, 2 * nodes + 1, arb(angle))
    return SampledGaussian(ONE, ONE, 1), grid


@pytest.mark.parametrize(("angle", "h"), [(0.1, 0.1), (0.05, 0.06), (0.1, 0.15)])
def test_the_strip_of_a_rule(monkeypatch, angle, h):
    """At the omega that turns a node into the next, of which nothing is left but what the rule errs by: of the strip's
    two edges the bound counts both as if they were the worse, and one is hardly felt.
    """
    law, grid = everyone(angle, h, nodes=200)
    w, omega = arb(2), 2 * arb.pi() / arb(h) + arb(angle)
    truth = ((acb(w, omega) * acb(w, omega) - acb(w, omega)) / 2).exp()
    found = law._summed(w, omega, 2, grid)[1]
    assert found.real.contains(truth.real)
    assert found.imag.contains(truth.imag)
    assert abs(complex(found.mid()) - complex(truth.mid())) > 1e-4  # the rule is seen to err
    weaker(monkeypatch, SampledGaussian, "_strip", arb("0.45"))
    found = law._summed(w, omega, 2, grid)[1]
    assert not (found.real.contains(truth.real) and found.imag.contains(truth.imag))


@crossed(
    ("angle", [0.1, 0.7, 1.2]),
    ("q", [0.01, 0.5, 1.0]),
)
def test_rules_on_any_line_agree(angle, q):
    """Rough ones with the finest, at real tilts and at those that turn."""
    law, fine = SampledGaussian(ONE, arb(q), 3), Grid(arb(-14), arb("0.02"), 1600, arb("0.6"))
    for w in (arb("2.5"), arb("-1.5") if q < 1 else arb("0.5")):
        rough = law._summed(w, arb("0.7"), 9, Grid(arb("-13.2"), arb("1.1"), 27, arb(angle)))
        pairs = list(zip(rough, law._summed(w, arb("0.7"), 9, fine), strict=True))
        assert all(one.overlaps(other) for one, other in pairs)
        assert max(abs(complex((one - other).mid())) for one, other in pairs) > 1e-15  # it errs


def test_a_strip_that_reaches_a_branch_point_is_refused():
    law, grid = everyone(1.6, 1.0)
    with pytest.raises(laws.NotProved, match="branch point"):
        law._summed(arb(2), arb(0), 1, grid)


# ------------------------------------------------------------------------------------------------ Lemmas 3 and 4


def moment(s, q, w, low, high, n=4000):
    """E G^w between both, by a fine sum in balls: to ten digits, which is all that is asked of it."""
    h = (high - low) / n
    total = arb(0)
    for k in range(n):
        x = low + h * (k + arb("0.5"))
        total += (1 - q + q * ((2 * x - 1) / (2 * s * s)).exp()) ** w * (-x * x / (2 * s * s)).exp() * h
    return total / (s * (2 * arb.pi()).sqrt())


@pytest.mark.parametrize(
    ("s", "q", "w", "factor"),
    [(1.0, 1.0, 2.5, "0.99"), (0.05, 0.5, -3.0, "0.99"), (1.0, 0.5, 1.0, "0.99"), (1.0, 0.5, 0.5, "0.9"),
     (1.0, 0.1, 6.0, "0.999"), (1.0, 0.1, 6.4, "0.8"), (0.7, 0.001, 9.0, "0.999"),
     (40.0, 0.17, 300.0, "0.9"), (40.0, 0.17, -300.0, "0.9"), (2000.0, 0.5, 25000.0, "0.9"),
     (3000.0, 0.3, -9000.0, "0.9")],
)  # fmt: skip
def test_moments(s, q, w, factor):
    s, q, w = arb(s), arb(q), arb(w)
    bound, truth = SampledGaussian(s, q, 1)._moment(w), moment(s, q, w, -10 * s, max(w, arb(0)) + 10 * s)
    assert truth <= bound * (1 + arb("1e-9"))
    assert bound * arb(factor) < truth


@pytest.mark.parametrize(
    ("s", "q", "w", "first", "last", "factor"),
    [
        (40.0, 0.17, 300.0, -200.0, 180.0, "0.5"), (40.0, 0.17, -300.0, -180.0, 300.0, "0.5"),
        (2.0, 0.3, 2.0, -30.0, 7.0, "0.3"), (1.0, 0.01, 3.0, -30.0, 9.0, "0.1"),
    ],
)  # fmt: skip
def test_ends_of_grids_that_need_not_reach_the_tilted_mean(s, q, w, first, last, factor):
    s, q, w, first, last = map(arb, (s, q, w, first, last))
    outside = moment(s, q, w, first - 12 * s, first) + moment(s, q, w, last, last + 14 * s + max(w, arb(0)))
    bound = SampledGaussian(s, q, 1)._ends(first, last, w)
    assert outside <= bound * (1 + arb("1e-9"))
    assert bound * arb(factor) < outside


@pytest.mark.parametrize("w", [300.0, -300.0, 40.0])
def test_rules_at_much_noise(w):
    law, omega = SampledGaussian(arb(40), arb("0.17"), 5), arb("90")
    made = [
        law._summed(arb(w), omega, 7, Grid(arb(-n * h), arb(h), 2 * n + 1, arb("0.1")))
        for n, h in ((40, 12.0), (200, 2.5))
    ]
    assert all(one.overlaps(other) for one, other in zip(*made, strict=True))
    assert all(float(one.real.rad()) < 1e-9 * float(abs(made[1][0]).mid()) for one in made[1])


def test_moments_at_random():
    for s, q, w in [(0.4, 0.1, 3.0), (2.0, 0.3, 7.0), (3.0, 0.9, -20.0), (1.0, 0.01, -1.0), (1.5, 0.2, 1.01),
                    (30.0, 0.02, 900.0), (30.0, 0.9, 200.0), (30.0, 0.5, -400.0), (5.0, 0.001, 99.0),
                    (5.0, 0.1, -60.0)]:  # fmt: skip
        s, q, w = arb(s), arb(q), arb(w)
        assert moment(s, q, w, -12 * s, max(w, arb(0)) + 12 * s) <= SampledGaussian(s, q, 1)._moment(w) + 1e-9


def angled(s, q, w, angle, low, high, n=3000):
    """E |G|^w at an angle between both, by a fine sum."""
    h, total = (high - low) / n, arb(0)
    for k in range(n):
        x = low + h * (k + arb("0.5"))
        u = acb((2 * x - 1) / (2 * s * s), angle)
        total += abs(1 - q + q * u.exp()) ** w * (-x * x / (2 * s * s)).exp() * h
    return total / (s * (2 * arb.pi()).sqrt())


@pytest.mark.parametrize(
    ("s", "q", "w", "angle", "factor"),
    [(40.0, 1e-3, -2e4, 0.03, 0.99), (300.0, 1e-6, -1e8, 0.005, 0.99), (1.0, 0.01, -30.0, 0.5, 0.2),
     (0.5, 0.3, -4.0, 1.2, 0.0), (5.0, 0.9, -50.0, 0.2, 0.0), (1.0, 0.2, -1.0, 1.5, 0.0)],
)  # fmt: skip
def test_moments_at_an_angle(s, q, w, angle, factor):
    s, q, w, angle = map(arb, (s, q, w, angle))
    law, truth = SampledGaussian(s, q, 1), angled(s, q, w, angle, -13 * s + w * q, 13 * s)
    lean, tilt, _ = law._leaning(w, angle)
    assert truth <= lean * (1 + arb("1e-9"))
    assert truth <= law._most(w, angle) * (1 + arb("1e-9"))
    assert lean * arb(factor) < truth
    first, last = (tilt - 2 * s).min(arb(-1)), 2 * s + 1
    left = angled(s, q, w, angle, first - 13 * s, first)
    right = angled(s, q, w, angle, last, last + 13 * s)
    assert left + right <= law._outside(first, last, w, angle) * (1 + arb("1e-9"))


@pytest.mark.parametrize(
    ("s", "q", "w", "first", "last", "factor"),
    [
        (0.3, 0.5, -3.0, -0.2, 30.0, "0.9"),  # before the first node, w < 0
        (1.0, 0.5, 1.0, -30.0, 2.0, "0.44"),  # beyond the last node, w > 0
        (1.0, 0.01, -1.0, -30.0, 1.0, "0.9"),  # beyond the last node, w < 0
        (1.0, 0.01, 0.5, -1.0, 30.0, "0.9"),  # before the first node, w > 0
    ],
)
def test_ends(s, q, w, first, last, factor):
    s, q, w, first, last = map(arb, (s, q, w, first, last))
    left = moment(s, q, w, first - 12 * s, first)
    right = moment(s, q, w, last, last + 14 * s + max(w, arb(0)))
    bound = SampledGaussian(s, q, 1)._ends(first, last, w)
    assert left + right <= bound * (1 + arb("1e-9"))
    assert bound * arb(factor) < left + right


def test_ends_must_fall():
    law = SampledGaussian(ONE, arb("0.5"), 1)
    for grid in (Grid(arb(1), ONE, 9, ONE), Grid(arb(-9), ONE, 9, ONE), Grid(arb(-9), ONE, 11, ONE)):
        with pytest.raises(laws.NotProved, match="still rise"):
            law._summed(arb(3), arb(0), 1, grid)


# ------------------------------------------------------------------------------------------------ Lemma 5


def cut_witness(angle):
    cut = Cut(arb(-14), arb("0.01"), 3200, arb(angle), arb("0.06"))
    grid = Grid(arb(-14), arb("0.5"), 64, ONE)
    return Witness(grid, grid, cut)


def test_the_bound_beyond_the_cut():
    """Where every record is sampled, the best shift attains |A|."""
    w, omega = arb(2), arb("1.5")
    bound = SampledGaussian(ONE, ONE, 1).beyond(w, omega, cut_witness(1.5))
    truth = ((w * w - w - omega * omega) / 2).exp()
    assert truth <= bound
    assert bound * arb("0.999") < truth


@pytest.mark.parametrize(("q", "w"), [(0.3, 2.0), (0.3, -1.0), (0.01, 1.5)])
def test_the_bound_beyond_the_cut_falls(q, w):
    law = SampledGaussian(ONE, arb(q), 1)
    grid = Grid(arb(-14), arb("0.1"), 320, arb(1))
    for angle in (0.2, 1.0):
        bound = law.beyond(arb(w), arb(2), cut_witness(angle))
        values = law._summed(arb(w), arb("0.5"), 30, grid)
        assert all(abs(value).lower() <= bound for value in values[4:])


def test_a_cut_whose_strip_reaches_too_far_is_refused():
    with pytest.raises(laws.NotProved, match="reaches too far"):
        SampledGaussian(ONE, ONE, 1).beyond(arb(2), ONE, cut_witness(1.52))


# ------------------------------------------------------------------------------------------------ the curve


def places(width=0.0, every=5):
    """Of a Gaussian, with uneven slack below and above."""
    found = []
    for i in range(-40, 41, every):
        e = arb(i) / 10
        truth = gaussian_delta(ONE, e)
        slack = arb(width) * (1 + (i * i) % 7)
        found.append(Place(e, e.exp(), truth - slack, truth + slack))
    return found


def g(alpha):
    return normal(arb(2).sqrt() * (2 * alpha).erfcinv() - 1)


@pytest.mark.parametrize("width", [0.0, 1e-3, 1e-2])
def test_the_curve_lies_between_both_polygons(width):
    curve = Curve(places(width))
    for i in range(1, 100):
        a = arb(i) / 100
        assert curve.at_least(a) <= g(a)
        assert g(a) <= curve.at_most(a)
    less, more = curve.area()
    assert less <= 1 - normal(1 / arb(2).sqrt())
    assert 1 - normal(1 / arb(2).sqrt()) <= more


@pytest.mark.parametrize("width", [0.0, 1e-3, 1e-2, 0.05])
def test_corners_lie_nowhere_above_delta(width):
    """Of loose places neighbouring lines need not meet between them: their chord alone may lie above the curve."""
    corners = Curve(places(width, 4))._corners()
    for (t, y), (u, v) in pairwise(corners):
        for k in range(1, 8):
            at = t + (u - t) * k / 8
            assert y + (v - y) * k / 8 <= gaussian_delta(ONE, at.log()) + arb(2) ** -70


def test_a_chord_that_no_line_is_above_of_is_not_taken():
    """Both lines are below the chord of the two lower bounds, though the lines meet outside."""
    from neyman_check.curves import curve as room

    places = [Place(arb(i), arb(t), arb(low), arb(high)) for i, (t, low, high) in enumerate(
        [("0.5", "0.6", "0.7"), ("1", "0.4", "0.5"), ("2", "0.3", "0.31"), ("3", "0.1", "0.2")])]  # fmt: skip
    known = Curve(places)
    cells = [cell._replace(split=cell.right.t) for cell in known._cells]  # any split is sound, and may be chosen
    known._cells = cells
    for left, right, (v, fall), (w, rise), _ in cells:
        (_, y), *between, (_, z) = [(t, y) for t, y in known._corners() if left.t <= t and t <= right.t]
        for t, middle in between:
            assert middle <= (v + fall * (t - left.t)).max(w + rise * (t - right.t)) + arb(2) ** -70
        if not between:
            slope = (z - y) / (right.t - left.t)
            assert slope <= fall or slope >= rise or right is cells[-1].right
    assert room.largest([arb(1), arb(2)]) == 2


def test_divergences_of_a_gaussian_from_another():
    """(delta_2 - delta_1) / (1 + e^eps) is largest somewhere: what is found bounds it, sharply on a fine grid."""
    from neyman_check.claims.references import gaussian

    truth = max(
        (gaussian_delta(arb(2), e) - gaussian_delta(ONE, e)) / (1 + e.exp())
        for e in (arb(i) / 50 for i in range(-400, 400))
    )
    found = Curve(places(0.0, 1)).falls_short(gaussian(arb(2)))
    assert all(one <= truth + arb("1e-3") for one in found)
    assert any(one >= truth for one in found)
    back = Curve(places(0.0, 1)).surpasses(gaussian(arb("0.5")))
    truth = max(
        (gaussian_delta(ONE, e) - gaussian_delta(arb("0.5"), e)) / (1 + e.exp())
        for e in (arb(i) / 50 for i in range(-400, 400))
    )
    assert any(one >= truth for one in back)
    assert all(one <= truth + arb("1e-3") for one in back)


def test_precision_is_that_of_whoever_asks():
    from neyman_check.claims.references import REFERENCES

    with ctx.workprec(200):
        ball = REFERENCES["response"]().delta(arb("1.25"))
    assert ball.rad() < arb(2) ** -190


def test_a_place_that_is_hardly_known_leans_on_its_neighbours():
    """delta falls, and is the total variation at eps = 0 in both directions."""
    nothing = Place(arb("0.5"), arb("0.5").exp(), arb(0), arb(1))
    sure = [Place(arb(e), arb(e).exp(), arb(d) - arb("1e-9"), arb(d)) for e, d in (("0.25", "0.4"), ("0.75", "0.2"))]
    curve = Curve([sure[0], nothing, sure[1]])
    assert curve.places[2].upper == arb("0.4").upper()
    assert curve.places[2].lower == sure[1].lower.lower()
    steps = [row for row in curve.places[1:] if not row.lower <= row.upper]
    assert not steps


def test_at_nought_both_directions_are_the_same():
    unknown, known = Ball(arb(0), arb(1)), Ball(arb("0.25"), arb("0.5"))
    checker = Checker(Proof(ny.Tabulated([0.5, 0.5], [0.25, 0.75]).to_dict(), "add", 128, (), (), ()), Work(128))
    follows = checker.follows({True: {0.0: known, 1.0: known}, False: {0.0: unknown, 1.0: unknown}})
    at = {float(p.epsilon.mid()): p for p in follows.curve.places[1:]}
    assert at[0.0].upper == arb("0.5")
    assert follows.curve.delta_at_most(arb(1)) == arb("0.5")  # what falls


def test_where_little_is_enough_less_is_looked_at():
    """What a cell may rise to is no less where it is looked at in haste, and the same where that is not enough."""
    places = [Place(arb(e), arb(e).exp(), d - arb("1e-12"), d) for e, d in
              ((x, gaussian_delta(arb(1), arb(x))) for x in (0.0, 0.25, 0.5, 1.0, 2.0))]  # fmt: skip
    curve = Curve(places)
    for alpha in (arb("0.01"), arb("0.2"), arb("0.7")):
        closer = [most for _, most in curve.rises(alpha)]
        for enough in (arb("0.1"), arb("0.5"), arb("0.9")):
            for (_, most), near in zip(curve.rises(alpha, enough), closer, strict=True):
                assert most <= enough or most.overlaps(near)
                assert near.lower() <= most.upper()
