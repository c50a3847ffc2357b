"""rho: what is true to 1e-6 is proved, what is false by 1e-9 never."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from flint import acb, arb, ctx

import neyman as ny
from neyman_check import NotProved, check
from neyman_check.claims import concentrated as room
from neyman_check.deltas.exact import Outcomes
from neyman_check.mechanism import laws_of
from neyman_check.work import Work
from tests.effort import rest_slow

FREE = Work(128).spend


def slopes(law, t):
    """D_t / t in both directions, of a list of (p, q)."""
    found = []
    for way in (law, [(b, a) for a, b in law]):
        if t == 1.0:
            found.append(math.fsum(a * math.log(a / b) for a, b in way))
            continue
        powers = [t * math.log(a) + (1 - t) * math.log(b) for a, b in way]
        top = max(powers)
        found.append((top + math.log(math.fsum(math.exp(x - top) for x in powers))) / (t * (t - 1)))
    return found


def largest(law, way=None):
    """The order, and the largest D_t / t."""

    def slope(t):
        return max(slopes(law, t)) if way is None else slopes(law, t)[way]

    grid = [1.0, *(1 + 10 ** (k / 200) for k in range(-800, 600))]
    i = max(range(len(grid)), key=lambda k: slope(grid[k]))
    if i == 0:
        return 1 + 1e-9, slope(1.0)
    low, high = grid[i - 1], grid[min(i + 1, len(grid) - 1)]
    t = max((low + (high - low) * k / 2000 for k in range(1, 2001)), key=slope)
    return t, slope(t)


def judged(mechanism, truth, order, adjacency="add_or_remove", near=1e-6):
    data = {
        "format": "neyman-proof", "version": 1, "bits": 128, "mechanism": mechanism.to_dict(), "adjacency": adjacency,
        "lines": [], "places": [{"direction": way, "epsilon": 0.0, "line": None} for way in ("remove", "add")],
        "statements": [
            {"id": f"{word} {side}", "quantity": "zcdp", "given": {"order": order}, side: truth * x}
            for word, side, x in (
                ("true", "at_most", 1 + near), ("true", "at_least", 1 - near),
                ("false", "at_most", 1 - 1e-9), ("false", "at_least", 1 + 1e-9),
            )
        ],
    }  # fmt: skip
    answers = check(data)
    assert {one.verdict for one in answers if one.id.startswith("true")} == {"proved"}
    assert "proved" not in {one.verdict for one in answers if one.id.startswith("false")}


@pytest.mark.parametrize("epsilon", [0.125, 1.0, 4.0])
def test_randomised_response(epsilon):
    """D_t / t falls from t = 1 on, where it is the Kullback-Leibler divergence."""
    judged(ny.RandomizedResponse(epsilon, 2), epsilon * math.tanh(epsilon / 2), 1 + 1e-9)


TABLES = [
    ((0.01, 0.29, 0.7), (0.0001, 0.3, 0.6999)), ((1e-4, 0.5, 0.4999), (1e-8, 0.25, 0.74999999)),
    ((0.5, 0.3, 0.2), (0.4, 0.3, 0.3)),
]  # fmt: skip


@pytest.mark.parametrize(("p", "q"), TABLES)
@pytest.mark.parametrize("adjacency", ["add_or_remove", "remove", "add"])
def test_tables(p, q, adjacency):
    law = [(a / math.fsum(p), b / math.fsum(q)) for a, b in zip(p, q, strict=True)]
    order, truth = largest(law, {"remove": 0, "add": 1}.get(adjacency))
    judged(ny.Tabulated(p, q) ** 3, 3 * truth, order, adjacency)


def test_beside_normal_noise():
    law = [(a, b) for a, b in zip(*TABLES[0], strict=True)]
    order, truth = largest(law)
    judged(ny.Tabulated(*TABLES[0]) * ny.Gaussian(2.0) ** 2, truth + 0.25, order)


def test_laplace():
    """Largest at t = 1, where D is d - 1 + e^-d; and the engine says the same."""
    truth = 4 * (1 + math.exp(-2.0))
    judged(ny.Laplace(0.5) ** 4, truth, 1 + 1e-9)
    g = ny.account(ny.Laplace(0.5) ** 4)
    assert g.optimistic.zcdp() <= truth * (1 + 1e-12)
    assert truth <= g.zcdp() * (1 + 1e-12)


@pytest.mark.parametrize(
    ("mechanism", "rho"), [(ny.Gaussian(2.0) ** 3, 0.375), (ny.Gaussian(2.0).poisson(0.25) * ny.Gaussian(0.5), 2.125)]
)
def test_normal_noise(mechanism, rho):
    judged_where_listed = ny.DiscreteGaussian(0.5, 2)
    laws = laws_of(mechanism.to_dict(), "add_or_remove")
    assert room.at_most(laws, True, arb(rho), FREE)
    assert room.at_least(laws, True, arb(rho), arb(2), FREE)
    assert not room.at_most(laws, True, arb(rho) * (1 - arb(1e-9)), FREE)
    assert not room.at_least(laws, True, arb(rho) * (1 + arb(1e-9)), arb(1e9), FREE)
    judged(judged_where_listed, 8.0, 2.0)


def test_one_direction_of_sampled_noise_has_a_bounded_loss():
    """As orders grow: log(1 / (1 - q)) / t."""
    laws = laws_of(ny.Gaussian(2.0).poisson(0.25).to_dict(), "add")
    assert not room.at_least(laws, False, arb("0.1"), arb(1e9), FREE)
    assert room.at_least(laws, True, arb("0.1249"), arb(1e9), FREE)


def test_orders_beyond_the_last(monkeypatch):
    """Half of the largest loss ends the search before the order that counts."""
    p, q = (1e-6, 1 - 1e-6), (1e-6 * math.exp(-10), 1 - 1e-6 * math.exp(-10))
    _, truth = largest(list(zip(p, q, strict=True)), 0)
    laws = laws_of(ny.Tabulated(p, q).to_dict(), "remove")
    false = arb(truth) * arb("0.995")
    assert not room.at_most(laws, True, false, FREE)
    whole = room.largest_loss
    monkeypatch.setattr(room, "largest_loss", lambda *a: whole(*a) / 2)
    assert room.at_most(laws, True, false, FREE)


def test_what_is_not_known():
    laws = laws_of(ny.ApproximateMechanism(1.0, 1e-3).to_dict(), "add_or_remove")
    with pytest.raises(NotProved, match="rho"):
        room.at_most(laws, True, arb(100), FREE)


def power(d, q, t, adjacency):
    """A of one sampled Laplace step at an order, piece by piece, by Arb's integration."""
    d, q, far = arb(d), arb(q), 60 + d

    def piece(low, high, *signs):
        def value(y, _):
            none, one, other = ((s * (y - m)).exp() / 2 for s, m in zip(signs, (0, d, -d), strict=True))
            present, absent = (1 - q) * none + q * one, (1 - q) * none + q * other if adjacency == "replace" else none
            p, r = (absent, present) if adjacency == "add" else (present, absent)
            return (t * p.log() + (1 - t) * r.log()).exp()

        return acb.integral(value, acb(low), acb(high)).real

    return piece(-far, -d, 1, 1, 1) + piece(-d, 0, 1, 1, -1) + piece(0, d, -1, 1, -1) + piece(d, far, -1, -1, -1)


