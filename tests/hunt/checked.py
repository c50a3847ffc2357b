"""A second opinion: what the checker of proofs accepts (``neyman_check``), by lines that the prover finds for it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from flint import arb, ctx

import neyman as ny
from neyman.witnesses.supply import Supply
from neyman_check.errors import NotProved
from tests.hunt.balls import TooDear
from tests.hunt.pairs import Balls, Pair, clipped
from tests.hunt.steps import Step

__all__ = ["Checked"]

_KINDS = {"Gaussian", "Laplace", "DiscreteGaussian", "DiscreteLaplace", "RandomizedResponse", "PureMechanism",
          "ApproximateMechanism", "Tabulated"}  # fmt: skip
_BITS, _NATS, _WORK = 192, 60.0, 40_000_000


class Checked(Pair):
    """The composition of steps that the checker has lemmas for; ``TooDear`` where it has none, or no line is short."""

    def __init__(self, steps: Sequence[Step], replace: bool) -> None:
        if not all(type(step) is Step and step.kind in _KINDS for step in steps):
            raise TooDear("steps that are no mechanism of the package's")
        mechanism = eval(" * ".join(map(str, steps)), {"ny": ny}).to_dict()
        ways = {True: "replace", False: "replace"} if replace else {True: "remove", False: "add"}
        try:
            with ctx.workprec(_BITS):
                self._supplies = {way: Supply(mechanism, word, _BITS, _NATS, _WORK) for way, word in ways.items()}
        except NotProved as error:
            raise TooDear(str(error)) from None

    def delta(self, epsilon: arb, add: bool = False) -> Balls:
        """Between the floats on either side."""
        if epsilon < 0:  # delta(e) = 1 - e^e + e^e delta'(-e), the other direction's
            low, high = self.delta(-epsilon, not add)
            return clipped(1 - epsilon.exp() + epsilon.exp() * low, 1 - epsilon.exp() + epsilon.exp() * high, epsilon)
        if not epsilon >= 0:
            raise TooDear("an epsilon of which the sign is not sure")
        first, last = _floats(epsilon)
        high = self._asked(first, add)[1]
        low = self._asked(last, add)[0]
        if not high - low < 0.5 * high:
            raise TooDear("a line that says little")
        return clipped(low, high, epsilon)

    def _asked(self, epsilon: float, add: bool) -> Balls:
        with ctx.workprec(_BITS):
            ball = self._supplies[not add].ball(not add, epsilon)
        if ball is None:
            raise TooDear("no line is short enough")
        return ball.lower.lower(), ball.upper.upper()


def _floats(x: arb) -> tuple[float, float]:
    """The nearest that are no larger and no smaller, of x >= 0."""
    low, high = float(x.lower()), float(x.upper())
    while arb(low) > x.lower():
        low = math.nextafter(low, -math.inf)
    while arb(high) < x.upper():
        high = math.nextafter(high, math.inf)
    return max(low, 0.0), max(high, 0.0)
