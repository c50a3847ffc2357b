"""delta on cells (docs/proofs/cells.md): each lemma holds, and a bound smaller by the factor that its page names would
prove what is false; what the checker makes of cells; one Gaussian alone.
"""

from __future__ import annotations

import math
import random
import time

import pytest
from flint import arb, arb_poly, ctx

import neyman as ny
from neyman_check import Unreadable, check
from neyman_check.curves import cell, cells
from neyman_check.curves.alone import GaussianCurve, apart_from
from neyman_check.curves.cell import Cell, bell, of_line, of_outcomes
from neyman_check.curves.cells import Cells, Gap
from neyman_check.deltas.exact import Outcomes, gaussian_delta
from neyman_check.deltas.line import Line, Plan
from neyman_check.errors import NotProved
from neyman_check.form import Part
from neyman_check.laws.base import FiniteLaw, Gaussian
from neyman_check.work import Work
from tests.check.making import gaussian_proof, mixed_proof, mixed_truth, named, supplied
from tests.check.test_lemmas import ONE, gaussian_line, loud, weaker
from tests.effort import crossed, rest_slow

FALSE = arb("1e-9")


def within(one: Cell, y: arb, truth: arb) -> bool:
    """Whether a cell may have that delta at centre + y radius."""
    x = y * one.radius
    value = arb_poly(list(one.coefficients))(y) + one.constant * (one.tilt * x).exp() - truth * (one.tilt * x).exp()
    return bool(abs(value) <= one.off)


ENDS = [arb(k) / 8 for k in range(-8, 9)]


def sharp(mu=ONE, remove=True, centre="1.1", radius="0.9", terms=24, c=2):
    """Of a Gaussian, by a line that is good to 1e-14 there."""
    plan = Plan(remove, arb(c), arb(c + 12), arb(16), 40, (None,))
    line = Line([Gaussian(mu * mu)], plan, Work(128))
    return of_line(line, arb(centre), arb(radius), terms)


# ------------------------------------------------------------------------------------------------ Lemma C1


def test_a_line_on_a_cell():
    one = sharp()
    assert all(within(one, y, gaussian_delta(ONE, one.centre + y * one.radius)) for y in ENDS)
    assert one.off < one.coefficients[0] * arb("1e-10")


def test_what_the_polynomial_leaves(monkeypatch):
    """At the saddle nearly all terms have one sign."""
    few = {"centre": "20.4", "radius": "0.1", "terms": 4, "c": 20}
    truth = [gaussian_delta(ONE, arb("20.4") + y * arb("0.1")) for y in (arb(-1), arb(1))]
    assert all(within(sharp(**few), y, d) for y, d in zip((arb(-1), arb(1)), truth, strict=True))
    weaker(monkeypatch, cell, "rest", arb("0.9"))
    assert not all(within(sharp(**few), y, d) for y, d in zip((arb(-1), arb(1)), truth, strict=True))


def test_terms_after_eps_are_most_at_the_first_end(monkeypatch):
    steps, plan, truth = loud()
    line = Line(steps, plan._replace(c=arb("0.5"), far=arb("0.55")), Work(128))
    assert all(within(of_line(line, arb(3), ONE, 60), y, truth(3 + y)) for y in ENDS)
    weaker(monkeypatch, Line, "beyond", arb("0.02"))
    assert not within(of_line(line, arb(3), ONE, 60), arb(-1), truth(arb(2)))


def test_terms_before_eps_are_known_worst_at_the_last_end(monkeypatch):
    line = gaussian_line("0.2", 6, 12, 80)
    assert all(within(of_line(line, ONE, ONE, 60), y, gaussian_delta(ONE, 1 + y)) for y in ENDS)
    before, spare = Line.before, arb("0.5")
    monkeypatch.setattr(Line, "before", lambda self, e: (b := before(self, e), (b[0], b[0] - spare * (b[0] - b[1])))[1])
    assert not within(of_line(line, ONE, ONE, 60), ONE, gaussian_delta(ONE, arb(2)))


