"""The packages that pictures, pages and sweeps need, looked for before any work is done."""

from __future__ import annotations

from importlib.util import find_spec

from neyman._errors import NeymanError

__all__ = ["check_packages"]

_PACKAGES = ("matplotlib", "jinja2", "xarray", "cloudpickle")


def check_packages(packages: tuple[str, ...] = _PACKAGES) -> None:
    """Refuse where a package is missing.

    Raises
    ------
    NeymanError
        The message names the extras that bring it.

    Examples
    --------
    >>> from neyman import NeymanError
    >>> try:
    ...     check_packages(("a_package_of_another_name",))
    ... except NeymanError as error:
    ...     print(error)
    reproduce needs a_package_of_another_name: pip install 'neyman[report,sweep]'
    """
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise NeymanError(
            f"reproduce needs {', '.join(missing)}: pip install 'neyman[report,sweep]'", topic="missing-package"
        )
