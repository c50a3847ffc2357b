"""Tradeoff(alphas, betas): a trade-off curve given by its corners."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, choice, inside, not_negative, unit_interval, whole
from neyman.engines.closed_form.enclosed_corners import enclosed_pair, turned
from neyman.engines.closed_form.straight import CornerProfile
from neyman.guarantees.attained import Attained
from neyman.guarantees.given.base import Given, columns, listed
from neyman.guarantees.given.sampled_curve import CurveFunction, sample
from neyman.guarantees.questions.curve.lower_polygon import lower_hull, lower_polygon, upper_polygon
from neyman.guarantees.questions.curve.supporting_lines import below_lines
from neyman.guarantees.twins import OptimisticGuarantee
from neyman.numerics.rounding import UNIT

__all__ = ["Tradeoff"]

_ROUND = 1e-12  # relative concavity that rounding of the corners explains
# default of relative_error; covers SciPy's Phi(Phi^-1(1 - alpha) - mu), alpha and beta above 1e-16, mu up to 6, where
# by numerics/rounding.py it errs by (NDTR (1 + t^2) + NDTRI |z t|) 2^-53 = 7.3e-13, |t| <= 14.3, |z| <= 8.3
_ERROR = 1e-12


class Tradeoff(Given):
    """The guarantee whose trade-off curve is straight between given corners: the polygon itself is the curve.

    Samples of a curve that bends are no such corners. Chords of a convex curve lie above it, so that samples joined by
    chords promise too much: 21 even samples of GDP(1) make beta(0.025) 0.870, where GDP(1) has 0.831. ``from_points``
    and ``from_function`` promise what the samples prove.

    The curve is taken as stated; where the promise covers neighbours in either order, ``symmetrized()`` is the curve
    that follows, nowhere below this one. ``delta(epsilon)`` is the largest 1 - beta - e^epsilon alpha over the corners.

    Parameters
    ----------
    alphas : array
        1-d, in [0, 1], strictly rising, the first 0.
    betas : array
        As many, in [0, 1], falling, the last 0 (beyond it the curve is 0), convex, beta <= 1 - alpha.

    Raises
    ------
    InvalidParameter
        If the numbers lie outside their domains, do not begin at alpha = 0 and end at beta = 0, or are no trade-off
        curve.

    Notes
    -----
    Corners may be rounded: a corner that lies above the chord of its neighbours by a relative 1e-12 at most is kept on
    it. f is a trade-off function if and only if it is convex, continuous, falling and at most 1 - alpha (Dong, Roth and
    Su 2022, Proposition 2.2).

    Examples
    --------
    >>> g = Tradeoff([0.0, 0.25, 1.0], [1.0, 0.25, 0.0])
    >>> round(g.beta(0.5), 12), round(g.epsilon(0.0), 12), round(g.advantage, 12)
    (0.166666666667, 1.098612288668, 0.5)
    """

    def __init__(self, alphas: object, betas: object) -> None:
        alpha, beta = columns(alphas=alphas, betas=betas)
        _points(alpha, beta)
        _checked(alpha, beta)
        corners = lower_hull(alpha, beta)
        forward = CornerProfile(*corners)
        same = np.array_equal(corners[0], corners[1][::-1])
        backward = forward if same else CornerProfile(*turned(*corners))
        super().__init__(forward, backward, alphas=listed(alpha), betas=listed(beta))
        self._above: tuple[FloatArray, FloatArray] | None = None

    @cached_property
    def optimistic(self) -> OptimisticGuarantee:
        """The guarantee of certified lower bounds: its answers and this one's enclose the truth.

        Of corners that were stated the polygon is the truth. Of points and functions it is the curve behind them, which
        lies nowhere above the chords of what was asked: how far apart the two are is what sampling costs. What is made
        of the promise (its inverse, groups, compositions) has bounds from both sides of the promise alone.
        """
        if self._above is None:
            return OptimisticGuarantee(self)
        return Attained(self, enclosed_pair(self._corners, self._above))

    @property
    def chords(self) -> Tradeoff:
        """The least curve that is surely nowhere below the one behind it: through what was asked, in straight lines.

        No promise: it says too much. Itself where corners were stated.
        """
        return self if self._above is None else Tradeoff(*self._above)

    @property
    def _corners(self) -> tuple[FloatArray, FloatArray]:
        alpha, beta = (np.asarray(self.stated[name], dtype=np.float64) for name in ("alphas", "betas"))
        return lower_hull(alpha, beta)

    @classmethod
    def _through(cls, name: str, alpha: FloatArray, beta: FloatArray, relative: float, absolute: float) -> Tradeoff:
        """What points prove, with what they cannot exceed."""
        found = cls(*lower_polygon(name, alpha, beta, relative, absolute))
        found._above = upper_polygon(name, alpha, beta, relative, absolute)
        return found

    @classmethod
    def from_points(
        cls,
        alphas: object,
        betas: object,
        between: str = "below",
        *,
        relative_error: float | None = None,
        absolute_error: float | None = None,
    ) -> Tradeoff:
        """Return what points on a trade-off curve prove of it.

        Parameters
        ----------
        alphas : array
            1-d, in [0, 1], strictly rising; 0 and 1 need not be among them.
        betas : array
            As many, in [0, 1], falling, convex, at most 1 - alpha, up to the errors stated.
        between : "below" or "chords"
            "below": a curve f passes through the points and is known nowhere else. The answer is nowhere above any such
            f, and, exact points given, the greatest convex curve of which this is true, but that corners are rounded
            down. "chords": straight lines between the points are the curve, as in ``Tradeoff(alphas, betas)``.
        relative_error, absolute_error : float, optional
            f(alpha) is within relative_error * beta + absolute_error of beta (and 1e-300, unless relative_error is 0).
            By default 1e-12 (or the resolution of betas in less than float64) and 0; both 0 for exact points. Only for
            "below".

        Raises
        ------
        InvalidParameter
            If the numbers lie outside their domains or no trade-off curve passes that near to all points.

        Notes
        -----
        A convex curve lies above the extension of each of its chords: between two points above those on the left and on
        the right, of which the larger counts, and above 0; the answer is the lower convex hull of all this, with f(0)
        <= 1 and f(1) = 0. Before the first point above 0 only the chord on its right speaks: a curve may fall steeply
        there, so that beta(0) < 1, and delta(epsilon) >= 1 - beta(0) for every epsilon, however large. Points near 0
        (and 1, for the roles exchanged) make that small.

        Examples
        --------
        >>> alphas = [0.0, 0.25, 0.5, 1.0]
        >>> betas = [1.0, 0.5625, 0.25, 0.0]  # (1 - alpha)^2, which is 0.765625 at 0.125
        >>> Tradeoff.from_points(alphas, betas).beta(0.125) <= 0.765625 < Tradeoff(alphas, betas).beta(0.125)
        True
        """
        if choice("between", between, ("below", "chords")) == "chords":
            for name, error in (("relative_error", relative_error), ("absolute_error", absolute_error)):
                if error is not None:
                    raise InvalidParameter(name, error, "left out where chords are the curve")
            return cls(alphas, betas)
        alpha, beta = columns(alphas=alphas, betas=betas)
        _points(alpha, beta)
        stored = np.asarray(betas).dtype
        coarse = float(np.finfo(stored).eps) if stored.kind == "f" else 0.0
        errors = _errors(max(_ERROR, coarse) if relative_error is None else relative_error, absolute_error or 0.0)
        return cls._through("betas", alpha, beta, *errors)

    @classmethod
    def from_function(
        cls,
        f: CurveFunction,
        *,
        tolerance: float = 1e-3,
        points: int = 2048,
        relative_error: float = _ERROR,
        absolute_error: float = 0.0,
    ) -> Tradeoff:
        """Return a polygon nowhere above a trade-off curve that is given as a function.

        Parameters
        ----------
        f : callable
            The curve, convex, continuous, falling, f(alpha) <= 1 - alpha: for a 1-d float64 array of alphas strictly
            between 0 and 1 an array of as many betas; or of one alpha, where it knows no arrays. What it raises is
            passed on.
        tolerance : float
            In (0, 1). Where the curve is not known to this part of the power 1 - beta (and of 1 - alpha, with the roles
            exchanged; of 1e-10 where they are less), it is asked at more points, unless its errors explain the gap.
        points : int
            From 3 to 100,000: it is asked at no more.
        relative_error, absolute_error : float
            What f answers is right to within relative_error times itself, and absolute_error (and 1e-300, unless
            relative_error is 0), each alpha taken as exactly the float it is. The default, 1e-12, covers
            ``ndtr(-ndtri(alpha) - mu)`` of SciPy for alpha, beta > 1e-16 and mu up to 6. With ``1 - alpha`` in place of
            alpha inside it would not: near 0 that has lost its digits.

        Raises
        ------
        InvalidParameter
            If f answers with something else, or no trade-off curve is within the errors of what it answers.

        Notes
        -----
        What is certified is ``from_points`` of the points asked: true if f is a trade-off curve and errs by no more
        than stated. No tolerance bears on that. Where the curve has a name, that is sharper: ``GDP(mu)``. Between the
        points asked convexity alone is used: f lies above the extensions of its chords, which is what is promised, and
        below the chords, which is what ``optimistic`` answers from. That f is convex where nobody asked is taken on
        trust; where it was asked, no curve within the errors stated is a refusal.

        beta(0) falls short of 1 by the errors near alpha = 0 at least, so that epsilon is inf at a delta of less than
        about ten times the absolute error there.

        Examples
        --------
        >>> from scipy.special import ndtr, ndtri
        >>> g = Tradeoff.from_function(lambda alpha: ndtr(-ndtri(alpha) - 1.0))
        >>> bool(0.8314 < g.beta(0.025) < ndtr(-ndtri(0.025) - 1.0))
        True
        """
        if not callable(f):
            raise InvalidParameter("f", f, "a function of an array of alphas")
        aim, most = inside("tolerance", tolerance, 0.0, 1.0), whole("points", points, 3, 100_000)
        errors = _errors(relative_error, absolute_error)
        return cls._through("f", *sample(f, aim, most, *errors), *errors)

    @classmethod
    def from_roc(
        cls,
        fpr: object,
        tpr: object,
        between: str = "below",
        *,
        relative_error: float | None = None,
        absolute_error: float = 0.0,
    ) -> Tradeoff:
        """Return the promise of a ROC curve: that of the best attack there can be.

        f(fpr) = 1 - tpr. A ROC curve is a promise where it is known to be the best attack's: derived from the laws of
        the output, or stated by whoever guarantees it. **The ROC curve of one attack, measured on samples, promises
        nothing**: a better attack lies above it. It is evidence against promises, which ``ny.audit.from_scores`` reads;
        most of them are refused here, for the ROC curve of a best attack is concave and has no steps.

        Parameters
        ----------
        fpr, tpr : array
            1-d, as many, in [0, 1], rising (equal neighbours are allowed), tpr >= fpr, concave up to the errors: as
            ``sklearn.metrics.roc_curve`` returns them. Of several points at one fpr the highest counts.
        between : "below" or "chords"
            As of ``from_points``. "below": the points lie on the ROC curve, which is known nowhere else and may lie
            above their chords. "chords": straight lines between the points are the ROC curve, as those of an output
            with finitely many values are.
        relative_error, absolute_error : float, optional
            tpr is right to within relative_error * (1 - tpr) + absolute_error, 1e-12 (or the resolution of tpr in less
            than float64) and 0 unless stated; the rounding of 1 - tpr is added, and, unless relative_error is stated,
            that of a tpr near 1 itself. Only for "below".

        Raises
        ------
        InvalidParameter
            If the numbers lie outside their domains or are no ROC curve of a best attack.

        Examples
        --------
        >>> g = Tradeoff.from_roc([0.0, 0.25, 1.0], [0.0, 0.75, 1.0], "chords")  # an output with two values
        >>> round(g.roc(0.125), 12), round(Tradeoff.from_roc([0.0, 0.25, 1.0], [0.0, 0.75, 1.0]).roc(0.125), 12)
        (0.375, 0.791666666667)
        """
        return _of_roc(cls, fpr, tpr, choice("between", between, ("below", "chords")), relative_error, absolute_error)

    @classmethod
    def from_bayes_errors(cls, priors: object, errors: object) -> Tradeoff:
        """Return the curve behind errors of the best guess: f and the Bayes error function are conjugate.

        R(prior) >= error, the record ABSENT with probability ``prior``, is prior alpha + (1 - prior) f(alpha) >= error
        at every alpha: a line that f lies above. The answer is the largest of these lines and 0, and says no more than
        the errors do: they count as bounds from below, and ``bayes_error`` gives each of them back, rounded down.

        Parameters
        ----------
        priors : array
            1-d, not empty, strictly rising in (0, 1): P(H0), as of ``bayes_error``.
        errors : array
            As many, each in [0, min(prior, 1 - prior)], concave in the prior up to a relative 1e-12, with 0 at 0 and 1.

        Raises
        ------
        InvalidParameter
            If the numbers lie outside their domains or no curve has these Bayes errors.

        See Also
        --------
        Profile.from_bayes_errors : the same for neighbours in either order, where errors at ``prior`` hold at 1 - prior

        Notes
        -----
        Kaissis et al. (2024), Beyond the calibration point, Section 3 and Figure 8: R(prior) = min over alpha of prior
        alpha + (1 - prior) f(alpha). Error bound: lines meet in rationals; both coordinates of a corner are rounded
        down, to one unit in the last place. ``prior`` is taken as exactly the float it is.

        Examples
        --------
        >>> g = Tradeoff.from_bayes_errors([0.2, 0.5, 0.8], [0.15, 0.3, 0.15])
        >>> np.round(g.bayes_error([0.2, 0.5, 0.8]), 12).tolist(), round(g.beta(0.3), 12)
        ([0.15, 0.3, 0.15], 0.3)
        """
        prior, error = columns(priors=priors, errors=errors)
        if not bool(np.all((prior > 0.0) & (prior < 1.0))):
            raise InvalidParameter("priors", listed(prior), "numbers in (0, 1)")
        if not bool(np.all(np.diff(prior) > 0.0)):
            raise InvalidParameter("priors", listed(prior), "strictly rising numbers")
        if not bool(np.all((error >= 0.0) & (error <= np.minimum(prior, 1.0 - prior)))):
            raise InvalidParameter("errors", listed(error), "numbers in [0, min(prior, 1 - prior)]")
        return cls(*below_lines(prior, error))


_ONE_ATTACK = "What one attack did on samples is no promise, but evidence: ny.audit.from_scores."


def _of_roc(
    kind: type[Tradeoff], fpr: object, tpr: object, between: str, relative_error: float | None, absolute_error: object
) -> Tradeoff:
    x, y = columns(fpr=fpr, tpr=tpr)
    for name, values in (("fpr", x), ("tpr", y)):
        unit_interval(name, values)
        if not bool(np.all(np.diff(values) >= 0.0)):
            raise InvalidParameter(name, listed(values), "rising numbers", "Sort the points by fpr.")
    step = (np.diff(x) == 0.0) & (np.diff(y) > 0.0) & (x[1:] > 0.0)
    if bool(np.any(step)):
        allowed = f"without a step, as a concave curve is, at fpr = {float(x[1:][step][0])!r}"
        raise InvalidParameter("tpr", float(y[1:][step][0]), allowed, _ONE_ATTACK)
    last = np.append(np.diff(x) > 0.0, True)
    x, y = x[last], y[last]
    rounded = 0.0 if bool(np.all(1.0 - (1.0 - y) == y)) else UNIT
    stored = np.asarray(tpr).dtype
    coarse = float(np.finfo(stored).eps) if stored.kind == "f" else 0.0
    own = 0.25 * coarse if relative_error is None else 0.0  # by which a tpr near 1 was rounded
    relative, absolute = _errors(max(_ERROR, coarse) if relative_error is None else relative_error, absolute_error)
    try:
        if between == "below":
            return kind._through("tpr", x, 1.0 - y, relative, absolute + rounded + own)  # pyright: ignore[reportPrivateUsage]
        if relative_error is not None or absolute > 0.0:
            name = "absolute_error" if absolute > 0.0 else "relative_error"
            raise InvalidParameter(name, absolute or relative_error, "left out where chords are the curve")
        beta = np.maximum(np.nextafter(1.0 - y, -1.0) if rounded else 1.0 - y, 0.0)
        return kind(np.append(0.0, x) if x[0] > 0.0 else x, np.append(1.0, beta) if x[0] > 0.0 else beta)
    except InvalidParameter as error:
        if error.name not in ("tpr", "betas"):
            raise
        shown = 1.0 - error.value if isinstance(error.value, float) else error.value
        allowed = f"the ROC curve of a best attack (concave, rising, at least fpr; 1 - tpr {error.allowed})"
        raise InvalidParameter("tpr", shown, allowed, _ONE_ATTACK) from None


def _errors(relative: object, absolute: object) -> tuple[float, float]:
    return not_negative("relative_error", relative), not_negative("absolute_error", absolute)


def _points(alpha: FloatArray, beta: FloatArray) -> None:
    for name, values in (("alphas", alpha), ("betas", beta)):
        unit_interval(name, values)
    if not bool(np.all(np.diff(alpha) > 0.0)):
        raise InvalidParameter("alphas", listed(alpha), "strictly rising numbers")


def _checked(alpha: FloatArray, beta: FloatArray) -> None:
    if alpha[0] != 0.0:
        raise InvalidParameter("alphas", float(alpha[0]), "0 for the first", "State the beta at alpha = 0.")
    if beta[-1] != 0.0:
        raise InvalidParameter("betas", float(beta[-1]), "0 for the last", "State the alpha from which beta is 0.")
    if not bool(np.all(np.diff(beta) <= 0.0)):
        raise InvalidParameter("betas", listed(beta), "falling numbers")
    if not bool(np.all(beta <= 1.0 - alpha)):
        at = int(np.argmax(beta - (1.0 - alpha)))
        raise InvalidParameter("betas", float(beta[at]), f"at most 1 - alpha, {1.0 - float(alpha[at])!r}")
    _convex(alpha, beta)


def _convex(alpha: FloatArray, beta: FloatArray) -> None:
    if len(alpha) < 3:
        return
    width, step = alpha[2:] - alpha[:-2], np.diff(alpha)
    chord = beta[:-2] * (step[1:] / width) + beta[2:] * (step[:-1] / width)  # nothing cancels
    over = beta[1:-1] - chord * (1.0 + _ROUND)
    if not bool(np.all(over <= 0.0)):
        at = int(np.argmax(over)) + 1
        raise InvalidParameter(
            "betas", float(beta[at]), f"convex: at most {float(chord[at - 1])!r} at alpha = {float(alpha[at])!r}",
            "Their lower convex hull would be safe.",
        )  # fmt: skip
