"""Paths: each bound holds and is not loose enough to be smaller by the factor of its page; deltas are right."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from flint import acb, arb, ctx

import neyman as ny
from neyman.witnesses.plans.line import TooDear
from neyman.witnesses.plans.path import path
from neyman.witnesses.steps.kinds import step_of
from neyman.witnesses.steps.shift import Shifter
from neyman_check.deltas.exact import gaussian_delta, sampled_once
from neyman_check.deltas.path import Path, Route
from neyman_check.errors import NotProved, Unreadable
from neyman_check.form import plan_of
from neyman_check.laws.base import FiniteLaw, Gaussian, raised
from neyman_check.laws.gauss import Segment
from neyman_check.laws.sampled import ExchangedGaussian, SampledGaussian
from neyman_check.laws.shifted import Shifted
from neyman_check.laws.told import Polyline
from neyman_check.mechanism import laws_of
from neyman_check.work import Work
from tests.check.making import DATA, inside
from tests.check.test_lemmas import ONE, holds, weaker
from tests.check.twofold import exchanged as twofold_exchanged
from tests.check.twofold import twofold
from tests.effort import crossed, rest_slow
from tests.hunt.steps import Step
from tests.hunt.truth import Composition


def line(points, counts, ellipses):
    return Polyline(tuple(acb(p) for p in points), tuple(counts), tuple(arb(x) for x in ellipses))


def gaussian_path(points, counts, ellipses, square=ONE):
    return Path([Gaussian(square)], Route(True, line(points, counts, ellipses), (None,)), Work(128))


def laid(mechanism, remove, epsilon, adjacency="add_or_remove", nats=30.0):
    """A path as the prover lays it."""
    ctx.prec = 128
    laws = laws_of(mechanism.to_dict(), adjacency)
    plan = path([step_of(law) for law in laws], remove, epsilon, 1.5, nats)
    read = plan_of(json.loads(json.dumps(plan)), 0)
    assert isinstance(read, Route)
    return Path(laws, read, Work(128))


# ------------------------------------------------------------------------------------------------ Lemma 7


def test_what_gauss_errs_by():
    """One node, x^2: of its bound on a long ellipse half is attained."""
    segment = Segment(acb(-1), acb(1), 1, arb(30))
    most = segment.long**2  # of |x|^2 on the ellipse
    ((x, weight),) = segment.nodes()
    off = abs(arb(2) / 3 - (x * x * weight).real)
    assert off <= segment.error * most
    assert not off <= segment.error * most * arb("0.45")


def test_rectangles_and_arcs_hold_the_ellipse():
    segment = Segment(acb(1, 2), acb(3, 7), 5, arb("1.8"))
    for k in range(100):
        turn = acb(0, 2 * arb.pi() * k / 100).exp() * arb("1.8")
        z = segment.middle + segment.half * (turn + 1 / turn) / 2
        seen = (z - segment.middle) / segment.half
        assert abs(seen.real) <= segment.long * (1 + arb("1e-20"))
        assert abs(seen.imag) <= segment.wide * (1 + arb("1e-20"))
        assert any(box.overlaps(z) for box in segment.arcs())
    for pole in (arb(0), arb(-1), arb(2)):
        near = min(float(abs(segment.middle + segment.half * acb(segment.long * a / 20, segment.wide * b / 20) - pole))
                   for a in range(-20, 21) for b in range(-20, 21))  # fmt: skip
        assert float(segment.apart(pole)) <= near + 1e-12
    assert segment.apart(arb(2)) > 0
    assert Segment(acb(1), acb(1, 1), 3, arb(9)).apart(arb(0)) == 0


def test_rules_of_a_path(monkeypatch):
    """Few nodes where the integrand turns, against many of the same segment: the rule errs by a share of its bound."""
    lie = (-ONE).exp()
    law = FiniteLaw(((ONE, lie), (arb(0), 1 - lie)), 1)  # one loss, 1

    def made(count):
        return Path([law], Route(True, line([20, 20 + 20j], [count], ["1.5"]), (None,)), Work(128))

    def middle(one):
        ball = one.delta(arb(0))
        return (ball.lower + ball.upper) / 2

    fine, rough = made(60), made(4)
    off = abs(middle(rough) - middle(fine))
    assert off <= rough.error(arb(0))
    weaker(monkeypatch, Path, "error", arb("0.02"))
    assert not off <= rough.error(arb(0))
    monkeypatch.undo()
    truth, finer = gaussian_delta(ONE, ONE), gaussian_path([1, 1 + 1j, 2 + 9j], [30, 60], ["2.2", "1.25"])
    assert holds(gaussian_path([1, 1 + 6j], [4], ["1.3"]), 1, truth)
    assert holds(finer, 1, truth)
    assert float(finer.delta(ONE).upper - finer.delta(ONE).lower) < 1e-4


def test_above_the_last_point(monkeypatch):
    """P = Q at eps = 0: all that is above has one sign."""
    law = FiniteLaw(((ONE, ONE),), 1)
    route = Route(True, line([0.5, 0.5 + 1j, 0.5 + 20j], [60, 300], ["1.5", "1.1"]), (None,))
    assert holds(Path([law], route, Work(128)), 0, arb(0))
    weaker(monkeypatch, Path, "above", arb("0.9"))
    assert not holds(Path([law], route, Work(128)), 0, arb(0))


@pytest.mark.parametrize(
    "points", [[1, 1 + 1j, 1 + 12j], [1, 2 + 1j, 7 + 12j], [1, 1j, -3 + 12j], [0.3, -0.5 + 0.5j, -4 + 12j]]
)
def test_paths_may_bend_to_either_side(points):
    """Left of the poles too, above the axis."""
    ellipses = ["1.2" if points[0] == 0.3 else "1.5", "1.2" if points[0] == 0.3 else "1.6"]
    made = gaussian_path(points, [150, 150], ellipses)
    for e in (0, 1, 3):
        ball = made.delta(arb(e))
        assert holds(made, e, gaussian_delta(ONE, arb(e)))
        assert float(ball.upper - ball.lower) < 1e-9


@pytest.mark.parametrize(
    ("points", "ellipses", "words"),
    [
        ([1 + 1j, 1 + 2j], [1.5], "begin on the real axis"), ([-1, 1 + 2j], [1.5], "begin on the real axis"),
        ([1, 2], [1.5], "go up"), ([1, 1 + 2j, 1 + 1j], [1.5, 1.5], "go up"), ([1, 1 + 1j], [9.0], "reaches a pole"),
        ([1, 1 - 1j], [1.5], "go up"),
    ],
)  # fmt: skip
def test_paths_that_are_none(points, ellipses, words):
    with pytest.raises(NotProved, match=words):
        gaussian_path(points, [5] * len(ellipses), ellipses)


def test_powers_of_numbers_next_to_the_unit_circle():
    z = acb(arb("0.6"), arb("0.8"))
    with ctx.workprec(300):
        truth = z**10_000_000
    assert raised(z, 10_000_000).overlaps(truth)
    assert float(raised(z, 10_000_000).real.rad()) < 1e-25
    assert raised(acb(arb(0, 1), arb(0, 1)), 40).contains(acb(0))


# ------------------------------------------------------------------------------------------------ Lemma 8


def transform(law, w, exchanged):
    """A(w) by Arb's own integration on the real axis."""
    s, q = law.s, law.q

    def value(x, _):
        log = [(1 - q + q * ((sign * 2 * x - 1) / (2 * s * s)).exp()).log() for sign in (1, -1)]
        power = w * log[0] + ((1 - w) * log[1] if exchanged else 0)
        return (power - x * x / (2 * s * s)).exp()

    low, high = -14 * s - (1 - w.real).max(arb(0)), 14 * s + w.real.max(arb(0))
    return acb.integral(value, acb(low), acb(high)) / (s * (2 * arb.pi()).sqrt())


