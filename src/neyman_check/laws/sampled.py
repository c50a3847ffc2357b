"""Poisson-sampled Gaussian steps: of a record added or removed, and of one exchanged for another.

Lemmas 2 (line and strip), 3 (moments), 4 (ends) and 5 (the bound that never grows again) of docs/proofs/lines.md.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from flint import acb, arb

from neyman_check.errors import NotProved
from neyman_check.laws.base import EXP, Near, Noise, demand, turned, turning
from neyman_check.laws.left import Left, above
from neyman_check.laws.shifted import Shifted, polyline, shifting
from neyman_check.laws.told import Grid, Told, Witness

__all__ = ["ExchangedGaussian", "SampledGaussian"]

_RISING = "the ends of a grid lie where its terms still rise"
_BRANCH = "an ellipse of x that reaches past a branch point"
SLOPE = arb("0.75")  # of the ray on which a rising polyline goes on
_WHOLE = 20_000  # the largest order whose neighbours' moments are summed


@dataclass(frozen=True)
class _Sampled(Noise):
    """With G(x) = 1 - q + q e^{(2x - 1) / (2 s^2)} and x ~ N(0, s^2)."""

    s: arb
    q: arb
    times: int

    @abstractmethod
    def _told(self, x: acb, w: arb) -> tuple[acb, acb]:
        """log of what A(w) is the expectation of, and the loss, whose imaginary part is >= 0 above the real axis."""

    @abstractmethod
    def _worse(self, w: arb, angle: arb) -> arb:
        """By what, at most, the modulus at an angle is larger than G^w at the real part of x."""

    def cost(self, count: int, told: Told) -> int:
        here, far, cut = _gridded(told)
        return turning(here.number, count) + 4 * EXP * (here.number + far.number + 2 * cut.number)

    def tilting(self, w: arb) -> int:
        """Two moments of whole orders, three times."""
        order = abs(float(w.mid()))
        return 40 * int(order) if order <= _WHOLE else 0

    def along(self, w: arb, spacing: arb, count: int, told: Told) -> list[acb]:
        return self._summed(w, spacing, count, _gridded(told).here)

    def real(self, w: arb, told: Told) -> arb:
        return self._summed(w, arb(0), 1, _gridded(told).far)[0].real

    def beyond(self, w: arb, omega: arb, told: Told) -> arb:
        """Lemma 5."""
        low, step, count, angle, strip = _gridded(told).cut
        square, spread = self.s * self.s, strip / (self.s * self.s)
        demand(angle > 0 and strip > 0 and angle + spread < arb.pi() / 2, "the strip of a cut reaches too far")
        x = self._nodes(low, step, count, w)
        total = arb(0)
        for node in x:
            power, loss = self._told(acb(node, angle * square), w)
            total += (power.real - omega * loss.imag - node * node / (2 * square)).exp()
        total *= step / (self.s * (2 * arb.pi()).sqrt())
        most = self._most(w, angle + spread) * (strip * strip / (2 * square)).exp()
        total += 2 * most / ((2 * arb.pi() * strip / step).exp() - 1)
        total += self._outside(x[0], x[-1], w, angle)
        return ((angle * angle * square / 2).exp() * total).upper() ** self.times

    def near(self, told: Told, segment: int, remove: bool) -> Near:
        return Shifted(self, polyline(told, segment), self._mirrored(remove))

    def toll(self, told: Told, segment: int) -> tuple[int, int]:
        return shifting(polyline(told, segment))

    def _mirrored(self, remove: bool) -> bool:
        """Whether a path finds A(w) at 1 - w."""
        return False

    @abstractmethod
    def on_polyline(self, x: acb) -> tuple[acb, acb]:
        """The loss, and the logarithm of what A(0) is the expectation of."""

    def before(self, first: arb, w: acb) -> arb:
        """Beyond the real end of a polyline, where 1 - q <= G <= 1."""
        demand(first < 0, "a polyline that begins right of 0")
        return self._least(w.real) * above(-first / self.s)

    def left(self, first: arb) -> Left | None:
        """Left of a polyline."""
        return None

    def after(self, last: acb, w: acb, rising: bool) -> arb:
        """Beyond its other end, on a ray that is level or of slope 3/4; G = q e^u (1 + v) with |v| < 1."""
        s, square = self.s, self.s * self.s
        x, y, a, b = last.real, last.imag, w.real, w.imag
        gone = self._ratio(x)
        demand(gone < 1, "a polyline that ends left of the branch points")
        front = self.q**a * (-abs(w) * (1 - gone).log()).exp()
        if not rising:
            return front * ((a * a + y * y - 2 * b * y - a) / (2 * square)).exp() * above((x - a) / s)
        falling = (x - a + SLOPE * (b - y)) / square
        demand(falling > 0, "a polyline that ends where the integrand still rises")
        here = ((y * y - x * x + 2 * a * x - 2 * b * y - a) / (2 * square)).exp()
        return front * here * (1 + SLOPE * SLOPE).sqrt() / (s * (2 * arb.pi()).sqrt() * falling)

    def _least(self, x: arb) -> arb:
        """G^w at most where 1 - q <= G <= 1."""
        return arb(1).max((1 - self.q) ** x)

    def _ratio(self, x: arb) -> arb:
        """(1 - q) / (q e^u) at real x."""
        return (1 - self.q) / self.q * ((1 - 2 * x) / (2 * self.s * self.s)).exp()

    def _above_the_cut(self, x: acb) -> acb:
        """log G, continued past pi s^2 to the right of the branch points."""
        u = (2 * x - 1) / (2 * self.s * self.s)
        size = self._ratio(x.real)
        if not size < arb("0.5") and abs(u.imag) < arb.pi():
            return self._log_within(u)
        demand(size < 1, _BRANCH)
        return self._log_right(u)

    def _log_right(self, u: acb) -> acb:
        """log G to the right of the branch points."""
        return self.q.log() + u + (1 + (1 - self.q) / self.q * (-u).exp()).log()

    def _log_within(self, u: acb) -> acb:
        """log G where |Im u| < pi: Im G has the sign of Im u, so that a ball of it may reach across the cut."""
        found = 1 - self.q + self.q * u.exp()
        if not found.real > 0 and (u.imag > 0 or u.imag < 0):
            return (-found).log() + acb(0, arb.pi() if u.imag > 0 else -arb.pi())
        return found.log()

    def _summed(self, w: arb, spacing: arb, count: int, grid: Grid) -> list[acb]:
        """The trapezoid rule on the line Im x = angle s^2, with what it errs by in the radii (Lemmas 2 and 4)."""
        low, step, number, angle = grid
        demand(angle > 0 and angle < arb.pi() / 2, "the strip of a grid reaches a branch point")
        x, square = self._nodes(low, step, number, w), self.s * self.s
        line = [acb(node, angle * square) for node in x]
        told = [self._told(node, w) for node in line]
        scale = step / (self.s * (2 * arb.pi()).sqrt())
        start = [(p - node * node / (2 * square)).exp() * scale for node, (p, _) in zip(line, told, strict=True)]
        ends = self._outside(x[0], x[-1], w, angle) * (angle * angle * square / 2).exp()
        error = (self._strip(w, angle, step) + ends).upper()
        off = acb(arb(0, error), arb(0, error))
        return [(value + off) ** self.times for value in turned(start, [g for _, g in told], spacing, count)]

    def _strip(self, w: arb, angle: arb, step: arb) -> arb:
        """Lemma 2."""
        square = self.s * self.s
        most = self._most(w, 2 * angle) * (2 * angle * angle * square).exp()
        fall = (2 * arb.pi() * angle * square / step).exp() - 1
        demand(fall > 0, "the nodes of a step are too far apart")
        return 2 * most / fall

    def _nodes(self, low: arb, step: arb, count: int, w: arb) -> list[arb]:
        demand(count > 0 and step > 0, "a grid without nodes")
        x = [low + step * k for k in range(count)]
        demand(x[0] < 0 and x[-1] > arb("0.5"), _RISING)
        return x

    def _log(self, x: acb, sign: int) -> acb:
        """log G(x), or log G(-x)."""
        return (1 - self.q + self.q * ((sign * 2 * x - 1) / (2 * self.s * self.s)).exp()).log()

    def _most(self, w: arb, angle: arb) -> arb:
        """E |G|^w at an angle, at most."""
        return self._moment(w) * self._worse(w, angle)

    def _outside(self, first: arb, last: arb, w: arb, angle: arb) -> arb:
        """Lemma 4 at an angle."""
        return self._ends(first, last, w) * self._worse(w, angle)

    def _moment(self, w: arb) -> arb:
        """Lemma 3: E G^w at most."""
        if w > 1:
            most = 1 + self.q * (((w * w - w) / (2 * self.s * self.s)).exp() - 1)
            bell = self._bell(w)
            if bell is not None:
                most = most.min(bell[0])
            n = int(float(w.mid()))
            if not (n <= _WHOLE and w >= n and w <= n + 1):
                return most
            return most.min(self._whole(n) ** (n + 1 - w) * self._whole(n + 1) ** (w - n))
        if w >= 0 and w <= 1:
            return arb(1)
        demand(w < 0, "a tilt that is neither above nor below 1")
        return ((1 - self.q) ** w).min(self._lean(w))

    def _lean(self, w: arb) -> arb:
        """E e^{w q u}, u = (2x - 1) / (2 s^2): log G >= q u."""
        tilt = w * self.q
        return ((tilt * tilt - tilt) / (2 * self.s * self.s)).exp()

    def _bell(self, w: arb) -> tuple[arb, arb, arb] | None:
        """E e^{w (q u + u^2 / 8)}, which is no less for log G <= q u + u^2 / 8, and mean and deviation under that; None
        where there is none.
        """
        square = self.s * self.s
        left = 1 - w / (4 * square)
        if not left > 0:
            return None
        tilt, bend = w * self.q, w / (8 * square)
        power = (tilt * tilt - tilt + bend / 2) / (2 * square * left)
        return power.exp() / left.sqrt(), (tilt - bend) / left, self.s / left.sqrt()

    def _whole(self, n: int) -> arb:
        """E G^n, by the binomial theorem."""
        total = term = rise = arb(1)
        grown = (1 / (self.s * self.s)).exp()
        for k in range(1, n + 1):
            term = term * self.q * rise * (n - k + 1) / k
            rise = rise * grown
            total = total * (1 - self.q) + term
        return total

    def _ends(self, first: arb, last: arb, w: arb) -> arb:
        """Lemma 4: all terms before the first node and beyond the last."""
        s, q = self.s, self.q
        if not w > 0:
            before = above(-first / s) * ((1 - q) ** w if w < 0 else arb(1))
            if w < 0 and first < w * q:
                before = before.min(self._lean(w) * above((w * q - first) / s))
            return before + above(last / s)
        return above(-first / s) + self._last(last, w)

    def _last(self, last: arb, w: arb) -> arb:
        """Those beyond the last node, w > 0: the least of what bounds them where that falls."""
        s, q = self.s, self.q
        found: list[arb] = []
        if last > w:
            plain, tilted = above(last / s), ((w * w - w) / (2 * s * s)).exp() * above((last - w) / s)
            found.append(arb(2) ** w * (plain + q**w * tilted))
            if w >= 1:
                found.append((1 - q) * plain + q * tilted)
        bell = self._bell(w)
        if bell is not None and last > bell[1]:
            found.append(bell[0] * above((last - bell[1]) / bell[2]))
        demand(bool(found), _RISING)
        least = found[0]
        for one in found[1:]:
            least = least.min(one)
        return least


@dataclass(frozen=True)
class SampledGaussian(_Sampled):
    """A record added or removed: A(w) = E G(x)^w."""

    def _told(self, x: acb, w: arb) -> tuple[acb, acb]:
        loss = self._log(x, 1)
        return w * loss, loss

    def _worse(self, w: arb, angle: arb) -> arb:
        return (angle / 2).cos() ** w if w < 0 else arb(1)

    def _most(self, w: arb, angle: arb) -> arb:
        most = super()._most(w, angle)
        return most.min(self._leaning(w, angle)[0]) if w < 0 and angle < arb.pi() / 2 else most

    def _outside(self, first: arb, last: arb, w: arb, angle: arb) -> arb:
        most = super()._outside(first, last, w, angle)
        if not (w < 0 and angle < arb.pi() / 2):
            return most
        lean, tilt, whole = self._leaning(w, angle)
        before = above(-first / self.s) * (1 - self.q) ** w
        if first < tilt:
            before = before.min(lean * above((tilt - first) / self.s))
        return most.min(before + above(last / self.s) * whole**w)

    def _leaning(self, w: arb, angle: arb) -> tuple[arb, arb, arb]:
        """Lemma 3 at an angle below pi / 2, w < 0: E |G|^w at most, by the tangent of log Re G; the mean under that,
        and Re G at u = 0.
        """
        whole = 1 - self.q * (1 - angle.cos())
        tilt = w * self.q * angle.cos() / whole
        return whole**w * ((tilt * tilt - tilt) / (2 * self.s * self.s)).exp(), tilt, whole

    def on_polyline(self, x: acb) -> tuple[acb, acb]:
        """log G, and nothing."""
        return self._above_the_cut(x), acb(0)

    def left(self, first: arb) -> Left | None:
        """In powers of q e^u / (1 - q)."""
        return Left(self.s, self.q, first) if self.q < 1 else None

    def largest(self, remove: bool) -> arb | None:
        """G > 1 - q."""
        return None if remove or not self.q < 1 else -self.times * (1 - self.q).log()


@dataclass(frozen=True)
class ExchangedGaussian(_Sampled):
    """A record exchanged for another, N(1, s^2) for N(-1, s^2): A(w) = E G(x)^w G(-x)^{1 - w}, which is A(1 - w)."""

    symmetric = True

    def along(self, w: arb, spacing: arb, count: int, told: Told) -> list[acb]:
        """By symmetry, x for -x, right of 1."""
        if w > 1:
            return super().along(w, spacing, count, told)
        return [v.conjugate() for v in super().along(1 - w, spacing, count, told)]

    def real(self, w: arb, told: Told) -> arb:
        """By symmetry."""
        return super().real(w if w > 1 else 1 - w, told)

    def beyond(self, w: arb, omega: arb, told: Told) -> arb:
        """By symmetry."""
        return super().beyond(w if w > 1 else 1 - w, omega, told)

    def on_polyline(self, x: acb) -> tuple[acb, acb]:
        """log G - log H, and log H."""
        other = self._below_the_cut(-x)
        return self._above_the_cut(x) - other, other

    def before(self, first: arb, w: acb) -> arb:
        """H(x) = G(-x) lies between 1 and e^u of -x left of -1/2: for w < 1 its power is another normal density."""
        demand(first < arb("-0.5"), "a polyline that begins right of -1/2")
        more, square = (1 - w.real).max(arb(0)), 2 * self.s * self.s
        return self._least(w.real) * ((more * more - more) / square).exp() * above((-first - more) / self.s)

    def after(self, last: acb, w: acb, rising: bool) -> arb:
        """H = (1 - q)(1 + v), |v| < 1."""
        demand(self.q < 1, "records that are exchanged for sure")
        small = 1 / self._ratio(-last.real)
        demand(small < 1, _BRANCH)
        beside = (1 - self.q) ** (1 - w.real) * (-abs(1 - w) * (1 - small).log()).exp()
        return super().after(last, w, rising) * beside

    def _mirrored(self, remove: bool) -> bool:
        return not remove

    def _below_the_cut(self, x: acb) -> acb:
        """log G, continued past -pi s^2 to the left of the branch points."""
        u = (2 * x - 1) / (2 * self.s * self.s)
        if abs(u.imag) < arb.pi():  # far to the right of them balls of G would hold 0
            return self._log_right(u) if self._ratio(x.real) < arb("0.5") else self._log_within(u)
        demand(self.q < 1, "records that are exchanged for sure")
        demand(self.q / (1 - self.q) * u.real.exp() < 1, _BRANCH)
        return (1 - self.q).log() + (1 + self.q / (1 - self.q) * u.exp()).log()

    def _told(self, x: acb, w: arb) -> tuple[acb, acb]:
        one, other = self._log(x, 1), self._log(x, -1)
        return w * one + (1 - w) * other, one - other

    def _worse(self, w: arb, angle: arb) -> arb:
        demand(w > 1 and self.q < 1, "a tilt between 0 and 1, or records that are exchanged for sure")
        return ((1 - self.q) * (angle / 2).cos()) ** (1 - w)


def _gridded(told: Told) -> Witness:
    if not isinstance(told, Witness):
        raise NotProved("a line says nothing of a sampled step")
    return told
