"""The reporting triple (mu, regret, floor) with what it leaves out."""

from __future__ import annotations

import math
from dataclasses import dataclass

from neyman._upward import Carded
from neyman._validate import FloatArray
from neyman.numerics.exact.decimals import outward

__all__ = ["GDPReport", "OptimisticReport", "TradeoffPoints"]

_SHOWN = 9  # points that are printed at most


@dataclass(frozen=True, slots=True)
class GDPReport(Carded):
    """A guarantee summarised as Gaussian differential privacy; ``str()`` is the sentence.

    Attributes
    ----------
    mu : float
        Least mu with G_mu below the trade-off curve wherever both error rates are at least ``floor``, rounded up.
    regret : float
        Delta(f || G_mu): how much privacy the summary gives away at most, rounded up. Below 0.01, mu is practically the
        whole story.
    floor : float
        Where the promise of ``mu`` ends.
    tail_mu : float
        A mu that is valid with no floor at all (inf where there is none).
    shortfall : float
        Bound on Delta(G_mu || f): what the curve may lose to G_mu below the floor; 0 when ``mu >= tail_mu``.
    """

    mu: float
    regret: float
    floor: float
    tail_mu: float
    shortfall: float

    def __str__(self) -> str:
        if math.isinf(self.mu):
            return (
                f"No finite mu is promised: with a chance above {outward(self.floor, 3, up=False)} (the floor) the "
                "output may reveal the record; state epsilon(delta) or the whole trade-off curve instead."
            )
        if self.mu == 0.0 and self.tail_mu == 0.0:
            return f"0-GDP (floor {outward(self.floor, 3)}): perfect privacy, with no exception below the floor."
        head = (
            f"{outward(self.mu, 6)}-GDP at error rates of {outward(self.floor, 3)} and above (the floor); "
            f"the summary overstates attacks by a regret of at most {outward(self.regret, 3)}. "
        )
        if self.shortfall == 0.0:
            return head + "The same mu holds below the floor."
        rest = (
            "no finite mu holds" if math.isinf(self.tail_mu) else f"only mu = {outward(self.tail_mu, 6)} is guaranteed"
        )
        return (
            head
            + f"Below the floor {rest}; the curve falls short of G_mu there by at most {outward(self.shortfall, 3)}."
        )


@dataclass(frozen=True, slots=True)
class OptimisticReport(GDPReport):
    """The same triple bounded from below: what no better analysis can undercut."""

    def __str__(self) -> str:
        return (
            f"At least {outward(self.mu, 6, up=False)}-GDP at error rates of {outward(self.floor, 3, up=False)} and "
            f"above (the floor), with a regret of at least {outward(self.regret, 3, up=False)}: certified lower "
            "bounds, not a promise."
        )


@dataclass(frozen=True, slots=True)
class TradeoffPoints:
    """Certified points of a trade-off curve: every test with false positive rate ``alpha`` misses at least ``beta``.

    ``alpha`` falls strictly as ``epsilon`` grows; each point lies on the certified tangent of slope -e^epsilon.

    Examples
    --------
    >>> import neyman as ny
    >>> print(ny.GDP(1.0).curve(5))
    5 certified points of a trade-off curve: a test with false positive rate alpha misses at least beta.
         epsilon         alpha          beta
        -5.86134             1  9.999999e-11
        -2.93067     0.9924646  0.0003010457
               0     0.3085376     0.3085375
         2.93067  0.0003010458     0.9924645
         5.86134         1e-10     0.9999999
    """

    epsilon: FloatArray
    alpha: FloatArray
    beta: FloatArray

    def __str__(self) -> str:
        """What the points mean, with up to nine of them: alpha rounded up, beta down."""
        n = len(self.alpha)
        head = f"{n} certified points of a trade-off curve: a test with false positive rate alpha misses at least beta."
        shown = sorted({round(i * (n - 1) / (_SHOWN - 1)) for i in range(_SHOWN)} if n > _SHOWN else set(range(n)))
        rows = [f"{'epsilon':>12}{'alpha':>14}{'beta':>14}"]
        for i in shown:
            alpha, beta = outward(float(self.alpha[i]), 7), outward(float(self.beta[i]), 7, up=False)
            rows.append(f"{float(self.epsilon[i]):>12.6g}{alpha:>14}{beta:>14}")
        return "\n".join([head if n <= _SHOWN else f"{head[:-1]}; {len(shown)} of them:", *rows])

    def __repr__(self) -> str:
        low, high = (f"{v:.3g}" for v in (self.alpha[-1], self.alpha[0]))
        return f"<TradeoffPoints: {len(self.alpha)} points, alpha from {low} to {high}>"
