"""``neyman explore``: the page that answers while one drags."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["explore"]


def explore(
    no_open: Annotated[bool, typer.Option("--no-open", help="Print the address, and open no browser.")] = False,
    port: Annotated[int, typer.Option(help="To listen on; 0: any that is free.")] = 0,
) -> None:
    """A page that answers while you drag: what settings promise, or which settings keep a risk.

    It is served on 127.0.0.1 alone, under an address that nobody can guess, until Ctrl-C.
    """
    from neyman.explorer import explore as served

    with served(port=port) as page:
        typer.echo(f"{page.url}\nCtrl-C ends it.")
        if not no_open:
            page.open()
        try:
            page.wait()
        except KeyboardInterrupt:
            typer.echo("ended", err=True)
