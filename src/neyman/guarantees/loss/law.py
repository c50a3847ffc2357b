"""The law of the privacy loss under one of the two output laws."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from neyman._errors import InvalidParameter
from neyman._remade import Remade
from neyman._validate import FloatArray, numbers, reals, seeded, whole
from neyman.guarantees.loss.bounds import Bounds, shaped
from neyman.guarantees.loss.jumps import Jump, jumps
from neyman.guarantees.loss.moments import Decay, moment
from neyman.guarantees.loss.quantiles import quantiles, upper_quantiles
from neyman.guarantees.loss.table import DrawError, Table
from neyman.guarantees.loss.tails import tails
from neyman.numerics.rounding import UNIT
from neyman.profiles.effort import Effort, question
from neyman.profiles.pair import Pair

__all__ = ["LossLaw"]

_FAR = (1e2, 1e4, 1e8, 1e150, 1e300)  # where a delta that no longer falls is looked for
_MOST_DRAWS = 10**9  # draws at most
_INTERVAL = "two numbers, or arrays of numbers, the first no larger than the second"
_SHARP = 1e-9  # relative width of a mean that is known otherwise, at which no integral is asked


class LossLaw(Remade):
    """The law of L = log dP/dQ under P, or under Q: every answer a certified bracket, ``ny.Bounds(lower, upper)``.

    Made by ``g.loss.under_p`` and ``g.loss.under_q``. All is read from delta(eps): the law of L under P is that of the
    losses with the record, where the pair is that of "remove". L is +inf under P, and -inf under Q, with the mass
    ``infinite``. Methods take a number and return floats, or an array and return arrays.

    Notes
    -----
    P(L > eps) = delta(eps) - delta'(eps) and Q(L > eps) = -e^-eps delta'(eps) at the right derivative. Secants of delta
    on either side enclose the derivative, for delta is convex in e^eps: a profile that is known to a relative w gives a
    cdf within about sqrt(w), 1e-6 where w is 1e-12; less where delta is straight. At a jump of the cdf, and within
    about sqrt(w) of the law's spread of it, the bracket holds both sides of the jump.
    """

    def __init__(
        self, pair: Pair, under: str, effort: Effort, decay: Decay, mean: Callable[[], Bounds | None] = lambda: None
    ) -> None:
        self.under = under
        self.effort = effort
        # under Q it is the law of -L of the reversed pair, under the P of that one
        self._pair = pair if under == "P" else pair.reversed
        self._decay = decay
        self._known_mean = mean

    @question
    def cdf(self, x: Any) -> Bounds:
        """Bounds on the chance that L <= x, and that L < x, at any real x.

        Parameters
        ----------
        x : float or array
            Not NaN; at inf and -inf the limits, which infinite losses leave below 1 and above 0.

        Raises
        ------
        InvalidParameter
            If ``x`` is no number.

        Examples
        --------
        >>> import neyman as ny
        >>> found = ny.GDP(1.0).loss.under_p.cdf(0.5)  # the median of N(1/2, 1)
        >>> found.lower <= 0.5 <= found.upper, found.width < 1e-6
        (True, True)
        """
        return self._probability(x, below=True)

    @question
    def survival(self, x: Any) -> Bounds:
        """Bounds on the chance that L > x, and that L >= x, at any real x: sharp where that is small, unlike 1 - cdf.

        They bound that of this law alone. Of a promise they are none for the mechanisms that keep it: P(L > x) is not
        ordered by privacy (RandomizedResponse(1) keeps GDP(1.24), yet P(L > 0.99) is 0.731, and 0.429 of the promise).

        Parameters
        ----------
        x : float or array
            Not NaN.

        Raises
        ------
        InvalidParameter
            If ``x`` is no number.

        Examples
        --------
        >>> import neyman as ny
        >>> law = ny.account(ny.RandomizedResponse(1.0)).loss.under_p
        >>> law.survival([0.0, 2.0]).upper.round(9).tolist()
        [0.731058579, 0.0]
        """
        return self._probability(x, below=False)

    @question
    def mass(self, low: Any, high: Any) -> Bounds:
        """Bounds on the chance that low <= L <= high.

        Parameters
        ----------
        low, high : float or array
            low <= high; either may be infinite. Arrays are broadcast.

        Raises
        ------
        InvalidParameter
            If they are no numbers in this order, or of shapes that do not go together.

        Examples
        --------
        >>> import neyman as ny
        >>> found = ny.account(ny.RandomizedResponse(1.0)).loss.under_p.mass(0.999, 1.001)
        >>> round(found.lower, 9), round(found.upper, 9)
        (0.731058579, 0.731058579)
        """
        ends = [numbers("low, high", one, _INTERVAL) for one in (low, high)]
        if not _together(ends):
            raise InvalidParameter("low, high", tuple(one.shape for one in ends), "of shapes that go together")
        first, last = np.broadcast_arrays(*ends)
        if not bool(np.all(first <= last)):
            i = int(np.argmin((first <= last).ravel()))
            raise InvalidParameter("low, high", (float(first.flat[i]), float(last.flat[i])), _INTERVAL)
        own = (first.ravel(), last.ravel()) if self.under == "P" else (-last.ravel(), -first.ravel())
        return shaped(*self._between(*own), first)

    def _between(self, first: FloatArray, last: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Bounds on the chance that the pair's own loss is in each [first, last] (1-d)."""
        ends = np.concatenate([first, last])
        finite, out = np.isfinite(ends), np.zeros((4, ends.size))
        if finite.any():
            out[:, finite] = tails(self._pair, ends[finite])
        (begin, end), (above_lower, above_upper, below_lower, below_upper) = np.split(finite, 2), out.reshape(4, 2, -1)
        least = np.maximum(below_lower[1] - below_upper[0], above_lower[0] - above_upper[1])
        most = np.minimum(below_upper[1] - below_lower[0], above_upper[0] - above_lower[1])
        low, high = np.maximum(least - UNIT, 0.0), np.minimum(most + UNIT, 1.0)
        low[~begin & end], high[~begin & end] = below_lower[1, ~begin & end], below_upper[1, ~begin & end]
        low[begin & ~end], high[begin & ~end] = above_lower[0, begin & ~end], above_upper[0, begin & ~end]
        both = ~begin & ~end  # all losses, or the infinite ones alone
        low[both], high[both] = 1.0, 1.0
        if (first == np.inf).any():
            low[first == np.inf], high[first == np.inf] = self.infinite
        low[last == -np.inf], high[last == -np.inf] = 0.0, 0.0
        return low, high

    @question
    def quantile(self, p: Any) -> Bounds:
        """Bounds on the least x with P(L <= x) >= p.

        Parameters
        ----------
        p : float or array
            In (0, 1).

        Returns
        -------
        Bounds
            The lower end is proved to be too small or just right, the upper one to suffice. inf where the loss is
            infinite with a larger chance than 1 - p (under Q: -inf where that chance is at least p).

        Raises
        ------
        InvalidParameter
            If ``p`` is not in (0, 1).

        Examples
        --------
        >>> import neyman as ny
        >>> found = ny.GDP(1.0).loss.under_p.quantile(0.975)  # 1/2 + 1.959964
        >>> found.lower < 2.459964 < found.upper, found.width < 1e-6
        (True, True)
        """
        values = numbers("p", p, "a number, or a non-empty array of numbers, in (0, 1)")
        if not bool(np.all((values > 0.0) & (values < 1.0))):
            wrong = values[~((values > 0.0) & (values < 1.0))].flat[0]
            raise InvalidParameter("p", float(wrong), "a number in (0, 1)", "Of the ends see cdf and infinite.")
        flat = values.ravel()
        if self.under == "P":
            low, high = quantiles(self._pair, flat)
        else:  # the loss of the reversed pair is M = -L, and L <= x where M >= -x
            last = upper_quantiles(self._pair, flat)
            low, high = -last[1], -last[0]
        return shaped(low, high, values)

    @cached_property
    @question
    def infinite(self) -> Bounds:
        """Bounds on the chance of an infinite loss, +inf under P and -inf under Q: what then comes out tells all."""
        one = self._pair.forward
        if math.isfinite(one.tail_mu) or (one.revealed == 0.0 and self._decay()):
            return Bounds(0.0, 0.0)
        places = np.array([*(x for x in (one.end,) if math.isfinite(x)), *_FAR])
        return Bounds(one.revealed, max(float(np.min(one.bracket(places).upper)), one.revealed))

    @cached_property
    @question
    def jumps(self) -> tuple[Jump, ...]:
        """Losses that happen with a chance of their own, by rising loss.

        Each is a ``Jump(low, high, mass)``: the certified chance of a loss between two places that are 2e-6 of the
        law's width apart. Listed are those of at least 1e-5 where the profile knows of them (discrete and straight
        laws, the ends of losses, 0 where two directions meet); infinite losses are ``infinite``. Not to be listed is no
        promise: of composed laws with jumps and a density, as ``Laplace(1) ** 2``, those between the ends may be left
        out, or have wide brackets.

        Examples
        --------
        >>> import neyman as ny
        >>> law = ny.account(ny.RandomizedResponse(1.0) ** 2).loss.under_p
        >>> [(round(0.5 * (j.low + j.high), 6), round(j.mass.middle, 6)) for j in law.jumps]
        [(-2.0, 0.072329), (0.0, 0.393224), (2.0, 0.534447)]
        """
        found = jumps(self._pair)
        return found if self.under == "P" else tuple(Jump(-j.high, -j.low, j.mass) for j in reversed(found))

    @cached_property
    def mean(self) -> Bounds:
        """Bounds on the mean: KL(P || Q) under P, -KL(Q || P) under Q; infinite where infinite losses happen.

        An end is infinite, too, where the profile does not rule that out.

        Examples
        --------
        >>> import neyman as ny
        >>> m = ny.account(ny.Laplace(1.0)).loss.under_p.mean  # e^-1
        >>> round(m.lower, 6), round(m.upper, 6)
        (0.367879, 0.367879)
        """
        known = self._known_mean()
        if known is not None and math.isfinite(known.width) and known.width <= _SHARP * abs(known.middle):
            return known
        return self.moment(1)

    @cached_property
    @question
    def variance(self) -> Bounds:
        """Bounds on the variance; inf where the mean is, or may be."""
        mean = self.mean
        if not (math.isfinite(mean.lower) and math.isfinite(mean.upper)):
            return Bounds(0.0 if math.isfinite(mean.lower) or math.isfinite(mean.upper) else math.inf, math.inf)
        centre = mean.middle if self.under == "P" else -mean.middle
        about = moment(self._pair, 2, centre, self._decay)
        off = 0.5 * mean.width * (1.0 + 8.0 * UNIT) + 4.0 * UNIT * abs(centre)
        return Bounds(max(about.lower - off * off * (1.0 + 4.0 * UNIT), 0.0), max(about.upper, 0.0))

    def moment(self, order: int, centre: float = 0.0) -> Bounds:
        """Bounds on E (L - centre)^order.

        Parameters
        ----------
        order : int
            From 1 to 4.
        centre : float
            Finite.

        Returns
        -------
        Bounds
            About 1e-7 wide, relative to the sum of what cancels; infinite where that is so, or cannot be ruled out.

        Raises
        ------
        InvalidParameter
            If an argument lies outside its domain.

        Examples
        --------
        >>> import neyman as ny
        >>> found = ny.GDP(2.0).loss.under_q.moment(2)  # of N(-2, 4)
        >>> round(found.lower, 5), round(found.upper, 5)
        (8.0, 8.0)
        """
        n = whole("order", order, 1, 4)
        about = reals("centre", centre)
        if about.ndim:
            raise InvalidParameter("centre", centre, "a finite number")
        return self._moment(n, float(about))

    @question
    def _moment(self, n: int, centre: float) -> Bounds:
        if self.under == "P":
            found = moment(self._pair, n, centre, self._decay)
        else:  # L = -M
            found = moment(self._pair, n, -centre, self._decay)
            found = -found if n % 2 else found
        return found

    def draw(self, n: int, seed: int | np.random.Generator | None = None) -> FloatArray:
        """Return ``n`` losses, drawn at random.

        Parameters
        ----------
        n : int
            From 1 to 10^9.
        seed : int or numpy.random.Generator, optional
            Of ``numpy.random.default_rng``; without one, fresh from the system.

        Returns
        -------
        ndarray
            Drawn by inversion from a law G that is known exactly: it has the middle of the certified bracket of the cdf
            at up to some thousand places, is straight between them, and has the infinite losses at infinity. How far G
            may be from the law of the loss is certified: ``draw_error``. The places are found once, and together take
            about a tenth of the guarantee's ``effort``: where each is dear there are fewer, and the error is larger.

        Raises
        ------
        InvalidParameter
            If ``n`` is no whole number in this range, or there can be no generator of this seed.

        Examples
        --------
        >>> import neyman as ny
        >>> law = ny.GDP(1.0).loss.under_p
        >>> losses = law.draw(100_000, seed=1)
        >>> bool(abs(losses.mean() - 0.5) < 0.02), law.draw_error.probability < 1e-3
        (True, True)
        """
        count, generator = whole("n", n, 1, _MOST_DRAWS), seeded(seed)
        found = self._table.drawn(generator.random(count))
        return found if self.under == "P" else 0.0 - found

    @property
    def draw_error(self) -> DrawError:
        """How far the law of ``draw`` may be from that of the loss: F(x - shift) - probability <= G(x) <= F(x + shift)
        + probability, certified.

        Examples
        --------
        >>> import neyman as ny
        >>> error = ny.account(ny.RandomizedResponse(1.0)).loss.under_p.draw_error
        >>> error.shift < 1e-5, error.probability < 1e-8
        (True, True)
        """
        return self._table.error

    @cached_property
    def _table(self) -> Table:
        return Table(self._pair, self.effort)

    def _probability(self, x: Any, below: bool) -> Bounds:
        values = numbers("x", x, "a number, or a non-empty array of numbers")
        if bool(np.any(np.isnan(values))):
            raise InvalidParameter("x", math.nan, "a number, or a non-empty array of numbers")
        found = self._at(values.ravel())[0 if below else 1]
        return shaped(found.lower, found.upper, values)

    def _at(self, x: FloatArray) -> tuple[Bounds, Bounds]:
        """Of L <= x and of L > x, each with either side of a jump in its bracket."""
        own = x if self.under == "P" else -x
        finite = np.isfinite(own)
        out = np.zeros((4, x.size))
        out[2:, own == -np.inf] = 1.0
        if finite.any():
            found = tails(self._pair, own[finite])
            out[:, finite] = found.below_lower, found.below_upper, found.above_lower, found.above_upper
        if (own == np.inf).any():  # all but the infinite losses
            low, high = self.infinite
            rest = max(1.0 - high - UNIT, 0.0), min(1.0 - low + UNIT, 1.0)
            out[:, own == np.inf] = np.array([*rest, low, high])[:, None]
        below, above = Bounds(*out[:2]), Bounds(*out[2:])
        return (below, above) if self.under == "P" else (above, below)

    def __repr__(self) -> str:
        return f"<LossLaw: of L = log dP/dQ under {self.under}>"


def _together(arrays: Sequence[FloatArray]) -> bool:
    """Whether they can be broadcast."""
    try:
        np.broadcast_shapes(*(one.shape for one in arrays))
    except ValueError:
        return False
    return True
