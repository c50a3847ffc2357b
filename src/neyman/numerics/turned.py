"""Cosines and sines of long arrays: both from one tangent, which NumPy takes of several numbers at a time."""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray

__all__ = ["cosine_and_sine"]


def cosine_and_sine(turn: FloatArray) -> tuple[FloatArray, FloatArray]:
    """cos and sin of each ``turn``, within ``TURNED`` units: (1 - t^2) / (1 + t^2) and 2t / (1 + t^2), t = tan(x / 2).

    Examples
    --------
    >>> cosine, sine = cosine_and_sine(np.array([0.0, np.pi]))
    >>> (cosine + 0.0).tolist(), bool(abs(sine[1]) < 1e-15)
    ([1.0, -1.0], True)
    """
    sine = np.tan(0.5 * turn)
    cosine = sine * sine
    whole = 1.0 + cosine
    np.subtract(1.0, cosine, out=cosine)
    cosine /= whole
    sine += sine
    sine /= whole
    return cosine, sine
