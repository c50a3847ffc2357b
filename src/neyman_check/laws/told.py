"""What a line was told of one kind of step: choices, none of which is believed."""

from __future__ import annotations

from typing import NamedTuple

from flint import acb, arb

__all__ = ["Cut", "Grid", "Polyline", "Rule", "Rules", "Told", "Witness"]


class Grid(NamedTuple):
    """Nodes x = low + k step, k < number, of a sum that stands for an integral, and the angle (in units of s^2) of the
    line that they lie on, in the middle of the strip that bounds the difference.
    """

    low: arb
    step: arb
    number: int
    angle: arb


class Cut(NamedTuple):
    """The same of the bound beyond the last node of a line: shifted by ``angle``, with a strip of its own."""

    low: arb
    step: arb
    number: int
    angle: arb
    strip: arb


class Witness(NamedTuple):
    """Of a sampled Gaussian step: grids on the line, at the other real point, and for the cut."""

    here: Grid
    far: Grid
    cut: Cut


class Rule(NamedTuple):
    """So many nodes of Gauss, and how far from the real axis the ellipse reaches on which the integrand is bounded."""

    nodes: int
    angle: arb


class Rules(NamedTuple):
    """What a line was told of a sampled Laplace step: on the line, and at the other real point."""

    here: Rule
    far: Rule


class Polyline(NamedTuple):
    """Corners, and of each segment between two of them how many nodes of Gauss it has and the parameter of its ellipse.

    Of a sampled Gaussian step a path is told one of x for each of its own segments.
    """

    points: tuple[acb, ...]
    counts: tuple[int, ...]
    ellipses: tuple[arb, ...]


Told = Witness | Rules | tuple[Polyline, ...] | None
