"""The HTML form of a report: the data inside it, and whether the page around them says the same."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from neyman import __version__
from neyman._errors import InvalidParameter
from neyman.reports.checks import Check, Recomputed
from neyman.reports.document import Document

__all__ = ["BLOCK_ID", "PICTURES", "block_of", "page_checks"]

BLOCK_ID = "neyman-report"
PICTURES = "pictures"  # the check that is there if they are the same to the letter
_OPEN = f'<script type="application/json" id="{BLOCK_ID}">'
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_DRAWABLE = {
    "svg", "g", "path", "defs", "use", "clippath", "rect", "text", "tspan", "title", "desc", "line", "circle",
    "ellipse", "polyline", "polygon", "metadata", "lineargradient", "stop", "marker", "symbol", "pattern", "mask",
}  # fmt: skip
_WORDS = {"title", "desc"}  # hold text alone
_LAID = {"overflow", "class", "style"}  # by which a picture could leave its place, or take on the looks of the page
_FRAME = {"width", "height", "viewbox", "preserveaspectratio", "transform"}
_NAMESPACES = ("rdf:", "cc:", "dc:")  # of what drawing programs note about a picture
_ACTIVE = {
    "script",
    "iframe",
    "frame",
    "frameset",
    "object",
    "embed",
    "applet",
    "form",
    "base",
    "link",
    "input",
    "button",
}
_MARKUP = re.compile("<[A-Za-z/!?]")
_Event = tuple[str, ...]
# what browsers write into a page that they save
_SAVED = re.compile(r" saved from url=\(\d{4,}\)[^\s<>]* ")
_CHARSET = ("<", "meta", "charset", "utf-8")
_SAVED_CHARSET = ("<", "meta", "content", "text/html; charset=utf-8", "http-equiv", "content-type")


def block_of(text: str) -> str:
    """Return the JSON text inside a page.

    Raises
    ------
    InvalidParameter
        If there is none, or more than one.
    """
    # by plain search: parsing a hostile page can take forever, and is left to a process with a time limit
    number = text.count(_OPEN)
    if number != 1 or "</script>" not in text.partition(_OPEN)[2]:
        advice = f"{number} were found."
        raise InvalidParameter("report", "this page", f"a page with one data block, #{BLOCK_ID}", advice)
    block = text.partition(_OPEN)[2].partition("</script>")[0]
    if "<" in block:  # to a browser the data may end earlier, and what follows is a page
        raise InvalidParameter("report", "this page", "a page whose data block holds no markup")
    return block


def page_checks(document: Document, text: str, numbers: Recomputed) -> tuple[Check, ...]:
    """Return the checks of the page: the numbers it shows, and whether all of it is what would be written here."""
    try:
        page = _walked(text)
    except AssertionError as error:  # so some versions of the parser answer to what is no HTML
        reason = f"the page was altered: {str(error)[:60]}"
        return (Check("page", "does not hold", "the page", reason=reason),)
    written = _walked(numbers.page)
    checks = (_shown_numbers(document, page), _same(document, page, written))
    return (*checks, Check(PICTURES, "holds", "as drawn here")) if page.pictures == written.pictures else checks


@dataclass(slots=True)
class _Page:
    """What a page holds outside its pictures, in order; what its pictures are made of; and its numbers."""

    events: list[_Event] = field(default_factory=list)
    drawn: set[_Event] = field(default_factory=set)
    pictures: list[_Event] = field(default_factory=list)
    unsafe: list[str] = field(default_factory=list)
    claims: list[tuple[str, str, str]] = field(default_factory=list)


class _Walk(HTMLParser):
    """Walks through a page once, without believing any of it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = _Page()
        self._drawing: list[str] = []  # the tags that are open, from that of a picture on
        self._block = False
        self._claim: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pairs = [(name, value or "") for name, value in attrs]
        given = dict(pairs)
        if tag == "script" and not self._drawing and given == {"type": "application/json", "id": BLOCK_ID}:
            self._block = True
        if tag == "svg" and not self._drawing:
            self.page.events.append(("picture",))
            self._drawing = [tag]
            self._drawn(tag, pairs)
            return
        if self._drawing:
            self._drawn(tag, pairs)
            if tag == "svg" or self._drawing[-1] in _WORDS:  # where browsers may go on as in a page
                self.page.unsafe.append(f"<{tag[:20]}> in <{self._drawing[-1]}> in a picture")
            self._drawing.append(tag)
            return
        if tag == "data":
            self._claim = [given.get("data-claim", ""), given.get("value", ""), ""]
        event = ("<", tag, *(part for pair in sorted(pairs) for part in pair))
        self.page.events.append(_CHARSET if tuple(part.lower() for part in event) == _SAVED_CHARSET else event)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if self._drawing or tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._drawing:
            self.page.pictures.append((">", tag))
            if self._drawing.pop() != tag:  # a browser may leave the picture here
                self.page.unsafe.append(f"</{tag[:20]}> in a picture")
            return
        self._block = False
        if tag == "data" and self._claim is not None:
            self.page.claims.append((self._claim[0], self._claim[1], " ".join(self._claim[2].split())))
            self._claim = None
        self.page.events.append((">", tag))

    def handle_data(self, data: str) -> None:
        if self._block:
            return
        if self._claim is not None:
            self._claim[2] += data
        words = " ".join(data.split())
        if self._drawing:
            self.page.pictures.append(("text", words))
            if _MARKUP.search(data):  # what is text here may be markup to a browser
                self.page.unsafe.append("markup in the text of a picture")
        elif words:
            self.page.events.append(("text", words))

    def handle_comment(self, data: str) -> None:
        if not self._drawing:
            if not (_SAVED.fullmatch(data) and len(self.page.events) <= 1):
                self.page.events.append(("comment", data))
        elif "<" in data or ">" in data:  # browsers may see its end elsewhere
            self.page.unsafe.append("markup in a comment of a picture")

    def handle_decl(self, decl: str) -> None:
        self._declared(decl)

    def handle_pi(self, data: str) -> None:
        self._declared(data)

    def unknown_decl(self, data: str) -> None:
        self._declared(data)

    def _declared(self, text: str) -> None:
        event = ("declaration", text)
        if self._drawing:
            self.page.drawn.add(event)
        else:
            self.page.events.append(event)

    def _drawn(self, tag: str, pairs: list[tuple[str, str]]) -> None:
        """What pictures need no part of, and what could lay them over the page."""
        self.page.pictures.append(("<", tag, *(part for pair in pairs for part in pair)))
        if tag not in _DRAWABLE and not tag.startswith(_NAMESPACES):
            self.page.unsafe.append(f"<{tag[:20]}> in a picture")
        for name, value in pairs:
            low = value.strip().lower()
            if name in _LAID or name.startswith("on") or ("href" in name and not low.startswith("#")):
                self.page.unsafe.append(f"{name[:20]} in a picture")
            if "url(" in low.replace("url(#", "") or "javascript:" in low:
                self.page.unsafe.append(f"an address in {name[:20]} in a picture")
        if tag == "svg":
            self.page.drawn.add(("svg", *(p for pair in sorted(pairs) if pair[0] in _FRAME for p in pair)))


