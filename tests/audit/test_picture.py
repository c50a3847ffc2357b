"""A verdict as a picture."""

from __future__ import annotations

import numpy as np
import pytest

import neyman as ny

RNG = np.random.default_rng(3)
EVIDENCE = ny.audit.from_scores(RNG.normal(1.0, 1.0, 500), RNG.normal(0.0, 1.0, 500))


def test_a_verdict_brings_its_numbers() -> None:
    data = ny.plot.audit.data(ny.audit.check(ny.GDP(1.0), EVIDENCE))
    band = EVIDENCE.roc()
    attack = data.of("attack")
    assert np.array_equal(attack["fpr"], band.fpr)
    assert np.array_equal(attack["tpr"], band.tpr)
    assert np.array_equal(attack["tpr_upper"], band.upper)
    assert np.all(attack["tpr_lower"] <= band.lower)
    same = ny.plot.audit.data(ny.GDP(1.0), EVIDENCE)
    assert np.array_equal(same.of("attack")["tpr_lower"], attack["tpr_lower"])
    assert len(data.curves) == 4  # claim, summary, attack, what the audit proves


def test_a_one_sided_claim_is_turned() -> None:
    """The curve drawn is the one that the attack faces: its null hypothesis is that the record is absent."""
    run = ny.DPSGD(0.6, 0.25, 1)
    claim = ny.account(run, adjacency="add")
    drawn = ny.plot.audit.data(ny.audit.check(claim, EVIDENCE))
    curve = drawn.of(drawn.curves[0])
    assert np.allclose(curve["tpr"], ny.account(run, adjacency="remove").roc(curve["fpr"]), rtol=1e-5)


def test_without_a_bound_no_curve_of_it() -> None:
    null = ny.audit.from_scores(RNG.normal(size=100), RNG.normal(size=100))
    assert len(ny.plot.audit.data(ny.audit.check(ny.GDP(1.0), null)).curves) == 3


@pytest.mark.parametrize(("mu", "refuted"), [(1.0, 0.0), (0.4, 1.0)])
def test_the_point_that_decides(mu: float, refuted: float) -> None:
    """It stands above the claim's curve exactly where the claim is refuted."""
    verdict = ny.audit.check(ny.GDP(mu), EVIDENCE)
    facts = ny.plot.audit.data(verdict).facts
    assert facts["refuted"] == refuted
    assert (facts["point_tpr"] > ny.GDP(mu).roc(facts["point_fpr"])) == bool(refuted)
    ax = ny.plot.audit(verdict)
    (mark,) = [line for line in ax.lines if line.get_marker() == "D"]
    assert np.asarray(mark.get_xydata()).tolist() == [[facts["point_fpr"], facts["point_tpr"]]]
    words = [text.get_text() for text in ax.get_legend().get_texts()]  # type: ignore[union-attr]
    assert ("certified: refutes the claim" in words) == bool(refuted)
    assert "point_fpr" not in ny.plot.audit.data(ny.GDP(mu), EVIDENCE).facts


@pytest.mark.slow
def test_rates_that_an_audit_cannot_see_are_not_drawn() -> None:
    for evidence, floor in ((EVIDENCE, 1e-3), (ny.audit.from_counts(3, 5, 1, 5), 0.1)):
        assert ny.plot.audit(ny.GDP(1.0), evidence).get_xlim() == (pytest.approx(floor), 1.0)
        assert ny.plot.audit(ny.audit.check(ny.GDP(1.0), evidence)).get_xlim()[0] == pytest.approx(floor)
        assert ny.plot.audit(ny.GDP(1.0), evidence, floor=1e-5).get_xlim()[0] == 1e-5
    assert ny.plot.audit(ny.GDP(1.0), [0.1], [0.2]).get_xlim()[0] == 1e-6


@pytest.mark.parametrize("rates", [(None, None), ([0.1], None)])
def test_rates_must_come_from_somewhere(rates: tuple[list[float] | None, list[float] | None]) -> None:
    with pytest.raises(ny.InvalidParameter, match=r"must be an array of rates, got None\. Only a Verdict"):
        ny.plot.audit(ny.GDP(1.0), *rates)
