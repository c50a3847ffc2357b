"""Bins of an unsampled Laplace law that meet no atom: in closed form, against integrals to 60 digits."""

from __future__ import annotations

import numpy as np
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from neyman.losses.laplace.bins import LaplaceLaw, _exponential


def integrals(gap: float, h: float) -> tuple[arb, arb]:
    """Of e^{-s / 2} / 4 from ``gap`` on, over a width of ``h``: without and with the share of the upper end."""
    g, w = arb(gap), arb(h)
    whole = (-g / 2).exp() * (1 - (-w / 2).exp()) / 2
    above = (-g / 2).exp() * ((w / 2).exp() - 1 - (1 - (-w / 2).exp())) / 2 / (w.exp() - 1)
    return whole - above, above


@given(st.floats(0.0, 600.0), st.floats(-24.0, 3.0).map(np.exp))
def test_masses_of_a_bin(gap: float, h: float) -> None:
    lower, upper = _exponential(np.array([gap]), float(h))
    with ctx.workprec(300):
        for found, true in zip((lower, upper), integrals(gap, float(h)), strict=True):
            assert abs(arb(float(found[0])) / true - 1) < arb(1e-15) * (12 + gap)


@given(st.floats(0.02, 40.0), st.integers(4, 2000), st.floats(0.7, 1.0), st.booleans())
def test_whole_bins_say_what_a_quadrature_says(scale: float, count: int, share: float, remove: bool) -> None:
    law = LaplaceLaw(scale, 1.0, two_sided=False)
    h = 2.0 * law.d / count * share
    last = int(np.ceil(2.0 * law.d / h * (1.0 - 1e-12)))
    found = law.bins(h, 0, last, remove)
    total = np.sum(found.lower) + np.sum(found.upper) + np.sum(np.exp(found.nodes[1]))
    assert abs(total - 1.0) < 1e-12
    plain = law._whole_bins
    object.__setattr__(law, "_whole_bins", lambda gap, h: slice(0, 0))
    by_quadrature = law.bins(h, 0, last, remove)
    object.__setattr__(law, "_whole_bins", plain)
    rounded = 1e-12 + 1e-15 * (2.0 * law.d + 2.0) / h  # of edges, which a quadrature takes as they are
    for own, other in ((found.lower, by_quadrature.lower), (found.upper, by_quadrature.upper)):
        seen = other > 1e-280
        assert np.all(np.abs(own[seen] / other[seen] - 1.0) < rounded)
