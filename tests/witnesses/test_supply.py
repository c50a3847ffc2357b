"""Lines that are laid once serve every eps that they can, and a bad one takes nothing with it."""

from __future__ import annotations

import pytest
from flint import ctx

import neyman as ny
from neyman.witnesses import supply as room
from neyman.witnesses.precision import supplied
from neyman.witnesses.supply import Supply
from neyman_check.errors import NotProved

FEW = ny.Laplace(1.0).poisson(0.1) ** 3


@pytest.fixture(autouse=True)
def bits():
    with ctx.workprec(128):
        yield


def supply_of(mechanism, adjacency="add_or_remove"):
    return Supply(mechanism.to_dict(), adjacency, 128, 30.0)


def sharp(ball):
    return ball is not None and ball.upper - ball.lower <= 1e-9 * ball.upper


def test_forks_of_one_direction_leave_the_other_its_own():
    """Near eps = 0, where lines and paths of either direction serve both, and forks do not."""
    found = supply_of(FEW)
    for epsilon in (0.0, 0.01, 0.02):
        assert sharp(found.ball(True, epsilon))
        assert sharp(found.ball(False, epsilon))
    assert {one["direction"] for one in found.lines} == {"remove", "add"}


def test_a_line_that_failed_serves_nowhere_and_others_do(monkeypatch):
    def bad(*asked):
        plan = room.fork(*asked)
        plan["fork"]["left"]["points"][0] = [0.1, 0.1]  # an arm that begins nowhere
        return plan

    monkeypatch.setitem(room._GIVEN_UP, bad, 1)
    found = supply_of(FEW, "remove")
    number = found.lay(True, 0.1, choose=bad)
    with pytest.raises(NotProved, match="begin"):
        found.made(True, number)
    assert sharp(found.ball(True, 0.1))


@pytest.mark.parametrize("run", [(886146.0, 2.0**-35, 5), (1.5, 2.0**-29, 9_000_000)])
def test_rare_losses_far_out_are_told_by_the_other_direction(run):
    """A record removed has moments nowhere; that of a record added tells deltas to 1e-17."""
    sigma, rate, steps = run
    mechanism = ny.Gaussian(sigma).poisson(rate) ** steps
    supply = supplied(mechanism.to_dict(), "remove")
    with ctx.workprec(supply.bits):
        same = [supply.ball(way, 0.0) for way in (True, False)]
        assert all(one is not None and one.upper - one.lower <= one.upper * 1e-6 for one in same)
        assert same[0].lower.lower() <= same[1].upper.upper()
        assert same[1].lower.lower() <= same[0].upper.upper()
