"""mu where it used to be refused: rare steps at usual noise, and compositions so strong that delta(0) is all but 1."""

import pytest

import neyman as ny
from neyman import NotCertified


def test_mu_of_rare_steps_at_usual_noise() -> None:
    g = ny.account(ny.DPSGD(1.202, 1.955e-05, 138_923))
    assert 0.0 <= g.mu() - g.optimistic.mu() <= 1e-4 * g.mu()
    assert 0.00736 < g.optimistic.mu() <= g.mu() < 0.00737


def test_mu_of_strong_compositions() -> None:
    """Only one direction knows how little is left of 1 - delta(0): about e^-142783, whose probit mu / 2 is."""
    g = ny.account(ny.DPSGD(0.2366, 0.09078, 3_083_986))
    assert 0.0 <= g.mu() - g.optimistic.mu() <= 1e-4 * g.mu()
    assert 1068.0 < g.mu() < 1069.5


def test_a_huge_mu_is_reported_without_an_overflow() -> None:
    report = ny.account(ny.DPSGD(1.0, 0.5, 10**9)).gdp()
    assert 15000.0 < report.mu < 31622.8


def test_a_huge_mu_that_is_refused_is_at_least_bracketed() -> None:
    with pytest.raises(NotCertified) as refused:
        ny.account(ny.DPSGD(0.1807, 0.3058, 67301914)).mu()
    assert refused.value.lower > 11000.0
    assert refused.value.upper < 14000.0
