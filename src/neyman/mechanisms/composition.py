"""Composition: several mechanisms run on the same records, in any order, later ones free to look at earlier outputs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from neyman._errors import InvalidParameter
from neyman._validate import alike, count
from neyman.mechanisms.base import Mechanism, Part, SingleStep

__all__ = ["Composition", "compose", "repeat", "several_steps"]

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

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", _normal(self.steps))

    def __repr__(self) -> str:
        if not self.steps:
            return "compose([])"
        return " * ".join(f"{step!r} ** {n}" if n > 1 else repr(step) for step, n in self.steps)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The normal form."""
        return self.steps

    def _sampled(self, rate: float) -> Mechanism:
        if not self.steps:
            return self
        raise several_steps("mechanism", self)

    def to_node(self) -> dict[str, object]:
        """Return the dict form without the schema number."""
        nodes = [_repeated(step.to_node(), n) for step, n in self.steps]
        return nodes[0] if len(nodes) == 1 else {"kind": "compose", "of": nodes}


def compose(*mechanisms: Mechanism | Iterable[Mechanism]) -> Mechanism:
    """Return the composition of any number of mechanisms, in normal form.

    Parameters
    ----------
    *mechanisms : Mechanism, or one iterable of Mechanism
        One by one, or in one list. None at all gives perfect privacy, one gives that one.

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
    for index, mechanism in enumerate(alike("mechanisms", mechanisms, Mechanism, _ALLOWED)):
        if not isinstance(mechanism, Mechanism):
            raise InvalidParameter(f"mechanisms[{index}]", mechanism, "a mechanism")
        parts.extend(mechanism.parts)
    return _collapsed(parts)


def repeat(mechanism: Mechanism, times: int) -> Mechanism:
    """Return ``times`` (a valid count) independent runs of one mechanism."""
    return mechanism if times == 1 else _collapsed([(step, n * times) for step, n in mechanism.parts])


def several_steps(name: str, value: Mechanism) -> InvalidParameter:
    """Return the refusal to sample a composition."""
    advice = "A sample shared by several steps is another mechanism: sample each step first, m.poisson(rate) ** n."
    return InvalidParameter(name, value, "a single step to be sampled", advice)


def _collapsed(parts: list[Part]) -> Mechanism:
    whole = Composition(tuple(parts))
    return whole.steps[0][0] if len(whole.steps) == 1 and whole.steps[0][1] == 1 else whole


def _repeated(node: dict[str, object], n: int) -> dict[str, object]:
    return {"kind": "repeat", "times": n, "of": node} if n > 1 else node


def _normal(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    merged: dict[Hashable, Part] = {}
    for step, n in parts:
        known, before = merged.get(step.law, (step, 0))
        # Steps of one law may be spelled differently (sigma 2, sensitivity 2): keep the spelling that sorts first.
        merged[step.law] = (min(known, step, key=_order), before + n)
    advice = "Equal steps are counted together."
    counted = [(step, count("count", n, advice)) for step, n in merged.values()]
    return tuple(sorted((part for part in counted if part[1] > 0), key=lambda part: part[0].order))


def _order(step: SingleStep) -> tuple[Any, ...]:
    return step.order
