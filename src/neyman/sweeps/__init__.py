"""Many settings at once: the same questions asked of a grid of mechanisms, on one core, on all, or on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neyman._first_use import on_first_use

if TYPE_CHECKING:
    from neyman.sweeps.run import sweep

__all__ = ["sweep"]

# on first use: reports ask this room for the name of an error, and processes are not everywhere (WebAssembly has none)
__getattr__, __dir__ = on_first_use(__name__, {"neyman.sweeps.run": ("sweep",)})