@pytest.mark.parametrize("adjacency", ["remove", "add", "replace"])
@pytest.mark.parametrize(("d", "q", "times"), rest_slow([(0.5, 0.25, 1), (4.0, 0.0625, 3)], 0))
def test_sampled_laplace_steps(adjacency, d, q, times):
    laws = laws_of((ny.Laplace(1.0 / d).poisson(q) ** times).to_dict(), adjacency)
    way, known = adjacency != "add", []
    for t in (1.5, 4.0):
        known.append(times * power(d, q, arb(t), adjacency).log() / (arb(t) * (arb(t) - 1)))
        assert room.at_least(laws, way, known[-1] * (1 - arb(1e-9)), arb(t), FREE)
        assert not room.at_least(laws, way, known[-1] * (1 + arb(1e-9)), arb(t), FREE)
    rho = max(known, key=lambda x: float(x.mid()))
    assert not room.at_most(laws, way, rho * (1 - arb(1e-6)), FREE)
    assert room.at_most(laws, way, rho * arb("1.3"), FREE)


def added(sigma, q, t):
    """A(1 - t) of one sampled normal step, by Arb's integration."""

    def value(x, _):
        taken = 1 - arb(q) + arb(q) * ((2 * x - 1) / (2 * arb(sigma) ** 2)).exp()
        return ((1 - t) * taken.log() - x * x / (2 * arb(sigma) ** 2)).exp()

    ends = [k * sigma for k in range(-16, 17)]
    whole = sum((acb.integral(value, acb(a), acb(b)).real for a, b in pairwise(ends)), arb(0))
    return whole / (arb(sigma) * (2 * arb.pi()).sqrt())


def added_integers(sigma, q, t):
    """The same of integers."""
    mass = [(-(arb(x) ** 2) / (2 * arb(sigma) ** 2)).exp() for x in range(-80, 81)]
    taken = [1 - arb(q) + arb(q) * ((2 * arb(x) - 1) / (2 * arb(sigma) ** 2)).exp() for x in range(-80, 81)]
    return sum((m * g ** (1 - t) for m, g in zip(mass, taken, strict=True)), arb(0)) / sum(mass, arb(0))


