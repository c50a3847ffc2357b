"""``neyman verify``: whether a report holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neyman._errors import InvalidParameter
from neyman.cli.exits import FAILED, NOT_CERTIFIED, OK
from neyman.cli.printing.output import print_json
from neyman.cli.verbs.respond import AsJson

__all__ = ["verify"]


def verify(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Report, .json or .html; - reads standard input.")],
    tolerance: Annotated[
        float | None, typer.Option(help="Relative width aimed for of the bracket of delta; that of the report.")
    ] = None,
    effort: Annotated[
        float | None,
        typer.Option(help="Work that each claim may take, in nominal seconds of one core; that of the report."),
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds after which recomputing is given up.")] = 120.0,
    proving: Annotated[
        bool, typer.Option("--prove", help="Prove each claim in ball arithmetic, too (extra prove).")
    ] = False,
    proof: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Proof that the report names; that beside it, NAME.proof.json, unless stated."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Whether a report holds, claim by claim.

    Recomputes every claim from the mechanism in the report, with the engines installed here: holds, does not hold (and
    by how much), cannot tell. The file is not trusted: it is read within limits, and recomputing has a time limit.
    """
    from neyman.reports import verify as verified

    if proving and file == "-":
        raise InvalidParameter("file", "-", "the name of a file", "With --prove it is read twice.")
    given = file if file == "-" else Path(file)
    found = verified(given, tolerance=tolerance, effort=effort, timeout=timeout, proof=proof)
    answers, failure = _proved(Path(file), timeout) if proving else ([], "")
    if as_json:
        told = {"answers": [dict(zip(("id", "verdict", "reason"), one, strict=True)) for one in answers]}
        print_json({**found.to_dict(), **({"proof": {**told, "failure": failure}} if proving else {})})
    else:
        typer.echo(str(found))
        if proving:
            typer.echo(_said(answers, failure))
    codes = [{"holds": OK, "does not hold": FAILED, "cannot tell": NOT_CERTIFIED}[found.outcome]]
    codes += [_code(answers, failure)] if proving else []
    raise typer.Exit(FAILED if FAILED in codes else max(codes))


def _proved(file: Path, timeout: float) -> tuple[list[tuple[str, str, str]], str]:
    from neyman.proving.elsewhere import prove_elsewhere
    from neyman.reports.reading import read

    return prove_elsewhere(read(file).data, timeout)


def _said(answers: list[tuple[str, str, str]], failure: str) -> str:
    if failure:
        return f"Nothing is proved: {failure}."
    lines = [f"  {name}: {verdict} ({reason})" for name, verdict, reason in answers if verdict != "proved"]
    return "\n".join(
        [*lines, f"{len(answers) - len(lines)} of {len(answers)} statements are proved in ball arithmetic."]
    )


def _code(answers: list[tuple[str, str, str]], failure: str) -> int:
    verdicts = {verdict for _, verdict, _ in answers}
    return FAILED if "refuted" in verdicts else OK if verdicts == {"proved"} and not failure else NOT_CERTIFIED
