"""Budgets that several threads charge: never one charge too many, never a total too small; and no copies."""

from __future__ import annotations

import copy
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neyman as ny
from tests.effort import rest_slow

THREADS = 8
RUNS = 50


@pytest.fixture(autouse=True)
def _switching() -> Iterator[None]:
    """Threads are exchanged as often as the interpreter can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-9)
    yield
    sys.setswitchinterval(usual)


def together(work: Callable[[], int]) -> int:
    """Run in all threads at once; the sum of what they return."""
    found: list[int] = []
    start = threading.Barrier(THREADS)

    def one() -> None:
        start.wait()
        found.append(work())

    threads = [threading.Thread(target=one) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == THREADS
    return sum(found)


@pytest.mark.parametrize("budget", [{"mu": 1.0}, {"rho": 0.5}], ids=str)
def test_a_filter_is_never_overdrawn(budget: Any) -> None:
    for _ in range(RUNS):
        spent = ny.Filter(**budget)

        def work(spent: ny.Filter = spent) -> int:
            charged = 0
            for _ in range(12):
                try:
                    spent.spend(ny.Gaussian(8.0))  # 64 fit
                except ny.BudgetExceeded:
                    continue
                charged += 1
            return charged

        assert together(work) == 64
        assert spent.remaining == 0.0


def test_an_individual_filter_is_never_overdrawn() -> None:
    for _ in range(RUNS):
        spent = ny.IndividualFilter(mu=1.0, records=3)
        total = together(lambda spent=spent: sum(spent.spend(0.25).astype(int) for _ in range(4)))
        assert np.array_equal(total, [16, 16, 16])
        assert np.array_equal(spent.spent, [1.0, 1.0, 1.0])
        spent = ny.IndividualFilter(mu=1.0, records=3)
        total = together(lambda spent=spent: sum(spent.spend([0.25], [1]).astype(int) for _ in range(4)))
        assert total[1] <= 16


def test_an_odometer_loses_nothing() -> None:
    for _ in range(RUNS):
        odometer = ny.Odometer(delta=1e-6, checkpoints=[1.0])

        def work(odometer: ny.Odometer = odometer) -> int:
            for _ in range(20):
                odometer.spend(ny.Gaussian(4.0))
            return 20

        assert together(work) == 160
        assert odometer.spent == 160 / 32
        assert odometer.checkpoints[0] == ny.accountants.Checkpoint(1.0, 32, True)


@pytest.mark.parametrize("runs", rest_slow([RUNS // 10, RUNS], 0))
def test_an_accountant_counts_every_step(runs: int) -> None:
    for _ in range(runs):
        accountant = ny.Accountant()

        def work(accountant: ny.Accountant = accountant) -> int:
            for _ in range(50):
                accountant.step(noise_multiplier=2.0, sample_rate=0.5)
                accountant.add(ny.Gaussian(3.0))
            return 100

        assert together(work) == 800
        assert len(accountant) == 800
        assert accountant.guarantee().mechanism == ny.DPSGD(2.0, 0.5, 400) * ny.Gaussian(3.0) ** 400


def test_a_journal_is_of_the_thread_that_opened_it(tmp_path: Path) -> None:
    refused: list[str] = []
    with ny.Accountant.journalled(tmp_path / "run", durable=False) as accountant:
        accountant.step(noise_multiplier=1.0, sample_rate=0.5)

        def work() -> int:
            for use in (lambda: accountant.step(noise_multiplier=1.0, sample_rate=0.5), accountant.compact):
                try:
                    use()
                except ny.NeymanError as error:
                    refused.append(str(error))
            return len(accountant)  # reading is no use

        assert together(work) == THREADS
        assert len(refused) == 2 * THREADS
        assert all("belongs to the thread that opened it" in text for text in refused)
        accountant.step(noise_multiplier=1.0, sample_rate=0.5)
    assert len(ny.Accountant.load(tmp_path / "run")) == 2


BUDGETS = [ny.Filter(mu=1.0), ny.Odometer(delta=1e-6), ny.IndividualFilter(mu=1.0, records=2)]


@pytest.mark.parametrize("budget", BUDGETS, ids=lambda b: type(b).__name__)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps], ids=lambda f: f.__name__)
def test_budgets_are_not_copied(budget: object, copied: Callable[[object], object]) -> None:
    with pytest.raises(ny.NeymanError, match="cannot be copied or pickled: each copy would spend the same budget once"):
        copied(budget)


def test_an_odometer_goes_on_from_its_state() -> None:
    one, two = (ny.Odometer(delta=1e-6, checkpoints=[0.1, 0.4]) for _ in range(2))
    for _ in range(10):
        one.spend(ny.Gaussian(4.0))
    two.load_state_dict(one.state_dict())
    for odometer in (one, two):
        odometer.spend(ny.Gaussian(2.0))
    assert (one.spent, one.epsilon, one.checkpoints) == (two.spent, two.epsilon, two.checkpoints)
    state = one.state_dict()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"delta": 1e-5}, "delta must be 1e-06, as of this odometer"),
        ({"schema": True}, "schema must be 1"),
        ({"spent": ["1", "0"]}, "spent must be a fraction"),
        ({"spent": [1, 2]}, "spent must be .numerator, denominator., two strings"),
        ({"covered": []}, "covered must be a list with a number for each of 2 checkpoints passed"),
        ({"covered": [3, 99]}, "covered must be a whole number from 0 to"),
        ({"releases": -1}, "releases must be a whole number"),
        ({"more": 1}, "state must be a dict that state_dict wrote"),
    ]
    for change, message in wrong:
        with pytest.raises(ny.InvalidParameter, match=message):
            two.load_state_dict({**state, **change})
    assert two.state_dict() == state
    with pytest.raises(ny.InvalidParameter, match="state must be a dict"):
        two.load_state_dict(None)  # type: ignore[arg-type]


def test_an_individual_filter_goes_on_from_its_state() -> None:
    one, two = (ny.IndividualFilter(mu=1.0, records=3) for _ in range(2))
    one.spend([0.1, 0.6, 0.9])
    two.load_state_dict(one.state_dict())
    one.spend([0.1, 0.6, 0.9])
    assert np.array_equal(two.spend([0.1, 0.6, 0.9]), [True, True, False])
    assert np.array_equal(one.spent, two.spent)
    state = one.state_dict()
    before = one.spent
    for change, message in (
        ({"mu": 2.0}, r"mu must be 1\.0, as of this filter"),
        ({"units": state["units"][:2]}, "units must be one float64 a record"),
        ({"units": state["units"] + 0.5}, "units must be whole numbers"),
        ({"units": state["units"] * np.nan}, "units must be whole numbers"),
        ({"units": -state["units"]}, "units must be whole numbers"),
        ({"units": state["units"] + float(Fraction(2) ** 52)}, "units must be whole numbers"),
        ({"more": 1}, "state must be a dict"),
    ):
        with pytest.raises(ny.InvalidParameter, match=message):
            one.load_state_dict({**state, **change})
    state["units"][:] = 0.0  # a copy
    assert np.array_equal(one.spent, before)


@pytest.mark.parametrize(
    "use", [ny.Accountant.load, ny.Accountant.journalled, ny.Accountant.recover, ny.Accountant().save]
)
def test_pipes_and_devices_are_refused_at_once(tmp_path: Path, use: Callable[[Any], object]) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(ny.InvalidParameter, match=r"path must be the path of a file, got .*may never end"):
            use(path)
