"""One and two steps by direct quadrature: P(L1 + L2 > epsilon) = E[P(L > epsilon - L1)]. No contour, no lattice."""

from __future__ import annotations

from dataclasses import dataclass

from mpmath import mp, mpf

__all__ = ["Tails", "few_steps", "two_step_delta"]

Number = float | int | str | mpf


@dataclass(frozen=True)
class Tails:
    """tail = P(L > epsilon), alpha = Q(L > epsilon)."""

    epsilon: mpf
    tail: mpf
    alpha: mpf

    @property
    def delta(self) -> mpf:
        """delta(epsilon); the subtraction costs digits, so ask for more of them."""
        return self.tail - mp.exp(self.epsilon) * self.alpha


def few_steps(
    sigma: Number, q: Number, steps: int, epsilon: Number, direction: str = "remove", digits: int = 40
) -> Tails:
    """Both tails after one or two equal steps, by tanh-sinh quadrature between the kinks of the integrand."""
    with mp.workdps(digits):
        s, rate, e = mpf(sigma), mpf(q), mpf(epsilon)
        if steps == 1:
            return _one_step(s, rate, e, direction)
        if steps != 2:
            raise ValueError("only one or two steps")

        def loss(x: mpf) -> mpf:
            value = mp.log(1 - rate + rate * mp.exp((2 * x - 1) / (2 * s * s)))
            return value if direction == "remove" else -value

        def without(x: mpf) -> mpf:
            return mp.npdf(x, 0, s)

        def mixture(x: mpf) -> mpf:
            return (1 - rate) * mp.npdf(x, 0, s) + rate * mp.npdf(x, 1, s)

        p, other = (mixture, without) if direction == "remove" else (without, mixture)
        edge = mp.log1p(-rate)
        places = [mpf(k) * s for k in (-16, -6, -3, -1, 0, 1, 3, 6)] + [1 + mpf(k) * s for k in (6, 16)]
        places += [x for x in [_threshold(s, rate, (e if direction == "remove" else -e) - edge)] if x is not None]
        places.sort()
        tail = mp.quad(lambda x: p(x) * _one_step(s, rate, e - loss(x), direction).tail, places)
        alpha = mp.quad(lambda x: other(x) * _one_step(s, rate, e - loss(x), direction).alpha, places)
        return Tails(e, tail, alpha)


def two_step_delta(sigma: Number, q: Number, epsilon: Number, direction: str = "remove", digits: int = 40) -> mpf:
    """delta(epsilon) after two equal steps."""
    with mp.workdps(digits):
        return few_steps(sigma, q, 2, epsilon, direction, digits).delta


def _threshold(s: mpf, q: mpf, e: mpf) -> mpf | None:
    """The x where log(1 - q + q e^t) = e; None where it is larger everywhere."""
    inside = (mp.expm1(e) + q) / q
    return s * s * mp.log(inside) + mpf(1) / 2 if inside > 0 else None


def _one_step(s: mpf, q: mpf, e: mpf, direction: str) -> Tails:
    x = _threshold(s, q, e if direction == "remove" else -e)
    if x is None:
        return Tails(e, mpf(1), mpf(1)) if direction == "remove" else Tails(e, mpf(0), mpf(0))
    if direction == "remove":
        low, high = mp.ncdf(-x / s), mp.ncdf((1 - x) / s)
        return Tails(e, (1 - q) * low + q * high, low)
    low, high = mp.ncdf(x / s), mp.ncdf((x - 1) / s)
    return Tails(e, low, (1 - q) * low + q * high)
