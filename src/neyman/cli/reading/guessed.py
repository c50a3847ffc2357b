"""What people type first on the command line: taken for what it can only mean, or answered with the line to write."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence

from neyman._errors import InvalidParameter

__all__ = ["dpsgd_line", "meant", "verb_meant"]

_ALIASES: dict[str, tuple[str, ...]] = {
    "-h": ("--help",),
    "-V": ("--version",),
    "--sigma": ("--noise-multiplier",),
    "--noise": ("--noise-multiplier",),
    "--noise_multiplier": ("--noise-multiplier",),
    "--nm": ("--noise-multiplier",),
    "-z": ("--noise-multiplier",),
    "-q": ("--sample-rate",),
    "--rate": ("--sample-rate",),
    "--sampling-rate": ("--sample-rate",),
    "--sampling-probability": ("--sample-rate",),
    "--sample_rate": ("--sample-rate",),
    "-T": ("--steps",),
    "--num-steps": ("--steps",),
    "--iterations": ("--steps",),
    "--epoch": ("--epochs",),
    "--num-epochs": ("--epochs",),
    "-e": ("--epochs",),
    "--batch": ("--batch-size",),
    "-b": ("--batch-size",),
    "--batch_size": ("--batch-size",),
    "--lot-size": ("--batch-size",),
    "-n": ("--dataset-size",),
    "-N": ("--dataset-size",),
    "--dataset": ("--dataset-size",),
    "--dataset_size": ("--dataset-size",),
    "--num-examples": ("--dataset-size",),
    "--n-samples": ("--dataset-size",),
    "-d": ("--delta",),
    "--target-delta": ("--delta",),
    "--target_delta": ("--delta",),
    "--deltas": ("--delta",),
    "--eps": ("--epsilon",),
    "--target-epsilon": ("--epsilon",),
    "--target_epsilon": ("--epsilon",),
    "--target-eps": ("--epsilon",),
    "--relation": ("--adjacency",),
    "--neighbors": ("--adjacency",),
    "--neighbours": ("--adjacency",),
    "--out": ("--output",),
    "--tol": ("--tolerance",),
}
_NO_PART = ("--lr", "--learning-rate", "--max-grad-norm", "--clip", "--clipping-norm", "--l2-norm-clip", "--optimizer",
            "--microbatches", "--accountant", "--orders", "--model", "--seed")  # fmt: skip
_DPSGD = "neyman dpsgd --noise-multiplier 1.1 --epochs 10 --batch-size 512 --dataset-size 60000"
_CALIBRATE = "neyman calibrate --epsilon 8 --delta 1e-5 --sample-rate 0.01 --steps 1000"
_VERBS = {
    **dict.fromkeys(("epsilon", "eps", "compute", "compute-epsilon", "sgd", "dp-sgd", "dp_sgd", "train", "privacy",
                     "compute_dp_sgd_privacy", "get-epsilon", "get_epsilon", "delta", "mu", "training"), _DPSGD),
    **dict.fromkeys(("noise", "sigma", "get_noise_multiplier", "get-noise-multiplier", "find", "noise-multiplier",
                     "tune", "noise-for-dpsgd", "noise_for_dpsgd", "target"), _CALIBRATE),
    **dict.fromkeys(("gaussian", "gauss"), "neyman account gaussian:1.0"),
    "laplace": "neyman account laplace:1.0",
    "gdp": "neyman account mu:1.0",
    **dict.fromkeys(("help", "-?"), "neyman --help"),
    "version": "neyman --version",
    **dict.fromkeys(("diff", "versus", "vs"), "neyman compare gaussian:1.0 laplace:1.0"),
    **dict.fromkeys(("check", "validate"), "neyman verify run.json"),
    **dict.fromkeys(("grid",), "neyman sweep sweep.yaml -o sweep.nc"),
}  # fmt: skip


def dpsgd_line(told: Mapping[str, object], verb: str = "dpsgd") -> str:
    """Return the command that says the same in one way, completed with examples.

    Examples
    --------
    >>> dpsgd_line({"noise_multiplier": 1.1, "epochs": 10, "batch_size": 512})
    'neyman dpsgd --noise-multiplier 1.1 --batch-size 512 --dataset-size 60000 --epochs 10'
    """
    from neyman._guesses import completed

    words = completed("ny.DPSGD", {name: _plain(value) for name, value in told.items()})
    if not verb.startswith("dpsgd"):  # others look for what is not told
        free = "noise_multiplier" if told.get("noise_multiplier") is None else ""
        words = {name: value for name, value in words.items() if name != free}
    return " ".join([f"neyman {verb}", *(f"--{name.replace('_', '-')} {value}" for name, value in words.items())])


def verb_meant(asked: str) -> str | None:
    """Return the line to write in place of a verb that is not there; None where nobody could tell."""
    if ":" in asked:
        return f"neyman account {shlex.quote(asked)}"
    return _VERBS.get(asked.lower())


def meant(arguments: Sequence[str], verbs: Mapping[str, Collection[str]]) -> list[str]:
    """Return the arguments in the words of the verb; ``verbs`` are its options by verb, those of the root under "".

    Raises
    ------
    InvalidParameter
        If an option belongs to another verb, or has no part in the privacy: with the line to write.
    """
    verb = arguments[0] if arguments and arguments[0] in verbs else ""
    own = verbs[verb]
    found: list[str] = []
    for place, word in enumerate(arguments):
        option, sign, value = word.partition("=")
        if word == "--":
            return [*found, *arguments[place:]]
        if not option.startswith("-") or option in own:
            found.append(word)
            continue
        other = next((name for name in _ALIASES.get(option, ()) if name in own or name == "--help"), None)
        if other is None:
            _answered(verb, option, list(arguments), place)
        found.append(word if other is None else f"{other}{sign}{value}")
    if verb == "dpsgd" and len(found) > 1 and found[1][:1].isdigit():
        raise _in_order(found[1:])
    return found


def _in_order(numbers: list[str]) -> InvalidParameter:
    names = ("--noise-multiplier", "--sample-rate", "--steps")
    told = {name[2:].replace("-", "_"): value for name, value in zip(names, numbers, strict=False) if value[:1] != "-"}
    return InvalidParameter("numbers", " ".join(numbers), "given by name", f"Write: {dpsgd_line(told)}")


def _answered(verb: str, option: str, arguments: list[str], place: int) -> None:
    """Refuse an option that people look for here, with the line that works."""
    value = arguments[place + 1] if place + 1 < len(arguments) and "=" not in arguments[place] else None
    rest = [*arguments[:place], *arguments[place + (1 if value is None else 2) :]]
    if option in _NO_PART and verb:
        line = shlex.join(["neyman", *rest])
        raise InvalidParameter(option, value, "left out: it has no part in the privacy", f"Write: {line}")
    named = _ALIASES.get(option, (option,))[0]
    if verb == "dpsgd" and named in ("--epsilon", "--target"):
        kept = _without(rest[1:], "--noise-multiplier")
        delta = [] if "--delta" in kept else ["--delta", "1e-5"]
        line = shlex.join(["neyman", "calibrate", "--epsilon", value or "8", *delta, *kept])
        raise InvalidParameter(option, value, "left out: this verb answers it, calibrate is told it", f"Write: {line}")


def _without(arguments: list[str], option: str) -> list[str]:
    """The arguments without that option and its value."""
    if option not in arguments:
        return arguments
    at = arguments.index(option)
    return [*arguments[:at], *arguments[at + 2 :]]


def _plain(value: object) -> object:
    """A number from the command line, as it was typed or as a float."""
    from fractions import Fraction

    from neyman._guesses import Typed

    if isinstance(value, float):
        return Typed(repr(value).removesuffix(".0"))
    return Typed(str(value)) if isinstance(value, (str, Fraction)) else value
