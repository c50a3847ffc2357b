"""Groups of curves that are straight between corners, against the corners of the curve applied k times in 60 digits."""

import itertools
import time

import mpmath as mp
import numpy as np
import pytest

import neyman as ny
from neyman.guarantees.questions.curve import tradeoff

mp.mp.dps = 60


def spread(rng, low, high):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def promised(pairs):
    """The corners of the least ROC curve below 1 and below the lines of the pairs, in either order."""
    lines = [(mp.mpf(0), mp.mpf(1))]
    for epsilon, delta in pairs:
        x, d = mp.exp(mp.mpf(epsilon)), mp.mpf(delta)
        lines += [(x, d), (1 / x, 1 - (1 - d) / x)]
    lines.sort(key=lambda line: (-line[0], line[1]))
    kept = []
    for slope, height in lines:
        if kept and kept[-1][0] == slope:
            continue
        while kept:
            x = (height - kept[-1][1]) / (kept[-1][0] - slope)
            before = (kept[-1][1] - kept[-2][1]) / (kept[-2][0] - kept[-1][0]) if len(kept) > 1 else mp.mpf(0)
            if x > before:
                break
            kept.pop()
        kept.append((slope, height))
    corners = [(mp.mpf(0), kept[0][1])]
    for (s, h), (slope, height) in itertools.pairwise(kept):
        x = (height - h) / (s - slope)
        corners.append((x, s * x + h))
    return corners if corners[-1][0] == 1 else [*corners, (mp.mpf(1), mp.mpf(1))]


def onward(corners, alpha):
    for (a, p), (b, q) in itertools.pairwise(corners):
        if alpha <= b:
            return p + (q - p) * (alpha - a) / (b - a)
    return mp.mpf(1)


def back(corners, power):
    if power < corners[0][1]:
        return None
    for (a, p), (b, q) in itertools.pairwise(corners):
        if power <= q and q > p:
            return a + (b - a) * (power - p) / (q - p)
    return None


def applied(corners, times):
    """The corners of the curve applied so many times."""
    found = []
    for alpha, power in corners:
        starts, ends = [alpha], [alpha, power]
        while len(starts) < times and (start := back(corners, starts[-1])) is not None:
            starts.append(start)
        while len(ends) <= times:
            ends.append(onward(corners, ends[-1]))
        found += [(start, ends[times - j]) for j, start in enumerate(starts)]
    return found


def drawn(rng):
    kind = rng.integers(4)
    if kind == 0:
        epsilon = spread(rng, 1e-8, 60.0)
        return ny.PureDP(epsilon), promised([(epsilon, 0.0)])
    if kind == 1:
        epsilon, delta = spread(rng, 1e-8, 60.0), spread(rng, 1e-30, 0.99)
        return ny.ApproximateDP(epsilon, delta), promised([(epsilon, delta)])
    if kind == 2:
        epsilons = sorted(spread(rng, 1e-6, 30.0) for _ in range(3))
        deltas = sorted((spread(rng, 1e-20, 0.9) for _ in range(3)), reverse=True)
        return ny.Profile(epsilons, deltas), promised(list(zip(epsilons, deltas, strict=True)))
    alphas = sorted(rng.uniform(1e-6, 1.0, 3).tolist())
    mu = spread(rng, 0.01, 5.0)
    betas = [0.999 * float(ny.GDP(mu).beta(alpha)) for alpha in alphas]
    inner = [(mp.mpf(a), 1 - mp.mpf(b)) for a, b in zip(alphas, betas, strict=True)]
    corners = [(mp.mpf(0), mp.mpf(0)), *inner, (mp.mpf(1), mp.mpf(1))]
    return ny.Tradeoff([0.0, *alphas, 1.0], [1.0, *betas, 0.0]), corners


