"""``explore``: the page in a browser, in a notebook, or in a file."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping
from typing import Never

from neyman import __version__
from neyman._answering import refuse_unknown
from neyman._validate import whole
from neyman.explorer.answers import Answers
from neyman.explorer.document import page
from neyman.explorer.server import Server

__all__ = ["Explorer", "explore"]

_START: dict[str, object] = {
    "kind": "dpsgd", "noise_multiplier": 1.0, "sample_rate": 0.01, "steps": 1000, "sampling": "poisson"
}  # fmt: skip


class Explorer:
    """A page that is served until it is closed; in a notebook it shows itself.

    ``with ny.explore() as page: page.open()`` closes it at the end.
    """

    def __init__(self, answers: Answers, data: Mapping[str, object], port: int) -> None:
        self._data = data
        self._server = Server(page({**data, "engine": "server", "table": None}, asks=True), answers, port)

    @property
    def url(self) -> str:
        """Where the page is: whoever knows this address may ask, on this machine alone."""
        return self._server.url

    def open(self) -> bool:
        """Show the page in a browser; whether there is one."""
        return webbrowser.open(self.url)

    def wait(self) -> None:
        """Serve until it is closed, or interrupted."""
        self._server.wait()

    def close(self) -> None:
        """Answer nobody any more."""
        self._server.close()

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Explorer: {self.url}>"


def explore(x: object = None, *, port: int = 0, **unknown: Never) -> Explorer:
    """Serve the explorer."""
    refuse_unknown("ny.explore", unknown, x=x)
    port = whole("port", port, 0, 65535)
    data = {"given": [], "start": _START, "audit": None, "landmarks": [], "version": __version__}
    return Explorer(Answers(), data, port)
