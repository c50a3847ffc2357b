"""Points inside a region of Renyi divergences: found once for all eps of a place, as good as those found for each."""

import numpy as np
import pytest

import neyman as ny
from neyman.engines.region import profile as region_profile
from neyman.engines.region.profile import ZcdpProfile
from tests.effort import rest_slow


class Each(ZcdpProfile):
    """Hardly any two eps share a place."""

    _apart = 1e-12


def counted(monkeypatch, kind):
    """How many points have been looked at."""
    asked = []
    share = kind._share

    def counting(self, d1, d2, t):
        asked.append(len(d1))
        return share(self, d1, d2, t)

    monkeypatch.setattr(kind, "_share", counting)
    return asked


@pytest.mark.parametrize("rho", rest_slow([1e-60, 1e-8, 0.36, 300.0], 0, 2))
def test_places_cost_next_to_nothing(rho):
    mu = np.sqrt(2.0 * rho)
    epsilon = np.concatenate([[0.0], np.random.default_rng(1).uniform(0.0, rho + 6.0 * mu, 40)])
    shared, alone = (profile.bracket(epsilon) for profile in (ZcdpProfile(rho), Each(rho)))
    assert np.all(shared.upper == alone.upper)
    assert np.all(shared.lower <= shared.upper)
    lost, before = ((b.upper - b.lower) / b.upper for b in (shared, alone))
    assert np.max(lost) <= 1.1 * np.max(before) + 1e-7  # what the orders between those looked at cost any point
    assert np.all(np.abs(shared.log_gap_upper - alone.log_gap_upper) <= 1e-7)


def test_questions_beside_each_other_share_a_point(monkeypatch):
    asked = counted(monkeypatch, ZcdpProfile)
    profile = ZcdpProfile(0.5)
    for _ in range(3):
        assert np.all(profile.bracket(1.3 + 1e-8 * np.arange(100)).lower > 0.0)
    assert sum(asked) <= 4  # and that on the diagonal


def test_points_are_not_kept_without_end(monkeypatch):
    monkeypatch.setattr(region_profile, "_KEPT", 10)
    profile = ZcdpProfile(0.5)
    for e in np.linspace(0.0, 3.0, 30):
        assert profile.bracket(np.array([e])).lower[0] > 0.0
    assert len(profile._found) <= 11


def test_lower_bounds_of_groups_look_at_few_points(monkeypatch):
    asked = counted(monkeypatch, ZcdpProfile)
    g = ny.ZCDP(0.36).group(2)
    upper = g.epsilon(1e-5)
    assert 0.99 * upper <= g.optimistic.epsilon(1e-5) <= upper
    assert sum(asked) < 3000  # for each eps by itself 25,000 and more
    many = ny.ZCDP(1e-6).group(60)
    assert many.optimistic.delta(0.0) <= many.delta(0.0)
    assert many.optimistic.delta(0.0) >= 0.999 * ny.GDP(60 * np.sqrt(2e-6)).delta(0.0)  # which keeps it


@pytest.mark.parametrize("many", [0, 1, 2500])
def test_any_number_of_eps(many):
    profile = ny.RDP([2.0, 8.0], [0.1, 0.5]).sides.forward
    epsilon = np.linspace(0.0, 3.0, many)
    bracket = profile.bracket(epsilon)
    assert bracket.lower.shape == bracket.log_gap_upper.shape == (many,)
    assert np.all(
        (bracket.lower > 0.0) & (bracket.lower <= bracket.upper) & (np.diff(bracket.lower, prepend=1.0) <= 0.0)
    )


def test_a_curve_whose_one_branch_is_never_touched():
    g = ny.join(ny.ZCDP(0.01686), ny.Profile([0.01192, 0.01494, 0.273], [0.2711, 0.02899, 4.092e-05]))
    assert np.all(np.isfinite(g.curve(20).beta))
