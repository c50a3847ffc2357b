"""Every public object travels: pickled, copied, to other processes, and says the same there.

Guarantees are looked at closely in ``tests/guarantees/test_pickled.py``.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import cache
from multiprocessing import get_context
from typing import Any

import cloudpickle
import joblib
import pytest
from scipy import stats

import neyman as ny
from tests.effort import crossed

M = ny.DPSGD(1.0, 0.01, 100)
RUNS = [{"name": "a", "noise_multiplier": 2.0, "sample_rate": 0.5, "steps": 4}]


def _accountant() -> ny.Accountant:
    made = ny.Accountant()
    made.step(noise_multiplier=1.0, sample_rate=0.1)
    return made


TRAVEL: dict[str, Callable[[], Any]] = {  # each made where it is asked for, and once
    "account": lambda: ny.account(M),
    "ApproximateDP": lambda: ny.ApproximateDP(1.0, 1e-5),
    "ApproximateMechanism": lambda: ny.ApproximateMechanism(0.1, 1e-9),
    "Accountant": _accountant,
    "audit": lambda: ny.audit.from_counts(true_positives=90, positives=100, false_positives=10, negatives=100),
    "BLATANT": lambda: ny.BLATANT,
    "Bounds": lambda: ny.account(ny.Gaussian(1.0)).loss.under_p.mean,
    "BudgetExceeded": lambda: ny.BudgetExceeded("mu", 1.0, 0.0, 0.5),
    "calibrate": lambda: ny.calibrate(ny.Gaussian, mu=0.5),
    "Calibration": lambda: ny.noise_for_dpsgd(mu=1, sample_rate=1.0, steps=4),
    "census": lambda: ny.census.published(ny.census.NAMES[0]),
    "compare": lambda: ny.compare(ny.GDP(1.0), ny.GDP(1.1)),
    "Comparison": lambda: ny.compare("mu:1", "laplace:1"),
    "compose": lambda: ny.compose(ny.Gaussian(1.0), ny.Laplace(1.0)),
    "compose_tradeoffs": lambda: ny.compose_tradeoffs(ny.GDP(0.3), ny.GDP(0.4)),
    "Conversion": lambda: ny.convert(mu=1.0, to="epsilon"),
    "CustomLoss": lambda: ny.CustomLoss(stats.laplace(0, 1).cdf, stats.laplace(1, 1).cdf, support=(-50.0, 51.0)),
    "DiscreteGaussian": lambda: ny.DiscreteGaussian(2.0),
    "DiscreteLaplace": lambda: ny.DiscreteLaplace(2.0),
    "DPSGD": lambda: M,
    "FileInUse": lambda: ny.FileInUse("a.json"),
    "Gaussian": lambda: ny.Gaussian(1.0),
    "GDP": lambda: ny.GDP(1.0),
    "Guarantee": lambda: made("account").optimistic,
    "InvalidParameter": lambda: ny.InvalidParameter("x", 1, "two", topic="file"),
    "join": lambda: ny.join(made("account"), ny.GDP(0.7)),
    "Laplace": lambda: ny.Laplace(1.0),
    "Mechanism": lambda: ny.Laplace(3.0) ** 2,
    "meet": lambda: ny.meet(made("account"), ny.GDP(0.7)),
    "explore": lambda: ny.explore(ny.Gaussian(1.0)),
    "MissingPackage": lambda: ny.MissingPackage("plot needs matplotlib"),
    "NeymanError": lambda: ny.NeymanError("nothing"),
    "NotCertified": lambda: ny.NotCertified("mu", 1.0, 2.0, "an example"),
    "Opaque": lambda: ny.Opaque(ny.GDP(1.0)),
    "PERFECT": lambda: ny.PERFECT,
    "PrivacyLoss": lambda: ny.account(ny.Gaussian(1.0)).loss,
    "Profile": lambda: ny.Profile([1.0, 2.0], [1e-3, 1e-5]),
    "prove": lambda: ny.prove(ny.Gaussian(1.0), claims=["epsilon@1e-05"]),
    "PureDP": lambda: ny.PureDP(1.0),
    "PureMechanism": lambda: ny.PureMechanism(1.0),
    "RandomizedResponse": lambda: ny.RandomizedResponse(1.0, k=3),
    "rate_for_dpsgd": lambda: ny.rate_for_dpsgd(mu=0.5, noise_multiplier=1.0, steps=1),
    "RDP": lambda: ny.RDP([2.0, 3.0], [1.0, 2.0]),
    "report": lambda: ny.report(ny.Gaussian(1.0)),
    "risk": lambda: ny.risk.tpr(made("account"), 0.01),
    "Satisfaction": lambda: ny.GDP(1.2).satisfies(ny.GDP(1.0)),
    "steps_for_dpsgd": lambda: ny.steps_for_dpsgd(mu=1, noise_multiplier=2, sample_rate=1.0),
    "Summary": lambda: ny.account(ny.Gaussian(1.0)).summary(),
    "table": lambda: ny.table(RUNS),
    "Table": lambda: ny.table(RUNS, baseline="a"),
    "Tabulated": lambda: ny.Tabulated(p=[0.75, 0.25], q=[0.25, 0.75]),
    "targets": lambda: ny.targets.Epsilon(8.0, delta=1e-5) & ny.targets.Mu(1.0),
    "Tradeoff": lambda: ny.Tradeoff([0.0, 0.5, 1.0], [1.0, 0.2, 0.0]),
    "tradeoff_between": lambda: ny.tradeoff_between(stats.norm(0), stats.norm(1)),
    "training": lambda: ny.training(batch_size=512, dataset_size=60_000, epochs=1),
    "UnknownArgument": lambda: ny.UnknownArgument("x", 1, "named y"),
    "UnreadableState": lambda: ny.UnreadableState("a.json", "it is cut short"),
    "verify": lambda: ny.verify(ny.report(ny.Gaussian(1.0)).to_dict()),
    "ZCDP": lambda: ny.ZCDP(0.5),
}
ALIKE = {  # what others of the same kind stand for, and what is no object of this package
    "from_dp_event": "Gaussian", "from_pld": "account", "mechanism_from_dict": "Gaussian", "convert": "Conversion",
    "noise_for_dpsgd": "Calibration", "comparison": "compare", "Explorer": "explore",
    "conversions": "", "plot": "", "sweep": "",
    "__version__": "",
}  # fmt: skip
ONE_OF_A_KIND = {  # a copy would spend the same budget once more
    "Filter": lambda: ny.Filter(mu=1.0),
    "IndividualFilter": lambda: ny.IndividualFilter(mu=1.0, records=3),
    "Odometer": lambda: ny.Odometer(delta=1e-6),
}


def said(one: Any) -> str:
    """What an object shows: of accountants, which show nothing, what they answer."""
    return repr(one.get_epsilon(1e-5)) if isinstance(one, ny.Accountant) else f"{type(one).__name__}: {one!r}"


@cache
def made(name: str) -> Any:
    return TRAVEL[name]()


@cache
def told(name: str) -> str:
    shown = said(made(name))
    return shown.partition(" at 0x")[0]


def test_every_public_name_is_here() -> None:
    assert {*TRAVEL, *ALIKE, *ONE_OF_A_KIND} == set(ny.__all__)
    assert all(other in TRAVEL for other in ALIKE.values() if other)


@crossed(("name", TRAVEL), ("pickled", [pickle, cloudpickle]), ids=lambda value: getattr(value, "__name__", None))
def test_it_comes_back_and_shows_the_same(name: str, pickled: Any) -> None:
    back = pickled.loads(pickled.dumps(made(name)))
    assert type(back) is type(made(name))
    assert said(back).partition(" at 0x")[0] == told(name)


@pytest.mark.parametrize("name", TRAVEL)
def test_a_copy_shows_the_same(name: str) -> None:
    for back in (copy.copy(made(name)), copy.deepcopy(made(name))):
        assert said(back).partition(" at 0x")[0] == told(name)


@pytest.mark.parametrize("name", ONE_OF_A_KIND)
@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_budget_is_not_copied(name: str, how: Any) -> None:
    one = ONE_OF_A_KIND[name]()
    with pytest.raises((ny.NeymanError, TypeError)):
        how(one)


def test_other_processes_show_the_same() -> None:
    """By ``multiprocessing``, started anew, and by joblib's loky: all at once, for starting takes the time."""
    names = [*TRAVEL]
    expected = [told(name) for name in names]
    sent = [made(name) for name in names]
    with get_context("spawn").Pool(1) as pool:
        assert [one.partition(" at 0x")[0] for one in pool.map(said, sent)] == expected
    found = joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(said)(one) for one in sent)
    assert [one.partition(" at 0x")[0] for one in found] == expected
