"""Lemmas F1 and F2: sampled Laplace steps by what comes from both ends of their losses, and paths that fork."""

from __future__ import annotations

import copy
import itertools
import math
from fractions import Fraction

import mpmath as mp
import pytest
from flint import acb, arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.witnesses.plans.fork import fork
from neyman.witnesses.plans.line import TooDear
from neyman.witnesses.steps.kinds import step_of
from neyman_check.deltas.exact import Outcomes
from neyman_check.deltas.fork import Fork
from neyman_check.errors import NotProved
from neyman_check.form import plan_of
from neyman_check.laws.base import Gaussian
from neyman_check.laws.ends import Ends
from neyman_check.laws.exchanged import ExchangedLaplace
from neyman_check.laws.laplace import SampledLaplace
from neyman_check.work import Work
from tests.check.twofold import laplace_steps
from tests.effort import examples, rest_slow


def law_of(d, q, times):
    ratio = Fraction(d)
    return SampledLaplace(fmpq(ratio.numerator, ratio.denominator), arb(q), times)


_PLANS = {}  # as the prover lays them: a plan is asked for by many tests


def plan_for(law, remove, epsilon, nats=30.0):
    asked = (type(law), str(law.ratio), law.q.mid_rad_10exp(40), law.times, remove, epsilon, nats, ctx.prec)
    if asked not in _PLANS:
        _PLANS[asked] = fork([step_of(law)], remove, epsilon, 1.0, nats)
    return copy.deepcopy(_PLANS[asked])


def made(law, remove, epsilon, nats=30.0):
    return Fork([law], plan_of(plan_for(law, remove, epsilon, nats), 0), Work(128))


def integral(law, w):
    """A(w) by Arb's own integration."""
    d, q = acb(law.ratio), acb(law.q)

    def density(t, _):
        return (-(t + d) / 2 + w * (1 - q + q * t.exp()).log()).exp() / 4

    ends = [(w * (1 - q + q * t.exp()).log()).exp() for t in (-d, d)]
    smooth = acb.integral(density, -d, d, rel_tol=arb(2) ** -90, eval_limit=100_000)
    return smooth + ends[0] / 2 + (-d).exp() * ends[1] / 2


class TestEnds:
    @given(
        st.floats(-3.0, 1.5),
        st.one_of(st.floats(-6.0, -0.05), st.floats(-6.0, -2.0).map(lambda x: math.log10(-math.expm1(x)))),
        st.floats(-2.0, 2.5),
        st.floats(0.02, 3.1),
    )
    @examples(20, 300)
    def test_both_ends_together_are_the_transform(self, log_d, log_q, log_w, angle):
        law = law_of(10.0**log_d, 10.0**log_q, 1)
        size = 10.0**log_w / min(10.0 ** (log_q + log_d), 1.0)
        w = acb(size * math.cos(angle), size * math.sin(angle))
        ends = Ends(law.ratio, law.q)
        found, truth = law.parted().value(w), integral(law, w)
        assert found.overlaps(truth)
        factors, (high, low) = ends.factors(w), ends.most(w.imag)
        assert abs(factors.high) <= high
        assert abs(factors.low) <= low
        if float(abs(w)) * math.log1p(float(law.q) * math.expm1(float(law.d))) < 1e3:
            low, high = law.parted().parts(w)
            lost = (abs(high) + abs(low)) / abs(high + low)
            assert found.rel_accuracy_bits() > 90 - math.log2(float(lost))

    def test_on_the_real_axis_too(self):
        law = law_of(2.0, 0.3, 1)
        for x in (-7.3, -0.2, 0.7, 4.9):
            found = law.parted().value(acb(x))
            assert found.overlaps(integral(law, acb(x)))
            assert found.rel_accuracy_bits() > 80

    @pytest.mark.parametrize(("middle", "radius"), [((20.0, 3.0), 0.5), ((300.0, 40.0), 10.0), ((-5.0, 0.1), 0.09)])
    def test_a_ball_holds_the_values_of_its_points(self, middle, radius):
        end = Ends(fmpq(1), arb(0.1)).low
        box = end.value(acb(arb(middle[0], radius), arb(middle[1], radius)))
        for s, t in itertools.product((-1.0, -0.4, 0.3, 1.0), repeat=2):
            assert box.contains(end.value(acb(middle[0] + s * radius, middle[1] + t * radius)).mid())

    def test_the_bound_by_the_height_is_sharp(self):
        end = Ends(fmpq(614, 125), arb(0.99)).high
        w = acb("0.51056", "7.1029")
        smooth = end._scale * end._x * end._taken ** arb(-1.5) / w.imag
        assert end.most(w.imag) <= smooth * (1 + arb(2) ** -100)
        assert abs(end.value(w)) > smooth * 0.99

    def test_the_bound_of_a_root_is_no_further_than_that(self):
        end = Ends(fmpq(617, 1000), arb(0.001)).low
        w = acb("4.3993", "2.0316")
        root = end._scale * end._taken.rsqrt() * (end._x / end._y).sqrt() * arb.pi() * 3 / 2
        root /= 1 - (-arb.pi() * w.imag).exp()
        assert end.most(w.imag) <= root * (1 + arb(2) ** -100)
        assert abs(end.value(w)) > root * 0.4

    def test_what_the_asymptotic_sum_leaves(self):
        """A few terms, where the best number of them is few."""
        end = Ends(fmpq(483, 125), arb(0.01)).low
        w = acb(0, "17108")
        far, near = end._far(w), end.value(w)
        off = abs(far.mid() - near)
        assert 0.04 * far.real.rad() < off <= far.real.rad() * arb(2).sqrt()


