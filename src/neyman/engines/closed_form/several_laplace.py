"""The same Laplace step several times: sums of Poisson probabilities.

Where L is the loss of one step under P and d = 1 / b, the shortfall Y = d - L is 0 with probability 1/2, 2d with
probability e^-d / 2, and has the density e^{-y/2} / 4 between. With E exponential of mean 2,

    E_P e^{-sY} = (1 + e(s)) / 2 + e^{-d - 2ds} (1 - e(s)) / 2,    e(s) = E e^{-sE} = 1 / (1 + 2s),

and the n-th power of that is the sum over k and j of 2^-n C(n, k) e^{-kd} c_kj e^{-2kds} e(s)^j, where (1 + x)^(n-k)
(1 - x)^k is the sum of c_kj x^j. For r > 0 a Gamma law of j such exponentials has, with rho = r / 2 and N a Poisson
number of mean rho,

    E (1 - e^{Y - r})_+ = 2 e^-rho int_0^rho u^(j-1) sinh(rho - u) du / (j-1)! = 2 Pr[N > j, N - j odd]:

u^(j-1) / (j-1)! convolved with the odd powers of sinh is one term of them each. Hence, with 2 rho_k = (n - 2k) d - eps,

    delta(eps) = sum over k with rho_k > 0, and m >= 1, of 2^(1-n) C(n, k) e^{-kd} w_km Pr[N_k = m],
    w_km = sum of c_kj over j < m, m - j odd.

From m = n + 1 on w_km is 2^(n-1) for k = 0, and 0 for the others below n: ((1 + 1)^(n-k) 0^k +- 0^(n-k) 2^k) / 2. All
is positive for k = 0, which is all there is within 2d of the largest loss: there delta keeps its digits however small.
Further in, terms of both signs cancel, by a number that each sum is told with.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.closed_form.pairs import ClosedForm
from neyman.losses.laplace.step import LaplaceStep
from neyman.numerics.functions.normal import sum_twofold
from neyman.numerics.rounding import UNDERFLOW, UNIT
from neyman.profiles.effort import allowance
from neyman.profiles.profile import NEARLY_ONE, Bracket

__all__ = ["SeveralLaplaceProfile", "several_laplace"]

_MOST, _LONGEST = 128, 64.0  # steps, and n d, that are tried: steers, what is not sharp is left to others
_SHARP, _LOOKS = 1e-9, 64  # relative width up to which it is worth it, and at how many eps that is looked at
_WIDEST = 1e6  # the largest scale that is taken
_READ, _TERM = 10.0, 0.4  # nominal nanoseconds of an eps, and for each term of the table
_LEFT_OUT = 1e-16  # beside the first term: terms for all steps at their largest loss that are not summed
# certifies: units of rounding of a term for each of its m factors rho (within 10, a product and a sum); for each unit
# of n d, of which rho and k d are at most half (e^-rho, e^{-kd}); for two exponentials, a coefficient and products
_FACTOR, _EXPONENT, _PRODUCTS = 14.0, 8.0, 32.0
_TWICE = 2.0  # certifies: times all that, for products of errors


def several_laplace(step: LaplaceStep, times: int, tail_mu: float) -> SeveralLaplaceProfile | None:
    """The profile of ``times`` such steps; None where it would not be sharp, or 1 - delta is what matters."""
    if step.rate < 1.0 or step.two_sided or not 1 < times <= min(_MOST, _LONGEST * step.scale):
        return None
    if step.scale > _WIDEST:
        return None
    found = SeveralLaplaceProfile(step.scale, times, tail_mu)
    known = found.bracket(found.end * (np.arange(_LOOKS) / _LOOKS))
    sharp = known.upper - known.lower <= _SHARP * known.upper
    return found if sharp.all() and known.upper[0] <= NEARLY_ONE else None


class SeveralLaplaceProfile(ClosedForm):
    """delta of ``times`` Laplace steps of one scale (symmetric: the same in both directions).

    Sound for all; sharp where sums of both signs do not cancel: there ``several_laplace`` takes it.

    Parameters
    ----------
    scale : float
        b, scale over sensitivity, from ``times`` / 64 to 1e6.
    times : int
        2 to 128.
    tail_mu : float
        What it is with no floor.

    Examples
    --------
    >>> import numpy as np
    >>> SeveralLaplaceProfile(1.0, 2, 1.5).bracket(np.array([1.0, 2.0])).upper.round(12)
    array([0.24183668, 0.        ])
    """

    def __init__(self, scale: float, times: int, tail_mu: float) -> None:
        self._tail_mu = tail_mu
        self._last: tuple[FloatArray, FloatArray] | None = None  # solvers ask twice
        d, rows = 1 / Fraction(scale), times // 2 + 1  # for eps >= 0 no more than half may be at their least loss
        places = [(times - 2 * k) * d for k in range(rows)]
        self._place = np.array([[float(x)] for x in places])
        self._rest = np.array([[float(x - Fraction(float(x)))] for x in places])
        self._end = float(np.nextafter(self._place[0, 0], np.inf) if self._rest[0, 0] > 0.0 else self._place[0, 0])
        far = 0.5 * float(self._place[0, 0])
        terms = max(times + 1, math.ceil(2.0 * far))
        while (terms - 1) * math.log(far) - math.lgamma(terms + 1) > math.log(_LEFT_OUT):
            terms += 1
        weights = np.array(_weights(times, rows, terms))
        weights *= np.exp(-np.arange(rows) * float(d))[:, None]
        room = _EXPONENT * self._place[0, 0] + _PRODUCTS + terms + rows
        off = np.abs(weights) * (_TWICE * UNIT * (_FACTOR * np.arange(terms + 1) + room))
        off[0, -1] += weights[0, -1]  # terms that are left out fall by more than half each
        # -d/d eps of Pr[N = m] is half of Pr[N = m - 1] - Pr[N = m]
        ahead = weights[:, 1:] * np.arange(1.0, terms + 1.0)
        slope = 0.5 * (np.append(ahead, weights[:, -1:], axis=1) - weights)
        table = np.array([weights, off, slope]).transpose(2, 0, 1)[..., None]
        self._first, self._others = table[:, :, :1], table[: times + 1, :, 1:]

    @property
    def end(self) -> float:
        return self._end

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    @property
    def labour(self) -> float:
        return _READ + _TERM * (self._first.size + self._others.size)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        value, off, _ = self._read(epsilon)
        some = off > 0.0
        lower = np.maximum(value - off, 0.0)
        return Bracket.of_delta(lower, np.where(some, np.minimum(value + off, 1.0), 0.0))

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return np.clip(self._read(epsilon)[2], 0.0, 1.0)

    def _read(self, epsilon: FloatArray) -> FloatArray:
        """delta, what it may be off by (0 where it is nothing) and its slope."""
        if self._last is None or not np.array_equal(self._last[0], epsilon):
            self._last = epsilon.copy(), self._sums(epsilon)
            allowance().spend(self.labour * len(epsilon))  # whoever asks at many places is told when it is enough
        return self._last[1]

    def _sums(self, epsilon: FloatArray) -> FloatArray:
        high, low = sum_twofold(self._place, -epsilon)
        rho = np.maximum(0.5 * (high + (low + self._rest)), 0.0)
        rows = int(np.count_nonzero(rho.max(axis=1, initial=0.0)))  # those that count anywhere are the first
        with np.errstate(under="ignore"):
            none = np.where(rho > 0.0, np.exp(-rho), 0.0)  # Pr[N = 0] of what counts
            found = _polynomials(self._first, rho[:1])[:, 0] * none[0]
            if rows > 1:
                found += (_polynomials(self._others[:, :, : rows - 1], rho[1:rows]) * none[1:rows]).sum(axis=1)
            found[1] = np.where(rho[0] > 0.0, found[1] + UNDERFLOW, 0.0)
            return found


def _polynomials(terms: FloatArray, x: FloatArray) -> FloatArray:
    """The sums of terms[m] x^m, by Horner's rule."""
    value = np.empty((*terms.shape[1:-1], x.shape[-1]))
    value[:] = terms[-1]
    for one in terms[-2::-1]:
        value *= x
        value += one
    return value


def _weights(times: int, rows: int, terms: int) -> list[list[float]]:
    """2^(1-n) C(n, k) w_km / m! for m = 0 to ``terms``, a row for each k: correctly rounded."""
    scale = [2 ** (times - 1) * math.factorial(m) for m in range(terms + 1)]
    c, table = [math.comb(times, j) for j in range(times + 1)], []
    for k in range(rows):
        w = [0, c[0]]
        for m in range(2, terms + 1):
            w.append(w[m - 2] + (c[m - 1] if m <= times + 1 else 0))
        table.append([math.comb(times, k) * one / whole for one, whole in zip(w, scale, strict=True)])
        after = c[:1]  # (1 - x) / (1 + x) times the last
        for j in range(1, times + 1):
            after.append(c[j] - c[j - 1] - after[j - 1])
        c = after
    return table
