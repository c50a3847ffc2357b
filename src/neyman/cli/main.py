"""The command ``neyman``: verbs, exit codes, and one line for every error."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from typing import Any

import typer
from typer.core import TyperGroup

from neyman import __version__
from neyman._errors import InvalidParameter, NeymanError, NotCertified
from neyman.cli.exits import BAD_INPUT, INTERRUPTED, MEANINGS, NOT_CERTIFIED, OK, READER_GONE, UNFORESEEN
from neyman.cli.printing.lessons import ROOT_EXAMPLES, epilog_of
from neyman.cli.verbs.account import account
from neyman.cli.verbs.audit import audit
from neyman.cli.verbs.calibrate import calibrate
from neyman.cli.verbs.census import census
from neyman.cli.verbs.compare import compare
from neyman.cli.verbs.convert import convert
from neyman.cli.verbs.diff import diff
from neyman.cli.verbs.dpsgd import dpsgd
from neyman.cli.verbs.prove import prove
from neyman.cli.verbs.report import report
from neyman.cli.verbs.reproduce import reproduce
from neyman.cli.verbs.sweep import sweep
from neyman.cli.verbs.table import table
from neyman.cli.verbs.verify import verify

__all__ = ["app", "main"]

_SAID = 300  # characters of an unforeseen error that are shown

# Typer brings its own copy of Click or uses the installed one, by version: take the root of its usage errors from
# Typer itself
_UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


class _Verbs(TyperGroup):
    """Answers a verb that is not there with the nearest one, whatever Typer's version does about it."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        asked = args[0]
        if asked in self.commands or asked.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        near = get_close_matches(asked, self.commands, n=1, cutoff=0.5)
        advice = f"Did you mean {near[0]}?" if near else "See neyman --help."
        raise InvalidParameter("verb", asked, f"one of {', '.join(self.commands)}", advice)


_EPILOG = (
    "\b\nExamples:\n" + "\n".join(f"  {line}" for line in ROOT_EXAMPLES) + "\n\n"
    "\b\nExit codes:\n" + "\n".join(f"  {code:<3}  {meaning}" for code, meaning in MEANINGS.items())
)  # fmt: skip
app = typer.Typer(
    cls=_Verbs, add_completion=True, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False,
    epilog=_EPILOG,
)  # fmt: skip
app.command(epilog=epilog_of("dpsgd"))(dpsgd)
app.command(epilog=epilog_of("account"))(account)
app.command(epilog=epilog_of("convert"))(convert)
app.command(epilog=epilog_of("compare"))(compare)
app.command(epilog=epilog_of("calibrate"))(calibrate)
app.command(epilog=epilog_of("sweep"))(sweep)
app.command(epilog=epilog_of("table"))(table)
app.command(epilog=epilog_of("census"))(census)
app.command(epilog=epilog_of("audit"))(audit)
app.command(epilog=epilog_of("report"), short_help="A report to hand over, which others can verify.")(report)
app.command(epilog=epilog_of("verify"))(verify)
app.command(epilog=epilog_of("diff"), short_help="Two reports side by side, and which is safer.")(diff)
app.command(epilog=epilog_of("prove"))(prove)
app.command(epilog=epilog_of("reproduce"), short_help="The papers' figures and numbers, from this engine.")(reproduce)


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
    """Certified differential-privacy guarantees: every number is a bound that the truth does not exceed.

    neyman VERB --help shows what a verb answers, with examples. Every verb takes --json; "-" stands for standard input,
    and for standard output where a file is written. Shell completion: neyman --install-completion.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code: see ``exits.py``."""
    try:
        code = _run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()  # a reader that is gone is noticed here at the latest
    except BrokenPipeError:
        code = READER_GONE
    except OSError as error:  # standard output on a disk that is full
        code = _fail(BAD_INPUT, f"what was asked for could not be read or written: {error.strerror or error}.")
        _forget_output()
    if code == READER_GONE:
        _forget_output()
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    """Answer; whatever was not foreseen is one line, too, and never the code of a claim that does not hold."""
    try:
        return _answer(arguments)
    except OSError:  # a disk or a reader: see ``main``
        raise
    except Exception as error:  # noqa: BLE001 this is the last place where anyone could say what happened
        return _fail(UNFORESEEN, _unforeseen(error))


def _unforeseen(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "memory ran out before there was an answer: nothing was decided."
    said = " ".join(str(error).split())[:_SAID]
    return f"no answer: {type(error).__name__}: {said} (not foreseen: please report it)"


@cache
def _command() -> Any:
    """The verbs as they parse their arguments, made of their signatures once: that takes longer than most answers."""
    return typer.main.get_command(app)


def _answer(arguments: list[str]) -> int:
    try:
        code = _command()(args=arguments or ["--help"], prog_name="neyman", standalone_mode=False)
    except NotCertified as error:
        return _fail(NOT_CERTIFIED, str(error))
    except NeymanError as error:
        return _fail(BAD_INPUT, str(error))
    except (typer.Abort, KeyboardInterrupt):
        return _fail(INTERRUPTED, "interrupted")
    except _UsageError as error:
        return _fail(BAD_INPUT, str(error.format_message()))
    except SystemExit as left:  # so Typer and Rich answer to a reader that is gone
        code = READER_GONE if isinstance(left.__context__, BrokenPipeError) else left.code
        if code not in (READER_GONE, INTERRUPTED) and not _completing():  # verbs leave otherwise: it means no verdict
            return _fail(UNFORESEEN, f"no answer: something ended the program with {code!r}")
    if code == INTERRUPTED:  # newer versions of Typer leave by themselves, without a word
        return _fail(INTERRUPTED, "interrupted")
    return code if isinstance(code, int) else OK


def _completing() -> bool:
    """Whether a shell asks what could be typed: Typer answers it, and leaves by itself."""
    return "_NEYMAN_COMPLETE" in os.environ


def _fail(code: int, message: str) -> int:
    typer.echo("neyman: " + " ".join(message.split()), err=True)
    return code


def _forget_output() -> None:
    """Let what is still in the buffer go nowhere, so that Python's own flush at the end has nothing to say."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