class TestFork:
    @given(st.floats(-2.0, 1.3), st.floats(-4.0, -0.01), st.floats(0.05, 0.95), st.booleans())
    @examples(3, 40)
    def test_two_steps_as_by_integrals(self, log_d, log_q, share, remove):
        law = law_of(10.0**log_d, 10.0**log_q, 2)
        end = float(law.largest(remove))
        epsilon = share * end
        found = made(law, remove, epsilon).delta(arb(epsilon))
        truth = Outcomes([law], remove, Work(128)).delta(arb(epsilon))
        assert found.lower <= truth.upper
        assert truth.lower <= found.upper
        assert found.upper - found.lower <= 1e-9 * truth.upper

    @pytest.mark.parametrize(("d", "q", "remove", "epsilon"), [
        (1.0, 0.3, False, 0.2), *(pytest.param(*one, marks=pytest.mark.slow) for one in (
            (0.2, 0.9, False, 0.3), (1.0, 0.3, True, 0.4), (4.0, 0.05, True, 0.9), (9.0, 0.01, True, 4.0))),
    ])  # fmt: skip
    def test_three_steps_as_by_another_program(self, d, q, remove, epsilon):
        with mp.workdps(18):
            truth = float(laplace_steps(d, q, 3, remove, epsilon))
        found = made(law_of(d, q, 3), remove, epsilon).delta(arb(epsilon))
        assert float(found.upper) == pytest.approx(truth, rel=1e-9)
        assert found.upper - found.lower <= 1e-10 * found.upper

    @pytest.mark.parametrize(
        ("d", "q", "times"), rest_slow([(1.0, 0.01, 10), (33.0, 0.01, 100), (0.01, 0.3, 200), (5.0, 0.3, 5)], 0)
    )
    def test_one_fork_tells_what_another_does(self, d, q, times):
        law = law_of(d, q, times)
        epsilon = 0.2 * float(law.largest(True)) / math.sqrt(times)
        one, other = made(law, True, epsilon), made(law, True, 1.3 * epsilon, 20.0)
        for e in (0.9 * epsilon, epsilon, 1.2 * epsilon):
            balls = one.delta(arb(e)), other.delta(arb(e))
            assert not balls[0].lower > balls[1].upper
            assert not balls[1].lower > balls[0].upper
        own = one.delta(arb(epsilon))
        assert own.upper - own.lower <= 1e-9 * own.upper

    def test_any_choice_of_outcomes_is_right(self, monkeypatch):
        """One outcome more or less to a side, near whose loss eps is."""
        law = law_of(1.0, 0.1, 4)
        low, high = (float(law.r(arb(t)).log()) for t in (-1.0, 1.0))
        epsilon = 3 * high + low + 1e-3 * (high - low)
        whole = made(law, True, epsilon)
        sure = whole.delta(arb(epsilon))
        number = whole._before(arb(epsilon))
        monkeypatch.setattr(Fork, "_before", lambda self, e: number - 1)
        other = whole.delta(arb(epsilon))
        assert other.lower <= sure.lower
        assert sure.upper <= other.upper

    @pytest.mark.parametrize(("which", "share", "d", "q", "times", "remove", "epsilon"), [
        ("bounds", 0.007, 0.5, 0.999, 1, False, 0.025264465983841557),
        ("above", 0.39, 0.5, 0.9, 2, True, 0.0755011461666648),
    ])  # fmt: skip
    def test_errors_of_an_arm_are_not_much_less(self, which, share, d, q, times, remove, epsilon):
        """Of a rule of one node, and of an arm of one segment, against many."""
        law = law_of(d, q, times)
        plan = plan_for(law, remove, epsilon)
        sharp = Fork([law], plan_of(plan, 0), Work(128))
        arm = plan["fork"]["right"]
        if which == "bounds":
            arm["counts"][0] = 1
        else:
            arm.update({name: arm[name][: 1 + (name == "points")] for name in ("points", "counts", "ellipses")})
        rough = Fork([law], plan_of(plan, 0), Work(128))
        number = sharp._before(arb(epsilon))
        chosen = range(number) if remove else range(number, times + 1)
        with ctx.workprec(200):
            e, all_of_it = arb(epsilon), arb(0)
            truth, _ = sharp._right.sums(e, chosen, all_of_it)
            found, error = rough._right.sums(e, chosen, all_of_it)
            own = rough._right._of(chosen)
            first = own.segments[0]
            bound = first.left.at(e).max(first.right.at(e)) if which == "bounds" else own.above.at(e)
            assert share * bound < abs(found - truth) <= error

    def test_segments_that_hardly_count_are_left_out_for_what_they_may_count(self):
        law, epsilon = law_of(1.0, 0.1, 3), 0.1
        fork = made(law, True, epsilon)
        chosen = range(fork._before(arb(epsilon)))
        with ctx.workprec(200):
            whole, error = fork._right.sums(arb(epsilon), chosen, arb(0))
            for off in (1e-20, 1e-10, 1e-3):
                some, more = fork._right.sums(arb(epsilon), chosen, arb(off))
                assert abs(some - whole) <= more - error or some == whole
                assert more <= error + arb(off)


