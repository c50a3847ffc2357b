"""The card of a notebook: HTML of its own, with no script, no request and no id, in whatever theme is around it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

__all__ = ["Card", "Curve", "Row", "Short", "short"]

Row = tuple[str, ...]
"""Cells of a line of a table; the first is words, the others are numbers."""

_POWER = re.compile(r"[0-9.]+e-[0-9]+")
_WIDE = 4  # columns beyond which a table may have to be scrolled, and is to be reached by the keyboard


class Short(str):
    """A text in place of a longer one, ``full``, which is shown where somebody points at it."""

    full: str


def short(text: str, full: str) -> str:
    """Return ``text``, which stands for ``full``.

    Examples
    --------
    >>> short("1.57", "1.5669476486394196").full
    '1.5669476486394196'
    """
    if text == full:
        return text
    made = Short(text)
    made.full = full
    return made


_LIGHT = "--nm-ink:#1f2328;--nm-soft:#59636e;--nm-line:#d1d9e0;--nm-paper:#fff;--nm-a:#0072b2;--nm-b:#b34700"
_DARK = "--nm-ink:#e6edf3;--nm-soft:#9da7b3;--nm-line:#3d444d;--nm-paper:#15191f;--nm-a:#56b4e9;--nm-b:#f0a35e"
# the theme of JupyterLab, VS Code and Colab where they say it, else that of the browser
_STYLE = (
    f".neyman-card{{{_LIGHT};box-sizing:border-box;max-width:44rem;padding:.7em 1em;border:1px solid var(--nm-line);"
    "border-radius:6px;background:var(--nm-paper);color:var(--nm-ink);font:13px/1.5 system-ui,sans-serif;"
    "overflow-wrap:anywhere}"
    f"@media (prefers-color-scheme:dark){{.neyman-card{{{_DARK}}}}}"
    f'body[data-jp-theme-light="true"] .neyman-card,body.vscode-light .neyman-card,html[theme="light"] .neyman-card'
    f"{{{_LIGHT}}}"
    f'body[data-jp-theme-light="false"] .neyman-card,body.vscode-dark .neyman-card,html[theme="dark"] .neyman-card'
    f"{{{_DARK}}}"
    ".neyman-card p{margin:0 0 .35em;color:inherit}.neyman-card .nm-head{font-size:15px;font-weight:600}"
    ".neyman-card .nm-soft{color:var(--nm-soft)}"
    ".neyman-card .nm-body{display:flex;flex-wrap:wrap;gap:.8em 1.4em;align-items:flex-start}"
    ".neyman-card .nm-rows{flex:1 1 15rem;min-width:0;overflow-x:auto}"
    ".neyman-card svg{flex:0 0 auto;width:150px;height:150px}"
    ".neyman-card.neyman-card table{width:100%;margin:0 0 .5em;border-collapse:collapse;border:0;font:inherit;"
    "color:inherit;table-layout:auto}"
    ".neyman-card.neyman-card table tr{background:none;border:0}"
    ".neyman-card.neyman-card table :is(td,th){padding:.12em .5em .12em 0;border:0;background:none;color:inherit;"
    "text-align:right;vertical-align:baseline;font-variant-numeric:tabular-nums;white-space:nowrap;"
    "overflow-wrap:normal}"
    ".neyman-card.neyman-card table :is(td,th):first-child{text-align:left;white-space:normal}"
    ".neyman-card.neyman-card .nm-rows[tabindex] :is(td,th):first-child{white-space:nowrap}"
    "@media (max-width:40rem){.neyman-card.neyman-card .nm-rows:not([tabindex]) :is(td,th){white-space:normal}}"
    ".neyman-card .nm-one{white-space:nowrap}"
    ".neyman-card.neyman-card table th{color:var(--nm-soft);font-weight:400;"
    "border-bottom:1px solid var(--nm-line)}"
)
_SIDE, _PAD = 100.0, 12.0  # of the picture, and of the room about it, in its own units


@dataclass(frozen=True, slots=True)
class Curve:
    """A trade-off curve through certified points (alpha, beta), drawn in the unit square."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(slots=True)
