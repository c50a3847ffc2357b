"""What people type first on the command line: taken for what it can only mean, or answered with the line to write."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence

from neyman._errors import InvalidParameter

__all__ = ["completed_line", "dpsgd_line", "meant", "verb_meant"]

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
    **dict.fromkeys(("--n", "--N", "--records", "--num-records", "--num-samples", "--data-size", "--num-examples"),
                    ("--dataset-size",)),
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
    "--format-output": ("--format",),
}  # fmt: skip
_RUN = ("--noise-multiplier", "--sample-rate", "--steps", "--epochs", "--batch-size", "--dataset-size")
_FORMED = ("account", "report", "risk", "plot", "compare")  # verbs that take a run as dpsgd:...
_TARGETS: dict[str, tuple[str, ...]] = {  # what is typed of a target, and the places that it needs
    "tpr": ("fpr",), "advantage": (), "regret": (), "bayes-error": ("prior",),
    "posterior": ("membership-prior", "fpr"), "reconstruction": ("baseline",),
}  # fmt: skip
_PLACES = {"fpr": "0.01", "prior": "0.5", "membership-prior": "0.5", "baseline": "0.1"}
_TARGET_WORDS = {"--tv": "advantage", "--power": "tpr", "--fpr": "tpr", **{f"--{name}": name for name in _TARGETS}}
_RISKS = {"--tpr": "tpr", "--fpr": "tpr", "--power": "tpr", "--posterior": "posterior", "--bayes-error": "bayes_error"}
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
    "-?": "neyman --help",
    **dict.fromkeys(("explain", "topics", "man", "docs", "error", "errors"), "neyman help"),
    "version": "neyman --version",
    **dict.fromkeys(("diff", "versus", "vs"), "neyman compare gaussian:1.0 laplace:1.0"),
    **dict.fromkeys(("check", "validate"), "neyman verify run.json"),
    **dict.fromkeys(("grid",), "neyman sweep sweep.yaml -o sweep.nc"),
}  # fmt: skip


_EXAMPLES = {  # what a verb takes, where nothing was typed of it
    "account": "gaussian:1", "report": "gaussian:1", "risk": "gaussian:1", "compare": "gaussian:1 laplace:1",
    "diff": "gaussian:1 laplace:1", "sweep": "sweep.yaml", "table": "runs.csv", "verify": "run.html",
    "prove": "run.json", "audit": "scores.csv", "reproduce": "introduction",
}  # fmt: skip
_OPTIONS = {"sweep": ["--output", "sweep.nc"], "convert": ["--to", "epsilon"]}


def completed_line(arguments: Sequence[str]) -> str:
    """Return a command with examples of whatever it misses; "" where nobody could tell.

    Examples
    --------
    >>> completed_line(["account", "--json"]), completed_line(["compare", "mu:1"])
    ('neyman account gaussian:1 --json', 'neyman compare mu:1 laplace:1')
    """
    verb, *rest = arguments
    wanted = _EXAMPLES.get(verb, "").split()
    typed = next((place for place, word in enumerate(rest) if word.startswith("-") and word != "-"), len(rest))
    words = [*rest[:typed], *wanted[typed:]]
    option = _OPTIONS.get(verb, [])
    missing = [] if not option or set(rest) & {option[0], option[0][1:3]} else option
    if not wanted and not missing:
        return ""
    return shlex.join(["neyman", verb, *words, *rest[typed:], *missing])


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
    if len(arguments) > 1 and arguments[0] == "help" and arguments[1] in verbs:  # of a verb, its own help
        arguments = [arguments[1], "--help"]
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
    return InvalidParameter(
        "numbers", " ".join(numbers), "given by name", f"Write: {dpsgd_line(told)}", topic="command-line"
    )


def _answered(verb: str, option: str, arguments: list[str], place: int) -> None:
    """Refuse an option that people look for here, with the line that works."""
    value = arguments[place + 1] if place + 1 < len(arguments) and "=" not in arguments[place] else None
    value = None if value is None or _is_option(value) else value
    rest = [*arguments[:place], *arguments[place + (1 if value is None else 2) :]]
    if option in _NO_PART and verb:
        line = shlex.join(["neyman", *rest])
        raise InvalidParameter(
            option, value, "left out: it has no part in the privacy", f"Write: {line}", topic="command-line"
        )
    named = _ALIASES.get(option, (option,))[0]
    if verb in _FORMED and named in _RUN:
        raise _formed(verb, option, value, arguments)
    if verb == "calibrate" and option in _TARGET_WORDS:
        raise _targeted(option, value, arguments)
    if verb == "dpsgd" and option in _RISKS:
        raise _risked(option, value, arguments)
    if verb == "dpsgd" and option in ("--advantage", "--regret", "--tv", "--mu"):
        raise _targeted(option, value, ["calibrate", *_parted(arguments[1:], ("--noise-multiplier",))[1]])
    if verb == "dpsgd" and named in ("--epsilon", "--target"):
        _, kept = _parted(rest[1:], ("--noise-multiplier",))
        delta = [] if "--delta" in kept else ["--delta", "1e-5"]
        line = shlex.join(["neyman", "calibrate", "--epsilon", value or "8", *delta, *kept])
        raise InvalidParameter(
            option,
            value,
            "left out: this verb answers it, calibrate is told it",
            f"Write: {line}",
            topic="command-line",
        )


def _parted(arguments: list[str], wanted: Collection[str]) -> tuple[dict[str, str], list[str]]:
    """The values of the options that are wanted, by their names here, and all other arguments."""
    found: dict[str, str] = {}
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        option, sign, value = word.partition("=")
        name = next((one for one in (option, *_ALIASES.get(option, ())) if one in wanted), None)
        if name is None:
            rest.append(word)
        else:
            value = value if sign else next(words, "")
            rest += [value] if _is_option(value) else []
            found[name] = "" if _is_option(value) else value
    return {name: value for name, value in found.items() if value}, rest


def _is_option(word: str) -> bool:
    return word.startswith("-") and not word[1:2].isdigit() and word[1:2] != "."


def _formed(verb: str, option: str, value: str | None, arguments: list[str]) -> InvalidParameter:
    """DP-SGD in options of a verb that takes any mechanism: there it is one word."""
    from neyman.understanding.meant import dpsgd_form

    told, rest = _parted(arguments[1:], _RUN)
    form = dpsgd_form({name[2:].replace("-", "_"): number for name, number in told.items()})
    line = shlex.join(
        ["neyman", verb, *(rest[:1] if verb == "plot" else []), form, *rest[1 if verb == "plot" else 0 :]]
    )
    return InvalidParameter(option, value, f"part of the SPEC of {verb}", f"Write: {line}", topic="short-form")


def _targeted(option: str, value: str | None, arguments: list[str]) -> InvalidParameter:
    """A target in options of its own: there it is one word."""
    kind = _TARGET_WORDS.get(option, option[2:])
    places = _TARGETS.get(kind, ())
    aliases = {word for word, name in _TARGET_WORDS.items() if name == kind and word[2:] not in places} | {f"--{kind}"}
    told, rest = _parted(arguments[1:], {*aliases, *(f"--{place}" for place in places)})
    if kind == "mu":  # which has an option of its own there
        line = shlex.join(["neyman", "calibrate", "--mu", told.get("--mu", "1"), *rest])
        allowed = "left out: this verb answers it, calibrate is told it"
        return InvalidParameter(option, value, allowed, f"Write: {line}", topic="command-line")
    number = next((told[word] for word in told if word in aliases), "0.1")
    text = ",".join([f"{kind}={number}", *(f"{place}={told.get(f'--{place}', _PLACES[place])}" for place in places)])
    line = shlex.join(["neyman", "calibrate", "--target", text, *rest])
    return InvalidParameter(option, value, "said as a --target", f"Write: {line}", topic="target")


def _risked(option: str, value: str | None, arguments: list[str]) -> InvalidParameter:
    """An attack, which the verb ``risk`` answers at any rate."""
    from neyman.understanding.meant import dpsgd_form

    told, rest = _parted(arguments[1:], _RUN)
    places, rest = _parted(rest, ("--fpr", "--tpr", "--power", "--posterior", "--bayes-error"))
    form = dpsgd_form({name[2:].replace("-", "_"): number for name, number in told.items()})
    at = ["--fpr", places["--fpr"]] if "--fpr" in places else []
    line = shlex.join(["neyman", "risk", form, "--only", _RISKS[option], *at, *rest])
    return InvalidParameter(option, value, "left out: the verb risk answers it", f"Write: {line}", topic="command-line")


def _plain(value: object) -> object:
    """A number from the command line, as it was typed or as a float."""
    from fractions import Fraction

    from neyman._guesses import Typed

    if isinstance(value, float):
        return Typed(repr(value).removesuffix(".0"))
    return Typed(str(value)) if isinstance(value, (str, Fraction)) else value
