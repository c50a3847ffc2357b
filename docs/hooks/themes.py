"""Pictures by day and by night: every picture twice, and on the page the one that goes with the theme."""

from __future__ import annotations

import re

__all__ = ["by_night", "pairs"]

_NIGHT = {  # as Material's dark scheme has paper and ink; of each colour one as far from the ground as by day
    "#ffffff": "#1e2129",
    "#222222": "#d5d8e2",
    "#000000": "#f2f3f7",
    "#0072b2": "#4ba3e3",
    "#d55e00": "#ff8a3d",
    "#009e73": "#2fc79a",
    "#cc79a7": "#e39cc4",
}
_COLOUR = re.compile("#[0-9a-f]{6}", re.IGNORECASE)
_PICTURE = re.compile(r"(!\[[^]]*\])\(((?:\.\./)*pictures/[\w-]+)\.svg\)\{(\.picture(?: \.wide)?)\}")


def by_night(svg: str) -> str:
    """Return the picture in the colours of the dark theme."""
    return _COLOUR.sub(lambda found: _NIGHT.get(found[0].lower(), found[0]), svg)


def pairs(markdown: str) -> str:
    """Put two in the place of each picture; the theme's own rules hide one, which is then not loaded."""
    return _PICTURE.sub(r"\1(\2.svg#only-light){\3 loading=lazy}\1(\2-dark.svg#only-dark){\3 loading=lazy}", markdown)
