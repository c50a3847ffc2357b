"""What pictures are made of: lines with their certified band, guides, floors, rulers, axes and legends."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray
from neyman.plot.drawing.extras import need_matplotlib
from neyman.plot.drawing.span import Span
from neyman.plot.drawing.style import BAND, GUIDE, HEIGHT, INK, WIDTH, look, paper

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

__all__ = ["band", "curve", "floor_mark", "guide", "legend", "note", "on_paper", "ruler", "scales"]

_PIXEL = 1.0 / 450.0  # of the height of a column's axes, at 200 dpi
_PAD = 3.0  # points between a legend and a curve
_MOST_TICKS = 7  # of a logarithmic axis, with numbers
_Place = Literal[
    "upper right", "upper left", "lower left", "lower right", "center left", "upper center", "lower center"
]
_LINE = 48  # letters of a legend in a line


@contextmanager
def on_paper(ax: Axes | None, height: float = HEIGHT, width: float = WIDTH) -> Generator[Axes]:
    """The axes to draw on: those given, in their own look, or the only ones of a new figure, in the paper's.

    Raises
    ------
    InvalidParameter
        If ``ax`` is no matplotlib Axes.
    MissingPackage
        If matplotlib is not installed.
    """
    need_matplotlib()
    from matplotlib.axes import Axes as AnyAxes

    from neyman.plot.drawing.figure import PaperAxes, new_axes
    from neyman.plot.drawing.own_axes import follow

    if ax is not None and not isinstance(ax, AnyAxes):
        raise InvalidParameter("ax", ax, "a matplotlib Axes", "Leave it out for a new figure.")
    if ax is not None and not isinstance(ax, PaperAxes):  # in the look that it has
        known = set(ax.get_children())
        yield ax
        follow(ax, [one for one in ax.get_children() if one not in known])
        return
    with paper():
        chosen = new_axes(width, height) if ax is None else ax
        _dressed(chosen)
        yield chosen


def _dressed(ax: Axes) -> None:
    """Thin spines, and ticks that are made later look like those made now."""
    for side, spine in ax.spines.items():
        spine.set_linewidth(0.5)
        spine.set_edgecolor(INK)
        spine.set_visible(side in ("left", "bottom"))
    ax.tick_params(which="major", size=2.5, width=0.5, labelsize=7.0, color=INK, labelcolor=INK)
    ax.tick_params(which="minor", size=1.5, width=0.4, color=INK)


def scales(ax: Axes, across: Span, up: Span, names: tuple[str, str]) -> None:
    """Set limits, scales, ticks and names of both axes."""
    look_of_names = _of_names(ax)
    ax.set_xlabel(names[0], parse_math=_is_math(names[0]), **look_of_names)
    ax.set_ylabel(names[1], parse_math=_is_math(names[1]), **look_of_names)
    for which, span in (("x", across), ("y", up)):
        if span.log:
            ax.set(**{f"{which}scale": "log"})
        ax.set(**{f"{which}lim": (span.low, span.high)})
        _ticks(getattr(ax, f"{which}axis"), span)


def _of_names(ax: Axes) -> dict[str, Any]:
    """How the axes of the paper are named; the user's own as theirs are."""
    from neyman.plot.drawing.figure import PaperAxes

    return {"fontsize": 8.0, "color": INK} if isinstance(ax, PaperAxes) else {}


def _ticks(axis: Any, span: Span) -> None:
    from matplotlib import ticker

    if span.log and span.high / span.low >= 200.0:
        axis.set_major_locator(ticker.LogLocator(numticks=_MOST_TICKS))
        axis.set_major_formatter(ticker.LogFormatterSciNotation())
        axis.set_minor_locator(ticker.LogLocator(subs=(1.0,), numticks=40))  # the powers of ten between
        axis.set_minor_formatter(ticker.NullFormatter())
    elif span.log:
        axis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0), numticks=_MOST_TICKS))
        axis.set_major_formatter(ticker.FuncFormatter(_plainly))
        axis.set_minor_locator(ticker.NullLocator())
    else:
        axis.set_major_locator(ticker.MaxNLocator(5, steps=[1, 2, 5, 10]))


def _plainly(value: float, position: int | None = None) -> str:
    return f"{value:g}"


def curve(ax: Axes, x: NDArray[Any], y: NDArray[Any], number: int, label: str = "", **changed: Any) -> Artist:
    """Draw the curve of that number in its own look."""
    own = look(number)
    settings: dict[str, Any] = {"color": own.colour, "linestyle": own.dashes, "linewidth": 1.2, "zorder": 3.0}
    if own.marker:
        settings |= {"marker": own.marker, "markevery": 0.12, "markersize": 3.2, "markerfacecolor": "white"}
        settings |= {"markeredgewidth": 0.7}
    (line,) = ax.plot(x, y, label=label, **(settings | changed))
    return line


