"""Epsilon after every step: certified, and that of ``account`` but for what nobody can tell."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import neyman as ny
from neyman.accountants.growth import Growth
from tests.effort import rest_slow


def counted(accountant: ny.Accountant) -> bool:
    """Whether the last answer came without the whole guarantee."""
    return accountant._guarantee is None


def as_account_says(epsilon: float, mechanism: ny.Mechanism, delta: float, adjacency: str = "add_or_remove") -> None:
    g = ny.account(mechanism, adjacency)
    assert epsilon >= g.optimistic.epsilon(delta)
    assert g.optimistic.delta(epsilon) <= delta
    assert g.delta(epsilon) >= delta * (1.0 - 3e-9) or epsilon == 0.0


@pytest.mark.parametrize("adjacency", rest_slow(["add_or_remove", "add", "remove"], "add_or_remove", "add"))
def test_a_run_that_goes_on(adjacency: str) -> None:
    accountant, quick = ny.Accountant(adjacency=adjacency), 0
    for step in range(1, 131):
        accountant.step(noise_multiplier=1.1, sample_rate=0.02)
        epsilon = accountant.get_epsilon(1e-5)
        quick += counted(accountant)
        if step % 20 == 0:
            as_account_says(epsilon, ny.DPSGD(1.1, 0.02, step), 1e-5, adjacency)
    assert quick >= 100


def test_many_deltas_and_leaps() -> None:
    accountant, rng = ny.Accountant(), np.random.default_rng(5)
    accountant.add(ny.DPSGD(0.9, 0.01, 1), 200)
    accountant.add(ny.Gaussian(8.0))
    accountant.add(ny.DPSGD(1.3, 0.03, 1), 5)
    total, quick = 200, 0
    for _ in range(40):
        more = int(rng.integers(1, 12))
        accountant.add(ny.DPSGD(0.9, 0.01, 1), more)
        total += more
        delta = float(10.0 ** -rng.uniform(1.0, 9.0))
        epsilon = accountant.get_epsilon(delta)
        quick += counted(accountant)
        whole = ny.DPSGD(0.9, 0.01, total) * ny.Gaussian(8.0) * ny.DPSGD(1.3, 0.03, 5)
        as_account_says(epsilon, whole, delta)
    assert quick >= 35


def test_a_delta_that_nothing_exceeds() -> None:
    accountant = ny.Accountant()
    for _ in range(60):
        accountant.step(noise_multiplier=5.0, sample_rate=0.001)
        assert accountant.get_epsilon(0.1) == 0.0
    assert counted(accountant)


def test_what_has_no_lines_is_asked_of_account() -> None:
    for make in (
        lambda n: ny.Laplace(2.0) ** n,
        lambda n: ny.Gaussian(9.0) ** n,
        lambda n: ny.DPSGD(1.0, 0.01, n) * ny.Laplace(5.0),
    ):
        growth = Growth()
        found = [growth.epsilon(make(n).losses(replace=False), "add_or_remove", 1e-6, 1e-5) for n in range(40, 44)]
        assert found == [None] * 4
    growth = Growth()
    run = [ny.DPSGD(1.0, 0.01, n).losses(replace=False) for n in range(100, 106)]
    assert [growth.epsilon(one, "replace", 1e-6, 1e-5) for one in run] == [None] * 6
    assert [growth.epsilon(one, "add_or_remove", 1e-12, 1e-5) for one in run] == [None] * 6
    assert [growth.epsilon(one, "add_or_remove", 1e-6, 1e-5) is None for one in run] == [True] * 2 + [False] * 4


def test_many_kinds_of_steps_are_asked_of_account() -> None:
    """Their plans are counted there, and refused where they are too dear."""
    growth = Growth()
    many = ny.compose(ny.DPSGD(1.0 + 0.01 * i, 0.01, 2) for i in range(70))
    run = [(many * ny.DPSGD(0.9, 0.01, n)).losses(replace=False) for n in range(100, 104)]
    assert [growth.epsilon(one, "add_or_remove", 1e-6, 1e-5) for one in run] == [None] * 4
    assert growth._laid is None


def test_no_continuation() -> None:
    """Fewer steps, many more, others between: asked of ``account``, and true."""
    growth = Growth()

    def asked(n: int, others: int = 3) -> float | None:
        losses = (ny.DPSGD(1.0, 0.01, n) * ny.DPSGD(2.0, 0.02, others)).losses(replace=False)
        return growth.epsilon(losses, "add_or_remove", 1e-6, 1e-5)

    assert [asked(n) is None for n in (100, 101, 102, 103)] == [True, True, False, False]
    assert asked(90) is None
    assert asked(103) is not None  # still within what was laid
    assert asked(1000) is None
    assert asked(103, others=4) is None
    first, last = asked(102), asked(104)
    assert first is not None
    assert last is not None
    assert first < last


def test_settings_in_turn_lay_nothing() -> None:
    accountant = ny.Accountant()
    accountant.add(ny.DPSGD(1.0, 0.01, 1), 50)
    accountant.add(ny.DPSGD(2.0, 0.01, 1), 50)
    for i in range(6):
        accountant.step(noise_multiplier=1.0 + i % 2, sample_rate=0.01)
        accountant.get_epsilon(1e-5)
        assert accountant._growth._laid is None
    assert len(accountant) == 106


def test_copies_files_and_journals(tmp_path: Path) -> None:
    accountant = ny.Accountant.journalled(tmp_path / "run.journal", durable=False)
    for _ in range(40):
        accountant.step(noise_multiplier=1.0, sample_rate=0.02)
        accountant.get_epsilon(1e-6)
    assert counted(accountant)
    accountant.close()
    again = ny.Accountant.load(tmp_path / "run.journal")
    as_account_says(again.get_epsilon(1e-6), ny.DPSGD(1.0, 0.02, 40), 1e-6)
    for other in (pickle.loads(pickle.dumps(again)), copy.deepcopy(again)):
        other.step(noise_multiplier=1.0, sample_rate=0.02)
        as_account_says(other.get_epsilon(1e-6), ny.DPSGD(1.0, 0.02, 41), 1e-6)
    # whoever holds a guarantee is answered by it
    held = again.guarantee()
    assert again.get_epsilon(1e-6) == held.epsilon(1e-6)
    with pytest.raises(ny.InvalidParameter):
        again.get_epsilon(2.0)
    assert isinstance(again.get_epsilon(np.array([1e-6, 1e-5])), np.ndarray)
