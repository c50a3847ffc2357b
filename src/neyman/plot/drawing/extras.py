"""matplotlib, which pictures alone need, imported when one is drawn."""

from __future__ import annotations

from importlib import import_module

from neyman._errors import MissingPackage

__all__ = ["need_matplotlib"]


def need_matplotlib(package: str = "matplotlib") -> None:
    """Import matplotlib, or say how to get it.

    Raises
    ------
    MissingPackage
        If it is not installed: the message names the extra that brings it.

    Examples
    --------
    >>> try:
    ...     need_matplotlib("matplotlib_of_another_name")
    ... except ImportError as error:
    ...     print(error)
    plot needs matplotlib_of_another_name: pip install 'neyman[plot]'
    """
    try:
        import_module(package)
    except ImportError as error:
        raise MissingPackage(f"plot needs {package}: pip install 'neyman[plot]'") from error