@crossed(
    (("exchanged", "w"), product([False, True], [2 + 0.5j, 1.5 + 6j, 5 + 12j, 3 + 0j])),
    (("s", "q"), [(0.4, 0.1), (1.0, 0.6), (2.0, 0.01), (0.7, 1e-5)]),
)
def test_values_on_polylines(exchanged, s, q, w):
    ctx.prec = 128
    law = (ExchangedGaussian if exchanged else SampledGaussian)(arb(s), arb(q), 1)
    near_by = np.array([w, w + 0.1j, w + 0.02 + 0.1j])
    way = Shifter(s, q, exchanged).way(near_by, np.array([40.0, 40.0, 40.0]))
    assert way is not None
    told = plan_of({"direction": "remove", "path": way.written(), "steps": []}, 0).points
    near, z = Shifted(law, told, False), acb(w)
    truth = transform(law, z, exchanged)
    (found,) = near.at([z], (z, acb(w + 0.1j)))
    assert found.overlaps(truth)
    assert float(found.real.rad()) < 1e-17 * float(near.most(z, arb(0)))
    assert abs(truth).lower() <= near.most(z, arb(0))
    if exchanged:  # at 1 - w, the conjugate
        (back,) = Shifted(law, told, True).at([1 - z.conjugate()], (1 - z.conjugate(), 1 - acb(w + 0.1j).conjugate()))
        assert back.overlaps(truth.conjugate())


