"""The questions of a training loop, each answered by the guarantee of everything so far."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from neyman._answering import Asked
from neyman._validate import FloatArray
from neyman.accountants.tables import FPR_TABLE, ErrorRates, MuAndRegret
from neyman.guarantees.computed import ComposedGuarantee

__all__ = ["Answers"]


class Answers(Asked):
    """What can be asked of an accountant, under the names that training code expects."""

    _called: ClassVar[str] = "a"

    @abstractmethod
    def guarantee(self) -> ComposedGuarantee:
        """Return the guarantee of everything counted so far."""

    @overload
    def get_epsilon(self, delta: float) -> float: ...
    @overload
    def get_epsilon(self, delta: NDArray[Any]) -> FloatArray: ...
    def get_epsilon(self, delta: float | NDArray[Any]) -> float | FloatArray:
        """Return ``guarantee().epsilon(delta)``, rounded up.

        Asked again and again while a run of sampled Gaussian steps goes on, it is answered from lines that were laid
        for more steps than there were, certified as ever: from that of ``guarantee()`` its delta differs by 1e-9 of
        itself at most.
        """
        found = self._going_on(delta) if isinstance(delta, float) and 0.0 < delta < 1.0 else None
        return self.guarantee().epsilon(delta) if found is None else found

    def _going_on(self, delta: float) -> float | None:
        """The same, where it is at hand of a run that goes on."""
        return None

    @overload
    def get_beta(self, alpha: None = None) -> ErrorRates: ...
    @overload
    def get_beta(self, alpha: float) -> float: ...
    @overload
    def get_beta(self, alpha: NDArray[Any]) -> FloatArray: ...
    def get_beta(self, alpha: float | NDArray[Any] | None = None) -> float | FloatArray | ErrorRates:
        """Return ``guarantee().beta(alpha)``, rounded down; without ``alpha`` a table, from 1e-10 to 0.1."""
        if alpha is not None:
            return self.guarantee().beta(alpha)
        rates = np.array(FPR_TABLE)
        return ErrorRates(rates, self.guarantee().beta(rates))

    def get_mu_and_regret(self, floor: float = 1e-10) -> MuAndRegret:
        """Return mu at ``floor`` and its regret: ``guarantee().gdp(floor)`` has the rest of the statement."""
        report = self.guarantee().gdp(floor)
        return MuAndRegret(report.mu, report.regret)

    def get_advantage(self) -> float:
        """Return ``guarantee().advantage``, rounded up."""
        return self.guarantee().advantage
