"""Why delta lies where it is said to: who answered, and what each kind of error may have added."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = ["Certificate", "CertifiedDelta", "handed_on"]

_WIDTH = 14  # letters of the name of a term


@dataclass(frozen=True)
class Certificate:
    """Bounds on delta of one direction at one eps >= 0, and where their distance comes from.

    Attributes
    ----------
    epsilon, lower, upper : float
        delta(epsilon) lies in [lower, upper].
    supply : str
        What answered: a kind of contour, a tilt of a lattice, a closed form, an exact sum.
    nodes : int
        How many points it has (of a quadrature, of a lattice); 0 where it has none.
    rule : tuple of str
        Through whose hands the answer went, the outermost first.
    terms : mapping of str to float
        By how much each kind of error widens the bracket, in units of delta; together they are no less than
        ``upper - lower``, and more where bounds of other kinds cut it short. "aliasing": copies of the answer that a
        sum in place of an integral, or a transform of finite length, folds in. "truncation": what lies beyond the ends
        of a contour. "quadrature": the rule along a bent contour. "rounding": floating point. "lost mass": what was cut
        off a law, or sent to infinity. "division": losses moved to points of a lattice. "enclosure": a promise between
        two laws. "parting": a part of a law of which only a bound is used. "bounds": what is not told apart further.
    parts : tuple of Certificate
        Those of whom it was made, where it is not the answer of one of them.
    plan : mapping of str to float and others, or None
        What steering chose, in numbers alone, from which the same bounds follow again for whoever knows the law:
        of straight lines and of lattices.
    """

    epsilon: float
    lower: float
    upper: float
    supply: str
    nodes: int = 0
    rule: tuple[str, ...] = ()
    terms: Mapping[str, float] = field(default_factory=dict, hash=False)
    parts: tuple[Certificate, ...] = ()
    plan: Mapping[str, Any] | None = field(default=None, hash=False)

    @property
    def width(self) -> float:
        """upper - lower."""
        return self.upper - self.lower

    def through(self, rule: str) -> Certificate:
        """The same, handed on by ``rule``."""
        return replace(self, rule=(rule, *self.rule)) if rule else self

    def lines(self, indent: str = "") -> list[str]:
        """As it is printed."""
        nodes = f", {self.nodes} nodes" if self.nodes else ""
        by = f" ({'; '.join(self.rule)})" if self.rule else ""
        out = [f"{indent}{self.supply}{nodes}{by}", f"{indent}  [{self.lower!r}, {self.upper!r}]"]
        out += [f"{indent}  {name:<{_WIDTH}}{value:.2e}" for name, value in self.terms.items()]
        if self.plan is not None:
            numbers = (f"{name} {value:.6g}" for name, value in self.plan.items() if isinstance(value, float))
            out.append(f"{indent}  {'plan':<{_WIDTH}}{', '.join(numbers)}")
        for part in self.parts:
            out += part.lines(indent + "  ")
        return out

    def __str__(self) -> str:
        return "\n".join(self.lines())


@dataclass(frozen=True)
class CertifiedDelta:
    """delta at one real eps with the certificate of each direction that it is the larger of.

    Attributes
    ----------
    epsilon, lower, upper : float
        delta(epsilon) lies in [lower, upper]: these are what ``g.optimistic.delta`` and ``g.delta`` hand out.
    directions : mapping of str to Certificate
        "remove" and "add", or whichever the guarantee is about; "both" where they are one curve. For epsilon < 0 they
        are those of the reversed pair at -epsilon: delta(-e) = 1 - e^-e + e^-e delta_reversed(e).

    Examples
    --------
    >>> import neyman as ny
    >>> found = ny.account(ny.DPSGD(1.0, 0.01, 1000)).certificate(1.0)
    >>> sorted(found.directions), found.directions["remove"].supply
    (['add', 'remove'], 'straight line')
    >>> remove = found.directions["remove"]
    >>> sum(remove.terms.values()) >= remove.width, set(remove.terms) >= {"aliasing", "truncation", "rounding"}
    (True, True)
    """

    epsilon: float
    lower: float
    upper: float
    directions: Mapping[str, Certificate]

    def __str__(self) -> str:
        out = [f"delta({self.epsilon:g}) is in [{self.lower!r}, {self.upper!r}]"]
        for name, one in self.directions.items():
            at = f"{name}, reversed, at {one.epsilon:g}" if self.epsilon < 0.0 else name
            first, *rest = one.lines("  ")
            out += [f"{at}: {first.strip()}", *rest]
        return "\n".join(out)


def handed_on(own: Certificate, kind: str, rule: str, behind: Iterable[Certificate]) -> Certificate:
    """``own`` bounds, explained by those ``behind`` them: by one of whom they are, or by whom each of the two is.

    ``behind`` is asked no further than it takes. What nobody explains is called ``kind``.
    """
    seen: list[Certificate] = []
    for one in behind:
        if one.lower == own.lower and one.upper == own.upper:
            return one.through(rule)
        seen.append(one)
    above = next((one for one in seen if one.upper == own.upper), None)
    below = next((one for one in seen if one.lower == own.lower), None)
    parts = tuple(one for one in seen if one is above or one is below) or tuple(seen)
    width = math.nextafter(own.width, math.inf) if own.width > 0.0 else 0.0
    return replace(own, terms={kind: width}, parts=parts).through(rule)
