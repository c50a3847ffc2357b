"""A picture on Axes of the user's own: ink and paper become theirs, dark ones too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.text import Text

from neyman.plot.drawing.style import INK

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

__all__ = ["follow"]

_INKS = (INK, "#000000")  # the curve that is black, too: on dark paper nobody would see it
_PAPER = "#ffffff"


def follow(ax: Axes, drawn: Iterable[Artist]) -> None:
    """Give what was drawn in the paper's ink, or filled with its white, the ink and the paper of ``ax``."""
    ink, paper = to_hex(ax.xaxis.label.get_color()), to_hex(ax.get_facecolor())
    new = {**dict.fromkeys(_INKS, ink), _PAPER: paper}
    for one in _all(ax, drawn):
        if isinstance(one, Line2D):
            one.set_color(_changed(one.get_color(), new))
            one.set_markerfacecolor(_changed(one.get_markerfacecolor(), new))
            one.set_markeredgecolor(_changed(one.get_markeredgecolor(), new))
        elif isinstance(one, Text):
            one.set_color(_changed(one.get_color(), new))
            box = one.get_bbox_patch()
            if box is not None:
                box.set_facecolor(_changed(box.get_facecolor(), new))
            arrow: Any = getattr(one, "arrow_patch", None)
            if arrow is not None:
                arrow.set_color(_changed(arrow.get_edgecolor(), new))


def _all(ax: Axes, drawn: Iterable[Artist]) -> list[Artist]:
    """What was drawn, and the samples of its legend."""
    legend: Any = ax.get_legend()
    return [*drawn, *([] if legend is None else legend.get_lines())]


def _changed(colour: Any, new: dict[str, str]) -> Any:
    """The colour that stands in its place, if one does."""
    try:
        return new.get(to_hex(colour), colour)
    except ValueError:  # "none", "auto"
        return colour
