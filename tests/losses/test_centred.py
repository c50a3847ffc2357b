"""A - 1 by sums of second order: within the rounding that is claimed, and far nearer than by plain sums."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
from flint import acb, arb, ctx

from neyman.losses.gaussian import centred
from neyman.losses.gaussian.centred import on_axis_centred
from neyman.losses.gaussian.exchange.transform import ReplacedTransform
from neyman.losses.gaussian.parts.bulk import SoftBulk
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.losses.readings.transform import WEIGHED

MARGIN = 80.0


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    before, ctx.prec = ctx.prec, 200
    yield
    ctx.prec = before


def truth(law: SamplingTransform, w: float, omega: float, top: float) -> acb:
    """A - 1 by the trapezoid rule with so fine a step that its alias is nothing, in 200 bits."""
    sigma, rate, z, total = arb(law.sigma), arb(law.rate), acb(w, omega), acb(0)
    wide = 20.0 * law.sigma
    y = min(0.5 * math.pi * law.sigma**2, 2.0 * law.sigma)  # there |r| >= cos(y / 2 s^2) of its real value at least
    grown = 0.5 * (y / law.sigma) ** 2 + omega * y / law.sigma**2 + abs(w) * 0.35
    step = 2.0 * math.pi * y / (70.0 + grown)
    for k in range(math.floor(-wide / step), math.ceil((top + 8.0 * law.sigma) / step)):
        x = arb(step) * k
        r = 1 - rate + rate * ((2 * x - 1) / (2 * sigma**2)).exp()
        total += (-(x**2) / (2 * sigma**2)).exp() * ((z * r.log()).exp() - 1)
    return total * arb(step) / (sigma * (2 * arb.pi()).sqrt())


def found(
    law: SamplingTransform, w: float, omega: np.ndarray, margin: float = MARGIN
) -> tuple[np.ndarray, np.ndarray, float]:
    ends = law.ends(abs(w), w, math.inf)
    step = law._step(w, float(omega[-1]), margin, 0.0)
    answer = on_axis_centred(law, w, omega, margin, (*ends, step))
    assert answer is not None
    return *answer, ends[1]


def relative(log_a: complex, error: float, exact: acb) -> float:
    """The error of A, of what is claimed."""
    off = acb(complex(log_a).real, complex(log_a).imag).exp() / (1 + exact) - 1
    return float(abs(off).mid()) / error


@pytest.mark.parametrize("seed", range(24))
def test_within_what_is_claimed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    law = SamplingTransform(float(rng.uniform(0.4, 3.0)), float(10 ** rng.uniform(-7, -2.5)))
    w = float(rng.choice([-20.0, -8.0, -1.0, 0.0, 1.0, 3.0, 6.0, 4.0 * law.sigma**2])) * rng.uniform(0.5, 1.0)
    omega = rng.uniform(0.1, 3.0) * np.arange(int(rng.choice([2, 9, 40])))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(centred, "_WORTH", -1.0)
        log_a, error, top = found(law, w, omega)
    for i in {0, 1, len(omega) - 1}:
        exact = truth(law, w, float(omega[i]), top)
        # the logarithm is rounded by up to ``LOGGED`` units of itself, which whoever asks for it adds
        logged = 8.0 * 2.0**-53 * abs(complex(log_a[i]))
        assert relative(log_a[i], float(error[i]) + logged, exact) < 0.5


@pytest.mark.parametrize(("rate", "w"), [(1e-4, 1.0), (1e-4, 15.0), (1e-4, -24.0), (1e-5, 18.0)])
def test_far_nearer_than_plain_sums(rate: float, w: float, monkeypatch: pytest.MonkeyPatch) -> None:
    omega = 0.2 * np.arange(400)
    law = SamplingTransform(1.0, rate)
    error = law.on_line(w, omega, math.inf, 58.0)[1]
    monkeypatch.setattr(centred, "_WORTH", math.inf)
    plain = law.on_line(w, omega, math.inf, 58.0)[1]
    assert (20.0 * error[:20] < plain[:20]).all()


def test_no_error_is_claimed_below_that_of_the_first_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Losses off by a few roundings of themselves, to one side, would be seen."""
    law, w, omega = SamplingTransform(1.0, 1e-4), 3.0, np.array([0.0, 1.0, 30.0])
    log_a, error, top = found(law, w, omega)
    exact = [truth(law, w, float(each), top) for each in omega]
    assert max(relative(*each) for each in zip(log_a, error, exact, strict=True)) < 0.5
    real = centred.log_curved
    monkeypatch.setattr(centred, "log_curved", lambda v: real(v) + 2.0**-48 * np.abs(v))
    log_a, error, _ = found(law, w, omega)
    assert max(relative(*each) for each in zip(log_a, error, exact, strict=True)) > 1.0


