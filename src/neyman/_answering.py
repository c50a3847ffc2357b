"""What is called, or asked, by a name it does not have: answered with the line that would work.

The words people try are in ``_guesses``, which is read when something went wrong and not before.
"""

from __future__ import annotations

import inspect
from abc import ABCMeta
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from neyman._errors import UnknownArgument, more

__all__ = [
    "Answering",
    "Asked",
    "Room",
    "answered",
    "refuse_missing",
    "refuse_more",
    "refuse_unknown",
    "refuse_wrong",
    "refused_step",
]

_Made = TypeVar("_Made")


def answered(text: str, name: str, obj: object = None) -> AttributeError:
    """Return the error of a name that is not there; where it is answered, it names the page of guessed names too."""
    error = AttributeError(text, name=name, obj=obj)
    if "Write: " in text:
        error.add_note(more(UnknownArgument.topic))
    return error


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
    _called: ClassVar[str]  # "g", "m", "c" or "a", as the lines call it

    if not TYPE_CHECKING:  # a type checker is to know no verb that is not there

        def __getattr__(self, name: str) -> Any:
            from neyman._guesses import attribute

            raise answered(attribute(type(self).__name__, self._called, name), name, self)

        def __add__(self, other: object) -> Any:
            return _no_sum(self._called, other, f"{self._called} * {self._called}")

        def __radd__(self, other: object) -> Any:
            return _no_sum(self._called, other, f"{_COMPOSED.get(self._called)}([{self._called}, {self._called}])")

        def __matmul__(self, other: object) -> Any:
            return self.__add__(other)

        def __rmul__(self, other: object) -> Any:
            return self._no_product(other)

    def _no_product(self, other: object) -> Any:
        """Refuse a number in place of a factor: what runs several times is a power."""
        if self._called not in _COMPOSED or isinstance(other, bool) or not isinstance(other, int):
            return NotImplemented
        from neyman._guesses import write

        raise UnknownArgument("*", other, "** for several runs", write(f"{self._called} ** {max(other, 0)}"))


_COMPOSED = {"g": "ny.compose_tradeoffs", "m": "ny.compose"}  # how a list of them is composed


def _no_sum(called: str, other: object, line: str) -> Any:
    """Refuse a sum: what runs one after the other is a product."""
    if called not in _COMPOSED:
        return NotImplemented
    from neyman._guesses import write

    raise UnknownArgument("+", other, "*, which composes", write(line))


class Room(ModuleType):
    """A module that people call as if it were one of its functions: a ``TypeError`` says what to write."""

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Refuse."""
        from neyman._guesses import called_room

        error = TypeError(called_room(self.__name__))
        error.add_note(more(UnknownArgument.topic))
        raise error


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


def refuse_more(call: str, most: int, more: Sequence[object], told: Mapping[str, object]) -> None:
    """Refuse arguments by position beyond the ``most`` that there are.

    Raises
    ------
    UnknownArgument
        Always.
    """
    from neyman._guesses import line, write

    raise UnknownArgument("the number of arguments", most + len(more), f"at most {most}", write(line(call, told)))


def refused_step(more: Sequence[object], given: Mapping[str, object], unknown: Mapping[str, object]) -> UnknownArgument:
    """Return the refusal of a step of an accountant in other words, in order, or in none."""
    from neyman._guesses import line, unknown_argument, write

    if unknown:
        return unknown_argument("a.step", unknown, given)
    told = {**given, **dict(zip(given, more, strict=False))}
    name = next((one for one, value in given.items() if value is None), "noise_multiplier")
    return UnknownArgument(name, None, "given by name", write(line("a.step", told)))


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
