"""Figure 6 of the sensitivity-index paper: the stored curves are those of today, and lie in the stated order."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neyman.conversions import GaussianPage, gaussian_epsilon, rdp_best, rdp_improved_a, rdp_improved_b, rdp_standard
from tests.conversions import formulas
from tests.conversions.make_figure6 import DELTA, HEADER, ORDERS, PSI, STORED, rows


@pytest.fixture(scope="module")
def curves() -> dict[str, np.ndarray]:
    assert STORED.read_text().splitlines()[0] == HEADER
    table = np.loadtxt(STORED, delimiter=",", skiprows=1).reshape(len(PSI), len(ORDERS), 6)
    return dict(zip(HEADER.split(","), np.moveaxis(table, 2, 0), strict=True))


def test_the_stored_curves_are_those_of_today(curves):
    today = np.moveaxis(np.array(rows()).reshape(len(PSI), len(ORDERS), 6), 2, 0)
    for name, values in zip(HEADER.split(","), today, strict=True):
        np.testing.assert_allclose(values, curves[name], rtol=1e-9, atol=0.0)


def test_the_stored_curves_are_the_formulas(curves):
    """A sample of the rows, and the profile by its equation, at 50 digits."""
    with mp.workdps(formulas.DIGITS):
        for i in range(0, len(PSI), 7):
            psi = PSI[i]
            assert formulas.gaussian_delta(psi, curves["profile"][i, 0]) == pytest.approx(DELTA, rel=1e-7)
            for j, order in enumerate(ORDERS):
                rho = 0.5 * order * psi**2
                for name in ("standard", "improved_a", "improved_b"):
                    exact = float(getattr(formulas, name)(order, rho, DELTA))
                    assert curves[name][i, j] == pytest.approx(exact, rel=1e-9)


def test_profile_below_a_below_b_below_standard(curves):
    assert np.all(curves["profile"] <= curves["improved_a"])
    assert np.all(curves["improved_a"] <= curves["improved_b"])
    assert np.all(curves["improved_b"] <= curves["standard"])
    assert np.all(np.diff(curves["profile"], axis=0) > 0.0)


def test_what_the_paper_reads_off_it(curves):
    """Large psi asks for small orders, small psi for large ones; A gains on B as psi falls to 0."""
    best = ORDERS[np.argmin(curves["improved_a"], axis=1)]
    assert best[PSI == 6.0] <= 2.0
    assert best[PSI == 1.0] >= 4.0
    ratio = curves["improved_a"][:, ORDERS == 2.0] / curves["improved_b"][:, ORDERS == 2.0]
    assert ratio[0, 0] < 0.65
    assert np.all(ratio[PSI > 3.0] == 1.0)
    gap = np.min(curves["improved_a"], axis=1) / curves["profile"][:, 0] - 1.0
    assert np.all(gap < 0.35)


@given(
    psi=st.floats(0.1, 6.0), order=st.floats(1.0, 64.0, exclude_min=True), delta=st.sampled_from([DELTA, 1e-2, 1e-10])
)
def test_the_order_holds_in_the_whole_rectangle(psi, order, delta):
    rho = GaussianPage(psi).rdp(order)
    exact = gaussian_epsilon(psi, delta)
    a, b, standard = (rule(order, rho, delta) for rule in (rdp_improved_a, rdp_improved_b, rdp_standard))
    assert exact <= rdp_best(order, rho, delta) <= a <= b * (1.0 + 1e-12) <= standard * (1.0 + 2e-12)
