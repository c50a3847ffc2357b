"""What one step of a composed mechanism hands to the engines: the law of its privacy loss, named by its parameters.

Conventions, one everywhere: (P, Q) are the output laws under H1 and H0 and L = log dP/dQ. Direction "remove" has P with
the record and Q without it; direction "add" is the reversed pair.
"""

from __future__ import annotations

__all__ = ["Step"]


class Step:
    """A privacy-loss law known by a few numbers: an immutable, hashable value, with no numerics of its own."""

    __slots__ = ()
