"""How much work the answer to one question may take: counted before it is done, never by a clock.

A plan states its work in nominal nanoseconds (entries of a table times what one costs, as measured on one core), and is
carried out only where that much is left. What is refused is left out: the bracket is wider, and as true. The same
question asked of the same guarantee is therefore answered alike on every machine, however busy.

While a question is answered its allowance is that of all work, whoever does it: a guarantee made of others is asked as
one, and what its parts were asked before does not count.

Questions are answered one at a time: what profiles keep from one to the next, and what is left of an effort, is that of
one question. Threads that ask at once wait for each other.

Memory follows from the same plans: tables are worked on in pieces, a lattice has at most 2^20 points of a few arrays
each, and quadratures whose tables would not fit are not begun.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from itertools import count
from threading import RLock
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

import numpy as np

from neyman._errors import NotCertified
from neyman._validate import FloatArray

__all__ = [
    "EFFORT",
    "Effort",
    "allowance",
    "cut_short",
    "ignored",
    "question",
    "questions",
    "readable",
    "shared_effort",
]

EFFORT = 10.0  # nominal seconds that one question may take, unless more is asked for
# allowances that an array may take whose places are asked one by one; nominal nanoseconds of each of these, at least
_MOST, _ALONE = 3.0, 5e7
_NANO = 1e9  # nanoseconds of a second


class Effort:
    """What is left of the work that one question may take; a question inside another shares its allowance.

    Parameters
    ----------
    seconds : float
        Nominal seconds for each question, > 0; inf: no limit.

    Examples
    --------
    >>> effort = Effort(1.0)
    >>> with effort:
    ...     effort.take(7e8), effort.take(7e8), effort.take(2e8)
    (True, False, True)
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self.seconds = seconds
        self._whole = seconds * _NANO
        self._of: Effort | None = None
        self._share = self._most = 1.0
        self._used = 0.0
        self._questions = 0
        self.left = self._whole  # nominal nanoseconds
        self.refused = False  # whether anything was, since the question began

    @property
    def spent(self) -> bool:
        """Whether anything was refused since the question began."""
        return self._ruling.refused

    @property
    def used(self) -> float:
        """Nominal nanoseconds that the last question of its own took."""
        return self._whole - self.left

    @property
    def question(self) -> int:
        """The number of the question that is being answered."""
        return self._ruling._questions

    @property
    def _ruling(self) -> Effort:
        """What counts: the allowance of the question that is being answered, if one is."""
        answered = _ANSWERED.get()
        if answered is not None:
            return answered[0]
        return self if self._of is None else self._of._ruling

    def part(self, share: float, most: float) -> Effort:
        """The same allowance, of which no single piece of work may take more than ``share``, nor all together more than
        ``most``.
        """
        part = Effort()
        part._of, part._share, part._most = self, share, most
        return part

    def take(self, work: float, share: float = 1.0) -> bool:
        """Whether ``work`` nominal nanoseconds are left, no more than that ``share`` of all; if so, they are taken."""
        whole = self._ruling
        if self._of is not None:
            used = work + self._used_of(whole)
            share = min(share, self._share) if used <= self._most * whole._whole else -1.0
        if not max(work, 1.0) <= min(whole.left, share * whole._whole):
            whole.refused = True
            return False
        self._count(work, whole)
        return True

    def spend(self, work: float) -> None:
        """Count ``work`` that was done before anybody could say how much it would be."""
        self._count(work, self._ruling)

    def _count(self, work: float, whole: Effort) -> None:
        whole.left -= work
        if self._of is not None:
            self._used, self._questions = work + self._used_of(whole), whole._questions

    def overdrawn(self) -> bool:
        """Whether readings took as much again as there was: then they are refused."""
        whole = self._ruling
        whole.refused = whole.refused or whole.left <= -whole._whole
        return whole.left <= -whole._whole

    def _used_of(self, whole: Effort) -> float:
        """How much of the allowance this part has taken since the question began."""
        return self._used if self._questions == whole._questions else 0.0

    def __enter__(self) -> None:
        _turn.acquire()
        answered = _ANSWERED.get()
        if answered is None:
            self.left, self.refused = self._whole, False
            self._questions = next(_NUMBERS)
        asked, depth = answered or (self, 0)
        _ANSWERED.set((asked, depth + 1))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        answered = _ANSWERED.get()
        if answered is not None:
            asked, depth = answered
            _ANSWERED.set((asked, depth - 1) if depth > 1 else None)
        _turn.release()