class Card:
    """What a card says; ``html()`` writes it. All text is escaped."""

    headline: str
    lines: list[str] = field(default_factory=list[str])
    tables: list[tuple[Row, list[Row]]] = field(default_factory=list[tuple[Row, list[Row]]])
    curves: list[Curve] = field(default_factory=list[Curve])
    notes: list[str] = field(default_factory=list[str])

    def html(self) -> str:
        """Return the card, in which nothing but text comes from elsewhere."""
        parts = [f'<div class="neyman-card"><style>{_STYLE}</style>', _paragraph(self.headline, "nm-head")]
        parts += [_paragraph(line, "nm-soft") for line in self.lines]
        rows = "".join(_table(head, body) for head, body in self.tables)
        if rows or self.curves:
            wide = any(len(head) > _WIDE for head, _ in self.tables)
            held = f'<div class="nm-rows"{_REACHED if wide else ""}>{rows}</div>'
            parts.append(f'<div class="nm-body">{held}{_drawn(self.curves)}</div>')
        parts += [_paragraph(note, "nm-soft") for note in self.notes]
        return "".join([*parts, "</div>"])


_REACHED = ' tabindex="0" role="group" aria-label="table"'


def _paragraph(text: str, kind: str) -> str:
    return f'<p class="{kind}"{_titled(text)}>{escape(text)}</p>'


def _titled(text: str) -> str:
    return f' title="{escape(text.full)}"' if isinstance(text, Short) else ""


def _table(head: Row, body: Iterable[Row]) -> str:
    above = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    lines = "".join(f"<tr>{''.join(f'<td{_titled(cell)}>{_whole(cell)}</td>' for cell in row)}</tr>" for row in body)
    return f"<table><thead><tr>{above}</tr></thead><tbody>{lines}</tbody></table>"


def _whole(cell: str) -> str:
    """A cell in which no number in powers of ten is torn apart at the end of a line."""
    return _POWER.sub(r'<span class="nm-one">\g<0></span>', escape(cell))


def _drawn(curves: Sequence[Curve]) -> str:
    """The curves as one picture, with the diagonal of perfect privacy."""
    if not curves:
        return ""
    whole = _SIDE + 2.0 * _PAD
    told = "; ".join(f"trade-off curve of {curve.name}" for curve in curves)
    words = (
        f'<text x="{whole / 2:g}" y="{whole - 2:g}" text-anchor="middle">false positive rate</text>'
        f'<text x="8" y="{whole / 2:g}" text-anchor="middle" transform="rotate(-90 8 {whole / 2:g})">'
        "false negative rate</text>"
    )
    dashes = ("", ' stroke-dasharray="5 2"')
    lines = "".join(
        f'<polyline points="{_path(curve.points)}" fill="none" stroke="var(--nm-{colour})" stroke-width="1.6"{dash}/>'
        for curve, colour, dash in zip(curves, "ab", dashes, strict=False)
    )
    return (
        f'<svg viewBox="0 0 {whole:g} {whole:g}" role="img" aria-label="{escape(told)}" font-size="7" '
        f'fill="var(--nm-soft)"><rect x="{_PAD:g}" y="{_PAD:g}" width="{_SIDE:g}" height="{_SIDE:g}" fill="none" '
        f'stroke="var(--nm-line)"/><path d="M{_PAD:g} {_PAD:g}l{_SIDE:g} {_SIDE:g}" fill="none" '
        f'stroke="var(--nm-soft)" stroke-width=".6" stroke-dasharray="3 2"/>{lines}{words}</svg>'
    )


def _path(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_PAD + _SIDE * alpha:.2f},{_PAD + _SIDE * (1.0 - beta):.2f}" for alpha, beta in points)
