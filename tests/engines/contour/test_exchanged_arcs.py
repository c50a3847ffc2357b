"""Few exchanged records by bent contours, against the closed form of one step and nested quadrature of two.

``TWO`` holds delta of two steps: the sum over the outcome of one of the closed form of the other, by Gauss-Legendre
with 20 nodes on panels that shrink towards the kink, in 50 digits; 14 nodes agree to the digits given.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace

import mpmath
import numpy as np
import pytest
from scipy import special

import neyman as ny
from neyman.engines.closed_form.replaced import ReplacedGaussianProfile
from neyman.engines.contour.exchanged import profile as exchanged_profile
from neyman.engines.contour.exchanged import thresholds
from neyman.engines.contour.exchanged.profile import ExchangedArcs
from neyman.losses.gaussian.exchange.step import ReplacedGaussianStep
from neyman.losses.gaussian.paths.exchanged import ExchangedLaw
from neyman.losses.gaussian.paths.exchanged_part import ORDER, ExchangedPart, shares
from tests.effort import crossed, rest_slow

ENOUGH = 1e-6
TWO = [
    (1.0, 0.0001, 0.0, "0.00010409799257298255"),
    (1.0, 0.0001, 0.1, "1.3718674624142248e-15"),
    (2.5, 1e-08, 3e-08, "2.8012771879189649e-11"),
    (0.4, 0.001, 0.5, "0.00010055197691936615"),
    (4.134, 2.095e-05, 0.0001, "5.3798566840477606e-15"),
    (20.0, 1e-06, 2e-07, "5.0297944003293047e-9"),
]


def arcs(sigma: float, rate: float, times: int) -> ExchangedArcs:
    return ExchangedArcs([(ReplacedGaussianStep(sigma, rate), times)], 0.0, 2.0 * math.sqrt(times) / sigma)


@pytest.mark.parametrize(
    ("sigma", "rate", "sharp"),
    rest_slow(
        [(1.0, 1e-4, True), (0.3, 1e-7, True), (2.5, 1e-12, False), (8.0, 1e-3, False), (60.0, 1e-9, False)], 0, 2
    ),
)
def test_one_step_is_the_closed_form(sigma: float, rate: float, sharp: bool) -> None:
    exact = ReplacedGaussianProfile(sigma, rate, 2.0 / sigma)
    epsilon = np.array([0.0, 0.3 * rate / sigma, 2.0 * rate, 20.0 * rate, 0.1, 8.0])
    known, found = exact.bracket(epsilon), arcs(sigma, rate, 1).bracket(epsilon)
    assert np.all(found.lower <= known.upper)
    assert np.all(found.upper >= known.lower)
    assert np.all((found.log_gap_lower <= known.log_gap_upper) & (found.log_gap_upper >= known.log_gap_lower))
    aim = ENOUGH if sharp else 1e-5
    assert np.all((found.upper - found.lower <= aim * found.upper) | (known.upper < (1e-30 if sharp else 1e-16)))


@pytest.mark.parametrize(("sigma", "rate", "epsilon", "delta"), TWO)
def test_two_steps_are_the_nested_integral(sigma: float, rate: float, epsilon: float, delta: str) -> None:
    found = arcs(sigma, rate, 2).bracket(np.array([epsilon]))
    truth = mpmath.mpf(delta)
    room = mpmath.mpf(10) ** -15 * truth  # of the digits given
    assert found.lower[0] <= truth + room
    assert found.upper[0] >= truth - room
    assert found.upper[0] - found.lower[0] <= ENOUGH * found.upper[0]


@pytest.mark.parametrize(("sigma", "rate", "w"), rest_slow([
    (1.0, 1e-4, 1.5 + 0j), (1.0, 1e-4, 1.01 + 0j), (1.0, 1e-12, 1.2 + 0.7j), (5.0, 1e-6, 3.0 + 2e5j),
    (50.0, 0.01, 1.5 + 1000.0j), (0.3, 0.05, 1.2 + 0.7j), (0.3, 1e-5, 1.5 + 0j),
], 1, 5))  # fmt: skip
@pytest.mark.parametrize("bent", rest_slow([False, True], 1))
def test_the_transform_is_within_its_error(sigma: float, rate: float, w: complex, bent: bool) -> None:
    if not bent and abs(w.imag) > 10.0:
        w = complex(w.real, 1.0)
    chi = min(0.3, 1.5 / sigma)
    law = ExchangedLaw(sigma, rate, chi, min(0.02, 0.2 / sigma), 0.9 * chi) if bent else ExchangedLaw(
        sigma, rate, 0.0, min(0.02, 0.2 / sigma), 0.2
    )  # fmt: skip
    value, error = law.excess(np.array([w]))
    with mpmath.workdps(40):
        s, q, z = mpmath.mpf(sigma), mpmath.mpf(rate), mpmath.mpc(w)
        step = (24 * s + 4 + 4 * abs(w.real)) / 2000

        def term(x: mpmath.mpf) -> mpmath.mpc:
            ahead, behind = (mpmath.log(1 - q + q * mpmath.exp((2 * side - 1) / (2 * s * s))) for side in (x, -x))
            both = (mpmath.exp(ahead) + mpmath.exp(behind)) / 2
            return mpmath.npdf(x, 0, s) * (mpmath.exp(z * ahead + (1 - z) * behind) - both)

        truth = step * mpmath.fsum(term(-12 * s - 2 + step * k) for k in range(2001))
        assert abs(mpmath.mpc(complex(value[0])) - truth) <= error[0]
        assert error[0] <= 1e-8 * abs(truth)


@pytest.mark.parametrize("y", [0.1, 1.0, 3.0 + 0.5j, 4.2 + 1.9j, 4.6 - 0.4j, 5.5 + 0.1j, 9.0 + 3.0j, 30.0 + 5.0j])
def test_shares_are_incomplete_gamma_functions(y: complex) -> None:
    (beyond, kept), (off, rough) = shares(np.array([y], complex))
    with mpmath.workdps(60):
        z = mpmath.mpc(y) ** 2
        truth = 1 - mpmath.exp(-z) * mpmath.fsum(z**k / mpmath.factorial(k) for k in range(ORDER))
        assert abs(mpmath.mpc(complex(beyond[0])) - truth) <= off[0] * 2.0**-53
        assert abs(mpmath.mpc(complex(kept[0])) - (1 - truth)) <= rough[0] * 2.0**-53 + 1e-300


def test_a_part_has_one_transform_on_every_path() -> None:
    straight, bent = ExchangedLaw(1.0, 1e-4, 0.0, 0.02, 0.2), ExchangedLaw(1.0, 1e-4, 0.3, 0.02, 0.27)
    for low, high in ((0.0, 0.01), (0.01, 0.1), (0.005, math.inf)):
        for w in (1.5 + 0j, 8.0 + 0j, 5.0 + 3.0j):
            (one, first), (other, second) = (
                ExchangedPart(law, low, high).moment(np.array([w])) for law in (straight, bent)
            )
            assert abs(one[0] - other[0]) <= first[0] + second[0]
            assert first[0] + second[0] <= 1e-7 * abs(one[0])


@pytest.mark.parametrize(
    ("sigma", "rate", "times", "width"),
    rest_slow([(1.0, 1e-4, 2, 1e-5), (2.0, 1e-6, 10, 3e-3), (37.63, 2.014e-10, 5, 1e-5)], 2),
)
def test_few_exchanged_steps_are_answered(sigma: float, rate: float, times: int, width: float) -> None:
    begun = time.process_time()
    g = ny.account(ny.DPSGD(sigma, rate, times), adjacency="replace")
    assert g.optimistic.mu() <= g.mu() <= g.optimistic.mu() * (1.0 + width)
    assert 0.0 < g.advantage <= times * rate
    assert g.delta(8.0) >= 0.0
    assert time.process_time() - begun < 10.0


@crossed(
    (("sigma", "rate"), [(1.0, 1e-4), (0.3, 1e-7), (8.0, 1e-9), (25.0, 1e-2), (2.0, 0.1)]),
    ("coarser", [1.0, 4.0]),
)
def test_the_mass_beyond_a_length_is_no_less_than_its_integral(sigma: float, rate: float, coarser: float) -> None:
    """On the grid as it is, and on one so coarse that means of the ends of cells would be too small."""
    cuts = arcs(sigma, rate, 3)._cuts
    assert cuts is not None
    law = ExchangedLaw(sigma, rate, 0.0, coarser * min(0.024, 0.2 / sigma), 0.2)
    cuts._steps = replace(cuts._steps, straight=((law, 3),))
    fine = law.path.at(law.step / 40.0 * np.arange(40 * (len(law.loss) - 1) + 1) + 0j)
    loss, log_weight = fine.seen.loss.real, fine.log_density.real + math.log(law.step / 40.0)
    log_weight[0] -= math.log(2.0)
    said = np.exp(cuts._masses)
    for i in range(0, len(said), 7):
        share = special.gammainc(ORDER, (loss / cuts._lengths[i]) ** 2)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            each = 2.0 * np.cosh(0.5 * loss) * np.exp(log_weight) * share
        true = 3.0 * float(np.sum(each[np.isfinite(each)]))
        assert true <= said[i] * (1.0 + 1e-9)
        assert said[i] <= (3.0 if coarser == 1.0 else math.inf) * true + 1e-42
    # cell by cell, of which some hold more than the mean of their ends
    mass = cuts._cells[1]
    with np.errstate(over="ignore", under="ignore"):
        each = np.exp(log_weight + 0.5 * loss) + np.exp(log_weight - 0.5 * loss)
        each[0] *= 2.0
        within = np.add.reduceat(0.5 * (each[:-1] + each[1:]), np.arange(0, len(each) - 1, 40))[: len(mass)]
        bend = cuts._steps.straight[0][0].step ** 2 * 0.125 * (sigma**2 * (4.8 + 0.385 * -math.log(law.scale)) + 1.035)
    known = within[: len(mass)] > 1e-250
    assert np.all(within[known] <= mass[: len(within)][known] * (1.0 + 1e-6))
    assert coarser == 1.0 or np.any(within[known] > mass[: len(within)][known] * math.exp(-bend) * (1.0 + 1e-6))


def test_how_the_law_of_exchanged_records_bends_along_the_real_axis() -> None:
    y = np.geomspace(1e-6, 1e4, 200001)
    drag = 2.0 * np.arcsinh(y) * y / (1.0 + y * y) ** 1.5
    lean, second = (y / (1.0 + y * y) ** 1.5).max(), (
        np.sqrt(1.0 / 16.0 + y * y) * np.abs(1.0 - 2.0 * y * y) / (1.0 + y * y) ** 2.5
    ).max()  # fmt: skip
    assert 0.99 * thresholds._LEAN <= lean <= thresholds._LEAN
    assert lean**2 + second <= thresholds._TURN
    assert drag.max() <= thresholds._DRAG


def test_noise_whose_quadrature_errs_by_less_than_floats_hold_is_answered() -> None:
    """It was an OverflowError. The steps are nearly a Gaussian of mu = 2 q sqrt(T) / sigma, to 1 / sigma^2 of it."""
    sigma, rate, times = 258500.0, 6.922e-09, 49
    g = ny.account(ny.DPSGD(sigma, rate, times), "replace")
    truth = 2.0 * rate * math.sqrt(times) / sigma / math.sqrt(2.0 * math.pi)  # delta(0)
    assert g.optimistic.advantage <= truth * (1.0 + 1e-10)
    assert truth * (1.0 - 1e-10) <= g.advantage <= truth * (1.0 + 1e-6)


@pytest.mark.parametrize(
    ("sigma", "rate", "times", "epsilon", "told"),
    [
        # what one step alone tells, in closed form to 60 digits: some times as much is told by several
        (2.8707455084130533, 1.26556523908839e-06, 2, 0.25, 1.36908653721e-279),
        (2.8707455084130533, 1.26556523908839e-06, 5, 0.527, 2.841185783e-320),
        (2.6557336820631954, 7.355158141471644e-09, 2, 0.0028849188943384837, 4.47697167512e-264),
        (3.907394413273718, 1.810157878418178e-07, 2, 0.0015341139479590604, 7.17508916056e-281),
        (2.790498630522676, 1.1521785658094552e-08, 2, 0.0028350087784280806, 1.63786920056e-270),
    ],
)
def test_what_lies_beyond_the_grid_counts(sigma: float, rate: float, times: int, epsilon: float, told: float) -> None:
    """Chernoff over a law that ends with its grid said 3e-322."""
    found = ExchangedArcs([(ReplacedGaussianStep(sigma, rate), times)], 0.0, math.inf).bracket(np.array([epsilon]))
    assert found.upper[0] >= told
    assert found.lower[0] <= found.upper[0] <= 1e-160


@pytest.mark.parametrize("seed", range(3))
def test_a_grid_leaves_out_no_more_than_is_said(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(40):
        sigma, rate = float(np.exp(rng.uniform(-1.0, 3.0))), float(np.exp(rng.uniform(-40.0, -2.0)))
        try:
            law = ExchangedLaw(sigma, rate, 0.0, min(0.024, 0.2 / sigma), 0.2)
        except ArithmeticError:
            continue
        half = 0.5 * law.ends(0.0)[0].real
        log_kappa = math.log1p(-rate) - math.log(rate) + 0.5 / sigma**2
        end = sigma**2 * (half + log_kappa + math.log(math.sinh(half)) + math.log(2.0) if half > 20.0 else
                          half + math.asinh(math.exp(min(log_kappa, 700.0)) * math.sinh(half)))  # fmt: skip
        missed = 2.0 * float(special.ndtr(-(end - 1.0) / sigma))
        assert missed <= exchanged_profile._UNSEEN
