"""What the reporting paper says of Renyi DP, order by order, and of zCDP, each asked of an example."""

from __future__ import annotations

import math
import time

import numpy as np

from neyman.accounting import account
from neyman.comparison import compare
from neyman.conversions import rdp_profile_cks
from neyman.guarantees import RDP, ZCDP, PureDP
from neyman.mechanisms import Tabulated
from neyman_papers.cases import CIFAR_RATE, dpsgd
from neyman_papers.lossless import without_loss
from neyman_papers.verdict import NEAR, Number, Ours, Statement

__all__ = ["orders"]

_ALPHA = (0.01, 0.1, 0.4)  # false positive rates


def orders() -> dict[str, Ours]:
    """All of them."""
    promise, pure = ZCDP(0.125), PureDP(1.0)
    said = {order: compare(promise, other).order for order, other in {"(1, 0)": pure, "1/2-zCDP": ZCDP(0.5)}.items()}
    return {
        "a2/lossy": without_loss(),
        "a3/orders": Statement(0.6 >= 1.0, "order 0.6: Definitions 2.2 and A.3 ask for t >= 1, and Appendix A.6 has a "
                                           "region for t in [1/2, 1)"),
        "6/tighter-zcdp": Statement(said["(1, 0)"] == "more_private", f"epsilon = 1: 1/8-zCDP and (1, 0)-DP are "
                                    f"{said['(1, 0)']}; it is the stronger promise beside 1/2-zCDP, which (1, 0)-DP "
                                    "implies"),
        "c2/optimal": _attained(),
        "c2/several": _several(),
        "c2/cheaper": Number.seconds(_closed_form(), "seconds here for the profile of 50 orders by the closed form of "
                                                     "Canonne et al. at 2001 epsilons"),
        "c3/structure": _limit(),
    }  # fmt: skip


def _two_answers(alpha: float, beta: float) -> Tabulated:
    """The mechanism with two answers of which one test has these error rates."""
    return Tabulated([alpha, 1.0 - alpha], [1.0 - beta, beta])


def _attained() -> Statement:
    """Each point of the curve of (2, 1/2)-RDP is that of a mechanism which satisfies the promise."""
    promise, held = RDP([2.0], [0.5]), True
    for alpha in _ALPHA:
        beta = float(promise.beta(alpha))
        g = account(_two_answers(alpha, beta))
        held &= float(g.renyi(2.0)) <= 0.5 + 1e-6 and float(g.beta(alpha)) <= beta + NEAR
    return Statement(held, f"(2, 0.5)-RDP, FPR {', '.join(f'{a:g}' for a in _ALPHA)}: the mechanism with two answers "
                     "whose test has those error rates satisfies the promise")  # fmt: skip


def _several() -> Statement:
    """The printed minimum of two orders is attained by no mechanism with both promises."""
    alpha, promises = 0.1, {2.0: 0.5, 8.0: 1.0}
    each = {t: float(RDP([t], [e]).beta(alpha)) for t, e in promises.items()}
    together = float(RDP(list(promises), list(promises.values())).beta(alpha))
    printed, true = min(each.values()), account(_two_answers(alpha, together))
    broken = max(float(account(_two_answers(alpha, printed)).renyi(t)) - e for t, e in promises.items())
    kept = all(float(true.renyi(t)) <= e + 1e-6 for t, e in promises.items())
    return Statement(
        broken <= 1e-6 if kept else None,
        f"(2, 0.5) and (8, 1) at FPR {alpha:g}: the printed minimum is {printed:.4f}; a mechanism with two answers "
        f"that has it breaks one of the promises by {broken:.3f}, and one with {together:.4f} keeps both",
    )


def _closed_form() -> float:
    t, epsilon = np.geomspace(1.1, 64.0, 50), np.linspace(0.0, 8.0, 2001)
    start = time.perf_counter()
    rdp_profile_cks(t, 0.5 * t, epsilon)
    return time.perf_counter() - start


def _limit() -> Statement:
    """epsilon(t) / t of DP-SGD between T / (2 sigma^2) and that less T log(1 / q) / (t - 1).

    Above: steps without sampling are no more private. Below: the divergence is at least that of the one event that a
    step has the record.
    """
    noise, steps, t = 9.4, 2000, 1e8
    top = steps / (2.0 * noise**2)
    floor = top - steps * math.log(1.0 / CIFAR_RATE) / (t - 1.0)
    grid = 1.0 + np.geomspace(1e-3, 1e4, 60)
    ratio = float(np.max(np.asarray(dpsgd(noise, CIFAR_RATE, steps).renyi(grid)) / grid))
    return Statement(
        not (ratio <= top and top - floor < 1e-4),
        f"DP-SGD of Section 5: epsilon(t) / t is at most T / (2 sigma^2) = {top:.6f}, as without sampling; at order "
        f"{t:g} it is at least {floor:.6f}, by the event that every step has the record; so rho* = T / (2 sigma^2), "
        "without a grid",
    )
