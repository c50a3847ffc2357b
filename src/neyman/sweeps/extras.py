"""The packages that sweeps alone need, imported when a sweep is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from neyman._errors import MissingPackage

__all__ = ["MissingPackage", "need"]


def need(package: str, extra: str = "sweep") -> Any:
    """Import ``package``, which the ``extra`` brings.

    Raises
    ------
    MissingPackage
        If it is not installed: the message names the extra that brings it.

    Examples
    --------
    >>> try:
    ...     need("xarray_of_another_name")
    ... except ImportError as error:
    ...     print(error)
    sweep needs xarray_of_another_name: pip install 'neyman[sweep]'
    """
    try:
        return import_module(package)
    except ImportError as error:
        raise MissingPackage(f"sweep needs {package}: pip install 'neyman[{extra}]'") from error
