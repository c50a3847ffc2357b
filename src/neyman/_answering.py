"""What is called, or asked, by a name it does not have: answered with the line that would work.

The words people try are in ``_guesses``, which is read when something went wrong and not before.
"""

from __future__ import annotations

import inspect
from abc import ABCMeta
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from neyman._errors import UnknownArgument

__all__ = ["Answering", "Asked", "refuse_missing", "refuse_unknown", "refuse_wrong"]

_Made = TypeVar("_Made")


class Answering(ABCMeta):
    """Of classes whose arguments people guess: a ``TypeError`` about them says what to write."""

    def __call__(cls: type[_Made], *args: Any, **kwargs: Any) -> _Made:
        """Make an instance, or say how one is made."""
        try:
            return super().__call__(*args, **kwargs)  # type: ignore[misc]
        except UnknownArgument:
            raise
        except TypeError as wrong:
            from neyman._guesses import misnamed

            answer = misnamed(cls, args, kwargs)
            if answer is None:
                raise
            raise answer from wrong

    @property
    def __signature__(cls) -> inspect.Signature:
        """That of the constructor, which ``inspect`` would not look for behind the one above."""
        own = inspect.signature(cls.__init__)
        return own.replace(parameters=list(own.parameters.values())[1:])


class Asked(metaclass=Answering):
    """Of objects whose verbs people guess: an ``AttributeError`` says what to write."""

    __slots__ = ()
    _called: ClassVar[str]  # "g" or "m", as the lines call it

    if not TYPE_CHECKING:  # a type checker is to know no verb that is not there

        def __getattr__(self, name: str) -> Any:
            from neyman._guesses import attribute

            raise AttributeError(attribute(type(self).__name__, self._called, name), name=name, obj=self)


def refuse_unknown(call: str, unknown: Mapping[str, object], /, **given: object) -> None:
    """Refuse keyword arguments that ``call`` does not have; what was ``given`` beside them stands in the line.

    Raises
    ------
    UnknownArgument
        If there are any.
    """
    if unknown:
        from neyman._guesses import unknown_argument

        raise unknown_argument(call, unknown, given)


def refuse_missing(call: str, given: Mapping[str, object]) -> None:
    """Refuse a call to which one of the arguments ``given`` is None.

    Raises
    ------
    UnknownArgument
        If one is.
    """
    for name, value in given.items():
        if value is None:
            from neyman._guesses import line, write

            raise UnknownArgument(name, None, "given", write(line(call, given)))


def refuse_wrong(call: str, unknown: Mapping[str, object], /, **needed: object) -> None:
    """Refuse arguments that ``call`` does not have, and None for one that it needs.

    Raises
    ------
    UnknownArgument
        If there are any.
    """
    refuse_unknown(call, unknown, **needed)
    refuse_missing(call, needed)