_ANSWERED: ContextVar[tuple[Effort, int] | None] = ContextVar("question", default=None)  # and how deep in verbs
_NUMBERS = count(1)  # of questions, no two of which have the same
_turn = RLock()


def _new_turn() -> None:
    """A process that was forked while another thread was answered has nobody to wait for."""
    global _turn
    _turn = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_turn)

_BOUNDLESS = Effort()


def allowance() -> Effort:
    """That of the question that is being answered; without limit where none is.

    Examples
    --------
    >>> with Effort(1.0):
    ...     allowance().take(7e8), allowance().take(7e8)
    (True, False)
    >>> allowance().take(1e30)
    True
    """
    answered = _ANSWERED.get()
    return _BOUNDLESS if answered is None else answered[0]


def readable(work: float) -> bool:
    """Whether a reading of ``work`` nominal nanoseconds, which no plan counted, may be done for the question that is
    being answered; if so, it is counted. Readings may overdraw, by as much again as there was and no more.

    Examples
    --------
    >>> with Effort(1.0):
    ...     readable(15e8), readable(6e8), readable(4e8), cut_short()
    (True, False, True, True)
    """
    answered = _ANSWERED.get()
    if answered is None:
        return True
    whole = answered[0]
    if not whole.left - work >= -whole.seconds * _NANO:
        whole.refused = True
        whole.left -= 1.0  # what has next to nothing left has nothing: searches end
        return False
    whole.left -= work
    return True


def cut_short() -> bool:
    """Whether anything was refused since the question that is being answered began."""
    answered = _ANSWERED.get()
    return answered is not None and answered[0].refused


class _Asked(Protocol):
    @property
    def effort(self) -> Effort: ...


def shared_effort(*asked: _Asked) -> Effort:
    """What a question about all of them may cost: as much as the one that may take longest."""
    return Effort(max(one.effort.seconds for one in asked))


_Who = TypeVar("_Who", bound=_Asked)
_What = ParamSpec("_What")
_Answer = TypeVar("_Answer")
_Verb = TypeVar("_Verb", bound=Callable[..., FloatArray])  # of one array


def question(
    verb: Callable[Concatenate[_Who, _What], _Answer],
) -> Callable[Concatenate[_Who, _What], _Answer]:
    """Give a verb of a guarantee an allowance of its own, unless it is asked on behalf of another verb."""

    @wraps(verb)
    def asked(self: _Who, *args: _What.args, **more: _What.kwargs) -> Any:
        if _ANSWERED.get() is not None:
            return verb(self, *args, **more)
        with self.effort:
            return verb(self, *args, **more)

    return asked


def questions(verb: _Verb) -> _Verb:
    """The same for a verb that takes an array: where it was cut short, each place is asked alone, with an allowance of
    its own, so that what is refused of one does not depend on the others. All together may take three allowances, and
    where they are so many that they would take more there is no beginning.
    """
    one = question(verb)

    @wraps(verb)
    def asked(self: Any, places: FloatArray) -> FloatArray:
        inner, refusal = _ANSWERED.get() is not None, None
        try:
            found = one(self, places)
        except NotCertified as error:
            found, refusal = np.empty(len(places)), error
        left, known = _MOST * self.effort.seconds * _NANO, 0
        if not inner and self.effort.spent and 1 < len(places) <= left / _ALONE:
            while known < len(places) and left > 0.0:
                try:
                    found[known] = one(self, places[known : known + 1])[0]
                except NotCertified:
                    if refusal is not None:  # else what was found together holds
                        raise
                left -= max(self.effort.used, _ALONE)
                known += 1
        if refusal is not None and known < len(places):
            raise refusal
        return found

    return cast("_Verb", asked)


def ignored(work: float) -> None:
    """Count no work."""
