"""The words people try first, from other libraries and from papers, and the line to write in their place.

Every answer ends with "Write: " and that line; in it ``g`` is a guarantee, ``m`` a mechanism, ``ny`` this package.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from fractions import Fraction
from numbers import Number
from typing import Any, NamedTuple

from neyman._errors import UnknownArgument
from neyman._guessed_words import NO_PART, WORDS

__all__ = [
    "Typed",
    "attribute",
    "called_room",
    "line",
    "misnamed",
    "module_name",
    "other_words",
    "quantity_meant",
    "right_name",
    "room_name",
    "unknown_argument",
    "write",
]


class Call(NamedTuple):
    """A call that can be written: what it needs, with examples in order, and what else it knows."""

    needs: tuple[tuple[str, str], ...] = ()
    knows: tuple[str, ...] = ()
    rate: bool = False  # whether it takes a sample rate, in either way of saying it
    steps: bool = False
    target: bool = False


_LIMITS = ("adjacency", "tolerance", "effort")
_WATCHED = (*_LIMITS, "progress")
_TARGETS = ("target", "epsilon", "delta", "mu", "advantage", "regret")
CALLS: dict[str, Call] = {
    "ny.DPSGD": Call((("noise_multiplier", "1.1"),), (), True, True),
    "ny.noise_for_dpsgd": Call((), _WATCHED, True, True, True),
    "ny.steps_for_dpsgd": Call((("noise_multiplier", "1.1"),), _WATCHED, True, False, True),
    "ny.rate_for_dpsgd": Call((("noise_multiplier", "1.1"),), _WATCHED, False, True, True),
    "ny.calibrate": Call((("make", "ny.Gaussian"),), ("bracket", "integer", *_WATCHED), False, False, True),
    "ny.training": Call((("batch_size", "512"), ("dataset_size", "60000"), ("epochs", "10"))),
    "ny.account": Call((("mechanism", "m"),), (*_LIMITS, "proved")),
    "ny.compare": Call((("a", "g"), ("b", "g"))),
    "ny.report": Call(
        (("subject", "m"),), ("title", "unit", "context", "deltas", "floor", *_WATCHED, "date")
    ),
    "ny.explore": Call((), ("audit", "port")),
    "g.epsilon": Call((("delta", "1e-5"),)),
    "g.delta": Call((("epsilon", "1.0"),)),
    "g.beta": Call((("alpha", "0.01"),)),
    "g.roc": Call((("fpr", "0.01"),)),
    "g.renyi": Call((("order", "2.0"),)),
    "ny.Gaussian": Call((("sigma", "1.0"),), ("sensitivity",)),
    "ny.Laplace": Call((("scale", "1.0"),), ("sensitivity",)),
    "ny.DiscreteGaussian": Call((("sigma", "1.0"),), ("sensitivity",)),
    "ny.DiscreteLaplace": Call((("scale", "1.0"),), ("sensitivity",)),
    "ny.RandomizedResponse": Call((("epsilon", "1.0"),), ("k",)),
    "ny.PureMechanism": Call((("epsilon", "1.0"),)),
    "ny.ApproximateMechanism": Call((("epsilon", "1.0"), ("delta", "1e-5"))),
    "ny.GDP": Call((("mu", "1.0"),)),
    "ny.PureDP": Call((("epsilon", "1.0"),)),
    "ny.ApproximateDP": Call((("epsilon", "1.0"), ("delta", "1e-5"))),
    "ny.ZCDP": Call((("rho", "0.5"),)),
    "ny.convert": Call((), ("source", "to", "at", "epsilon", "delta", "mu", "rho")),
    "ny.RDP": Call((("orders", "[2.0, 4.0]"), ("epsilons", "[0.5, 1.0]"))),
    "ny.Profile": Call((("epsilons", "[0.0, 1.0]"), ("deltas", "[0.4, 0.1]"))),
    "ny.Tradeoff": Call((("alphas", "[0.0, 0.25, 1.0]"), ("betas", "[1.0, 0.25, 0.0]"))),
    "ny.Tabulated": Call((("p", "[0.75, 0.25]"), ("q", "[0.25, 0.75]"))),
    "ny.Accountant": Call((), ("adjacency", "tolerance")),
    "ny.Filter": Call((("mu", "1.0"),), ("adjacency",)),
    "ny.Odometer": Call((("delta", "1e-5"),), ("near", "checkpoints", "adjacency")),
    "ny.IndividualFilter": Call((("mu", "1.0"), ("records", "1000"))),
    "g.tpr": Call((("fpr", "0.01"),)),
    "g.posterior": Call((("membership_prior", "0.5"), ("fpr", "0.01"))),
    "a.step": Call((("noise_multiplier", "1.1"), ("sample_rate", "0.01"))),
    "m.poisson": Call((("rate", "0.01"),)),
    "ny.targets.Epsilon": Call((("value", "8.0"), ("delta", "1e-5"))),
    "ny.targets.Mu": Call((("value", "1.0"),), ("floor",)),
    "ny.targets.Regret": Call((("value", "0.01"),), ("floor",)),
    "ny.targets.Advantage": Call((("value", "0.1"),)),
    "ny.targets.TPR": Call((("value", "0.1"), ("fpr", "0.01"))),
    "ny.targets.BayesError": Call((("value", "0.4"), ("prior", "0.5"))),
    "ny.targets.Posterior": Call((("value", "0.9"), ("membership_prior", "0.5"), ("fpr", "0.01"))),
    "ny.targets.Reconstruction": Call((("success", "0.2"), ("baseline", "0.1"))),
    "ny.targets.Divergence": Call((("value", "0.1"), ("baseline", "g"))),
    "ny.sweep": Call(
        (("noise_multiplier", "[1.0, 2.0]"),),
        ("axes", "quantities", "floor", "client", "workers", "store", "block", "at_most", "progress", "batches",
         "baseline", *_LIMITS), True, True,
    ),
}  # fmt: skip
_OTHERWISE = {  # what a call cannot be told, and which can
    **dict.fromkeys([("ny.DPSGD", word) for word in ("epsilon", "delta", "target_epsilon", "target_delta", "eps")],
                    "ny.noise_for_dpsgd"),
    **dict.fromkeys([("ny.Gaussian", word) for word in ("epsilon", "delta", "eps")], "ny.calibrate(ny.Gaussian"),
    **dict.fromkeys([("ny.Laplace", word) for word in ("epsilon", "eps", "delta")], "ny.calibrate(ny.Laplace"),
    **dict.fromkeys([("ny.account", word) for word in ("delta", "epsilon", "deltas", "target_delta")], "ny.account"),
}  # fmt: skip
_SCHEDULE = ("sample_rate", "batch_size", "dataset_size", "steps", "epochs")


def write(text: str) -> str:
    """Return the end of an answer, where the line stands."""
    return f"Write: {text}"


def known_to(call: str) -> tuple[str, ...]:
    """Return the names of its arguments."""
    found = CALLS[call]
    rate = ("sample_rate", "batch_size", "dataset_size") if found.rate else ("dataset_size",) if found.steps else ()
    steps = ("steps",) if found.steps and not found.rate else ("steps", "epochs") if found.steps else ()
    return (*(_TARGETS if found.target else ()), *(name for name, _ in found.needs), *rate, *steps, *found.knows)


def right_name(guess: str, known: tuple[str, ...]) -> str | None:
    """Return the argument that a guess means, among those that are known; None where nobody could tell.

    Examples
    --------
    >>> right_name("q", ("noise_multiplier", "sample_rate", "steps")), right_name("tolerence", ("tolerance",))
    ('sample_rate', 'tolerance')
    """
    word = guess.strip("-").replace("-", "_").lower()
    if word in known:
        return word
    found = next((name for name in WORDS.get(word, ()) if name in known), None)
    return found or next(iter(get_close_matches(word, known, 1, 0.75)), None)


def other_words(names: Iterable[str], known: tuple[str, ...]) -> dict[str, str]:
    """Return the names among ``known`` that others have in other libraries, no two of the same meaning.

    Examples
    --------
    >>> other_words(["sigma", "q", "T", "seed"], ("noise_multiplier", "sample_rate", "steps"))
    {'sigma': 'noise_multiplier', 'q': 'sample_rate', 'T': 'steps'}
    """
    found: dict[str, str] = {}
    for name in names:
        word = name.strip("-").replace("-", "_").lower()
        right = word if word in known else next((one for one in WORDS.get(word, ()) if one in known), None)
        if right is not None and right not in found.values():
            found[name] = right
    return found


def completed(call: str, given: Mapping[str, object]) -> dict[str, str]:
    """Return arguments with which the call is complete and nothing is said twice: those given, and examples."""
    found, told = CALLS[call], {name: shown(value) for name, value in given.items() if value is not None}
    told = {name: value for name, value in told.items() if value != _NAMELESS or name in _OBJECTS}
    kept = {name: told.pop(name, example) for name, example in found.needs}
    if found.target and "target" not in told and not {"epsilon", "mu", "advantage", "regret"} & told.keys():
        told["epsilon"] = "8.0"
    if call == "ny.convert" and not {"source", "epsilon", "mu", "rho"} & told.keys():
        told["source"] = "g"
    if "epsilon" in told and found.target and "delta" not in told and "dataset_size" not in told:
        told["delta"] = "1e-5"
    kept |= {name: told.pop(name) for name in _TARGETS if name in told}
    if found.rate:
        kept |= _rate(told)
    if found.steps:
        kept |= _steps(told, found.rate)
    if found.rate or found.steps:
        kept |= {"dataset_size": told["dataset_size"]} if "dataset_size" in told else {}
    return kept | {name: value for name, value in told.items() if name in found.knows}


def _rate(told: Mapping[str, str]) -> dict[str, str]:
    """The sample rate in one way."""
    sizes = [name for name in ("batch_size", "dataset_size") if name in told]
    if "sample_rate" in told and len(sizes) < 2:
        return {"sample_rate": told["sample_rate"]}
    if "batch_size" in sizes or ("dataset_size" in sizes and "sample_rate" not in told):
        return {"batch_size": told.get("batch_size", "1"), "dataset_size": told.get("dataset_size", "60000")}
    return {"sample_rate": "0.01"}


def _steps(told: Mapping[str, str], epochs: bool) -> dict[str, str]:
    """The steps in one way."""
    if "steps" in told or "epochs" not in told or not epochs:
        return {"steps": told.get("steps", "1000")}
    return {"epochs": told["epochs"]}


_NAMELESS = "m"  # what no few letters say
_OBJECTS = ("mechanism", "subject", "source", "make", "a", "b", "target", "baseline")


def line(call: str, given: Mapping[str, object]) -> str:
    """Return the call as it could be typed.

    Examples
    --------
    >>> line("ny.DPSGD", {"noise_multiplier": 2.0, "epochs": 10, "batch_size": 512})
    'ny.DPSGD(noise_multiplier=2.0, batch_size=512, dataset_size=60000, epochs=10)'
    """
    told = completed(call, given)
    bare = [name for name in _OBJECTS[:-1] if name in told]
    words = [told.pop(name) for name in bare]
    return f"{call}({', '.join([*words, *(f'{name}={value}' for name, value in told.items())])})"


class Typed(str):
    """What was typed, which is shown as it is."""


def shown(value: object) -> str:
    """A value as it could be typed; what no few letters say is named ``m``."""
    if isinstance(value, Typed):
        return str(value)
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, Number) and hasattr(value, "item"):  # of NumPy
        value = value.item()  # type: ignore[attr-defined]
    if isinstance(value, (int, float, str)):
        return repr(value)
    name = getattr(value, "__name__", "")
    if inspect.isclass(value) or (callable(value) and name == "DPSGD"):
        return f"ny.{name}"
    text = repr(value)
    return text if isinstance(value, (list, tuple)) and len(text) <= 60 else _NAMELESS


def unknown_argument(call: str, unknown: Mapping[str, object], given: Mapping[str, object]) -> UnknownArgument:
    """Return the refusal of arguments that a call does not have."""
    known = known_to(call)
    guess, value = next(iter(unknown.items()))
    elsewhere = _OTHERWISE.get((call, guess.lower()))
    if elsewhere is not None:
        return UnknownArgument(guess, value, "left out", write(_asked_elsewhere(call, elsewhere, {**given, **unknown})))
    run = other_words(unknown, known_to("ny.DPSGD")) if call in ("ny.account", "ny.report") else {}
    if guess in run:
        made = line("ny.DPSGD", {name: unknown[word] for word, name in run.items()})
        kept = {**given, "mechanism" if call == "ny.account" else "subject": Typed(made)}
        return UnknownArgument(guess, value, "part of the mechanism", write(line(call, kept)))
    if found_target := CALLS[call].target and _target_line(unknown):
        kept = {name: value for name, value in given.items() if name not in _TARGETS}
        return UnknownArgument(
            guess, value, "part of a target", write(line(call, {**kept, "target": Typed(found_target)}))
        )
    told = dict(given)
    for word, number in unknown.items():
        right = right_name(word, known)
        if right is not None and told.get(right) is None:
            told[right] = number
    right = right_name(guess, known)
    if guess.lower() in NO_PART and right is None:
        allowed = "left out: it has no part in the privacy"
    elif right is None:
        allowed = f"one of the arguments {', '.join(known)}"
    else:
        allowed = f"named {right}" if given.get(right) is None else f"left out where {right} is given"
    return UnknownArgument(guess, value, allowed, write(line(call, told)))


_AS_TARGET = {"tpr": "TPR", "posterior": "Posterior", "bayes_error": "BayesError", "reconstruction": "Reconstruction"}


def _target_line(unknown: Mapping[str, object]) -> str:
    """The target that is told in arguments of its own; "" where none is."""
    kind = next((_AS_TARGET[name.lower()] for name in unknown if name.lower() in _AS_TARGET), None)
    if kind is None:
        return ""
    call = f"ny.targets.{kind}"
    first, *places = known_to(call)
    told = {first: next(value for name, value in unknown.items() if name.lower() in _AS_TARGET)}
    told |= {name: unknown[name] for name in places if name in unknown}
    return line(call, told)


def _asked_elsewhere(call: str, elsewhere: str, told: Mapping[str, object]) -> str:
    """The line of the call that takes these words."""
    named = {right_name(word, ("epsilon", "delta", *_SCHEDULE)) or word: value for word, value in told.items()}
    if call == "ny.account":
        at = named.get("delta") or named.get("deltas")
        return f"ny.account(m).epsilon({shown(at if isinstance(at, float) else 1e-5)})"
    if call == "ny.DPSGD":
        return line(elsewhere, {name: value for name, value in named.items() if name in known_to(elsewhere)})
    pure = elsewhere.endswith("Laplace")
    epsilon, delta = shown(named.get("epsilon") or 1.0), "0.0" if pure else shown(named.get("delta") or 1e-5)
    return f"{elsewhere}, epsilon={epsilon}, delta={delta}).mechanism"


def misnamed(made: Any, args: tuple[object, ...], kwargs: Mapping[str, object]) -> UnknownArgument | None:
    """Return the refusal of arguments that a public class does not have, or misses; None if they all fit."""
    call = f"{getattr(made, 'called_in', 'ny')}.{made.__name__}"
    if call not in CALLS:
        return None
    names = list(inspect.signature(made).parameters)
    given = dict(zip(names, args, strict=False)) | {name: value for name, value in kwargs.items() if name in names}
    unknown = {name: value for name, value in kwargs.items() if name not in names}
    if unknown:
        return unknown_argument(call, unknown, given)
    missing = [name for name, _ in CALLS[call].needs if name not in given]
    if len(args) > len(names):
        allowed = f"at most {len(names)}: {', '.join(names)}"
        return UnknownArgument("the number of arguments", len(args) + len(kwargs), allowed, write(line(call, given)))
    return UnknownArgument(missing[0], None, "given", write(line(call, given))) if missing else None


def module_name(name: str, public: tuple[str, ...]) -> str:
    """Return the answer to ``ny.name`` where there is none."""
    from neyman._guessed_names import NAMES

    start = f"module 'neyman' has no attribute {name!r}"
    found = NAMES.get(name.replace("_", "").lower())
    if found is None:
        lowered = {one.lower(): one for one in public}
        near = get_close_matches(name.lower(), lowered, 1, 0.7)
        found = f"ny.{lowered[near[0]]}" if near else None
    return start if found is None else f"{start}. {write(found)}"


def room_name(room: str, name: str, public: tuple[str, ...]) -> str:
    """Return the answer to ``ny.plot.name`` or ``ny.targets.name`` where there is none."""
    from neyman._guessed_names import OF_CONVERSIONS, OF_PLOTS, OF_RISKS, OF_TARGETS

    word = name.replace("_", "").replace("-", "").lower()
    lowered = {one.replace("_", "").lower(): one for one in public}
    found = {"plot": OF_PLOTS, "targets": OF_TARGETS, "risk": OF_RISKS, "conversions": OF_CONVERSIONS}[room].get(word)
    if found is None:
        near = lowered.get(word) or next((lowered[one] for one in get_close_matches(word, lowered, 1, 0.7)), None)
        found = f"ny.{room}.{near}" if near else None
    start = f"module 'neyman.{room}' has no attribute {name!r}"
    return start if found is None or name.startswith("_") else f"{start}. {write(found)}"


def called_room(name: str) -> str:
    """Return the answer to a call of a module, ``ny.plot(g)``."""
    from neyman._guessed_names import CALLED_ROOMS

    room = name.removeprefix("neyman.")
    return f"module 'ny.{room}' is not callable: it holds functions. {write(CALLED_ROOMS[room])}"


def quantity_meant(word: str) -> str | None:
    """Return the quantity that goes by another word elsewhere; None where nobody could tell.

    Examples
    --------
    >>> quantity_meant("eps"), quantity_meant("GDP"), quantity_meant("TV")
    ('epsilon', 'mu', 'advantage')
    """
    from neyman._guessed_names import QUANTITIES

    return QUANTITIES.get(word.strip().replace("_", "").replace("-", "").lower())


_WITHIN = {"g": "g", "m": "ny.account(m)", "c": "c.guarantee", "a": "a.guarantee()"}  # a guarantee, as each calls it


def attribute(kind: str, called: str, name: str) -> str:
    """Return the answer to ``g.name``, ``m.name`` or ``c.name`` (of a calibration) where there is none, and likewise of
    an accountant, a table and a report.
    """
    from neyman._guessed_names import (
        OF_ACCOUNTANTS,
        OF_CALIBRATIONS,
        OF_GUARANTEES,
        OF_MECHANISMS,
        OF_REPORTS,
        OF_TABLES,
    )

    start = f"{kind!r} object has no attribute {name!r}"
    word = name.replace("_", "").lower()
    own = {
        "g": {}, "m": OF_MECHANISMS, "c": OF_CALIBRATIONS, "a": OF_ACCOUNTANTS, "t": OF_TABLES, "r": OF_REPORTS,
    }[called]  # fmt: skip
    asked = OF_GUARANTEES if called in _WITHIN else {}
    if name.startswith("_") or word not in {**asked, **own}:
        return start
    found = own.get(word) or re.sub(r"\bg\b", _WITHIN[called], asked[word])
    return f"{start}. {write(found)}"