def everyone(points, counts, ellipses):
    return Shifted(SampledGaussian(ONE, ONE, 1), line(points, counts, ellipses), False)


def whole(w):
    return ((w * w - w) / 2).exp()


def test_what_a_rule_of_x_errs_by(monkeypatch):
    """So few nodes that it errs: every record is sampled, and the truth is known."""
    near, w = everyone([-9, 13], [24], ["1.4"]), acb(2)
    (found,) = near.at([w], (w, w))
    assert found.overlaps(whole(w))
    off = abs(complex(found.mid()) - complex(whole(w).mid()))
    assert off > 1e-4
    monkeypatch.setattr(Shifted, "_outside", lambda self, w: arb(off) * arb("0.99"))
    assert not near.at([w], (w, w))[0].overlaps(whole(w))


def beyond(law, start, slope, w):
    """The integral of the modulus along a ray, by a fine sum."""
    h, total = arb("0.002"), arb(0)
    for k in range(12_000):
        x = start + h * (k + arb("0.5")) * acb(1, slope)
        loss, other = law.on_polyline(x)
        total += (w * loss + other - x * x / (2 * law.s**2)).exp().abs_upper() * h
    return total * abs(acb(1, slope)) / (law.s * (2 * arb.pi()).sqrt())


@pytest.mark.parametrize(
    ("s", "q", "exchanged", "last", "rising", "w", "factor"),
    [
        (1.0, 1.0, False, 3 + 0.5j, False, 2 + 1j, "0.99"),
        (1.0, 1.0, False, 3 + 0.5j, True, 2 + 1j, "0.6"),
        (0.5, 0.1, False, 2 + 1j, True, 2 + 3j, "0.6"),
        (0.5, 0.1, False, 2 + 1j, False, 2 + 3j, "0.8"),
        (0.5, 0.1, True, 2 + 1j, True, 2 + 3j, "0.6"),
        (0.5, 0.1, True, 2 + 1j, False, 3 + 3j, "0.9"),
    ],
)
def test_beyond_the_last_corner(s, q, exchanged, last, rising, w, factor):
    law = (ExchangedGaussian if exchanged else SampledGaussian)(arb(s), arb(q), 1)
    truth = beyond(law, acb(last), arb("0.75") if rising else arb(0), acb(w))
    bound = law.after(acb(last), acb(w), rising)
    assert truth <= bound * (1 + arb("1e-4"))
    assert not truth <= bound * arb(factor)


@pytest.mark.parametrize(
    ("s", "q", "exchanged", "first", "w", "factor"),
    [(0.3, 0.5, False, -0.2, -3 + 2j, "0.9"), (1.0, 0.01, False, -1, 0.5 + 2j, "0.9"), (0.3, 0.5, True, -0.6, 1, "0.4"),
     (0.3, 0.9, True, -0.6, 0.25, "0.4"), (0.7, 0.999, True, -0.6, -0.5, "0.2")],
)  # fmt: skip
def test_before_the_first_corner(s, q, exchanged, first, w, factor):
    law = (ExchangedGaussian if exchanged else SampledGaussian)(arb(s), arb(q), 1)
    h, truth = arb("0.001"), arb(0)
    for k in range(6000):
        x = acb(arb(first) - h * (k + arb("0.5")))
        loss, other = law.on_polyline(x)
        truth += (acb(w).real * loss + other - x * x / (2 * law.s**2)).real.exp() * h
    truth /= law.s * (2 * arb.pi()).sqrt()
    bound = law.before(arb(first), acb(w))
    assert truth <= bound * (1 + arb("1e-4"))
    assert not truth <= bound * arb(factor)


