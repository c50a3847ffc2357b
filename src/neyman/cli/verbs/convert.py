"""``neyman convert``: a promise in one language of privacy, said in another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from neyman._errors import InvalidParameter
from neyman._validate import choice, not_negative, whole
from neyman.cli.printing.output import console, print_json
from neyman.cli.verbs.respond import ADJACENCIES, AsJson, Effort, completing
from neyman.quantities import QUANTITIES

if TYPE_CHECKING:
    from neyman.guarantees import Guarantee
    from neyman.showing.conversion import Conversion

__all__ = ["convert"]

_ONE = "exactly one source: --epsilon, --mu, --rho, --rdp, --profile, --tradeoff or --spec"
_SPOKEN = tuple(name.replace("_", "-") for name, quantity in QUANTITIES.items() if quantity.spoken)
_AFTER = _SPOKEN.index("tpr") + 1  # the points of the curve stand beside its ordinates
_TO = (*_SPOKEN[:_AFTER], "curve", *_SPOKEN[_AFTER:])
_BETWEEN = ("chords", "below")
_EFFORT = 10.0  # nominal seconds, as of ``account``
To = Annotated[str, typer.Option(metavar="WHAT", help=", ".join(_TO) + ".", autocompletion=completing(_TO))]
Epsilons = Annotated[
    list[float] | None,
    typer.Option(metavar="EPSILON", help="From epsilon-DP, or pairs with --delta; repeatable."),
]
Deltas = Annotated[
    list[float] | None,
    typer.Option(metavar="DELTA", help="The delta of each --epsilon; without one, where --to epsilon is asked."),
]
Mu = Annotated[float | None, typer.Option(help="From mu-GDP.")]
Rho = Annotated[float | None, typer.Option(help="From rho-zCDP.")]
Orders = Annotated[
    str | None, typer.Option(metavar="FILE", help="From Renyi DP: CSV file with columns order, epsilon.")
]
Pairs = Annotated[str | None, typer.Option(metavar="FILE", help="From pairs: CSV file with columns epsilon, delta.")]
Curve = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="From a curve: CSV file with columns alpha, beta, the corners of a polygon. Samples of a curve that bends "
        "are no corners, their chords promise too much: --between below.",
    ),
]
Between = Annotated[
    str | None,
    typer.Option(
        metavar="WHICH",
        help="With --tradeoff: chords (the default), the polygon through the points is the curve; below, the curve "
        "passes through the points, and what they prove of it is promised.",
        autocompletion=completing(_BETWEEN),
    ),
]
Error = Annotated[
    float | None,
    typer.Option(help="With --between below: how far off a beta may be, as by rounding.  [default: 1e-12 of it]"),
]
Spec = Annotated[str | None, typer.Option(metavar="SPEC", help="From a mechanism: SPEC as for neyman account.")]
Places = Annotated[
    list[float] | None,
    typer.Option(metavar="PLACE", help="Where it is asked: delta, epsilon, alpha, prior, order, floor; repeatable."),
]
Points = Annotated[int | None, typer.Option(help="With --to curve: how many points.  [default: 64]")]
SpecAdjacency = Annotated[
    str | None,
    typer.Option(
        metavar="WHICH",
        help="With --spec: add_or_remove (the default), add, remove or replace.",
        autocompletion=completing(ADJACENCIES),
    ),
]
SpecTolerance = Annotated[
    float | None,
    typer.Option(help="With --spec: relative width aimed for of the bracket of delta.  [default: 1e-06]"),
]


def _target(to: str) -> str:
    """What is asked for, in words of other libraries too."""
    if to not in _TO:
        from neyman._guesses import quantity_meant

        to = next((one for one in (quantity_meant(to) or "", to.lower()) if one in _TO), to)
    return choice("to", to, _TO)


def convert(
    to: To,
    epsilon: Epsilons = None,
    delta: Deltas = None,
    mu: Mu = None,
    rho: Rho = None,
    rdp: Orders = None,
    profile: Pairs = None,
    tradeoff: Curve = None,
    between: Between = None,
    error: Error = None,
    spec: Spec = None,
    at: Places = None,
    points: Points = None,
    adjacency: SpecAdjacency = None,
    tolerance: SpecTolerance = None,
    effort: Effort = _EFFORT,
    as_json: AsJson = False,
) -> None:
    """A promise in one language of privacy, said in another.

    Give exactly one source (--epsilon with or without --delta, --mu, --rho, --rdp, --profile, --tradeoff or --spec) and
    say with --to what is asked for. Answers certified brackets, and whether the road loses anything.
    """
    target = _target(to)
    if target == "epsilon" and not epsilon and delta:
        at, delta = [*(at or []), *delta], None
    given = {
        "epsilon": epsilon, "mu": mu, "rho": rho, "rdp": rdp, "profile": profile, "tradeoff": tradeoff, "spec": spec,
    }  # fmt: skip
    named = [name for name, value in given.items() if value is not None]
    if len(named) != 1:
        line = f"neyman convert --mu 1 --to {target}"
        raise InvalidParameter("source", " and ".join(named) or None, _ONE, f"Write: {line}")
    if delta and named != ["epsilon"]:
        raise InvalidParameter("delta", delta[0], "given beside --epsilon, or with --to epsilon")
    if spec is None:
        work = None if effort == _EFFORT else effort
        for name, value in (("adjacency", adjacency), ("tolerance", tolerance), ("effort", work)):
            if value is not None:
                raise InvalidParameter(name, value, "left out unless a mechanism is given with --spec")
        guarantee = _guarantee(named[0], given[named[0]], delta, _curve(named[0], between, error))
    else:
        _curve("spec", between, error)
        guarantee = _computed(spec, adjacency or "add_or_remove", 1e-6 if tolerance is None else tolerance, effort)
    if target == "curve":
        _print_curve(guarantee, whole("points", 64 if points is None else points, 2, 100_000), at, as_json)
        return
    if points is not None:
        raise InvalidParameter("points", points, "left out unless --to curve is asked")
    from neyman.showing.conversion import convert_to  # NumPy and the engines: not needed for --help

    _print(convert_to(target, guarantee, at), as_json)


def _curve(source: str, between: str | None, error: float | None) -> dict[str, object]:
    """How points of a curve are to be taken, if they are the source."""
    if between is not None and source != "tradeoff":
        raise InvalidParameter("between", between, "left out unless a curve is given with --tradeoff")
    way = choice("between", between or "chords", _BETWEEN)
    if error is None:
        return {"between": way}
    if way != "below":
        raise InvalidParameter("error", error, "left out unless --between below is given")
    return {"between": way, "absolute_error": not_negative("--error", error)}


def _guarantee(name: str, value: object, delta: list[float] | None, way: dict[str, object]) -> Guarantee:
    import neyman as ny
    from neyman.cli.reading.columns import read_columns

    if name == "epsilon" and isinstance(value, list):
        return _from_pairs(value, delta)
    if name == "mu" and isinstance(value, float):
        return ny.GDP(value)
    if name == "rho" and isinstance(value, float):
        return ny.ZCDP(value)
    makers: dict[str, tuple[Callable[..., Guarantee], tuple[str, str]]] = {
        "rdp": (ny.RDP, ("order", "epsilon")),
        "profile": (ny.Profile, ("epsilon", "delta")),
        "tradeoff": (lambda *points: ny.Tradeoff.from_points(*points, **way), ("alpha", "beta")),
    }
    make, columns = makers[name]
    numbers = read_columns(f"--{name}", str(value), columns)
    try:
        return make(*numbers)
    except InvalidParameter as error:
        raise error.called(f"--{name} {value}: {error.name}") from None


def _computed(spec: str, adjacency: str, tolerance: float, effort: float) -> Guarantee:
    import neyman as ny
    from neyman.cli.reading.mechanism import read_mechanism

    return ny.account(read_mechanism("SPEC", spec), adjacency=adjacency, tolerance=tolerance, effort=effort)


def _from_pairs(epsilon: list[float], delta: list[float] | None) -> Guarantee:
    import neyman as ny

    if delta is None or not delta:
        if len(epsilon) > 1:
            raise InvalidParameter("delta", None, "given once for each --epsilon")
        return ny.PureDP(epsilon[0])
    if len(epsilon) != len(delta):
        raise InvalidParameter("delta", len(delta), f"given once for each --epsilon, {len(epsilon)} times")
    if len(epsilon) == 1:
        return ny.ApproximateDP(epsilon[0], delta[0])
    pairs = sorted(zip(epsilon, delta, strict=True))
    return ny.Profile([e for e, _ in pairs], [d for _, d in pairs])


def _print(answer: Conversion, as_json: bool) -> None:
    if as_json:
        print_json(answer.to_json())
        return
    from neyman.cli.printing.table import show_conversion

    show_conversion(answer, console())


def _print_curve(guarantee: Guarantee, points: int, at: list[float] | None, as_json: bool) -> None:
    """Points of the curve, none above it (straight lines between them may be), as CSV or JSON."""
    if at:
        raise InvalidParameter("at", at[0], "left out: a curve is drawn at --points points of its own")
    curve = guarantee.curve(points)
    order = curve.alpha.argsort()
    rows = [(float(a), float(b)) for a, b in zip(curve.alpha[order], curve.beta[order], strict=True)]
    if as_json:
        print_json({"schema": 1, "from": repr(guarantee), "to": "curve", "points": rows})
        return
    typer.echo("alpha,beta")
    for alpha, beta in rows:
        typer.echo(f"{alpha!r},{beta!r}")