def _walked(text: str) -> _Page:
    walk = _Walk()
    walk.feed(text.replace("\r\n", "\n"))
    walk.close()
    return walk.page


def _shown_numbers(document: Document, page: _Page) -> Check:
    """Whether each number that is shown as a claim is the one that the data state."""
    known = {claim.id: claim for claim in document.claims}
    for name, value, words in page.claims:
        claim = known.get(name)
        shown = claim is not None and words == ("∞" if claim.says_nothing else claim.text) and value == claim.text
        if not shown:
            reason = f"the page was altered: it shows {words[:40]!r} for {name[:60]!r}, and its data say otherwise"
            return Check("numbers of the page", "does not hold", words[:40], reason=reason)
    return Check("numbers of the page", "holds", f"{len(page.claims)} numbers")


def _same(document: Document, page: _Page, written: _Page) -> Check:
    """Whether the page is what this installation writes about the same data, its pictures apart."""
    if page.unsafe:
        return Check("page", "does not hold", "the page", reason=f"the page was altered: {page.unsafe[0]}")
    if page.events == written.events and page.drawn <= written.drawn:
        return Check("page", "holds", "as written")
    more = _extra(page, written)
    if more or document.certificate.neyman == __version__:
        return Check(
            "page", "does not hold", "the page", reason=f"the page was altered: {more or _first(page, written)}"
        )
    reason = "its words are those of another version of neyman, which alone can compare them"
    return Check("page", "cannot tell", "the page", reason=reason)


def _extra(page: _Page, written: _Page) -> str:
    """What no version writes: programs, frames, addresses, handlers."""
    usual = {event for event in written.events if event[0] == "<"}
    for event in page.events:
        if event[0] != "<" or event in usual:
            continue
        names = event[2::2]
        active = [name for name in names if name.startswith("on") or name in ("src", "srcdoc", "action", "formaction")]
        addressed = any(
            name == "href" and not value.startswith("#") for name, value in zip(names, event[3::2], strict=True)
        )
        if event[1] in _ACTIVE or active or addressed:
            return f"<{event[1][:20]}{''.join(f' {name[:20]}' for name in active)}>"
        if event[1] == "meta" and "refresh" in " ".join(event).lower():
            return "<meta refresh>"
    return ""


def _first(page: _Page, written: _Page) -> str:
    """Where it first differs."""
    for stated, right in zip(page.events, written.events, strict=False):
        if stated != right:
            return f"{' '.join(stated)[:60]!r} stands in the place of {' '.join(right)[:60]!r}"
    return "something was added to it, or is missing"
