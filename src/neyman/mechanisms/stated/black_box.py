"""A mechanism known by one worst pair of output laws, and by nothing else."""

from __future__ import annotations

from abc import abstractmethod

from neyman._errors import InvalidParameter
from neyman.losses.base import Step
from neyman.mechanisms.sampled.unsampled import Unsampled

__all__ = ["BlackBox"]


class BlackBox(Unsampled):
    """A step whose pair is the one that holds under the adjacency in use, whichever that is.

    Sampled, a record that is exchanged leaves a pair of mixtures with a third law, the one without either record, of
    which the pair says nothing.
    """

    __slots__ = ()

    def loss_at(self, rate: float, replace: bool) -> Step:
        """Return the privacy loss, unless it is sampled and ``replace`` asked for."""
        if replace and rate < 1.0:
            raise InvalidParameter(
                "adjacency", "replace", f'one of "add_or_remove", "add", "remove" for a sampled {type(self).__name__}',
                "No proof is known of which pair is worst when a record is exchanged inside a sampled black box.",
            )  # fmt: skip
        return self._pair(rate)

    @abstractmethod
    def _pair(self, rate: float) -> Step:
        """The pair, P mixed with Q where ``rate`` < 1."""