def test_steep_and_short_laws_are_left_to_plain_sums() -> None:
    law = SamplingTransform(1.0, 1e-4)
    low, top = law.ends(15.0, 15.0, math.inf)
    assert on_axis_centred(law, 15.0, np.arange(3.0), 36.0, (low, top, 0.1)) is None
    assert on_axis_centred(law, 15.0, np.arange(3.0), 60.0, (low, 12.9, 0.1)) is None
    assert on_axis_centred(SamplingTransform(1.0, 0.6), 15.0, np.arange(3.0), 60.0, (low, top, 0.1)) is None
    assert on_axis_centred(law, 40.0, np.arange(3.0), 60.0, (low, 53.0, 0.1)) is None
    assert on_axis_centred(law, 15.0, np.arange(3.0), 60.0, (low, top, 0.1)) is not None


@pytest.mark.parametrize("law", [ReplacedTransform(1.0, 1e-3), SoftBulk(1.0, 1e-3, 4.0, 0.15)])
def test_laws_of_other_densities_are_not_taken_for_normal_ones(
    law: SamplingTransform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of those E[r - 1] is not 0, or r another ratio."""
    omega = 0.5 * np.arange(40)
    monkeypatch.setattr(centred, "_WORTH", math.inf)
    plain, off = law.on_line(3.0, omega, math.inf, 60.0)
    monkeypatch.setattr(centred, "_WORTH", -1.0)
    value, error = law.on_line(3.0, omega, math.inf, 60.0)
    assert np.all(np.abs(np.expm1(value - plain)) <= error + off + 8.0 * 2.0**-53 * np.abs(value))


def test_nor_are_laws_that_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    law, omega = SamplingTransform(1.0, 1e-3), 0.5 * np.arange(40)
    monkeypatch.setattr(centred, "_WORTH", math.inf)
    plain, off = law.on_line(8.0, omega, 14.5, 60.0)
    monkeypatch.setattr(centred, "_WORTH", -1.0)
    value, error = law.on_line(8.0, omega, 14.5, 60.0)
    assert np.all(np.abs(np.expm1(value - plain)) <= error + off + 8.0 * 2.0**-53 * np.abs(value))


@pytest.mark.parametrize(("sigma", "rate"), [(0.3, 0.5), (1.0, 1e-4), (1.0, 0.5), (20.0, 1e-6), (1000.0, 0.5)])
@pytest.mark.parametrize("w", [0.0, 1.0])
def test_no_law_is_weighed_by_sums_that_take_its_mass_for_granted(sigma: float, rate: float, w: float) -> None:
    """A(1) - 1 = E[r - 1] is left out of these sums: there the check that A(1) = 1 would say nothing."""
    law = SamplingTransform(sigma, rate)
    low, top = law.ends(w, w, math.inf)
    for step in (0.3 * sigma, 0.01 * sigma, (top - low) / 4000.0):
        assert on_axis_centred(law, w, np.zeros(1), WEIGHED, (low, top, step)) is None
