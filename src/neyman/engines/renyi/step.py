"""The Renyi divergences of one step, bounded, in one direction at a time.

With A(w) = E_Q[r^w], r = dP/dQ, and G(w) = E_Q[r^w - 1 - w (r - 1)] / (w (w - 1)) > 0,

    D_t(P || Q) = log A(t) / (t - 1) = log(1 + t (t - 1) G(t)) / (t - 1),        D_1 = G(1),

and D_t(Q || P) is the same with G(1 - t). Every term of G is positive: nothing cancels, for tiny rates, t near 0 or 1.
Masses at infinity, with a = P(L < inf) and b = Q(L > -inf) and primes for the laws given that nothing is revealed:

    D_t = D'_t - t / (1 - t) log a - log b    for t < 1,        D_t = D'_t - log b  (inf if a < 1)    for t >= 1.
"""

from __future__ import annotations

import math
from typing import Protocol, cast

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.renyi.asymptotic import far
from neyman.engines.renyi.from_profile import profile_divergence
from neyman.engines.renyi.gap import of_gap
from neyman.engines.renyi.laws import power_laws
from neyman.engines.renyi.quadrature import Logs, integral, kernel
from neyman.losses.base import Step
from neyman.losses.discrete.steps import DiscreteGaussianStep
from neyman.losses.discrete.theta_renyi import discrete_gaussian_divergence
from neyman.losses.enclosed.step import EnclosedStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.readings.powers import PowerLaw
from neyman.numerics.rounding import SMALLEST, TINY, UNIT
from neyman.profiles.profile import Profile

__all__ = ["Stated", "Statement", "promised", "statement_of", "step_divergence"]

_LARGEST = float(np.finfo(np.float64).max)
_ENTRIES = 1 << 21  # of a matrix of orders and outcomes
_FAR = 1e5  # order times shift over noise up to which exponents, about its square, are exact enough
_FAR_BOUNDED = 1e11  # the same of order times largest loss
_FAR_ADD = 1e8  # the same where only one direction is bounded,
_FAR_PLACES = 1e9  # and of the range that is searched


class Statement(Protocol):
    """What is stated of the divergences of a pair in both of its orders, beyond what a trade-off curve tells.

    D_t <= ``bound(t)`` at every t, of which ``orders`` say all there is, and D_t <= ``rho`` t for all t > 1.
    """

    @property
    def orders(self) -> FloatArray: ...
    @property
    def rho(self) -> float: ...
    def bound(self, order: FloatArray) -> FloatArray: ...


class Stated(Protocol):
    """What guarantees call their divergences."""

    @property
    def statement(self) -> Statement | None:
        """What is stated of them beyond the curve, if anything is."""
        ...

    def divergence(self, order: FloatArray, upper: bool) -> FloatArray:
        """Bounds on D_t."""
        ...

    def concentration(self, upper: bool) -> float:
        """A bound on rho."""
        ...


def step_divergence(step: Step, order: FloatArray, remove: bool, upper: bool) -> FloatArray:
    """Bounds from above (``upper``) or below on D_t of ``step`` at each ``order`` t > 0 (1-d).

    The direction is P against Q for ``remove``, Q against P otherwise.
    """
    if isinstance(step, GaussianStep):
        mu = step.mu if upper else step.least
        return _line(mu, order, upper)
    if isinstance(step, EnclosedStep):
        return _promised(step, order, remove, upper)
    if isinstance(step, DiscreteGaussianStep) and step.rate == 1.0:
        return discrete_gaussian_divergence(step.sigma, step.shift, order)[1 if upper else 0]
    law = _law(step, upper)
    reach = _reach(step, law, remove)
    near = order <= reach
    out = np.zeros_like(order)
    if np.any(near):
        out[near] = _by_law(law, order[near], remove, upper)
    if not np.all(near):
        out[~near] = _beyond(step, law, order[~near], (remove, upper, reach))
    most = step.tail_mu  # D_t of a mu-GDP pair is at most that of the Gaussian pair: data processing
    limit = _line(most, order, True) if math.isfinite(most) else math.inf
    return np.minimum(out, limit) if upper else np.minimum(out, _LARGEST)


def _reach(step: Step, law: PowerLaw, remove: bool) -> float:
    """The order up to which exponents are exact enough to be summed; 0 where no order is."""
    if not law.parts or not math.isinf(law.parts[0].high):
        largest = float(np.max(np.abs(law.loss), initial=0.0))
        return _FAR_BOUNDED / max(largest, TINY)
    k = step.tail_mu
    if k > _FAR:
        return 0.0
    if remove or step.symmetric:
        return _FAR / k
    return min(_FAR_ADD / -math.log1p(-law.parts[0].rate), _FAR_PLACES / k)


def _beyond(step: Step, law: PowerLaw, order: FloatArray, ask: tuple[bool, bool, float]) -> FloatArray:
    """Elementary bounds on D_t for larger orders."""
    remove, upper, reach = ask
    if law.parts and math.isinf(law.parts[0].high):
        found = far(step, order, remove, upper)
        if upper or reach < 1.0:
            return found
        # D_t grows with t
        return np.maximum(found, _by_law(law, np.array([reach]), remove, upper)[0])
    sign = 1.0 if remove else -1.0
    if upper:
        found = np.full_like(order, max(float(np.max(sign * law.loss + law.loss_error)), 0.0))
    else:
        w = (order if remove else 1.0 - order)[:, None]
        with np.errstate(over="ignore"):
            share = w / (order[:, None] - 1.0) * law.loss + (law.log_q - law.relative) / (order[:, None] - 1.0)
        slack = float(np.max(2.0 * law.loss_error + 16.0 * UNIT * np.abs(law.loss)))
        found = np.maximum(np.max(share, axis=1) - slack, 0.0)
    return _with_infinite(law, found, order, remove, upper)


