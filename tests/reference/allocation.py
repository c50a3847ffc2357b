"""Random allocation in high precision, where nothing that cancels counts: by none of the ways of the package.

E (K - S)_+ = (1 / 2 pi i) int e^{sK} phi(s)^t / s^2 ds along a hyperbola to the right of 0, phi by the trapezoid rule
on a shifted line. Errors are not bounded: two hyperbolas and two rules have to agree (``call``).
"""

from __future__ import annotations

import math

from flint import acb, arb, ctx

__all__ = ["call", "phi"]

_BITS = 420
_NATS = 130.0


def _phi(sigma: arb, s: acb, strip: float) -> acb:
    """E e^{-sY}."""
    half, angle = 1 / (2 * sigma * sigma), abs(float(s.arg().mid()))
    width = float(sigma.mid())
    b = max(width * (angle - math.pi / 2) + strip * width, 0.0)
    a = min(width * (math.pi / 2 - angle) + b, width * (math.pi / 2 + angle) - b)
    h = arb(2 * math.pi * a / (_NATS + 0.5 * (a + b) ** 2))
    w = s * (-acb(0, 1) * b / sigma).exp() * (-half).exp()
    many = math.ceil((math.sqrt(2 * _NATS) + b + 1.0) / float(h.mid()))
    step, turn = (h / sigma).exp(), (acb(0, 1) * b * h).exp()
    y, rotated = (-h * many / sigma).exp(), (-acb(0, 1) * b * h * many).exp()
    total = acb(0)
    for j in range(-many, many + 1):
        x = h * j
        total += (-x * x / 2).exp() * rotated * (-w * y).exp()
        y, rotated = y * step, rotated * turn
    return total * h * (arb(b) * arb(b) / 2).exp() / (2 * arb.pi()).sqrt()


def call(sigma: float, t: int, epsilon: float, other: bool = False) -> arb:
    """E (S - t e^eps)_+ / t; ``other`` by another hyperbola and another rule."""
    with ctx.workprec(_BITS):
        k, noise = t * arb(epsilon).exp(), arb(sigma)
        wide = math.sqrt(t) * sigma
        d = min(0.6, (9.0 if other else 8.0) / wide)
        a = 0.95 * d
        left = _NATS + 0.5 * (wide * (d + a)) ** 2
        h = 2 * math.pi * a / left
        m = arb((11.0 if other else 9.0) / (1 - math.sin(d))) / k
        total, j = acb(0), 0
        sine_of, cosine_of = arb(math.sin(d)), (1 - arb(math.sin(d)) ** 2).sqrt()
        while True:
            rise = (arb(h) * j).exp()
            wide_of, high = (rise + 1 / rise) / 2, (rise - 1 / rise) / 2
            s = m * acb(1 - sine_of * wide_of, cosine_of * high)
            speed = m * acb(cosine_of * wide_of, sine_of * high)
            term = (s * k).exp() * _phi(noise, s, 0.9 if other else 1.1) ** t / (s * s) * speed
            total += term / 2 if j == 0 else term
            if j > 20 and float(abs(term).mid()) < float(abs(total.real).mid()) * math.exp(-0.8 * _NATS):
                break
            j += 1
        return (total.real * arb(h) / arb.pi() + t - k) / t


def phi(sigma: float, s: complex | acb, b: float, bits: int = 150) -> acb:
    """E e^{-sY} by the trapezoid rule on the line shifted by ``b``, of a spacing that errs below the last bit."""
    with ctx.workprec(bits):
        noise, place = arb(sigma), s if isinstance(s, acb) else acb(s.real, s.imag)
        angle, deep = abs(float(place.arg().mid())), 0.69 * bits
        a = min(0.95 * min(sigma * (math.pi / 2 - angle) + b, sigma * (math.pi / 2 + angle) - b), 6.0)
        h = arb(2.0 * math.pi * a / (deep + 0.5 * (a + b) ** 2 + 0.5 * b * b))
        many = math.ceil((math.sqrt(2.0 * deep + b * b) + 1.0) / float(h.mid()))
        turn = acb(0, -b if place.imag >= 0 else b)
        w = place * (turn / noise - 1 / (2 * noise * noise)).exp()
        rise, total = (h / noise).exp(), acb(0)
        y = (-h * many / noise).exp()
        for j in range(-many, many + 1):
            x = h * j
            total += (-x * x / 2 - turn * x - w * y).exp()
            y = y * rise
        return total * h * (arb(b) ** 2 / 2).exp() / (2 * arb.pi()).sqrt()
