"""A picture: a function that draws, and its twin ``data`` that returns the numbers it draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, ParamSpec, Protocol, cast

from neyman.plot.drawing.columns import Columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Picture", "picture"]

_Drawn = ParamSpec("_Drawn")
_Asked = ParamSpec("_Asked")


class Picture(Protocol, Generic[_Drawn, _Asked]):
    """Called, it draws and returns the Axes; ``data`` takes the same arguments, but for ``ax``."""

    def __call__(self, *args: _Drawn.args, **kwargs: _Drawn.kwargs) -> Axes:
        """Draw."""
        ...

    @property
    def data(self) -> Callable[_Asked, Columns]:
        """Return the numbers that are drawn."""
        ...


def picture(data: Callable[_Asked, Columns]) -> Callable[[Callable[_Drawn, Axes]], Picture[_Drawn, _Asked]]:
    """Give a function that draws its twin."""

    def joined(draw: Callable[_Drawn, Axes]) -> Picture[_Drawn, _Asked]:
        vars(draw)["data"] = data
        return cast("Picture[_Drawn, _Asked]", draw)

    return joined
