"""Moments of the loss, the bound that follows from them, and dominance that emerges with composition."""

from __future__ import annotations

import math

import numpy as np
import pytest

import neyman as ny
from neyman.comparison import dominance_bound, dominates_after, emergent_dominance, moments
from tests.effort import crossed, rest_slow
from tests.reference.integrals import sampled_moments

STEPS = [
    ny.Gaussian(2.0), ny.Laplace(1.0), ny.Laplace(1.0).poisson(0.3), ny.Gaussian(2.0).poisson(9e-4),
    ny.DiscreteGaussian(2.0).poisson(0.1), ny.DiscreteGaussian(2.0), ny.RandomizedResponse(1.0, 4),
    ny.DiscreteLaplace(2.0), ny.Tabulated((0.5, 0.3, 0.2), (0.2, 0.3, 0.5)),
]  # fmt: skip


@crossed(
    ("direction", ["remove", "add"]),
    (("sigma", "rate"), [(1.0, 0.2), (2.0, 9e-4), (0.7, 0.9)]),
)
def test_moments_of_sampled_gaussians(sigma: float, rate: float, direction: str) -> None:
    m = moments(ny.Gaussian(sigma).poisson(rate), direction)
    assert [m.v1, m.v2, m.v3, m.v4] == pytest.approx(
        [float(v) for v in sampled_moments(sigma, rate, direction)], rel=1e-12
    )


@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_the_first_moment_is_a_divergence(step: ny.Mechanism) -> None:
    for direction, other in (("remove", "add"), ("add", "remove")):
        m = moments(step, direction)
        assert m.v1 == pytest.approx(ny.account(step, adjacency=other).renyi(1.0), rel=1e-11)
        assert m.v2 >= m.v1**2
        assert m.v4 <= (m.v3 ** (1 / 3) + m.v1) ** 3 * (1.0 + 1e-12)  # Minkowski


def test_moments_of_a_gaussian() -> None:
    m = moments(ny.Gaussian(2.0))
    assert (m.v1, m.v2, m.eta) == pytest.approx((0.125, 0.25 + 0.125**2, 0.25), rel=1e-12)
    assert m.v3 == pytest.approx(0.125 * 2.0 * math.sqrt(2.0 / math.pi), rel=1e-9)
    assert 2.0 * m.eta * math.sqrt(100) == pytest.approx(ny.account(ny.Gaussian(2.0) ** 100).mu(), rel=1e-9)


def test_the_bound_of_the_paper() -> None:
    """(2, 9e-4, 1.4e6) against (3, 9e-4, 3.4e6): printed below 1e-3; the formula gives 1.68e-3, and does not apply."""
    a, b = (moments(ny.Gaussian(s).poisson(9e-4)) for s in (2.0, 3.0))
    bound = dominance_bound(a, 1_400_000, b, 3_400_000)
    assert (f"{bound.value:.3g}", bound.applies) == ("0.00168", False)
    assert (f"{bound.ratio:.5f}", f"{bound.needed:.5f}") == ("0.41176", "0.41383")
    assert dominance_bound(b, 3_400_000, a, 1_400_000).applies


@pytest.mark.parametrize("n", rest_slow([1, 4, 30, 300], 0, 2))
def test_the_bound_holds_where_it_applies(n: int) -> None:
    pairs = [
        (ny.Laplace(1.0), ny.Gaussian(1.2)),
        (ny.RandomizedResponse(1.0), ny.Laplace(1.3)),
        (ny.Gaussian(1.0), ny.Laplace(1.0)),
    ]
    for a, b in pairs:
        bound = dominance_bound(moments(a), n, moments(b), n)
        if bound.applies:
            found = ny.compare(ny.account(a**n), ny.account(b**n))
            assert found.bounds[0].lower <= bound.value


