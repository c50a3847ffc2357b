"""``neyman compare``: which of two mechanisms is more private, where, and by how much."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from neyman._errors import InvalidParameter
from neyman.cli.beliefs import beliefs_and_numbers
from neyman.cli.respond import Adjacency, AsJson, Tolerance

if TYPE_CHECKING:
    from neyman.mechanisms import Mechanism

__all__ = ["compare", "read_mechanism"]

_FORM = "a file as for neyman account, or dpsgd:NOISE_MULTIPLIER,SAMPLE_RATE,STEPS"


def compare(
    a: Annotated[str, typer.Argument(help=f"The one: {_FORM}.")],
    b: Annotated[str, typer.Argument(help="The other, in the same form.")],
    prior: Annotated[
        list[str] | None,
        typer.Option(
            help="A number: show both Bayes errors at this P(record absent). Or beliefs about it, to weigh them by: "
            "uniform, jeffreys, uquadratic, beta:A,B. Repeatable."
        ),
    ] = None,
    adjacency: Adjacency = "add_or_remove",
    tolerance: Tolerance = 1e-6,
    as_json: AsJson = False,
) -> None:
    """Certified comparison of two mechanisms beyond any single (epsilon, delta): Delta-divergences, order, crossings.

    Example: neyman compare dpsgd:2,9e-4,1400000 dpsgd:3,9e-4,3400000
    """
    priors, beliefs = beliefs_and_numbers(prior or [])
    if a == b == "-":
        raise InvalidParameter("B", b, "a file, or dpsgd:...", "Standard input can be read once.")
    mechanisms = [read_mechanism(name, text) for name, text in (("A", a), ("B", b))]
    import neyman as ny
    from neyman.cli.compared import Compared

    guarantees = [ny.account(m, adjacency=adjacency, tolerance=tolerance) for m in mechanisms]
    answer = Compared.of((mechanisms[0], mechanisms[1]), ny.compare(*guarantees), priors, beliefs)
    if as_json:
        typer.echo(json.dumps(answer.to_json(), indent=2, allow_nan=False))
        return
    from rich.console import Console

    from neyman.cli.compared import show

    show(answer, Console())


def read_mechanism(name: str, text: str) -> Mechanism:
    """Return the mechanism of a file, or of an inline DP-SGD."""
    if not text.startswith("dpsgd:"):
        from neyman.cli.spec import read_spec

        return read_spec(text)
    from neyman.mechanisms import DPSGD

    parts = text.removeprefix("dpsgd:").split(",")
    try:
        noise, rate, steps = float(parts[0]), float(parts[1]), int(parts[2])
    except (ValueError, IndexError):
        raise InvalidParameter(name, text, _FORM) from None
    if len(parts) != 3:
        raise InvalidParameter(name, text, _FORM)
    return DPSGD(noise_multiplier=noise, sample_rate=rate, steps=steps)
