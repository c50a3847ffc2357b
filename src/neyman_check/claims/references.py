"""Profiles in closed form, which a curve is compared with."""

from __future__ import annotations

from collections.abc import Callable

from flint import arb

from neyman_check.curves.curve import Reference, largest
from neyman_check.deltas.exact import gaussian_delta, normal

__all__ = ["REFERENCES", "gaussian", "pure"]


def gaussian(mu: arb) -> Reference:
    """G_mu, mu > 0: delta falls in t = e^eps as fast as Q(L > eps)."""

    def delta(t: arb) -> arb:
        return gaussian_delta(mu, t.log()) if t > 0 else arb(1)

    def line(t: arb) -> tuple[arb, arb]:
        return delta(t), -normal(-mu / 2 - t.log() / mu) if t > 0 else arb(-1)

    return Reference(delta, line, mu)


def pure(epsilon: arb) -> Reference:
    """epsilon-DP alone: the largest of three lines."""
    grown = epsilon.exp()
    lines = [(arb(1), arb(-1)), (grown / (1 + grown), -1 / (1 + grown)), (arb(0), arb(0))]  # at t = 0, slopes

    def delta(t: arb) -> arb:
        return lines[0][0] - t if t == 0 else largest([value + slope * t for value, slope in lines])

    def line(t: arb) -> tuple[arb, arb]:
        value, slope = max(lines, key=lambda one: float((one[0] + one[1] * t).mid()))
        return value + slope * t, slope

    return Reference(delta, line)


REFERENCES: dict[str, Callable[[], Reference]] = {
    "gaussian": lambda: gaussian(arb(1)), "census": lambda: gaussian(arb(2.702)), "cifar": lambda: gaussian(arb(1.57)),
    "eight": lambda: gaussian(arb(1.67)), "response": lambda: pure(arb(1)),
}  # fmt: skip
"""The reference points that reports name, made at the precision of whoever asks."""
