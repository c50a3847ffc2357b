"""Values that travel as what they were made from: another process makes them again, and computes nothing before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial, wraps
from typing import Any, ParamSpec, Self, SupportsIndex, TypeVar

__all__ = ["Recipe", "Remade", "remembered"]

_Asked = ParamSpec("_Asked")
_Made = TypeVar("_Made")

Recipe = tuple[Callable[..., Any], tuple[Any, ...]]
"""What is called to make a value again, and with what: what cannot be pickled of it, cannot be pickled of the value."""


class Remade:
    """A value, nothing of which ever changes but what it has computed; that is never pickled with it."""

    _recipe: Recipe | None = None

    def remember(self, recipe: Recipe) -> Self:
        """Keep how this was made, unless that is known already; return this."""
        if self._recipe is None:
            self._recipe = recipe
        return self

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return super().__reduce_ex__(protocol) if self._recipe is None else self._recipe

    def __getstate__(self) -> dict[str, Any]:
        kind = type(self)
        return {
            name: value
            for name, value in vars(self).items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


def remembered(make: Callable[_Asked, _Made]) -> Callable[_Asked, _Made]:
    """Let the values that ``make`` returns remember it, and what it was given."""

    @wraps(make)
    def making(*args: _Asked.args, **named: _Asked.kwargs) -> _Made:
        kept: Any = tuple(list(one) if isinstance(one, Iterator) else one for one in args)
        made: Any = make(*kept, **named)
        return made.remember((partial(making, **named) if named else making, kept))

    return making
