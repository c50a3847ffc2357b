"""Lattices of the outcomes that have a part in a delta, and of the whole laws where deltas are smaller."""

from __future__ import annotations

import numpy as np
import pytest

from neyman._validate import FloatArray
from neyman.engines.atoms.gathered import gathered_laws
from neyman.engines.lattice import levels
from neyman.engines.lattice.levels import common
from neyman.engines.lattice.profile import LatticeProfile
from neyman.losses.discrete.bins import DiscreteGrid
from neyman.losses.discrete.steps import DiscreteGaussianStep
from tests.effort import rest_slow


def three(sigma: float, rate: float, adjacency: str, epsilon: FloatArray) -> FloatArray:
    """delta of three sampled discrete Gaussians of sensitivity 1, summed over all they can do, as they are defined."""
    x = np.arange(-np.ceil(16.0 * sigma), np.ceil(16.0 * sigma) + 2.0)
    mass = np.exp(-0.5 * (x / sigma) ** 2)
    mass /= np.exp(-0.5 * (np.arange(-400.0, 401.0) / sigma) ** 2).sum()
    loss = np.log1p(rate * np.expm1((2.0 * x - 1.0) / (2.0 * sigma**2)))
    p = mass * np.exp(loss)
    if adjacency == "add":
        loss, p = -loss, mass
    total = np.add.outer(np.add.outer(loss, loss), loss).ravel()
    whole = np.multiply.outer(np.multiply.outer(p, p), p).ravel()
    return np.array([float(whole @ -np.expm1(np.minimum(e - total, 0.0))) for e in epsilon])


@pytest.mark.parametrize("adjacency", ["remove", "add"])
@pytest.mark.parametrize(("sigma", "rate"), rest_slow([(2.029, 1.7e-4), (1.2, 1e-3)], 0))
def test_every_delta_lies_in_its_bracket(sigma: float, rate: float, adjacency: str) -> None:
    """From 1e-4 down to 1e-50: on lattices of common outcomes, of rarer ones, and of all."""
    epsilon = rate * np.array([0.0, 1.0, 10.0, 100.0, 1000.0])
    truth = three(sigma, rate, adjacency, epsilon)
    profile = LatticeProfile([(DiscreteGaussianStep(sigma, 1, rate), 3)], adjacency)
    assert profile._far is not None
    found = [profile.bracket(one) for one in np.split(epsilon, len(epsilon))]
    lower, upper = np.array([one.lower[0] for one in found]), np.array([one.upper[0] for one in found])
    assert np.all(lower <= truth * (1.0 + 1e-11) + 1e-300)
    assert np.all(upper >= truth * (1.0 - 1e-11))
    sharp = truth > 1e-6
    assert np.all((upper - lower)[sharp] <= 1e-6 * truth[sharp])
    # the rarest of all is not known to nothing
    assert np.all(upper <= np.maximum(1e6 * truth, 1e-40))


