"""A page against the page that is written again from the data inside it: the same bytes, or not believed.

Nothing is parsed. Whatever parses a page to compare it reads it otherwise than some browser does, and between the two
readings a whole page can be hidden.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from neyman._version import __version__
from neyman.reports.said.build import drawn_by
from neyman.reports.said.document import Document
from neyman.reports.verifying.checks import Check, labelled_as

__all__ = ["page_checks"]

_SHOWN = re.compile(r'<data class="claim" data-claim="([^"<>]*)" value="([^"<>]*)">([^<>]*)</data>')
_NUMBER = re.compile(r"[0-9.,]+(?:e[-+]?[0-9]+)?(?: ?%)?|∞")
_TAG = re.compile(r"<[^<>]*>")
_MOST_SAID, _MOST_READ = 60, 2000  # characters of a stranger's page in an answer, and looked at for it
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
    from neyman.reports.forms.html import around_pictures

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
        if claim is None:
            why = f"the page shows {_said(words)} as a claim, {_said(name)}, that its data do not make"
            return _page("does not hold", why)
        right = "∞" if claim.says_nothing else claim.text
        if (value, words) != (claim.text, right):
            shown = words if words != right else value
            why = f"the page shows {_said(shown)} where the data say {right} ({labelled_as(claim)})"
            return _page("does not hold", why)
    return None


def _said(text: str) -> str:
    """Somebody's words in an answer: few of them, and in quotes unless they are a number."""
    text = text if len(text) <= _MOST_SAID else f"{text[:_MOST_SAID]}…"
    return text if _NUMBER.fullmatch(text) else repr(text)


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
    from neyman.reports.forms.pictures import pictures

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
    gone = ((part, line) for part in parts for line in part.split("\n")[1:-1] if line not in lines)
    part, lost = next(gone, ("", ""))
    if not part:
        return _page("does not hold", "the page was altered: something was added to it")
    why = "the page was altered: its markup is not what follows from its data"
    return _page("does not hold", _other_words(text, part, lost) or why)


def _other_words(text: str, part: str, lost: str) -> str:
    """What a reader sees in place of the line that is lost, where another stands behind the same words; else nothing.

    Only a help in words: whatever it says, the page is not believed.
    """
    before = part.partition(f"\n{lost}\n")[0][-_MOST_READ:] + "\n"
    at = text.find(before)
    if at < 0:
        return ""
    there = text[at + len(before) :][:_MOST_READ].partition("\n")[0]
    shown, right = _apart(*(_TAG.sub(" ", line[:_MOST_READ]).split() for line in (there, lost)))
    if not shown and not right:
        return ""  # in markup alone
    here, stated = (_said(words.strip(",.;:()")) if words else "nothing" for words in (shown, right))
    return f"the page shows {here} where the data say {stated}"


def _apart(shown: list[str], right: list[str]) -> tuple[str, str]:
    """The words between those that both begin with and those that both end with."""
    most = min(len(shown), len(right))
    begin = next((i for i in range(most) if shown[i] != right[i]), most)
    end = next((i for i in range(most - begin) if shown[-1 - i] != right[-1 - i]), most - begin)
    return " ".join(shown[begin : len(shown) - end]), " ".join(right[begin : len(right) - end])
