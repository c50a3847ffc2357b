"""``neyman diff``: two reports side by side, and which is safer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from neyman._errors import InvalidParameter
from neyman.cli.printing.output import print_json
from neyman.cli.reading.mechanism import FORM, read_mechanism
from neyman.cli.verbs.respond import AsJson

if TYPE_CHECKING:
    from pathlib import Path

    from neyman.mechanisms import Mechanism

__all__ = ["diff"]


def diff(
    a: Annotated[str, typer.Argument(metavar="A", help=f"The one: a report, .json or .html, or {FORM}.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The other, in any of these forms.")],
    timeout: Annotated[float, typer.Option(help="Seconds after which computing is given up.")] = 120.0,
    as_json: AsJson = False,
) -> None:
    """Two reports side by side: what was run, whom it protects, what it promises, and which is safer.

    The numbers are computed here from what was run, not taken from the files, which are not trusted; a claim that is
    false is named. Of another unit or other neighbouring data nothing is compared.
    """
    if a == b == "-":
        raise InvalidParameter("B", b, "a file, or dpsgd:...", "Standard input can be read once.")
    from neyman.reports import diff as compared

    found = compared(_read("A", a), _read("B", b), timeout=timeout)
    if as_json:
        print_json(found.to_dict())
    else:
        typer.echo(str(found))


def _read(name: str, text: str) -> Path | Mechanism | str:
    """A report where the file is one, else what was run."""
    from pathlib import Path

    if text.endswith((".html", ".htm")):
        return Path(text)
    if text.endswith(".json") and _is_report(Path(text)):
        return Path(text)
    return read_mechanism(name, text)


def _is_report(path: Path) -> bool:
    """Whether it says that it is one: looked at, and not yet believed."""
    from neyman.understanding.text import read_text

    return '"neyman-report"' in read_text("SPEC", str(path), "")
