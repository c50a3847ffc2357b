"""Characteristic functions on a grid, by few turns or by each: within the rounding that is claimed."""

import numpy as np
import pytest
from flint import acb, arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpc, mpf

from neyman.numerics.sums.fourier_sum import sum_units, turned_sum, turned_sums

UNIT = 2.0**-53


def exact(omega: float, place: np.ndarray, weight: np.ndarray, one: bool) -> mpc:
    """The sum in 60 digits."""
    with mp.workdps(60):
        turns = (mp.expj(mpf(float(omega)) * mp.mpmathify(complex(x))) for x in place)
        return sum(
            (mp.mpmathify(complex(w)) * (t - (0 if one else 1)) for w, t in zip(weight, turns, strict=True)), mpc(0)
        )


def claimed(omega: float, place: np.ndarray, weight: np.ndarray, one: bool) -> float:
    """What the docstring allows."""
    moved = float(np.abs(weight) @ (omega * np.abs(place)))
    return sum_units(len(place)) * UNIT * (moved + one * float(np.abs(weight).sum()))


@pytest.mark.parametrize("one", [False, True])
@pytest.mark.parametrize("lift", [0.0, 0.3])
@pytest.mark.parametrize(("count", "start"), [(5, 0.0), (16, 0.0), (67, 0.0), (300, 0.0), (40, 3.7)])
def test_within_its_rounding(one: bool, lift: float, count: int, start: float) -> None:
    place = np.linspace(-0.4, 9.0, 131)
    place = place + 1j * lift if lift else place
    weight = np.exp(-np.real(place)) * 0.03
    omega = start + 0.137 * np.arange(count)
    found = turned_sum(omega, place, weight, one)
    for i in {0, 1, count // 2, count - 2, count - 1}:
        error = abs(mp.mpmathify(complex(found[i])) - exact(omega[i], place, weight, one))
        assert error <= claimed(omega[i], place, weight, one)


def missed(rng: np.random.Generator, one: bool, counts: tuple[int, ...] = (5, 16, 20, 60, 200)) -> float:
    """The largest error of sums over a random grid, of what is allowed."""
    count, many = int(np.exp(rng.uniform(np.log(9), np.log(600)))), int(rng.choice(counts))
    place = np.sort(rng.normal(size=count) * 10 ** rng.uniform(-3, 1))
    weight = rng.uniform(size=count) * np.exp(-rng.uniform(0, 30, count))
    spacing = 10 ** rng.uniform(-4, 1)
    omega = spacing * (np.arange(many) if rng.random() < 0.7 else np.sort(rng.uniform(0.0, many, many)))
    found = [turned_sum(omega, place, weight, one)]
    if rng.random() < 0.5:
        found.append(turned_sums(omega, place[None], weight[None], one)[0])
    else:
        place = place + 1j * rng.uniform(0.0, 0.3, count) * np.abs(place)
        found = [turned_sum(omega, place, weight, one)]
    largest = 0.0
    for i in rng.choice(many - 1, 2, replace=False) + 1:
        turns = ((acb(0, arb(float(omega[i]))) * acb(x.real, x.imag)).exp() - (not one) for x in place.tolist())
        truth = sum((w * turn for w, turn in zip(weight.tolist(), turns, strict=True)), acb(0))
        for sums in found:
            off = float(abs(acb(float(sums[i].real), float(sums[i].imag)) - truth).mid())
            largest = max(largest, off / claimed(omega[i], place, weight, one))
    return largest


@pytest.mark.parametrize("one", [True, False])
def test_no_sum_errs_by_more_than_is_stated(one: bool) -> None:
    ctx.prec = 140
    rng = np.random.default_rng(7)
    assert max(missed(rng, one) for _ in range(12)) <= 1.0


@pytest.mark.parametrize("one", [True, False])
def test_sums_at_many_places_err_by_no_more(one: bool) -> None:
    """Where turns are products of a few with a few."""
    ctx.prec = 140
    rng = np.random.default_rng(9)
    assert max(missed(rng, one, (700, 1300, 4000)) for _ in range(25)) <= 0.5


@pytest.mark.slow
@pytest.mark.parametrize("one", [True, False])
def test_sums_err_by_less_than_half_of_what_is_stated(one: bool) -> None:
    """The largest of 10,000 sums: a third."""
    ctx.prec = 140
    rng = np.random.default_rng(8)
    assert 0.05 <= max(missed(rng, one) for _ in range(1500)) <= 0.5


def test_small_turns_keep_their_digits() -> None:
    place, weight, omega = np.linspace(-1e-6, 1e-6, 50) + 3e-7, np.full(50, 0.02), 1e-3 * np.arange(100)
    found = turned_sum(omega, place, weight, one=False)
    reference = complex(exact(omega[77], place, weight, one=False))
    assert abs(found[77] - reference) <= claimed(omega[77], place, weight, one=False) < 1e-13 * abs(reference.imag)


@given(st.lists(st.floats(0.0, 40.0), min_size=16, max_size=60), st.booleans())
def test_uneven_omega_are_turned_one_by_one(omega: list[float], one: bool) -> None:
    at, place, weight = np.sort(np.array(omega)), np.linspace(-1.0, 2.0, 9), np.linspace(0.1, 0.2, 9)
    direct = np.array([np.sum(weight * (np.exp(1j * o * place) - (not one))) for o in at])
    allowed = np.array([2.0 * claimed(o, place, weight, True) for o in at])
    assert np.all(np.abs(turned_sum(at, place, weight, one) - direct) <= allowed)


@pytest.mark.parametrize("one", [True, False])
def test_a_run_that_is_evenly_spaced_among_others(one: bool) -> None:
    source = np.random.default_rng(5)
    omega = np.concatenate([np.sort(source.uniform(0.0, 3.0, 30)), 3.0 + 0.37 * np.arange(200), [90.0, 91.5, 200.0]])
    place, weight = source.normal(size=23), source.uniform(size=23)
    direct = np.array([np.sum(weight * (np.exp(1j * x * place) - (not one))) for x in omega])
    assert np.max(np.abs(turned_sum(omega, place, weight, one) - direct) / (1.0 + omega)) < 1e-14


@given(count=st.integers(16, 30000), places=st.integers(2, 3000))
def test_no_product_is_so_large_that_blas_would_start_threads(count: int, places: int) -> None:
    """Two threads that wait for each other take a thousand times as long (65,536 products begin it)."""
    sizes: list[int] = []
    matmul = np.matmul

    def noted(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        sizes.append(a.shape[-2] * a.shape[-1] * b.shape[-1])
        return np.zeros((*a.shape[:-1], b.shape[-1]), complex)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "matmul", noted)
        turned_sum(0.1 * np.arange(count), np.linspace(0.0, 1.0, places), np.full(places, 1.0 / places), False)
    assert bool(sizes) == (count * places > 1 << 12)  # of so few turns each is computed
    assert max(sizes, default=0) <= 1 << 15
    assert np.matmul is matmul


@pytest.mark.parametrize("one", [False, True])
@pytest.mark.parametrize("moved", [1e-12, 1e-13, 1e-14])
def test_frequencies_that_are_not_evenly_apart_are_not_taken_for_such(one: bool, moved: float) -> None:
    """As far as a rounding they are (`_SAME`): of what is farther off, each turn is that of its own frequency."""
    place, weight = np.array([900.0]), np.ones(1)
    omega = 2.0 + 0.5 * np.arange(40)
    omega[23] *= 1.0 + moved
    found = turned_sum(omega, place, weight, one)
    error = abs(mp.mpmathify(complex(found[23])) - exact(omega[23], place, weight, one))
    assert error <= claimed(omega[23], place, weight, one)
