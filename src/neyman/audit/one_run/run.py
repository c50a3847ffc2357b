"""One training run with many canaries: what its guesses prove."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import MAX_COUNT, inside, whole
from neyman.audit.evidence import Evidence, OperatingPoint
from neyman.audit.one_run.counts import Count
from neyman.audit.one_run.curve import curve_bound, impossible
from neyman.audit.one_run.epsilon import counting_bound
from neyman.audit.tangents import Tangents
from neyman.audit.words import at_least, at_most
from neyman.guarantees import Guarantee

__all__ = ["OneRun", "one_run"]

_LARGEST = 100.0  # of mu and epsilon: beyond, a single guess tells nothing more
_FIRST = 0.125  # where the search begins
_SHARP = 1e-6  # relative


class OneRun(Evidence):
    """What the right guesses of one training run prove (see ``one_run``)."""

    def __init__(self, counts: tuple[Count, ...], confidence: float) -> None:
        self._counts = counts
        self._confidence = confidence
        self._epsilons: dict[float, float] = {}

    @property
    def confidence(self) -> float:
        """The probability, in (0, 1), with which all bounds hold at once."""
        return self._confidence

    @property
    def method(self) -> str:
        """How the bounds are certified, in words."""
        tried = f", union bound over {len(self._counts)} numbers of guesses" if len(self._counts) > 1 else ""
        return f"one run: counting bound and f-DP recursion{tried}"

    @property
    def canaries(self) -> int:
        """How many canaries were in or out by a coin."""
        return self._counts[0].canaries

    @property
    def correct(self) -> tuple[int, ...]:
        """How many guesses were right, for each number of guesses that was fixed in advance."""
        return tuple(one.correct for one in self._counts)

    @property
    def guesses(self) -> tuple[int, ...]:
        """The numbers of guesses that were fixed in advance."""
        return tuple(one.guesses for one in self._counts)

    @property
    def mu(self) -> float:
        """A lower bound on mu, >= 0, rounded down: Gaussian privacy with this mu is refuted (0: nothing is)."""
        return self._mu

    @cached_property
    def _mu(self) -> float:
        return _largest(lambda mu: self._refutes(Tangents.gaussian(mu)), _LARGEST)

    @property
    def advantage(self) -> float:
        """A lower bound on the best membership advantage TPR - FPR, in [0, 1], rounded down."""
        return self._advantage

    @cached_property
    def _advantage(self) -> float:
        return _largest(lambda delta: self._refutes(Tangents.single(0.0, delta)), 1.0)

    def _epsilon(self, delta: float) -> float:
        if delta not in self._epsilons:
            self._epsilons[delta] = _largest(lambda eps: self._refutes(Tangents.single(eps, delta)), _LARGEST)
        return self._epsilons[delta]

    def p_value(self, claim: Guarantee) -> float:
        """Return a valid p-value, in [0, 1], of the hypothesis that ``claim`` holds, rounded up.

        Parameters
        ----------
        claim : Guarantee
            Of any kind. Asymmetric ones are read through ``claim.symmetrized()``, which is sound.

        Raises
        ------
        InvalidParameter
            If ``claim`` is not a guarantee.
        """
        tangents = Tangents.of(claim)
        least = min(min(counting_bound(tangents, one), curve_bound(tangents, one)) for one in self._counts)
        return min(1.0, len(self._counts) * least)

    def operating_point(self, claim: Guarantee) -> OperatingPoint:
        """Return the number of guesses at which ``claim`` is refuted, or comes nearest to it."""
        tangents = Tangents.of(claim)
        chances = [min(counting_bound(tangents, one), curve_bound(tangents, one)) for one in self._counts]
        best = int(np.argmin(chances))
        one = self._counts[best]
        said = (
            f"{one.correct} of {one.guesses} guesses about {one.canaries} canaries were right, and the claim makes as "
            f"many or more a chance of at most {at_most(chances[best])}"
        )
        return OperatingPoint(said)

    def _refutes(self, tangents: Tangents) -> bool:
        level = (1.0 - self._confidence) / len(self._counts) * (1.0 - 1e-12)
        if any(impossible(tangents.lines, one, level) for one in self._counts):  # the cheaper question
            return True
        return any(counting_bound(tangents, one) <= level for one in self._counts)

    def __str__(self) -> str:
        pairs = " or ".join(f"{one.correct} of {one.guesses}" for one in self._counts)
        return (
            f"{pairs} guesses right, {self.canaries} canaries in one run: mu >= {at_least(self.mu)}, "
            f"epsilon >= {at_least(self._epsilon(1e-5))} at delta = 1e-5, with confidence {self._confidence:g}"
        )

    def __repr__(self) -> str:
        return f"<OneRun: {self}>"


def one_run(
    correct: int | Sequence[int],
    guesses: int | Sequence[int],
    canaries: int,
    *,
    confidence: float = 0.95,
    choices: int = 2,
) -> OneRun:
    """Audit one training run by the number of right guesses about its canaries.

    Each of ``canaries`` records is put into the training set, or left out, by its own fair coin; then ONE model is
    trained. From the model the attack guesses some of the coins and abstains from the others.

    Parameters
    ----------
    correct : int or sequence of int
        How many guesses were right.
    guesses : int or sequence of int
        How many coins were guessed, at most: fixed before the model is seen (the most confident ``guesses``, say). A
        list of numbers of guesses, fixed in advance too, is paid for by a union bound; to choose the best number
        afterwards and to report that one alone is not valid.
    canaries : int
        How many coins were thrown, abstentions included.
    confidence : float
        In (0, 1), of all bounds at once.
    choices : int
        2 where a canary is in or out; k where each is one of k records, all alike likely, and the attack guesses which
        (for claims about replacing a record).

    Returns
    -------
    OneRun
        The evidence: ``mu``, ``epsilon(delta)``, ``advantage`` and ``p_value(claim)``.

    Raises
    ------
    InvalidParameter
        If a number lies outside its domain, or more guesses are right than were made, or more made than coins thrown.

    Notes
    -----
    Two bounds on the number of right guesses, each proved for every mechanism that keeps its claim; as both bound the
    same probability, the smaller one counts. The counting bound of Steinke, Nasr and Jagielski (2023), Privacy auditing
    with one (1) training run, with the sharp delta term of ``one_run_epsilon.py``, over all (epsilon, delta) that the
    claim implies; and the recursion of Mahloujifar, Melis and Chaudhuri (2025), Auditing f-differential privacy in one
    run, Algorithm 3, for the whole trade-off function.

    One run cannot prove everything: a mechanism that keeps its claim may reveal many coins at once in rare runs. At
    level p the recursion still allows, for any number of canaries, an accuracy a among all canaries up to
    p a = 1 - f(p (1 - a)). Guessing few, of which one is sure, proves more than guessing all.

    Examples
    --------
    >>> import neyman as ny
    >>> found = one_run(correct=95, guesses=100, canaries=1000)
    >>> round(found.mu, 3), round(found.epsilon(1e-5), 3), round(found.advantage, 3)
    (0.787, 2.172, 0.005)
    >>> found.p_value(ny.GDP(0.5)) < 0.05 < found.p_value(ny.GDP(1.0))
    True
    """
    m = whole("canaries", canaries, 1, MAX_COUNT)
    k = whole("choices", choices, 2, MAX_COUNT)
    level = inside("confidence", confidence, 0.0, 1.0)
    right, made = _listed("correct", correct), _listed("guesses", guesses)
    if len(right) != len(made):
        raise InvalidParameter("correct", correct, f"as many numbers as guesses has, {len(made)}")
    counts: list[Count] = []
    for c, r in zip(right, made, strict=True):
        whole("guesses", r, 1, m, f"There are {m} canaries: at most as many guesses.")
        whole("correct", c, 0, r, f"{r} guesses were made: at most as many are right.")
        counts.append(Count(int(c), int(r), m, k))
    return OneRun(tuple(counts), level)


def _listed(name: str, value: object) -> list[Any]:
    if isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, (str, bytes)):
        numbers = list(value)
        if not numbers:
            raise InvalidParameter(name, value, "a whole number or a non-empty list of them")
        return numbers
    return [value]


def _largest(refuted: Callable[[float], bool], end: float) -> float:
    """The largest parameter found refuted, 0 where none is: never above the exact inversion."""
    if not refuted(0.0):
        return 0.0
    low, high = 0.0, min(_FIRST, end)
    while high < end and refuted(high):
        low, high = high, min(2.0 * high, end)
    while high - low > _SHARP * high:
        middle = 0.5 * (low + high)
        if refuted(middle):
            low = middle
        else:
            high = middle
    return low