@pytest.mark.slow
def test_dominance_emerges() -> None:
    a, b = ny.Laplace(1.0), ny.Gaussian(1.2)
    assert ny.compare(ny.account(a), ny.account(b)).order == "incomparable"
    found = dominates_after(a, b, 0.005)
    assert found.divergence <= 0.005 < found.before
    n = found.copies
    delta = [ny.compare(ny.account(a**k), ny.account(b**k)).bounds[0] for k in (n - 1, n)]
    assert delta[0].lower > 0.005 >= delta[1].upper
    assert dominates_after(ny.Gaussian(1.0), ny.Gaussian(1.1), 1e-6).copies == 1


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (ny.Gaussian(1.0) ** 2, "one step"), (ny.Gaussian(1.0) * ny.Laplace(1.0), "one step"), (1.0, "one step"),
        (ny.ApproximateMechanism(1.0, 1e-5), "without mass at infinity"),
        (ny.Opaque(ny.ZCDP(0.1)), "whose law is known"), (ny.PureMechanism(0.0), "shows something"),
    ],
)  # fmt: skip
def test_steps_without_moments(step: ny.Mechanism, words: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        moments(step)
    assert caught.value.name == "mechanism"
    assert words in str(caught.value)


def test_refusals() -> None:
    m = moments(ny.Laplace(1.0))
    for call, name in (
        (lambda: moments(ny.Laplace(1.0), "both"), "direction"),
        (lambda: dominance_bound(m, 0, m, 1), "copies_a"),
        (lambda: dominance_bound(m, 1, ny.Laplace(1.0), 1), "b"),
        (lambda: dominates_after(ny.Laplace(1.0), m, 0.1), "b"),
        (lambda: dominates_after(ny.Laplace(1.0), ny.Laplace(2.0), math.nan), "delta"),
        (lambda: dominates_after(ny.Laplace(1.0), ny.Laplace(2.0), 0.1, most=0), "most"),
        (lambda: dominates_after(ny.Laplace(2.0), ny.Laplace(1.0), 1e-3, most=4), "most"),
    ):
        with pytest.raises(ny.InvalidParameter) as caught:
            call()
        assert caught.value.name == name
    assert np.isfinite(m.error)


def test_the_smallest_number_is_that() -> None:
    a, b, limit = ny.Laplace(1.0), ny.Gaussian(1.15), 1e-3
    found = dominates_after(a, b, limit)
    assert (found.copies, found.smallest) == (6, True)
    for n in (1, 5, 6):
        divergence = ny.compare(ny.account(a**n), ny.account(b**n)).bounds[0]
        assert divergence.upper <= limit if n == 6 else divergence.lower > limit


def test_fewer_are_spoken_of_only_where_they_were_tried() -> None:
    a, b = ny.Laplace(1.0), ny.Gaussian(1.2)
    sixes = dominates_after(a, b, 0.005, ratio=(6, 5))
    assert (sixes.copies, sixes.copies_of_b, sixes.ratio) == (6, 5, (6, 5))
    assert "fewer" not in str(sixes)
    assert dominates_after(a, b, 0.005, ratio=(5, 5)).copies == 5  # 5 against 5 would do
    twos = dominates_after(a, b, 0.005, ratio=(2, 2))
    assert (twos.copies, twos.smallest) == (4, True)
    assert str(twos).endswith("; fewer in this ratio certainly do not.")
    assert str(dominates_after(a, b, 0.005)).endswith("; fewer certainly do not.")
    fixed = dominates_after(ny.Gaussian(2.0), ny.Gaussian(1.0), 1e-3, copies_of_b=2)
    assert fixed.ratio is None
    assert str(fixed).endswith("; fewer certainly do not.")
    assert str(dominates_after(a, a, 0.005)).startswith("1 copy of a approximately dominates 1 of b: ")


def test_either_may_come_to_dominate_where_both_give_away_all() -> None:
    a, b = ny.Laplace(1.0), ny.Gaussian(1.2)
    assert (dominates_after(a, b, 0.005).copies, dominates_after(b, a, 0.005).copies) == (3, 22)
    found = emergent_dominance(b, a)
    assert found.outcome == "b"
    assert "what b gives away beyond a tends to 0 too" in str(found)
