"""No law that has lost some of its mass is answered for, by whatever door it goes to an engine."""

import math
from dataclasses import replace

import numpy as np
import pytest

import neyman as ny
from neyman.engines.atoms.enumeration import enumerated
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.laws import transform
from neyman.engines.contour.parts import Parts
from neyman.engines.renyi.laws import power_laws
from neyman.losses.discrete.steps import RandomizedResponseStep
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.losses.laplace.bins import Piece
from neyman.losses.laplace.step import LaplaceStep
from neyman.losses.readings import outcomes
from neyman.losses.readings.outcomes import Outcomes, k_ary
from neyman.losses.readings.smooth_part import SmoothPart
from tests.hunt import custom

LOST = 1e-6  # of the mass: far less than any engine promises


def test_bins_that_miss_a_stretch_of_the_law_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Piece.place
    monkeypatch.setattr(Piece, "place", lambda self, gap: np.maximum(whole(self, gap), -self.d + 1e-5))
    with pytest.raises(ny.NotCertified, match=r"masses of LaplaceLaw sum to 0\.99999.* under Q") as refused:
        ny.account(ny.Laplace(1.0 / 33.0).poisson(0.06) ** 2, tolerance=0.05).delta(0.0)
    assert (refused.value.lower, refused.value.upper) == (0.0, 1.0)


@pytest.mark.parametrize("part", ["lower", "upper", "nodes"])
def test_each_part_of_a_bin_split_is_weighed(part: str) -> None:
    law = LaplaceStep(1.0, 0.3).bins()
    h = law.unit / 100.0
    split = law.bins(h, 0, 100, True)
    assert split.weighed(law) is split
    if part == "nodes":
        less = replace(split, nodes=(split.nodes[0], split.nodes[1] - LOST))
    else:
        less = replace(split, **{part: getattr(split, part) * (1.0 - LOST)})
    with pytest.raises(ny.NotCertified, match="masses of LaplaceLaw"):
        less.weighed(law)
    with pytest.raises(ny.NotCertified, match="under P"):  # all of Q is there, but not where P has it
        replace(split, lower=split.lower + LOST * split.upper, upper=split.upper * (1.0 - LOST)).weighed(law)


def test_transforms_and_cumulants_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    # a loss that is off by 1e-9 relatively moves A(1), not A(0)
    true = SamplingTransform.log_ratio
    monkeypatch.setattr(SamplingTransform, "log_ratio", lambda self, z: true(self, z) * (1.0 + 1e-9))
    with pytest.raises(ny.NotCertified, match=r"masses of SamplingTransform .* under P"):
        SamplingTransform(0.7, 0.3).weighed()
    with pytest.raises(ny.NotCertified, match="masses of SamplingTransform"):
        ny.account(ny.DPSGD(0.7, 0.3, 100)).delta(1.0)
    with pytest.raises(ny.NotCertified, match=r"masses of a composition sum to .* under P"):
        Walk.along(Parts(((SamplingTransform(0.7, 0.3), 10**6),), 0.0, "remove"))
    monkeypatch.undo()
    assert transform(LaplaceStep(2.0, 0.1)) is not None


def test_outcomes_and_their_compositions_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*arguments: float) -> Outcomes:
        table = k_ary(*arguments)
        return replace(table, log_q=table.log_q + math.log1p(-LOST))

    table = RandomizedResponseStep(1.0).table()
    monkeypatch.setattr(outcomes, "k_ary", lost)
    with pytest.raises(ny.NotCertified, match=r"masses of RandomizedResponseStep sum to 0\.999999"):
        ny.account(ny.RandomizedResponse(1.0) ** 3)
    assert enumerated([(table, 3)]) is not None
    monkeypatch.setattr("neyman.engines.atoms.enumeration.gammaln", lambda k: 1.000001 * np.sqrt(k))
    with pytest.raises(ny.NotCertified, match="masses of a composition of outcomes"):
        enumerated([(table, 50)])


def test_the_laws_of_divergences_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    step = LaplaceStep(0.37, 0.123)
    assert power_laws(step) is not None
    true = SmoothPart.at

    def lost(self: SmoothPart, *arguments: np.ndarray) -> tuple[np.ndarray, ...]:
        log_density, *others = true(self, *arguments)
        return log_density + math.log1p(-LOST), *others

    monkeypatch.setattr(SmoothPart, "at", lost)
    power_laws.cache_clear()
    with pytest.raises(ny.NotCertified, match="masses of LaplaceStep"):
        power_laws(step)


def test_a_million_bins_that_are_whole_are_taken_for_whole() -> None:
    """A product of vectors rounds each of its terms: the masses seemed to be 3.5e-14 more than 1, and epsilon was
    refused."""
    guarantee = ny.account(custom.laplace(0.952) ** 2, "add", 1e-3)
    assert math.isclose(guarantee.epsilon(1e-5), 2.0 / 0.952, rel_tol=1e-3)
