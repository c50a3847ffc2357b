"""Packages that list their names and import each on first use (PEP 562): the first answer waits for no other."""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["on_first_use"]


def on_first_use(
    package: str,
    homes: Mapping[str, tuple[str, ...]],
    rooms: tuple[str, ...] = (),
    unknown: Callable[[str], AttributeError] | None = None,
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and the ``__dir__`` of ``package``.

    Parameters
    ----------
    package : str
        Its name.
    homes : mapping
        The names that each module gives to it. No name may be that of a file of the package: whoever imports the file
        would put it in the place of the name.
    rooms : tuple of str
        Packages inside it that are public as they are.
    unknown : callable, optional
        What is raised for a name that is not there.
    """
    home = {name: module for module, names in homes.items() for name in names}

    def find(name: str) -> object:
        if name in rooms:
            return import_module(f"{package}.{name}")
        if name not in home:
            if unknown is None:
                raise AttributeError(f"module {package!r} has no attribute {name!r}")
            raise unknown(name)
        value: object = getattr(import_module(home[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home, *rooms})

    return find, names
