"""``answer``: a question of the page in JSON, a certified answer in JSON, never an error."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from threading import RLock

from neyman._errors import InvalidParameter, NeymanError, NotCertified
from neyman._version import __version__
from neyman.explorer.asking.questions import VERSION, Question, question_of
from neyman.explorer.asking.settings import Settings, settings_of
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.mechanisms import Mechanism

__all__ = ["EFFORT", "Answers", "answer", "refusal"]

EFFORT = 2.0  # nominal seconds that one number may take
_KEPT = 16  # guarantees of recent settings: people drag back and forth

Answer = dict[str, object]


class Answers:
    """Answers questions, one at a time; what was computed for recent settings is kept.

    Parameters
    ----------
    given : mapping of str to Settings
        What was handed over at the start, by name.
    """

    def __init__(self, given: Mapping[str, Settings] | None = None) -> None:
        self.given = dict(given or {})
        self._kept: OrderedDict[Settings, tuple[Mechanism, PessimisticGuarantee]] = OrderedDict()
        self._turn = RLock()

    def __call__(self, question: object) -> Answer:
        """Return the answer, or a refusal that says what is allowed."""
        try:
            with self._turn:
                found = self._answered(question_of(question, self.given))
            return {"v": VERSION, "ok": True, "engine": "native", "version": __version__, **found}
        except InvalidParameter as error:
            return refusal("invalid", str(error), error.name, error.allowed, error.advice)
        except NotCertified as error:
            return refusal("too_long" if "effort" in error.reason else "not_certified", str(error))
        except NeymanError as error:  # a package is missing, say
            return refusal("invalid", str(error))
        except MemoryError:
            return refusal("too_long", "Memory ran out before there was an answer: nothing was decided.")
        except Exception as error:  # noqa: BLE001 a page must not wait for an answer that never comes
            return refusal("not_certified", f"No answer: {type(error).__name__} (not foreseen: please report it).")

    def of(self, settings: Settings) -> tuple[Mechanism, PessimisticGuarantee]:
        """Return what was run, and its guarantee, computed once."""
        if settings not in self._kept:
            self._kept[settings] = settings.accounted(EFFORT)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(settings)
        return self._kept[settings]

    def _answered(self, question: Question) -> Answer:
        asked = {
            "promise": self._promise, "solve": self._solve, "compare": self._compare, "report": self._report,
            "copy": self._copy,
        }  # fmt: skip
        return asked[question.ask](question)

    def _promise(self, question: Question) -> Answer:
        from neyman.explorer.answering.promise import promised

        return promised(question.settings, *self.of(question.settings), question.at)

    def _solve(self, question: Question) -> Answer:
        from neyman.explorer.answering.solving import solved
        from neyman.explorer.answering.wanted import wanted_of

        def other(raw: object) -> PessimisticGuarantee:
            return self.of(settings_of("other", raw, self.given))[1]

        wanted = wanted_of(question.target, question.at, other)
        found = solved(question.settings, question.free, wanted, lambda settings: self.of(settings)[1], EFFORT)
        return {**self._promise(replace(question, settings=found.settings)), "solved": found.to_dict()}

    def _compare(self, question: Question) -> Answer:
        from neyman.explorer.answering.comparing import compared

        if question.other is None:
            raise InvalidParameter("other", None, "given")
        found = compared(self.of(question.settings)[1], self.of(question.other)[1])
        b = replace(question, settings=question.other)
        return {"a": self._promise(question), "b": self._promise(b), **found}

    def _report(self, question: Question) -> Answer:
        from neyman.explorer.answering.copies import reported

        return reported(*self.of(question.settings), question.at)

    def _copy(self, question: Question) -> Answer:
        from neyman.explorer.answering.copies import copied

        return copied(question.settings, *self.of(question.settings), question.at)


def refusal(kind: str, error: str, parameter: str | None = None, allowed: str = "", advice: str = "") -> Answer:
    """Return the answer that there is none; ``error`` is whole, ``allowed`` and ``advice`` are parts of it."""
    return {
        "v": VERSION, "ok": False, "kind": kind, "error": error, "parameter": parameter, "allowed": allowed,
        "advice": advice,
    }  # fmt: skip


_usual = Answers()


def answer(question: object) -> Answer:
    """Answer a question of the page: see ``docs/explorer.md`` for what may be asked.

    Parameters
    ----------
    question : dict
        As JSON has it. Whatever else it is, the answer says what is allowed.

    Returns
    -------
    dict
        Of JSON, with ``ok``. Every number is certified, and rounded to its safe side.

    Examples
    --------
    >>> found = answer({"v": 1, "ask": "promise", "settings": {"kind": "laplace", "scale": 1}})
    >>> found["headline"]["number"]
    '(epsilon <= 1, delta = 0)-DP'
    >>> answer({"v": 1, "ask": "promise", "settings": {"kind": "laplace", "scale": -1}})["error"]
    'scale must be a finite number > 0, got -1.0.'
    """
    return _usual(question)