# ------------------------------------------------------------------------------------------------ Lemma 9


def test_the_modulus_along_a_polyline(monkeypatch):
    """At real w on the real axis it is A itself, and where every record is sampled the best height attains |A|."""
    flat = everyone([-9, -4, 1, 6, 13], [40, 40, 40, 40], [2, 2, 2, 2])
    assert whole(arb(2)) <= flat.most(acb(2), arb(0))
    high = everyone([-16, -10 + 3j, -3 + 3j, 3 + 3j, 9 + 3j, 15 + 3j], [40] * 5, [2] * 5)
    w = acb(2, 3)
    assert abs(whole(w)).lower() <= high.most(w, arb(0))
    weaker(monkeypatch, Shifted, "most", arb("0.99"))
    assert not whole(arb(2)) <= flat.most(acb(2), arb(0))
    assert not abs(whole(w)).lower() <= high.most(w, arb(0))


@pytest.mark.parametrize("exchanged", [False, True])
def test_that_bound_is_convex_and_falls(exchanged):
    ctx.prec = 128
    law = (ExchangedGaussian if exchanged else SampledGaussian)(arb("0.5"), arb("0.2"), 3)
    corners = np.array([2 + 2j, 4 + 2j, 2 + 6j, 4 + 6j])
    way = Shifter(0.5, 0.2, exchanged).way(corners, np.full(4, 30.0))
    near = Shifted(law, plan_of({"direction": "remove", "path": way.written(), "steps": []}, 0).points, False)
    most = [near.most(acb(z), arb(0)) for z in corners]
    top = max(float(x) for x in most) * (1 + 1e-12)
    for a in range(5):
        for b in range(5):
            z = acb(2 + 0.5 * a, 2 + b)
            (value,) = near.at([z], (acb(2 + 2j), acb(4 + 6j)))
            assert abs(value).lower() <= near.most(z, arb(0))
            assert float(near.most(z, arb(0))) <= top
            assert near.most(z + acb(0, 1), arb(0)) <= near.most(z, arb(0)) * (1 + arb("1e-9"))


@pytest.mark.parametrize("square", ["0.5", "4"])
def test_the_tangent_of_a_gaussian(square):
    law = Gaussian(arb(square))
    for x, y, about in ((2, 3, 1), (0.5, 1, 4), (3, 2, 2)):
        assert abs(law.value(acb(x, y))).lower() <= law.most(acb(x, y), arb(about)) * (1 + arb("1e-30"))
    assert abs(law.value(acb(3, 2))).overlaps(law.most(acb(3, 2), arb(2)))


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([-9 + 1j, 9], "begin on the real axis"), ([-9, 3, 2], "goes back"),
        ([-9, 1 - 1j, 9], "below the real axis"), ([-9, 9 + 40j], "branch"), ([-9, -3], "branch points"),
    ],
)  # fmt: skip
def test_polylines_that_are_none(points, words):
    told = line(points, [9] * (len(points) - 1), [1.5] * (len(points) - 1))
    with pytest.raises(NotProved, match=words):
        Shifted(SampledGaussian(ONE, arb("0.5"), 1), told, False).at([acb(2)], (acb(2), acb(2)))


# ------------------------------------------------------------------------------------------------ deltas


@pytest.mark.parametrize(
    ("s", "q", "remove"),
    rest_slow([(s, q, way) for s, q in ((0.5, 0.01), (0.3, 0.2), (1.05, 1e-3)) for way in (True, False)], 1, 2),
)
def test_one_step_against_its_closed_form(s, q, remove):
    end = -float((1 - arb(q)).log())
    epsilon = 0.5 * end if not remove else min(0.3, 5 * q)
    made = laid(ny.Gaussian(s).poisson(q), remove, epsilon)
    for e in (epsilon, 0.8 * epsilon):
        truth = sampled_once(lambda x: gaussian_delta(1 / arb(s), x), arb(q), arb(e), remove)
        ball = made.delta(arb(e))
        assert inside(ball.lower, ball.upper, truth)
        assert float(ball.upper - ball.lower) < 1e-9 * float(truth)


