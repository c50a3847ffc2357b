"""Lines that are laid once serve every eps that they can, and a bad one takes nothing with it."""

from __future__ import annotations

import pytest
from flint import ctx

import neyman as ny
from neyman.witnesses import supply as room
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
