"""One sampled Gaussian step with an exchanged record: its law on the plane of losses, paths, and what floats err.

The formulas are those of ``exchanged``. **Rounding** is counted in units u = 2^-53, function by function; every number
below is at least twice what 20,000 points show against balls (``tests/losses/test_exchanged_bounds.py``). 1/kappa = q
/ (1 - q) e^{-1/(2 sigma^2)} errs by 8 + 1/sigma^2 units, log kappa by at most 6 of its three terms, a node by half a
unit of eta. From there on an error of an argument counts by the derivative at the node:

- zeta = 2 h: d log h / d log sinh = tanh(h)/h, at most 1.1; d log sinh(v) / dv = coth v, eta |coth v| <= 1 + eta.
- L: dL/dzeta = 1 + i tan(chi) zeta/root; what is added to zeta errs by 22 units of itself.
- H = asinh(kappa sinh(L/2)): by tanh H times the relative error of its argument.
- log(g dL/dv): L is known but for a relative error of ``lengths``, which moves log g by |L d(log g)/dL| as much. As a
  float g itself errs by sigma^2 |X| times the error of X, of the log of a slope by tanh H times that of H, and by a
  unit for each addition. log kappa is in no sum that counts: log(h' (1 + G)) = log(cosh v / cosh h) + log(G / kappa) +
  log(1 + 1/G).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.functions.log1p import log1p
from neyman.numerics.rounding import COMPLEX, ELEMENTARY, LARGEST_EXPONENT, UNIT

__all__ = ["ExchangedPath", "Places", "PlaneLaw", "Seen"]

# certifying, relative, in units of 2^-53: of complex numbers in the sectors of these paths [seen]
SINH, ASINH, LOG1P = 8.0, 10.0, 20.0  # [2.8], [3.9], [7.9]
_LARGE = 1e8  # from which asinh E is log 2E: 1/(4 E^2) is below a hundredth of a unit of 19
_LEAST = 4.0  # kappa from which the path stays clear of the branch points of the root: ``exchanged``
_WIDEST, _SECTOR = 0.35, 0.7  # of chi and of chi + tilt, radians: the same
_WRAPPED = -0.5  # real part of z above which log1p(z) is known
_MOST = 1e290  # kappa is a float, and so is what it is multiplied by
_FAR, _BEYOND = 40.0, 20.0  # Re v from which sinh v is e^v/2, and its log beside log kappa from which h is that: e^-40
# certifying, in units, to the end
_LOGS = 60.0  # two log1p of exponentials, |1/(1 + e^z)| <= 0.66, moduli up to 0.82: 2 (8 + 20 0.82) = 48.8
_INNER = 40.0  # exp(12) and log1p of 1/G or of e^{-X}/kappa, with their own additions
_TANH, _LATE, _ADDITIONS = (
    1.2,
    80.0,
    5.0,
)  # |tanh H| where |sinh H| >= 2, the functions of H there, additions to log kappa
_PRINCIPAL = 1.05  # |tanh H| near the imaginary axis, beside what it is at the float
_TURNED, _BEND = 22.0, 50.0  # i tan(chi) zeta^2 / (root + 1); the log of the bend and what it is made of
_FLAT, _CONCAVE = 1.1, 1.01  # |tanh(h)/h| and |tanh h| at most, |Im h| <= pi/4
_HALF = 0.55  # |tanh(zeta/2)| / 2
_ROUNDED = 1e-9  # relative: more than these counts err by themselves


@dataclass(frozen=True)
class Seen:
    """The law at some losses: X, H, G, the log of g but for (1 + G)/2, log((1 + G) / kappa), and what each errs by."""

    loss: ComplexArray
    place: ComplexArray
    height: ComplexArray
    ratio: FloatArray  # |G|
    one_more: FloatArray  # |1 + G|
    log_part: ComplexArray
    log_slope: ComplexArray
    units: FloatArray  # of log_part + log_slope, for the loss as it is
    steepness: FloatArray  # |d(log g)/dL|, at most


@dataclass(frozen=True)
class PlaneLaw:
    """log g as a function of L, Re L >= 0 ("g" as in ``exchanged``).

    Raises
    ------
    ArithmeticError
        If kappa is less than 4 or no float.
    """

    sigma: float
    rate: float

    def __post_init__(self) -> None:
        if not _LEAST <= math.exp(min(self.log_kappa, LARGEST_EXPONENT)) < _MOST:
            raise ArithmeticError("the path does not fit")

    @cached_property
    def log_kappa(self) -> float:
        return math.log1p(-self.rate) - math.log(self.rate) + 0.5 / self.sigma / self.sigma

    @cached_property
    def off_log_kappa(self) -> float:
        """What ``log_kappa`` errs by, in units."""
        logs = abs(math.log1p(-self.rate)) + abs(math.log(self.rate))
        return (ELEMENTARY + 2.0) * logs + 2.0 / self.sigma / self.sigma

    @cached_property
    def scale(self) -> float:
        """1 / kappa."""
        return self.rate / (1.0 - self.rate) * math.exp(-0.5 / self.sigma / self.sigma)

    @cached_property
    def off_scale(self) -> float:
        """What ``scale`` errs by, relatively, in units."""
        return 8.0 + 1.0 / self.sigma / self.sigma

    @cached_property
    def log_unit(self) -> float:
        return math.log(self.sigma / math.sqrt(2.0 * math.pi))

    def at(self, loss: ComplexArray) -> Seen:
        log_kappa, s2 = self.log_kappa, self.sigma * self.sigma
        height, off_height = self._height(loss)
        place = 0.5 * loss + height
        x, length, h = np.abs(place), np.abs(loss), np.abs(height)
        off_place = off_height + x
        with np.errstate(under="ignore"):
            below = np.exp(-place - log_kappa)
            ends = np.exp(-loss), np.exp(-2.0 * height)
            log_ratio = 0.5 * loss - height + log1p(ends[0]) - log1p(ends[1])  # log(G / kappa)
            inverse = np.exp(-log_ratio - log_kappa)  # 1 / G
            ratio = np.exp(log_ratio.real + log_kappa)
        if not min(float(np.real(z).min()) for z in (below, *ends, inverse)) > _WRAPPED:
            raise ArithmeticError("the path turns too far")
        one_more = ratio * np.abs(1.0 + inverse)
        log_rest = math.log1p(-self.rate)
        log_part = 0.5 * loss + log1p(below) + log_rest - 0.5 * (self.sigma * place) ** 2
        tanh = np.abs((1.0 - ends[1]) / (1.0 + ends[1]))
        off_ratio = tanh * off_height + 3.0 * (length + h) + _LOGS
        off_slope = (
            off_ratio + LOG1P + (_INNER + off_ratio + self.off_log_kappa + 2.0 * (h + abs(log_kappa))) / one_more
        )
        off_mixed = 4.0 * abs(log_rest) + 1.5 * np.abs(below) * (
            _INNER + off_place + self.off_log_kappa + x + abs(log_kappa)
        )
        units = s2 * x * (off_place + 3.0 * x) + off_mixed + off_slope
        units = units + 4.0 * (0.5 * s2 * x * x + length + h + abs(log_rest) + 2.0)
        tangent, sech2 = _bends(loss)
        steep = 0.5 * (1.0 + ratio) * (s2 * x + 1.5 * np.abs(below)) + 0.5
        steep = steep + 0.5 * (ratio * tangent) * (ratio * sech2) * (ratio / one_more)
        return Seen(
            loss, place, height, ratio, one_more, log_part, log_ratio + log1p(inverse), units, steep * (1.0 + _ROUNDED)
        )

    def _height(self, loss: ComplexArray) -> tuple[ComplexArray, FloatArray]:
        """asinh(kappa sinh(loss / 2)), and what it errs by absolutely, in units; analytic in Re loss > 0, where its
        principal value is not.
        """
        near = loss.real < 1.0
        short = np.where(near, 0.5 * loss, 0.25)
        argument = np.sinh(short) / self.scale
        size = np.abs(argument)
        large = size > _LARGE
        small = np.arcsinh(np.where(large, 1.0, argument))
        late = np.log(2.0 * np.where(large, size, 1.0)) + 1j * np.angle(argument)
        first = np.where(large, late, small)
        turned = SINH + self.off_scale + 3.0
        off = np.where(large, ELEMENTARY, ASINH) * np.abs(first) + 16.0 * large
        with np.errstate(over="ignore", invalid="ignore"):
            tanh = np.where(large, 1.0, np.abs(np.tanh(np.where(large, 1.0, small))))
        off = off + _PRINCIPAL * tanh * turned
        far = np.where(near, 1.0 + 0.0j, loss)
        with np.errstate(under="ignore"):
            power = self.log_kappa + 0.5 * far + log1p(-np.exp(-far)) - math.log(2.0)
            beyond = power + np.log(1.0 + np.sqrt(1.0 + np.exp(-2.0 * power)))
        rough = _TANH * (self.off_log_kappa + _ADDITIONS * np.abs(power)) + _LATE
        return np.where(near, first, beyond), np.where(near, off, rough)


@dataclass(frozen=True)
class Places:
    """Places v = eta + iy on a path or beside it, and all that is known of L and of g there."""

    v: ComplexArray
    zeta: ComplexArray
    root: ComplexArray
    bend: ComplexArray  # dL/dzeta
    log_speed: ComplexArray  # log(dzeta/dv kappa / 2)
    seen: Seen
    log_density: ComplexArray  # log(g dL/dv)
    units: FloatArray  # what it errs by
    lengths: FloatArray  # what L errs by, relatively


@dataclass(frozen=True)
class ExchangedPath:
    """The paths of angle ``chi`` through the plane of losses."""

    law: PlaneLaw
    chi: float

    @staticmethod
    def fits(chi: float, tilt: float) -> bool:
        """Whether the path and all that lie within ``tilt`` of it are where the law is known."""
        return 0.0 <= chi <= _WIDEST and chi + tilt <= _SECTOR and (tilt <= chi or chi == 0.0)

    def at(self, v: ComplexArray) -> Places:
        """Re v >= 0."""
        law, turn = self.law, math.tan(self.chi)
        half, off = self._soft(v)
        zeta = 2.0 * half
        square = zeta * zeta
        root = np.sqrt(1.0 + square)
        beside = 1j * turn * square / (root + 1.0)
        loss = zeta + beside
        bend = 1.0 + 1j * turn * zeta / root
        seen = law.at(loss)
        length, size = np.abs(loss), np.abs(zeta)
        with np.errstate(invalid="ignore", divide="ignore"):
            lengths = np.where(length > 0.0, (np.abs(bend) * size * off + _TURNED * np.abs(beside)) / length, off) + 1.0
        log_speed = v - half + log1p(np.exp(-2.0 * v)) - log1p(np.exp(-zeta))  # log(cosh v / cosh h)
        log_density = log_speed + seen.log_slope + np.log(bend) + (law.log_unit + seen.log_part)
        eta = np.abs(v)
        off_speed = 4.0 * (eta + size) + _HALF * size * off + _LOGS
        bent = np.abs(turn * zeta / (root**3 * bend)) * off + _BEND
        units = seen.units + seen.steepness * length * lengths + off_speed + bent + 4.0 * abs(law.log_unit)
        units = units + 3.0 * (np.abs(log_density) + np.abs(log_speed) + 2.0)
        return Places(v, zeta, root, bend, log_speed, seen, log_density, units * (1.0 + _ROUNDED), lengths)

    def _soft(self, v: ComplexArray) -> tuple[ComplexArray, FloatArray]:
        """asinh(sinh(v) / kappa) for Re v >= 0, and what it errs by, relatively."""
        law, log_kappa = self.law, self.law.log_kappa
        far = v.real > _FAR
        with np.errstate(under="ignore"):
            near = np.arcsinh(np.sinh(np.where(far, 1.0, v)) * law.scale)
            power = np.where(far, v, _FAR) - log_kappa
            beyond = power.real > _BEYOND
            late = np.where(beyond, power, np.arcsinh(0.5 * np.exp(np.where(beyond, 0.0, power))))
        eta, half = np.abs(v), np.where(far, late, near)
        first = SINH + 4.0 + eta + law.off_scale
        rough = COMPLEX + 4.0 + eta + np.abs(power) + law.off_log_kappa
        with np.errstate(divide="ignore"):
            share = np.minimum(_FLAT, _CONCAVE / np.abs(half))  # |tanh(h)/h|
        return half, ASINH + share * np.where(far, rough, first)


def _bends(loss: ComplexArray) -> tuple[FloatArray, FloatArray]:
    """|tanh(L/2)| and |1 / cosh(L/2)^2|, without overflow."""
    with np.errstate(under="ignore"):
        e = np.exp(-loss)
    return np.abs((1.0 - e) / (1.0 + e)), np.abs(4.0 * e / (1.0 + e) ** 2)


def bends(seen: Seen) -> tuple[FloatArray, FloatArray, FloatArray]:
    """|tanh(L/2)|, |1 / cosh(L/2)^2| and |1 / cosh(H)^2|."""
    return *_bends(seen.loss), _bends(2.0 * seen.height)[1]


def rounded(log_modulus: FloatArray, units: FloatArray) -> FloatArray:
    """A log rounded up by that many units."""
    return log_modulus + UNIT * (units + 8.0)