def band(ax: Axes, x: FloatArray, lower: FloatArray, upper: FloatArray, spans: tuple[Span, Span], number: int) -> bool:
    """Shade what lies between the certified ends where it is wider than a pixel; whether it is."""
    across, up = spans
    u, low, high = across.fraction(x), up.fraction(lower), up.fraction(upper)
    run = np.maximum(np.gradient(u), 1e-300) if u.size > 1 else np.ones_like(u)
    slope = np.gradient(0.5 * (low + high)) / run if u.size > 1 else np.zeros_like(u)
    if not bool(np.any((high - low) / np.hypot(1.0, slope) > _PIXEL)):
        return False
    ax.fill_between(x, lower, upper, color=look(number).colour, alpha=BAND, linewidth=0.0, zorder=2.0)
    return True


def guide(ax: Axes, x: Sequence[float] | FloatArray, y: Sequence[float] | FloatArray, **changed: Any) -> Artist:
    """Draw a thin grey line that is no curve: a diagonal, a baseline."""
    settings: dict[str, Any] = {"color": GUIDE, "linewidth": 0.6, "linestyle": (0, (3.0, 2.0)), "zorder": 1.5}
    (line,) = ax.plot(x, y, **(settings | changed))
    return line


def floor_mark(ax: Axes, floor: float, word: str = "floor") -> None:
    """Mark where the promise of mu ends, on a logarithmic axis of alpha."""
    ax.axvline(floor, color=GUIDE, linewidth=0.6, linestyle=(0, (1.0, 1.5)), zorder=1.5)
    ax.annotate(
        word, (floor, 1.0), xycoords=("data", "axes fraction"), xytext=(-2.0, -1.0), textcoords="offset points",
        rotation=90.0, ha="right", va="top", fontsize=6.5, color=GUIDE,
    )  # fmt: skip


def ruler(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw a line with a head at either end."""
    arrow = {"arrowstyle": "<|-|>,head_length=0.22,head_width=0.09", "shrinkA": 0.0, "shrinkB": 0.0}
    ax.annotate("", end, start, arrowprops=arrow | {"color": INK, "linewidth": 0.7}, zorder=4.0)


def note(
    ax: Axes, text: str, at: tuple[float, float], offset: tuple[float, float] = (3.0, 0.0), **changed: Any
) -> None:
    """Write beside a point."""
    settings: dict[str, Any] = {"ha": "left", "va": "center", "fontsize": 7.0, "color": INK}
    paper_ = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}  # over guides, under curves
    ax.annotate(text, at, offset, textcoords="offset points", zorder=1.9, bbox=paper_, **(settings | changed))


def legend(ax: Axes, entries: Sequence[tuple[Artist, str]], places: Sequence[_Place]) -> None:
    """Place a legend without a frame where it covers nothing: at the first place that is free, else above the axes."""
    from neyman.plot.drawing.figure import PaperFigure

    handles = [artist for artist, _ in entries]
    labels = [label if "$" in label else fill(label, _LINE) for _, label in entries]
    figure = ax.get_figure(root=True)
    if figure is None:
        return
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)  # so that places are known
    for place in places:
        made = ax.legend(handles, labels, loc=place)
        _as_written(made, labels)
        if not _covers(ax, made):
            return
    for columns in (3, 2, 1):
        made = ax.legend(
            handles, labels, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=min(columns, len(labels)),
            columnspacing=1.2,
        )  # fmt: skip
        _as_written(made, labels)
        if made.get_window_extent().width <= ax.get_window_extent().width:
            break
    if isinstance(figure, PaperFigure) and len(figure.axes) == 1:  # its axes keep their height
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + made.get_window_extent().height / figure.dpi)


def _as_written(made: Any, labels: list[str]) -> None:
    """A label that is no formula of mathtext is shown as it is."""
    for text, label in zip(made.get_texts(), labels, strict=True):
        text.set_parse_math(_is_math(label))


def _is_math(label: str) -> bool:
    from matplotlib.mathtext import MathTextParser

    if "$" not in label:
        return False
    try:
        MathTextParser("path").parse(label)
    except ValueError:
        return False
    return True


def _covers(ax: Axes, made: Any) -> bool:
    """Whether a legend lies over a line, a band or words."""
    from matplotlib.transforms import Bbox

    figure = ax.get_figure(root=True)
    box = made.get_window_extent()
    pad = _PAD * (figure.dpi if figure is not None else 72.0) / 72.0
    box = Bbox.from_extents(box.x0 - pad, box.y0 - pad, box.x1 + pad, box.y1 + pad)
    axes = ax.get_window_extent()
    if box.width > axes.width + 2.0 * pad or box.height > axes.height + 2.0 * pad:
        return True
    for line in ax.lines:
        path = line.get_transform().transform_path(line.get_path())
        if path.intersects_bbox(box, filled=False):
            return True
    for patch in (*ax.collections, *ax.patches):
        shown = patch.get_window_extent()
        if shown.width > 0.0 and shown.height > 0.0 and _filled(patch, box):
            return True
    return any(text.get_text() and text.get_window_extent().overlaps(box) for text in ax.texts)


def _filled(patch: Any, box: Any) -> bool:
    """Whether a shaded shape reaches into a box."""
    paths = patch.get_paths() if hasattr(patch, "get_paths") else [patch.get_path()]
    return any(patch.get_transform().transform_path(path).intersects_bbox(box, filled=True) for path in paths)
