"""``compare(a, b)``: which of two guarantees is more private, where, and what it costs to choose the other."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, Never

import numpy as np

from neyman._answering import refuse_wrong
from neyman._errors import InvalidParameter
from neyman._upward import Carded
from neyman.comparison.crossings import Crossing, Crossings, crossings
from neyman.comparison.hyperprior import Weighted, WeightedEstimate, weighted
from neyman.comparison.stretches import Stretch, in_words, stretches
from neyman.guarantees import (
    BLATANT,
    PERFECT,
    ComposedGuarantee,
    Given,
    Guarantee,
    OptimisticGuarantee,
    Satisfaction,
)
from neyman.guarantees.questions.regret import Divergence, divergences
from neyman.losses.enclosed.step import EnclosedStep
from neyman.mechanisms import Mechanism
from neyman.numerics.exact.decimals import outward
from neyman.understanding.subject import Subject

__all__ = ["Comparison", "compare"]

_SHARP = 1e-12  # to which both divergences are searched for
_TINY, _SHARE = 1e-6, 1e-3  # of Bayes error, and of what the other side certainly gives away: what nobody notices
_UNSEEN = 1e-9  # of a Bayes error: so little that a reader of the number alone would take it for a reservation

Subjects = Guarantee | Mechanism | str | os.PathLike[str] | Sequence[Any]
Order = Literal["more_private", "less_private", "equal", "incomparable", "undecided"]


def compare(a: Subjects | None = None, b: Subjects | None = None, **unknown: Never) -> Comparison:
    """Compare two guarantees for the same neighbours, whatever they are.

    Parameters
    ----------
    a, b : Guarantee, Mechanism, list, path or str
        Guarantees computed, given or combined, of one adjacency; or what ``account`` takes, which is accounted for
        under the neighbours of the other, "add_or_remove" if that has none of its own.

    Raises
    ------
    InvalidParameter
        If one is no guarantee or an optimistic one, or the adjacencies differ.

    Notes
    -----
    Kaissis et al. (2024), Beyond the calibration point: Delta(a || b) is the least k with f_a(alpha + k) - k <=
    f_b(alpha) for all alpha, which is max over priors of R_a - R_b, and max over real eps of (delta_b - delta_a) /
    (1 + e^eps). Both divergences are bracketed, 1e-10 wide where the profiles are as sharp and one place stands out; of
    curves that nearly coincide throughout, up to 1e-7: no grid decides.

    Examples
    --------
    >>> import neyman as ny
    >>> c = ny.compare(ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0)))
    >>> round(c.divergence, 8), round(c.reverse, 8), c.order, [round(x.prior, 3) for x in c.crossings]
    (0.00527221, 0.03413855, 'incomparable', [0.419, 0.581])
    >>> ny.compare("gaussian:1", "laplace:1").divergence == c.divergence
    True
    """
    if unknown or a is None or b is None:
        refuse_wrong("ny.compare", unknown, a=a, b=b)
    first, second = Subject.of("a", a), Subject.of("b", b)
    return Comparison(first.guarantee(_neighbours(first, second)), second.guarantee(_neighbours(second, first)))


def _neighbours(one: Subject, other: Subject) -> str | None:
    """Under which neighbours ``one`` is accounted for: its own, else those of the other."""
    return other.adjacency if one.adjacency is None else one.adjacency


class Comparison(Carded):
    """What it costs to choose ``b`` in place of ``a``, and the reverse; each value is computed when first asked for.

    ``print`` says who is more private and what it costs to choose the other. ``divergence`` and ``reverse`` are the
    Delta-divergences, ``distance`` is the symmetrised Delta-divergence; for approximate dominance up to a given delta
    see ``approximately_dominates``.
    """

    def __init__(self, a: Guarantee, b: Guarantee) -> None:
        for name, value in (("a", a), ("b", b)):
            if not isinstance(value, Guarantee) or isinstance(value, OptimisticGuarantee):
                advice = "Account for a mechanism first: ny.account(mechanism)."
                raise InvalidParameter(name, value, "a Guarantee", advice)
        if a.adjacency != b.adjacency:
            advice = "Account for both under one adjacency; a given guarantee is for add_or_remove."
            raise InvalidParameter("b", b.adjacency, f"a guarantee for the neighbours of a, {a.adjacency!r}", advice)
        self.a = a
        self.b = b

    @cached_property
    def _forth(self) -> Satisfaction:
        return self.a.satisfies(self.b)

    @cached_property
    def _back(self) -> Satisfaction:
        return self.b.satisfies(self.a)

    @cached_property
    def bounds(self) -> tuple[Divergence, Divergence]:
        """Certified brackets of Delta(a || b) and of Delta(b || a), with the real eps where each is attained."""
        forth, back = divergences(self.a.sides, self.b.sides, _SHARP)
        return (
            forth if forth.lower > 0.0 else _sharpened(forth, self._back),
            back if back.lower > 0.0 else _sharpened(back, self._forth),
        )

    @property
    def divergence(self) -> float:
        """Delta(a || b), from above: by how much ``b`` may be less private, in the attacker's Bayes error."""
        return self.bounds[0].upper

    @property
    def reverse(self) -> float:
        """Delta(b || a), from above."""
        return self.bounds[1].upper

    @property
    def distance(self) -> float:
        """The symmetrised Delta-divergence, the larger of the two, from above: a metric (Kaissis et al. 2024,
        Definition 3), Levy's of the distribution functions f_a(1 - alpha) and f_b(1 - alpha): see ``levy_distance``.
        """
        return max(self.divergence, self.reverse)

    @property
    def epsilon(self) -> float:
        """The real eps at which Delta(a || b) is attained (0 where it vanishes)."""
        return self.bounds[0].epsilon if self.bounds[0].lower > 0.0 else 0.0

    @property
    def prior(self) -> float:
        """The prior, P(record absent), at which Delta(a || b) is attained: 1 / (1 + e^-epsilon)."""
        return 1.0 / (1.0 + math.exp(-self.epsilon))

    @property
    def excess_advantage(self) -> float:
        """How much more membership advantage (total variation distance) ``b`` may give away than ``a``: delta_b(0) -
        delta_a(0), from above.
        """
        if self.divergence == 0.0:  # no attacker gains
            return 0.0
        zero = np.zeros(1)
        gain = float(self.b.sides.bracket(zero).upper[0] - self.a.sides.bracket(zero).lower[0])
        return max(math.nextafter(gain, math.inf), 0.0)

    @cached_property
    def _crossings(self) -> Crossings:
        if 0.0 in (self.divergence, self.reverse):  # one is nowhere above the other
            return Crossings((), 0.0)
        return crossings(self.a.sides, self.b.sides)

    @property
    def crossings(self) -> tuple[Crossing, ...]:
        """Where the two curves change places, by rising eps; see ``unseen``."""
        return self._crossings.found

    @property
    def unseen(self) -> float:
        """The Bayes error by which the curves may differ between crossings that are not listed: 1e-9, or what the
        profiles allow; 0 where the order rules crossings out.
        """
        return self._crossings.unseen

    @cached_property
    def order(self) -> Order:
        """Blackwell's order of ``a`` as seen from ``b``, proved from the certified brackets; ``verdict`` says it.

        "more_private": f_a >= f_b everywhere and somewhere above; "less_private": the reverse; "equal";
        "incomparable": each is better somewhere; "undecided": the certificates do not tell, see ``width``. How far b
        may be from being as private as a in any case is the divergence: "approximate dominance", see
        ``approximately_dominates``.
        """
        forth, back = self._forth.outcome, self._back.outcome
        answers: dict[tuple[str, str], Order] = {
            ("yes", "yes"): "equal", ("yes", "no"): "more_private", ("no", "yes"): "less_private",
            ("no", "no"): "incomparable",
        }  # fmt: skip
        return answers.get((forth, back), "undecided")

    @property
    def verdict(self) -> str:
        """Who is more private, as a sentence: what ``order`` says.

        Where the order is undecided or "incomparable", yet one divergence is certainly at most 1e-6, and at most a
        thousandth of the other, the sentence says who is more private but for that.

        Examples
        --------
        >>> import neyman as ny
        >>> ny.compare(ny.GDP(0.5), ny.GDP(1.0)).verdict
        'a is more private than b, against every attacker.'
        """
        if self.order in ("undecided", "incomparable"):
            forth, back = self.bounds
            for little, much, one, other in (back, forth, "a", "b"), (forth, back, "b", "a"):
                if little.upper <= min(_TINY, _SHARE * much.lower):
                    more = outward(little.upper, 3)
                    unseen = ", less than one attack in a billion" if little.upper <= _UNSEEN else ""
                    but = f"but for at most {more} of the attacker's Bayes error{unseen}"
                    return f"{one} is more private than {other}, {but}."
        return _ORDERS[self.order].format(width=outward(self.width, 2))

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """Which one is certainly safer between which false positive rates of an attack, by rising rate.

        Empty where one is nowhere less private, where not every crossing of theirs was found, and where they differ by
        no more than ``unseen``; ``crossings`` says the same of priors.

        Examples
        --------
        >>> import neyman as ny
        >>> c = ny.compare(ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0)))
        >>> [(one.safer, round(one.high, 3)) for one in c.stretches]
        [('b', 0.237), ('a', 0.389), ('b', 1.0)]
        """
        return stretches(self.a, self.b, self.crossings) if self.crossings else ()

    @property
    def attackers(self) -> str:
        """Which one is safer against which attackers, as a sentence; empty where the verdict is the same for all."""
        if not self.verdict.startswith("Neither"):
            return ""
        return in_words(self.stretches)

    @property
    def width(self) -> float:
        """How far apart, in Bayes error, the curves may still be where the order is undecided; 0 where it is not."""
        if self.order != "undecided":
            return 0.0
        open_ = [b.upper for b in self.bounds if b.lower <= 0.0]
        return max(open_, default=0.0)

    @property
    def note(self) -> str:
        """A warning where bounds are compared, not mechanisms; empty otherwise.

        A mechanism accounted for with an ``Opaque`` inside, or a product, is told from others only where the curve that
        was promised has no law of its own.
        """
        given = [repr(g) for g in (self.a, self.b) if _promised(g)]
        if not given:
            return ""
        return f"{' and '.join(given)}: what is promised is compared; the mechanism behind it may be more private."

    def weighted(self, hyperprior: Any) -> Weighted | WeightedEstimate:
        """Weigh the Bayes errors by a law of the attacker's prior, both ways.

        Parameters
        ----------
        hyperprior : frozen distribution of scipy.stats on [0, 1], or UQuadratic()
            Its density multiplies the Bayes errors at each prior, P(record absent). Jeffreys': scipy.stats.beta(0.5,
            0.5). A narrow belief, an attacker whose prior is between 0.1 and 0.2: scipy.stats.uniform(0.1, 0.1).

        Returns
        -------
        Weighted
            For Beta laws on [0, 1], uniform laws on any part of it and ``UQuadratic()``: max over priors of density
            (R_a - R_b), and of density (R_b - R_a), certified from both sides (1e-10 apart, relatively, where the
            profiles are as sharp), with the preference that follows, "undecided" where the brackets overlap.
        WeightedEstimate
            For any other law: the same by search, without a promise.

        Raises
        ------
        InvalidParameter
            If it is no continuous distribution on [0, 1], or not frozen.

        Notes
        -----
        Kaissis et al. (2024), Beyond the calibration point, Section 5: the maximum is taken over the prior, of the
        density times the difference; it is no expectation, and it is not normalised by the density's peak. A density
        may grow without end as the prior tends to 0 or 1, yet the maximum is finite: the difference is at most
        min(prior, 1 - prior) there.

        Examples
        --------
        >>> import neyman as ny
        >>> c = ny.compare(ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0)))
        >>> c.weighted(ny.comparison.UQuadratic()).preferred
        'b'
        """
        forth, back = self.bounds
        return weighted(self.a.sides, self.b.sides, hyperprior, (forth.upper == 0.0, back.upper == 0.0))

    def __str__(self) -> str:
        """The sentences for a person: who is more private, and what it costs to choose the other."""
        cost, other = self.bounds
        parts = [
            self.verdict,
            self.attackers,
            f"Choosing b instead of a costs at most {outward(cost.upper, 3)} of the attacker's Bayes error"
            + (f", at prior {self.prior:.3g} (P(record absent))" if cost.lower > 0.0 else "")
            + f"; choosing a instead of b at most {outward(other.upper, 3)}.",
            self.note,
        ]
        return " ".join(part for part in parts if part)

    def __repr__(self) -> str:
        return f"<Comparison: {self.order}, {self.divergence:.6g} and {self.reverse:.6g}>"


