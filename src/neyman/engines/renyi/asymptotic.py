"""Renyi divergences of sampled Gaussian noise at orders, or at noise, that no quadrature reaches: elementary bounds.

With k = sensitivity over sigma, r = 1 - q + q e^u, and t k above 1e5:

- A(t) >= (1 - q)^t + q^t e^{t (t - 1) k^2 / 2} for t > 1, as (a + b)^t >= a^t + b^t; the reverse for t < 1;
- A(t)^{1/t} <= 1 - q + q e^{(t - 1) k^2 / 2} for t > 1 (Minkowski);
- log A(t) >= t m(u(z)) - z^2 / 2 for every z (the variational formula of Gibbs with N(z, 1), m = log r convex in u);
- r >= 1 - q: no loss of the other direction exceeds -log(1 - q), and log A(-v) >= -v log(1 - q) - v q / (1 - q) e^{k z}
  - z^2 / 2 for every z (Gibbs again, and log(1 + x) <= x);
- under replacement Q is at least 1 - q times the plain law; and at most 1 - q + q e^{-k z} times it beyond z >= 0.
"""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.base import Step
from neyman.losses.discrete.steps import DiscreteGaussianStep
from neyman.losses.discrete.theta_renyi import discrete_gaussian_divergence
from neyman.losses.gaussian.exchange.step import ReplacedGaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.sampling import mixed
from neyman.numerics.rounding import SCANT, SMALLEST

__all__ = ["far"]

_ROOM = 1e-14  # relative, of a few elementary functions: some ninety units
_PLACES = np.concatenate(
    [[0.0], np.geomspace(1e-3, 1.0, 400), [1.0]]
)  # shares of the range of z that are tried: any z is a bound
_TRIED = 1e-6, 1e6, 800  # places at which a bound from below is tried, in units of max(1, 1 / k): any will do


def far(step: Step, order: FloatArray, remove: bool, upper: bool) -> FloatArray:
    """Bounds on D_t, from above or below, of a sampled step of Gaussian shape."""
    if isinstance(step, SubsampledGaussianStep):
        k, rate, two_sided = 1.0 / step.sigma, step.rate, False
    elif isinstance(step, ReplacedGaussianStep):
        k, rate, two_sided = 1.0 / step.sigma, step.rate, True
    elif isinstance(step, DiscreteGaussianStep):
        k, rate, two_sided = step.shift / step.sigma, step.rate, step.two_sided
        if not upper:
            return _discrete_below(step, order, remove)
    else:
        raise TypeError(f"no far order is known of {step!r}")
    silent = -math.log1p(-rate) * (1.0 + _ROOM)
    discrete = isinstance(step, DiscreteGaussianStep)
    if two_sided:  # Q is at least 1 - q times the plain law
        return silent + _remove(k, rate, order, True, discrete) if upper else _two_sided_below(k, rate, order)
    if remove:
        return _remove(k, rate, order, upper, discrete)
    return np.minimum(0.5 * order * k * k * (1.0 + _ROOM), silent) if upper else _add_below(k, rate, order)


def _remove(k: float, rate: float, order: FloatArray, upper: bool, discrete: bool) -> FloatArray:
    t = order
    above = t > 1.0
    off = np.where(above, t - 1.0, 1.0)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        bend = 0.5 * off * k * k
        if upper:
            line = np.minimum(
                0.5 * t * k * k, np.where(above, math.inf, t / np.maximum(1.0 - t, SMALLEST) * -math.log1p(-rate))
            )
            whole = np.logaddexp(math.log1p(-rate), math.log(rate) + bend) * (t / off)
            line = np.where(t == 1.0, rate * 0.5 * k * k, line)
            return np.where(above, np.minimum(line, whole), line) * (1.0 + _ROOM)
        super_ = t / off * np.maximum(math.log1p(-rate), math.log(rate) + bend)
        gibbs = _gibbs(k, rate, t) / off
        fall = np.minimum(t * (1.0 - t), 1.0)
        sub = -np.logaddexp(t * math.log1p(-rate), t * math.log(rate) - 0.5 * fall * k * k) / np.where(
            t < 1.0, 1.0 - t, 1.0
        )
        one = (1.0 - rate) * math.log1p(-rate) + rate * (math.log(rate) + 0.5 * k * k)
        found = np.where(above, np.fmax(super_, gibbs), np.where(t < 1.0, sub, one))
    return np.maximum(found * (1.0 - np.sign(found) * _ROOM) - _ROOM * abs(math.log(rate)), 0.0)


def _gibbs(k: float, rate: float, t: FloatArray) -> FloatArray:
    """The largest t m(u(z)) - z^2 / 2 among some z."""
    z = t[:, None] * k * _PLACES
    value = t[:, None] * mixed(k * z - 0.5 * k * k, rate) - 0.5 * z * z
    return np.max(np.where(np.isfinite(value), value, -math.inf), axis=1)


def _add_below(k: float, rate: float, order: FloatArray) -> FloatArray:
    """D_t(Q || P) grows with t: that of an order below 1 serves t = 1."""
    t = np.where(order == 1.0, 1.0 - 2.0**-30, order)
    v = np.where(t > 1.0, t - 1.0, 1.0)
    z = -np.concatenate([[0.0], np.geomspace(*_TRIED)])[:, None] * np.maximum(1.0, 1.0 / k)
    with np.errstate(over="ignore", under="ignore"):
        lost = rate / (1.0 - rate) * np.exp(k * z) + 0.5 * z * z / v
    above = -math.log1p(-rate) - np.min(lost, axis=0)
    s = np.where(t < 1.0, 1.0 - t, 0.5)
    swapped = np.where(t < 1.0, t, 0.5) / s * _remove(k, rate, s, False, False)
    return np.maximum(np.where(t > 1.0, above, swapped) * (1.0 - _ROOM), 0.0)


def _two_sided_below(k: float, rate: float, order: FloatArray) -> FloatArray:
    """Where z >= t k / 2 the law tilted to N(t k, 1) holds all but e^{-(t k)^2 / 8} of itself."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        off = np.where(order > 1.0, order - 1.0, 1.0)
        plain = np.log1p(-rate * -np.expm1(-0.5 * order * k * k))
        value = 0.5 * order * k * k + (order * math.log(rate) - SCANT) / off - plain
    return np.where(order > 1.0, np.maximum(value * (1.0 - _ROOM) - _ROOM * abs(math.log(rate)), 0.0), 0.0)


def _discrete_below(step: DiscreteGaussianStep, order: FloatArray, remove: bool) -> FloatArray:
    """r^t >= q^t e^{tu} for t > 1: the divergence of the step that is not sampled, and t log q / (t - 1)."""
    if step.two_sided or not remove:
        return np.zeros_like(order)
    whole = discrete_gaussian_divergence(step.sigma, step.shift, order)[0]
    lost = math.log(step.rate) * order / np.where(order > 1.0, order - 1.0, 1.0)
    return np.where(order > 1.0, np.maximum((whole + lost) * (1.0 - _ROOM) + _ROOM * lost, 0.0), 0.0)
