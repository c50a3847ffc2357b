"""``neyman verify``: whether reports hold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from neyman._errors import InvalidParameter, NeymanError, NotCertified
from neyman.cli.exits import BAD_INPUT, NOT_CERTIFIED, UNFORESEEN
from neyman.cli.printing.output import print_json
from neyman.cli.verbs.respond import AsJson

__all__ = ["verify"]

_SAID = 300  # characters of an unforeseen error


def verify(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Reports, .json or .html; - reads standard input.")
    ],
    tolerance: Annotated[
        float | None, typer.Option(help="Relative width aimed for of the bracket of delta; that of the report.")
    ] = None,
    effort: Annotated[
        float | None,
        typer.Option(help="Work that each claim may take, in nominal seconds of one core; that of the report."),
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds after which recomputing a file is given up.")] = 120.0,
    proving: Annotated[
        bool, typer.Option("--prove", help="Prove each claim in ball arithmetic, too (extra prove).")
    ] = False,
    proof: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Proof that the report names; that beside it, NAME.proof.json, unless stated."
        ),
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Every claim, in the words of the report.")] = False,
    as_json: AsJson = False,
) -> None:
    """Whether a report holds, for whoever signs.

    Says what was run, who is protected, what is claimed, the verdict, and what it cannot know. Recomputes every claim
    from the mechanism in the report, with the engines installed here: holds, does not hold (and by how much), cannot
    tell. The file is not trusted: it is read within limits, and recomputing has a time limit. Of several files each is
    verified, whatever became of the others; the code is that of the worst.
    """
    from neyman.cli.printing.verified import Verified, counted, headed, worst

    _check(files, proving, proof)
    limits: dict[str, Any] = {"tolerance": tolerance, "effort": effort, "timeout": timeout, "proof": proof}
    several = len(files) > 1
    done: list[Verified] = []
    for file in files:
        one = _one(file, limits, proving) if not several else _whatever_comes(file, limits, proving)
        done.append(one)
        if not as_json:
            typer.echo(f"{headed(file)}\n{one.text(full=verbose)}\n" if several else one.text(full=verbose))
    if as_json:
        print_json({"files": [{"file": one.file, **one.to_dict()} for one in done]} if several else done[0].to_dict())
    elif several:
        typer.echo(counted(done))
    raise typer.Exit(worst([one.leaving for one in done]))


def _check(files: list[str], proving: bool, proof: str | None) -> None:
    """Refuse what can be asked of one file alone."""
    if proving and "-" in files:
        raise InvalidParameter("file", "-", "the name of a file", "With --prove it is read twice.")
    if files.count("-") > 1:
        raise InvalidParameter("file", "-", "given once", "Standard input can be read once.")
    if proof is not None and len(files) > 1:
        advice = "Of several files each finds its own beside it: NAME.proof.json."
        raise InvalidParameter("--proof", proof, "beside a single file", advice)


def _one(file: str, limits: dict[str, Any], proving: bool) -> Any:
    from neyman.cli.printing.verified import Verified
    from neyman.reports import verify as verified

    found = verified(file if file == "-" else Path(file), **limits)
    if not proving or not found.checks:  # what was altered has no claims that could be proved
        return Verified(file, found)
    return Verified(file, found, *_proved(Path(file), limits["timeout"]))


def _whatever_comes(file: str, limits: dict[str, Any], proving: bool) -> Any:
    """One of several: what is wrong with it is said of it, and the others have their turn."""
    from neyman.cli.printing.verified import Verified

    try:
        return _one(file, limits, proving)
    except NotCertified as error:
        return Verified(file, trouble=_told(error), code=NOT_CERTIFIED)
    except NeymanError as error:
        return Verified(file, trouble=_told(error), code=BAD_INPUT)
    except Exception as error:  # noqa: BLE001 one file that nobody foresaw does not hide what became of another
        why = f"No answer: {type(error).__name__}: {_told(error)} (not foreseen: please report it)."
        return Verified(file, trouble=why, code=UNFORESEEN)


def _told(error: Exception) -> str:
    return " ".join(str(error).split())[:_SAID]


def _proved(file: Path, timeout: float) -> tuple[list[tuple[str, str, str]], str]:
    from neyman.proving.elsewhere import prove_elsewhere
    from neyman.reports.verifying.reading import read

    return prove_elsewhere(read(file).data, timeout, progress=None)
