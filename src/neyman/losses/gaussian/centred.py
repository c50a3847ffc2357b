"""A(z) - 1 of a sampled Gaussian step that is hardly felt, by sums of second order.

After T = 10^6 steps what each A - 1 is rounded by counts a million times. As sum p (e^{zL} - 1) it is rounded in
proportion to E|zL|, although A - 1 is of the order of E|zL|^2: the first order cancels. It is known to cancel. With
r = e^L = 1 + v, v = q (e^t - 1), it is E_Q[v] = 0, so that

    A(z) - 1 = E[(e^{zL} - 1 - zL) + z (L - v)],         L - v = log1p(v) - v,

and of z = w + i omega, with the tilted weights W = p e^{wL},

    = sum p (e^{wL} - 1 - wL + w (L - v))  +  i omega sum p ((e^{wL} - 1) L + L - v)  +  sum W g(omega L),

g(u) = e^{iu} - 1 - iu. No term is larger than its second order, if each is computed as what it is.

*What the grid does to E_Q[v].* Of nodes h apart, all of them, h sum phi(x_k) and h sum phi(x_k) e^{t_k} are each 1 but
for 2 sum_m e^{-2 pi^2 (m s / h)^2} (Poisson). Those below -12 s have |v| < q, of those above 12 s + 1 the terms are
less than q times a normal density about 1: either tail is a node and an integral, less than e^-72 together where
h < s. So |sum p v| <= q (_ALIASES e^{-2 pi^2 (s/h)^2} + e^-72).

*Rounding.* Nodes are multiples of a step of few digits, hence exact, and t is known to 3 units of itself. These move v
by 3 (1 + |t|) units of itself, as |t e^t / (e^t - 1)| <= 1 + |t|, and L by at most half as much again, since
q <= 1/2; they are rounded by 5 and 8 units (``MIXED_ERROR``) besides. Each moves a term against what is left of it when
it is derived once: z (e^{zL} - 1), and z v / (1 + v), which is 2.6 times L - v at most. The exponent of p errs by
3 (x/s)^2 and some 25 units, which its whole term is multiplied by; e^a - 1 - a, log1p(v) - v and g by 20 units of
a^2/2, of the same, and of u^2/2. With W' = p max(1, e^{wL}) a place adds at most

    UNIT units [ |z|^2 W' L^2 + 2 |z| p |L - v| ],      units = ``curved_units`` + _EACH (_ALL + (x/s)^2 + 1.5 |t|).

Where |zL| is large all is of first order: |g(u)| <= 2 |u|, and of u = a + b the three terms that make it
(``curved_sum``) are at most 4 |u| together. What p and wL are off is then common to all terms, which add up to
p (e^{zL} - 1 - zL), but for the roundings of each:

    UNIT [ |z| W' ((4 (``curved_units`` + _EACH _ALL) + _EACH (x/s)^2) |L| + 1.5 _EACH |t|)
           + _EACH W' (_ALL + (x/s)^2 + |wL|) ].
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.readings.tilted import VALLEY
from neyman.losses.readings.transform import ComplexArray, logged
from neyman.losses.sampling import mixed
from neyman.numerics.functions.curved import curved_sum, curved_units, exp_curved, log_curved
from neyman.numerics.rounding import UNIT
from neyman.numerics.sums.fourier_sum import sum_units

if TYPE_CHECKING:
    from neyman.losses.gaussian.transform import SamplingTransform

__all__ = ["on_axis_centred"]

_DEVIATIONS = 12.0  # certifies: of the noise, beyond which e^-72 is left
_TAILS = math.exp(-72.0)  # certifies: the same
_ALIASES = 4.1  # certifies: of E_Q[v], in q e^{-2 pi^2 (s/h)^2}: two normal laws, two sides, and all the next
_EACH, _ALL = 4.0, 12.0  # certifies: units of what a term is rounded by, for each of its parts
_RARE = 0.5  # rates beyond which 1 + v is another sum
_BITS = 20  # of a step: what is left multiplies 2^33 nodes without a rounding
_LARGEST = 600.0  # exponents of floats that may be multiplied
_NODES, _PLACES = 1 << 14, 4096.0  # of a line and of a grid, whose tables are kept small
_OF_ONE, _WORTH = 36.0, 1.2e6  # steer: margin of one step; first order of all, times places, whose rounding counts


def on_axis_centred(
    law: SamplingTransform, w: float, omega: FloatArray, margin: float, ends: tuple[float, float, float]
) -> tuple[ComplexArray, FloatArray] | None:
    """``SamplingTransform.on_line`` of a whole law (none of its parts, no other density) along the real axis, of a
    grid that begins and ends there or further out, this far apart or less; None where plain sums are as good, or any
    exponent is large.
    """
    low, top, most = ends
    # never where a law is weighed: A(1) = 1 is what is taken for granted here
    s2, reach = law.sigma**2, abs(w) + float(omega[-1])
    first = reach * law.rate * min(1.0, 1.0 / law.sigma) * math.exp(min(margin - _OF_ONE, _OF_ONE))
    worth = first * (top - low) > _WORTH * most and len(omega) <= _NODES and top - low < _PLACES * most
    far = low <= -_DEVIATIONS * law.sigma and top >= _DEVIATIONS * law.sigma + 1.0
    if not (worth and law.rate <= _RARE and most < law.sigma and far):
        return None
    step = math.ldexp(math.floor(math.ldexp(math.frexp(most)[0], _BITS)), math.frexp(most)[1] - _BITS)
    x = step * (np.arange(math.floor(low / step), math.ceil(top / step)) + 0.5)
    t = (2.0 * x - 1.0) / (2.0 * s2)
    if not t[-1] < _LARGEST:
        return None
    loss = mixed(t, law.rate)
    a, log_p = w * loss, law.log_density(x) + math.log(step)
    if not (log_p.min() > -_LARGEST and max(a[0], a[-1]) < _LARGEST and (log_p + a).max() < 1.0):
        return None
    p, v = np.exp(log_p), law.rate * np.expm1(t)
    more, less = np.expm1(a), log_curved(v)
    weight = p * (1.0 + more)
    z, places = abs(w) + omega, _Places(np.abs(loss), np.maximum(p, weight), x * x / s2, 1.5 * np.abs(t), np.abs(a))
    rounding = places.rounding(z, p * less)
    if not rounding[-1] < sum_units(len(x)) * UNIT * z[-1] * float(weight @ places.loss):
        return None
    level = float(np.sum(p * (exp_curved(a) + w * less)))
    lean = float(np.sum(p * (more * loss + less)))
    value = curved_sum(omega, loss, weight) + (level + 1j * (omega * lean))
    aside = law.rate * (_ALIASES * math.exp(-2.0 * (math.pi * law.sigma / step) ** 2) + _TAILS)
    quadrature = (3.0 * math.exp(-margin) + 2.0 * math.exp(-VALLEY)) * max(float(weight.sum()), 1.0)
    return logged(value, rounding + z * aside + quadrature, 0.0, True)


class _Places(NamedTuple):
    """Moduli of the losses at each place, max(1, e^{wL}) p, (x/s)^2, 1.5 |t| and |wL|."""

    loss: FloatArray
    weight: FloatArray
    square: FloatArray
    t: FloatArray
    tilt: FloatArray

    def rounding(self, z: FloatArray, less: FloatArray) -> FloatArray:
        """What the sums are rounded by for each |z| (ascending): of places with |zL| <= 1 by their second order, of
        others by their first; ``less`` is p (L - v).
        """
        sums, near = curved_units(len(self.t)), self.loss * z[-1] <= 1.0
        units = sums + _EACH * (_ALL + self.square + self.t)
        second = float((units * self.weight * self.loss**2) @ near) * z - 2.0 * float(units @ less)
        first = ((4.0 * (sums + _EACH * _ALL) + _EACH * self.square) * self.loss + _EACH * self.t) * self.weight
        level = _EACH * self.weight * (_ALL + self.square + self.tilt)
        return UNIT * (z * (second + float(first @ ~near)) + float(level @ ~near))
