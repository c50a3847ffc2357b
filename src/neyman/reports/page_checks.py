"""A page against the page that is written again from the data inside it: the same bytes, or not believed.

Nothing is parsed. Whatever parses a page to compare it reads it otherwise than some browser does, and between the two
readings a whole page can be hidden.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from neyman._version import __version__
from neyman.reports.build import drawn_by
from neyman.reports.checks import Check
from neyman.reports.document import Document

__all__ = ["page_checks"]

_SHOWN = re.compile(r'<data class="claim" data-claim="([^"<>]*)" value="([^"<>]*)">([^<>]*)</data>')
_HEAD = "<title>"  # what comes before it in a page is the same in every page of a version


def page_checks(document: Document, text: str, draw: Callable[[Document], tuple[str, ...]]) -> tuple[Check, ...]:
    """Return the checks of a page: that it is what would be written here, and each of its pictures what would be drawn.

    Parameters
    ----------
    document : Document
        What its data say.
    text : str
        The page.
    draw : callable
        Draws the pictures of a document; asked only if all else is the same.

    Raises
    ------
    MissingPackage
        If jinja2 or matplotlib is not installed.
    """
    from neyman.reports.html import around_pictures

    text = text.replace("\r\n", "\n")  # as every browser does before it reads: nothing that is shown depends on it
    wrong = _other_number(document, text)
    if wrong is not None:
        return (wrong,)
    try:
        parts = around_pictures(document)
    except LookupError:
        return (_page("does not hold", "the page was altered: its data lack claims that its words speak of"),)
    found = _between(text, parts)
    if found is None:
        return (_differs(document, text, parts),)
    pictures = tuple(_pictures(document, found, draw(document)))
    return pictures or (Check("page", "holds", "the same bytes"),)


def _page(outcome: str, reason: str) -> Check:
    return Check("page", "does not hold" if outcome == "does not hold" else "cannot tell", "the page", reason=reason)


def _other_number(document: Document, text: str) -> Check | None:
    """A number that is written like a claim of ours and is none: it may be shown or not, nobody innocent wrote it."""
    known = {claim.id: claim for claim in document.claims}
    for name, value, words in _SHOWN.findall(text):
        claim = known.get(name)
        if claim is None or value != claim.text or words != ("∞" if claim.says_nothing else claim.text):
            return _page(
                "does not hold",
                f"the page was altered: it shows {words[:40]!r} for {name[:60]!r}, and its data say otherwise",
            )
    return None


def _between(text: str, parts: tuple[str, ...]) -> tuple[str, ...] | None:
    """What stands where the pictures go; None if what is around them is not the same."""
    first, *inner, last = parts
    end = len(text) - len(last)
    at = len(first)
    if not text.startswith(first) or not text.endswith(last):
        return None
    found: list[str] = []
    for part in inner:
        start = text.find(part, at, end)
        if start < 0:
            return None
        found.append(text[at:start])
        at = start + len(part)
    return (*found, text[at:end]) if at <= end else None


def _pictures(document: Document, found: tuple[str, ...], drawn: tuple[str, ...]) -> Iterator[Check]:
    """Those that differ: nobody can tell what they show, nor what they lay over the rest of the page."""
    from neyman.reports.pictures import pictures

    for picture, stated, right in zip(pictures(document), found, drawn, strict=True):
        if stated != right:
            here, there = drawn_by(), document.certificate.matplotlib
            by = f"Matplotlib {here}" + ("" if here == there else f" (the report names {there or 'none'})")
            yield Check(
                f"picture {picture.name}", "cannot tell", "a picture",
                reason=f"it is not, byte for byte, what {by} draws here: it may show anything, anywhere on the page",
            )  # fmt: skip


def _differs(document: Document, text: str, parts: tuple[str, ...]) -> Check:
    """Altered, or written by another program out of an innocent page: that one begins otherwise."""
    if document.certificate.neyman != __version__:
        return _page(
            "cannot tell", "it is not what this version of neyman writes; the version that wrote it can compare it"
        )
    if not text.startswith(parts[0].partition(_HEAD)[0]):
        why = "it is not, byte for byte, what neyman writes, as when a browser or an editor has saved it anew"
        return _page("cannot tell", f"{why}: it may show anything; verify the file as it was handed over, or its JSON")
    lines = set(text.split("\n"))
    lost = next((line for part in parts for line in part.split("\n")[1:-1] if line not in lines), None)
    where = "something was added to it" if lost is None else f"it lacks the line {lost[:60]!r}"
    return _page("does not hold", f"the page was altered: {where}")