def _promised(step: EnclosedStep, order: FloatArray, remove: bool, upper: bool) -> FloatArray:
    """What a promise says of its divergences, where it does and nothing is sampled; else what its profiles say."""
    stated = promised(step)
    if stated is not None:
        return stated.divergence(order, upper)
    forward, backward = cast(Profile, step.forward), cast(Profile, step.backward)
    known, sharp = step.divergence(order, remove, upper)
    if not np.all(sharp):
        pair = (forward, backward) if remove else (backward, forward)
        rest = profile_divergence(*pair, order[~sharp], upper, step.cells)
        known[~sharp] = (np.minimum if upper else np.maximum)(known[~sharp], rest)
    return known


def promised(step: EnclosedStep) -> Stated | None:
    """The divergences of the promise behind a step, where it has them."""
    found = getattr(step.promise, "divergences", None) if step.rate == 1.0 and step.symmetric else None
    return cast(Stated, found) if found is not None else None


def statement_of(step: EnclosedStep) -> Statement | None:
    """What the promise behind a step states beyond its curve; of a sampled one the curve is all that is known."""
    found = cast("Stated | None", getattr(step.promise, "divergences", None)) if step.rate == 1.0 else None
    return found.statement if found is not None else None


def _law(step: Step, upper: bool) -> PowerLaw:
    laws = power_laws(step)
    if laws is None:
        raise TypeError(f"no Renyi divergence is known of {step!r}")
    return laws[1 if upper else 0]


def _line(mu: float, order: FloatArray, upper: bool) -> FloatArray:
    """mu^2 t / 2, where it is below the smallest floats too."""
    if mu == 0.0:
        return np.zeros_like(order)
    sign = 1.0 if upper else -1.0
    with np.errstate(over="ignore", under="ignore"):
        line = 0.5 * mu * mu * order if mu >= 1.0 else 0.5 * mu * (mu * order)
    return np.maximum(line * (1.0 + sign * 4.0 * UNIT) + sign * 2.0 * SMALLEST, 0.0)


def _by_law(law: PowerLaw, order: FloatArray, remove: bool, upper: bool) -> FloatArray:
    w = order if remove else 1.0 - order
    found = gathered(law, w, False)
    x = found.upper if upper else found.lower
    out = of_gap(order, x, upper)
    # where A is well below 1 its logarithm is known better than 1 - A
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        small = (order < 1.0) & (np.log(order) + np.log1p(-np.minimum(order, 1.0)) + found.upper > -math.log(2.0))
    if np.any(small):
        plain = gathered(law, w[small], True)
        log_a = plain.lower if upper else plain.upper
        t = order[small]
        bound = np.maximum(-log_a, 0.0) / (1.0 - t) * (1.0 + (8.0 if upper else -8.0) * UNIT)
        out[small] = np.minimum(out[small], bound) if upper else np.maximum(out[small], bound)
    return _with_infinite(law, out, order, remove, upper)


def gathered(law: PowerLaw, w: FloatArray, plain: bool) -> Logs:
    """Bounds on log E_Q[g] over outcomes and smooth parts."""
    found = [integral(part, w, plain, law.integers) for part in law.parts]
    if len(law.loss):
        found.append(_outcomes(law, w, plain))
    if law.cut:
        found.append(Logs(np.full_like(w, -math.inf), np.full_like(w, math.inf)))
    return Logs.sum(found) if found else Logs(np.full_like(w, -math.inf), np.full_like(w, -math.inf))


def _outcomes(law: PowerLaw, w: FloatArray, plain: bool) -> Logs:
    rows = max(1, _ENTRIES // len(law.loss))
    found: list[tuple[FloatArray, FloatArray]] = []
    for i in range(0, len(w), rows):
        tilt = w[i : i + rows, None]
        loss = np.broadcast_to(law.loss, (len(tilt), len(law.loss)))
        g = kernel(tilt, loss, plain)
        least, most, shift = g.moved(loss, law.loss_error, plain)
        exponent = law.log_q + g.top
        off = g.error + shift + law.relative + 4.0 * UNIT * (2.0 + np.abs(exponent))
        found.append((_log_sum(exponent - off, least), _log_sum(exponent + off, most)))
    lower, upper = (np.concatenate(column) for column in zip(*found, strict=True))
    room = UNIT * (16.0 + 0.25 * len(law.loss) + 4.0 * np.where(np.isfinite(upper), np.abs(upper), 0.0))
    return Logs(lower - room, upper + room)


def _log_sum(exponent: FloatArray, factor: FloatArray) -> FloatArray:
    peak = np.max(exponent, axis=1)
    with np.errstate(divide="ignore", under="ignore"):
        return peak + np.log((factor * np.exp(exponent - peak[:, None])).sum(axis=1))


def _with_infinite(law: PowerLaw, value: FloatArray, order: FloatArray, remove: bool, upper: bool) -> FloatArray:
    log_a, log_b = law.log_whole if remove else law.log_whole[::-1]
    if log_a == 0.0 and log_b == 0.0:
        return value
    room = law.vague * (1.0 if upper else -1.0)
    with np.errstate(divide="ignore", over="ignore"):
        share = np.where(order < 1.0, order / np.maximum(1.0 - order, SMALLEST), math.inf if log_a < 0.0 else 0.0)
        extra = np.where(share > 0.0, -share * log_a if log_a < 0.0 else 0.0, 0.0) - log_b
    return (value + extra * (1.0 + 4.0 * room)) * (1.0 + (4.0 if upper else -4.0) * UNIT)
