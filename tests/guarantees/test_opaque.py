"""Boxes known by a guarantee alone: they compose like the worst mechanism that keeps it, certified from both sides."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman import GDP, InvalidParameter, Opaque, account, compose_tradeoffs
from neyman.engines.closed_form.pairs import ClosedForm, GaussianProfile, LaplaceProfile, SampledProfile
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.losses.enclosed.step import EnclosedStep
from neyman.profiles.pair import Pair
from tests.effort import examples, rest_slow

EPS = np.array([0.0, 0.3, 1.0, 2.5, 6.0])


class Known(ClosedForm):
    """A profile and nothing else: no engine can tell what it is."""

    def __init__(self, inner):
        self.inner = inner

    @property
    def method(self):
        return "known"

    @property
    def end(self):
        return self.inner.end

    @property
    def tail_mu(self):
        return self.inner.tail_mu

    def bracket(self, epsilon):
        return self.inner.bracket(epsilon)

    def slope(self, epsilon):
        return self.inner.slope(epsilon)


class Hidden(PessimisticGuarantee):
    def __init__(self, inner):
        forward = Known(inner.sides.forward)
        backward = forward if inner.sides.symmetric else Known(inner.sides.backward)
        super().__init__(Pair(forward, backward), inner.adjacency)


def message(call):
    with pytest.raises(InvalidParameter) as caught:
        call()
    return str(caught.value)


def enclosing(found, exact, epsilon=EPS, width=None):
    """The bracket of ``found`` holds the truth, of which ``exact`` has one, and is that narrow where delta > 0."""
    a, b = found.sides.bracket(epsilon), exact.sides.bracket(epsilon)
    assert np.all(a.lower <= b.upper)
    assert np.all(b.lower <= a.upper)
    assert np.all(a.log_gap_lower <= b.log_gap_upper)
    assert np.all(b.log_gap_lower <= a.log_gap_upper)
    if width is not None:
        some = b.upper > 1e-12
        assert np.all((a.upper - a.lower)[some] <= width * a.upper[some])


# what is known exactly


@given(st.floats(1e-3, 30.0), st.floats(1e-3, 30.0))
@examples(15, 1000)
def test_gaussians_compose_by_pythagoras(a, b):
    exact = math.hypot(a, b)
    for g in (compose_tradeoffs(GDP(a), GDP(b)), GDP(a) * GDP(b), account(Opaque(GDP(a)) * Opaque(GDP(b)))):
        assert g.mu() == pytest.approx(exact, rel=1e-12)
        assert g.delta(EPS) == pytest.approx(GDP(exact).delta(EPS), rel=1e-11)


@given(st.floats(0.0, 5.0), st.integers(1, 20))
@examples(15, 500)
def test_pure_and_approximate_boxes_are_the_worst_mechanisms(epsilon, n):
    pairs = (
        (ny.PureDP(epsilon), ny.PureMechanism(epsilon)),
        (ny.ApproximateDP(epsilon, 1e-6), ny.ApproximateMechanism(epsilon, 1e-6)),
        (ny.ApproximateDP(epsilon, 0.0), ny.RandomizedResponse(epsilon)),
    )
    for g, m in pairs:
        exact = account(m**n)
        assert np.array_equal((g**n).delta(EPS), exact.delta(EPS))
        assert np.array_equal(account(Opaque(g) ** n).delta(EPS), exact.delta(EPS))
        assert np.array_equal(
            account(Opaque(g).poisson(0.25) ** n).delta(EPS), account(m.poisson(0.25) ** n).delta(EPS)
        )


def test_computed_guarantees_compose_by_their_own_losses():
    m1, m2 = ny.DPSGD(1.0, 0.01, 100), ny.Gaussian(2.0) * ny.Laplace(1.0) ** 2
    whole = account(m1 * m2)
    for g in (account(m1) * account(m2), account(Opaque(account(m1)) * m2), account(Opaque(account(m1) * account(m2)))):
        assert g.delta(EPS) == pytest.approx(whole.delta(EPS), rel=1e-11)
        assert g.optimistic.delta(EPS) == pytest.approx(whole.optimistic.delta(EPS), rel=1e-11)
    assert np.array_equal((account(m1) ** 3).delta(EPS), account(m1**3).delta(EPS))
    one_way = account(m1, "remove") * account(m2, "remove")
    assert one_way.adjacency == "remove"
    assert one_way.delta(EPS) == pytest.approx(account(m1 * m2, "remove").delta(EPS), rel=1e-11)


def test_edges_of_a_curve_are_outcomes():
    curve = ny.Tradeoff([0.0, 0.25, 0.625, 1.0], [1.0, 0.5, 0.125, 0.0])
    table = ny.Tabulated(p=[0.5, 0.375, 0.125], q=[0.25, 0.375, 0.375])
    assert np.array_equal((curve**4).delta(EPS), account(table**4).delta(EPS))
    revealing = ny.Tradeoff([0.0, 0.5], [0.75, 0.0])  # the record shows with probability 1/4, its absence with 1/2
    table = ny.Tabulated(p=[0.25, 0.75, 0.0], q=[0.0, 0.5, 0.5])
    enclosing(revealing**3, account(table**3), width=1e-12)


def test_pairs_of_epsilon_and_delta_are_corners():
    same = ny.Profile([1.0], [1e-3]) ** 3, ny.ApproximateDP(1.0, 1e-3) ** 3
    enclosing(*same, width=1e-9)
    two = ny.Profile([0.5, 2.0], [0.2, 0.0])

    assert (two**2).delta(1.0) <= (ny.ApproximateDP(0.5, 0.2) ** 2).delta(1.0)
    assert (two**5).epsilon(0.0) == pytest.approx(10.0)


def test_the_extremes():
    assert account(Opaque(ny.PERFECT) ** 5).advantage == 0.0
    assert account(Opaque(ny.BLATANT) * ny.Gaussian(5.0)).advantage == 1.0
    assert (ny.ApproximateDP(1.0, 1.0) * GDP(1.0)).advantage == 1.0
    assert (ny.BLATANT * ny.PERFECT).delta(3.0) == 1.0
    assert (GDP(2.0) ** 0).advantage == 0.0
    assert (GDP(0.0) * GDP(3.0)).mu() == 3.0


# what is enclosed


def summed(outcomes, epsilon, remove):
    """delta of a list of outcomes, as plainly as can be."""
    loss = outcomes.loss if remove else -outcomes.loss
    log_p = outcomes.log_p if remove else outcomes.log_q
    terms = np.exp(log_p) * np.maximum(-np.expm1(np.subtract.outer(epsilon, loss)), 0.0)
    return terms.sum(axis=1) + outcomes.infinite[0 if remove else 1]


def cases():
    laplace, gaussian = LaplaceProfile(1.0, 1.04), GaussianProfile(1.0)
    sampled = [SampledProfile((laplace, laplace), 0.3, d) for d in ("remove", "add")]
    rare = [SampledProfile((gaussian, gaussian), 0.01, d) for d in ("remove", "add")]
    response = ny.PureDP(1.1).sides.forward
    wide, small = GaussianProfile(8.0), GaussianProfile(1e-5)
    revealing = ny.Profile([0.3, 1.0], [0.2, 1e-4]).sides.forward
    tilted = ny.Tradeoff([0.0, 0.2, 1.0], [0.9, 0.3, 0.0]).sides
    pairs = [(p, p) for p in (gaussian, laplace, response, wide, small, revealing)]
    return [*pairs, sampled, pytest.param(rare, marks=pytest.mark.slow), (tilted.forward, tilted.backward)]


@pytest.mark.parametrize("pair", cases(), ids=lambda pair: type(pair[0]).__name__)
@examples(2, 30)
@given(share=st.floats(1e-3, 0.3), spots=st.lists(st.floats(0.0, 1.3), min_size=20, max_size=20))
def test_one_law_is_above_the_truth_and_one_below(pair, share, spots):
    step = EnclosedStep(ny.PERFECT, 1.0, *pair, quick=True)
    below, above = (step.law(share * step.spread, above) for above in (False, True))
    epsilon = np.array([0.0, *spots]) * min(step.reach, 12.0 * step.spread)
    for side, remove in zip(pair, (True, False), strict=True):
        truth = side.bracket(epsilon)
        low, high = summed(below.outcomes, epsilon, remove), summed(above.outcomes, epsilon, remove)
        assert np.all(low <= truth.upper * (1.0 + 1e-13) + 1e-300)
        assert np.all(high >= truth.lower * (1.0 - 1e-13))
        assert np.all(high - low <= 40.0 * share * truth.upper[0] + 1e-30)
    for law in (below.outcomes, above.outcomes):
        assert np.exp(law.log_p).sum() + law.infinite[0] == pytest.approx(1.0, abs=1e-7)
        assert np.exp(law.log_q).sum() + law.infinite[1] == pytest.approx(1.0, abs=1e-7)


def test_enclosing_laws_state_what_their_masses_are_moved_by():
    forward = ny.ZCDP(0.125).sides.forward
    step = EnclosedStep(ny.PERFECT, 1.0, forward, forward)
    for law in (step.law(0.05 * step.spread, above) for above in (False, True)):
        assert law.outcomes.weighed(law) is law.outcomes  # the guard lets them pass,
        assert law.outcomes.relative < 1e-6  # and still tells


@pytest.mark.parametrize(
    ("guarantee", "times", "exact", "width"),
    rest_slow([
        (GDP(1.0), 2, ny.Gaussian(1.0) ** 2, 2e-6),
        (GDP(0.1), 100, ny.Gaussian(1.0), 1e-5),
        (GDP(6.0), 3, ny.Gaussian(1 / 6.0) ** 3, 2e-6),
        (account(ny.Laplace(2.0)), 4, ny.Laplace(2.0) ** 4, 2e-5),
        (ny.PureDP(0.7), 5, ny.RandomizedResponse(0.7) ** 5, 5e-5),
        (ny.ApproximateDP(0.7, 1e-3), 3, ny.ApproximateMechanism(0.7, 1e-3) ** 3, 5e-5),
    ], 4, 5),
    ids=lambda value: repr(value)[:30],
)  # fmt: skip
def test_with_the_structure_hidden_the_truth_is_enclosed(guarantee, times, exact, width):
    found = Hidden(guarantee) ** times
    enclosing(found, account(exact), np.array([0.0, 0.3, 1.0, 1.9]), width)
    assert found.method.endswith("of enclosing laws")


@pytest.mark.parametrize(
    "other", [ny.Gaussian(2.0), ny.DPSGD(1.0, 0.1, 20), ny.PureMechanism(0.3) ** 3, ny.ApproximateMechanism(0.2, 1e-5)]
)
def test_hidden_boxes_among_other_mechanisms(other):
    box = Opaque(Hidden(GDP(1.0)))
    enclosing(account(box * other, tolerance=1e-4), account(ny.Gaussian(1.0) * other), width=1e-4)


def test_one_box_alone_is_its_guarantee():
    zcdp = ny.ZCDP(0.5)
    found = account(Opaque(zcdp), tolerance=1e-2)
    assert np.array_equal(found.sides.bracket(EPS).upper, zcdp.sides.bracket(EPS).upper)
    assert found.tail_mu == zcdp.tail_mu


@pytest.mark.slow
def test_zcdp_boxes():
    n, rho = 4, 0.05
    found = ny.ZCDP(rho) ** n
    attained = GDP(math.sqrt(2.0 * rho * n)).sides.bracket(EPS)  # a Gaussian keeps the promise
    bracket = found.sides.bracket(EPS)
    assert np.all(bracket.lower <= bracket.upper)
    assert np.all(bracket.upper >= attained.lower)
    assert np.all((bracket.upper - bracket.lower)[:3] <= 5e-3 * bracket.upper[:3])
    # both roads hold: boxes by their curve in the middle, rho added up in the tail
    added = ny.ZCDP(n * rho)
    assert found.advantage < added.advantage
    assert found.epsilon(1e-9) <= added.epsilon(1e-9) * (1.0 + 1e-9)


@pytest.mark.slow
def test_zcdp_boxes_among_other_mechanisms():
    rho = 0.05
    mixed = account(Opaque(ny.ZCDP(rho)) * ny.Gaussian(2.0), tolerance=1e-2)
    assert mixed.advantage >= GDP(math.hypot(math.sqrt(2.0 * rho), 0.5)).optimistic.advantage


def test_rdp_boxes_are_above_what_keeps_them():
    orders = np.array([1.5, 2.0, 4.0, 8.0, 16.0])
    found = account(Opaque(ny.RDP(orders, 0.02 * orders)) ** 3, tolerance=0.5)  # Gaussian with mu = 0.2
    assert np.all(found.sides.bracket(EPS[:3]).upper >= GDP(0.2 * math.sqrt(3.0)).sides.bracket(EPS[:3]).lower)


# sampling


@given(st.floats(0.05, 5.0), st.floats(1e-3, 0.999))
@examples(15, 500)
def test_sampled_gaussian_boxes_are_sampled_gaussians(mu, rate):
    ((step, _),) = (Opaque(GDP(mu)).poisson(rate)).losses()
    assert step.rate == rate
    assert step.sigma <= 1.0 / mu * (1.0 + 1e-15)
    once = account(Opaque(GDP(mu)).poisson(rate)), account(Opaque(Hidden(GDP(mu))).poisson(rate))
    enclosing(*once, width=1e-9)


@pytest.mark.slow  # one step of one is tried in every run, above
@pytest.mark.parametrize("adjacency", ["add_or_remove", "add", "remove"])
def test_sampled_boxes_enclose_what_is_in_them(adjacency):
    box = Opaque(Hidden(GDP(1.0))).poisson(0.3)
    exact = account(ny.DPSGD(1.0, 0.3, 5), adjacency)
    enclosing(account(box**5, adjacency), exact, width=1e-5)
    whole = Opaque(account(ny.Gaussian(2.0) ** 4)).poisson(0.3)  # one sample for all: a Gaussian with mu = 1
    assert account(whole, adjacency).delta(0.5) >= account(ny.DPSGD(1.0, 0.3, 1), adjacency).optimistic.delta(0.5)


# neighbours


def test_what_is_promised_for_some_neighbours():
    g = account(ny.Laplace(1.0).poisson(0.3) ** 2, "add")
    both = account(Opaque(Hidden(g)) ** 2, "add")
    enclosing(both, account(ny.Laplace(1.0).poisson(0.3) ** 4, "add"), np.array([0.0, 0.2, 0.5]), 1e-4)
    promised = account(ny.Gaussian(1.0))
    assert account(Opaque(promised), "add").delta(1.0) == promised.delta(1.0)
    replaced = account(ny.Gaussian(1.0), "replace")
    assert account(Opaque(replaced) ** 2, "replace").mu() == pytest.approx(math.sqrt(8.0), rel=1e-12)
    box = Opaque(GDP(1.0), adjacency="replace")
    assert account(box * ny.Gaussian(1.0), "replace").mu() == pytest.approx(math.sqrt(5.0), rel=1e-12)
    assert (account(ny.Gaussian(1.0), "replace") ** 4).adjacency == "replace"


@pytest.mark.parametrize("hull", [False, True])  # whether rounding has left a corner that is none
def test_a_curve_that_is_not_symmetric_is_the_one_for_the_neighbours_stated(hull):
    corners = ([0.0, 0.05, 0.1, 1.0], [1.0, 0.75, 0.5, 0.0]) if hull else ([0.0, 0.1, 1.0], [1.0, 0.5, 0.0])
    curve, alphas = ny.Tradeoff(*corners), np.array([0.0, 0.05, 0.1, 0.3, 1.0])
    for adjacency in ("add", "remove"):
        box = Opaque(curve, adjacency)
        once = account(box, adjacency)
        assert once.beta(alphas) == pytest.approx(curve.beta(alphas), abs=1e-12)
        assert once.adjacency == adjacency
    exact = account(ny.Tabulated(p=[0.1, 0.9], q=[0.5, 0.5]).poisson(0.3), "add")
    enclosing(account(Opaque(curve, "add").poisson(0.3), "add"), exact, EPS[:3], 1e-9)
    # for both orders either curve holds, and they are not taken for one another
    both = account(Opaque(curve, "add") * Opaque(curve), "add")
    mixed = account(ny.Tabulated(p=[0.1, 0.9], q=[0.5, 0.5]) * ny.Tabulated(p=[0.5, 0.5], q=[0.1, 0.9]), "add")
    enclosing(both, mixed, EPS[:3])


def test_curves_that_are_level_at_last():
    level, short = ny.Tradeoff([0.0, 0.3, 0.6, 1.0], [1.0, 0.0, 0.0, 0.0]), ny.Tradeoff([0.0, 0.3], [1.0, 0.0])
    assert level.tail_mu == math.inf
    assert (level**2).delta(EPS) == pytest.approx((short**2).delta(EPS), rel=1e-14)


ONLY = "promises nothing else; Opaque(guarantee, adjacency=...) says what a given guarantee is for."
OPEN = 'one of "add_or_remove", "add", "remove"'
REFUSED = [
    (lambda: Opaque(1.0), "guarantee must be a Guarantee, got 1.0. Lower bounds (optimistic) promise nothing."),
    (
        lambda: account(Opaque(GDP(1.0)), "replace"),
        f"adjacency must be {OPEN}, got 'replace'. Opaque(GDP(mu=1.0)) {ONLY}",
    ),
    (
        lambda: account(Opaque(GDP(1.0)).poisson(0.5) ** 2, "replace"),
        f"adjacency must be {OPEN}, got 'replace'. Opaque(GDP(mu=1.0)) {ONLY}",
    ),
    (
        lambda: Opaque(GDP(1.0)).losses(replace=True),
        f"adjacency must be {OPEN}, got 'replace'. Opaque(GDP(mu=1.0)) {ONLY}",
    ),
    (
        lambda: account(Opaque(GDP(1.0), "replace")),
        f"adjacency must be \"replace\", got 'add_or_remove'. Opaque(GDP(mu=1.0), adjacency='replace') {ONLY}",
    ),
    (
        lambda: account(Opaque(GDP(1.0), "add"), "remove"),
        f"adjacency must be \"add\", got 'remove'. Opaque(GDP(mu=1.0), adjacency='add') {ONLY}",
    ),
    (
        lambda: account(Opaque(GDP(1.0), "replace").poisson(0.5), "replace"),
        (
            "rate must be 1 for Opaque(GDP(mu=1.0), adjacency='replace'), got 0.5. No proof is known of which pair is "
            "worst when a record is exchanged inside a sampled black box."
        ),
    ),
    (
        lambda: Opaque(GDP(1.0), "swap"),
        "adjacency must be one of 'add_or_remove', 'add', 'remove', 'replace', got 'swap'. Did you mean 'replace'?",
    ),
    (
        lambda: Opaque(account(ny.Gaussian(1.0)), "replace"),
        f"adjacency must be {OPEN}, got 'replace'. A computed guarantee holds for the neighbours it was computed for.",
    ),
    (lambda: compose_tradeoffs(), "guarantees must be at least one, got (). Nothing at all is PERFECT."),
    (
        lambda: compose_tradeoffs(GDP(1.0), 2.0),
        "guarantees[1] must be a Guarantee, got 2.0. Lower bounds (optimistic) promise nothing.",
    ),
    (
        lambda: GDP(1.0) * account(ny.Gaussian(1.0), "replace"),
        (
            "guarantees[1].adjacency must be \"add_or_remove\", that of the first, got 'replace'. Promises for other "
            "neighbours do not compose; an Opaque says what a given guarantee is for."
        ),
    ),
    (
        lambda: compose_tradeoffs(GDP(1.0), tolerance=math.nan),
        "tolerance must be a number in (9.9e-13, 1), got nan.",
    ),
    *(
        (
            lambda value=value: compose_tradeoffs(GDP(1.0), effort=value),
            f"effort must be a finite number > 0, got {value}.",
        )
        for value in (0.0, -1.0, math.nan)
    ),
    (lambda: GDP(1.0) ** -1, "n must be a whole number from 0 to 1e+18, got -1."),
]


@pytest.mark.parametrize(("call", "said"), REFUSED)
def test_refusals(call, said):
    assert message(call) == said


def test_lower_bounds_promise_nothing():
    lower = GDP(1.0).optimistic
    for call in (lambda: Opaque(lower), lambda: compose_tradeoffs(GDP(1.0), lower), lambda: lower**2):
        assert message(call).endswith("Lower bounds (optimistic) promise nothing.")
    with pytest.raises(TypeError):
        GDP(1.0) * 2.0


def test_a_product_takes_the_effort_that_is_allowed():
    parts = account(ny.DPSGD(0.6, 0.02, 5)), GDP(1.0)
    with pytest.raises(ny.NotCertified, match=r"compose_tradeoffs\(\) to accept it, or a larger effort"):
        compose_tradeoffs(*parts, effort=1e-6).epsilon(1e-5)
    assert compose_tradeoffs(*parts, effort=20.0).epsilon(1e-5) == (parts[0] * parts[1]).epsilon(1e-5)


@pytest.mark.slow
def test_what_is_wider_than_asked_is_not_certified():
    g = account(Opaque(Hidden(GDP(1.0))) ** 10, tolerance=1e-9)
    with pytest.raises(ny.NotCertified, match=r"pass a larger tolerance to account\(\) to accept it"):
        g.delta(0.5)


def test_products_take_as_much_effort_as_what_they_are_made_of():
    usual, more = (ny.account(ny.DPSGD(1.0, 0.01, 10), effort=effort) for effort in (5.0, 30.0))
    assert [g.effort.seconds for g in (usual**2, more**2, usual * more, ny.GDP(1.0) * ny.GDP(1.0))] == [
        10.0,
        30.0,
        30.0,
        10.0,
    ]
    assert ny.compose_tradeoffs(usual, more, effort=20.0).effort.seconds == 20.0
