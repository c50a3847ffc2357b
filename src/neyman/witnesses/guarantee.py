"""A guarantee that hands out nothing but what the checker accepted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np

from neyman._errors import NotCertified
from neyman._upward import Carded
from neyman._validate import FloatArray, inside
from neyman.guarantees import ComposedGuarantee, Guarantee
from neyman.guarantees.verbs import Views
from neyman.witnesses.search import ROUNDS, proved, start
from neyman.witnesses.wanted import Places
from neyman_check.errors import NotProved

__all__ = ["ProvedGuarantee"]

_STAGES = (((0.0, 1e-12, 1e-9), 1), ((1e-9, 1e-7), 3), ((1e-6,), ROUNDS))
"""Relative to a number what is tried, one after the other, and with how many rounds of places; the checker decides."""
_TOGETHER = 20  # numbers of one proof: each looks at the places of all


class ProvedGuarantee(Carded, Views):
    """Every number was accepted by ``neyman_check`` in ball arithmetic before it is handed out.

    The engines only say where to look; what is handed out is theirs, or a little more on the safe side (a relative
    1e-6 at most). What the checker does not accept is ``NotCertified``, with the bracket of the engines.

    Parameters
    ----------
    computed : ComposedGuarantee
        Of a mechanism, as ``account`` returns it.

    Attributes
    ----------
    computed : ComposedGuarantee
        What the engines say.
    """

    def __init__(self, computed: ComposedGuarantee, *, twin: ProvedGuarantee | None = None) -> None:
        self.computed = computed
        self._twin = twin
        self._safe = twin is None or not twin._safe

    @property
    def adjacency(self) -> str:
        """Which neighbouring data sets the promise is about."""
        return self.computed.adjacency

    @property
    def dataset_size(self) -> int | None:
        """How many records the data set has, where the mechanism remembers it."""
        return self.computed.dataset_size

    @cached_property
    def optimistic(self) -> ProvedGuarantee:
        """The same from the other side: its answers and this one's enclose the truth, and are proved."""
        return ProvedGuarantee(self.computed, twin=self)

    @property
    def advantage(self) -> float:
        """The largest membership advantage TPR - FPR: delta(0)."""
        return self._one("advantage", {}, lambda g: g.advantage, True)

    @property
    def fixed_point(self) -> float:
        """The alpha at which f(alpha) = alpha."""
        return self._one("fixed_point", {}, lambda g: g.fixed_point, False)

    @property
    def auc(self) -> float:
        """The area under the ROC curve."""
        return self._one("auc", {}, lambda g: g.auc, True)

    def mu(self, floor: float = 1e-10) -> float:
        """Return the least mu with G_mu <= f wherever alpha and f(alpha) are at least ``floor``.

        Parameters
        ----------
        floor : float
            In (0, 0.5).

        Raises
        ------
        InvalidParameter
            If ``floor`` lies outside (0, 0.5).
        NotCertified
            If the checker does not accept it.
        """
        at = inside("floor", floor, 0.0, 0.5)
        return self._one("mu", {"floor": at}, lambda g: g.mu(at), True)

    def __reduce__(self) -> Any:
        if self._twin is not None and not self._safe:
            return attrgetter("optimistic"), (self._twin,)
        return ProvedGuarantee, (self.computed,)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.adjacency}, {self.computed.mechanism!r}>"

    @cached_property
    def _places(self) -> Places | None:
        if self._twin is not None:
            return self._twin._places  # what was found serves both
        try:
            return start(self._mechanism, self.adjacency)
        except NotProved:
            return None

    @property
    def _mechanism(self) -> dict[str, Any]:
        known = self.computed.mechanism
        return {} if known is None else known.to_dict()

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        return self._many("delta", "epsilon", epsilon, self._asked.delta(epsilon), True)

    def _epsilon(self, delta: FloatArray) -> FloatArray:
        return self._many("epsilon", "delta", delta, self._asked.epsilon(delta), True)

    def _beta(self, alpha: FloatArray) -> FloatArray:
        return self._many("beta", "alpha", alpha, self._asked.beta(alpha), False)

    def _power(self, fpr: FloatArray) -> FloatArray:
        if self.adjacency == "add":
            raise NotCertified(
                "roc", 0.0, 1.0, "of the direction 'add' alone the checker proves beta", topic="known-limits"
            )
        return self._many("tpr", "fpr", fpr, self._asked.roc(fpr), True)

    def _bayes_error(self, prior: FloatArray) -> FloatArray:
        return self._many("bayes_error", "prior", prior, self._asked.bayes_error(prior), False)

    def _renyi(self, order: FloatArray) -> FloatArray:
        raise NotCertified(
            "renyi", 0.0, math.inf, "the checker has no lemma for Renyi divergences", topic="known-limits"
        )

    def _zcdp(self) -> float:
        return self._one("zcdp", {}, lambda g: g.zcdp(), True)

    @property
    def _asked(self) -> Guarantee:
        """Whom the engines answer for."""
        return self.computed if self._safe else self.computed.optimistic

    def _one(self, quantity: str, given: dict[str, float], ask: Callable[[Guarantee], float], upper: bool) -> float:
        return self._accepted(quantity, [given], [float(ask(self._asked))], upper)[0]

    def _many(self, quantity: str, name: str, at: FloatArray, values: FloatArray, upper: bool) -> FloatArray:
        found: list[float] = []
        for i in range(0, len(at), _TOGETHER):
            given = [{name: float(x)} for x in at[i : i + _TOGETHER]]
            found += self._accepted(quantity, given, [float(x) for x in values[i : i + _TOGETHER]], upper)
        return np.array(found)

    def _accepted(
        self, quantity: str, given: Sequence[dict[str, float]], values: Sequence[float], upper: bool
    ) -> list[float]:
        """Each value, or one a little further out, that the checker accepts; ``upper``: the safe side is above."""
        most = upper == self._safe
        found: dict[int, float] = {i: x for i, x in enumerate(values) if x == math.inf and most}  # which says nothing
        why: dict[int, str] = {}
        for rooms, rounds in _STAGES:
            tried: list[tuple[int, float]] = []
            for i, value in enumerate(values):
                further = dict.fromkeys(value * (1.0 + (room if most else -room)) for room in rooms)
                tried += [(i, x) for x in further if i not in found and math.isfinite(x)]
            statements: list[dict[str, Any]] = [
                {"id": str(k), "quantity": quantity, "given": dict(given[i]), "at_most" if most else "at_least": x}
                for k, (i, x) in enumerate(tried)
            ]
            if not statements:
                break
            _, answers = proved(self._mechanism, self.adjacency, statements, self._places, rounds=rounds)
            for (i, x), answer in zip(tried, answers, strict=True):
                if answer.verdict == "proved":
                    found.setdefault(i, x)
                else:
                    why[i] = answer.reason
        for i, value in enumerate(values):
            if i not in found:
                where = ", ".join(f"{name}={x:.9g}" for name, x in given[i].items())
                ends = (0.0, value) if most else (value, math.inf)
                raise NotCertified(
                    f"{quantity}({where})", *ends, f"not proved: {why.get(i, 'it is infinite')}", topic="known-limits"
                )
        return [found[i] for i in range(len(values))]
