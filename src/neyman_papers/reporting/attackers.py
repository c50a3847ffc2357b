"""What the reporting paper says of attackers, of failures and of error rates, each asked of an example."""

from __future__ import annotations

from itertools import product

import numpy as np

from neyman._validate import FloatArray
from neyman.accounting import account
from neyman.comparison import compare
from neyman.guarantees import GDP, Guarantee
from neyman.mechanisms import Gaussian, RandomizedResponse
from neyman_papers.cases import CIFAR_RATE, dpsgd, fit, laplace, response
from neyman_papers.verdict import NEAR, Number, Ours, Statement
from neyman_papers.words import within

__all__ = ["attackers"]

_ALPHA: FloatArray = np.linspace(0.0, 1.0, 401)
_COPIES = 3  # randomised responses in a row


def attackers() -> dict[str, Ours]:
    """All of them."""
    null, other = _answers()
    events = np.array(list(product((0.0, 1.0), repeat=null.size)))
    fpr, fnr = events @ null, 1.0 - events @ other
    g = account(RandomizedResponse(1.0) ** _COPIES)
    least = float(np.min(fnr - np.asarray(g.beta(fpr))))
    best = max(float(np.min(np.abs(fpr - x) + np.abs(fnr - float(g.beta(x))))) for x in _corners(null))
    excess, half = np.maximum(null - other, 0.0).sum(), float(np.max(events @ (null - other)))
    return {
        "1/fnr": Statement(
            least > -NEAR and best < NEAR,
            f"three randomised responses, epsilon 1: of all {len(events)} tests none has an FNR below f at its FPR, "
            "and at each breakpoint of f one has just that",
        ),
        "e/variation": Statement(
            max(abs(float(excess) - half), abs(float(g.advantage) - half)) < NEAR,
            f"three randomised responses, epsilon 1: H_1 = {float(excess):.9f}, the largest difference over all "
            f"{len(events)} events {half:.9f}, advantage {float(g.advantage):.9f}",
        ),
        "d/facc": _below(g, null, other),
        **_one_rate(),
        **_promised(),
        "a.5/tight": _tight(),
    }


def _answers() -> tuple[FloatArray, FloatArray]:
    """The laws of three randomised responses, epsilon 1, over their eight answers."""
    keep = 1.0 / (1.0 + np.exp(-1.0))
    ones = np.array([sum(bits) for bits in product((0, 1), repeat=_COPIES)])
    null = keep ** (_COPIES - ones) * (1.0 - keep) ** ones
    return null, null[::-1]


def _corners(null: FloatArray) -> FloatArray:
    """Error rates at which f bends: those of the likelihood-ratio tests."""
    return np.cumsum(np.append(0.0, np.sort(np.unique(np.round(null, 12)))) * np.array([0.0, 1.0, 3.0, 3.0, 1.0]))


def _below(g: Guarantee, null: FloatArray, other: FloatArray) -> Statement:
    """The curve that an accountant certifies from below, against f by hand."""
    place = np.argsort(null / other)
    x, y = np.cumsum(np.append(0.0, null[place])), 1.0 - np.cumsum(np.append(0.0, other[place]))
    true = np.interp(_ALPHA, x, y)
    gap = true - np.asarray(g.beta(_ALPHA))
    return Statement(
        bool(np.all(gap >= -1e-12)),
        f"three randomised responses, epsilon 1: the certified curve is nowhere above f, and below it "
        f"{within(float(np.max(np.abs(gap))))}",
    )


