"""A short run of reference/random_settings.py: six of its settings, one of them verified independently."""

from __future__ import annotations

import pytest

from tests.reference import arb, random_settings

SETTINGS = random_settings.draw(40, seed=7)


@pytest.fixture(scope="module", params=[6, pytest.param(40, marks=pytest.mark.slow)])
def outcomes(request: pytest.FixtureRequest) -> list[random_settings.Outcome]:
    return [random_settings.run(setting) for setting in SETTINGS[: request.param]]


def test_every_setting_is_answered_in_time_with_ordered_narrow_brackets(
    outcomes: list[random_settings.Outcome],
) -> None:
    assert {str(o.setting): random_settings.faults(o) for o in outcomes if random_settings.faults(o)} == {}


def test_no_setting_is_refused(outcomes: list[random_settings.Outcome]) -> None:
    assert [f"{o.setting}: {o.refused}" for o in outcomes if o.refused] == []


def test_independent_values_lie_inside_the_brackets(
    outcomes: list[random_settings.Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arb, "BUDGET", 3e5)
    checked = 0
    for outcome in outcomes:
        if checked == min(4, len(outcomes) // 6):
            break
        setting = outcome.setting
        if outcome.brackets and setting.q < 1.0 < setting.q * setting.steps:  # the others cost too much
            try:
                broken = random_settings.verify(outcome, digits=11.0)
            except arb.TooExpensive:
                continue
            assert broken == [], str(outcome.setting)
            checked += 1
    assert checked == min(4, len(outcomes) // 6)
