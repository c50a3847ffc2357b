"""``neyman audit``: what an attack's scores prove, and whether a claim survives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from neyman._errors import InvalidParameter
from neyman._validate import probability
from neyman.cli.exits import FAILED, NOT_CERTIFIED, OK
from neyman.cli.printing.output import check_output, console, print_json
from neyman.cli.printing.pictures import FORMS, save
from neyman.cli.verbs.respond import Adjacency, AsJson, Effort, Tolerance, completing

if TYPE_CHECKING:
    from neyman.audit import Audit, Verdict

__all__ = ["audit"]

_METHODS = ("simultaneous", "fixed", "split", "dkw")

Scores = Annotated[
    str,
    typer.Argument(
        metavar="SCORES",
        help="A .csv, .parquet or .npz file; - reads CSV from standard input. Columns score and member (1: in, "
        "0: out), or scores_in and scores_out. The larger a score, the likelier in.",
    ),
]
Claim = Annotated[
    str | None,
    typer.Option(
        metavar="CLAIM",
        help="What to hold the scores against: a report, a file as for neyman account, "
        "dpsgd:NOISE_MULTIPLIER,SAMPLE_RATE,STEPS, mu:MU or epsilon:EPSILON,DELTA.",
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        metavar="METHOD",
        help="How the threshold is chosen: simultaneous (all at once), fixed, split or dkw.  [default: fixed with "
        "--threshold, else simultaneous]",
        autocompletion=completing(_METHODS),
    ),
]
Confidence = Annotated[float, typer.Option(help="With which the bounds hold.")]
Threshold = Annotated[
    float | None, typer.Option(help="Chosen before the scores were seen: larger scores are called in.")
]
Pilot = Annotated[float, typer.Option(help="Share of the scores that chooses thresholds for --method split.")]
Seed = Annotated[int, typer.Option(help="Of the random split for --method split.")]
Independent = Annotated[
    bool,
    typer.Option(
        "--independent",
        help="With --threshold: the two sides are independent too (every score from a model trained apart). One exact "
        "test, for which up to 2.8 times fewer canaries do.",
    ),
]
Deltas = Annotated[
    list[float] | None,
    typer.Option(metavar="DELTA", help="Bound epsilon at this delta; repeatable.  [default: 1e-5]"),
]
Output = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Draw claim and audit: .png, .svg or .pdf."),
]


def audit(
    scores: Scores,
    claim: Claim = None,
    confidence: Confidence = 0.95,
    method: Method = None,
    threshold: Threshold = None,
    pilot: Pilot = 0.2,
    seed: Seed = 0,
    independent: Independent = False,
    delta: Deltas = None,
    output: Output = None,
    adjacency: Adjacency = "add_or_remove",
    tolerance: Tolerance = 1e-6,
    effort: Effort = 10.0,
    as_json: AsJson = False,
) -> None:
    """Whether a claim survives the scores of an attack.

    Certified lower bounds on what the mechanism leaks, and the verdict: 0 consistent (which is no proof), 1 violated, 3
    not informative. Of a report the mechanism and its adjacency count; neyman verify checks its numbers. Without
    --claim the bounds alone are printed. Scores must be independent, one score a trained model, say.
    """
    if output is not None:
        _check_picture(output, claim)
    if claim == "-":
        raise InvalidParameter(
            "claim", claim, "a file, dpsgd:..., mu:... or epsilon:...", "Standard input is for SCORES."
        )
    deltas = tuple(probability("delta", d) for d in (delta or (1e-5,)))
    from neyman.audit import check, from_scores
    from neyman.cli.printing.audited import show, to_json
    from neyman.cli.reading.claim import read_claim, within_and_without

    held = None if claim is None else read_claim(claim, adjacency, tolerance, effort)
    found = from_scores(
        *within_and_without(scores),
        confidence,
        method=method,  # type: ignore[arg-type]  # checked there
        threshold=threshold,
        pilot=pilot,
        seed=seed,
        independent=independent,
    )
    verdict = None if held is None else check(held, found)
    if output is not None and verdict is not None:
        _draw(verdict, output)
    if as_json:
        print_json(to_json(found, verdict, deltas, claim))
    else:
        show(found, verdict, deltas, console())
    raise typer.Exit(_code(found, verdict))


def _code(found: Audit, verdict: Verdict | None) -> int:
    if verdict is None:
        return OK
    return {"consistent": OK, "violated": FAILED, "not informative": NOT_CERTIFIED}[verdict.outcome]


def _check_picture(output: str, claim: str | None) -> None:
    if claim is None:
        raise InvalidParameter("output", output, "left out without --claim", "The picture shows a claim and its audit.")
    if output == "-":
        raise InvalidParameter("output", output, f"a path that ends in {', '.join(FORMS)}")
    check_output(output, suffixes=FORMS)


def _draw(verdict: Verdict, output: str) -> None:
    from pathlib import Path

    from neyman import plot
    from neyman.cli.printing.helping.advice import advise

    save(plot.audit(verdict), output, Path(output).suffix)
    advise(output, "picture")