def test_the_cut_of_a_line_on_a_cell(monkeypatch):
    """P = Q, as for the line itself: all terms at eps = 0 have one sign."""
    line = Line([FiniteLaw(((ONE, ONE),), 1)], Plan(True, ONE, arb(2), arb(60), 400, (None,)), Work(128))
    tiny = arb("1e-6"), 8
    assert within(of_line(line, arb(0), *tiny), arb(0), arb(0))
    weaker(monkeypatch, Line, "cut", arb("0.9"))
    assert not within(of_line(line, arb(0), *tiny), arb(0), arb(0))


# ------------------------------------------------------------------------------------------------ Lemma C2


@pytest.mark.parametrize(
    ("mu", "centre", "radius", "tilt"),
    [
        (1, 0, 1, 1),
        (1, 2, 1, 2),
        ("0.1", "0.3", "0.1", 30),
        (5, 20, 4, "0.7"),
        ("1e-9", "3e-9", "1e-9", 3e9),
        (1, -3, 1, 1),
    ],
)
def test_a_gaussian_on_a_cell(mu, centre, radius, tilt):
    mu, centre, radius, tilt = arb(mu), arb(centre), arb(radius), arb(tilt)
    found, off = bell(mu, centre, radius, tilt, 24)
    one = Cell(True, centre, radius, tilt, found, arb(0), off)
    assert all(within(one, y, gaussian_delta(mu, centre + y * radius)) for y in ENDS)


def test_what_the_polynomial_of_a_gaussian_leaves(monkeypatch):
    """At a saddle far out, where 1 / |z (z + 1)| is what bounds it."""

    def holds():
        found, off = bell(ONE, arb("20.5"), arb("0.1"), arb(20), 4)
        one = Cell(True, arb("20.5"), arb("0.1"), arb(20), found, arb(0), off)
        return all(within(one, y, gaussian_delta(ONE, arb("20.5") + y / 10)) for y in (arb(-1), arb(1)))

    assert holds()
    weaker(monkeypatch, cell, "left_over", arb("0.9"))
    assert not holds()


def test_outcomes_on_a_cell():
    """Beside a Gaussian, of a table with something revealed for certain."""
    ctx.prec = 128
    told, lost = (
        ((arb("0.5"), arb("0.125")), (arb("0.25"), arb("0.75"))),
        ((arb("0.25"), arb(0)), (arb(0), arb("0.125"))),
    )
    laws = [FiniteLaw((*told, *lost), 2),
            Gaussian(arb("0.5"))]  # fmt: skip
    for remove in (True, False):
        made = Outcomes(laws, remove, Work(128))
        one = of_outcomes(made, ONE, arb("0.7"), 30)
        assert all(within(one, y, made.delta(1 + y * arb("0.7")).upper) for y in ENDS)
        assert one.off < arb("1e-10")


def test_outcomes_with_no_gaussian_beside_them_have_no_cells():
    made = Outcomes([FiniteLaw(((arb("0.75"), arb("0.25")), (arb("0.25"), arb("0.75"))), 1)], True, Work(128))
    with pytest.raises(cell.NotProved, match="no Gaussian"):
        of_outcomes(made, ONE, ONE, 9)


# ------------------------------------------------------------------------------------------------ Lemma C3


def test_the_least_of_a_gap_is_no_more_than_it_is_anywhere():
    rng = random.Random(3)
    for _ in range(300):
        a = [arb(rng.gauss(0, 1)) for _ in range(rng.choice((1, 2, 3, 6)))]
        growing = [(arb(rng.gauss(0, 1)), arb(rng.gauss(0, 3))) for _ in range(rng.randrange(3))]
        gap = Gap(arb_poly(a), growing, arb(0))
        first, last = sorted((rng.uniform(-1, 1), rng.uniform(-1, 1)))
        found = gap.least(arb(first), arb(last))
        for k in range(21):
            y = arb(first) + (arb(last) - arb(first)) * k / 20
            assert found <= arb_poly(a)(y) + sum((k * (g * y).exp() for k, g in growing), arb(0)) + arb("1e-30")


def test_what_the_terms_of_an_exponential_leave(monkeypatch):
    gap = Gap(arb_poly([0]), [(arb(-1), ONE)], arb(0))
    assert gap.least(arb(-1), ONE) <= -ONE.exp()
    weaker(monkeypatch, cells, "beyond", arb("0.4"))
    assert not gap.least(arb(-1), ONE) <= -ONE.exp()


