"""Laplace noise, whole or Poisson-sampled (docs/proofs/laplace.md).

With d = sensitivity / scale, t(x) = (|x| - |x - 1|) d goes from -d to d. Without the record t = -d has the mass 1/2,
t = d the mass e^-d / 2, and between them is the density e^{-(t + d) / 2} / 4. The loss is log r(t), r(t) = e^t, or
1 - q + q e^t where only a sample of rate q takes part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import acb, arb, ctx, fmpq, fmpz, fmpz_poly

from neyman_check.errors import NotProved
from neyman_check.laws.base import EXP, Near, Noise, demand, raised, turned, turning
from neyman_check.laws.ends import work_of_ends, work_of_value
from neyman_check.laws.gauss import ROOT
from neyman_check.laws.parted import NearParted, Parted, SampledParts
from neyman_check.laws.told import Rule, Rules, Told
from neyman_check.work import Work

__all__ = ["Laplace", "LaplaceNoise", "LaplaceSum", "SampledLaplace"]

_MOST_STEPS = 400  # summed in closed form
_SPARE = 64  # bits beyond those that sums of both signs lose
_THETA = 3 * EXP  # units of work of one value in closed form
_NODES = 16, 48, 96  # of a rule that bounds a moment
_ANGLES = 0.02, 0.1, 0.4, 1.0, 1.45  # of its ellipse
_PIECES = 200  # of the smooth part, where no rule is close
_CLOSE = 0.1  # of all steps together


@dataclass(frozen=True)
class LaplaceNoise(Noise):
    """d = sensitivity / scale, a rational number."""

    ratio: fmpq

    @property
    def d(self) -> arb:
        """At the precision of whoever asks."""
        return arb(self.ratio)


@dataclass(frozen=True)
class Laplace(LaplaceNoise):
    """A(w) = e^{-d/2} (cosh(v d) + sinh(v d) / (2 v)), v = w - 1/2."""

    times: int
    symmetric = True

    def cost(self, count: int, told: Told) -> int:
        return _THETA * count

    def toll(self, told: Told, segment: int) -> tuple[int, int]:
        return 0, _THETA

    def value(self, w: acb) -> acb:
        v = w - arb("0.5")
        grown = (v * self.d).exp()
        back = 1 / grown
        return raised((-self.d / 2).exp() * ((grown + back) / 2 + (grown - back) / (4 * v)), self.times)

    def beyond(self, w: arb, omega: arb, told: Told) -> arb:
        """Lemma L2."""
        v, d = abs(w - arb("0.5")), self.d
        rising, falling = (abs(1 + s / (2 * acb(v, omega))).max(arb(1)) for s in (1, -1))
        return ((-d / 2).exp() * ((v * d).exp() * rising + (-v * d).exp() * falling) / 2) ** self.times

    def largest(self, remove: bool) -> arb | None:
        return self.d * self.times


@dataclass(frozen=True)
class SampledLaplace(LaplaceNoise):
    """A(w) = r(-d)^w / 2 + e^-d r(d)^w / 2 + the integral of e^{-(t + d)/2} r(t)^w / 4 from -d to d."""

    q: arb
    times: int

    def cost(self, count: int, told: Told) -> int:
        rules = _ruled(told)
        both = rules.here.nodes + rules.far.nodes
        return turning(rules.here.nodes + 2, count) + 40 * EXP * both  # nodes of Gauss are looked for

    def along(self, w: arb, spacing: arb, count: int, told: Told) -> list[acb]:
        return self._summed(w, spacing, count, _ruled(told).here)

    def real(self, w: arb, told: Told) -> arb:
        return self._summed(w, arb(0), 1, _ruled(told).far)[0].real

    def beyond(self, w: arb, omega: arb, told: Told) -> arb:
        """Lemma L4."""
        lone = sum((mass * (w * log).exp() for mass, log in self._atoms()), arb(0))
        return (lone + self.turns(w) / omega).upper() ** self.times

    def near(self, told: Told, segment: int, remove: bool) -> Near:
        return NearParted(self, self.parted())

    def parted(self) -> Parted:
        return SampledParts(self.ratio, self.q)

    def toll(self, told: Told, segment: int) -> tuple[int, int]:
        return 5 * ROOT * _NODES[-1] + work_of_ends(), work_of_value() + 5 * EXP * _PIECES

    def most(self, w: acb, about: arb) -> arb:
        """A at the real part, by its ends alone or by the first rule, whichever is good enough to be a bound."""
        x = w.real
        least = sum((mass * (x * log).exp() for mass, log in self._atoms()), arb(0))
        plain = least + self._spread(x)
        if plain <= least * (1 + arb(_CLOSE) / self.times):
            return plain.upper() ** self.times
        best: tuple[arb, Rule] | None = None
        for nodes in _NODES:
            for angle in _ANGLES:
                rule = Rule(nodes, arb(angle))
                error = self._bound(x, rule)
                if error.is_finite() and (best is None or error < best[0]):
                    best = error, rule
            if best is not None and best[0] * self.times < least * _CLOSE:
                break
        if best is not None and best[0] * self.times < least * _CLOSE:
            return self._summed(x, arb(0), 1, best[1])[0].real.upper()
        plain = plain.min(least + self._pieces(x)).upper() ** self.times
        return plain if best is None else self._summed(x, arb(0), 1, best[1])[0].real.upper().min(plain)

    def _pieces(self, x: arb) -> arb:
        """The same, piece by piece below chords of its integrand, or below tangents of its logarithm (Lemma L7)."""
        step, total = 2 * self.d / _PIECES, arb(0)
        if x > 0:
            for k in range(_PIECES + 1):
                value = (-step / 2 * k + x * self.r(step * k - self.d).log()).exp()
                total += value / 2 if k in (0, _PIECES) else value
        else:
            for k in range(_PIECES):
                t = step * (2 * k + 1) / 2
                r, taken = self.r(t - self.d), self.q * (t - self.d).exp()
                total += (x * r.log() - t / 2).exp() * ((x * taken / r - arb("0.5")) * step / 2).cosh()
        return total * step / 4

    def _spread(self, x: arb) -> arb:
        """The smooth part at real x, at most: the largest density of losses, and what it would come to everywhere."""
        ends = [(t, self.r(t)) for t in (-self.d, self.d)]
        density = [(-(t + self.d) / 2 - t).exp() * r / (4 * self.q) for t, r in ends]
        grown = [(x * r.log()).exp() for _, r in ends]
        return density[0].max(density[1]) * abs((grown[1] - grown[0]) / x)

    def largest(self, remove: bool) -> arb | None:
        end = self.r(self.d if remove else -self.d).log()
        return self.times * (end if remove else -end)

    def turns(self, w: arb) -> arb:
        """omega times the modulus of the smooth part, at most."""
        ends = [(-(t + self.d) / 2 - t + (w + 1) * self.r(t).log()).exp() for t in (-self.d, self.d)]
        return (ends[0] + ends[1]) / (2 * self.q)

    def r(self, t: arb) -> arb:
        """e^loss where a whole step's loss is t."""
        return 1 - self.q + self.q * t.exp()

    def _atoms(self) -> list[tuple[arb, arb]]:
        """Masses and losses."""
        return [(arb("0.5"), self.r(-self.d).log()), ((-self.d).exp() / 2, self.r(self.d).log())]

    def _summed(self, w: arb, spacing: arb, count: int, rule: Rule) -> list[acb]:
        """Lemma L3: by Gauss's rule, with what it errs by in the radii."""
        d, most = self.d, self._bound(w, rule)
        terms = [(mass * (w * log).exp(), log) for mass, log in self._atoms()]
        for k in range(rule.nodes):
            x, weight = arb.legendre_p_root(rule.nodes, k, weight=True)
            log = self.r(d * x).log()
            terms.append((weight * d / 4 * (w * log - d * (x + 1) / 2).exp(), log))
        turn = self._turn(rule)
        found: list[acb] = []
        for k, value in enumerate(turned([a for a, _ in terms], [b for _, b in terms], spacing, count)):
            error = (most * (spacing * k * turn).exp()).upper()
            found.append((value + acb(arb(0, error), arb(0, error))) ** self.times)
        return found

    def _ellipse(self, rule: Rule) -> tuple[arb, arb]:
        """Its half axis along the reals, for -1 to 1, and rho."""
        demand(rule.angle > 0 and rule.angle < arb.pi() / 2 and rule.nodes >= 1, "an ellipse that reaches too far")
        height = rule.angle / self.d
        wide = (1 + height * height).sqrt()
        return wide, wide + height

    def _turn(self, rule: Rule) -> arb:
        """arg r on the ellipse, at most."""
        wide, _ = self._ellipse(rule)
        return (1 - self.q + self.q * acb(wide * self.d, rule.angle).exp()).arg()

    def _bound(self, w: arb, rule: Rule) -> arb:
        """What Gauss's rule errs by at real w."""
        wide, rho = self._ellipse(rule)
        demand(w > 0 or w < 0, "a tilt that is neither above nor below 0")
        edge = self.r(wide * self.d if w > 0 else -wide * self.d).log()
        if w < 0:
            edge += (rule.angle / 2).cos().log()
        most = ((wide - 1) * self.d / 2 + w * edge).exp()
        return self.d / 4 * most * rho ** (-2 * rule.nodes) / (1 - rho**-2) * 16 / 3


