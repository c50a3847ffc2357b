"""Ours for the series of Fig. 1 and 5 to 7."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from neyman import risk
from neyman.calibration import noise_for_dpsgd, targets
from neyman.comparison import compare
from neyman_papers.cases import dpsgd
from neyman_papers.divergence.series import BASELINE, Member, grid, noisier, reconstructed, same_pair
from neyman_papers.verdict import Number, Ours, Statement

__all__ = ["bounds", "design"]

_UNEQUAL = (
    "At any rates below 1 it must be so: for whole orders t the divergence (t - 1) D_t of T steps is T t (t - 1) / (2 "
    "sigma^2) + T t log q + a rest that falls like t e^(-t / sigma^2), so that equal runs have the same T / "
    "sigma^2, the "
    "same T log q and, by the rest, the same sigma"
)


_THEIR_RATES = np.linspace(0.01, 0.9, 30)  # its second value is the 0.04 of the text, as 534 is that of the steps


def bounds() -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Divergences and reconstruction bounds of Fig. 7, from above."""
    members = reconstructed()
    return (
        tuple(m.divergence[1] for m in members),
        tuple(float(risk.reconstruction(m.guarantee, BASELINE)) for m in members),
    )


def design() -> dict[str, Ours]:
    """All of them."""
    few, many = same_pair()
    noises = f"noise {few.noise:.4f} at rate 0.01, {many.noise:.4f} at rate 0.5, 500 steps each"
    rows = noisier()
    rising = [m.divergence for m in rows]
    kept = all(later[0] > earlier[1] for earlier, later in pairwise(rising))
    shown = ", ".join(f"{m.noise:g}: {m.divergence[1]:.4f}" for m in rows[1:])
    divergence, success = bounds()
    points, steps = 100.0 * np.array(success), reconstructed()[0].steps
    fitted = np.polyval(np.polyfit(divergence, points, 1), divergence)
    off = float(np.max(np.abs(fitted - points)))
    choice = f"{steps} steps, baseline success {BASELINE:g}"
    return {
        "1/pair": Number.computed(max(few.guarantee.delta(4.0), many.guarantee.delta(4.0)), noises),
        "1/differ": Statement(many.divergence[0] > 1e-3, f"they differ by {many.divergence[0]:.4f} of Bayes error"),
        "5/unequal": Statement(
            rising[-1][0] > 0.0, f"of ours, Delta from noise {rows[0].noise:g} to {shown}. {_UNEQUAL}"
        ),
        "5/grows": Statement(kept, f"of ours, Delta from noise {rows[0].noise:g} to {shown}"),
        "5/inefficient": Statement(
            kept,
            f"of ours, every noise above 3 has the larger divergence ({shown}); that 3 has the best accuracy is quoted",
        ),
        "1/reconstruct": Statement(
            max(success) - min(success) > 0.05,
            f"of ours, all with (4, 1e-5), baseline success {BASELINE:g}: bounds on reconstruction from "
            f"{min(success):.3f} to {max(success):.3f}",
        ),
        "7/divergence": Number.computed(max(divergence), choice),
        "7/increase": Number.computed(
            float(points[-1] - points[0]),
            f"{choice}, from {points[0]:.1f} to {points[-1]:.1f} percent: "
            f"{100.0 * (points[-1] / points[0] - 1.0):.0f} percent more than the baseline",
        ),
        "7/linear": Statement(off < 0.1 * float(np.ptp(points)), f"{choice}: within {off:.2f} points of a line"),
        **_grid(),
    }


def _grid() -> dict[str, Ours]:
    """Fig. 6."""
    members = grid()
    target = targets.Epsilon(8.0, delta=1e-5)
    exact = noise_for_dpsgd(target, 0.01, 500)
    shared = noise_for_dpsgd(target, 0.01, 534).parameter
    by_noise = sorted(members, key=lambda m: m.noise)
    largest = max(members, key=lambda m: m.divergence[1])
    other = compare(exact.guarantee, largest.guarantee).divergence
    errors = [abs(g.epsilon(1e-5) - 8.0) for m in members for g in (m.guarantee, m.guarantee.optimistic)]
    steps, rates = sorted({m.steps for m in members}), sorted({m.rate for m in members})
    table = {(m.rate, m.steps): m.divergence for m in members}
    each = all(table[b, n][0] > table[a, n][1] for a, b in pairwise(rates) for n in steps) and all(
        table[q, b][0] > table[q, a][1] for a, b in pairwise(steps) for q in rates
    )
    over_rate = float(np.mean([table[rates[-1], n][0] - table[rates[0], n][1] for n in steps]))
    over_steps = float(np.mean([table[q, steps[-1]][1] - table[q, steps[0]][0] for q in rates]))
    falls = [(a, b) for a, b in pairwise(by_noise) if b.divergence[1] < a.divergence[0]]
    theirs = [
        Member.beside(dpsgd(0.54, 0.01, 500), noise_for_dpsgd(target, float(q), n).parameter, float(q), n)
        for q, n in ((_THEIR_RATES[1], 1500), (_THEIR_RATES[2], 500))
    ]
    printed = dpsgd(0.54, 0.01, 500)
    return {
        "6/base": Number.computed(float(exact.parameter), "noise 0.54 itself: epsilon(1e-5) = "
                                                          f"{printed.epsilon(1e-5):.4f}"),
        "6/least": Number.computed(by_noise[0].noise, f"rate 0.01 and 534 steps: {shared:.4f}"),
        "6/most": Number.computed(by_noise[-1].noise),
        "6/error": Number(min(errors), max(errors), note="of epsilon(1e-5) from both sides, all mechanisms of the "
                                                         "grid"),
        "6/monotone": Statement(
            not falls,
            f"{_falls(falls)}. On what seems to be the grid of the paper: {_told(*theirs)}",
        ),
        "6/corner": Statement(largest.rate == rates[-1] and largest.steps == steps[-1], f"rate {largest.rate:g}, "
                              f"{largest.steps} steps"),
        "6/each": Statement(each, f"{len(rates)} rates, {len(steps)} numbers of steps"),
        "6/largest": Number(
            *largest.divergence, note=f"rate {largest.rate:g}, {largest.steps} steps; from a base of exactly "
                                      f"epsilon 8: {other:.4f}"
        ),
        "6/rate": Statement(over_rate > over_steps, f"over the stated ranges {over_rate:.4f} against "
                                                    f"{over_steps:.4f} on average"),
    }  # fmt: skip


def _falls(falls: list[tuple[Member, Member]]) -> str:
    if not falls:
        return "no exception on the grid"
    a, b = falls[0]
    return f"{len(falls)} exceptions on our grid, such as {_told(a, b)}"


def _told(a: Member, b: Member) -> str:
    return (
        f"noise {a.noise:.3f} (rate {a.rate:.4f}, {a.steps} steps): at least {a.divergence[0]:.4f}, and noise "
        f"{b.noise:.3f} "
        f"(rate {b.rate:.4f}, {b.steps} steps): at most {b.divergence[1]:.4f}"
    )
