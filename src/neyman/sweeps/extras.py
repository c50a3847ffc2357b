"""The packages that sweeps alone need, imported when a sweep is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from neyman._errors import NeymanError

__all__ = ["MissingPackage", "need"]


class MissingPackage(NeymanError, ImportError):
    """A package that is not installed with neyman unless it is asked for."""


def need(package: str, extra: str = "sweep") -> Any:
    """Import ``package``, which the ``extra`` brings.

    Raises
    ------
    MissingPackage
        If it is not installed: the message names the extra that brings it.

    Examples
    --------
    >>> need("xarray_of_another_name")
    Traceback (most recent call last):
        ...
    neyman.sweeps.extras.MissingPackage: sweep needs xarray_of_another_name: pip install 'neyman[sweep]'
    """
    try:
        return import_module(package)
    except ImportError as error:
        raise MissingPackage(f"sweep needs {package}: pip install 'neyman[{extra}]'") from error
