"""A drawn figure as bytes: PNG at 200 dots an inch, SVG without date or random names."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["pixels", "png", "svg"]

_DPI = 200  # pixels of a file for each inch
_SHOWN = 150  # pixels of a page for each inch of a figure


def png(figure: Figure) -> bytes:
    """Return the picture in pixels."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=_DPI, metadata={"Software": None})
    return out.getvalue()


def svg(figure: Figure) -> bytes:
    """Return the picture as a file of its own, letters as shapes, the same every time."""
    out = io.BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def pixels(figure: Figure) -> tuple[int, int]:
    """Return the size at which a page shows it."""
    width, height = figure.get_size_inches()
    return round(float(width) * _SHOWN), round(float(height) * _SHOWN)
