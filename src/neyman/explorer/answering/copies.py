"""What is copied from the page: Python, a command line, the sentence for a paper, its BibTeX, a report."""

from __future__ import annotations

import json
import shlex

from neyman._errors import InvalidParameter
from neyman.explorer.asking.questions import At
from neyman.explorer.asking.settings import Settings
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.mechanisms import Mechanism
from neyman.numerics.exact.decimals import exactly
from neyman.reports import report
from neyman.showing.cite import BIBTEX, citation
from neyman.showing.summary import Summary

__all__ = ["copied", "reported"]

_NAME = "neyman-report.html"
_LONGEST = 4_000  # characters of a mechanism on a command line


def copied(settings: Settings, mechanism: Mechanism, guarantee: PessimisticGuarantee, at: At) -> dict[str, object]:
    """Return the settings in the forms in which people hand them on."""
    answer = Summary.of(guarantee, _deltas(at), at.floor)
    return {
        "python": _python(settings, at), "command": _command(settings, mechanism, at),
        "sentence": citation(answer).removesuffix(BIBTEX).rstrip(), "bibtex": BIBTEX,
    }  # fmt: skip


def reported(mechanism: Mechanism, guarantee: PessimisticGuarantee, at: At) -> dict[str, object]:
    """Return the privacy report of the settings, as a page that anybody can verify.

    Raises
    ------
    MissingPackage
        If the extra ``neyman[report]`` is not installed.
    """
    found = report(mechanism, deltas=_deltas(at), floor=at.floor, adjacency=guarantee.adjacency)
    return {"name": _NAME, "html": found.to_html()}


def _deltas(at: At) -> tuple[float, ...]:
    """That of the page, and others that are usual and smaller."""
    return at.delta, *(delta for delta in (1e-6, 1e-9) if delta < at.delta)


def _python(settings: Settings, at: At) -> str:
    asked = f"g.epsilon({at.delta!r}), g.mu({at.floor!r}), g.tpr({at.fpr!r})"
    return f"import neyman as ny\n\ng = ny.account({settings.code})\nprint(g.summary())\nprint({asked})\n"


def _command(settings: Settings, mechanism: Mechanism, at: At) -> str:
    words = f"neyman {settings.command} --delta {exactly(at.delta)} --floor {exactly(at.floor)}"
    if not settings.command.endswith(" -"):
        return words
    try:
        text = json.dumps(mechanism.to_dict())
    except InvalidParameter:
        return ""
    return f"echo {shlex.quote(text)} | {words}" if len(text) <= _LONGEST else ""