def exchanged_of(d, q, times):
    ratio = Fraction(d)
    return ExchangedLaplace(fmpq(ratio.numerator, ratio.denominator), arb(q), times)


def two_exchanged(d, q, epsilon):
    """One step integrated over, the other one in closed form by mpmath; y is the output in units of the scale."""
    d, q, e = mp.mpf(d), mp.mpf(q), mp.mpf(epsilon)

    def law(y, other):
        return (1 - q) * mp.exp(-abs(y)) / 2 + q * mp.exp(-abs(y - other * d)) / 2

    def loss(y):
        return mp.log(law(y, 1) / law(y, -1))

    def place(x):
        """The y at which the loss is x, by halving."""
        low, high = -d, d
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (low, middle) if loss(middle) > x else (middle, high)
        return high

    def once(x):
        if not -end <= x < end:
            return mp.mpf(0) if x > 0 else 1 - mp.exp(x)
        none, one, other = (_above(place(x) - m * d) for m in (0, 1, -1))
        return (1 - q) * none * (1 - mp.exp(x)) + q * (one - mp.exp(x) * other)

    end = loss(2 * d)
    places = {
        -d,
        mp.mpf(0),
        d,
        *(place(x) for x in (e - end, e, e + end) if -end < x < end),
    }  # corners of the integrand
    inside = mp.quad(lambda y: law(y, 1) * once(e - loss(y)), sorted(places))
    beyond = [(1 - q) * _above(d) + q * _above(y) for y in (mp.mpf(0), 2 * d)]
    return inside + beyond[0] * once(e - end) + beyond[1] * once(e + end)


def _above(y):
    """The mass of Laplace noise beyond y."""
    return mp.exp(-y) / 2 if y > 0 else 1 - mp.exp(y) / 2