@pytest.mark.parametrize("case", range(30))
def test_brackets_enclose_the_corners_and_are_sharp(case):
    rng = np.random.default_rng(case)
    one, corners = drawn(rng)
    times = int(rng.integers(2, 8))
    truth = applied(corners, times)
    g = one.group(times)
    end = min(g.sides.forward.end, 400.0)
    epsilon = np.concatenate([[0.0, 1.001 * end], rng.uniform(0.0, 0.999, 6) * end, [-spread(rng, 1e-9, 50.0)]])
    upper, lower, bracket = g.delta(epsilon), g.optimistic.delta(epsilon), g.sides.bracket(epsilon)
    for i, e in enumerate(epsilon):
        x = mp.exp(mp.mpf(float(e)))
        delta = max([p - x * a for a, p in truth] + [1 - x, mp.mpf(0)])
        gap = min([1 - p + x * a for a, p in truth] + [x, mp.mpf(1)])
        assert lower[i] <= delta * (1 + mp.mpf("1e-50"))
        assert delta <= upper[i] * (1 + mp.mpf("1e-50")) + mp.mpf("1e-50")
        assert upper[i] - lower[i] <= 1e-9 * upper[i] + 1e-12
        if gap > mp.mpf("1e-45"):
            assert bracket.log_gap_lower[i] - 1e-50 <= mp.log(gap) <= bracket.log_gap_upper[i] + 1e-50
            near = float(mp.log(gap)) - bracket.log_gap_lower[i] <= 1e-9 * (1.0 - float(mp.log(gap)))
            # once f ends before alpha = 1, what is left of it is a difference
            assert near or (truth[0][1] > 0 and np.exp(bracket.log_gap_lower[i]) >= float(gap) - 1e-12)


def test_large_groups_of_pairs_take_no_time():
    start = time.process_time()
    g = ny.ApproximateDP(0.01, 1e-9).group(300)
    epsilon = g.epsilon(1e-5)
    assert time.process_time() - start < 5.0  # as chains of points it was 84 s
    truth = applied(promised([(0.01, 1e-9)]), 300)
    x, y = mp.exp(mp.mpf(epsilon)), mp.exp(mp.mpf(epsilon) * (1 - mp.mpf("1e-9")))
    assert max(p - x * a for a, p in truth) <= 1e-5 < max(p - y * a for a, p in truth)
    assert epsilon * (1.0 - 1e-9) <= g.optimistic.epsilon(1e-5) <= epsilon


@pytest.mark.parametrize("one", [ny.ApproximateDP(0.25, 9e-6), ny.Tradeoff([0.0, 0.3, 1.0], [1.0 - 9e-6, 0.6, 0.0])])
def test_what_a_group_reveals_is_infinite_on_either_side(one):
    g = one.group(14)
    least = float(g.optimistic.delta(600.0))
    assert least >= 14 * 9e-6 * (1.0 - 1e-9)
    assert g.delta(1e9) <= least * (1.0 + 1e-9)
    assert g.epsilon(0.999 * least) == g.optimistic.epsilon(0.999 * least) == np.inf
    assert np.isfinite(g.epsilon(1.001 * least))
    assert g.mu(0.5 * least) == np.inf


def test_groups_of_promises_that_reveal_and_bend_know_it_too():
    g = ny.join(ny.ApproximateDP(1.0, 1e-3), ny.GDP(1.0)).group(3)
    assert g.epsilon(2e-3) == g.optimistic.epsilon(2e-3) == np.inf


def test_products_know_what_a_pair_reveals():
    g = ny.Profile([0.269], [0.33]) * ny.GDP(0.0236)
    assert g.sides.forward.revealed == 0.33
    assert g.epsilon(5.5e-6) == g.optimistic.epsilon(5.5e-6) == np.inf


DEEP = [([1.0, 30.0], 16, 1.0), ([1.0, 30.0], 16, -1e12), ([0.5, 3.0], 200, 1.0)]


@pytest.mark.parametrize(("epsilons", "times", "off"), DEEP)
def test_an_error_rate_far_below_that_of_one_record(
    epsilons: list[float], times: int, off: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """beta of 1e-197 was said to be at most 5e-324: the tangent was looked for at -1e12, where units are e^-1e12."""
    g = ny.Profile(epsilons, [0.3, 0.0]).group(times)
    if off < 0.0:
        monkeypatch.setattr(tradeoff, "tangent", lambda sides, alpha, *_: np.full_like(alpha, off))
    with mp.workdps(700):
        power = mp.mpf(0.6)
        for _ in range(times):
            lines = [mp.mpf(d) + mp.exp(e) * power for e, d in zip(epsilons, [0.3, 0.0], strict=True)]
            back = [1 - mp.exp(-e) * (1 - mp.mpf(d) - power) for e, d in zip(epsilons, [0.3, 0.0], strict=True)]
            power = min(*lines, *back, mp.mpf(1))
        missed = 1 - power
    assert 0 < missed < 1e-190
    assert g.beta(0.6) <= missed <= g.optimistic.beta(0.6)
    if off > 0.0:
        assert g.optimistic.beta(0.6) <= missed * 1.001