@pytest.mark.parametrize(
    ("s", "q", "e", "remove"),
    rest_slow([(0.5, 0.01, 1.0, True), (0.5, 0.01, 0.01, False), (0.3, 0.1, 0.25, True), (2.0, 0.05, 0.125, True)], 1),
)
def test_two_steps_against_an_integral(s, q, e, remove):
    ball = laid(ny.Gaussian(s).poisson(q) ** 2, remove, e).delta(arb(e))
    truth = arb(twofold(s, q, e, remove))
    assert inside(ball.lower, ball.upper, truth, 1e-17)
    assert float(ball.upper - ball.lower) < 1e-9 * float(truth)


@pytest.mark.parametrize(
    "run",
    rest_slow(
        [(0.3, 0.01, 10), (0.254, 0.3546, 10), (0.1427, 6e-9, 711888), (0.507, 5.8e-10, 587565299)], 1, whole=True
    ),
)
def test_both_directions_meet_at_0(run):
    """Two paths that have nothing in common."""
    s, q, times = run
    ahead, behind = (laid(ny.Gaussian(s).poisson(q) ** times, way, 0.0).delta(arb(0)) for way in (True, False))
    assert ahead.lower <= behind.upper
    assert behind.lower <= ahead.upper
    for ball in (ahead, behind):
        assert float(ball.upper - ball.lower) < 1e-8 * float(ball.upper)


@pytest.mark.parametrize(
    ("steps", "adjacency", "e"),
    rest_slow([
        ([Step("Gaussian", (0.3,), 0.01, 10)], "remove", 0.5), ([Step("Gaussian", (0.4077,), 0.00329, 6)], "add", 0.01),
        ([Step("Gaussian", (1.05,), 0.000923, 11)], "remove", 0.002),
        ([Step("Gaussian", (0.9,), 0.02, 3), Step("Gaussian", (1.5,))], "remove", 1.0),
        ([Step("Gaussian", (0.9,), 0.02, 3), Step("Gaussian", (1.5,)), Step("RandomizedResponse", (0.5, 2))],
         "remove", 1.0),
        ([Step("Gaussian", (0.9,), 0.02, 3), Step("Gaussian", (1.5,)), Step("Laplace", (2.0,))], "remove", 0.75),
    ], 3, 4, 5),
)  # fmt: skip
def test_deltas_lie_where_another_program_says(steps, adjacency, e):
    remove = adjacency == "remove"
    low, high = Composition(steps).delta(arb(e), not remove)
    mechanism = eval(" * ".join(map(str, steps)), {"ny": ny})  # words of the hunter
    ball = laid(mechanism, remove, e).delta(arb(e))
    assert ball.lower <= high
    assert low <= ball.upper
    assert float(ball.upper - ball.lower) < 1e-8 * float(ball.upper)


def test_an_exchanged_record():
    steps = [Step("Gaussian", (0.9,), 0.05, 4)]
    low, high = Composition(steps, True).delta(arb("0.5"), False)
    for remove in (True, False):
        ball = laid(ny.Gaussian(0.9).poisson(0.05) ** 4, remove, 0.5, "replace").delta(arb("0.5"))
        assert ball.lower <= high
        assert low <= ball.upper
        assert float(ball.upper - ball.lower) < 1e-8 * float(ball.upper)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_an_exchanged_record_that_is_seen(epsilon):
    """Hardly any noise: polylines rise left of the other record's branch points."""
    truth = arb(twofold_exchanged(0.25, 0.25, epsilon))
    ball = laid(ny.Gaussian(0.25).poisson(0.25) ** 2, True, epsilon, "replace").delta(arb(epsilon))
    assert inside(ball.lower, ball.upper, truth, 1e-15)
    assert float(ball.upper - ball.lower) < 1e-8 * float(ball.upper)


def test_balls_of_the_other_records_loss():
    """Far left of its branch points, where a ball of G(-x) holds 0."""
    law = ExchangedGaussian(arb("0.2"), arb("0.3"), 1)
    wide = acb(arb(-1.5, 0.2), arb(0.05, 0.03))
    loss, other = law.on_polyline(wide)
    assert loss.is_finite()
    for corner in (acb(-1.69, 0.021), acb(-1.5, 0.05), acb(-1.31, 0.079)):
        one, right = law.on_polyline(corner)
        assert loss.contains(one)
        assert other.contains(right)
        u = (-2 * corner - 1) / (2 * arb("0.2") ** 2)
        assert abs(right.exp() / (arb("0.7") + arb("0.3") * u.exp()) - 1) < 1e-25


