"""The pictures that ``neyman plot`` draws: what each shows, of how many guarantees, and how it gets into a file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neyman import __version__
from neyman._errors import InvalidParameter
from neyman.cli.printing.output import STDOUT, written

if TYPE_CHECKING:
    from neyman.plot import Columns

__all__ = ["FORMS", "KINDS", "Kind", "headed", "kind_named", "kind_of", "listed", "numbers", "save", "suffix_of"]

SCHEMA = 1  # of the JSON form: raised when a field changes its meaning
_TITLE = 8.0  # points, as the labels of the axes
_LINE = 0.2  # inches that it takes
FORMS = (".png", ".svg", ".pdf")


@dataclass(frozen=True, slots=True)
class Kind:
    """What it shows, how many guarantees it takes (``most`` None: any number), and the options it has."""

    line: str
    most: int | None = None
    options: tuple[str, ...] = ()
    fewest: int = 1

    @property
    def count(self) -> str:
        """How many guarantees it takes, in words."""
        if self.most is None:
            return "one or more"
        return {(1, 1): "one", (1, 2): "one or two", (2, 2): "two"}[self.fewest, self.most]


KINDS = {
    "tradeoff": Kind("false negative over false positive rates: the curve", None, ("label",)),
    "roc": Kind("the best attack: true over false positive rates", None, ("label", "scale", "floor")),
    "profile": Kind("delta at every epsilon", None, ("label", "scale", "floor")),
    "privacy-loss": Kind("how the privacy loss is distributed", 1, ("direction", "cumulative")),
    "bayes-error": Kind("error of the best guess at every prior", None, ("label",)),
    "weighted-bayes-error": Kind("the same, weighed by beliefs about the prior", 2, ("label", "prior"), 2),
    "regret": Kind("by how much the second, or mu, overstates the first", 2, ("label", "floor")),
    "difference": Kind("what the curve holds beyond its mu", None, ("label", "floor")),
    "local-mu": Kind("the mu that each error rate would need", None, ("label", "floor")),
    "roc-tangent": Kind("the ROC curve and its tangent: where delta is", 1, ("label", "epsilon")),
    "envelope": Kind("the Bayes error under the lines of all tests", 1, ("label", "of")),
}


def listed() -> str:
    """All kinds, a line each."""
    width = max(map(len, KINDS))
    return "\n".join(f"{name:<{width}}  {kind.line} ({kind.count})" for name, kind in KINDS.items())


def kind_of(name: str, count: int, given: Mapping[str, object]) -> Kind:
    """Return the kind of that name, for so many guarantees and these options.

    Raises
    ------
    InvalidParameter
        If there is none, or it takes another number of guarantees, or has no such option.
    """
    kind = KINDS.get(name)
    if kind is None:
        advice = f"Write: {meant!r}" if (meant := _meant(name)) else "neyman plot says what each shows."
        raise InvalidParameter("KIND", name, f"one of {', '.join(KINDS)}", advice, topic="command-line")
    if not kind.fewest <= count <= (kind.most or count):
        raise InvalidParameter("SPEC", count, f"{kind.count} for {name}")
    for option, value in given.items():
        if option not in kind.options:
            having = ", ".join(other for other, some in KINDS.items() if option in some.options)
            raise InvalidParameter(f"--{option}", value, f"left out of {name}: it is of {having}")
    return kind


def kind_named(asked: str) -> str:
    """Return the kind that is asked for, in whichever case and however its words are joined; else what was asked.

    Examples
    --------
    >>> kind_named("ROC"), kind_named("bayes_error"), kind_named("TPR")
    ('roc', 'bayes-error', 'TPR')
    """
    word = asked.replace("_", "").replace("-", "").replace(" ", "").lower()
    return next((name for name in KINDS if name.replace("-", "") == word), asked)


def _meant(asked: str) -> str:
    """The kind that goes by another word elsewhere."""
    from neyman._guessed_names import OF_PLOTS  # read where something went wrong

    line = OF_PLOTS.get(asked.replace("_", "").replace("-", "").lower(), "")
    name = line.removeprefix("ny.plot.").partition("(")[0].replace("_", "-")
    return name if name in KINDS else ""


def headed(figure: Any, title: str) -> None:
    """Put a title above everything, a legend there too; the axes keep their height."""
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + _LINE)
    figure.suptitle(title, fontsize=_TITLE, color="#222222")


def save(axes: Any, output: str, suffix: str) -> None:
    """Write a drawn picture to a file, whole or not at all, or to standard output; the same bytes every time."""
    form = suffix.removeprefix(".")
    dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[form]
    with written(output, binary=output != STDOUT or form != "svg") as path:
        axes.figure.savefig(path, format=form, metadata=dated)


def numbers(name: str, specs: list[str], found: Columns) -> dict[str, object]:
    """Return the JSON form of what a picture draws."""
    return {
        "schema": SCHEMA,
        "version": __version__,
        "kind": name,
        "specs": specs,
        "caption": found.caption,
        "facts": {key: _plain(value) for key, value in found.facts.items()},
        "columns": {key: [_plain(value) for value in column.tolist()] for key, column in found.items()},
    }


def suffix_of(output: str, form: str | None) -> str:
    """Return the end of the name of the file to write."""
    return f".{form or 'svg'}" if output == STDOUT else Path(output).suffix


def _plain(value: object) -> object:
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value
