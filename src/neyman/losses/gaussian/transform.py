"""The transform A(w) = E_{x ~ N(0, s^2)}[r(x)^w], r(x) = 1 - q + q e^{(2x - 1)/(2 s^2)}, of one Poisson-sampled
Gaussian step.

r = dP/dQ for P = (1-q) N(0, s^2) + q N(1, s^2) and Q = N(0, s^2). The cumulant of the privacy loss is log A(z + 1) in
the direction "remove" (P against Q) and log A(-z) in the direction "add" (Q against P): one transform serves both.

Everything rests on A(w) - 1, never on A(w): after T steps the answer holds T log1p(A - 1), and T may be 10^8.

The law is cut where the tilted law is negligible, at most ``LIMIT`` standard deviations out. The mass beyond is not
forgotten: the engine adds it to the upper bound as if it were revealed. Without the cut, the moments of a rare
sampled step explode long before the tilt reaches the losses that matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.centred import on_axis_centred
from neyman.losses.gaussian.growth import CLEAR, LINES, growth_at_most, step_at_least
from neyman.losses.gaussian.halved import halved
from neyman.losses.gaussian.kept import kept
from neyman.losses.gaussian.shifted_bound import log_lines, log_on_wall, log_shifted_bound, log_sums, losses_at, nodes
from neyman.losses.readings.tilted import VALLEY, Grid, by_kinds, excess, last_valley, tilted_moments
from neyman.losses.readings.transform import ComplexArray, Moments, Transform, logged
from neyman.losses.sampling import mixed, mixed_at, mixed_lines, mixed_turned, wavering
from neyman.numerics.rounding import AMPLE, LARGEST_EXPONENT, UNIT
from neyman.numerics.sums.fourier_sum import sum_units, turned_sum

__all__ = ["LIMIT", "ComplexArray", "Moments", "SamplingTransform", "log_ratio"]

LIMIT = 38.5  # standard deviations; the mass beyond is below the smallest positive float
_SLIGHT, _ALL = 6.0, 0.98  # e-folds of growth, and the share of the step that none would allow, not worth a look
FINE, _COARSE = 0.08, 0.4  # standard deviations: a grid finer than this is worth an effort to avoid, or none at all
FEW_LINES = LINES[1::3]  # of these, where nothing turns: the grid serves one point, and costs what a line costs
WALL = np.geomspace(0.005, 8.0, 90)  # the same, for the wall where a law ends
FAN, NEAR = np.geomspace(2e-3, 1.0, 7), np.array([0.6, 0.8, 1.0, 1.25, 1.6])  # of a ceiling, of a slope: shifts tried
# points of a grid for one tilt, of usually hundreds; entries of a matrix product for which BLAS starts no threads
_MOST, _CHUNK = 1 << 18, 1 << 13
_BRIEF = 1500.0  # root of nodes, over a step in deviations: up to there a finer grid costs less than a look for others
_FELT = 40.0, 48.0  # margins between which its rounding is felt: of more steps ``on_axis_centred`` has hardly any
DEVIATIONS = 12.0  # certifies: of the noise, beyond which a tilted density has fallen by e^-72
MARGIN, AIMED, SPAN = 42.0, 40.0, 24.0  # e-folds from moments, and transforms, to their errors; deviations of a grid
SMOOTH, ROUGH, _WORTH = 0.177, 0.212, 0.6  # 1/sqrt(bend): coarsest steps of sums and of guesses; a step worth a shift
LOOK, WIDE = 0.85, 10.0  # of pi s^2, where r may vanish, for looks; deviations at most
BELOW, LEAST = 0.999, 1e-3  # certifies: share of a slope that rounding leaves; the least fall along a wall


def log_ratio(x: Any, sigma: float, rate: float) -> Any:
    """log(1 - q + q e^t), t = (2x - 1)/(2 sigma^2), as accurate as ``mixed``; complex x: |Im x| < pi sigma^2."""
    return mixed((2.0 * x - 1.0) / (2.0 * sigma * sigma), rate)


@dataclass(frozen=True)
class SamplingTransform(Transform):
    """A(w) of one step with noise multiplier ``sigma`` and Poisson rate ``rate`` in (0, 1)."""

    sigma: float
    rate: float

    @property
    def breadth(self) -> float:
        return self.sigma

    def largest(self, remove: bool) -> float:
        """The losses of "add" end at -log(1 - rate)."""
        return math.inf if remove else -math.log1p(-self.rate)

    def log_ratio(self, z: Any) -> Any:
        """The loss at z, to relative accuracy; complex z must lie in |Im z| < pi sigma^2."""
        return log_ratio(z, self.sigma, self.rate)

    def lifted(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """log |r| and arg r at x + iy, one row for each y, and how far they may be off."""
        return mixed_lines((2.0 * x - 1.0) / (2.0 * self.sigma**2), y / self.sigma**2, self.rate)

    @property
    def bend(self) -> float:
        """b of the growth e^{b y^2} of the density, at most, from the real axis to Im x = y."""
        return 0.5 / self.sigma**2

    @property
    def limit(self) -> float:
        """The grid ends here at the latest."""
        return LIMIT * self.sigma + 1.0

    @property
    def tame(self) -> float:
        """The w up to which the tilted law has died where the grid ends."""
        return LIMIT * self.sigma

    @property
    def missing(self) -> float:
        """1 - A(0): 0 for a law that is whole."""
        return 0.0

    def log_density(self, x: Any) -> Any:
        """Log density of N(0, sigma^2)."""
        return -0.5 * (x / self.sigma) ** 2 - math.log(self.sigma * math.sqrt(2.0 * math.pi))

    def log_modulus(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Log of a bound on the modulus of the density at x + iy, one row for each y."""
        return self.log_density(x) + 0.5 * (y[..., None] / self.sigma) ** 2

    def log_lost(self, cut: FloatArray) -> FloatArray:
        """Log of a bound on the mass that either law has beyond ``cut``."""
        u = (cut - 1.0) / self.sigma
        return np.where(u > 1.0, -0.5 * u * u, 0.0)

    def moments(self, w: FloatArray, margin: float = MARGIN) -> Moments:
        """log A(w), its first and second derivative, for real w (1-d), by one trapezoid, or where that is much work by
        one for each kind of w: a tilt so steep that its grid would have more than ``_MOST`` points is out of reach.
        """
        return by_kinds(w, lambda some: self._grid(some, margin), lambda some, grid: self._together(some, grid, margin))

    def _together(self, w: FloatArray, grid: Grid, margin: float) -> Moments:
        """The same by one ``grid`` for all w that it can hold."""
        if not grid.points > _MOST:
            x = nodes(grid.low, grid.top, grid.step)
            loss, density = self.log_ratio(x), self.log_density(x)
            return Moments(*tilted_moments(w, x, grid.step, loss, density, (self.tame, self.missing), _CHUNK))
        out, held = Moments(*(np.full(len(w), np.nan) for _ in range(4))), np.ones(len(w), dtype=np.bool_)
        while grid.points > _MOST:
            held &= w != self._hardest(w[held])
            if not held.any():
                return out
            grid = self._grid(w[held], margin)
        out.put(held, self._together(w[held], grid, margin))
        return out

    def _grid(self, w: FloatArray, margin: float) -> Grid:
        """One grid for all of these tilts."""
        enough = SMOOTH / math.sqrt(self.bend)
        step = self._step(self._hardest(w), 0.0, margin, 0.0, enough=enough)
        return Grid(min(step, enough), *self.ends(float(np.abs(w).max()), float(w.max()), self.limit))

    def _hardest(self, w: FloatArray) -> float:
        """The tilt under which the integrand grows fastest off the real axis."""
        return float(w.min())

    def on_line(self, w: float, omega: FloatArray, cut: float, margin: float) -> tuple[ComplexArray, FloatArray]:
        """log A(w + i omega) at ``omega`` >= 0 (1-d, ascending), with a bound on the error of each A, relative to the
        one that is returned; what rounds its logarithm comes besides (``LOGGED``).

        ``margin``: how many e-folds below A(w) the quadrature error must lie. Small omega are integrated along the real
        axis; for large omega the axis is moved to x + iy, where r^w is damped by e^{-omega arg r}.
        """
        shift, reach = min(self.sigma**2, 1.5 * self.sigma), float(omega[-1])
        if reach == 0.0:
            return self._on_axis(w, omega, cut, margin, 0.0)
        if (step := step_at_least(self, w, reach, margin)) > _COARSE * self.sigma:
            return self._on_axis(w, omega, cut, margin, 0.0, step)
        step = self._step(w, reach, margin, 0.0, cut)
        brief = math.sqrt(len(omega)) * self.sigma <= _BRIEF * step and not _FELT[0] < margin < _FELT[1]
        if step < FINE * self.sigma and not brief and self._way_down(w, cut, shift) < -margin:
            shifted = self._step(w, 0.0, margin, shift, cut)
            reach, step = halved(lambda some: self._step(w, some, margin, 0.0, cut), reach, step, _WORTH * shifted)
        if not omega[-1] > reach:
            return self._on_axis(w, omega, cut, margin, 0.0, step)
        split = int(omega.searchsorted(reach, side="right"))
        parts = [self._on_axis(w, omega[:split], cut, margin, 0.0, step)] if split else []
        parts.append(self._on_axis(w, omega[split:], cut, margin, shift))
        return np.concatenate([a for a, _ in parts]), np.concatenate([e for _, e in parts])

    def _way_down(self, w: float, cut: float, shift: float) -> float:
        """For w < 0, where 1 <= A(w): log of about what the way back from the shifted axis costs at the end of the law.
        There |r| may be below 1, which many powers of it make huge. Elsewhere it is nothing worth a look.
        """
        if w >= 0.0:
            return -math.inf
        return self.log_wall(w, self.ends(-w, w, cut)[1], 2.0 * shift) + self.bend * shift * shift

    def terms(self, w: float, omega: float, most: float = 0.0) -> float:
        """Grid points ``on_line`` needs a node up to ``omega``, about; no more, where these are below ``most``."""
        enough = SPAN * self.sigma / most if most > 0.0 else math.inf
        if not (step := step_at_least(self, w, omega, AIMED)) > enough:
            step = self._step(w, omega, AIMED, 0.0, enough=enough)
        if step < min(FINE * self.sigma, enough):
            step = max(step, self._step(w, 0.0, AIMED, min(self.sigma**2, 1.5 * self.sigma)))
        return SPAN * self.sigma / step

    def log_estimate(
        self, w: FloatArray, omega: FloatArray, slope: FloatArray, cut: float
    ) -> tuple[FloatArray, FloatArray]:
        """The bound but for its quadrature, and the shift of the axis."""
        for widely in (False, True):
            near, heights = self._estimates(w, omega, slope, cut, widely)
            best = np.argmin(near, axis=1)[:, None]
            if ((best > 0) & (best < len(NEAR) - 1)).all():  # it lies between these
                break
        return np.take_along_axis(near, best, axis=1)[:, 0], np.take_along_axis(heights, best, axis=1)[:, 0]

    def certified(
        self, w: float, omega: float, cut: float, estimate: tuple[float, float], size: float = math.inf
    ) -> float:
        return log_shifted_bound(self, w, omega, estimate[1], cut, estimate[0], size)

    def log_bound(self, w: FloatArray, omega: FloatArray, slope: FloatArray, cut: float) -> FloatArray:
        """Upper bounds on log |A(w + i omega')|, of the law cut at ``cut``, for EVERY omega' >= omega (all 1-d,
        paired).

        |A(w + i omega)| <= e^{y^2/(2 s^2)} E[|r(x + iy)|^w e^{-omega arg r(x + iy)}] for any 0 < y < pi s^2, and the
        right side falls with omega because arg r > 0. ``slope`` guesses the best y / omega; the best of a fan of y is
        taken, and its quadrature is bounded (``shifted_bound``).
        """
        looks = np.array(self.log_estimate(w, omega, slope, cut)).T.tolist()
        asked = zip(w.tolist(), omega.tolist(), looks, strict=True)
        return np.array([self.certified(a, b, cut, (near, shift)) for a, b, (near, shift) in asked])

    def _estimates(
        self, w: FloatArray, omega: FloatArray, slope: FloatArray, cut: float, widely: bool
    ) -> tuple[FloatArray, FloatArray]:
        """Nearly those bounds, one row for each w, for some y near omega ``slope`` or, ``widely``, a fan; and the y."""
        sigma = self.sigma
        # short of pi s^2, where r has a zero that a grid could miss
        ceiling = min(LOOK * math.pi * sigma**2, WIDE * sigma)
        fan = np.broadcast_to(FAN * ceiling, (len(w), len(FAN)))
        near = (omega * slope)[:, None] * NEAR
        y = np.minimum(np.concatenate([near, fan], axis=1) if widely else near, ceiling)
        step = min(ROUGH / math.sqrt(self.bend), 0.25 * sigma**2)
        x = nodes(*self.ends(float(np.max(np.abs(w))), float(np.max(w)), cut), step)
        size, phase, _ = losses_at(self, x, y.ravel(), float(np.max(np.abs(w) + omega)))
        log_density, shape = self.log_modulus(x, y), (*y.shape, len(x))
        log_term = log_density + w[:, None, None] * size.reshape(shape) - omega[:, None, None] * phase.reshape(shape)
        total = log_sums(log_term) + math.log(step)
        # the short way back to the real axis at the end of the law
        end = np.log(y) + log_density[..., -1] + np.maximum(w, 0.0)[:, None] * float(self.log_ratio(x[-1]))
        return np.logaddexp(total, end), y

    def log_envelope(self, x: Any) -> Any:
        """The density, or more, that rises as ``rates`` say."""
        return self.log_density(x)

    def log_smooth(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """``log_modulus``, as a sum of terms that bend by 2 ``bend`` at most."""
        return self.log_modulus(x, y)

    def shrinks(self, w: float) -> float:
        """How many factors of the tilted density shrink by up to cos(y/(2 s^2)) where they divide."""
        return max(-w, 0.0)

    def turning(self, size: float, low: float, top: float) -> float:
        """Bound on the modulus of ``size`` times p (1 - p), p = q e^t / r, in units of 1/cos^2(Im t / 2)."""
        return size * self._wavering_up_to(top)

    def _wavering_up_to(self, x: float) -> float:
        """p (1 - p) at most, on the real axis up to there: p rises."""
        p = self._chance(x)
        return p * (1.0 - p) if p < 0.5 else 0.25

    def turning_at(self, x: FloatArray, size: float) -> FloatArray:
        """The same for each real part."""
        return size * self._wavering(x)

    def _wavering(self, x: FloatArray) -> FloatArray:
        """p (1 - p)."""
        return wavering((2.0 * x - 1.0) / (2.0 * self.sigma**2), self.rate)

    def grown(self, w: float, x: float, y: FloatArray) -> FloatArray:
        """Logs of bounds on what |r^w| is at x' + iy beside its real value, for all x' <= x."""
        return -w * self._shrunk(x, y, -1.0) if w < 0.0 else np.zeros(len(y))

    def _shrunk(self, x: float, y: FloatArray, side: float) -> FloatArray:
        """-log |r| / r: 1 - |r|^2/r^2 is 4 p (1 - p) sin^2(Im t / 2), largest where p = 1/2."""
        if side * (self._odds(x) - math.log1p(-self.rate)) < 0.0:
            return -np.log(np.cos(0.5 * y / self.sigma**2))
        if len(y) == 1:
            return np.array([self.mixed_at(x, 0.0)[0] - self.mixed_at(x, float(y[0]))[0] if y[0] > 0.0 else 0.0])
        return np.where(y > 0.0, self.mixed_at(x, 0.0)[0] - self._mixed_each(x, y)[0], 0.0)

    def rates(self, w: float, first: float, last: float) -> tuple[float, float]:
        """How fast the log of the tilted density rises up to the first place and falls from the last on, at least.

        The slope of w log r is w p/s^2, and p rises from 0 to 1.
        """
        back = -w * self._chance(first) if w < 0.0 else 0.0
        return (-first - back) / self.sigma**2, (last - max(w, 0.0)) / self.sigma**2

    def _chance(self, x: float) -> float:
        """p = q e^t / r(x), from above."""
        return math.exp(min(self._odds(x) - self.mixed_at(x, 0.0)[0] + AMPLE, 0.0))

    def _odds(self, x: float) -> float:
        """t + log q."""
        return (2.0 * x - 1.0) / (2.0 * self.sigma**2) + math.log(self.rate)

    def mixed_at(self, x: float, y: float) -> tuple[float, float]:
        """``log_ratio`` of one side at x + iy, in its parts."""
        return mixed_at((2.0 * x - 1.0) / (2.0 * self.sigma**2), y / self.sigma**2, self.rate)

    def _mixed_each(self, x: float, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The same at many heights."""
        return mixed_turned((2.0 * x - 1.0) / (2.0 * self.sigma**2), y / self.sigma**2, self.rate)

    def log_loss(self, x: float) -> float:
        """``log_ratio`` at one real place."""
        return self.mixed_at(x, 0.0)[0]

    def log_wall(self, w: float, x: float, y: float) -> float:
        """Log of a bound on the modulus of the tilted density at x + iu, 0 <= u <= y, but for e^{bend u^2} and what
        turning adds: |r| falls with u.
        """
        return float(self.log_density(x)) + max(w * self.mixed_at(x, 0.0)[0], w * self.mixed_at(x, y)[0])

    def turned(self, x: float, y: FloatArray) -> FloatArray:
        """arg r grows with x."""
        return self._mixed_each(x, y)[1]

    def climb(self, x: float, y: float) -> float:
        """a with arg r(x + iu) >= a u for all 0 <= u <= y: arg(1 + rho e^{iu}) is convex in u for rho > 1, else
        concave.
        """
        return min(BELOW * self._chance(x) / self.sigma**2, BELOW * self.mixed_at(x, y)[1] / y)

    def _on_axis(
        self, w: float, omega: FloatArray, cut: float, margin: float, shift: float, step: float | None = None
    ) -> tuple[ComplexArray, FloatArray]:
        """The quadrature along Im x = shift, scaled by e^-scale so that nothing overflows; ``step``, where it is known
        already: what serves a frequency serves those below it.
        """
        if step is None:
            step = self._step(w, float(omega[-1]), margin, shift, cut, LINES if omega[-1] > 0.0 else FEW_LINES)
        low, top = self.ends(abs(w), w, cut)
        if not (top - low) / step < _MOST:  # nothing is known there
            return np.zeros(len(omega), complex), np.full(len(omega), np.inf)
        own = type(self) is SamplingTransform and cut == math.inf and not shift  # of other laws E_Q[r - 1] is not 0
        if own and (found := on_axis_centred(self, w, omega, margin, (low, top, step))):
            return found
        x = nodes(low, top, step)
        z = x + 1j * shift if shift else x
        loss, log_p = self.log_ratio(z), self.log_density(z) + math.log(step)
        a = w * loss
        log_tilted = log_p + a
        scale = float(np.maximum.reduce(log_tilted.real, initial=0.0))
        large = scale > 1.0
        tilted = np.exp(log_tilted - scale if large else log_tilted)
        base = 0.0 if large else complex(np.add.reduce(excess(log_p, a))) - self.missing
        still = not large and omega[-1] == 0.0  # what does not turn is no more than base
        value = np.full(len(omega), base) if still else turned_sum(omega, loss, tilted, one=large) + base
        size, untilted = np.abs(tilted) if shift else tilted, 0.0 if large else float(np.exp(log_p.real) @ np.abs(a))
        spread, whole = float(size @ np.abs(loss)), max(float(np.add.reduce(size)), 1.0)
        # alias of the grid, and the end of the law in a valley
        quadrature = (3.0 * math.exp(-margin) + 2.0 * math.exp(-VALLEY)) * whole
        if shift:  # and the way down from the axis
            wall = self.log_wall(w, float(x[-1]) + 0.5 * step, 2.0 * shift) + self.bend * shift * shift
            quadrature += 2.0 * shift * math.exp(min(wall - (scale if large else 0.0), LARGEST_EXPONENT))
        rest = untilted + self.missing + (whole if large else 0.0)
        rounding = sum_units(len(x)) * UNIT * ((omega + abs(w)) * spread + rest)
        return logged(value, rounding + quadrature, scale if large else 0.0, not large)

    def ends(self, reach: float, w: float, cut: float) -> tuple[float, float]:
        """Where grids for tilts up to ``w``, in modulus up to ``reach``, begin and end."""
        low = -min(LIMIT * self.sigma, DEVIATIONS * self.sigma + reach * self.rate)
        return low, min(cut, self.limit, DEVIATIONS * self.sigma + 1.0 + max(0.0, w))

    @kept
    def _step(
        self, w: float, omega: float, margin: float, shift: float, cut: float = math.inf, lines: FloatArray = LINES,
        enough: float = math.inf,
    ) -> float:  # fmt: skip
        """Grid step whose alias lies ``margin`` e-folds below A(w): from the modulus of the integrand on parallel
        lines, at which nobody looks where that is ``enough`` without. Where ``growth_at_most`` suffices, its log less
        2 pi y / step is convex along the end wall, 0 at the foot and -margin at the top: the wall adds less than its
        foot times y / margin to either side.
        """
        s2 = self.sigma**2
        ceiling = CLEAR * math.pi * s2
        if shift > 0.0:
            # between the real axis, where the modulus is at most that at w, and twice the shift, where arg r > 0 damps
            y = np.array([min(2.0 * shift, ceiling)])
            growth = growth_at_most(self, w, 0.0, y)
            if growth[0] > _SLIGHT:
                growth = np.minimum(growth, self._growth(w, 0.0, y, cut)[0])
            return 2.0 * math.pi * min(shift, ceiling - shift) / (float(growth[0]) + margin)
        y = np.minimum(self.sigma * lines, ceiling)
        growth = growth_at_most(self, w, omega, y)
        step = float(np.maximum.reduce(2.0 * math.pi * y / (growth + margin)))
        if step > min(FINE * math.sqrt(0.5 / self.bend), enough, _ALL * 2.0 * math.pi * float(y[-1]) / margin):
            return step
        # where q is small, arg r and |r| hardly move: look
        looked, end, base = self._growth(w, omega, y, cut)
        growth = np.minimum(growth, looked)
        # the strip ends with the law; on its end wall, too, the integrand must fall behind e^{2 pi y / step}
        high = np.minimum(self.sigma * WALL, ceiling)
        allowed = 2.0 * math.pi * high / np.maximum(log_on_wall(self, w, omega, end, high) - base + margin + 3.0, LEAST)
        walls = np.minimum.accumulate(allowed)[np.maximum(high.searchsorted(y, side="right") - 1, 0)]
        return max(step, float(np.minimum(2.0 * math.pi * y / (growth + margin), walls).max()))

    def _growth(self, w: float, omega: float, y: FloatArray, cut: float) -> tuple[FloatArray, float, float]:
        """Log of a bound on int phi(x + iy) |r(x + iy)|^w e^{omega arg r(x + iy)} dx over A(w), at least 0; where the
        law ends; and log A(w), from below.
        """
        top = self.ends(abs(w), w, min(cut, self.limit))[1]
        # the modulus of the real law is cut in the same valley for every y
        most, least, end = log_lines(self, w, omega, y, top, None if math.isfinite(cut) else last_valley)
        return np.maximum(most - least, 0.0), end, least
