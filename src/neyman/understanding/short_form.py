"""Mechanisms and guarantees in a few letters: ``gaussian:1``, ``dpsgd:1,.01,1000``, ``epsilon:1,1e-5``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from neyman._errors import InvalidParameter
from neyman.guarantees import GDP, ZCDP, ApproximateDP, PureDP
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Mechanism, RandomizedResponse
from neyman.mechanisms.sampled.dpsgd import scheduled
from neyman.mechanisms.sampled.schedule import SCHEDULE_WORDS, Schedule, Spelling
from neyman.understanding.number_text import Side, number, rounded, whole_number

__all__ = ["FORMS", "IN_ORDER", "SHORT_FORMS", "is_form", "refused_form", "short_form"]

Numbers = Mapping[str, Any]


class _Kind(NamedTuple):
    """What is made of which numbers, in order; those that may be left out; and to which side fractions are rounded."""

    make: Callable[[Numbers], Mechanism | PessimisticGuarantee]
    fields: Mapping[str, Side | type[int]]
    optional: frozenset[str] = frozenset()


def _dpsgd(told: Numbers) -> Mechanism:
    words = dict(told)
    noise = words.pop("noise_multiplier")
    return scheduled(noise, Schedule(words, _SPELLING, {"noise_multiplier": noise}))


def _line(told: Mapping[str, object]) -> str:
    from neyman._guesses import completed  # read where something went wrong

    return repr("dpsgd:" + ",".join(f"{name}={value}" for name, value in completed("ny.DPSGD", told).items()))


def _pair(told: Numbers) -> PessimisticGuarantee:
    return ApproximateDP(**told) if told.get("delta") else PureDP(told["epsilon"])


def _of(make: Callable[..., Mechanism | PessimisticGuarantee]) -> Callable[[Numbers], Any]:
    return lambda told: make(**told)


_SPELLING = Spelling("sample_rate, or batch_size and dataset_size", "steps or epochs", _line)
IN_ORDER: tuple[str, ...] = ("noise_multiplier", "sample_rate", "steps")  # of DP-SGD, where nothing is named
_SENSITIVITY = frozenset({"sensitivity"})
_SCHEDULE: dict[str, Side | type[int]] = {
    "sample_rate": "up", "steps": int, "epochs": "up", "batch_size": int, "dataset_size": int
}  # fmt: skip
SHORT_FORMS: dict[str, _Kind] = {
    "dpsgd": _Kind(_dpsgd, {"noise_multiplier": "down", **_SCHEDULE}, frozenset(SCHEDULE_WORDS)),
    "gaussian": _Kind(_of(Gaussian), {"sigma": "down", "sensitivity": "up"}, _SENSITIVITY),
    "laplace": _Kind(_of(Laplace), {"scale": "down", "sensitivity": "up"}, _SENSITIVITY),
    "discrete_gaussian": _Kind(_of(DiscreteGaussian), {"sigma": "down", "sensitivity": int}, _SENSITIVITY),
    "discrete_laplace": _Kind(_of(DiscreteLaplace), {"scale": "down", "sensitivity": int}, _SENSITIVITY),
    "randomized_response": _Kind(_of(RandomizedResponse), {"epsilon": "up", "k": int}, frozenset({"k"})),
    "mu": _Kind(_of(GDP), {"mu": "up"}),
    "epsilon": _Kind(_pair, {"epsilon": "up", "delta": "up"}, frozenset({"delta"})),
    "rho": _Kind(_of(ZCDP), {"rho": "up"}),
}
FORMS = (
    "dpsgd:NOISE_MULTIPLIER,SAMPLE_RATE,STEPS, gaussian:SIGMA, laplace:SCALE, mu:MU, epsilon:EPSILON,DELTA or rho:RHO"
)


def is_form(text: str) -> bool:
    """Return whether ``text`` begins as a short form does, in whichever case.

    Examples
    --------
    >>> is_form("Laplace:20*100"), is_form("laplace.json")
    (True, False)
    """
    word, colon, _ = text.partition(":")
    return bool(colon) and word.strip().lower() in SHORT_FORMS


def short_form(name: str, text: str) -> Mechanism | PessimisticGuarantee:
    """Return what a short form stands for; numbers in order, or by name. What ends in ``*100`` is run a hundred times.

    Raises
    ------
    InvalidParameter
        If it is none, or a number lies outside its domain.

    Examples
    --------
    >>> short_form("mechanism", "gaussian:1"), short_form("mechanism", "epsilon:1,1e-5")
    (Gaussian(sigma=1.0, sensitivity=1.0), ApproximateDP(epsilon=1.0, delta=1e-05))
    >>> short_form("mechanism", "dpsgd:1.1,epochs=10,batch_size=512,dataset_size=60000")
    Gaussian(sigma=1.1, sensitivity=1.0).poisson(0.008533333333333334) ** 1172
    >>> short_form("mechanism", "laplace:20*100")
    Laplace(scale=20.0, sensitivity=1.0) ** 100
    """
    once, repeated, times = text.partition("*")
    if not repeated:
        return _run_once(name, text, text)
    try:
        copies = whole_number(times.removeprefix("*"))
    except ValueError:
        raise refused_form(name, text, "a short form and how often it is run, a whole number") from None
    found = _run_once(name, once, text)
    return found**copies if isinstance(found, Mechanism) else (found**copies).pessimistic


def refused_form(name: str, text: str, allowed: str) -> InvalidParameter:
    """Return the refusal of what is no short form, with the one that is meant where anybody could tell."""
    from neyman.understanding.meant import meant_form  # read where something went wrong

    line = meant_form(text, {word: kind.fields for word, kind in SHORT_FORMS.items()}, _reads)
    return InvalidParameter(name, text, allowed, f"Write: {line!r}" if line else "", topic="short-form")


def _reads(word: str, field: str, text: str) -> bool:
    try:
        _read(text, SHORT_FORMS[word].fields[field], field)
    except ValueError:
        return False
    return True


def _run_once(name: str, once: str, whole: str) -> Mechanism | PessimisticGuarantee:
    """What stands before the number of runs, if there is one, in ``whole``."""
    word, _, rest = once.partition(":")
    word = word.strip().lower()
    kind = SHORT_FORMS.get(word)
    if kind is None:
        raise refused_form(name, whole, f"one of {FORMS}")
    told = _told(kind, rest.split(","), word)
    if told is None:
        raise refused_form(name, whole, f"{word}:{','.join(field.upper() for field in _in_order(word, kind))}")
    if word == "dpsgd" and len(told) == 3 and "=" not in rest:  # in order there are three
        told = dict(zip(IN_ORDER, told.values(), strict=True))
    return kind.make(told)


def _told(kind: _Kind, parts: list[str], word: str) -> dict[str, Any] | None:
    """The numbers by name; None where they are not those of the form."""
    order = list(kind.fields)
    found: dict[str, Any] = {}
    for i, part in enumerate(parts):
        label, sign, written = part.partition("=")
        field = label.strip().replace("-", "_") if sign else order[i] if i < len(order) else ""
        side = kind.fields.get(field)
        if side is None or field in found:
            return None
        try:
            found[field] = _read(written if sign else part, side, field)
        except ValueError:
            return None
    if word == "dpsgd" and len(parts) > 3 and not any("=" in part for part in parts):
        return None
    return found if set(kind.fields) - kind.optional <= set(found) else None


def _in_order(word: str, kind: _Kind) -> list[str]:
    return list(IN_ORDER) if word == "dpsgd" else list(kind.fields)


def _read(text: str, side: Side | type[int], field: str) -> float | int | Fraction:
    if not isinstance(side, str):
        return whole_number(text)
    value = number(text)
    return value if field in ("sample_rate", "epochs") else rounded(value, side)  # exact ones are wanted there
