"""An audit's evidence as the page lays it over a claim: the points that some attack reached, at their confidence."""

from __future__ import annotations

import numpy as np

from neyman._errors import InvalidParameter
from neyman.audit.audit import Audit
from neyman.explorer.answering.curves import rounded_down
from neyman.numerics.exact.decimals import outward

__all__ = ["evidence"]

_MOST = 200  # points
_DIGITS = 4  # of mu, rounded down


def evidence(audit: object) -> dict[str, object]:
    """Return what the page is told of an audit from scores.

    At its confidence the mechanism allows at least the true positive rate ``tpr`` at each ``fpr``: a curve of which
    1 - beta is below one of these is no promise of this mechanism.

    Raises
    ------
    InvalidParameter
        If it is none.

    Examples
    --------
    >>> import neyman as ny
    >>> found = evidence(ny.audit.from_counts(5, 100, 60, 100))
    >>> found["confidence"], len(found["fpr"]) == len(found["tpr"])
    (0.95, True)
    """
    if not isinstance(audit, Audit):
        raise InvalidParameter("audit", audit, "an audit from scores", "Such as ny.audit.from_file('scores.csv').")
    band = audit.roc()
    kept = np.unique(np.linspace(0, band.fpr.size - 1, min(band.fpr.size, _MOST)).astype(np.int64))
    fpr = np.minimum(np.nextafter(band.fpr[kept], 2.0), 1.0)
    return {
        "confidence": audit.confidence, "method": audit.method, "canaries": audit.canaries,
        "mu": outward(audit.mu, _DIGITS, up=False), "fpr": fpr.tolist(), "tpr": rounded_down(band.lower[kept]),
        "observed": rounded_down(band.tpr[kept]), "sentence": str(audit),
    }  # fmt: skip
