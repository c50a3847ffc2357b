"""``neyman risk``: what an attacker can do at most, with the sentence for each number."""

from __future__ import annotations

from typing import Annotated

import typer

from neyman._validate import probability, whole
from neyman.cli.exits import NOT_CERTIFIED
from neyman.cli.printing.output import console, print_json
from neyman.cli.verbs.respond import Adjacency, AsJson, Effort, Tolerance, completing

__all__ = ["risk"]

NAMES = (
    "tpr", "advantage", "posterior", "bayes_error", "accuracy", "reconstruction", "attribute_inference",
    "singling_out", "relative_risk",
)  # fmt: skip


def risk(
    spec: Annotated[
        list[str],
        typer.Argument(
            metavar="SPEC...",
            help="Files as for neyman account, reports, - for standard input, "
            "dpsgd:NOISE_MULTIPLIER,SAMPLE_RATE,STEPS, mu:MU or epsilon:EPSILON,DELTA.",
        ),
    ],
    fpr: Annotated[
        list[float] | None,
        typer.Option(
            metavar="FPR",
            help="Chance of accusing somebody whose record is absent, for tpr and posterior; repeatable.  "
            "[default: 0.001, 0.01, 0.1]",
        ),
    ] = None,
    membership_prior: Annotated[
        list[float] | None,
        typer.Option(
            metavar="CHANCE",
            help="That the record is present, before the output is seen; repeatable.  [default: 0.5]",
        ),
    ] = None,
    baseline: Annotated[
        list[float] | None,
        typer.Option(
            metavar="CHANCE",
            help="Of success without the output, for reconstruction, attribute_inference, singling_out and "
            "relative_risk; repeatable.  [default: 0.1]",
        ),
    ] = None,
    records: Annotated[int, typer.Option(help="People any one of whom counts, for singling_out.")] = 1,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RISK", help=f"This risk alone; repeatable: {', '.join(NAMES)}.", autocompletion=completing(NAMES)
        ),
    ] = None,
    adjacency: Adjacency = "add_or_remove",
    tolerance: Tolerance = 1e-6,
    effort: Effort = 10.0,
    as_json: AsJson = False,
) -> None:
    """What an attacker can do at most, in numbers and in sentences.

    Membership attacks (true positives, advantage, posterior, error and accuracy of the best guess) and attacks on what
    a record holds (reconstruction, attributes, singling out), each with its certified bracket, the end that is safe to
    report, and what is reached without the output. What cannot be certified is named, and costs no other number.
    """
    rates = tuple(probability("fpr", x) for x in (fpr or (0.001, 0.01, 0.1)))
    present = tuple(probability("membership_prior", x) for x in (membership_prior or (0.5,)))
    chances = tuple(probability("baseline", x) for x in (baseline or (0.1,)))
    whole("records", records, 1, 10**18)
    from neyman.cli.printing.risks import Asked, Risks, show, to_json
    from neyman.cli.reading.guarantees import read_guarantees

    asked = Asked(rates, present, chances, records, tuple(name.replace("-", "_") for name in only or ()))
    guarantees = read_guarantees(spec, adjacency, tolerance, effort)
    found = [Risks.of(text, guarantee, asked) for text, guarantee in zip(spec, guarantees, strict=True)]
    if as_json:
        print_json(to_json(found))
    else:
        to = console()
        for number, one in enumerate(found):
            if number:
                to.print()
            show(one, to)
    if not all(one.whole for one in found):
        raise typer.Exit(NOT_CERTIFIED)
