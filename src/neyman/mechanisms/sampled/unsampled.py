"""A single step that sees every record: what each kind of mechanism derives from."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import fields
from typing import Any, ClassVar

from neyman.losses.base import Step
from neyman.mechanisms.base import Mechanism, SingleStep

__all__ = ["Unsampled"]


class Unsampled(SingleStep):
    """A step run on all records; ``poisson`` makes a sampled one of it."""

    __slots__ = ()

    kind: ClassVar[str]  # the name in the dict form

    @property
    def order(self) -> tuple[Any, ...]:
        """Sort key among steps: the kind, then the fields."""
        return (self.kind, *self._values().values())

    def loss(self, replace: bool = False) -> Step:
        """Return the privacy loss of this step alone."""
        return self.loss_at(1.0, replace)

    @abstractmethod
    def loss_at(self, rate: float, replace: bool) -> Step:
        """Return the privacy loss when a record takes part with probability ``rate``, 0 < rate <= 1."""

    def to_node(self) -> dict[str, object]:
        """Return the dict form without the schema number."""
        return {"kind": self.kind, **self._values()}

    def _sampled(self, rate: float) -> Mechanism:
        from neyman.mechanisms.sampled.poisson import PoissonSampled  # poisson.py builds on this file

        return PoissonSampled(self, rate)

    def _values(self) -> dict[str, object]:
        this: Any = self  # every kind is a dataclass
        return {field.name: getattr(this, field.name) for field in fields(this)}
