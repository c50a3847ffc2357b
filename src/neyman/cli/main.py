"""The command ``neyman``: verbs, exit codes, and one line for every error."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext, suppress
from difflib import get_close_matches
from functools import cache
from typing import Any

import typer
from typer.core import TyperGroup

from neyman._errors import InvalidParameter, NeymanError, NotCertified, more
from neyman.cli.exits import BAD_INPUT, INTERRUPTED, MEANINGS, NOT_CERTIFIED, OK, READER_GONE, UNFORESEEN
from neyman.cli.printing.helping.help import SETTINGS, Verb, print_version
from neyman.cli.printing.helping.in_options import in_command, in_options
from neyman.cli.printing.helping.lessons import ROOT_EXAMPLES, epilog_of
from neyman.cli.reading.guessed import completed_line, meant, verb_meant
from neyman.cli.reading.numbers import reading_numbers
from neyman.cli.reading.plain_values import read_plainly
from neyman.cli.verbs.account import account
from neyman.cli.verbs.audit import audit
from neyman.cli.verbs.calibrate import calibrate
from neyman.cli.verbs.census import census
from neyman.cli.verbs.compare import compare
from neyman.cli.verbs.convert import convert
from neyman.cli.verbs.diff import diff
from neyman.cli.verbs.dpsgd import dpsgd
from neyman.cli.verbs.explore import explore
from neyman.cli.verbs.help import help as explain
from neyman.cli.verbs.plot import plot
from neyman.cli.verbs.prove import prove
from neyman.cli.verbs.report import report
from neyman.cli.verbs.reproduce import reproduce
from neyman.cli.verbs.risk import risk
from neyman.cli.verbs.sweep import sweep
from neyman.cli.verbs.table import table
from neyman.cli.verbs.verify import verify

__all__ = ["app", "main"]

_SAID = 300  # characters of an unforeseen error that are shown

# Typer brings its own copy of Click or uses the installed one, by version: take the root of its usage errors from
# Typer itself
_UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


class _Plainly:
    """A command that reads what is plain without Typer's helpers, which are slow to import."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all options, that of help too."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # of the command it is mixed into
        read_plainly(found)
        return found


class _Verb(_Plainly, Verb):
    pass


class _Verbs(_Plainly, TyperGroup):
    """Answers a verb that is not there with the nearest one, whatever Typer's version does about it."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        asked = args[0]
        if asked in self.commands or asked.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        near = get_close_matches(asked, self.commands, n=1, cutoff=0.5)
        line = verb_meant(asked)
        advice = (
            f"Did you mean {near[0]}?" if near and not line else "See neyman --help." if not line else f"Write: {line}"
        )
        raise InvalidParameter("verb", asked, f"one of {', '.join(self.commands)}", advice, topic="command-line")


_EPILOG = (
    "\b\nExamples:\n" + "\n".join(f"  {line}" for line in ROOT_EXAMPLES) + "\n\n"
    "\b\nExit codes:\n" + "\n".join(f"  {code:<3}  {meaning}" for code, meaning in MEANINGS.items())
)  # fmt: skip
app = typer.Typer(
    cls=_Verbs, add_completion=True, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False,
    epilog=_EPILOG, context_settings=SETTINGS,
)  # fmt: skip


def _verb(answers: Any, short_help: str | None = None) -> None:
    app.command(cls=_Verb, epilog=epilog_of(answers.__name__), short_help=short_help)(reading_numbers(answers))


_verb(dpsgd)
_verb(account)
_verb(convert)
_verb(compare)
_verb(risk)
_verb(plot)
_verb(explore, "A page that answers while you drag, in a browser.")
_verb(calibrate)
_verb(sweep)
_verb(table)
_verb(census)
_verb(audit)
_verb(report, "A report to hand over, which others can verify.")
_verb(verify)
_verb(diff, "Two reports side by side, and which is safer.")
_verb(prove)
_verb(reproduce, "The papers' figures and numbers, from this engine.")
_verb(explain)


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "-V", "--version", help="Print the version and exit.", is_eager=True, callback=print_version
    ),
) -> None:
    """Certified differential-privacy guarantees: every number is a bound that the truth does not exceed.

    neyman VERB -h shows what a verb answers, with examples. Every verb takes --json; "-" stands for standard input,
    and for standard output where a file is written. neyman help TOPIC explains an error, as its last line says. Shell
    completion: neyman --install-completion.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code: see ``exits.py``."""
    try:
        code = _run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()  # a reader that is gone is noticed here at the latest
    except BrokenPipeError:
        code = READER_GONE
    except OSError as error:  # standard output on a disk that is full
        code = _fail(BAD_INPUT, f"what was asked for could not be read or written: {error.strerror or error}.", "file")
        _forget_output()
    if code == READER_GONE:
        _forget_output()
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    """Answer; whatever was not foreseen is one line, too, and never the code of a claim that does not hold."""
    try:
        with _patience(arguments):
            return _answer(arguments)
    except OSError:  # a disk or a reader: see ``main``
        raise
    except Exception as error:  # noqa: BLE001 this is the last place where anyone could say what happened
        return _fail(UNFORESEEN, _unforeseen(error))


def _patience(arguments: list[str]) -> AbstractContextManager[None]:
    """What a person sees who waits; nobody is shown anything who types the input, or has no terminal."""
    typing = "-" in arguments and sys.stdin.isatty()
    if not sys.stderr.isatty() or typing or os.environ.get("TERM") == "dumb":
        return nullcontext()
    from neyman.cli.printing.waiting import waiting

    return waiting(f"neyman {arguments[0] if arguments else ''}".strip())


def _unforeseen(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "memory ran out before there was an answer: nothing was decided."
    said = " ".join(str(error).split())[:_SAID]
    return f"no answer: {type(error).__name__}: {said} (not foreseen: please report it)"


@cache
def _command() -> Any:
    """The verbs as they parse their arguments, made of their signatures once: that takes longer than most answers."""
    return typer.main.get_command(app)


def _options(command: Any) -> dict[str, set[str]]:
    """The options of every verb, and those of the root under no name."""

    def own(one: Any) -> set[str]:
        return {"--help", *(name for parameter in one.params for name in (*parameter.opts, *parameter.secondary_opts))}

    return {"": own(command), **{verb: own(one) for verb, one in command.commands.items()}}


def _answer(arguments: list[str]) -> int:
    try:
        command = _command()
        code = command(
            args=meant(arguments, _options(command)) or ["--help"], prog_name="neyman", standalone_mode=False
        )
    except NotCertified as error:
        return _fail(NOT_CERTIFIED, in_options(str(error)), error.topic)
    except NeymanError as error:
        said = in_command(in_options(str(error)), getattr(error, "value", None), arguments)
        return _fail(BAD_INPUT, said, error.topic)
    except (typer.Abort, KeyboardInterrupt):
        return _fail(INTERRUPTED, "interrupted")
    except _UsageError as error:
        said = str(error.format_message())
        line = completed_line(arguments) if said.startswith("Missing") and arguments else ""
        return _fail(BAD_INPUT, f"{said} Write: {line}" if line else said, "command-line")
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


def _fail(code: int, message: str, topic: str = "") -> int:
    """Say it in one line, and in a second where more of it stands."""
    typer.echo("neyman: " + " ".join(message.split()), err=True)
    if topic:
        typer.echo(more(topic), err=True)
    return code


def _forget_output() -> None:
    """Let what is still in the buffer go nowhere, so that Python's own flush at the end has nothing to say."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
