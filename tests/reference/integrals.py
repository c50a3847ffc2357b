"""Integrals in ball arithmetic: what comes back is proved, to at least twenty digits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from flint import acb, arb, ctx

__all__ = ["integral", "sampled_moments"]

KNOWN = 1e-20


def integral(f: Callable[[acb, bool], acb], places: Sequence[float], *, digits: int = 40) -> acb:
    """The integral of f along the real line, from place to place; f is told where it has to be analytic."""
    with ctx.workdps(digits):
        found = sum((acb.integral(f, low, high) for low, high in pairwise(places)), acb(0))
    if not found.rad() <= KNOWN * abs(found):
        raise ArithmeticError(f"the integral is only known to be {found}")
    return found


def sampled_moments(sigma: float, rate: float, direction: str) -> tuple[arb, arb, arb, arb]:
    """-E[v], E[v^2], E|v - E[v]|^3 and E|v|^3 of the loss v of one sampled Gaussian step, by definition."""
    with ctx.workdps(70):
        s, q, half, sign = arb(sigma), arb(rate), arb(1) / 2, 1 if direction == "remove" else -1

        def place(loss: arb) -> arb:
            """Where log(1 - q + q e^((2 x - 1) / (2 sigma^2))) is that."""
            return half + s * s * ((loss.exp() - 1 + q) / q).log()

        turn = float(place((2 * (1 - q)).log())) if rate < 1.0 else -math.inf  # from flat to steep

        def mean(power: int, corner: arb | None = None, shift: arb | int = 0) -> arb:
            """E[(v + shift)^power], its modulus where there is a corner."""

            def term(x: acb, analytic: bool) -> acb:
                u = (x - half) / (s * s)
                if float(x.real.mid()) > turn:  # two forms of one function, each far from a branch of its logarithm
                    loss = u + (q + (1 - q) * (-u).exp()).log(analytic=analytic)
                else:
                    loss = (1 - q + q * u.exp()).log(analytic=analytic)
                law = (-x * x / (2 * s * s) + (loss if sign < 0 else 0)).exp() / (s * (2 * arb.pi()).sqrt())
                return law * (sign * loss + shift) ** power

            places = {c + k * sigma for c in (0.0, 1.0) for k in (-16, -7, -3, 0, 3, 7, 16)} | {0.5}
            if rate < 1.0:
                places |= {turn + k * sigma**2 for k in (-30, -8, -2, 0, 2, 8, 30)}
            if corner is None:
                return integral(term, sorted(places), digits=70).real
            edge = float(corner)
            below, above = (
                sorted({p for p in places if p < edge} | {edge}),
                sorted({p for p in places if p > edge} | {edge}),
            )
            return sign * (integral(term, above, digits=70) - integral(term, below, digits=70)).real

        v1 = -mean(1)
        return v1, mean(2), mean(3, place(-sign * v1), v1), mean(3, half)
