"""A figure as SVG that can stand inside a page: the same every time, complete in itself, safe, and scalable.

Letters are drawn as shapes. Text kept as text would be set in whatever font the reader's machine has, or in none
(headless browsers often have no font at all), so that labels would overlap the curves or vanish; what a screen reader
says comes from ``title`` and ``description`` instead.
"""

from __future__ import annotations

import io
import re
from typing import Any
from xml.etree import ElementTree as ET  # reads what matplotlib has just written

from neyman._errors import InvalidParameter
from neyman.plot.drawing.extras import need_matplotlib
from neyman.plot.drawing.style import paper

__all__ = ["svg"]

_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_LINK = "{http://www.w3.org/1999/xlink}href"
_SPACE = "http://www.w3.org/2000/svg"
_LOCAL = re.compile(r"url\(#([^)]*)\)")
# what XML 1.0 cannot hold, escaped or not
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def svg(figure: Any, prefix: str, title: str = "", description: str = "") -> str:
    """Return a figure as one ``<svg>`` element, to be written into a page as it is.

    The same figure gives the same text. It holds no date, no version, no style sheet that could reach the page, no
    script and no reference to anything outside; every id begins with ``prefix``. It has a ``viewBox`` and no size, so
    that it takes the width it is given.

    Parameters
    ----------
    figure : matplotlib Figure or Axes
        What to write.
    prefix : str
        Different for each picture of a page: a letter, then letters, digits, "-" or "_", 64 at most.
    title, description : str
        For screen readers; escaped.

    Raises
    ------
    InvalidParameter
        If ``figure`` is neither, or ``prefix`` is no such text.
    MissingPackage
        If matplotlib is not installed.

    Examples
    --------
    >>> import neyman as ny
    >>> text = ny.plot.svg(ny.plot.tradeoff(ny.GDP(1.0)), "curve", title="mu < 2 & more")
    >>> text[:22], "mu &lt; 2 &amp; more" in text, "script" in text, "date" in text
    ('<svg xmlns="http://www', True, False, False)
    """
    need_matplotlib()
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

    whole = figure.get_figure(root=True) if isinstance(figure, Artist) else None
    if not isinstance(whole, Figure):
        raise InvalidParameter("figure", figure, "a matplotlib Figure or Axes")
    if not isinstance(prefix, str) or not _PREFIX.fullmatch(prefix):
        allowed = "a letter, then at most 63 letters, digits, '-' or '_'"
        raise InvalidParameter("prefix", prefix, allowed, "It makes the ids of this picture unique in the page.")
    written = io.StringIO()
    with paper():
        whole.savefig(written, format="svg", metadata={"Date": None})
    return _cleaned(written.getvalue(), prefix, _legal("title", title), _legal("description", description))


def _legal(name: str, text: object) -> str:
    if not isinstance(text, str):
        raise InvalidParameter(name, text, "a text")
    return _ILLEGAL.sub("\ufffd", text)


def _cleaned(text: str, prefix: str, title: str, description: str) -> str:
    """Keep what draws, under names of its own."""
    root = ET.fromstring(_ILLEGAL.sub("\ufffd", text[text.index("<svg") :]))  # noqa: S314 - see the import
    names = _names(root, prefix)
    for parent in root.iter():
        for child in list(parent):
            if child.tag in (f"{{{_SPACE}}}metadata", f"{{{_SPACE}}}style") or callable(child.tag):
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SPACE}}}")
        element.attrib = _attributes(element.attrib, names)
        element.text = element.tail = None  # nothing but layout: letters are shapes
    attributes: dict[str, str] = {"xmlns": _SPACE, "viewBox": root.attrib["viewBox"], "role": "img"}
    said = [(tag, words) for tag, words in (("title", title), ("desc", description)) if words]
    if said:
        attributes["aria-labelledby"] = " ".join(f"{prefix}-{tag}" for tag, _ in said)
    # what matplotlib says in a style sheet, which would hold for the whole page
    root.attrib = attributes | {"stroke-linejoin": "round", "stroke-linecap": "butt"}
    for position, (tag, words) in enumerate(said):
        element = ET.Element(tag, {"id": f"{prefix}-{tag}"})
        element.text = words
        root.insert(position, element)
    return ET.tostring(root, encoding="unicode")


def _names(root: ET.Element, prefix: str) -> dict[str, str]:
    """A new id for each that is referred to, by their order."""
    used: dict[str, str] = {}
    for element in root.iter():
        for key, value in element.attrib.items():
            targets = [value[1:]] if key == _LINK and value.startswith("#") else _LOCAL.findall(value)
            for target in targets:
                used.setdefault(target, f"{prefix}-{len(used) + 1}")
    return used


def _attributes(old: dict[str, str], names: dict[str, str]) -> dict[str, str]:
    """Attributes alone, with no style sheet among them: pages may forbid those."""
    found: dict[str, str] = {}
    for key, value in old.items():
        if key == "id":
            if value in names:
                found["id"] = names[value]
        elif key == _LINK:
            found["href"] = f"#{names[value[1:]]}" if value.startswith("#") else value
        elif key == "style":
            rules = (rule.partition(":") for rule in value.split(";"))
            found |= {name.strip(): said.strip() for name, _, said in rules if name.strip()}
        elif not key.startswith("{"):
            found[key] = value
    return {key: _LOCAL.sub(lambda hit: f"url(#{names[hit[1]]})", value) for key, value in found.items()}
