"""The reproduction of the papers, under the name it had before it became a package of its own: ``neyman_papers``."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    import neyman_papers  # an application of this package: nothing else here knows it

    return getattr(neyman_papers, name)
