"""What Section 6 of the sensitivity paper says of orders and of small deltas, over the ranges that it names."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.conversions import (
    gaussian_delta,
    gaussian_epsilon,
    rdp_improved_a,
    rdp_improved_b,
    rdp_standard,
)
from neyman.guarantees import GDP
from neyman_papers.sensitivity.numbers import DELTA, excess
from neyman_papers.verdict import NEAR, Ours, Statement
from neyman_papers.words import within

__all__ = ["ranges"]

_FINE: FloatArray = 1.0 + np.geomspace(0.01, 63.0, 250)  # orders, dense near 1


def ranges() -> dict[str, Ours]:
    """All of them."""
    return {
        "6/low-orders": _low(),
        "6/high-orders": _high(),
        "6/neither": _neither(),
        "6/dependent": _dependent(),
        "6/via-f": _via_f(),
        "6/all-orders": _all_orders(),
        "6/closely": _closely(),
    }


def _by(order: float, psi: FloatArray) -> FloatArray:
    """Epsilon by improved (A), over that of the profile."""
    return excess("a", order, psi) / np.array([gaussian_epsilon(float(p), DELTA) for p in psi])


def _best(psi: float) -> tuple[float, float]:
    """The best of 250 orders, and its epsilon over that of the profile."""
    found = np.array([float(rdp_improved_a(float(t), 0.5 * float(t) * psi * psi, DELTA)) for t in _FINE])
    return float(_FINE[np.argmin(found)]), float(np.min(found)) / gaussian_epsilon(psi, DELTA)


def _low() -> Statement:
    """psi > 3: among orders from 2 on the lower comes the nearer, from 3 on strictly."""
    psi = np.linspace(3.1, 6.0, 30)
    table = {t: _by(t, psi) for t in (2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 64.0)}
    higher = [table[t] for t in table if t >= 4.0]
    best = {p: _best(p)[0] for p in (3.0, 4.0, 6.0)}
    return Statement(
        all(bool(np.all(table[2.0] < each) and np.all(table[3.0] < each)) for each in higher),
        "psi 3.1 to 6, by improved (A): orders 2 and 3 come nearer than 4, 6, 8, 16 and 64; best of all orders "
        + ", ".join(f"{order:.2f} at psi {p:g}" for p, order in best.items()),
    )


def _high() -> Statement:
    """psi around 1: the higher order of the caption, 6, against lower ones."""
    psi = np.array([0.7, 0.85, 1.0, 1.15])
    table = {t: _by(t, psi) for t in (2.0, 3.0, 6.0, 64.0)}
    return Statement(
        bool(np.all(table[6.0] < table[3.0]) and np.all(table[3.0] < table[2.0])),
        "psi 0.7 to 1.15, by improved (A): order 6 of the caption comes nearer than 3, and 3 than 2; at psi 1 order "
        + ", ".join(f"{t:g}: {found[2]:.2f}" for t, found in table.items())
        + f" times the profile; the best of all orders {_best(1.0)[0]:.2f}. The highest of the range are no good there",
    )


def _neither() -> Statement:
    """Small deltas: what the three conversions give, and that the exact epsilon grows without end as well."""
    rules = {"standard": rdp_standard, "(A)": rdp_improved_a, "(B)": rdp_improved_b}
    shown, valid = [], True
    for delta in (1e-5, 1e-50, 1e-200):
        exact = gaussian_epsilon(1.0, delta)
        found = {name: float(rule(6.0, 3.0, delta)) for name, rule in rules.items()}
        valid &= all(math.isfinite(value) and value >= exact for value in found.values())
        shown.append(f"delta {delta:g}: {exact:.1f}, " + ", ".join(f"{value:.1f}" for value in found.values()))
    return Statement(
        not valid, f"psi 1, order 6, the exact epsilon and those of {len(rules)} conversions, all of them valid: "
        f"{'; '.join(shown)}"
    )  # fmt: skip


def _dependent() -> Statement:
    """Epsilon by order."""
    psi, shown, moves = np.array([1.0]), [], True
    for rule, name in (("standard", "standard"), ("a", "(A)"), ("b", "(B)")):
        found = [float(excess(rule, t, psi)[0]) for t in (2.0, 6.0, 64.0)]
        moves &= len(set(found)) == len(found)
        shown.append(f"{name} " + ", ".join(f"{value:.2f}" for value in found))
    return Statement(moves, f"psi 1, orders 2, 6, 64: {'; '.join(shown)}")


def _via_f() -> Statement:
    """From psi to G_mu, mu = psi, and from there to delta, by the conjugate on a grid; and directly."""
    alpha, epsilon = special.ndtr(np.linspace(-9.0, 9.0, 20001)), np.linspace(0.0, 4.0, 41)
    f = special.ndtr(special.ndtri(1.0 - alpha) - 1.0)
    detour = 1.0 + np.max(-np.exp(epsilon)[:, None] * alpha - f, axis=1)
    off = float(np.max(np.abs(detour - gaussian_delta(1.0, epsilon))))
    return Statement(off < 1e-6, f"psi 1, epsilon 0 to 4: {within(off)}, on a grid")


def _all_orders() -> Statement:
    """What one exact order keeps."""
    off = 0.0
    for psi in (0.3, 1.0, 4.0):
        back = math.sqrt(2.0 * float(GDP(psi).renyi(6.0)) / 6.0)
        off = max(off, abs(gaussian_epsilon(back, DELTA) - gaussian_epsilon(psi, DELTA)))
    return Statement(
        off > NEAR, f"Gaussian mechanisms, psi 0.3, 1, 4: from order 6 alone psi, and from it epsilon at delta 1e-5 "
        f"{within(off)}"
    )  # fmt: skip


def _closely() -> Statement:
    """The best order against the profile, as a difference and as a ratio."""
    ratios = {psi: _best(psi)[1] for psi in (0.1, 1.0, 3.0, 6.0)}
    gaps = {psi: (ratio - 1.0) * gaussian_epsilon(psi, DELTA) for psi, ratio in ratios.items()}
    return Statement(
        None,
        "epsilon too large at the best order, by improved (A): "
        + ", ".join(f"{gaps[psi]:.3f} (a fraction of {ratios[psi] - 1.0:.3f}) at psi {psi:g}" for psi in ratios),
    )
