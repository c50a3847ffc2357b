"""Forged pages: what people who want another number read do to a genuine page, generated from a seed.

The fragments (``fragments.py``) are put where tags begin and end, into tags, into values, into the data, around what is
genuine, and after one another; tags, attributes, numbers, white space and the data are written otherwise.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests_browser.fragments import COMMENTS, FOREIGN, HEADS, HIDERS, LIE, PROGRAMS, RUN, SHOWN

__all__ = ["KINDS", "Forgery", "forged", "forgeries"]

_OPENING = '<script type="application/json" id="neyman-report">'


@dataclass(frozen=True)
class Forgery:
    """What was done, and the file that came of it."""

    kind: str
    content: bytes


def forgeries(pages: list[str], seed: int, count: int) -> Iterator[tuple[int, Forgery]]:
    """Yield so many forgeries, each with the number of the page it was made of; the same seed gives the same."""
    for number in range(count):
        draw = random.Random(f"{seed}/{number}")
        which = draw.randrange(len(pages))
        yield which, forged(draw, pages[which])


def forged(draw: random.Random, page: str) -> Forgery:
    """Return one forgery: one deed, at times two or three."""
    names, content = [], page
    for _ in range(draw.choice((1, 1, 1, 1, 2, 3))):
        name = draw.choice(tuple(KINDS))
        names.append(name)
        content = KINDS[name](draw, content)
    if draw.random() < 0.03:
        return Forgery("+".join((*names, "bytes")), _bytes(draw, content))
    return Forgery("+".join(names), content.encode("utf-8", "surrogatepass"))


def _bytes(draw: random.Random, text: str) -> bytes:
    whole = text.encode("utf-8", "surrogatepass") or b"x"
    at = draw.randrange(len(whole))
    return draw.choice(
        (
            b"\xef\xbb\xbf" + whole,
            text.encode("utf-16", "surrogatepass"),
            text.encode("utf-16-le", "surrogatepass"),
            whole[:at] + b"\xff" + whole[at:],
            whole[:at] + b"\xc0\xbc" + whole[at:],  # an overlong <
            whole[:at] + bytes([whole[at] ^ 1 << draw.randrange(8)]) + whole[at + 1 :],
            whole[:at],
        )
    )


def _spaces(draw: random.Random) -> str:
    return draw.choice(
        ("", " ", "  ", "\t", "\n", "\r", "\r\n", "\f", "\v", "\x1c", "\x85", "\xa0", "\u2003", "\u3000", "/")
    )


def _quoted(draw: random.Random, value: str) -> str:
    mark = draw.choice(('"', "'", "", "`", '""', "''", "\u201d", "&quot;"))
    return f"{mark}{value}{mark}"


def _given(draw: random.Random, name: str, value: str) -> str:
    """An attribute, well or badly written."""
    equals = draw.choice(("=", "=", "=", "==", " = ", "=\n", "\f=", "&equals;", "=\xa0"))
    return f"{_spaces(draw) or ' '}{name}{equals}{_quoted(draw, value)}"


def _fragment(draw: random.Random) -> str:
    made = draw.choice(draw.choice((PROGRAMS, SHOWN, COMMENTS, HEADS, FOREIGN)))
    if draw.random() < 0.2:
        made = made.replace("<", f"<{_spaces(draw)}", 1)
    if draw.random() < 0.2:
        made = made.replace(">", f"{_spaces(draw)}>", 1)
    return made


# -- where it is put -----------------------------------------------------------------------------------------------

_TAG = re.compile(r"<[^<>]*>")
_ATTRIBUTE = re.compile(r'(\s)([a-zA-Z-]+)="([^"<>]*)"')
_TEXT = re.compile(r">([^<>]*[A-Za-z0-9][^<>]*)<")
_NUMBER = re.compile(r"\d+\.\d+")


def _one(draw: random.Random, pattern: re.Pattern[str], page: str) -> re.Match[str] | None:
    """A match near a random place: the pages are long, and need not be gone through."""
    start = draw.randrange(len(page) + 1)
    return pattern.search(page, start) or pattern.search(page)


def _put(page: str, start: int, end: int, new: str) -> str:
    return page[:start] + new + page[end:]


def _insert(draw: random.Random, page: str) -> str:
    found = _one(draw, _TAG, page)
    at = draw.choice((found.start(), found.end())) if found else 0
    at = draw.choice((at, at, at, at, 0, len(page), draw.randrange(len(page) + 1)))
    return _put(page, at, at, _fragment(draw))


def _beside(draw: random.Random, page: str) -> str:
    """At the places that count: the head, the heading, the number, the pictures, the data, the end."""
    places = (
        "<head>", "<title>", "<style>", "</style>", "</head>", "<body>", "<main>", "<h1>", "</h1>",
        '<data class="claim"', "<svg ", "</svg>", "<path ", "<title ", "</desc>", "</main>",
        _OPENING, "</script>", "</body>", "</html>",
    )  # fmt: skip
    place = draw.choice(places)
    at = page.find(place)
    if at < 0:
        return _insert(draw, page)
    return (
        _put(page, at, at, _fragment(draw))
        if draw.random() < 0.5
        else _put(page, at + len(place), at + len(place), _fragment(draw))
    )


def _tag(draw: random.Random, page: str) -> str:
    """A tag written otherwise."""
    found = _one(draw, _TAG, page)
    if not found:
        return _insert(draw, page)
    old = found.group()
    names = (
        "hidden",
        "style",
        "class",
        "onclick",
        "onload",
        "id",
        "dir",
        "title",
        "type",
        "value",
        "lang",
        "is",
        "slot",
        "part",
    )
    attribute = _given(draw, draw.choice(names), draw.choice(("x", "display:none", RUN, "rtl", "regulator", LIE)))
    changes: tuple[Callable[[], str], ...] = (
        lambda: old[:-1] + attribute + ">",
        lambda: old[:-1] + " hidden>",
        lambda: old[:-1] + _spaces(draw) + ">",
        lambda: old[0] + _spaces(draw) + old[1:],
        lambda: old.replace(" ", _spaces(draw), 1),
        lambda: old.upper(),
        lambda: old.swapcase(),
        lambda: old + old,
        lambda: "",
        lambda: old[:-1],
        lambda: old[1:],
        lambda: old[:-1] + "/>",
        lambda: "</" + old[1:],
        lambda: old.replace("</", "<", 1),
        lambda: old.replace("=", "==", 1),
        lambda: old.replace('"', "'"),
        lambda: old.replace('"', ""),
        lambda: old.replace('"', "", 1),
        lambda: old[:-1] + "\0>",
        lambda: "&lt;" + old[1:],
        lambda: old.replace("=", "=\n"),
    )
    return _put(page, found.start(), found.end(), draw.choice(changes)())


def _attribute(draw: random.Random, page: str) -> str:
    found = _one(draw, _ATTRIBUTE, page)
    if not found:
        return _tag(draw, page)
    space, name, value = found.groups()
    other = draw.choice(
        ("0.01", "", "x", value[::-1], f"{value} ", f"{value}&#1;", f'">{LIE}<p title="', f"&quot;{value}", value + "0")
    )
    first, second = f'{space}{name}="{other}"', found.group()
    changes = (
        first, first + second, second + first, _given(draw, name, value), _given(draw, name, other), "",
        f"{second}{_given(draw, 'onmouseover', RUN)}", f'{space}{name.upper()}="{value}"',
        f'{space}{name}&#61;"{value}"',
    )  # fmt: skip
    return _put(page, found.start(), found.end(), draw.choice(changes))


def _text(draw: random.Random, page: str) -> str:
    found = _one(draw, _TEXT, page)
    if not found:
        return _insert(draw, page)
    old = found.group(1)
    number = _NUMBER.search(old)
    told = (
        old
        if number is None
        else old.replace(number.group(), draw.choice(("0.01", number.group()[::-1], "0" + number.group())))
    )
    changes = (
        told, told, old.upper(), "", old[::-1], old + old, f" {old}", f"{old}\u200b", old.replace(" ", "\xa0"),
        "".join(f"&#{ord(letter)};" for letter in old[:300]), old.replace("a", "\u0430"), old.replace(" ", "  "),
        f"\u202e{old}", f"{old}&#x200b;", old.replace("at most", "at least"), old.replace("e", "e\u0301"), old + "\0",
    )  # fmt: skip
    return _put(page, found.start(1), found.end(1), draw.choice(changes))


def _hide(draw: random.Random, page: str) -> str:
    """What is genuine hidden whole or in part, and something else put in its place."""
    before, after = draw.choice(HIDERS)
    spans = (
        ("<main>", "</main>"), ("<h1>", "</h1>"), ("<table>", "</table>"), ("<figure>", "</figure>"),
        ("<svg ", "</svg>"), ("<body>", "</body>"), ('<p class="answer">', "</p>"), ("<title>", "</title>"),
        ("<style>", "</style>"),
    )  # fmt: skip
    first, last = draw.choice(spans)
    start = page.find(first)
    end = page.find(last, start)
    if start < 0 or end < 0:
        return _insert(draw, page)
    end += len(last)
    shown = draw.choice((LIE, "", _fragment(draw)))
    return _put(page, start, end, f"{before}{page[start:end]}{after}{shown}")


def _picture(draw: random.Random, page: str) -> str:
    """Something done inside a picture."""
    starts = [found.start() for found in re.finditer("<svg ", page)]
    if not starts:
        return _insert(draw, page)
    start = draw.choice(starts)
    end = page.find("</svg>", start) + len("</svg>")
    end = end if end > start else len(page)
    svg = page[start:end]
    deeds = (
        _insert,
        _tag,
        _attribute,
        _digits,
        lambda d, s: s.replace("</svg>", f"{draw.choice(FOREIGN)}</svg>"),
        _swap,
    )
    return _put(page, start, end, draw.choice(deeds)(draw, svg))


def _digits(draw: random.Random, page: str) -> str:
    """A number, wherever it stands, changed in one digit or in the way it is written."""
    found = _one(draw, _NUMBER, page)
    if not found:
        return _insert(draw, page)
    old = found.group()
    at = draw.randrange(len(old))
    one = old[:at] + str(draw.randrange(10)) + old[at + 1 :]
    forms = (
        one,
        one,
        one,
        f"0{old}",
        f"{old}0",
        f"{float(old) / 100!r}e2",
        f"{float(old):.3e}",
        f"+{old}",
        old.replace(".", ","),
        f"-{old}",
    )
    return _put(page, found.start(), found.end(), draw.choice(forms))


def _swap(draw: random.Random, page: str) -> str:
    """Two stretches exchanged, one left out, or one told twice."""
    a, b, c, d = sorted(draw.randrange(len(page) + 1) for _ in range(4))
    if draw.random() < 0.5:
        b, d = min(b, a + 300), min(d, c + 300)
    return draw.choice(
        (page[:a] + page[c:d] + page[b:c] + page[a:b] + page[d:], page[:a] + page[b:], page[:b] + page[a:b] + page[b:])
    )


def _data(draw: random.Random, page: str) -> str:
    """The data inside the page, written otherwise or to say something else."""
    start = page.find(_OPENING)
    end = page.find("</script>", start)
    if start < 0 or end < 0:
        return _insert(draw, page)
    inside = start + len(_OPENING)
    block = page[inside:end]
    values = (
        "0.01",
        "true",
        "null",
        "NaN",
        "1e999",
        '"x"',
        "[]",
        "{}",
        "0.005e2",
        "1.0",
        "-1",
        '"\\u202e"',
        '"inf"',
        '"<b>"',
        "1",
    )
    title = draw.choice(("x", "<!--", "</script >", "<script>", "\u200b"))
    pair = _one(draw, re.compile(r'"([a-z_]+)": ("[^"\\]*"|[-0-9.e+]+)'), block)
    key, value = pair.groups() if pair else ("title", '"x"')
    at = pair.start(2) if pair else 0
    stop = pair.end(2) if pair else 0
    new = draw.choice(values)
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in value[1:-1]) if value.startswith('"') else value
    changes: tuple[Callable[[], str], ...] = (
        lambda: _put(block, at, stop, new),
        lambda: _put(block, at, stop, new),
        lambda: _put(block, at, stop, f'{value}, "{key}": {new}'),
        lambda: _put(block, at, stop, f'{new}, "{key}": {value}'),
        lambda: _put(block, at, stop, f'"{escaped}"'),
        lambda: _put(block, at, stop, f" {value}"),
        lambda: _put(block, at, stop, f"{value}\n"),
        lambda: _put(block, at, stop, f"/* x */{value}"),
        lambda: _digits(draw, block),
        lambda: block.replace("\n", "").replace("  ", " "),
        lambda: f"{block},",
        lambda: f"\ufeff{block}",
        lambda: block.replace('"at most"', '"at least"', 1),
        lambda: block.replace('"title": "', f'"title": "{title}', 1),
        lambda: block[: draw.randrange(len(block) + 1)],
        lambda: "[" * draw.choice((10, 100, 9000)) + block,
        lambda: re.sub(r'"context": "[^"]*"', '"context": "\\\\u003c/script>"', block, count=1),
    )
    altered = draw.choice(changes)()
    decoys = (
        "", "", "", "", f"<script type='application/json' id='neyman-report'>{block}</script>",
        f"{_OPENING}{block}</script>", f"{_OPENING}</script>", f"<!--{_OPENING}{{}}</script>-->",
    )  # fmt: skip
    ends = ("", "", "", "", "", f"</script x>{LIE}", f"</script/>{LIE}", "<!--<script>")
    return page[:start] + draw.choice(decoys) + page[start:inside] + altered + draw.choice(ends) + page[end:]


def _blanks(draw: random.Random, page: str) -> str:
    """White space: of all these only the ends of lines of one system, put for those of another, are no alteration."""
    at = draw.randrange(len(page) + 1)
    line = page.find("\n", at)
    changes: tuple[Callable[[], str], ...] = (
        lambda: page.replace("\n", "\r\n"),
        lambda: page[:at] + page[at:].replace("\n", "\r\n"),
        lambda: _put(page, line, line + 1, "\r\n") if line >= 0 else page,
        lambda: page.replace("\n", "\r"),
        lambda: page.replace("\n", "\n\n"),
        lambda: page.replace("\n", "\n\r"),
        lambda: page.replace("\n", " "),
        lambda: page + draw.choice(("\n", " ", "\0", "\x1a", LIE)),
        lambda: draw.choice(("\n", " ", "\ufeff", "\0", "x")) + page,
        lambda: _put(page, line, line + 1, draw.choice(("", "\r", "\f", "\v", "\x85", "\u2028", " ", "\t\n", "\n\n"))),
        lambda: _put(page, at, at, draw.choice(("\r", "\n", "\t", " ", "\0", "\u200b", "\x0b"))),
    )
    return draw.choice(changes)()


KINDS: dict[str, Callable[[random.Random, str], str]] = {
    "insert": _insert, "beside": _beside, "tag": _tag, "attribute": _attribute, "text": _text, "hide": _hide,
    "picture": _picture, "digits": _digits, "swap": _swap, "data": _data, "blanks": _blanks,
}  # fmt: skip
