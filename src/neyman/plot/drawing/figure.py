"""Figure and Axes that need no pyplot: drawn in the paper's look whenever they are drawn, and shown by notebooks.

Where the user has pyplot, it manages them as any figure of theirs, so that ``plt.show()`` shows them.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from neyman.plot.drawing.style import HEIGHT, WIDTH, paper

__all__ = ["PaperAxes", "PaperFigure", "alone", "new_axes"]

_SHOWN_DPI = 200  # dots per inch in a notebook
_ALONE: ContextVar[bool] = ContextVar("alone", default=False)


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
    """Axes that a notebook shows as the picture they are, and that can be saved as it."""

    def savefig(self, path: Any, **options: Any) -> None:
        """Save the figure they are in: ``figure.savefig``."""
        figure: Any = self.get_figure(root=True)
        figure.savefig(path, **options)

    def _repr_png_(self) -> bytes | None:
        figure = self.get_figure(root=True)
        if _shown_by_pyplot(figure):  # it shows what it manages when the cell is done
            return None
        return figure._repr_png_() if isinstance(figure, PaperFigure) else None  # pyright: ignore[reportPrivateUsage]


def new_axes(width: float = WIDTH, height: float = HEIGHT) -> PaperAxes:
    """The only axes of a new figure."""
    size = width, height
    pyplot = None if _ALONE.get() else _pyplot()
    if pyplot is None:
        figure = PaperFigure(figsize=size, layout="constrained")
    else:
        figure = pyplot.figure(FigureClass=PaperFigure, figsize=size, layout="constrained")
    axes = figure.add_subplot(axes_class=PaperAxes)
    if not isinstance(axes, PaperAxes):
        raise TypeError(type(axes))
    return axes


@contextmanager
def alone() -> Generator[None]:
    """Keep the figures that are made in the body from pyplot: nobody is to be shown them one by one."""
    token = _ALONE.set(True)
    try:
        yield
    finally:
        _ALONE.reset(token)


def _pyplot() -> Any:
    """pyplot, where somebody has imported it."""
    return sys.modules.get("matplotlib.pyplot")


def _shown_by_pyplot(figure: Any) -> bool:
    """Whether a notebook's backend is about to show it."""
    pyplot = _pyplot()
    if pyplot is None or "inline" not in str(pyplot.get_backend()):
        return False
    return bool(pyplot.fignum_exists(getattr(figure, "number", -1)))
