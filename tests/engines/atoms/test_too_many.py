"""Lists that nobody can count are not begun, and those that can are: sums of two lattices meet, or do not."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.atoms import enumeration
from neyman.engines.atoms.atoms import Atoms
from neyman.losses.discrete.steps import DiscreteGaussianStep


@given(
    st.integers(1, 60), st.integers(1, 60), st.integers(1, 40), st.integers(1, 40),
    st.sampled_from([1.0, 0.3, 1e-7, 2.0**0.5]),
)  # fmt: skip
def test_so_many_sums_are_different(n: int, m: int, p: int, q: int, scale: float) -> None:
    sums = {p * i + q * j for i in range(n) for j in range(m)}
    assert enumeration._different(p * scale / (q * scale), n, m) == len(sums)


def test_sums_that_share_no_lattice_never_meet() -> None:
    assert enumeration._different(1.0 / 2.0**0.5, 100, 80) == 8000


@pytest.mark.parametrize(
    ("mechanism", "epsilon"),
    [
        (ny.DiscreteGaussian(2.5, 2) * ny.DiscreteGaussian(2.25, 7) ** 2 * ny.DiscreteGaussian(1.75, 7), 40.0),
        (ny.DiscreteGaussian(2.25, 2) ** 2 * ny.DiscreteGaussian(3.0, 4) * ny.DiscreteGaussian(2.0**0.5, 3), 20.0),
        (ny.DiscreteGaussian(5.0**0.5) * ny.DiscreteGaussian(3.0**0.5, 11) * ny.DiscreteGaussian(2.75, 5), 20.0),
    ],
    ids=repr,
)
def test_what_two_lists_hold_is_read_at_each_outcome(mechanism: ny.Mechanism, epsilon: float) -> None:
    """Where sums meet, or are trimmed, two short lists are sharper than any lattice."""
    g = ny.account(mechanism)
    assert g.method == "exact sum over exact sum"
    upper = float(g.delta(epsilon))
    assert 0.0 <= upper - float(g.optimistic.delta(epsilon)) <= 1e-10 * upper


def test_a_census_is_not_multiplied_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two kinds of ten each made 350,000 outcomes, sorted and merged, before the third was found to be too much; now
    not even those of one kind are added.
    """
    tables = [(DiscreteGaussianStep(float(Fraction(s, 100)) ** 0.5, 1).table(), 10) for s in (500, 576, 1046, 1161)]
    added: list[int] = []
    product = enumeration.product

    def counted(a: Atoms, b: Atoms) -> Atoms | None:
        added.append(len(a.loss) * len(b.loss) if a.unit != b.unit else 0)
        return product(a, b)

    monkeypatch.setattr(enumeration, "product", counted)
    assert enumeration.parted(tables) == ()
    assert not added
