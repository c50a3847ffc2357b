"""E (S - K)_+ for K > t in float64, with an error that is small beside itself: to the left of 0 nothing cancels.

phi is analytic but for a cut along the negative axis. The line of e^{sK} phi^t / s^2 may be moved across the pole at 0,
which takes K - t off, to Re s = -r_0, if it goes round the cut: with s = -r_0 + iy, on the upper side,

    E (S - K)_+  =  (1 / pi) Re int_0^inf e^{sK} phi(s)^t / s^2 dy
                    + (1 / pi) int_0^{r_0} e^{-rK} Im(-phi(-r + i0)^t) / r^2 dr.

The first is what many Y do together, the second (cut.py) what single large ones do.

**Proof.** For c > 0, (1 / 2 pi i) int over Re s = c is E (K - S)_+ = E (S - K)_+ + K - t. In the upper half plane the
line is moved to Re s = -r_0, down to the cut and along it to 0; in the lower one all is the conjugate. Round 0, on
either side of the cut, phi(s)^t = 1 - ts + O(s^2), as E Y^2 is finite: a small circle there gives K - t. What joins the
lines far away vanishes: |phi| is bounded there and 1 / s^2 falls.

**The line** is cut into panels, of ellipses (rule.py) that reach B < r_0 across: there e^{-K Re p} |phi|^t is at most
what it is at one of Re p = r_0 -+ B (excess.py). Beyond the last panel, as E Y^k g(Y) = E Y^k E g(Y e^{k / sigma^2}),
each term of the power series of e^{r_0 Y} has a transform of at most E Y^k r_0^k / k! times the largest |phi(iy)|
from there on, and |phi| is at most A times that and what the series misses at r_0. Where no line is laid it adds at
most e^{-r_0 K} m^t / (2 r_0), m as on the cut.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.losses.allocated.left.cut import Cut, edge, gathered, largest, panel
from neyman.losses.allocated.left.excess import Above, above, excess, series
from neyman.losses.allocated.left.jump import foot
from neyman.losses.allocated.left.rule import ACROSS, ALONG, GAUSS, gauss_error
from neyman.losses.allocated.lines.transform import RealTable, real_table
from neyman.numerics.rounding import AMPLE, LARGEST_EXPONENT, ROOM, UNIT

__all__ = ["PANELS", "UNKNOWN", "Call", "Left", "left"]

_GROWTH = 6.0  # nats by which an integrand may be larger on an ellipse than on its line
PANELS = 64  # of a line
_NATS = 34.0  # -log of what may be left out
_HEIGHTS = 0.7 * 0.75 ** np.arange(24)  # B over r_0
_NEAREST = 1.0 + 1e-12  # K / t at least
_LARGEST = 1e250  # K
_FARTHEST = 300.0  # r (K - t) at most
_SHARP = 1e-9  # relative errors with which no other r_0 is tried, of _TRIED
_TRIED = 4  # of r_0, for each K: steers
_NOTHING = 1e-13  # of the part along the cut: what no line is laid for
_MOST_KEPT = 1 << 12  # K
_PLANS = 16.0  # of a plan in log(K / t - 1)
_WIDEST = 44.0  # what is looked at of log r
_TERM, _NODE, _SUMMED = 320.0, 40.0, 64.0  # certify, units: of a term, of sK in its exponent, of a sum of panels
_LARGE = 600.0  # log of what is a float, and beyond every r
_INSIDE = 0.95  # of the largest r that has an x_0
_STEEP = 1.5  # sigma x_0 where the cut may begin
_ROOT = 1.0 + 1e-9  # sigma x_0 from which the bound before a panel is taken: steers
_NONE = np.zeros(1)  # of a cut that has no panel

Points = NDArray[np.complex128]
_Ends = tuple[FloatArray, FloatArray]


class _Line(NamedTuple):
    """Nodes on Re s = -r_0: s, weights in y, log phi, |phi - 1|, the error of log phi; panels."""

    s: Points
    weight: FloatArray
    log: Points
    size: FloatArray
    off: FloatArray
    centre: FloatArray
    half: float


class Call(NamedTuple):
    """E (S - K)_+, a bound on its error, about -K times its derivative; what of the error is left out, and nodes."""

    value: float
    error: float
    fall: float
    left_out: float = 0.0
    nodes: int = 0

    @property
    def sharp(self) -> bool:
        """Whether nothing else need be asked."""
        return self.error <= _SHARP * self.value


UNKNOWN = Call(0.0, math.inf, math.nan)  # an error of inf: nothing rests on it


class Left:
    """That of ``t`` copies of Y at noise ``sigma``."""

    def __init__(self, sigma: float, t: int) -> None:
        self._sigma, self._t = sigma, t
        self._lines: dict[tuple[int, int], _Line] = {}
        self._known: dict[tuple[float, int], Call] = {}
        self._plans: dict[int, tuple[int, int]] = {}
        self._cuts: dict[tuple[int, int], Cut] = {}
        self._bounds: dict[tuple[int, bool], Above] = {}
        self._heights: dict[int, tuple[_Ends, Above]] = {}
        self._moduli: dict[int, FloatArray] = {}

    @property
    def _table(self) -> RealTable:
        return real_table(self._sigma)

    def call(self, k: float, panels: int = PANELS) -> Call:
        """What is known at K: of some ways of going round the cut the best, with lines of so many ``panels``."""
        if not self._t * _NEAREST < k < _LARGEST:
            return UNKNOWN
        if (k, panels) not in self._known:
            if len(self._known) > _MOST_KEPT:
                self._known.clear()
            with np.errstate(all="ignore"):  # what is no number has no finite error, and is not taken
                self._known[k, panels] = self._called(k, panels)
        return self._known[k, panels]

    def _called(self, k: float, panels: int) -> Call:
        first, last = self._planned(k)
        best = UNKNOWN
        for one in range(last, max(last - _TRIED, first - 1), -1):
            found = self._whole(first, one, k, panels)
            if found.error < best.error and math.isfinite(found.value):
                best = found
            if best.sharp:
                break
        return best

    def _whole(self, first: int, last: int, k: float, panels: int = PANELS) -> Call:
        none = _NONE, _NONE, 0.0
        value, error, fall = self._cut(first, last).shown(k, self._t, panel(self._sigma)) if first < last else none
        whole, off = float(np.sum(value)), float(np.sum(error)) + _SUMMED * UNIT * float(np.sum(np.abs(value)))
        before, line = self._before(first, k), self._along(last, k, _NOTHING * whole, panels)
        error = (off + before + line.error) * (1.0 + AMPLE)
        return Call(whole + line.value, error, fall + line.fall, before + line.left_out, np.size(value) + line.nodes)

    def _at(self, i: int, inner: bool = False) -> Above:
        """Bounds where |p| is at most, or else is, the r at which panel i begins, and arg p is 0 or turns away."""
        if (i, inner) not in self._bounds:
            r, zero = np.array([edge(self._sigma, i)]), np.zeros(1)
            least = zero if inner else r
            self._bounds[i, inner] = above(self._sigma, (least, r), (least, r), zero)
        return self._bounds[i, inner]

    def _cut(self, first: int, last: int) -> Cut:
        if (first, last) not in self._cuts:
            self._cuts[first, last] = gathered(self._sigma, first, last)
        return self._cuts[first, last]

    def _planned(self, k: float) -> tuple[int, int]:
        """The panels of K, those of another near it."""
        near = round(_PLANS * math.log(k / self._t - 1.0))
        if near not in self._plans:
            self._plans[near] = self._panels(k)
        return self._plans[near]

    def _panels(self, k: float) -> tuple[int, int]:
        """Which count: up to where e^{-rK} m^t / r is least, from where nothing has been added."""
        sigma, t = self._sigma, self._t
        end = min(_FARTHEST / (k - t), _INSIDE * sigma**2 * math.exp(min(0.5 / sigma**2 - 1.0, _LARGE)))
        length = panel(sigma)
        highest = math.floor(math.log(end) / length)
        i = np.arange(highest - math.ceil(_WIDEST / length), highest + 1)
        r = np.exp(length * i)
        bound = above(sigma, (r, r), (r, r), np.zeros_like(r))
        size = largest((r, r), k, t, bound) - np.log(r)
        with np.errstate(over="ignore"):
            added = size + np.minimum(math.log(t) + bound.jump, 0.0)
        top = int(np.argmin(np.nan_to_num(size, nan=np.inf)))
        far = np.flatnonzero(size[: top + 1] <= np.max(added[: top + 1]) - _NATS)
        top = min(top, int(far[0])) if len(far) else top
        whole = max(float(np.max(added[: top + 1])), float(size[top]))
        begun = (added > whole - _NATS) | (foot(sigma, r) * sigma < _STEEP)
        start = int(np.argmax(begun)) if begun.any() else top
        return int(i[max(min(start, top) - 1, 0)]), int(i[top])

    def _before(self, first: int, k: float) -> float:
        """At least what the cut adds up to the panel ``first``."""
        sigma, t, r = self._sigma, self._t, np.array([edge(self._sigma, first)])
        x = foot(sigma, r)
        if not sigma * x[0] > _ROOT:
            return math.inf
        bound = self._at(first, inner=True)
        power = float(largest((np.zeros_like(r), r), k, t, bound)[0]) - float(bound.least[0])
        log = power + math.log(t / math.pi) + float(bound.jump[0]) - math.log(r[0])
        return math.exp(min(log, LARGEST_EXPONENT)) / (sigma * float(x[0]) - 1.0) * (1.0 + AMPLE)

    def _along(self, last: int, k: float, enough: float, panels: int = PANELS) -> Call:
        """What the line at panel ``last`` adds."""
        t, r = self._t, edge(self._sigma, last)
        bound = self._at(last)
        at = np.array([r])
        level = float(largest((at, at), k, t, bound)[0])
        crude = math.exp(min(level, LARGEST_EXPONENT)) / (2.0 * r) * (1.0 + AMPLE)
        if crude <= enough:
            return Call(0.0, crude, 0.0, crude)
        height, most = self._height(last, k, level)
        line = self._line(last, height, k, level, panels)
        if line is None:
            return Call(0.0, crude, 0.0, crude)
        s, log = line.s, line.log
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            power = s * k + t * log
            term = line.weight * np.exp(power) / (s * s)
            rounded = UNIT * (_TERM + _NODE * np.abs(s) * k + 16.0 * t * (np.abs(log) + line.size))
            off = float(np.sum(np.abs(term) * np.expm1(t * line.off + rounded)))
            nearest = np.hypot(r * (1.0 - _HEIGHTS[height]), np.maximum(line.centre - line.half * ALONG, 0.0))
            off += float(np.sum(gauss_error(line.half, np.exp(most) / nearest**2)))
        y, left = self._beyond(last, k)
        end = 2.0 * line.half * len(line.centre) * (1.0 - ROOM)
        cut = float(left[np.searchsorted(y, end, side="right") - 1])
        off += cut
        value = float(np.sum(term.real)) / math.pi
        if not off / math.pi < crude:  # not a number, or too much
            return Call(0.0, crude, 0.0, crude)
        fall = -k * float(np.sum((s * term).real)) / math.pi
        return Call(value, off / math.pi * (1.0 + AMPLE), fall, cut / math.pi, len(s))

    def _height(self, last: int, k: float, level: float) -> tuple[int, float]:
        """Which of the heights of ellipses has bounds that are not much above the line's, and log of its bound."""
        if last not in self._heights:
            self._heights[last] = self._ellipses(edge(self._sigma, last))
        rho, bound = self._heights[last]
        most = largest(rho, k, self._t, bound)
        good = np.flatnonzero(most <= level + _GROWTH)
        best = int(good[0]) if len(good) else len(most) - 1
        return best, float(most[best])

    def _ellipses(self, r: float) -> tuple[_Ends, Above]:
        """What is true on those of each height."""
        b = r * _HEIGHTS
        beside = 1.0 / ACROSS * (ALONG - 1.0) * b  # by which an ellipse is beyond the end of its panel
        near, far = (r - b) * (1.0 - ROOM), (r + b) * (1.0 + ROOM)
        theta = np.arctan2(beside, near) * (1.0 + ROOM)
        return (near, far), above(self._sigma, (near, far), (near, np.hypot(far, beside)), theta)

    def _beyond(self, last: int, k: float) -> tuple[FloatArray, FloatArray]:
        """Some y, and what is left beyond each at most, times pi."""
        t, y, r = self._t, self._table.s, edge(self._sigma, last)
        if last not in self._moduli:
            grown, more = float(self._at(last).grown[0][0]), float(series(self._sigma, np.array([r + 0j])).error[0])
            self._moduli[last] = grown + np.logaddexp(self._table.beside, math.log(more) - grown) + ROOM
        log = self._moduli[last]
        with np.errstate(under="ignore", over="ignore"):
            most = np.exp(np.minimum(-r * k + t * log + ROOM * (r * k + t * np.abs(log)) + AMPLE, LARGEST_EXPONENT))
            cells = most * np.append(1.0 / y[:-1] - 1.0 / y[1:], 1.0 / y[-1])
        return y, np.cumsum(cells[::-1])[::-1] * (1.0 + AMPLE)

    def _line(self, last: int, height: int, k: float, level: float, most: int) -> _Line | None:
        """The line with its nodes, kept."""
        r = edge(self._sigma, last)
        y, left = self._beyond(last, k)
        small = np.flatnonzero(left <= math.exp(max(level - _NATS, -LARGEST_EXPONENT)) / r)
        half = r * float(_HEIGHTS[height]) / ACROSS
        panels = math.ceil(y[small[0]] / (2.0 * half)) if len(small) else most + 1
        if panels > most or y[0] > 2.0 * half * panels:
            return None
        known = self._lines.get((last, height))
        if known is None or len(known.centre) < panels:
            known = self._lines[last, height] = self._laid(r, half, panels)
        return known

    def _laid(self, r: float, half: float, panels: int) -> _Line:
        centre = half * (2.0 * np.arange(panels) + 1.0)
        y = (centre[:, None] + half * GAUSS[0]).ravel()
        p = np.asarray(r - 1j * y, dtype=np.complex128)
        found = excess(self._sigma, p, r)
        x, z, modulus = found.value.real, found.value.imag, np.abs(1.0 + found.value)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            log = 0.5 * np.log1p(2.0 * x + x * x + z * z) + 1j * np.arctan2(z, 1.0 + x)
            size = np.abs(found.value) * (2.0 + np.abs(found.value)) / (modulus * modulus)
            off = found.error / (modulus - found.error) * (1.0 + AMPLE)
        off = np.where((modulus > 2.0 * found.error) & np.isfinite(log), off, np.inf)
        weight = np.broadcast_to(half * GAUSS[1], (panels, len(GAUSS[1]))).ravel()
        return _Line(-p, weight, log, size, off, centre, half)


@lru_cache(maxsize=16)
def left(sigma: float, t: int) -> Left:
    """One for all who ask."""
    return Left(sigma, t)
