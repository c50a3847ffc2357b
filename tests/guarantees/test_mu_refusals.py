"""mu where it used to be refused: rare steps at usual noise, and compositions so strong that delta(0) is all but 1."""

import neyman as ny


def test_mu_of_rare_steps_at_usual_noise() -> None:
    g = ny.account(ny.DPSGD(1.202, 1.955e-05, 138_923))
    assert 0.0 <= g.mu() - g.optimistic.mu() <= 1e-4 * g.mu()
    assert 0.00736 < g.optimistic.mu() <= g.mu() < 0.00737


def test_mu_of_strong_compositions() -> None:
    """Only one direction knows how little is left of 1 - delta(0): about e^-142783, whose probit mu / 2 is."""
    g = ny.account(ny.DPSGD(0.2366, 0.09078, 3_083_986))
    assert 0.0 <= g.mu() - g.optimistic.mu() <= 1e-4 * g.mu()
    assert 1068.0 < g.mu() < 1069.5
