"""What Gauss's rule misses of a panel of a sampled Laplace law: the bound, and in 32 digits the truth."""

from __future__ import annotations

import math

import mpmath as mp
import pytest

from neyman.losses.laplace import transform as panels
from neyman.losses.laplace.step import LaplaceStep

_NODES = len(panels._NODES)


def test_what_gauss_misses_of_a_panel() -> None:
    """The bound of the docstring, from the constants as they are."""
    a, b = 0.5 * (4.0 + 0.25), 0.5 * (4.0 - 0.25)
    assert a - 1.0 < b
    risen = b * (panels._TURN / math.cos(0.5 * b * panels._WIDEST) + 0.5 * panels._WIDEST)
    slope = panels._TURN + 0.5 * panels._WIDEST
    largest = 2.0 * slope / -math.expm1(-2.0 * slope) * math.exp(risen)
    missed = 64.0 / 15.0 * largest * 4.0 ** (-2.0 * (_NODES - 1)) / (1.0 - 1.0 / 16.0) / 2.0
    assert missed < panels._QUADRATURE < 10.0 * missed


@pytest.mark.parametrize("turn", [0.0, 0.5, 0.75])
def test_a_panel_of_the_largest_tilt(turn: float) -> None:
    """Along rays of w from steepest growth to steepest fall."""
    with mp.workdps(32):
        nodes, weights = _rule()
        for half, rate, middle in ((0.7, 0.5, 0.7), (0.05, 0.9, -2.0), (0.7, 0.99, -4.0)):
            power = (panels._TURN / half) * mp.expjpi(turn)

            def f(x: mp.mpf, half: float = half, rate: float = rate, at: float = middle, a: mp.mpc = power) -> mp.mpc:
                grown = (1 - rate + rate * mp.exp(at + half * x)) / (1 - rate + rate * mp.exp(at))
                return mp.exp(-half * x / 2 + a * mp.log(grown))

            size = mp.quad(lambda x: abs(f(x)), [-1, 0, 1])
            missed = abs(mp.quad(f, [-1, 0, 1]) - mp.fsum(w * f(x) for w, x in zip(weights, nodes, strict=True)))
            assert missed < panels._QUADRATURE * size


def test_no_loss_is_steeper_on_an_ellipse() -> None:
    """Its real part reaches 1.125 half-widths beyond the last panel; the turn off the axis is counted apart."""
    beyond = (0.5 * (4.0 + 0.25) - 1.0) * panels._WIDEST
    tightest = math.inf
    for d in (1e-3, 0.5, 5.0, 30.0, 600.0):
        for rate in (1e-200, 1e-9, 0.01, 0.5, 0.999999):
            law = LaplaceStep(1.0 / d, rate).transform()
            with mp.workdps(40):
                grown = mp.mpf(rate) * mp.exp(mp.mpf(d) + beyond)
                truth = grown / (1 - mp.mpf(rate) + grown)
            assert truth <= law.steepest * (1.0 + 1e-15)
            tightest = min(tightest, law.steepest / float(truth))
    assert tightest < 1.01


def test_nodes_and_weights_are_within_the_rounding_that_is_stated() -> None:
    """Of the 32 units of each term, half are for its weight; places are allowed one unit of the whole."""
    with mp.workdps(32):
        for x, w, node, weight in zip(panels._NODES, panels._WEIGHTS, *_rule(), strict=True):
            assert abs(float(w) / weight - 1) < 16.0 * 2.0**-53
            assert abs(float(x) - node) < 2.0**-53


def _rule() -> tuple[list[mp.mpf], list[mp.mpf]]:
    """By Newton's method from the double-precision nodes."""
    nodes = [mp.mpf(float(x)) for x in panels._NODES]
    for _ in range(3):
        nodes = [x - mp.legendre(_NODES, x) / _slope(x) for x in nodes]
    return nodes, [2 / ((1 - x * x) * _slope(x) ** 2) for x in nodes]


def _slope(x: mp.mpf) -> mp.mpf:
    return _NODES * (mp.legendre(_NODES - 1, x) - x * mp.legendre(_NODES, x)) / (1 - x * x)
