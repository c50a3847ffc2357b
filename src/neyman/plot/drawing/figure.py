"""Figure and Axes that need no pyplot: drawn in the paper's look whenever they are drawn, and shown by notebooks."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from neyman.plot.drawing.style import HEIGHT, WIDTH, paper

__all__ = ["PaperAxes", "PaperFigure", "new_axes"]

_SHOWN_DPI = 200


class PaperFigure(Figure):
    """A figure of one column, for print."""

    def draw(self, renderer: Any) -> None:
        """Draw, whatever the user's settings are by now."""
        with paper():
            super().draw(renderer)

    def savefig(self, fname: Any, **kwargs: Any) -> None:
        """Save, whatever the user's settings are by now."""
        with paper():
            super().savefig(fname, **kwargs)

    def _repr_png_(self) -> bytes:
        """What a notebook shows."""
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=_SHOWN_DPI)
        return buffer.getvalue()


class PaperAxes(Axes):
    """Axes that a notebook shows as the picture they are."""

    def _repr_png_(self) -> bytes | None:
        figure = self.get_figure(root=True)
        return figure._repr_png_() if isinstance(figure, PaperFigure) else None  # pyright: ignore[reportPrivateUsage]


def new_axes(width: float = WIDTH, height: float = HEIGHT) -> PaperAxes:
    """The only axes of a new figure."""
    figure = PaperFigure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot(axes_class=PaperAxes)
    if not isinstance(axes, PaperAxes):
        raise TypeError(type(axes))
    return axes
