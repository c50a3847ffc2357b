"""One step of a mechanism: how it is written for the package, and its law from its definition, in balls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flint import arb

from tests.reference import closed, exact

__all__ = ["TAIL", "Bin", "Noise", "Step"]

Bin = tuple[arb, arb, arb | None, arb | None]
"""Masses under P and Q of a set of outputs, and the least and the largest loss on it (None: without end)."""
TAIL = 14.0
"""Deviations at which Gaussian noise is cut into its last bin: e^-98."""


@dataclass(frozen=True)
class Step:
    """``times`` runs of one mechanism, Poisson-sampled where ``rate`` is given; ``args`` as the package takes them."""

    kind: str
    args: tuple[object, ...]
    rate: float | None = None
    times: int = 1

    def __str__(self) -> str:
        words = f"ny.{self.kind}({', '.join(map(_typed, self.args))})"
        words += f".poisson({self.rate!r})" if self.rate is not None else ""
        return words + (f" ** {self.times}" if self.times != 1 else "")

    @property
    def q(self) -> arb:
        """The rate, 1 where nothing is sampled."""
        return arb(1) if self.rate is None else arb(self.rate)

    def noise(self, replace: bool) -> Noise | None:
        """Gaussian or Laplace noise of sensitivity 1; a record that is exchanged moves the centre both ways."""
        if self.kind not in ("Gaussian", "Laplace"):
            return None
        sensitivity = arb(self.args[1]) if len(self.args) > 1 else arb(1)
        return Noise(self.kind, arb(self.args[0]) / sensitivity, self.q, replace)

    def law(self, replace: bool) -> exact.Law | None:
        """The outcomes of a discrete step, (mass under P, mass under Q); None where it is continuous."""
        a = self.args
        if self.kind in ("DiscreteGaussian", "DiscreteLaplace"):
            shift = int(a[1]) if len(a) > 1 else 1
            if self.rate is None:
                shift, replace = shift * (2 if replace else 1), False
            made = exact.discrete_gaussian if self.kind == "DiscreteGaussian" else exact.discrete_laplace
            return merged(made(a[0], shift, 1 if self.rate is None else self.rate, replace))
        if self.kind == "RandomizedResponse":
            law = exact.k_ary(a[0], int(a[1]))
        elif self.kind == "PureMechanism":
            law = exact.k_ary(a[0])
        elif self.kind == "ApproximateMechanism":
            law = exact.approximate(*a)
        elif self.kind == "Tabulated":
            law = exact.tabulated(*a)
        else:
            return None
        return law if self.rate is None else exact.sampled(law, self.rate)


@dataclass(frozen=True)
class Noise:
    """Additive noise of scale s on the real line: (1-q) F_0 + q F_1 against F_0, or against (1-q) F_0 + q F_-1."""

    kind: str
    s: arb
    q: arb
    two_sided: bool

    def tails(self, x: arb, above: bool) -> tuple[arb, arb]:
        """P(X > x) and Q(X > x), or of X <= x: never a difference from 1."""
        nothing, shifted = self._tail(x, above), self._tail(x - 1, above)
        p = (1 - self.q) * nothing + self.q * shifted
        if not self.two_sided:
            return p, nothing
        return p, (1 - self.q) * nothing + self.q * self._tail(x + 1, above)

    def loss(self, x: arb) -> arb:
        """log dP/dQ at the output x; it never falls as x grows."""
        value = (1 - self.q + self.q * self._ratio(x, 1).exp()).log()
        return value - (1 - self.q + self.q * self._ratio(x, -1).exp()).log() if self.two_sided else value

    def bins(self, h: float) -> list[Bin]:
        """Outputs parted where the loss is very nearly a multiple of h."""
        low, high = self._span()
        ends = float(self.loss(arb(low)).mid()), float(self.loss(arb(high)).mid())
        targets = h * np.arange(np.floor(ends[0] / h) + 1, np.ceil(ends[1] / h))
        cuts = sorted({low, high, *self._inverse(targets, low, high).tolist()})
        below, above = ([self.tails(arb(x), up) for x in cuts] for up in (False, True))
        loss = [self.loss(arb(x)) for x in cuts]
        flat = self.kind == "Laplace"
        found: list[Bin] = [(*below[0], loss[0] if flat else None, loss[0])]
        for i in range(len(cuts) - 1):
            pairs = (above[i], above[i + 1]) if cuts[i] > 0.0 else (below[i + 1], below[i])
            found.append((pairs[0][0] - pairs[1][0], pairs[0][1] - pairs[1][1], loss[i], loss[i + 1]))
        return [*found, (*above[-1], loss[-1], loss[-1] if flat else None)]

    def spread(self) -> tuple[float, float]:
        """The least and the largest loss worth telling apart."""
        low, high = self._span()
        return float(self.loss(arb(low)).mid()), float(self.loss(arb(high)).mid())

    def _span(self) -> tuple[float, float]:
        if self.kind == "Laplace":
            return (-1.0 if self.two_sided else 0.0), 1.0
        reach = TAIL * float(self.s.mid())
        return -reach - (1.0 if self.two_sided else 0.0), reach + 1.0

    def _tail(self, x: arb, above: bool) -> arb:
        x = (-x if above else x) / self.s
        if self.kind == "Gaussian":
            return closed.normal_cdf(x)
        return x.exp() / 2 if x <= 0 else 1 - (-x).exp() / 2

    def _ratio(self, x: arb, centre: int) -> arb:
        """log of the density around ``centre`` over that around 0."""
        if self.kind == "Gaussian":
            return (2 * centre * x - 1) / (2 * self.s * self.s)
        return (abs(x) - abs(x - centre)) / self.s

    def _inverse(self, targets: np.ndarray, low: float, high: float) -> np.ndarray:
        a, b = np.full(targets.shape, low), np.full(targets.shape, high)
        for _ in range(80):
            middle = 0.5 * (a + b)
            up = self._floats(middle) > targets
            a, b = np.where(up, a, middle), np.where(up, middle, b)
        return a

    def _floats(self, x: np.ndarray) -> np.ndarray:
        s, q = float(self.s.mid()), float(self.q.mid())

        def side(centre: int) -> np.ndarray:
            t = (2 * centre * x - 1) / (2 * s * s) if self.kind == "Gaussian" else (abs(x) - abs(x - centre)) / s
            with np.errstate(over="ignore"):
                near = np.log1p(q * np.expm1(np.minimum(t, 1.0)))
            return np.where(t < 1.0, near, np.logaddexp(np.log1p(-q) if q < 1.0 else -np.inf, np.log(q) + t))

        with np.errstate(divide="ignore"):
            return side(1) - side(-1) if self.two_sided else side(1)


def merged(law: exact.Law) -> exact.Law:
    """Without outcomes that cannot happen."""
    return [(p, q) for p, q in law if not (p == 0 and q == 0)]


def _typed(value: object) -> str:
    return repr(value)
