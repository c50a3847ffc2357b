"""Questions: what the page may ask, read without trust."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from neyman._errors import InvalidParameter
from neyman._validate import inside
from neyman.explorer.asking.plainly import fields_of, number_of, word_of
from neyman.explorer.asking.settings import Settings, settings_of

__all__ = ["ASKS", "VERSION", "At", "Question", "question_of"]

VERSION = 1  # of questions and answers: raised when a field changes its meaning
ASKS = ("promise", "solve", "compare", "report", "copy")
_COMMON = ("settings", "delta", "fpr", "floor", "brackets")
_NEEDED = {"solve": ("free", "target"), "compare": ("other",)}
_FREE = ("noise_multiplier", "scale", "steps", "sample_rate")


@dataclass(frozen=True, slots=True)
class At:
    """Where numbers are asked for; ``brackets``: whether the other ends are wanted, too."""

    delta: float = 1e-5
    fpr: float = 0.01
    floor: float = 1e-10
    brackets: bool = True

    def to_dict(self) -> dict[str, float]:
        """Return them as the page is told."""
        return {"delta": self.delta, "fpr": self.fpr, "floor": self.floor}


@dataclass(frozen=True, slots=True)
class Question:
    """One question. ``free`` and ``target`` are those of "solve", ``other`` is that of "compare"."""

    ask: str
    settings: Settings
    at: At
    free: str = ""
    target: Mapping[str, object] = field(default_factory=dict[str, object])
    other: Settings | None = None


def question_of(raw: object, given: Mapping[str, Settings]) -> Question:
    """Return the question that a JSON object asks.

    Raises
    ------
    InvalidParameter
        If it asks none.

    Examples
    --------
    >>> question_of({"v": 1, "ask": "promise", "settings": {"kind": "laplace", "scale": 1}, "delta": "1e-6"}, {}).at
    At(delta=1e-06, fpr=0.01, floor=1e-10, brackets=True)
    """
    if not isinstance(raw, dict):
        raise InvalidParameter("question", raw, "an object")
    told = cast("dict[str, Any]", raw)
    ask = word_of("ask", told.get("ask"), ASKS)
    found = fields_of("question", told, ("v", "ask", "settings", *_NEEDED.get(ask, ())), _COMMON)
    if isinstance(found["v"], bool) or found["v"] != VERSION:
        raise InvalidParameter("v", found["v"], f"{VERSION}", "Reload the page: it is of another version.")
    at = _at(found)
    if ask == "solve":
        free = word_of("free", found["free"], _FREE)
        settings = settings_of("settings", _filled(found["settings"], free), given)
        target = found["target"]
        if not isinstance(target, dict):
            raise InvalidParameter("target", target, 'an object, such as {"name": "epsilon", "value": 8}')
        return Question(ask, settings, at, free, cast("dict[str, object]", target))
    settings = settings_of("settings", found["settings"], given)
    other = settings_of("other", found["other"], given) if ask == "compare" else None
    return Question(ask, settings, at, other=other)


def _at(found: Mapping[str, object]) -> At:
    usual = At()
    ends = {"delta": (0.0, 1.0, "down"), "fpr": (0.0, 1.0, "up"), "floor": (0.0, 0.5, "up")}
    read: dict[str, float] = {}
    for name, (low, high, side) in ends.items():
        allowed = f"a number in ({low:g}, {high:g})"
        raw = found.get(name, getattr(usual, name))
        read[name] = inside(name, number_of(name, raw, allowed, cast("Any", side)), low, high)
    brackets = found.get("brackets", True)
    if not isinstance(brackets, bool):
        raise InvalidParameter("brackets", brackets, "true or false")
    return At(**read, brackets=brackets)


def _filled(settings: object, free: str) -> object:
    """Settings in which what is looked for may be left out."""
    if not isinstance(settings, dict) or free in settings:
        return settings
    return {**cast("dict[str, object]", settings), free: 1}
