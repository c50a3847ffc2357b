"""How much work the answer to one question may take: counted before it is done, never by a clock.

A plan states its work in nominal nanoseconds (entries of a table times what one costs, as measured on one core), and is
carried out only where that much is left. What is refused is left out: the bracket is wider, and as true. The same
question asked of the same guarantee is therefore answered alike on every machine, however busy.

Memory follows from the same plans: tables are worked on in pieces, a lattice has at most 2^20 points of a few arrays
each, and quadratures whose tables would not fit are not begun.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

__all__ = ["EFFORT", "Effort", "question"]

EFFORT = 10.0  # nominal seconds that one question may take, unless more is asked for
_NANO = 1e9


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
        self._left = self._whole
        self._depth = 0
        self._refused = False

    @property
    def spent(self) -> bool:
        """Whether anything was refused since the question began."""
        return self._refused if self._of is None else self._of.spent

    def part(self, share: float, most: float) -> Effort:
        """The same allowance, of which no single piece of work may take more than ``share``, nor all together more than
        ``most``.
        """
        part = Effort()
        part._of, part._share, part._most = self, share, most
        return part

    def take(self, work: float, share: float = 1.0) -> bool:
        """Whether ``work`` nominal nanoseconds are left, no more than that ``share`` of all; if so, they are taken."""
        if self._of is not None:
            return self._taken_from(self._of, work)
        if not max(work, 1.0) <= min(self._left, share * self._whole):
            self._refused = True
            return False
        self._left -= work
        return True

    def _taken_from(self, whole: Effort, work: float) -> bool:
        used = work if self._questions != whole._questions else self._used + work
        share = self._share if used <= self._most * whole._whole else -1.0
        if not whole.take(work, share):
            return False
        self._used, self._questions = used, whole._questions
        return True

    def spend(self, work: float) -> None:
        """Count ``work`` that was done before anybody could say how much it would be."""
        if self._of is not None:
            self._used = work if self._questions != self._of._questions else self._used + work
            self._questions = self._of._questions
            self._of.spend(work)
        else:
            self._left -= work

    def __enter__(self) -> None:
        if self._depth == 0:
            self._left, self._refused = self._whole, False
            self._questions += 1
        self._depth += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._depth -= 1


class _Asked(Protocol):
    @property
    def effort(self) -> Effort: ...


_Who = TypeVar("_Who", bound=_Asked)
_What = ParamSpec("_What")
_Answer = TypeVar("_Answer")


def question(
    verb: Callable[Concatenate[_Who, _What], _Answer],
) -> Callable[Concatenate[_Who, _What], _Answer]:
    """Give a verb of a guarantee an allowance of its own, unless it is asked on behalf of another verb."""

    @wraps(verb)
    def asked(self: _Who, *args: _What.args, **more: _What.kwargs) -> Any:
        with self.effort:
            return verb(self, *args, **more)

    return asked
