"""``explore``: the page in a browser, in a notebook, or in a file."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Mapping, Sequence
from functools import cached_property
from html import escape
from typing import Any, Never, TypeGuard, cast

from neyman._answering import refuse_unknown
from neyman._errors import InvalidParameter
from neyman._validate import whole
from neyman._version import __version__
from neyman.explorer.answers import Answers
from neyman.explorer.asking.given import Given, as_settings, handed_over
from neyman.explorer.asking.questions import VERSION
from neyman.explorer.asking.settings import DPSGDSettings, Settings, settings_of
from neyman.explorer.page.document import page
from neyman.explorer.page.evidence import evidence
from neyman.explorer.page.landmarks import landmarks
from neyman.explorer.serving.apart import Apart, unreported
from neyman.explorer.serving.server import Server
from neyman.explorer.tables.stops import Stops
from neyman.explorer.tables.table import table_of
from neyman.guarantees import Guarantee
from neyman.mechanisms import Mechanism
from neyman.reports.reporting import save

__all__ = ["USUAL_START", "Explorer", "explore", "file_of"]

USUAL_START: dict[str, object] = {
    "kind": "dpsgd", "noise_multiplier": 1.0, "sample_rate": 0.01, "steps": 1000, "sampling": "poisson"
}  # fmt: skip
_HEIGHT = 900  # pixels in a notebook

Subject = Guarantee | Mechanism | str | os.PathLike[str] | Sequence[Any]


class Explorer:
    """The explorer about what was handed over. Nothing is served before its address is asked for.

    ``with ny.explore(...) as page: page.open()`` ends with the block. In a notebook it shows itself, as the file that
    ``save`` writes, with fewer settings: also where the notebook runs elsewhere.

    Parameters
    ----------
    given : mapping of str to Given
        What was handed over, by name.
    audit : dict, optional
        What the page is told of an audit.
    port : int
        To listen on; 0: any that is free.
    """

    def __init__(self, given: Mapping[str, Given], audit: dict[str, object] | None = None, port: int = 0) -> None:
        self._given = dict(given)
        self._audit = audit
        self._port = port
        self._server: Server | None = None
        self._answers: Apart | None = None
        self._closed = False

    @property
    def url(self) -> str:
        """Where the page is, from the first question on: whoever knows it may ask, on this machine alone.

        Raises
        ------
        InvalidParameter
            If nothing can listen on the port, or the explorer is closed.
        """
        if self._closed:
            raise InvalidParameter("explorer", "closed", "open", "Call ny.explore again.")
        if self._server is None:
            text = page({**self._data, "engine": "server", "table": None, "unreported": unreported()}, asks=True)
            self._answers = Apart(Answers(self._given))
            try:
                self._server = Server(text, self._answers, self._port)
            except OSError as error:
                advice = f"{error.strerror}. Leave it out: any free port will do."
                raise InvalidParameter("port", self._port, "a port that is free", advice) from None
        return self._server.url

    def open(self) -> bool:
        """Show the page in a browser; return whether there is one."""
        return webbrowser.open(self.url)

    def wait(self) -> None:
        """Serve until it is closed, or interrupted."""
        if self.url and self._server is not None:
            self._server.wait()

    def close(self) -> None:
        """Answer nobody any more."""
        self._closed = True
        if self._answers is not None:
            self._answers.close()
        if self._server is not None:
            self._server.close()

    def answer(self) -> dict[str, object]:
        """Return the answer that the page shows first."""
        return Answers(self._given)({"v": VERSION, "ask": "promise", "settings": self._start.to_dict()})

    def html(self, progress: bool | None = None, workers: int = 1) -> str:
        """Return the page as one file that asks nobody, with the table of the settings around what was handed over.

        Parameters
        ----------
        progress : bool, optional
            Whether it is seen to go on; if left out, on a terminal and in a notebook.
        workers : int
            Processes that compute.

        Raises
        ------
        InvalidParameter
            If what was handed over first is no DP-SGD in Poisson samples: a table has its three axes.
        """
        return self._alone(fine=True, progress=progress, workers=workers)

    def _alone(self, fine: bool, progress: bool | None = None, workers: int = 1) -> str:
        settings = self._start
        if not _tabulated(settings) or len(self._given) > 1:
            advice = "A file holds one table of noise, rate and steps; served, the page explores anything."
            raise InvalidParameter("subject", self._shown, "DP-SGD in Poisson samples, one of them", advice)
        return file_of(table_of(Stops.around(settings, fine), workers, progress), settings.to_dict(), self._audit)

    def save(self, path: str | os.PathLike[str], progress: bool | None = None, workers: int = 1) -> None:
        """Write that file.

        Raises
        ------
        InvalidParameter
            As ``html``; or if the path cannot be written, or does not end in .html.
        """
        if not str(path).endswith(".html"):
            raise InvalidParameter("path", str(path), "a file that ends in .html")
        save(path, self.html(progress, workers))

    def save_folder(
        self,
        directory: str | os.PathLike[str],
        *,
        pyodide: str | os.PathLike[str],
        wheels: str | os.PathLike[str],
        progress: bool | None = None,
        workers: int = 1,
    ) -> None:
        """Write a folder for any host of plain files: the page, which answers anything by a Python of its own.

        Parameters
        ----------
        directory : path
            A folder that is not there yet, or is empty; its page is ``index.html``.
        pyodide, wheels : path
            The npm package ``pyodide``, and a folder with the wheels of NumPy and SciPy that its lock file names.
        progress : bool, optional
        workers : int
            As ``html``: a table answers until Python is there.

        Raises
        ------
        InvalidParameter
            If what was handed over cannot be set by the page's controls, the folder holds something, or a file of the
            runtime is missing or another than the one that is meant. Then nothing was written.
        """
        from neyman.explorer.browser.folder import carried, free_folder, write_folder
        from neyman.explorer.browser.runtime import runtime

        settings = self._start
        if settings is self._first or len(self._given) > 1:
            advice = "Served, the page explores anything; in a folder it knows what its controls can set."
            raise InvalidParameter("subject", self._shown, "a mechanism that has controls, one of them", advice)
        free_folder(directory)
        made = runtime(pyodide, wheels)
        middle = settings if _tabulated(settings) else settings_of("settings", USUAL_START, {})
        table = table_of(Stops.around(cast("DPSGDSettings", middle)), workers, progress)
        write_folder(directory, carried({**self._data, "given": [], "table": table}, made))

    @property
    def _first(self) -> Given | None:
        return next(iter(self._given.values()), None)

    @property
    def _start(self) -> Settings:
        """What the page shows first."""
        if self._first is None:
            return settings_of("settings", USUAL_START, {})
        return as_settings(self._first.subject) or self._first

    @property
    def _shown(self) -> str:
        return ", ".join(one.label for one in self._given.values())

    @property
    def _data(self) -> dict[str, object]:
        listed: list[dict[str, object]] = []
        for name, one in self._given.items():
            same = as_settings(one.subject)
            more = {} if same is None else {"settings": same.to_dict()}
            listed.append({"name": name, "label": one.label, **more})
        return {
            "given": listed, "start": self._start.to_dict(), "audit": self._audit, "landmarks": landmarks(),
            "version": __version__,
        }  # fmt: skip

    @cached_property
    def _frame(self) -> str | None:
        try:
            text = escape(self._alone(fine=False), quote=True)
        except InvalidParameter:
            return None
        return f'<iframe sandbox="allow-scripts" width="100%" height="{_HEIGHT}" srcdoc="{text}"></iframe>'

    def _repr_html_(self) -> str | None:
        """The file in a frame of its own; None where what was handed over has no table."""
        return self._frame

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        where = "closed" if self._closed else self._server.url if self._server else "not served yet: .open() or .url"
        return f"<Explorer: {where}>"


def _tabulated(settings: Settings) -> TypeGuard[DPSGDSettings]:
    """Whether there are tables of it."""
    return isinstance(settings, DPSGDSettings) and settings.sampling == "poisson"


def file_of(table: Mapping[str, object], start: Mapping[str, object], audit: Mapping[str, object] | None = None) -> str:
    """Return the page around a table, which asks nobody."""
    data = {
        "engine": "table", "table": table, "given": [], "start": start, "audit": audit, "landmarks": landmarks(),
        "version": __version__,
    }  # fmt: skip
    return page(data)


def explore(*subjects: Subject | None, audit: object = None, port: int = 0, **unknown: Never) -> Explorer:
    """Return the explorer: a page that answers while one drags noise, rate, steps, or the risk that is accepted.

    Every number on it is certified and rounded to its safe side; it is answered by this process, on this machine.

    Parameters
    ----------
    subjects : Guarantee, Mechanism, list, path or str
        What to begin with, none or several: as of ``account``.
    audit : Audit, optional
        Evidence to lay over the claim: what ``ny.audit.from_scores`` or ``from_file`` returned.
    port : int
        To listen on, on 127.0.0.1; any that is free unless stated.

    Returns
    -------
    Explorer
        ``.open()`` shows the page in a browser, ``.url`` is its address, ``.save("page.html")`` writes it as one file
        that works alone, with a table of the settings around the subject in place of the engine; ``.close()`` ends it.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    Examples
    --------
    >>> import neyman as ny
    >>> with ny.explore(ny.DPSGD(1.0, 0.01, 1000)) as page:
    ...     page.url.startswith("http://127.0.0.1:")
    True
    """
    refuse_unknown("ny.explore", unknown)
    found = None if audit is None else evidence(audit)
    given = handed_over([one for one in subjects if one is not None])
    return Explorer(given, found, whole("port", port, 0, 65535))