ADDED = [
    (added, lambda s: ny.Gaussian(s), 0.3, 0.2, 10), (added, lambda s: ny.Gaussian(s), 2.0, 0.3, 30),
    (added, lambda s: ny.Gaussian(s), 0.5, 2.0**-13, 13331), (added, lambda s: ny.Gaussian(s), 4.0, 0.125, 50),
    (added_integers, lambda s: ny.DiscreteGaussian(s), 0.875, 0.1875, 1),
    (added_integers, lambda s: ny.DiscreteGaussian(s), 3.0, 0.5, 4),
]  # fmt: skip


@pytest.mark.parametrize(("moment", "noise", "sigma", "q", "times"), rest_slow(ADDED, 2, 4))
def test_sampled_noise_of_a_record_added(moment, noise, sigma, q, times):
    """What is true to 1e-6 is proved, what is false by 1e-7 never; orders from next to 1 on are looked at."""
    laws = laws_of((noise(sigma).poisson(q) ** times).to_dict(), "add")

    def slope(t):
        return times * moment(sigma, q, t).log() / (t * (t - 1))

    orders = [arb(1 + 10.0 ** (k / 4)) for k in range(-24, 12)]
    found = max(orders, key=lambda t: float(slope(t).mid()))
    truth = slope(found)
    assert room.at_least(laws, False, truth * (1 - arb(1e-9)), found.mid(), FREE)
    assert not room.at_least(laws, False, truth * (1 + arb(1e-9)), found.mid(), FREE)
    assert not room.at_most(laws, False, truth * (1 - arb(1e-7)), FREE)

    def near(x):
        return slope(found + (found - 1) * arb(x) / 50)

    rough = max(range(-49, 80, 8), key=lambda x: float(near(x).mid()))  # it has one summit
    best = max((near(x) for x in range(max(rough - 7, -49), rough + 8)), key=lambda v: float(v.mid()))
    assert room.at_most(laws, False, best * (1 + arb(2e-5)), FREE)


def test_what_is_not_listed_of_a_record_added_counts():
    """Were nothing taken for it a moment would be too small."""
    with ctx.workprec(128):
        (law,) = laws_of(ny.DiscreteGaussian(3.0).poisson(0.96875).to_dict(), "add")
        truth = law.falling(arb(-3))
        by_size = sorted(law.outcomes, key=lambda one: -float(one[1]))
        lost = arb(max(sum(float(one[k]) for one in by_size[9:]) for k in (0, 1)) * (1 + 1e-9))
        few = replace(law, outcomes=tuple(by_size[:9]), lost=lost)
        assert few.real(arb(-3), None) < truth
        assert few.falling(arb(-3)).contains(truth)
        assert not replace(few, lost=lost / 10**5).falling(arb(-3)).contains(truth)


def test_a_record_added_has_a_largest_loss_on_the_integers_too():
    """-T log(1 - q): from there on nothing is left, a little before something is."""
    laws = laws_of((ny.DiscreteGaussian(1.0).poisson(0.25) ** 3).to_dict(), "add")
    end = room.largest_loss(laws, False)
    assert end.overlaps(-3 * arb("0.75").log())
    listed = Outcomes(laws, False, Work(128))
    assert listed.delta(end.lower() * (1 - arb("1e-6"))).lower > 0
    assert listed.delta(end.upper() * (1 + arb("1e-9"))).lower <= 0
    with pytest.raises(NotProved, match="without end"):
        room.largest_loss(laws, True)


def test_a_sampled_laplace_step_out_of_reach():
    for size in (1e-300, 1e-5, 1e5, 1e300):
        data = {
            "schema": 1,
            "kind": "poisson",
            "rate": 0.5,
            "of": {"kind": "laplace", "scale": size, "sensitivity": 1.0},
        }
        for adjacency in ("add_or_remove", "replace"):
            laws = laws_of(data, adjacency)
            try:
                assert not room.at_most(laws, True, arb(1), FREE) or size > 1.0
            except NotProved:
                continue


def test_rho_and_mu_with_no_floor_want_no_place():
    told = {"format": "neyman-proof", "version": 1, "bits": 128, "adjacency": "replace", "lines": [], "places": [],
            "mechanism": (ny.Laplace(2.0).poisson(0.125) ** 20).to_dict()}  # fmt: skip
    stated = [
        ("zcdp", 0.25, "proved"),
        ("zcdp", 0.01, "refuted"),
        ("tail_mu", 4.7, "proved"),
        ("tail_mu", 0.5, "not proved"),
    ]
    rows = [{"id": str(i), "quantity": q, "given": {}, "at_most": x} for i, (q, x, _) in enumerate(stated)]
    rows += [{"id": "delta", "quantity": "delta", "given": {"epsilon": 1.0}, "at_most": 0.5}]
    found = check({**told, "statements": rows})
    assert [one.verdict for one in found] == [*(verdict for _, _, verdict in stated), "not proved"]
    assert "no delta" in found[-1].reason
