"""Composition: several mechanisms run on the same records, in any order, later ones free to look at earlier outputs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from neyman._errors import InvalidParameter
from neyman._validate import MAX_COUNT, alike, count, whole
from neyman.mechanisms.base import Mechanism, Part, SingleStep

__all__ = ["Composition", "compose", "remembering", "repeat", "several_steps"]

_ALLOWED = "given one by one, or in one list"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Composition(Mechanism):
    """A bag of single steps, in normal form; built by ``*``, ``**`` and ``compose``.

    Steps of the same law are counted together, those of count 0 dropped, the rest sorted. The empty bag is perfect
    privacy.

    Parameters
    ----------
    steps : tuple of (SingleStep, int)
        In any order and with repetitions; stored in normal form. Counts are whole numbers from 0 to 1e18, also when
        added up.
    records : int, optional
        How many records the data set has, where that is known: ``dataset_size``. No part of the law.

    Raises
    ------
    InvalidParameter
        If a count leaves its domain.

    Examples
    --------
    >>> from neyman import Gaussian
    >>> m = Gaussian(2.0).poisson(0.5)
    >>> Composition(((m, 2), (m, 3)))
    Gaussian(sigma=2.0, sensitivity=1.0).poisson(0.5) ** 5
    """

    steps: tuple[Part, ...]
    records: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", _normal(self.steps))
        if self.records is not None:
            object.__setattr__(self, "records", whole("dataset_size", self.records, 1, MAX_COUNT))

    def __repr__(self) -> str:
        if not self.steps:
            return "compose([])"
        return " * ".join(f"{step!r} ** {n}" if n > 1 else repr(step) for step, n in self.steps)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The normal form."""
        return self.steps

    @property
    def dataset_size(self) -> int | None:
        """How many records the data set has, where that is known."""
        return self.records

    @property
    def several(self) -> bool:
        """Whether it is more than one step, which no one sample can be shared by."""
        return sum(n for _, n in self.steps) > 1

    def _sampled(self, rate: float) -> Mechanism:
        if self.several:
            raise several_steps("mechanism", self)
        return remembering(self.steps[0][0].poisson(rate), self.records) if self.steps else self

    def to_node(self) -> dict[str, object]:
        """Return the dict form without the schema number."""
        nodes = [_repeated(step.to_node(), n) for step, n in self.steps]
        return nodes[0] if len(nodes) == 1 else {"kind": "compose", "of": nodes}


def compose(*mechanisms: Mechanism | Iterable[Mechanism]) -> Mechanism:
    """Return the composition of any number of mechanisms, in normal form.

    Parameters
    ----------
    *mechanisms : Mechanism, or one iterable of Mechanism
        One by one, or in one list. None at all gives perfect privacy, one gives that one. All run on the same records:
        the ``dataset_size`` that any of them remembers is remembered (the largest, should they differ).

    Raises
    ------
    InvalidParameter
        If something in it is not a mechanism, or more than 1e18 equal steps come together.

    Examples
    --------
    >>> from neyman import DPSGD, Gaussian, compose
    >>> compose(DPSGD(1.0, 0.01, steps) for steps in (100, 200))
    Gaussian(sigma=1.0, sensitivity=1.0).poisson(0.01) ** 300
    >>> compose(Gaussian(1.0), Gaussian(1.0)) == compose([Gaussian(1.0), Gaussian(1.0)])
    True
    """
    parts: list[Part] = []
    sizes: list[int] = []
    for index, mechanism in enumerate(alike("mechanisms", mechanisms, Mechanism, _ALLOWED)):
        if not isinstance(mechanism, Mechanism):
            raise InvalidParameter(f"mechanisms[{index}]", mechanism, "a mechanism")
        parts.extend(mechanism.parts)
        sizes.extend(size for size in (mechanism.dataset_size,) if size is not None)
    return _collapsed(parts, max(sizes, default=None))


def repeat(mechanism: Mechanism, times: int) -> Mechanism:
    """Return ``times`` (a valid count) independent runs of one mechanism."""
    if times == 1:
        return mechanism
    return _collapsed([(step, n * times) for step, n in mechanism.parts], mechanism.dataset_size)


def remembering(mechanism: Mechanism, dataset_size: int | None) -> Mechanism:
    """Return the same mechanism, run on a data set of so many records; None leaves it as it is."""
    return mechanism if dataset_size is None else Composition(mechanism.parts, dataset_size)


def several_steps(name: str, value: Mechanism) -> InvalidParameter:
    """Return the refusal to sample a composition."""
    advice = "A sample shared by several steps is another mechanism: sample each step first, m.poisson(rate) ** n."
    return InvalidParameter(name, value, "a single step to be sampled", advice)


def _collapsed(parts: list[Part], dataset_size: int | None = None) -> Mechanism:
    made = Composition(tuple(parts), dataset_size)
    return made.steps[0][0] if len(made.steps) == 1 and not made.several and dataset_size is None else made


def _repeated(node: dict[str, object], n: int) -> dict[str, object]:
    return {"kind": "repeat", "times": n, "of": node} if n > 1 else node


def _normal(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    advice = "Equal steps are counted together."
    counted = [(step, count("count", n, advice)) for step, n in (_merged(parts) if len(parts) > 1 else parts)]
    return tuple(part for part in counted if part[1] > 0)


def _merged(parts: tuple[Part, ...]) -> list[Part]:
    merged: dict[Hashable, Part] = {}
    for step, n in parts:
        known, before = merged.get(step.law, (step, 0))
        # Steps of one law may be spelled differently (sigma 2, sensitivity 2): keep the spelling that sorts first.
        merged[step.law] = (min(known, step, key=_order), before + n)
    return sorted(merged.values(), key=lambda part: part[0].order)


def _order(step: SingleStep) -> tuple[Any, ...]:
    return step.order
