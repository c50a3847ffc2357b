"""A picture: a function that draws, and its twin ``data`` that returns the numbers it draws."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol, cast, overload

from neyman._errors import InvalidParameter
from neyman.plot.drawing.columns import Columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    class DrawnAxes(Axes):
        """Axes of a figure that can be saved: no picture is drawn on a part of one."""

        @property
        def figure(self) -> Figure: ...  # pyright: ignore[reportIncompatibleMethodOverride, reportIncompatibleVariableOverride]

        def savefig(self, path: Any, **options: Any) -> None: ...


__all__ = ["Picture", "picture"]

_Drawn = ParamSpec("_Drawn")
_Asked = ParamSpec("_Asked")


class Picture(Protocol, Generic[_Drawn, _Asked]):
    """Called, it draws and returns the Axes; ``data`` takes the same arguments, but for ``ax``.

    Every picture takes a ``title``, and a ``label`` in place of ``labels`` where it has one curve to name.
    """

    @overload
    def __call__(self, *args: _Drawn.args, **kwargs: _Drawn.kwargs) -> DrawnAxes: ...
    @overload
    def __call__(self, *args: Any, title: str | None = ..., label: str | None = ..., **kwargs: Any) -> DrawnAxes: ...
    def __call__(self, *args: Any, **kwargs: Any) -> DrawnAxes:
        """Draw."""
        ...

    @property
    def data(self) -> Callable[_Asked, Columns]:
        """Return the numbers that are drawn."""
        ...


def picture(data: Callable[_Asked, Columns]) -> Callable[[Callable[_Drawn, Axes]], Picture[_Drawn, _Asked]]:
    """Give a function that draws its twin."""

    def joined(draw: Callable[_Drawn, Axes]) -> Picture[_Drawn, _Asked]:
        known = signature(draw).parameters
        named = next((name for name in ("labels", "label") if name in known), None)

        @wraps(draw)
        def drawn(*args: Any, title: str | None = None, label: str | None = None, **options: Any) -> Axes:
            if title is not None and not (isinstance(title, str) and title.strip()):
                raise InvalidParameter("title", title, "a text")
            if label is not None:
                if named is None or named in options:
                    raise InvalidParameter("label", label, "left out here", "It names the curves of a picture, once.")
                options[named] = label
            axes = draw(*args, **options)
            if title is not None:
                _entitled(axes, title)
            return axes

        vars(drawn)["data"] = data
        return cast("Picture[_Drawn, _Asked]", drawn)

    return joined


def _entitled(axes: Axes, title: str) -> None:
    """Above a legend, too, where the figure is ours."""
    from neyman.plot.drawing.figure import PaperAxes, PaperFigure  # matplotlib

    figure = axes.get_figure(root=True)
    if isinstance(axes, PaperAxes) and isinstance(figure, PaperFigure):
        figure.suptitle(title, fontsize=8.0)
    else:
        axes.set_title(title)
