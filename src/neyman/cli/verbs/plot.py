"""``neyman plot``: a picture of guarantees, into a file."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

import typer

from neyman._errors import InvalidParameter
from neyman.cli.printing.helping.advice import advise
from neyman.cli.printing.output import STDOUT, check_output, print_json, written
from neyman.cli.printing.pictures import FORMS, KINDS, headed, kind_named, kind_of, listed, numbers, save, suffix_of
from neyman.cli.verbs.respond import Adjacency, Effort, Tolerance, completing

__all__ = ["plot"]

_FORMS = (*FORMS, ".csv")
_SCALES, _DIRECTIONS, _CURVES = ("log", "linear"), ("stated", "remove", "add"), ("bayes_error", "tradeoff")

_Kind = Annotated[
    str | None,
    typer.Argument(
        metavar="KIND",
        help=f"{', '.join(KINDS)}. Without one, what each shows is printed.",
        autocompletion=completing(tuple(KINDS)),
    ),
]
_Specs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SPEC...",
        help="What to draw, in the order of the legend: files as for neyman account, reports, - for standard "
        "input, dpsgd:NOISE_MULTIPLIER,SAMPLE_RATE,STEPS, mu:MU or epsilon:EPSILON,DELTA.",
    ),
]
_Labels = Annotated[
    list[str] | None,
    typer.Option(metavar="TEXT", help="In the legend, one for each SPEC; repeatable. Made from it if left out."),
]
_Title = Annotated[
    str | None, typer.Option(rich_help_panel="The picture", help="Above the picture; none unless stated.")
]
_Scale = Annotated[
    str | None,
    typer.Option(
        metavar="SCALE", help="Of roc and profile: log (the default) or linear.", autocompletion=completing(_SCALES)
    ),
]
_Prior = Annotated[
    str | None,
    typer.Option(
        rich_help_panel="The picture",
        metavar="LAW",
        help="Of weighted-bayes-error: uniform, jeffreys, uquadratic or beta:A,B.",
    ),
]
_Touching = Annotated[
    float | None,
    typer.Option(rich_help_panel="The picture", help="Of roc-tangent: where it touches.  [default: 1]"),
]
_Curve = Annotated[
    str | None,
    typer.Option(
        metavar="CURVE",
        help="Of envelope: bayes_error (the default) or tradeoff.",
        autocompletion=completing(_CURVES),
    ),
]
_Direction = Annotated[
    str | None,
    typer.Option(
        metavar="WHOSE",
        help="Of privacy-loss: a record that is removed, or added; stated (the default), as the promise is.",
        autocompletion=completing(_DIRECTIONS),
    ),
]
_Cumulative = Annotated[
    bool, typer.Option("--cumulative", help="Of privacy-loss: distribution functions in place of densities.")
]
_Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="File to write: .png, .svg or .pdf, or .csv for the numbers that are drawn; - for standard output.",
    ),
]
_Form = Annotated[
    str | None,
    typer.Option("--format", help="png, svg (the default), pdf or csv, where the output is standard output."),
]
_Floor = Annotated[
    float | None, typer.Option(help="Least error rate, or delta, that is drawn; as each picture has it.")
]
_AsJson = Annotated[bool, typer.Option("--json", help="Print the numbers that are drawn, as JSON.")]


def plot(
    kind: _Kind = None,
    spec: _Specs = None,
    label: _Labels = None,
    title: _Title = None,
    scale: _Scale = None,
    prior: _Prior = None,
    epsilon: _Touching = None,
    of: _Curve = None,
    direction: _Direction = None,
    cumulative: _Cumulative = False,
    output: _Output = None,
    form: _Form = None,
    adjacency: Adjacency = "add_or_remove",
    floor: _Floor = None,
    tolerance: Tolerance = 1e-6,
    effort: Effort = 10.0,
    as_json: _AsJson = False,
) -> None:
    """A picture of what mechanisms promise, into a file.

    Bands between certified bounds; lines on the safe side. One column of a paper wide; it needs the extra plot. Without
    a KIND, all kinds are listed.
    """
    if kind is None:
        typer.echo(listed())
        return
    asked = {
        "label": label, "scale": scale, "prior": prior, "epsilon": epsilon, "of": of, "direction": direction,
        "cumulative": cumulative or None, "floor": floor,
    }  # fmt: skip
    given = {name: value for name, value in asked.items() if value is not None and value != []}
    name, specs = kind_named(kind), spec or []
    kind_of(name, len(specs), given)
    suffix = _suffix([name, *specs], output, form, as_json)
    keywords = _keywords(name, given)
    from neyman import plot as pictures
    from neyman.cli.reading.guarantees import read_guarantees

    found = read_guarantees(specs, adjacency, tolerance, effort)
    picture: Any = getattr(pictures, name.replace("-", "_"))
    arguments: list[Any] = [*found, *([keywords.pop("hyperprior")] if "hyperprior" in keywords else [])]
    if as_json:
        print_json(numbers(name, specs, picture.data(*arguments, **keywords)))
    elif suffix == ".csv":
        points = picture.data(*arguments, **keywords)
        with written(output or STDOUT) as path:
            points.to_csv(path)
    else:
        axes = picture(*arguments, **keywords)
        if title is not None:
            headed(axes.figure, title)
        save(axes, output or STDOUT, suffix)
    if not as_json:
        advise(output or STDOUT, "csv table" if suffix == ".csv" else "picture")


def _suffix(asked: list[str], output: str | None, form: str | None, as_json: bool) -> str:
    if as_json:
        if output is not None or form is not None:
            raise InvalidParameter("--json", True, "left out where a file or a format is asked for")
        return ""
    if form is not None and f".{form}" not in _FORMS:
        raise InvalidParameter("--format", form, f"one of {', '.join(name[1:] for name in _FORMS)}")
    if output is None:
        line = shlex.join(["neyman", "plot", *asked, "-o", f"{asked[0]}.png"])
        raise InvalidParameter("--output", None, f"given: a file that ends in {', '.join(_FORMS)}", f"Write: {line}")
    suffix = suffix_of(output, form)
    check_output(output, suffixes=_FORMS, binary=suffix in (".png", ".pdf"))
    if form is not None and suffix != f".{form}":
        raise InvalidParameter("--format", form, f"left out, or {suffix[1:]} as the file is named")
    return suffix


def _keywords(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The options by the names that the picture has for them."""
    found = {key: value for key, value in given.items() if key not in ("label", "prior", "cumulative")}
    if "label" in given:
        found["label" if name == "envelope" else "labels"] = given["label"]
    if "cumulative" in given:
        found["kind"] = "cdf"
    if name == "weighted-bayes-error":
        from neyman.cli.reading.beliefs import BELIEFS, beliefs_and_numbers

        _, laws = beliefs_and_numbers([given.get("prior", "uniform")])
        if not laws:
            raise InvalidParameter("prior", given["prior"], f"one of {', '.join(BELIEFS[:-1])}, beta:A,B")
        found["hyperprior"] = laws[0][1]
    return found