@pytest.mark.parametrize("adjacency", ["remove", "add"])
def test_what_is_left_out_counts_as_revealed(adjacency: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels so high that a delta shows what they leave out: it is in the bracket all the same, and would not be if
    that were only forgotten."""
    monkeypatch.setattr(levels, "_SERVED", ((1e-9, -9.0), (1e-12, -16.0)))
    epsilon = np.array([0.0, 1e-3, 0.01, 0.05])
    truth = three(1.2, 1e-3, adjacency, epsilon)
    profile = LatticeProfile([(DiscreteGaussianStep(1.2, 1, 1e-3), 3)], adjacency)
    found = profile.bracket(epsilon)
    assert np.all(found.lower <= truth * (1.0 + 1e-11) + 1e-300)
    assert np.all(found.upper >= truth * (1.0 - 1e-11))
    whole = DiscreteGrid(DiscreteGaussianStep(1.2, 1, 1e-3).table())
    ((kept, _),), _, level = common(((whole, 3),), 0)
    assert level == 0
    assert isinstance(kept, DiscreteGrid)
    gone = [1.0 - float(np.exp(logs).sum()) for logs in (kept.table.log_p, kept.table.log_q)]
    assert kept.table.dropped >= max(gone) > 1e-6


def test_rare_and_large_losses_take_no_points() -> None:
    """The window of 28 rare steps reached out to losses of 1 that have 1e-90 of mass, a thousand deviations off: at two
    million points delta(0) was known to 1e-5 of itself."""
    profile = LatticeProfile([(DiscreteGaussianStep(2.029, 1, 1.7e-4), 28)], "remove")
    found = profile.bracket(np.zeros(1))
    assert found.upper[0] - found.lower[0] <= 1e-6 * found.lower[0]
    assert max(tilt.points for tilt in profile._tilts) <= 1 << 19
    # and so small a delta is one of the whole laws
    assert profile.bracket(np.array([0.1])).upper[0] <= 1e-35


def beside(sigma: float, rate: float, other: float, adjacency: str, epsilon: FloatArray) -> FloatArray:
    """delta of three sampled discrete Gaussians beside one of scale ``other`` that is not sampled, likewise."""
    x = np.arange(-np.ceil(40.0 * other), np.ceil(40.0 * other) + 2.0)
    mass = np.exp(-0.5 * (x / other) ** 2)
    mass /= mass.sum()
    loss = (2.0 * x - 1.0) / (2.0 * other**2)
    p = mass * np.exp(loss)
    if adjacency == "add":
        loss, p = -loss, mass
    sign = 1.0 if adjacency == "remove" else -1.0

    def read(y: float) -> float:  # delta(-y) = 1 - e^-y + e^-y delta'(y), of the reversed pair
        if y >= 0.0:
            return float(three(sigma, rate, adjacency, np.array([y]))[0])
        back = "add" if sign > 0.0 else "remove"
        return float(-np.expm1(y) + np.exp(y) * three(sigma, rate, back, np.array([-y]))[0])

    return np.array([sum(w * read(e - at) for w, at in zip(p, loss, strict=True) if w > 1e-45) for e in epsilon])


@pytest.mark.parametrize("served", [None, ((1e-9, -9.0), (1e-12, -16.0))])
@pytest.mark.parametrize("adjacency", rest_slow(["remove", "add"], "remove"))
def test_lists_on_a_lattice_are_left_to_what_is_common(
    adjacency: str, served: tuple[tuple[float, float], ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list with a lattice of its own has levels, too, beside one that is divided, and many of the latter are one: the
    truth stays between the bounds, also where a delta shows what is left out."""
    if served is not None:
        monkeypatch.setattr(levels, "_SERVED", served)
    epsilon = np.array([0.0, 0.3, 3.0])
    truth = beside(1.2, 1e-3, 1.9, adjacency, epsilon)
    steps = [(DiscreteGaussianStep(1.9, 1, 1.0), 1), (DiscreteGaussianStep(1.2, 1, 1e-3), 3)]
    profile = LatticeProfile(steps, adjacency, gather=gathered_laws)
    assert [times for _, times in profile._laws] == [1, 1]
    found = profile.bracket(epsilon)
    assert np.all(found.lower <= truth * (1.0 + 1e-10))
    assert np.all(found.upper >= truth * (1.0 - 1e-10))
    assert served is not None or np.all(found.upper - found.lower <= 1e-6 * truth)
    listed = profile._laws[0][0]
    assert isinstance(listed, DiscreteGrid)
    gone = [1.0 - float(np.exp(logs).sum()) for logs in (listed.table.log_p, listed.table.log_q)]
    assert listed.table.dropped >= max(gone) - 1e-15  # what the sum itself is off by
    assert len(listed.table.loss) < 60  # 150 of them are listed
    assert listed.unit is not None


def test_what_one_lattice_holds_loses_nothing() -> None:
    """Its largest loss is known to the last bit."""
    profile = LatticeProfile([(DiscreteGaussianStep(1.9, 1, 1.0), 4)], "remove", gather=gathered_laws)
    assert profile._far is None
    law = profile._laws[0][0]
    assert isinstance(law, DiscreteGrid)
    assert len(law.table.loss) == len(DiscreteGaussianStep(1.9, 1, 1.0).table().loss)


def test_a_list_takes_no_more_room_than_its_common_outcomes() -> None:
    """The spacing of 2,409 rare steps beside two that are not was that of a window which held losses of 1e-320 of mass:
    delta(0) was known to 1.4e-6 of itself."""
    steps = [(DiscreteGaussianStep(4.974, 1, 1.0), 2), (DiscreteGaussianStep(0.8046, 1, 3.973e-4), 2409)]
    profile = LatticeProfile(steps, "add", 5e-7, 1 << 20, gather=gathered_laws)
    found = profile.bracket(np.zeros(1))
    assert found.upper[0] - found.lower[0] <= 6e-7 * found.upper[0]
    assert sum(times for _, times in profile._laws) < 700