class TestExchanged:
    @given(st.floats(-2.0, 1.0), st.floats(-4.0, -0.01), st.floats(-300.0, 300.0), st.floats(-1.0, 3.0))
    @examples(10, 200)
    def test_three_parts_are_the_transform(self, log_d, log_q, real, log_height):
        law = exchanged_of(10.0**log_d, 10.0**log_q, 1)
        w = acb(real, 10.0**log_height)
        parted = law.parted()
        parts, bounds = parted.parts(w), parted.most(w.real, w.imag)
        assert all(not abs(one) > bound for one, bound in zip(parts, bounds, strict=True))
        low = (1 - law.q + law.q * (-law.d).exp()).log()
        half = law_of(10.0**log_d, 10.0**log_q, 1)
        star = integral(half, acb(1 - w.real, w.imag))
        truth = ((1 - w) * low).exp() * integral(half, w) + (w * low).exp() * acb(star.real, -star.imag) - low.exp()
        assert parted.value(w).overlaps(truth)

    @pytest.mark.parametrize(("d", "q"), rest_slow([(1.0, 0.1), (0.05, 0.5), (6.0, 0.001)], 0))
    def test_one_step_as_in_closed_form(self, d, q):
        law = exchanged_of(d, q, 1)
        for share in (0.4,):
            epsilon = share * float(law.end)
            found, truth = made(law, True, epsilon).delta(arb(epsilon)), law.once(arb(epsilon))
            assert not found.lower > truth
            assert not truth > found.upper
            assert found.upper - found.lower <= 1e-9 * truth

    @pytest.mark.parametrize(("d", "q", "share"), rest_slow([(1.0, 0.1, 0.3), (0.3, 0.7, 0.55), (4.0, 0.02, 0.1)]))
    def test_two_steps_as_by_an_integral(self, d, q, share):
        law = exchanged_of(d, q, 2)
        epsilon = share * float(law.largest(True))
        with mp.workdps(20):
            truth = float(two_exchanged(d, q, epsilon))
        found = made(law, True, epsilon).delta(arb(epsilon))
        assert float(found.upper) == pytest.approx(truth, rel=1e-8)
        assert found.upper - found.lower <= 1e-9 * found.upper

    def test_more_outcomes_than_are_kept(self):
        one = exchanged_of(1.0, 0.1, 1)
        plan = plan_of(plan_for(one, True, 0.4 * float(one.end)), 0)  # as of one step above: which one is all the same
        with pytest.raises(NotProved, match="kept"):
            Fork([exchanged_of(1.0, 0.1, 900)], plan, Work(128))
        with pytest.raises(TooDear):
            plan_for(exchanged_of(1.0, 0.1, 900), True, 0.1)


class TestRefused:
    def test_what_is_none(self):
        law = law_of(1.0, 0.1, 3)
        plan = plan_for(law, True, 0.1)
        with pytest.raises(NotProved, match="anything but"):
            Fork([law, Gaussian(arb(1))], plan_of(plan, 0), Work(128))
        with pytest.raises(NotProved, match="anything but"):
            Fork([Gaussian(arb(1))], plan_of(plan, 0), Work(128))
        for name, change, why in (
            ("left", lambda p: p["points"].__setitem__(0, [0.5, 0.5]), "does not begin"),
            ("right", lambda p: p["points"].__setitem__(-1, [3.0, -1.0]), "pole|real axis"),
            ("right", lambda p: p["ellipses"].__setitem__(0, 900.0), "pole|real axis"),
            ("trunk", lambda p: p["points"].__setitem__(0, [-0.5, 0.0]), "above 0"),
        ):
            bad = plan_for(law, True, 0.1)
            change(bad["fork"][name])
            with pytest.raises(NotProved, match=why):
                Fork([law], plan_of(bad, 0), Work(128))

    def test_more_steps_than_it_forks_for(self):
        with pytest.raises(NotProved, match="steps"):
            Fork([law_of(1.0, 0.1, 10**6)], plan_of(plan_for(law_of(1.0, 0.1, 3), True, 0.1), 0), Work(128))

    @pytest.mark.parametrize(("d", "q", "times"), [
        (1e-300, 0.5, 3), (1e300, 0.5, 3), (1.0, 1e-300, 3), (700.0, 1e-9, 3), (1.0, 1 - 2**-53, 3), (1e3, 0.5, 4000),
    ])  # fmt: skip
    def test_extremes_are_not_proved_and_do_not_fail(self, d, q, times):
        plan = plan_of(plan_for(law_of(1.0, 0.1, 3), True, 0.1), 0)
        try:
            ball = Fork([law_of(d, q, times)], plan, Work(128)).delta(arb(0.1))
        except NotProved:
            return
        assert not ball.lower > ball.upper


@pytest.mark.slow
def test_a_report_of_a_few_sampled_laplace_steps_is_proved():
    report = ny.report(ny.account(ny.Laplace(1.0).poisson(0.1) ** 5, "remove"))
    proof = ny.prove(report, claims=["epsilon@1e-05", "tpr@0.01"])
    assert proof
    assert any("fork" in one for one in proof.data["lines"])
    assert all(one.verdict == "proved" for one in proof.check())
