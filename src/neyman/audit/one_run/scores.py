"""From scores of the canaries of one run to guesses about them, ties included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from neyman._errors import InvalidParameter
from neyman._validate import choice, reals, unmasked, whole
from neyman.audit.one_run.run import OneRun, one_run

__all__ = ["one_run_from_scores"]

_GUESSED = ("both", "in", "out")
_UNFAIR = 1e-9  # fair coins are further from one half once in a thousand million audits


def one_run_from_scores(
    scores: Sequence[float] | NDArray[Any],
    members: Sequence[Any] | NDArray[Any],
    *,
    guesses: int | Sequence[int],
    guess: str = "both",
    confidence: float = 0.95,
    seed: int = 0,
) -> OneRun:
    """Audit one training run by the scores of its canaries: guess the extreme ones, abstain from the rest.

    Parameters
    ----------
    scores : array
        One finite score for each canary; larger where it seems to have been in the training set.
    members : array of bool
        Which canaries were in. Each by its own fair coin: shares that fair coins do not show are refused.
    guesses : int or sequence of int
        How many canaries to guess, fixed in advance; a list is paid for by a union bound (see ``one_run``).
    guess : str
        "in" guesses that the highest scores are in, "out" that the lowest are out, "both" does one half each (of an odd
        number the larger half in).
    confidence : float
        In (0, 1).
    seed : int
        Of the order among equal scores, which is drawn at random: an order that knows who is in would be no guess.

    Raises
    ------
    InvalidParameter
        If scores are not finite, lengths differ, ``members`` is no array of bools (or 0 and 1), or its share is far
        from one half; and as ``one_run``.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> members = rng.random(1000) < 0.5
    >>> found = one_run_from_scores(rng.normal(size=1000) + 4.0 * members, members, guesses=[100, 300])
    >>> found.guesses, found.correct, round(found.mu, 2)
    ((100, 300), (100, 300), 1.6)
    """
    values = reals("scores", scores)
    if values.ndim != 1:
        raise InvalidParameter("scores", f"an array of {values.ndim} dimensions", "a 1-d array of numbers")
    inside = _members(members, len(values))
    how = choice("guess", guess, _GUESSED)
    numbers = [guesses] if not isinstance(guesses, (Sequence, np.ndarray)) else list(guesses)
    shuffled = np.random.default_rng(whole("seed", seed, 0, 2**63)).permutation(len(values))
    ranked = inside[shuffled[np.argsort(values[shuffled], kind="stable")]]
    advice = f"There are {len(values)} canaries: at most as many guesses."
    made = [whole("guesses", r, 1, len(values), advice) for r in numbers]
    return one_run([_right(ranked, r, how) for r in made], made, len(values), confidence=confidence)


def _right(ranked: NDArray[np.bool_], guesses: int, how: str) -> int:
    """Right guesses, the canaries in the order of their scores."""
    top = {"both": (guesses + 1) // 2, "in": guesses, "out": 0}[how]
    bottom = guesses - top
    return int(np.sum(ranked[len(ranked) - top :]) + np.sum(~ranked[:bottom]))


def _members(members: object, n: int) -> NDArray[np.bool_]:
    raw = unmasked("members", members)
    if (
        raw is None
        or raw.ndim != 1
        or not (raw.dtype.kind == "b" or (raw.dtype.kind in "iuf" and bool(np.all((raw == 0) | (raw == 1)))))
    ):
        raise InvalidParameter("members", members, "a 1-d array of bools, or of 0 and 1")
    if len(raw) != n:
        raise InvalidParameter("members", len(raw), f"as long as scores is, {n}")
    inside = raw.astype(bool)
    count = int(np.sum(inside))
    if 2.0 * min(binom.cdf(count, n, 0.5), binom.sf(count - 1, n, 0.5)) < _UNFAIR:
        advice = f"{count} of {n} are members: each canary is to be in or out by its own fair coin."
        raise InvalidParameter("members", count / n, "a share that fair coins may show", advice)
    return inside
