"""Lines as witnesses: what steering chose is enough to find the same again, and nothing that is chosen is believed."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.contour.certifier import certified
from neyman.engines.contour.laws import transform
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.straight.witness import LineWitness
from neyman.engines.contour.truncation.period import folded
from neyman.losses.discrete.theta_transform import DiscreteGaussianTransform
from neyman.losses.gaussian.plain import GaussianStep
from neyman.profiles.certificate import Certificate
from tests.effort import crossed, examples

RUNS = [
    ny.DPSGD(1.0, 0.01, 1000),
    ny.DPSGD(0.6, 1e-3, 100_000),
    ny.DPSGD(20.0, 0.9999, 10**6),
    ny.Laplace(2.0) ** 50 * ny.Gaussian(3.0),
    ny.Laplace(3.0).poisson(0.3) ** 400,
    ny.DPSGD(5.0, 0.5, 300) * ny.Gaussian(2.0),
    ny.DPSGD(0.3, 0.1, 2),
    ny.DiscreteGaussian(20.0) ** 30 * ny.DiscreteGaussian(40.0) ** 30,
    ny.DiscreteGaussian(1.0) ** 40 * ny.DiscreteGaussian(7.0) ** 900,
    ny.DiscreteGaussian(3.0) ** 50 * ny.Gaussian(2.0),
]
PLACES = np.array([0.0, 0.01, 0.3, 1.0, 2.0, 5.0, 12.0, 40.0])
KNOWN: dict[tuple[int, str], tuple[Parts, np.ndarray, np.ndarray]] = {}


def parts(run: ny.Mechanism, direction: str) -> Parts:
    losses = run.losses()
    found = [(transform(step), times) for step, times in losses if not isinstance(step, GaussianStep)]
    steps = tuple((law, times) for law, times in found if law is not None)
    mu = max((step.mu for step, _ in losses if isinstance(step, GaussianStep)), default=0.0)  # all in one
    if mu == 0.0 and all(isinstance(law, DiscreteGaussianTransform) for law, _ in steps):
        onto = folded(steps)
        if onto is not None:
            return Parts(onto[0], 0.0, direction, onto[1])
    return Parts(steps, mu, direction)


def known(index: int, direction: str) -> tuple[Parts, np.ndarray, np.ndarray]:
    """The law, and what the whole ladder of engines says of it."""
    if (index, direction) not in KNOWN:
        b = ny.account(RUNS[index], direction).sides.forward.bracket(PLACES)
        KNOWN[index, direction] = parts(RUNS[index], direction), b.lower, b.upper
    return KNOWN[index, direction]


def lines(one: Certificate) -> list[Certificate]:
    return [part for part in (one, *one.parts) if part.supply in ("straight line", "straight line over one period")]


@crossed(
    ("run", [run for run in RUNS if run != ny.DPSGD(0.3, 0.1, 2)]),
    ("epsilon", [0.3, 2.0, 6.0]),
    ids=repr,
)
def test_a_witness_from_a_file_is_certified_to_the_same_bits(run: ny.Mechanism, epsilon: float) -> None:
    seen = 0
    for name, whole in ny.account(run).certificate(epsilon).directions.items():
        for one in lines(whole):
            if one.plan is None or one.lower == 0.0:
                continue
            witness = LineWitness.of_dict(json.loads(json.dumps(one.plan)))
            law = parts(run, "remove" if name == "both" else name)
            found = certified(law, witness, np.array([epsilon])).bracket()
            assert (found.lower[0], found.upper[0]) == (one.lower, one.upper)
            seen += 1
    assert seen > 0


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


@examples(40, 2000)
@given(
    index=st.integers(0, len(RUNS) - 1),
    direction=st.sampled_from(["remove", "add"]),
    c=log_uniform(1e-6, 100.0) | st.floats(-0.999, -0.001),
    spread=log_uniform(0.1, 500.0),
    cut=log_uniform(0.1, 500.0),
    beside=st.tuples(log_uniform(1e-3, 50.0), log_uniform(1e-3, 50.0)),
    sides=st.sampled_from([(-1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0), (0.0, 1.0)]),
    limit=st.sampled_from([0.0, -5.0, -40.0, -110.0, -700.0]),
    level=st.none() | st.floats(-700.0, 50.0),
    periodic=st.booleans(),
)
def test_whatever_is_chosen_nothing_false_follows(
    index: int, direction: str, c: float, spread: float, cut: float, beside: tuple[float, float],
    sides: tuple[float, float], limit: float, level: float | None, periodic: bool,
) -> None:  # fmt: skip
    law, lower, upper = known(index, direction)
    if periodic and law.fold is not None:
        spread = law.fold.whole(spread)
    witness = LineWitness(
        c, spread, cut, c + sides[0] * beside[0], c + sides[1] * beside[1], limit, level, periodic
    )  # fmt: skip
    found = certified(law, witness, PLACES).bracket()
    assert np.all(found.lower <= upper)
    assert np.all(found.upper >= lower)


@pytest.mark.parametrize("share", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("name", ["c", "spread", "cut", "left", "right"])
def test_nearly_right_witnesses_are_wide_and_true(name: str, share: float) -> None:
    law, lower, upper = known(0, "remove")
    plan = ny.account(RUNS[0]).certificate(2.0).directions["remove"].plan
    assert plan is not None
    found = certified(law, LineWitness.of_dict({**plan, name: share * plan[name]}), PLACES).bracket()
    assert np.all(found.lower <= upper)
    assert np.all(found.upper >= lower)


@pytest.mark.parametrize(
    "change",
    [
        {"c": 0.0}, {"c": -1.0}, {"c": -3.0}, {"c": math.nan}, {"c": math.inf}, {"spread": 0.0}, {"spread": -5.0},
        {"spread": math.inf}, {"cut": 0.0}, {"cut": math.nan}, {"cut": 1e12}, {"spread": 1e12}, {"left": math.nan},
        {"c": 1e300}, {"level": 3.0}, {"level": math.nan}, {"kind": "straight line over one period", "level": -40.0},
        {"kind": "straight line over one period"},
    ],
)  # fmt: skip
def test_of_what_is_no_line_nothing_follows(change: dict[str, float]) -> None:
    law = parts(RUNS[0], "remove")
    plan = {"c": 2.0, "spread": 12.0, "cut": 30.0, "left": -0.5, "right": 4.0, "limit": -110.0}
    found = certified(law, LineWitness.of_dict({**plan, **change}), PLACES).bracket()
    assert np.all((found.lower == 0.0) & (found.upper == 1.0))
