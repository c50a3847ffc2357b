"""mu where it used to be refused: rare steps at usual noise, and compositions so strong that delta(0) is all but 1."""

import math

import pytest
from scipy.special import ndtr, ndtri

import neyman as ny
from tests.effort import rest_slow


def test_mu_of_rare_steps_at_usual_noise() -> None:
    g = ny.account(ny.DPSGD(1.202, 1.955e-05, 138_923))
    assert 0.0 <= g.mu() - g.optimistic.mu() <= 1e-4 * g.mu()
    assert 0.00736 < g.optimistic.mu() <= g.mu() < 0.00737


def test_mu_of_strong_compositions() -> None:
    """Only one direction knows how little is left of 1 - delta(0): about e^-142783, whose probit mu / 2 is."""
    g = ny.account(ny.DPSGD(0.2366, 0.09078, 3_083_986))
    assert 0.0 <= g.mu() - g.optimistic.mu() <= 1e-4 * g.mu()
    assert 1068.0 < g.mu() < 1069.5


@pytest.mark.slow
def test_a_huge_mu_is_reported_without_an_overflow() -> None:
    report = ny.account(ny.DPSGD(1.0, 0.5, 10**9)).gdp()
    assert 15000.0 < report.mu < 31622.8


@pytest.mark.slow
def test_a_huge_mu_of_very_many_steps_is_known() -> None:
    g = ny.account(ny.DPSGD(0.1807, 0.3058, 67301914))
    assert 11607.0 < g.optimistic.mu() <= g.mu() < 11608.0


@pytest.mark.parametrize(("sigma", "rate", "steps"), [(0.06077, 5.963e-08, 73), (0.05373, 1.109e-05, 1041)])
def test_where_taking_part_is_all_there_is_to_see(sigma: float, rate: float, steps: int) -> None:
    """Delta is level from eps = 0 to where alpha is far below the floor: bounds there need no points around a kink.

    Truth: the output is that without the record unless it took part, with probability p, so that the power is at most
    p + alpha; and "some x lies above half the shift" is a test.
    """
    took_part = -math.expm1(steps * math.log1p(-rate))
    threshold = 0.5 / sigma
    level = steps * float(ndtr(-threshold))
    power = took_part * float(ndtr(threshold))
    least, most = power + (1e-10 - level) * (1.0 - power), took_part + 1e-10
    mu = [float(ndtri(p) - ndtri(1e-10)) for p in (least, most)]
    guarantee = ny.account(ny.DPSGD(sigma, rate, steps))
    assert guarantee.optimistic.mu() <= mu[1] * (1.0 + 1e-9)
    assert mu[0] * (1.0 - 1e-9) <= guarantee.mu()
    assert guarantee.mu() - guarantee.optimistic.mu() <= 1e-6


@pytest.mark.parametrize(
    ("sigma", "lists", "times"), [(40.0, ny.DiscreteLaplace(3.0, 2), 300), (5.0, ny.DiscreteGaussian(3.7), 30)]
)
def test_mu_beside_a_list_of_outcomes(sigma: float, lists: ny.Mechanism, times: int) -> None:
    """Near a power of 1 an excess knows nothing of beta; and a smooth curve is no list to be read at each outcome.

    Truth: at least what the list alone has, and no more than it has beside twice the Gaussian.
    """
    found = ny.account(ny.Gaussian(sigma) * lists**times)
    assert 0.0 <= found.mu() - found.optimistic.mu() <= 1e-6 * found.mu()
    assert ny.account(lists**times).optimistic.mu() <= found.mu()
    assert found.optimistic.mu() <= ny.account(ny.Gaussian(0.5 * sigma) * lists**times).mu()


@pytest.mark.parametrize(
    ("strong", "little", "epsilon"),
    [
        (ny.Laplace(0.03235) ** 8, ny.RandomizedResponse(0.02175, 4) ** 15, 15 * 0.02175),  # read at each outcome
        (ny.DiscreteLaplace(0.2806, 2) ** 6, ny.PureMechanism(0.01) ** 55, 0.55),  # a list too long for its vertices
        pytest.param(
            ny.Laplace(0.14) ** 9, ny.ApproximateMechanism(0.1639, 1.057e-8).poisson(3.966e-6), 1e-6,
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ny.RandomizedResponse(3.563, 3) ** 8751, ny.PureMechanism(0.1) ** 4, 0.4, marks=pytest.mark.slow
        ),
    ],
)  # fmt: skip
def test_mu_of_strong_steps_beside_little(strong: ny.Mechanism, little: ny.Mechanism, epsilon: float) -> None:
    """It was known to a factor of three, or to 1e-3. What is epsilon-DP changes no probability by more than a factor
    e^epsilon, so that the log of 1 - delta, about -mu^2 / 8, falls by that at most."""
    alone, both = ny.account(strong), ny.account(strong * little)
    mu, lower = both.mu(), both.optimistic.mu()
    assert 0.0 <= mu - lower <= 1e-4 * mu
    assert alone.optimistic.mu() * (1.0 - 1e-4) <= lower
    assert mu <= alone.mu() + 8.0 * epsilon / alone.mu()


def test_no_composition_tells_less_than_its_strongest_steps() -> None:
    """Of the product alone the bound from below was 6e-4 lower, and mu refused."""
    strong = ny.DiscreteLaplace(0.2806, 2) ** 6
    both = ny.account(strong * ny.DiscreteGaussian(19.51) ** 55)
    assert both.optimistic.mu() == pytest.approx(ny.account(strong).optimistic.mu(), rel=1e-12)
    assert 0.0 <= both.mu() - both.optimistic.mu() <= 1e-4 * both.mu()


@pytest.mark.parametrize(
    "mechanism",
    rest_slow(
        [
            ny.Gaussian(117200.0).poisson(0.04921) ** 9 * ny.PureMechanism(0.01432) ** 6,
            ny.Laplace(0.7596).poisson(4.77e-05) ** 2 * ny.DiscreteGaussian(1.814) ** 6,
            ny.Gaussian(3e4) * ny.RandomizedResponse(0.3, 2) ** 4,
        ],
        0,
        2,
    ),
)
def test_beside_a_corner_that_is_hardly_rounded(mechanism: ny.Mechanism) -> None:
    """The slope is that of the listed law alone, which leaves the tangent of slope -1 before the composition does."""
    g = ny.account(mechanism)
    assert 0.0 <= g.mu() - g.optimistic.mu() <= 2e-6 * g.mu()


def test_a_search_for_the_floor_asks_no_more_than_steers() -> None:
    """Where alpha is the floor was looked for as sharply as mu is promised, until nothing was left for mu itself."""
    g = ny.account(ny.DiscreteGaussian(1.4461995435087092).poisson(0.022139494910647886) ** 11)
    assert g.mu(1e-3) < 0.0851094
    assert g.effort.left > 0.4e9 * g.effort.seconds
    assert 0.0851093 < g.optimistic.mu(1e-3) <= g.mu(1e-3)