def _one_rate() -> dict[str, Ours]:
    """What a small regret leaves of errors at one false positive rate, and of differences that the eye can see."""
    g = response(0.1)
    report = fit(g)[0]
    gap = np.asarray(g.optimistic.beta(_ALPHA)) - np.asarray(GDP(report.mu).beta(_ALPHA))
    last = dpsgd(9.4, CIFAR_RATE, 2000)
    seen = np.asarray(last.beta(_ALPHA)) - np.asarray(GDP(fit(last)[0].mu).beta(_ALPHA))
    r, summary = response(1.0), GDP(fit(response(1.0))[0].tail_mu)
    at = 1.0 / (1.0 + float(np.e))
    inner = _ALPHA[(np.abs(_ALPHA - at) > 0.01) & (_ALPHA > 0.0) & (_ALPHA < 1.0)]
    lost = float(np.min(np.asarray(r.beta(inner)) - np.asarray(summary.optimistic.beta(inner))))
    return {
        "d/any": Statement(
            float(np.max(gap)) <= 0.01,
            f"randomised response, epsilon 0.1: regret {report.regret:.4f}, and at FPR "
            f"{_ALPHA[int(np.argmax(gap))]:.3g} the least FNR is {float(np.max(gap)):.4f} smaller by mu than by f",
        ),
        "f/eye": Number.computed(100.0 * float(np.max(np.abs(seen))), "noise 9.4, floor 1e-10: the largest difference "
                                                                     "of the FNR, in percentage points"),
        "6.1/suboptimal": Statement(lost > 0.0, f"epsilon 1: at {inner.size} rates, but 0, 1 and those within 0.01 of "
                                    f"0.2689, the curve of mu is lower, by {lost:.1e} at least"),
    }  # fmt: skip


def _promised() -> dict[str, Ours]:
    """What holds always: pairs at every epsilon, the bound of mu*, and that privacy hangs on noise, rate and steps."""
    cases = {"Laplace": laplace(), "randomised response": response(1.0), "Gauss": account(Gaussian(1.0)),
             "DP-SGD": dpsgd(9.4, CIFAR_RATE, 2000)}  # fmt: skip
    profiles = [np.asarray(g.delta(np.linspace(-4.0, 8.0, 121))) for g in cases.values()]
    fine = all(bool(np.all((p >= 0.0) & (p <= 1.0)) and np.all(np.diff(p) <= 1e-12)) for p in profiles)
    runs = {"noise 2, rate 0.1, 400 steps": dpsgd(2.0, 0.1, 400), "noise 3": dpsgd(3.0, 0.1, 400),
            "rate 0.2": dpsgd(2.0, 0.2, 400), "800 steps": dpsgd(2.0, 0.1, 800)}  # fmt: skip
    found = {name: g.epsilon(1e-5) for name, g in runs.items()}
    base, quiet, often, longer = found.values()
    report = fit(response(1.0))[0]
    above = np.asarray(response(1.0).optimistic.beta(_ALPHA)) - np.asarray(GDP(report.tail_mu).beta(_ALPHA))
    return {
        "2.1/continuum": Statement(fine, f"{', '.join(cases)}: a delta at each of 121 epsilons from -4 to 8"),
        "2.2/depend": Statement(
            quiet < base < min(often, longer),
            "epsilon at delta 1e-5: " + ", ".join(f"{name} {value:.3f}" for name, value in found.items()),
        ),
        "d/no-failure": Statement(
            bool(np.all(above >= -NEAR)) and report.regret > 0.01,
            f"randomised response, epsilon 1: Delta = {report.regret:.4f}, and its curve lies below that of mu* at "
            f"none of {_ALPHA.size} rates",
        ),
    }


def _tight() -> Statement:
    """Equality in equation 13, asked of all neighbours at once."""
    one, half = laplace(), laplace(2.0)  # sensitivity 1 and 1/2, b = 1
    apart = compare(one, half).distance
    ranked = half.satisfies(one).outcome == "yes"
    return Statement(
        apart < NEAR if ranked else None,
        f"a count with Laplace noise, b = 1, databases that differ by 1 and by 1/2: the divergences of both cannot "
        f"equal those of one (P, Q), as their curves are {apart:.3f} apart; that of 1 dominates both, tightly",
    )
