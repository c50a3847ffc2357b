"""The report as one HTML file: it loads nothing, runs nothing, and prints well.

Everything a user typed goes through autoescaping; the only markup that is let through is our own style sheet, the
pictures, and the data block, in which no character is left that could end it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from neyman._errors import MissingPackage
from neyman.reports.forms.block import OPENING
from neyman.reports.forms.page import first_page, sections
from neyman.reports.forms.pictures import pictures, svgs
from neyman.reports.said.claims import Claim
from neyman.reports.said.document import Document
from neyman.reports.said.text import visible

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["around_pictures", "data_block", "render_html"]

_HOLE = "\0"  # where a picture goes: no text has one, since nothing that is hidden is let through
_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


def render_html(document: Document) -> str:
    """Return the report as one self-contained HTML5 page; the same document gives the same text.

    The first page is for those who decide: what was run, the number to report, what an attacker can do. What follows is
    for those who check: every claim with its certified bracket, pictures, assumptions, certificate.

    Parameters
    ----------
    document : Document
        What the report says.

    Returns
    -------
    str
        With no reference to anything outside itself, no program, and the JSON form of the report in a data block,
        ``<script type="application/json" id="neyman-report">``, from which ``neyman verify`` reads it. Each number that
        is claimed is a ``<data class="claim" data-claim="ID" value="NUMBER">``.

    Raises
    ------
    MissingPackage
        If jinja2 or matplotlib is not installed.

    Examples
    --------
    >>> import neyman as ny
    >>> page = render_html(ny.report(ny.ApproximateMechanism(1.0, 1e-5), title="Is <b> bold?").document)
    >>> page[:15], "Is &lt;b&gt; bold?" in page, "Is <b> bold?" in page, page.count("<script")
    ('<!DOCTYPE html>', True, False, 1)
    """
    first, *rest = around_pictures(document)
    return first + "".join(f"{drawn}{part}" for drawn, part in zip(svgs(document), rest, strict=True))


def around_pictures(document: Document) -> tuple[str, ...]:
    """Return the page without its pictures: the text before the first, between them, and after the last."""
    page = _environment().get_template("page.html")
    told = pictures(document)
    style = _template("page.css")
    text = page.render(
        document=document, first=first_page(document), sections=sections(document), roc=told[0], pictures=told[1:],
        style=style, style_hash=_hash(style), data=data_block(document), opening=OPENING, hole=_HOLE,
    )  # fmt: skip
    return tuple(text.split(_HOLE))


def data_block(document: Document) -> str:
    """Return the JSON form with nothing in it that HTML would read as markup.

    Line separators and all that is not ASCII are escaped by JSON itself.
    """
    text = json.dumps(document.to_dict(), indent=1, allow_nan=False)
    return text.translate(_ESCAPES)


@cache
def _environment() -> Environment:
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError as error:
        raise MissingPackage("report needs jinja2: pip install 'neyman[report]'") from error
    environment = Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        finalize=_visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["claim"] = lambda value: isinstance(value, Claim)
    return environment


def _hash(style: str) -> str:
    """What the page's policy knows its one style sheet by: no other style is obeyed."""
    return base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()


def _template(name: str) -> str:
    return (files("neyman.reports.forms") / "templates" / name).read_text(encoding="utf-8")


def _visible(value: object) -> object:
    """Text in which nothing is hidden; markup as it is."""
    return visible(value) if type(value) is str else value
