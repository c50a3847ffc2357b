"""The command ``neyman``: verbs, exit codes, and one line for every error."""

from __future__ import annotations

import sys
from typing import Any

import typer

from neyman import __version__
from neyman._errors import NeymanError, NotCertified
from neyman.cli.account import account
from neyman.cli.calibrate import calibrate
from neyman.cli.compare import compare
from neyman.cli.convert import convert
from neyman.cli.dpsgd import dpsgd
from neyman.cli.sweep import sweep

__all__ = ["BAD_INPUT", "INTERRUPTED", "NOT_CERTIFIED", "OK", "main"]

OK, BAD_INPUT, NOT_CERTIFIED, INTERRUPTED = 0, 2, 3, 130

# Typer brings its own copy of Click or uses the installed one, by version: take the root of its usage errors from
# Typer itself
_UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")

app = typer.Typer(add_completion=True, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)
app.command()(dpsgd)
app.command()(account)
app.command()(convert)
app.command()(compare)
app.command()(calibrate)
app.command()(sweep)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"neyman {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", help="Print the version and exit.", is_eager=True, callback=_print_version
    ),
) -> None:
    """Certified differential-privacy guarantees.

    Exit codes: 0 answer, 2 bad input, 3 not certified to the tolerance asked for.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    try:
        given = sys.argv[1:] if arguments is None else arguments
        code = app(args=given or ["--help"], prog_name="neyman", standalone_mode=False)
    except NotCertified as error:
        code = _fail(NOT_CERTIFIED, str(error))
    except NeymanError as error:
        code = _fail(BAD_INPUT, str(error))
    except (typer.Abort, KeyboardInterrupt):
        code = _fail(INTERRUPTED, "interrupted")
    except _UsageError as error:
        code = _fail(BAD_INPUT, str(error.format_message()))
    sys.exit(code if isinstance(code, int) else OK)


def _fail(code: int, message: str) -> int:
    typer.echo("neyman: " + " ".join(message.split()), err=True)
    return code
