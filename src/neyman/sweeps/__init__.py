"""Many settings at once: the same questions asked of a grid of mechanisms, on one core, on all, or on a cluster."""

from neyman.sweeps.run import sweep

__all__ = ["sweep"]
