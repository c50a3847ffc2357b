"""Lines read at many eps: by a table as by themselves, and not at all where the effort does not suffice."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mp, mpf

import neyman as ny
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.estimate import Book
from neyman.engines.contour.laws import transform
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.profile import ContourProfile
from neyman.engines.contour.straight.line import SUMMED, Line
from neyman.engines.contour.straight.plan import Plan
from neyman.engines.contour.straight.reading import Reading
from neyman.engines.contour.truncation import monotone
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.losses.laplace.step import LaplaceStep
from neyman.numerics.sums.paired_turns import PairedTurns
from neyman.profiles.effort import Effort, cut_short


def parts(rate: float, times: int) -> Parts:
    step = transform(LaplaceStep(0.05, rate))
    assert step is not None
    return Parts(((step, times),), 0.0, "remove")


def laid(rate: float, times: int) -> Line:
    law = parts(rate, times)
    walk = Walk.along(law)
    index = int(np.argmin(np.abs(walk.c - 3.0 / np.sqrt(np.max(walk.variance)))))
    return Line.run(law, walk, Plan.make(law, walk, index, (0.0, float(walk.mean[index]))))


@pytest.mark.parametrize(("rate", "times"), [(1.0, 300), (0.3, 4000)])
def test_many_eps_are_read_from_a_table_as_one_by_one(rate: float, times: int) -> None:
    line = laid(rate, times)
    epsilon = np.linspace(0.0, 2.0 * float(line.walk.mean[line.plan.index]), 1000)
    one = [line.integrate(epsilon[i : i + 4]) for i in range(0, len(epsilon), 100)]
    assert not line._read._told
    while not (reading := line._read)._told:
        line.integrate(epsilon[:100])  # where no rounding is seen: none of them is read by all nodes
    assert reading._last > 0
    book = Book()
    together = line.integrate(epsilon, book)
    for i, alone in zip(range(0, len(epsilon), 100), one, strict=True):
        part = slice(i, i + 4)
        apart = np.abs(together.mantissa[part] - alone.mantissa)
        assert np.all(apart <= together.error[part] + alone.error)
        assert np.all(together.error[part] <= alone.error + 1.001e-10 * np.abs(alone.mantissa))
        assert np.allclose(together.slope[part], alone.slope, rtol=1e-6, atol=1e-9 * line.mass)
    assert np.all(sum(book.values()) <= together.error * (1.0 + 1e-12))


def test_few_turns_tell_what_all_do() -> None:
    line = laid(0.3, 4000)
    assert line.nodes > 1000
    assert line._long
    epsilon = np.linspace(0.0, 3.0 * float(line.walk.mean[line.plan.index]), 50)
    direct, slope = line._sums(epsilon)
    for some in np.split(np.arange(50), [1, 3, 10]):
        quickly = line._read._one_by_one(epsilon[some], 0.0, line._paired, 0.0)
        assert quickly is not None
        value, rise, blur = quickly
        assert blur is not None
        # either is rounded for itself, as the line counts, besides
        assert np.all(np.abs(value - direct[some]) <= blur + 2.0 * SUMMED * line.mass)
        assert np.all(blur <= 1e-10 * np.abs(direct[some]))
        assert np.all(np.abs(rise - slope[some]) <= 1e-12 * np.abs(line.weight).sum())


@pytest.mark.parametrize(
    ("run", "c", "nodes", "far"),
    [((1.0, 1e-4, 10**6), 15.6, (248, 512), 0.9), ((9.4, 0.32768, 2000), 1.8, (8, 64), 60.0),
     ((1.0, 0.01, 1000), 7.1, (64, 512), 9.0), ((20.0, 0.9, 10**5), 0.3, (8, 64), 400.0)],
)  # fmt: skip
def test_a_line_is_summed_within_its_rounding(
    run: tuple[float, float, int], c: float, nodes: tuple[int, int], far: float
) -> None:
    """Its turns are those of tangents; the argument of each is rounded besides, as ``lean`` counts."""
    law = Parts(((SamplingTransform(*run[:2]), run[2]),), 0.0, "remove")
    walk = Walk.along(law)
    index = int(np.argmin(np.abs(walk.c - c)))
    line = Line.run(law, walk, Plan.make(law, walk, index, (0.0, 0.9 * far)))
    assert nodes[0] < line.nodes < nodes[1]
    epsilon = far * np.array([0.013, 0.2, 0.47, 0.84, 1.0])
    direct, _ = line._sums(epsilon)
    with mp.workdps(40):
        for value, eps in zip(direct.tolist(), epsilon.tolist(), strict=True):
            terms = (
                mp.mpmathify(complex(weight)) * mp.expj(-mpf(eps) * mpf(omega))
                for weight, omega in zip(line.weight.tolist(), line.omega.tolist(), strict=True)
            )
            off = abs(mpf(value) - mp.re(mp.fsum(terms)))
            assert off <= SUMMED * line.mass + 2.0**-53 * eps * line.lean


def test_sums_of_few_turns_in_which_rounding_is_seen_are_read_by_themselves() -> None:
    omega, weight = 0.1 * np.arange(600), np.exp(-0.01 * np.arange(600)) + 0j
    plainly: list[float] = []

    def plain(epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        plainly.extend(epsilon)
        return epsilon, epsilon

    quick = PairedTurns(0.1, np.stack([weight, weight]))
    quick.error[:] = 1e-10 * float(np.abs(quick.at(np.array([1.0]))[0, 0])) * 1.01
    found = Reading(plain, 1.0, 20.0 * np.pi, omega, weight, quick)(np.array([0.0, 1.0]))
    assert found is not None
    value, _, blur = found
    assert blur is not None
    assert plainly == [1.0] == [value[1]]
    assert blur.tolist() == [quick.error[0], 0.0]
    again = Reading(plain, 1.0, 20.0 * np.pi, omega, weight, quick)(np.array([0.0]), 0.999999 * value[:1])
    assert again is not None
    assert plainly == [1.0, 0.0]


def test_a_reading_that_there_is_no_effort_for_is_refused_before_it_is_done() -> None:
    line = laid(1.0, 300)
    effort = Effort(1e-3)  # a millisecond, twice of which may be read
    with effort:
        found = line.integrate(np.linspace(0.0, 1.0, 100_000))
        assert np.all(np.isinf(found.error))
        assert cut_short()
        assert effort.left == 1e6 - 1.0
        assert np.all(np.isfinite(line.integrate(np.linspace(0.0, 1.0, 3)).error))


def test_what_was_refused_in_one_question_is_answered_in_the_next() -> None:
    profile, epsilon = ContourProfile(parts(1.0, 300)), np.linspace(0.1, 1.0, 2000)
    profile.bracket(epsilon[:1])  # its line is laid
    with Effort(1e-4):
        poor = profile.bracket(epsilon)
        assert cut_short()
    rich = profile.bracket(epsilon)
    assert np.all(rich.upper - rich.lower <= 1e-9 * rich.upper)
    assert np.all((poor.lower <= rich.lower) & (poor.upper >= rich.upper))


def test_lines_through_one_place_are_cut_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    plainly = monotone._cut_off
    monkeypatch.setattr(monotone, "_cut_off", lambda *some: looks.append(some[2:6]) or plainly(*some))
    guarantee = ny.account(ny.Laplace(0.04088).poisson(0.1427) ** 166)
    guarantee.delta(np.linspace(1.0, 900.0, 40))
    assert 0 < len(looks) == len(set(looks))
