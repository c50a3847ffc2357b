"""delta of two sampled Gaussian steps by another way: what one leaves of the other's loss, integrated."""

from __future__ import annotations

import mpmath as mp

from tests.reference.recorded import recorded

__all__ = ["exchanged", "laplace_steps", "twofold"]


@recorded(1e-28)
def twofold(s: float, q: float, epsilon: float, remove: bool = True) -> str:
    """To about 30 digits: tanh-sinh on either side of where one loss leaves nothing more to the other."""
    with mp.workdps(40):
        s, q, e = mp.mpf(s), mp.mpf(q), mp.mpf(epsilon)

        def plain(v):
            return mp.ncdf(1 / (2 * s) - v * s) - mp.exp(v) * mp.ncdf(-1 / (2 * s) - v * s)

        def one(v):
            t = mp.exp(v)
            taken = t - 1 + q if remove else 1 - t * (1 - q)
            if taken <= 0:
                return 1 - t if remove else mp.mpf(0)
            return q * plain(mp.log(taken / q)) if remove else taken * plain(mp.log(t * q / taken))

        def value(x):
            g = 1 - q + q * mp.exp((2 * x - 1) / (2 * s * s))
            return mp.npdf(x, 0, s) * (g * one(e - mp.log(g)) if remove else one(e + mp.log(g)))

        level = mp.exp(e if remove else -e) / (1 - q) - (1 - q)
        turn = [s * s * mp.log(level / q) + mp.mpf(1) / 2] if level > 0 else []
        ends = {-14 * s, -7 * s, -3 * s, mp.mpf(0), 3 * s, 7 * s, 1 + 7 * s, 1 + 14 * s}
        inside = [x for x in turn if -14 * s < x < 1 + 14 * s]
        return mp.nstr(mp.quad(value, sorted({*ends, *inside}), maxdegree=10), 35)


@recorded(1e-25)
def exchanged(s: float, q: float, epsilon: float) -> str:
    """The same where a record is exchanged, between whichever of both records and none."""
    with mp.workdps(40):
        s, q, e = mp.mpf(s), mp.mpf(q), mp.mpf(epsilon)

        def grown(x):
            return 1 - q + q * mp.exp((2 * x - 1) / (2 * s * s))

        def one(v):
            t = mp.exp(v)
            half = mp.asinh((1 - q) * mp.expm1(v) / q * mp.exp(1 / (2 * s * s) - v / 2) / 2)
            at = s * (v / 2 + half)
            taken = mp.ncdf(1 / s - at) - t * mp.ncdf(-1 / s - at)
            return (1 - q) * (1 - t) * mp.ncdf(-at) + q * taken

        def value(x):
            g = grown(x)
            return mp.npdf(x, 0, s) * g * one(e - mp.log(g) + mp.log(grown(-x)))

        low, high = mp.mpf(-14), mp.mpf(14)  # towards where one step leaves nothing to the other
        while high - low > mp.mpf(10) ** -30:
            middle = (low + high) / 2
            low, high = (middle, high) if grown(middle) < mp.exp(e) * grown(-middle) else (low, middle)
        near = {low + side * s * mp.mpf(2) ** -k for k in range(14) for side in (-1, 1)}
        ends = {m + k * s for m in (0, 1) for k in range(-12, 13, 3)} | near
        return mp.nstr(mp.quad(value, sorted(ends), maxdegree=6), 35)


def _one_laplace(d, q, remove, x):
    """delta of one sampled Laplace step at any real x."""

    def plain(y):
        if y >= d:
            return mp.mpf(0)
        return 1 - mp.exp(y) if y <= -d else 1 - mp.exp((y - d) / 2)

    t = mp.exp(x)
    taken = t - 1 + q if remove else 1 - t + t * q
    if taken <= 0:
        return 1 - t if remove else mp.mpf(0)
    return q * plain(mp.log(taken / q)) if remove else taken * plain(mp.log(t * q / taken))


def laplace_steps(d, q, times, remove, epsilon):
    """Sampled Laplace steps by mpmath: each an atom at either end and a density; the last of them in closed form."""
    return mp.mpf(steps_digits(d, q, times, remove, epsilon))


@recorded(1e-20)
def steps_digits(d: float, q: float, times: int, remove: bool, epsilon: float) -> str:
    with mp.workdps(30):
        return mp.nstr(_steps(d, q, times, remove, epsilon), 28)


def _steps(d, q, times, remove, epsilon):
    d, q, e, sign = mp.mpf(d), mp.mpf(q), mp.mpf(epsilon), 1 if remove else -1

    def r(t):
        return 1 - q + q * mp.exp(t)

    ends = [sign * mp.log(r(-d)), sign * mp.log(r(d))]

    def more(of, kinks):
        """One step before: losses where ``of`` has kinks or corners make it have them."""

        def delta(x):
            def value(t):
                return (r(t) if remove else 1) * of(x - sign * mp.log(r(t)))

            total = value(-d) / 2 + mp.exp(-d) * value(d) / 2
            levels = [mp.exp(sign * (x - kink)) for kink in kinks]
            turns = [mp.log((level - 1 + q) / q) if level > 1 - q else -d for level in levels]
            places = {-d, d, *(min(max(t, -d), d) for t in turns)}
            return total + mp.quad(lambda t: mp.exp(-(t + d) / 2) / 4 * value(t), sorted(places))

        return delta, [kink + end for kink in kinks for end in ends]

    found, kinks = (lambda x: _one_laplace(d, q, remove, x)), ends
    for _ in range(times - 1):
        found, kinks = more(found, kinks)
    return found(e)
