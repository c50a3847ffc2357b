"""``neyman help``: what an error or a word means, without a network."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated

import typer

from neyman._errors import InvalidParameter
from neyman.cli.printing.output import print_json
from neyman.cli.verbs.respond import AsJson

__all__ = ["help"]


def _names() -> tuple[str, ...]:
    from neyman.cli.printing.helping.topics import topics, words  # a page is read where one is asked for

    return (*topics(), *words())


def _offered(incomplete: str) -> list[str]:
    return [name for name in _names() if name.startswith(incomplete)]


def help(  # noqa: A001 it is the verb
    topic: Annotated[
        str,
        typer.Argument(
            metavar="TOPIC",
            help="As the last line of an error names it, the name of an error, a word of the field (mu, regret), "
            "or a verb. Without one, all are listed.",
            autocompletion=_offered,
        ),
    ] = "errors",
    as_json: AsJson = False,
) -> None:
    """What an error or a word of the field means, and the way out.

    The pages are those of the documentation, and come with the package: no network is asked. Of a verb, its own help is
    shown.
    """
    from neyman.cli.printing.helping.topics import address, shown, topic_named

    found = topic_named(topic)
    if found is None:
        near = get_close_matches(topic.lower(), _names(), 1, 0.75)
        line = f"Write: neyman help {near[0]}" if near else "Write: neyman help"
        raise InvalidParameter(
            "TOPIC", topic, "one of those that `neyman help` lists, or a verb", line, topic="command-line"
        )
    if as_json:
        print_json({"topic": found.name, "title": found.title, "text": found.text, "address": address(found)})
    else:
        typer.echo(shown(found))