def known(ahead=(True, False), behind=(True, False), **found):
    """Cells by direction: of the Gaussians of these mu."""
    told = {way: [sharp(arb(mu), way)] if mu else [] for way, mu in ((True, found["remove"]), (False, found["add"]))}
    return Cells(told, ahead, behind, lambda _: None)


def exactly(value: arb) -> arb:
    return value.mid()


def test_a_gaussian_is_told_from_others_by_a_billionth():
    """Exactly what is true: at most G_mu, and at least, on the cell."""
    one, first, last = known(remove=1, add=1), arb("0.3"), arb("1.9")
    more, less = exactly(1 + FALSE), exactly(1 - FALSE)
    assert one.hold(more, first, last, False, arb(0))
    assert not one.hold(less, first, last, False, arb(0))
    assert one.hold(less, first, last, True, arb(0))
    assert not one.hold(more, first, last, True, arb(0))


@pytest.mark.parametrize("other", ["1.05", "1.0001"])
@pytest.mark.parametrize("less", [True, False])
def test_divergences_on_a_cell(less, other):
    one, first, last, mu = (
        known(remove=1, add=1),
        arb("0.3"),
        arb("1.9"),
        exactly(arb(other) if less else 1 / arb(other)),
    )
    truth = (gaussian_delta(mu, first) - gaussian_delta(ONE, first)) / (1 + first.exp()) * (1 if less else -1)
    assert one.hold(mu, first, last, less, truth * (1 + FALSE))
    assert not one.hold(mu, first, last, less, truth * (1 - FALSE))
    assert not one.hold(mu, first, last, less, -truth)
    # the other way about what is more by so much is less by minus as much
    at_last = (gaussian_delta(mu, last) - gaussian_delta(ONE, last)) / (1 + last.exp()) * (1 if less else -1)
    assert one.hold(mu, first, last, not less, -at_last * (1 - FALSE))
    assert not one.hold(mu, first, last, not less, -at_last * (1 + FALSE))


def test_of_two_directions_the_larger_counts():
    one = known(remove=1, add="0.9")
    assert one.hold(exactly(arb("1.01")), ONE, arb("1.9"), False, arb(0))
    assert not one.hold(exactly(arb("0.95")), ONE, arb("1.9"), False, arb(0))  # though one of both is
    assert one.hold(exactly(arb("0.95")), ONE, arb("1.9"), True, arb(0))
    assert not one.hold(exactly(arb("1.05")), ONE, arb("1.9"), True, arb(0))
    half = known(remove=None, add="0.9")
    assert not half.hold(exactly(arb("0.95")), ONE, arb("1.9"), False, arb(0))  # nothing is known of the other


def test_before_nought_the_reversed_pair_tells():
    one = known(ahead=(True,), behind=(False,), remove=1, add="0.9")
    wide = arb("0.5")
    assert one.hold(exactly(arb("0.95")), -2 * wide, -wide, False, arb(0))
    assert not one.hold(exactly(arb("0.95")), wide, 2 * wide, False, arb(0))
    assert not one.hold(exactly(arb("0.95")), -wide, wide, False, arb(0))
    assert not known(ahead=(True,), behind=(False,), remove=1, add=None).hold(arb(2), -2 * wide, -wide, False, arb(0))


def test_only_what_cells_cover_is_known():
    one = known(remove=1, add=1)
    assert one.hold(arb(2), arb("0.25"), arb("1.99"), False, arb(0))
    for first, last in (("0.1", 1), (1, "2.1"), (0, 3), (5, 6), (1, "inf"), ("nan", 1)):
        assert not one.hold(arb(2), arb(first), arb(last), False, arb(0))
    gaps = Cells(
        {True: [sharp(centre="0.5", radius="0.4"), sharp(centre="1.5", radius="0.4")]},
        (True,),
        (False,),
        lambda _: None,
    )
    assert not gaps.hold(arb(2), arb("0.2"), arb("1.8"), False, arb(0))
    both = Cells(
        {True: [sharp(centre="0.5", radius="0.5"), sharp(centre="1.5", radius="0.5")]},
        (True,),
        (False,),
        lambda _: None,
    )
    assert both.hold(arb(2), arb("0.2"), arb("1.8"), False, arb(0))


