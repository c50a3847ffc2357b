"""``neyman compare``: which of two mechanisms is more private, where, and by how much."""

from __future__ import annotations

from typing import Annotated

import typer

from neyman._errors import InvalidParameter
from neyman.cli.printing.output import console, print_json
from neyman.cli.reading.beliefs import BELIEFS, beliefs_and_numbers
from neyman.cli.reading.mechanism import FORM, read_subject
from neyman.cli.verbs.respond import AsJson, Effort, OwnAdjacency, Tolerance, completing

__all__ = ["compare"]


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help=f"The one: {FORM}.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The other, in the same form.")],
    prior: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PRIOR",
            autocompletion=completing(BELIEFS),
            help="A number: show both Bayes errors at this P(record absent). Or beliefs about it, to weigh them by: "
            "uniform, jeffreys, uquadratic, beta:A,B. Repeatable.",
        ),
    ] = None,
    adjacency: OwnAdjacency = None,
    tolerance: Tolerance = 1e-6,
    effort: Effort = 10.0,
    as_json: AsJson = False,
) -> None:
    """Which of two mechanisms is more private, and by how much.

    Two mechanisms with the same (epsilon, delta) can differ by fifteen points of an attacker's success. Answers what
    choosing the one instead of the other costs at most in the attacker's Bayes error (both ways), whether one is more
    private against every attacker, and where the curves cross.
    """
    priors, beliefs = beliefs_and_numbers(prior or [])
    if a == b == "-":
        raise InvalidParameter("B", b, "a file, or dpsgd:...", "Standard input can be read once.")
    first, second = (read_subject(name, text) for name, text in (("A", a), ("B", b)))
    import neyman as ny
    from neyman.cli.printing.compared import Compared

    kinds = (adjacency or first.adjacency or second.adjacency, adjacency or second.adjacency or first.adjacency)
    guarantees = [one.guarantee(kind, tolerance, effort) for one, kind in zip((first, second), kinds, strict=True)]
    answer = Compared.of((first.mechanism, second.mechanism), ny.compare(*guarantees), priors, beliefs)
    if as_json:
        print_json(answer.to_json())
        return
    from neyman.cli.printing.compared import show

    show(answer, console())
