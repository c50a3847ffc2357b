"""|A(w + i omega')| for EVERY omega' >= omega, from above, by a sum along a shifted axis and all that the sum misses.

F(z) = D(z) r(z)^{w + i omega'} is analytic for 0 <= Im z < pi s^2, and there, with b = ``bend`` and n = ``shrinks``,

    |D(x + iv)| |r(x + iv)|^w <= e^{b v^2} cos(v / 2s^2)^-n G(x),     G = D r^w on the real axis,     arg r >= 0.

Let the law end at X, and take the nodes x_k = X - (k + 1/2) h. By residues, for any 0 < y < y + v < pi s^2,

    A(w + i omega') = h sum F(x_k + iy) + int_{Im z = 0} F k - int_{Im z = y + v} F k + int_{X + i[0, y + v]} F k,

k being at most 1/(e^{2 pi y/h} - 1) and 1/(e^{2 pi v/h} - 1) on the two lines and 1/(1 + e^{2 pi (u - y)/h}) at X + iu.

*Absolute form.* The sum is at most h sum |F(x_k + iy)| at omega, since arg r >= 0; so is its bound at every omega'. The
lower line adds A(w)/(e^{2 pi y/h} - 1), the upper e^{b (y+v)^2} cos^-n A(w)/(e^{2 pi v/h} - 1). Nothing has to be known
but A(w), and that within a factor of two.

*Relative form.* |A| <= int |F(x + iy)| dx at omega. The modulus is itself analytic there: it goes on as the geometric
mean of F above and below the line, of modulus at most |F(x + iy)| e^{M v^2/2}, where M bounds |(log F)''| in the strip:

    M = 2b + |w + i omega| / (4 s^4 cos^2((y + v)/2s^2)),        since (log r)'' = p (1 - p)/s^4, |p (1 - p)| <= that.

So its sum misses at most 2 e^{M v^2/2}/(e^{2 pi v/h} - 1) of the whole, and 2 |F(X + iy)| v/(2 pi v/h - M v^2/2) at X:
the exponent is convex in v. Where D is a sum of such terms (``log_smooth``), this holds of each.

The coarser grid that suffices is taken. What both forms need besides: the way down at X, where arg r(X + iu) >= a u, as
it is concave or convex in u: at most e^{b y^2} G(X) min(y, 1/(omega a)); the nodes left out below the first, where G
rises at a known rate; and what the law has beyond X, where G falls at one.

A(w) itself: both lines at distance v of the real axis, A <= (h sum G + ends) / (1 - 2 e^{b v^2 - 2 pi v/h} cos^-n).
Where n is large and p small, cos^-n says too little: (1 - 4 p (1 - p) sin^2(v / 2s^2))^(-n/2) says it of every x where
p < 1/2 up to X; or the line is bounded cell by cell (``log_lines``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.strip import Strip
from neyman.numerics.functions.few import largest
from neyman.numerics.functions.grids import evenly
from neyman.numerics.rounding import COMPLEX, LARGEST_EXPONENT, UNIT

__all__ = ["log_lines", "log_on_wall", "log_shifted_bound", "log_size", "log_sums", "losses_at", "nodes"]

DEEP = 32.0  # e-folds below the bound of what its sum may miss: of 10^11 steps, 1e-3
SHARES = np.geomspace(0.02, 1.0, 10)  # of the way to where r may vanish: widths of a strip
_FAR = 3.0, 5.0, 8.0  # 1/sqrt(bend): the same where that is far
BENT = np.array(_FAR)
ROOM = 0.98  # of the same
WIDEST = 0.3  # 1/sqrt(bend): no wider grid is worth its walls
_GOOD = 0.5  # of that: a grid that wide is taken without asking how large A(w) is
_MOST = 1 << 16  # nodes of a sum
_FAINT = 1e-280  # certifies: of a sum of terms beside the largest, more than what underflow takes of 2^60 of them
LOOK = 0.18  # 1/sqrt(bend), times min(s, 1): grid on which a line is bounded cell by cell
_LONG = 3000.0  # nodes from which it is worth a look how much less than cos^-n a line grows
BELOW_MEAN = 24.0  # certifies: of a parabola over a cell about its middle, beside its bend times the square of the cell
ROUNDED = (8.0 + COMPLEX) * UNIT  # of one exponent, beside its parts
_VAGUE = 1e-3  # e-folds by which real arithmetic may be off: beyond, losses are asked for to their own digits
_COARSE = 0.2  # 1/sqrt(bend): grid on which log A(w) is bounded from above


def log_sums(log_term: FloatArray) -> FloatArray:
    """log of the sum of e^log_term along the last axis."""
    peak = np.maximum.reduce(log_term, axis=-1)
    return peak + np.log(np.add.reduce(np.exp(log_term - peak[..., None]), axis=-1))


def nodes(low: float, top: float, step: float) -> FloatArray:
    """Middles of cells of width ``step`` from ``top`` down to ``low`` or just below."""
    count = math.ceil((top - low) / step)
    return top - step * np.arange(count - 0.5, 0.0, -1.0)


def _nodes_and_end(low: float, top: float, step: float) -> FloatArray:
    """These, and ``top`` itself."""
    down = np.arange(math.ceil((top - low) / step) - 0.5, -1.0, -1.0)  # the last of which is -1/2
    down[-1] = 0.0
    down *= step
    return np.subtract(top, down, out=down)


def log_size(law: Strip, w: float, cut: float) -> float:
    """log A(w) for real w, of the law that ends at ``cut``, from above; inf where nothing is known."""
    s2, (low, top) = law.sigma**2, law.ends(abs(w), w, cut)
    coarse = min(_COARSE / math.sqrt(law.bend), 0.25 * s2)
    fine = min(coarse, _COARSE / math.sqrt(law.bend + 0.5 * law.turning(law.shrinks(w), low, top) / s2**2))
    found = math.inf
    if (top - low) / fine > _LONG:
        found = _log_size(law, w, cut, 0.5 * coarse, looked=True)
    return found if found < math.inf else _log_size(law, w, cut, fine, looked=False)


def _log_size(law: Strip, w: float, cut: float, step: float, looked: bool) -> float:
    s2, (low, top) = law.sigma**2, law.ends(abs(w), w, cut)
    if not (top - low) / step < _MOST:
        return math.inf
    x = _nodes_and_end(low, top, step)
    loss = law.log_ratio(x)
    log_term = law.log_density(x) + w * loss
    total = _summed(law, x, 0.0, log_term, abs(w) * np.abs(loss)) + math.log(step)
    v = _widths(law, ROOM * math.pi * s2)
    turns = 2.0 * math.pi * v / step
    if looked:
        grown = np.maximum(log_lines(law, w, 0.0, v, top)[0] - total, law.bend * v**2)
    else:
        grown = law.bend * v**2 + _grown(law, w, top, v)
    best = int(np.argmax(turns - grown))
    fall = float(turns[best] - grown[best])
    if not fall > 2.0:
        return math.inf
    # beside the end, |F| <= e^{b u^2} of ``log_wall``
    wall = law.log_wall(w, top, float(v[best])) + math.log(2.0 * float(v[best]) / fall)
    found = _log_add(total, wall, _log_beyond(law, w, float(x[0]), top, cut, 0.0))
    return found - math.log1p(-2.0 * math.exp(-fall) / -math.expm1(-float(turns[best])))


def log_lines(
    law: Strip,
    w: float,
    omega: float,
    y: FloatArray,
    top: float,
    valley: Callable[[FloatArray, FloatArray], int] | None = None,
    low: float = math.inf,
) -> tuple[FloatArray, float, float]:
    """Logs of bounds from above on int |F(x + iy)| dx, x < ``top``, where F has w - i ``omega`` (>= 0), one for each
    y; of one from below where y = 0; and the end, brought forward to where ``valley`` says. The grid begins at ``low``,
    or before.

    No quadrature: on a cell of width h, with -(log |F|)'' <= M, log |F| lies at most M h^2/8 above its chord, and the
    exponential of a chord integrates to at most the mean of its ends. From below, log |F| lies above a parabola through
    each node, whose mean over the cell around it is M h^2/24 below it (Jensen).
    """
    s2 = law.sigma**2
    step = LOOK / math.sqrt(law.bend) * min(1.0, law.sigma)
    low = min(law.ends(abs(w), w, top)[0], low)
    count = max(2, math.ceil((top - low) / step))
    x, step = evenly(low, top, count + 1), (top - low) / count
    lines = np.concatenate([[0.0], y])
    size, phase, off = losses_at(law, x, lines, abs(w) + omega)
    log_term = law.log_smooth(x, lines) + w * size + omega * phase
    steepest = 1.0 / (s2 * np.cos(0.5 * lines / s2)) ** 2  # p (1 - p) grows by e^{h/s^2} in a cell at most
    turning = law.turning_at(x, math.hypot(w, omega)) * math.exp(min(step / s2, LARGEST_EXPONENT))
    curve = step**2 * (2.0 * law.bend + steepest[:, None] * turning)
    if valley is not None:
        last = valley(log_term[0], x) + 1
        x, log_term, curve = x[:last], log_term[:, :last], curve[:, :last]
    first = float(x[0])
    rise, _ = law.rates(w, first, top)
    start = float(law.log_envelope(first) + w * law.log_loss(first)) - math.log(rise) if rise > 0.0 else math.inf
    before = start + law.bend * lines * lines + law.grown(w, first, lines)
    if omega > 0.0:
        before += omega * law.turned(first, lines)
    most = np.logaddexp(log_sums(log_term + 0.125 * curve) + math.log(step), before)
    least = float(log_sums((log_term[0] - curve[0] / BELOW_MEAN)[1:-1])) + math.log(step)
    return most[1:] + off, least - off, float(x[-1])


def losses_at(law: Strip, x: FloatArray, y: FloatArray, steep: float) -> tuple[FloatArray, FloatArray, float]:
    """Real and imaginary parts of losses at x + iy, one row for each y, and by how many e-folds ``steep`` tilts of both
    may be off.
    """
    size, phase, off = law.lifted(x, y)
    off = float(off) * steep
    if not off < _VAGUE:  # of a rare step losses are nearly nothing, and tilts the larger
        loss, off = law.log_ratio(x + 1j * y[:, None]), 0.0
        size, phase = loss.real, loss.imag
    return size, phase, off


def log_on_wall(law: Strip, w: float, omega: float, x: float, high: FloatArray) -> FloatArray:
    """Log of a bound on u times |F(x + iu)|, from each of ``high`` up to the next, F as above.

    Between two heights d apart its log lies at most M d^2/8 above the larger, M as for lines.
    """
    s2, above = law.sigma**2, np.concatenate([high[1:], high[-1:]])
    loss = law.log_ratio(x + 1j * high)
    size = law.log_smooth(np.array([x]), high)[:, 0] + w * loss.real + omega * loss.imag
    turning = float(law.turning_at(np.array([x]), math.hypot(w, omega))[0])
    curve = 2.0 * law.bend + turning / (s2 * np.cos(0.5 * above / s2)) ** 2
    return np.maximum(size, np.concatenate([size[1:], size[-1:]])) + 0.125 * curve * (above - high) ** 2 + np.log(above)


def log_shifted_bound(
    law: Strip, w: float, omega: float, y: float, cut: float, near: float, size: float = math.inf
) -> float:
    """Log of a bound on |A(w + i omega')| of the law that ends at ``cut``, for every omega' >= ``omega`` > 0.

    Parameters
    ----------
    w, omega : float
        Where.
    y : float
        By how much the axis is shifted, 0 < y <= 0.85 pi s^2: any is sound.
    cut : float
        The end of the law (inf: none).
    near : float
        About what the bound will be: that many e-folds below A(w) the absolute form must be exact. Any is sound.
    size : float
        No less than log A(w), and hardly more, where that is known.
    """
    grid = _grid(law, w, omega, y, cut, (near, size))
    size, low, top = grid.size, *law.ends(abs(w), w, cut)
    if not (top - low) / grid.step < _MOST:
        return size
    x = _nodes_and_end(low, top, grid.step)
    loss = law.log_ratio(x + 1j * y)
    modulus = (law.log_smooth if grid.relative else law.log_modulus)(x, np.array([y]))[0]
    log_term = modulus + w * loss.real - omega * loss.imag
    tilted = ((abs(w) + omega) / math.cos(0.5 * y / law.sigma**2)) * np.abs(loss)
    total = _summed(law, x, y, log_term, tilted) + math.log(grid.step)
    turns, up = 2.0 * math.pi * grid.width / grid.step, law.bend * y * y
    slope = omega * law.climb(top, y + grid.width)
    down = law.log_wall(w, top, y) + up + math.log(min(y, 1.0 / slope) if slope > 0.0 else y)
    beyond = _log_beyond(law, w, float(x[0]), top, cut, y)
    if grid.relative:
        missed = 2.0 * math.exp(grid.grown - _log_expm1(turns))  # of the integral: the sum and the ends are the rest
        wall = float(log_term[-1]) + math.log(2.0 * grid.width / (turns - grid.grown))
        return min(size, _log_add(total, down, wall, beyond) - math.log1p(-missed)) if missed < 1.0 else size
    edges = _log_add(-_log_expm1(2.0 * math.pi * y / grid.step), grid.grown - _log_expm1(turns)) + size
    # e^{b u^2 - 2 pi (u - y)/h} from y on
    steep = 2.0 * math.pi / grid.step - (2.0 * y + grid.width) * law.bend
    wall = law.log_wall(w, top, y + grid.width) + up - slope * y - math.log(steep)
    return min(size, _log_add(total, edges, down, wall, beyond))


class _Grid(NamedTuple):
    """A grid along the shifted axis: its form and spacing, the width of its strip, by how many e-folds the integrand
    may have grown at the far edge, and log A(w) where that is needed.
    """

    relative: bool
    step: float
    width: float
    grown: float
    size: float


def _grid(law: Strip, w: float, omega: float, y: float, cut: float, known: tuple[float, float]) -> _Grid:
    """The widest that is good enough; ``known`` are about what the bound will be, and log A(w)."""
    s2, bend, shrinks = law.sigma**2, law.bend, law.shrinks(w)
    low, top = law.ends(abs(w), w, cut)
    widest = WIDEST / math.sqrt(bend)
    turning = 0.5 * law.turning(math.hypot(w, omega), low, top)
    if (grid := _bent(law, turning, y, widest)) is not None:
        return grid
    v = _widths(law, ROOM * math.pi * s2 - y)
    cosine = np.cos(0.5 * (y + v) / s2)
    bent = (bend + turning / (s2 * cosine) ** 2) * v**2
    steps = 2.0 * math.pi * v / (DEEP + bent)
    (near, size), best = known, int(steps.argmax())
    if not steps[best] >= _GOOD * widest:
        size = size if size < math.inf else log_size(law, w, cut)
        depth = DEEP + min(max(size - near, 0.0), LARGEST_EXPONENT)
        most = 2.0 * math.pi * y / depth
        grown = bend * (y + v) ** 2 + _grown(law, w, top, y + v)
        wide = 2.0 * math.pi * v / (depth + grown)
        if shrinks > 0.0 and wide.max() < _GOOD * min(most, widest):
            looks = log_lines(law, w, 0.0, y + v, top)[0] - size
            grown = np.minimum(grown, np.maximum(looks, bend * (y + v) ** 2))
            wide = 2.0 * math.pi * v / (depth + grown)
        place = int(wide.argmax())
        if size < math.inf and min(float(wide[place]), most) > steps[best]:
            return _Grid(False, min(float(wide[place]), most, widest), float(v[place]), float(grown[place]), size)
    return _Grid(True, min(float(steps[best]), widest), float(v[best]), float(bent[best]), size)


def _bent(law: Strip, turning: float, y: float, widest: float) -> _Grid | None:
    """That of the relative form, if strips as wide as the density bends allow one that is good enough."""
    s2, bend, best = law.sigma**2, law.bend, _Grid(True, 0.0, 0.0, 0.0, math.inf)
    for far in _FAR:
        v = far / math.sqrt(bend)
        if not v < ROOM * math.pi * s2 - y:
            break
        grown = (bend + turning / (s2 * math.cos(0.5 * (y + v) / s2)) ** 2) * v**2
        step = 2.0 * math.pi * v / (DEEP + grown)
        if step > best.step:
            best = _Grid(True, min(step, widest), v, grown, math.inf)
    return best if best.step >= _GOOD * widest else None


def _widths(law: Strip, most: float) -> FloatArray:
    """Widths of strips to choose from: shares of the most, and some at which e^{b v^2} is worth its while."""
    return np.concatenate([most * SHARES, np.minimum(most, BENT / math.sqrt(law.bend))])


def _grown(law: Strip, w: float, top: float, v: FloatArray) -> FloatArray:
    """Logs of bounds on what |F| is at x + iv beside e^{b v^2} G(x), up to ``top``: cos^-n at most, less where p is
    small up to there.
    """
    most = -law.shrinks(w) * np.log(np.cos(0.5 * v / law.sigma**2))
    return np.minimum(most, law.grown(w, top, v))


def _log_beyond(law: Strip, w: float, first: float, top: float, cut: float, y: float) -> float:
    """Log of a bound on the nodes before the first, and on what the law has between ``top`` and ``cut``."""
    rise, fall = law.rates(w, first, top)
    if not rise > 0.0:
        return math.inf
    grown = law.bend * y * y + float(law.grown(w, first, np.array([y]))[0])
    before = float(law.log_envelope(first) + w * law.log_loss(first)) + grown - math.log(rise)
    if top >= min(cut, law.limit):
        return before
    if not fall > 0.0:
        return math.inf
    return _log_add(before, float(law.log_envelope(top) + w * law.log_loss(top)) - math.log(fall))


def _summed(law: Strip, x: FloatArray, y: float, log_term: FloatArray, tilted: FloatArray) -> float:
    """Log of the sum over all places but the last, and of what rounding does: to each exponent, ``ROUNDED`` of its
    parts.
    """
    peak = largest(log_term)
    weight = np.exp(log_term - peak)[:-1]
    parts = 1.0 + (0.5 / law.sigma**2) * (x * x) + np.abs(log_term) + tilted
    whole = float(np.add.reduce(weight))
    if not whole > _FAINT:  # beside the last, none is a float with all its digits
        return peak + math.log(2.0 * _FAINT) + ROUNDED * (largest(parts) + law.bend * y * y) + len(x) * UNIT
    off = float(weight @ parts[:-1]) / whole + law.bend * y * y
    return peak + math.log(whole) + ROUNDED * off + len(x) * UNIT


def _log_expm1(x: float) -> float:
    return x + math.log(-math.expm1(-x))


def _log_add(*logs: float) -> float:
    """log of a sum."""
    top = max(logs)
    if not math.isfinite(top):
        return top
    return top + math.log(math.fsum(math.exp(each - top) for each in logs))
