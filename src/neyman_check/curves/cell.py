"""delta of one direction on a whole cell of eps (docs/proofs/cells.md).

    e^{c x} delta(centre + x) = sum over j < n of a_j (x / r)^j + k e^{c x} +- off,        |x| <= r

Whoever can say that of a delta serves: a line does (``of_line``), and outcomes beside a Gaussian (``of_outcomes``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flint import acb, acb_mat, arb, arb_mat

from neyman_check.deltas.exact import Outcomes, gaussian_delta, normal
from neyman_check.deltas.line import Line
from neyman_check.errors import NotProved
from neyman_check.laws.base import demand

__all__ = ["Cell", "bell", "of_line", "of_outcomes"]


class Cell(NamedTuple):
    """What the head of this module says; ``remove`` is the direction."""

    remove: bool
    centre: arb
    radius: arb
    tilt: arb
    coefficients: Sequence[arb]
    constant: arb
    off: arb

    @property
    def ends(self) -> tuple[arb, arb]:
        """Between which it holds."""
        return self.centre - self.radius, self.centre + self.radius


def of_line(line: Line, centre: arb, radius: arb, terms: int) -> Cell:
    """Lemma C1: Taylor's polynomials of what a line sums, its tilt taken out."""
    first, last = centre - radius, centre + radius
    turned = _turned(line.rows, acb(0, -line.h * centre))
    powers = _powers(len(turned), line.h * radius, terms)
    real = arb_mat([[value.real] for value in turned])
    imaginary = arb_mat([[value.imag] for value in turned])
    even, odd = arb_mat(powers[:terms:2]) * real, arb_mat(powers[1:terms:2]) * imaginary
    found = [arb(0)] * terms
    found[::2], found[1::2] = even.entries(), odd.entries()
    scale = line.h / arb.pi() * (-line.c * centre).exp()
    signed = [scale * (value if j % 4 < 2 else -value) for j, value in enumerate(found)]
    most, least = line.before(last)
    slack = line.cut(centre) + ((most - least) * (line.c * radius).exp()).max(
        line.beyond(first) * (-line.c * radius).exp()
    )
    off = slack + scale * (line.off + rest(turned, powers[terms]))
    return Cell(line.remove, centre, radius, line.c, signed, 1 - line.kept - most, off.upper())


def rest(turned: Sequence[acb], power: Sequence[arb]) -> arb:
    """What the terms of a sum leave of order n, at most."""
    return sum((abs(value) * one for value, one in zip(turned, power, strict=True)), arb(0))


def _turned(rows: acb_mat, by: acb) -> list[acb]:
    """e^{k by} times value k, k = a m + b."""
    m, n = rows.ncols(), rows.nrows()
    outer, inner = [(by * (a * m)).exp() for a in range(n)], [(by * b).exp() for b in range(m)]
    return [value * outer[i // m] * inner[i % m] for i, value in enumerate(rows.entries())]


def _powers(count: int, step: arb, terms: int) -> list[list[arb]]:
    """(k step)^j / j! for k < count, j <= terms."""
    at, found = [step * k for k in range(count)], [[arb(1)] * count]
    for j in range(1, terms + 1):
        found.append([p * x / j for p, x in zip(found[-1], at, strict=True)])
    return found


def of_outcomes(made: Outcomes, centre: arb, radius: arb, terms: int) -> Cell:
    """Outcome by outcome a Gaussian's (Lemma C2), at a tilt near its saddle: any will do."""
    mu = made.mu
    if mu is None:
        raise NotProved("a cell of outcomes with no Gaussian beside them")
    tilt = (centre / (mu * mu) + 1 / mu).mid()
    found, off = [arb(0)] * terms, made.lost * (tilt * radius).exp()
    for loss, mass in made.outcomes:
        series, left = bell(mu, centre - loss, radius, tilt, terms)
        found = [a + mass * b for a, b in zip(found, series, strict=True)]
        off += mass * left
    return Cell(made.remove, centre, radius, tilt, found, 1 - made.kept, off.upper())


def bell(mu: arb, centre: arb, radius: arb, tilt: arb, terms: int) -> tuple[list[arb], arb]:
    """Lemma C2: of a Gaussian, mu > 0, the coefficients and what is left; no constant is."""
    score, ratio, turn = mu / 2 - centre / mu, radius / mu, tilt * radius
    density = [(-score * score / 2).exp() / (2 * arb.pi()).sqrt(), arb(0)]  # of e^{c x} phi: this term, the last one
    slope = centre.exp() * normal(-mu / 2 - centre / mu)  # of e^{c x} times -delta'
    found = [gaussian_delta(mu, centre)]
    for j in range(1, terms):
        found.append((turn * found[-1] - radius * slope) / j)
        slope = ((turn + radius) * slope - ratio * density[0]) / j
        density = [((turn + ratio * score) * density[0] - ratio * ratio * density[1]) / j, density[0]]
    return found, left_over(mu, centre, radius, tilt, terms).upper()


def left_over(mu: arb, centre: arb, radius: arb, tilt: arb, terms: int) -> arb:
    """The remainder of order n, on a line right of both poles."""
    demand(tilt > 0, "a cell whose tilt is not above 0")
    height = (mu * mu * (tilt * tilt + tilt) / 2 - tilt * centre).exp() / (2 * arb.pi())
    power = (radius / mu) ** terms / arb(terms + 1).gamma()
    near, far = _moment(terms) / (mu * tilt * (tilt + 1)), _moment(terms - 2) * mu
    return height * power * near.min(far)


def _moment(k: int) -> arb:
    """The integral of |y|^k e^{-y^2 / 2}."""
    half = arb(k + 1) / 2
    return arb(2) ** half * half.gamma()