@pytest.mark.parametrize("sign", [1, -1])
def test_a_line_below_delta(sign):
    """f(alpha) <= beta where the tangent lies in the cell, of either sign."""
    one, e = known(remove=1, add=1), arb("0.8")
    alpha = cell.normal(-arb("0.5") - e)
    beta = 1 - gaussian_delta(ONE, e) - e.exp() * alpha
    pair, ends = ((alpha, beta), (arb("0.4"), arb("1.9")))
    if sign < 0:
        pair, ends = (beta, alpha), (arb("-1.9"), arb("-0.4"))
    assert one.under(pair[0], pair[1] * (1 + FALSE), *ends)
    assert not one.under(pair[0], pair[1] * (1 - FALSE), *ends)


def test_delta_at_any_eps_of_a_cell():
    one = known(remove=1, add=1)
    for e in (arb("0.3"), arb("1.7"), arb("-0.3"), arb("-1.7")):
        lower, upper = one.delta(e)
        assert lower <= gaussian_delta(ONE, e)
        assert gaussian_delta(ONE, e) <= upper
        assert upper - lower < arb("1e-10")
    assert one.delta(arb("0.1")) is None
    assert one.delta(arb("-2.5")) is None


# ------------------------------------------------------------------------------------------------ proofs with cells


@pytest.mark.parametrize("lines", [False, True])
def test_cells_prove_what_places_do_not(lines):
    data = mixed_proof(lines)
    assert data["cells"]
    assert len(data["places"]) < 700
    assert {one.verdict for one in named(check(data), "true")} == {"proved"}
    data.pop("cells")
    assert "not proved" in {one.verdict for one in named(check(data), "true")}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"radius": 0.0}, "above 0"), ({"radius": -1.0}, "above 0"), ({"radius": 1e9}, "to 1e6"),
        ({"terms": 2}, "3 to 100"), ({"terms": 101}, "3 to 100"), ({"terms": 9.0}, "3 to 100"),
        ({"line": 99}, "number of a line"), ({"line": -1}, "number of a line"),
        ({"line": True}, "number of a line"), ({"epsilon": -1.0}, "0 to 1e6"), ({"direction": "both"}, "remove"),
        ({"tilt": 1.0}, "not known"),
    ],
)  # fmt: skip
def test_cells_that_cannot_be_read(change, words):
    data = mixed_proof("lines")
    data["cells"][0] |= change
    with pytest.raises(Unreadable, match=words):
        check(data)


@crossed(
    ("field", ["epsilon", "radius", "terms"]),
    ("factor", rest_slow([0.3, 0.9, 1.1, 3.0], 1, 2)),
)
def test_cells_moved(field, factor):
    """Another choice proves less, and nothing that is false."""
    for lines in (False, True):
        data = mixed_proof(lines)
        for one in data["cells"]:
            one[field] = min(max(int(one[field] * factor), 3), 100) if field == "terms" else one[field] * factor
        answers = check(data, 20_000_000)
        assert not [one for one in named(answers, "false") if one.verdict == "proved"]
        assert not [one for one in named(answers, "true") if one.verdict == "refuted"]


def test_cells_of_the_other_direction():
    """Where both are the same it does not matter whose they are called; else they are refused."""
    data = mixed_proof("lines")
    for one in data["cells"]:
        one["direction"] = "add" if one["direction"] == "remove" else "remove"
    assert {one.verdict for one in named(check(data), "true")} == {"proved"}
    supply = supplied(ny.DPSGD(9.4, 0.32768, 2000))
    number, _ = supply.line_at(True, 1.0)
    assert supply.cell(Part(True, number, 1.0, 0.1, 12)).remove
    with pytest.raises(NotProved, match="other direction"):
        supply.cell(Part(False, number, 1.0, 0.1, 12))


def test_work_of_cells_is_counted_before_it_is_done():
    data = mixed_proof("lines")
    data["cells"] = [{**data["cells"][0], "terms": 100} for _ in range(1000)]
    assert any("more work" in one.reason for one in check(data, 3_000_000))


