"""Scores of probabilities and Mills ratios by NumPy alone: they steer, and a first answer waits for no import of SciPy.

No bound rests on them. What bounds do rest on is in ``numerics.functions.normal``.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.functions.few import every

__all__ = ["ratio", "score"]

# Wichura, Algorithm AS 241 (1988), PPND16: numerators and denominators about the middle, up to p = e^-25, and beyond
_MIDDLE = np.array((
    (3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
     4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3),
    (1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3),
))  # fmt: skip
# up to p = e^-25
_TAIL = np.array((
    (1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4),
    (1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9),
))  # fmt: skip
# beyond, up to p = e^-729
_FAR = np.array((
    (6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7),
    (1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15),
))  # fmt: skip
_HALF, _SQUARE = math.log(0.5), 0.425**2  # of the middle: p - 1/2 squared at most
_ENDS = np.array([math.sqrt(-math.log(0.075)), 5.0, 27.0])  # sqrt(-log p) up to which each of the three serves
_FARTHEST = 1e100  # of these, beyond which the square of t / 2 is all that counts
_LARGEST = 25.0  # t up to which erfc(t / sqrt 2) is far from underflow
_SERIES = (1.0, -1.0, 3.0, -15.0, 105.0, -945.0)  # of t M(t) in 1 / t^2


def score(log_p: FloatArray) -> FloatArray:
    """About -Phi^-1(p) from log p (1-d): to 1e-11 of itself, or of 1 beside p = 1/2; inf where p is 0, -inf where it is
    1.
    """
    low = log_p <= _HALF
    if every(low):
        return _of_tail(log_p)
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = np.where(low, log_p, np.minimum(np.log(-np.expm1(log_p)), _HALF))
    found = _of_tail(tail)
    return np.where(low, found, -found)


def _of_tail(log_p: FloatArray) -> FloatArray:
    """The same of what is no more than a half."""
    root = np.sqrt(-log_p)
    place = _ENDS.searchsorted(root)
    asked = set(place.tolist())
    if len(asked) == 1:
        return _FORMS[asked.pop()](root)
    found = np.full(root.shape, math.nan)
    for which in asked:
        here = place == which
        found[here] = _FORMS[which](root[here])
    return found


def _middle(root: FloatArray) -> FloatArray:
    off = 0.5 - np.exp(-root * root)
    return off * _quotient(_MIDDLE, _SQUARE - off * off)


def _beyond(root: FloatArray) -> FloatArray:
    """By log p = -t^2/2 - log t - log(2 pi)/2 + log(1 - 1/t^2 + 3/t^4), turned round."""
    depth = np.minimum(root, _FARTHEST) ** 2
    t = np.sqrt(2.0 * depth)
    for _ in range(4):
        inverse = 1.0 / (t * t)
        less = np.log(t) + 0.5 * math.log(2.0 * math.pi) - np.log1p(-inverse * (1.0 - 3.0 * inverse))
        t = np.sqrt(2.0 * (depth - less))
    return np.where(root < _FARTHEST, t, math.sqrt(2.0) * root)


# one for each stretch between ``_ENDS``, and one beyond the last
_FORMS: tuple[Callable[[FloatArray], FloatArray], ...] = (
    _middle, lambda root: _quotient(_TAIL, root - 1.6), lambda root: _quotient(_FAR, root - 5.0), _beyond,
)  # fmt: skip


def _quotient(of: FloatArray, r: FloatArray) -> FloatArray:
    powers = np.empty((of.shape[1], len(r)))
    powers[0], powers[1:] = 1.0, r
    above, below = of @ np.multiply.accumulate(powers, axis=0, out=powers)
    return above / below


def ratio(t: FloatArray) -> FloatArray:
    """About M(t) = (1 - Phi(t)) / phi(t) for t >= 0 (1-d): to 1e-10 of itself."""
    some = np.minimum(t, _LARGEST)
    near = np.array([math.erfc(x) for x in (some / math.sqrt(2.0)).tolist()]) * np.exp(0.5 * some * some)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1.0 / (t * t)
        far = _SERIES[-1] + 0.0 * t
        for term in _SERIES[-2::-1]:
            far = far * inverse + term
        return np.where(t <= _LARGEST, math.sqrt(0.5 * math.pi) * near, far / t)
