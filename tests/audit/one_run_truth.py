"""The truth about one run, for few canaries: the best attack on any mechanism that keeps a claim, by enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix
from scipy.stats import binom, norm


def outputs(m: int, r: int, choices: int = 2) -> np.ndarray:
    """All guesses of at most r of m coins: the sides are 1, 2, ..., and 0 is an abstention."""
    return np.array([t for t in product(range(choices + 1), repeat=m) if np.count_nonzero(t) <= r])


def most(m: int, r: int, c: int, tangents: list[tuple[float, float]], choices: int = 2) -> float:
    """The largest P(at least c right) over all mechanisms that are (eps, delta)-private for every pair of ``tangents``.

    A linear programme over all conditional laws of the guesses given the coins.
    """
    coins = np.array(list(product(range(1, choices + 1), repeat=m)))
    guesses = outputs(m, r, choices)
    n, k = len(coins), len(guesses)
    value = np.array([[np.sum(s == t) >= c for t in guesses] for s in coins]) / n
    pairs = [(a, b) for a in range(n) for b in range(n) if np.sum(coins[a] != coins[b]) == 1]
    rows, cols, data, bounds = [], [], [], []
    row, slack = 0, n * k
    for eps, delta in tangents:
        for a, b in pairs:  # P_a(t) - e^eps P_b(t) <= u_t, sum u_t <= delta
            for t in range(k):
                rows += [row] * 3
                cols += [a * k + t, b * k + t, slack + t]
                data += [1.0, -np.exp(eps), -1.0]
                bounds.append(0.0)
                row += 1
            rows += [row] * k
            cols += range(slack, slack + k)
            data += [1.0] * k
            bounds.append(delta)
            row, slack = row + 1, slack + k
    equal = coo_matrix((np.ones(n * k), (np.repeat(np.arange(n), k), np.arange(n * k))), shape=(n, slack))
    cost = np.zeros(slack)
    cost[: n * k] = -value.ravel()
    below = coo_matrix((data, (rows, cols)), shape=(row, slack))
    found = linprog(cost, A_ub=below.tocsr(), b_ub=bounds, A_eq=equal.tocsr(), b_eq=np.ones(n), bounds=(0, None))
    return float(-found.fun)


def published_p_value(m: int, r: int, v: int, eps: float, delta: float) -> float:
    """Steinke, Nasr and Jagielski (2023), Corollary 5.4."""
    q = 1.0 / (1.0 + np.exp(-eps))
    tail = float(binom.sf(v - 1, r, q))
    shifts = np.arange(1, v + 1)
    ratio = np.cumsum(binom.pmf(v - shifts, r, q)) / shifts
    return min(1.0, tail + 2.0 * m * delta * float(np.max(ratio, initial=0.0)))


def published_epsilon(m: int, r: int, v: int, delta: float, level: float = 0.05) -> float:
    """The largest epsilon that the published p-value rejects."""
    low, high = 0.0, 30.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if published_p_value(m, r, v, middle, delta) < level else (low, middle)
    return low


def recursion_rejects(mu: float, m: int, r: int, c: int, level: float) -> bool:
    """Mahloujifar, Melis and Chaudhuri (2025), Algorithm 3, for Gaussian claims, in its own quantities."""
    right, wrong = level * c / m, level * (r - c) / m
    for i in range(c - 1, -1, -1):
        new = max(wrong, float(norm.cdf(norm.ppf(right) - mu)))
        if new == wrong:
            break
        right, wrong = right + i / (r - i) * (new - wrong), new
        if right + wrong > r / m:
            return True
    return False


def gaussian_delta(mu: float, eps: float) -> float:
    return float(norm.cdf(mu / 2 - eps / mu) - np.exp(eps) * norm.cdf(-mu / 2 - eps / mu))
