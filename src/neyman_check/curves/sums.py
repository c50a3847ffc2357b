"""Paths, forks and lines behind a veil on a whole cell of eps (Lemma C4 of docs/proofs/cells.md)."""

from __future__ import annotations

from collections.abc import Iterable

from flint import acb, arb, ctx

from neyman_check.curves.cell import Cell
from neyman_check.deltas.fork import Fork
from neyman_check.deltas.path import Bound, Path, Sum
from neyman_check.deltas.veil import Behind, Veil

__all__ = ["of_fork", "of_path", "of_veil"]

_NOTHING = arb(2) ** -100  # beside the largest value: one that is left out for its modulus


def of_path(path: Path, centre: arb, radius: arb, terms: int) -> Cell:
    """What is above the last point counts as an error."""
    known = path.sum
    whole = Sum(known.terms, [*known.bounds, (path.last,)])
    return _of_sum(whole, path.remove, path.c, 1 - path.kept, centre, radius, terms)


def of_fork(fork: Fork, centre: arb, radius: arb, terms: int) -> Cell:
    """As outcomes are led at the centre; of more bits, as they cancel."""
    with ctx.workprec(ctx.prec + fork.bits):
        found = _of_sum(fork.sum(centre), fork.remove, fork.c, arb(0), centre, radius, terms)
    return found._replace(coefficients=[+one for one in found.coefficients])


def _of_sum(known: Sum, remove: bool, tilt: arb, constant: arb, centre: arb, radius: arb, terms: int) -> Cell:
    values = ((tilt - z, -z * centre, value) for z, value in known.terms)
    found, off = _series(values, radius, terms)
    for group in known.bounds:
        most = arb(0)
        for one in group:
            most = most.max(_at_most(one, tilt, centre, radius))
        off += most
    return Cell(remove, centre, radius, tilt, [one.imag for one in found], constant, off.upper())


def _at_most(bound: Bound, tilt: arb, centre: arb, radius: arb) -> arb:
    """e^{tilt x} times it, |x| <= radius."""
    return bound.at(centre) * (abs(tilt - bound.rate) * radius).exp()


def _series(terms: Iterable[tuple[acb, acb, acb]], radius: arb, number: int) -> tuple[list[acb], arb]:
    """The sum of value e^{turn + rate x} over (rate, turn, value) as a polynomial in x / radius, and what that leaves:
    of each its remainder, or all of it.
    """
    found, off = [acb(0)] * number, arb(0)
    last = arb(number + 1).gamma()
    rows = [(rate * radius, turn, value, abs(value) * turn.real.exp()) for rate, turn, value in terms]
    largest = max((float(size.mid()) for *_, size in rows), default=0.0)
    for by, turn, value, size in rows:
        grown = size * abs(by.real).exp()
        left = abs(by) ** number / last
        if not left < 1 or grown < largest * _NOTHING:
            off += grown
            continue
        off += grown * left
        one = value * turn.exp()
        for j in range(number):
            found[j] += one
            one = one * by / (j + 1)
    return found, off


def of_veil(veil: Veil, centre: arb, radius: arb, terms: int) -> Cell:
    """delta lies below the line of the thin veil, and no more below it than so many times the difference of both."""
    near, far = (_of_behind(line, centre, radius, terms) for line in veil.lines)
    grown = (near.tilt * radius).exp()
    apart = sum((abs(a - b) for a, b in zip(near.coefficients, far.coefficients, strict=True)), arb(0))
    apart += abs(near.constant - far.constant) * grown
    off = near.off + veil.room * (apart + near.off + far.off)
    return near._replace(off=off.upper())


def _of_behind(line: Behind, centre: arb, radius: arb, terms: int) -> Cell:
    """Lemma C1, on runs of nodes."""
    first, last = centre - radius, centre + radius
    turned = ((acb(0, -line.h * k), acb(0, -line.h * k * centre), value) for k, value in line.terms)
    found, left = _series(turned, radius, terms)
    scale = line.h / arb.pi() * (-line.c * centre).exp()
    most, least = line.before(last)
    slack = line.cut(centre) + ((most - least) * (line.c * radius).exp()).max(
        line.beyond(first) * (-line.c * radius).exp()
    )
    off = slack + scale * (line.off + left)
    return Cell(line.remove, centre, radius, line.c, [scale * one.real for one in found], 1 - line.kept - most, off)
