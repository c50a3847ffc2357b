"""The baseline of a sweep: what settings are compared with, in a form that travels to other processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neyman._errors import InvalidParameter, NeymanError
from neyman.accounting import account
from neyman.guarantees import ComposedGuarantee, Guarantee, OptimisticGuarantee
from neyman.guarantees.dict_form import in_words
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.mechanisms import Mechanism

__all__ = ["Baseline"]

_ALLOWED = "a Mechanism, the guarantee of one, or a given guarantee such as ny.GDP(1.0)"


@dataclass(frozen=True, slots=True)
class Baseline:
    """A mechanism, which is accounted for wherever the answers are computed, or a given guarantee."""

    what: Mechanism | PessimisticGuarantee

    @classmethod
    def of(cls, value: object, adjacency: str) -> Baseline:
        """Return the baseline that the argument is, for the neighbours of a sweep.

        Raises
        ------
        InvalidParameter
            If it is none, or a guarantee for other neighbours.
        """
        if isinstance(value, Mechanism):
            return cls(value)
        if not isinstance(value, Guarantee) or isinstance(value, OptimisticGuarantee):
            raise InvalidParameter("baseline", value, _ALLOWED)
        if value.adjacency != adjacency:
            raise InvalidParameter("baseline", value.adjacency, f"a guarantee for {adjacency!r}, as the settings")
        if isinstance(value, ComposedGuarantee):
            if value.mechanism is None:
                raise InvalidParameter("baseline", value, _ALLOWED, "Give what the product is made of, composed.")
            return cls(value.mechanism)
        if not isinstance(value, PessimisticGuarantee):
            raise InvalidParameter("baseline", value, _ALLOWED)
        return cls(value)

    def guarantee(self, adjacency: str, tolerance: float, effort: float) -> Guarantee:
        """Return its guarantee, a new one each time: what is remembered of one setting decides no bit of another."""
        if isinstance(self.what, Mechanism):
            return account(self.what, adjacency=adjacency, tolerance=tolerance, effort=effort)
        return self.what

    @property
    def words(self) -> dict[str, Any] | None:
        """Its dict form; None where it has none."""
        if not isinstance(self.what, Mechanism):
            return in_words(self.what)
        try:
            return self.what.to_dict()
        except NeymanError:
            return None

    @property
    def told(self) -> Any:
        """What tells it from others, ready for JSON: its dict form, else what it looks like."""
        return self.words or repr(self.what)