# ------------------------------------------------------------------------------------------------ one Gaussian alone


def test_a_gaussian_alone_needs_no_places():
    data = gaussian_proof()
    data["places"] = []
    answers = check(data)
    assert {one.verdict for one in named(answers, "true")} == {"proved"}
    assert {one.verdict for one in named(answers, "false")} == {"refuted"}


@pytest.mark.parametrize("sigma", [1e12, 1e9, 40.0, 1.0, 0.1])
@pytest.mark.parametrize("adjacency", ["add_or_remove", "add", "remove"])
def test_the_mu_of_a_gaussian_alone(sigma, adjacency):
    mu, given = 1.0 / sigma, {"floor": 1e-10}
    data = gaussian_proof() | {"mechanism": ny.Gaussian(sigma).to_dict(), "adjacency": adjacency, "places": []}
    above, below = mu * (1 + 1e-9), mu * (1 - 1e-9)
    slight = float(apart_from(arb(mu), arb(above)))
    rows = [
        ("true", "mu", given, "at_most", above), ("true", "mu", given, "at_least", below),
        ("false", "mu", given, "at_most", below), ("false", "mu", given, "at_least", above),
        ("true", "regret", {**given, "mu": above}, "at_most", slight * (1 + 1e-6)),
        ("true", "regret", {**given, "mu": above}, "at_least", slight * (1 - 1e-6)),
        ("false", "regret", {**given, "mu": above}, "at_most", slight * (1 - 1e-6)),
        ("false", "regret", {**given, "mu": above}, "at_least", slight * (1 + 1e-6)),
        ("true", "shortfall", {**given, "mu": above}, "at_most", 0.0),
        ("false", "shortfall", {**given, "mu": below}, "at_most", slight * (1 - 1e-6)),
        ("true", "regret", {**given, "mu": below}, "at_most", 0.0),
        ("false", "regret", {**given, "mu": above}, "at_most", 0.0),
        ("false", "regret", {**given, "mu": below}, "at_most", -1e-300),
    ]  # fmt: skip
    data["statements"] = [
        {"id": f"{truth} {i}", "quantity": quantity, "given": told, side: value}
        for i, (truth, quantity, told, side, value) in enumerate(rows)
    ]
    answers = check(data)
    assert [one.verdict for one in named(answers, "true")] == ["proved"] * 6
    assert "proved" not in {one.verdict for one in named(answers, "false")}


def test_two_gaussians_are_furthest_apart_at_nought():
    for one, other in ((1.0, 1.3), (0.2, 0.20001), (2.0, 9.0)):
        mu, more = arb(one), arb(other)
        gaps = [
            (gaussian_delta(more, e) - gaussian_delta(mu, e)) / (1 + e.exp())
            for e in (arb(k) / 20 for k in range(-200, 201))
        ]
        whole = apart_from(mu, more)
        assert all(gap <= whole + arb("1e-30") for gap in gaps)
        assert abs(gaps[200] - whole) < arb("1e-30")
        assert apart_from(more, mu) == 0


def test_the_ends_of_a_curve_alone():
    curve = GaussianCurve(ONE, [])
    assert curve.at_least(arb(0)) == 1
    assert curve.at_most(arb(1)) == 0
    with pytest.raises(cell.NotProved):
        curve.at_least(arb(-1))


def test_truths_of_the_mix_are_told_apart():
    truth = mixed_truth()
    assert 0 < truth["shortfall"][1] < truth["regret"][1] < 1
    assert math.isclose(truth["mu"][1], 1.38, rel_tol=0.1)


def test_many_cells_and_places_are_counted_too():
    """Questions at each of which every cell is looked at."""
    data = mixed_proof("lines")
    data["cells"] = [{**data["cells"][i % len(data["cells"])], "terms": 3, "radius": 1e-6} for i in range(1000)]
    data["statements"] = [{**data["statements"][0], "id": f"{i}", "at_most": 1.0 + 1e-4 * i} for i in range(1000)]
    start = time.process_time()
    check(data, 3_000_000)
    assert time.process_time() - start < 8.0