class LaplaceSum:
    """delta of unsampled Laplace steps, whole: residues (Lemma L1). Both directions are the same."""

    def __init__(self, laws: Sequence[Laplace], work: Work) -> None:
        self.steps = sum(law.times for law in laws)
        number = 1
        for law in laws:
            number *= law.times + 1
        if self.steps > _MOST_STEPS or number > 10 * _MOST_STEPS:
            raise NotProved(f"more than {_MOST_STEPS} Laplace steps")
        self.each = number * (2 * self.steps + 3 * EXP) * (1 + self.steps // 128)
        work.spend(self.each)
        self.reach = sum((law.ratio * law.times for law in laws), fmpq(0))
        self._terms = [(fmpq(0), fmpz_poly([1]))]
        for law in laws:
            n, up, down = law.times, fmpz_poly([1, 1]), fmpz_poly([1, -1])
            own = [(law.ratio * (2 * j - n), up**j * down ** (n - j) * fmpz.bin_uiui(n, j)) for j in range(n + 1)]
            self._terms = [(a + b, p * o) for a, p in self._terms for b, o in own]

    def delta(self, epsilon: arb) -> arb:
        """At any real eps."""
        with ctx.workprec(ctx.prec + 2 * self.steps + _SPARE):
            total = arb(0)
            for shift, weights in self._terms:
                x = arb(shift) - epsilon
                if not x <= 0:
                    term = self._term(x, weights)
                    total += term if x > 0 else term.union(arb(0))
            return total * ((epsilon - arb(self.reach)) / 2).exp() / arb(2) ** self.steps

    def _term(self, x: arb, weights: fmpz_poly) -> arb:
        """The three residues to the left of a line, x > 0."""
        half, grown = x / 2, (x / 2).exp()
        total = weights(fmpz(1)) * grown - weights(fmpz(-1)) / grown
        power, sums = arb(1), [arb(0), arb(0)]  # of even and of odd powers
        for n in range(1, self.steps + 1):
            sums[n % 2] += power
            total -= 2 * weights[n] * sums[n % 2]
            power *= half / n
        return total


def _ruled(told: Told) -> Rules:
    if not isinstance(told, Rules):
        raise NotProved("a line says nothing of a sampled Laplace step")
    return told
