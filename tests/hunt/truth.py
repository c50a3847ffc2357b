"""From the steps of a mechanism to what is true of it: which oracles apply, and what neighbours make of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from flint import arb

from tests.hunt.balls import Contour, Factor, FiniteFactor, GaussianFactor, SampledGaussianFactor, TooDear
from tests.hunt.checked import Checked
from tests.hunt.events import Counting
from tests.hunt.lattice import Lattice, TooLong
from tests.hunt.pairs import Balls, Best, Finite, Formula, Given, Loose, Mixed, Pair
from tests.hunt.steps import Bin, Noise, Step, merged
from tests.reference import closed, exact

__all__ = ["Composition", "Truth", "laplace_power"]

_OUTCOMES = 3000
_VAGUE, _PATIENCE = 0.1, 3
"""Relative width of a truth that wants a second opinion, and how often that may fail."""
_NO_FLOAT = arb("1e-400")
"""delta that no float tells from 0."""
_CUT = 1e-65
"""Mass that a listed discrete Gaussian leaves out, generously: its exponent reaches 160."""


class Truth:
    """delta of an adjacency, bracketed; every other verb is judged from it."""

    def __init__(self, pair: Pair, adjacency: str = "add_or_remove") -> None:
        self.pair, self.adjacency = pair, adjacency
        self._known: dict[tuple[str, bool], Balls] = {}

    def delta(self, epsilon: float | arb) -> Balls:
        """A lower and an upper bound."""
        e = arb(epsilon)
        if self.adjacency in ("remove", "add"):
            return self._one(e, self.adjacency == "add")
        (a, b), (c, d) = self._one(e, False), self._one(e, True)
        return a.max(c), b.max(d)

    def _one(self, e: arb, add: bool) -> Balls:
        key = e.str(60), add
        if key not in self._known:
            self._known[key] = self.pair.delta(e, add)
        return self._known[key]


class Composition(Pair):
    """Steps composed: each oracle that applies is tried, the sharpest first, until one answers."""

    def __init__(self, steps: Sequence[Step], replace: bool = False) -> None:
        self.steps, self.replace = list(steps), replace
        self._makers = self._candidates()
        self._made: dict[int, Pair] = {}
        self._proved: Pair | None = None
        self._failed = 0

    def delta(self, epsilon: arb, add: bool = False) -> Balls:
        """The first answer that tells more than nothing; else what explicit tests show."""
        for i, make in enumerate(self._makers):
            try:
                if i not in self._made:
                    self._made[i] = make()
                found = self._made[i].delta(epsilon, add)
            except (TooDear, TooLong):
                continue
            return found if found[1] - found[0] < _VAGUE * found[1] else self._by_proof(found, epsilon, add)
        return self._by_proof(self._shown.delta(epsilon, add), epsilon, add)

    def _by_proof(self, found: Balls, epsilon: arb, add: bool) -> Balls:
        """What the checker of proofs knows better, until it has no short line."""
        if self._failed >= _PATIENCE:
            return found
        try:
            if self._proved is None:
                self._proved = Checked(self.steps, self.replace)
            low, high = self._proved.delta(epsilon, add)
        except TooDear:
            self._failed += 1
            return found
        if high < _NO_FLOAT and found[1] < _NO_FLOAT:  # below all floats, where integrals end in 0
            return found[0].min(low), found[1].max(high)
        if low > found[1] or found[0] > high:
            raise ArithmeticError(f"two oracles contradict each other: {found} and {low, high}")
        return found[0].max(low), found[1].min(high)

    @property
    def _shown(self) -> Pair:
        noises = [(step.noise(self.replace), step.times) for step in self.steps]
        return Best([Given(lambda e, add: (arb(0), arb(1))), *(Counting(n, t) for n, t in noises if n is not None)])

    def _candidates(self) -> list[Callable[[], Pair]]:
        plain, noisy, discrete = self._sorted()
        makers: list[Callable[[], Pair]] = []
        if not noisy and not discrete:
            return [lambda: Formula.gaussian(plain.sqrt())]
        rest = self._rest(plain, noisy)
        if discrete and rest is not None and _count(discrete) <= (_OUTCOMES if not noisy and plain == 0 else 300):
            makers.append(lambda: self._listed(discrete, rest, alone=not noisy and plain == 0))
        elif not discrete and rest is not None:
            makers.append(lambda: rest)
        if len(discrete) == 1 and not noisy and plain == 0:
            step = discrete[0][0]
            if (
                step.kind == "DiscreteGaussian"
                and step.rate is None
                and step.args[1:] in ((), (1,))
                and not self.replace
            ):
                law = partial(exact.discrete_gaussian_power, step.args[0], step.times)
                if float(step.args[0]) * step.times < 700.0:
                    makers.append(lambda: Finite(merged(law()), _CUT * step.times))
        factors = self._factors(plain, noisy, discrete)
        if factors:
            makers.append(lambda: Contour(factors))
        makers.append(lambda: self._lattice(plain, noisy, discrete))
        return makers

    def _sorted(self) -> tuple[arb, list[Step], list[tuple[Step, exact.Law]]]:
        """The square of mu of unsampled Gaussians, the noisy steps, and the discrete ones."""
        square, noisy, discrete = arb(0), [], []
        for step in self.steps:
            law = step.law(self.replace)
            noise = step.noise(self.replace)
            if law is not None:
                discrete.append((step, law))
            elif noise is not None and noise.kind == "Gaussian" and step.rate is None:
                square += ((2 if self.replace else 1) / noise.s) ** 2 * step.times
            else:
                noisy.append(step)
        return square, noisy, discrete

    def _rest(self, square: arb, noisy: list[Step]) -> Pair | None:
        """What is composed with listed outcomes, where it has a formula of its own."""
        if not noisy:
            return Formula.gaussian(square.sqrt()) if square > 0 else Formula(lambda e: (1 - e.exp()).max(arb(0)))
        if square > 0:
            return None
        scales = [s for s in noisy if s.kind == "Laplace" and s.rate is None]
        if len(scales) == len(noisy):
            share = 2 if self.replace else 1
            groups = [(step.noise(False).s / share, step.times) for step in noisy]
            if len(groups) == 1 and groups[0][1] <= 60:
                return Formula(lambda e: laplace_power(groups[0][0], groups[0][1], e))
            if sum(times for _, times in groups) <= 7:
                flat = [s for s, times in groups for _ in range(times)]
                return Formula(lambda e: exact.laplace_delta(flat, e))
            return None
        return _one_step(noisy[0], self.replace) if len(noisy) == 1 and noisy[0].times == 1 else None

    def _listed(self, discrete: list[tuple[Step, exact.Law]], rest: Pair, alone: bool) -> Pair:
        law = exact.compose(*((law, step.times) for step, law in discrete))
        missing = _CUT * sum(step.times for step, _ in discrete)
        return Finite(law, missing) if alone else Mixed(law, rest)

    def _factors(self, square: arb, noisy: list[Step], discrete: list[tuple[Step, exact.Law]]) -> list[Factor]:
        """Of a contour, where something makes the transform fall."""
        if self.replace and noisy:
            return []
        factors: list[Factor] = [GaussianFactor(square)] if square > 0 else []
        for step in noisy:
            if step.kind != "Gaussian" or len(step.args) > 1 or step.rate is None:
                return []
            factors.append(SampledGaussianFactor(float(step.args[0]), step.rate, step.times))
        if not factors or any(p == 0 or q == 0 for _, law in discrete for p, q in law):
            return []
        return factors + [FiniteFactor(law, step.times) for step, law in discrete]

    def _lattice(self, square: arb, noisy: list[Step], discrete: list[tuple[Step, exact.Law]]) -> Pair:
        steps: list[tuple[Callable[[float], list[Bin]], int]] = []
        widths: list[float] = []
        noises = [(step.noise(self.replace), step.times) for step in noisy]
        if square > 0:
            noises.append((Noise("Gaussian", 1 / square.sqrt(), arb(1), False), 1))
        for noise, times in noises:
            low, high = noise.spread()
            steps.append((noise.bins, times))
            widths.append(high - low)
        for step, law in discrete:
            bins = _points(law)
            losses = [float(b[2].mid()) for b in bins if b[2] is not None and b[3] is not None]
            steps.append((lambda h, bins=bins: bins, step.times))
            widths.append(max(losses, default=0.0) - min(losses, default=0.0))
        return Loose(Lattice(steps, widths), _CUT * sum(step.times for step, _ in discrete))


def laplace_power(scale: arb, times: int, epsilon: arb) -> arb:
    """``exact.laplace_delta`` of equal scales: terms by how many signs are positive."""
    d = 1 / scale
    value = arb(0)
    for plus in range(times + 1):
        y = (2 * plus - times) * d - epsilon
        if not y <= 0:
            value += math.comb(times, plus) * exact._residues(y, plus, times - plus)
    return value * ((epsilon - times * d) / 2).exp() / arb(2) ** times


def _one_step(step: Step, replace: bool) -> Pair:
    """One sampled step."""
    noise = step.noise(replace)
    if replace:
        made = exact.replaced_gaussian_delta if noise.kind == "Gaussian" else exact.replaced_laplace_delta
        profile = lambda e: made(noise.s, noise.q, e)  # noqa: E731
        return Formula(profile, profile)
    if noise.kind == "Gaussian":
        return Formula(*(partial(_turned, closed.one_step_delta, noise, way) for way in ("remove", "add")))
    return Formula(*(partial(_turned, exact.sampled_laplace_delta, noise, way) for way in ("remove", "add")))


def _turned(made: Callable[..., arb], noise: object, way: str, e: arb) -> arb:
    return made(noise.s, noise.q, e, way)


def _points(law: exact.Law) -> list[Bin]:
    found: list[Bin] = []
    for p, q in law:
        if q == 0:
            found.append((p, q, arb(0), None))
        elif p == 0:
            found.append((p, q, None, arb(0)))
        else:
            loss = (p / q).log()
            found.append((p, q, loss, loss))
    return found


def _count(discrete: list[tuple[Step, exact.Law]]) -> float:
    return math.prod(math.comb(step.times + len(law) - 1, len(law) - 1) if step.times < 2000 else 10**9
                     for step, law in discrete)  # fmt: skip