@pytest.mark.parametrize("number", rest_slow(range(3), 1))
def test_paths_against_the_tables(number):
    """Of many steps as well, where a line would do."""
    case = json.loads((DATA / "subsampled_gaussian_composed.json").read_text())["cases"][number]
    mechanism = ny.DPSGD(float(case["sigma"]), float(case["q"]), case["T"])
    points = [
        p for p in case["points"] if float(p["eps"]) >= 0 and arb(p["delta"]) > 1e-12 and p["direction"] == "remove"
    ]
    found = 0
    for p in points[:: max(len(points) // 3, 1)]:
        try:
            ball = laid(mechanism, True, float(p["eps"])).delta(arb(float(p["eps"])))
        except TooDear:
            continue
        assert inside(ball.lower, ball.upper, arb(p["delta"]), 1e-12)
        found += float(ball.upper - ball.lower) < 1e-9 * float(ball.upper)
    assert found >= 1


@pytest.mark.slow
def test_every_claim_of_few_steps():
    """Hardly any noise, where no line is short."""
    proof = ny.prove(ny.report(ny.account(ny.Gaussian(0.5).poisson(0.01) ** 2)))
    missing = [one for one in proof.answers if one.verdict != "proved" and one.reason != "no lemma for it"]
    assert not missing
    assert all("path" in one for one in proof.data["lines"])


# ------------------------------------------------------------------------------------------------ the file


def written():
    return {"direction": "remove", "path": {"points": [[1.0, 0.0], [1.0, 5.0]], "counts": [9], "ellipses": [1.5]},
            "steps": [None]}  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("counts", [0], "from 1 to"), ("counts", [True], "from 1 to"), ("counts", [9, 9], "one point more"),
        ("counts", 9, "a list"), ("points", [[1.0, 0.0]], "one point more"),
        ("points", [[1.0], [1.0, 5.0]], "a real and"),
        ("points", [[1.0, 0.0], [1.0, "x"]], "a number"), ("points", [[1.0, 0.0], [1.0, float("nan")]], "a number"),
        ("points", [[1.0, 0.0]] * 1000, "at most"), ("ellipses", [1.0], "above 1"), ("ellipses", [1e9], "above 1"),
        ("ellipses", [float("inf")], "above 1"), ("counts", [10**6], "from 1 to"),
    ],
)  # fmt: skip
def test_paths_that_cannot_be_read(field, value, words):
    data = written()
    assert isinstance(plan_of(written(), 0), Route)
    data["path"][field] = value
    with pytest.raises(Unreadable, match=words):
        plan_of(data, 0)


@pytest.mark.parametrize("steps", ["x", [1], [[1]], [{}], [[{"points": [], "counts": [], "ellipses": []}]]])
def test_steps_that_cannot_be_read(steps):
    with pytest.raises(Unreadable):
        plan_of({**written(), "steps": steps}, 0)
    with pytest.raises(Unreadable, match="not known"):
        plan_of({**written(), "nodes": 3}, 0)


def test_work_of_a_path_is_counted_before_it_is_done():
    made = plan_of({**written(), "path": {"points": [[1.0, 0.1 * k] for k in range(401)], "counts": [400] * 400,
                                          "ellipses": [1.5] * 400}}, 0)  # fmt: skip
    with pytest.raises(NotProved, match="more work"):
        Path([Gaussian(ONE)], made, Work(128, 10_000_000))
    polyline = line([-9 + 0.1 * k for k in range(200)], [100] * 199, [1.5] * 199)
    law, route = SampledGaussian(ONE, ONE, 1), Route(True, line([1, 1 + 1j], [400], [1.5]), ((polyline,),))
    with pytest.raises(NotProved, match="more work"):
        Path([law], route, Work(128, 10_000_000))
    with pytest.raises(NotProved, match="says nothing"):
        Path([law], route._replace(told=(None,)), Work(128))
    with pytest.raises(NotProved, match="other steps"):
        Path([law], route._replace(told=()), Work(128))