def _sharpened(found: Divergence, answer: Satisfaction) -> Divergence:
    """Delta(mine || other), by whether ``other`` satisfies what ``mine`` promises: then, and then only, it is 0."""
    if answer:
        return Divergence(0.0, 0.0, 0.0)
    if answer.outcome == "undecided":  # nowhere do the deltas differ by more, and 1 + e^eps or 1 + e^-eps is 2 or more
        return replace(found, upper=min(found.upper, max(0.5 * answer.excess, 5e-324)))  # not proved to be 0
    return found


def _promised(g: Guarantee) -> bool:
    """Whether ``g`` is known to be a bound, given or combined, and not what a mechanism does."""
    if isinstance(g, Given):
        return True
    if g is PERFECT or g is BLATANT:
        return False
    losses = g.losses if isinstance(g, ComposedGuarantee) else None
    return losses is None or any(isinstance(step, EnclosedStep) and step.only_promised for step, _ in losses)


_ORDERS: dict[Order, str] = {
    "more_private": "a is more private than b, against every attacker.",
    "less_private": "b is more private than a, against every attacker.",
    "equal": "a and b are equally private, against every attacker.",
    "incomparable": "Neither is more private than the other: a is against some attackers, b against others.",
    "undecided": "Whether a or b is more private cannot be told within {width}.",
}
