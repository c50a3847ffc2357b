"""A contour as a witness: what steering chose, in numbers alone.

A ``Plan`` says where a line stands by its place in a walk along the real axis. A witness can be printed, stored, and
certified again by whoever knows the law, in floats (``certifier``) or otherwise.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["ArcWitness", "LineWitness"]

_KIND, _PERIODIC, _BENT = "straight line", "straight line over one period", "hyperbola"


@dataclass(frozen=True)
class LineWitness:
    """Re z = ``c``, not a pole (0 or -1) and right of -1; nodes 2 pi / ``spread`` apart up to ``cut``; ``left`` < c <
    ``right``.

    ``limit`` is the log of the mass that the law may be cut by, to stay clear of moments that explode. Where transforms
    come back again and again (discrete Gaussians), stretches between are left out that come to e^``level`` together; of
    a law on a lattice one period is enough (``periodic``), and ``cut`` is half of it.

    Examples
    --------
    >>> LineWitness(2.0, 12.0, 30.0, -0.5, 4.0, -110.0).to_dict()["c"]
    2.0
    """

    c: float
    spread: float
    cut: float
    left: float
    right: float
    limit: float
    level: float | None = None
    periodic: bool = False

    def to_dict(self) -> dict[str, float | str]:
        """As it is printed and stored."""
        plain = {name: value for name, value in asdict(self).items() if name != "periodic" and value is not None}
        return {"kind": _PERIODIC if self.periodic else _KIND, **plain}

    @classmethod
    def of_dict(cls, plain: dict[str, Any]) -> LineWitness:
        """The same again."""
        numbers = {name: float(value) for name, value in plain.items() if name != "kind"}
        return cls(**numbers, periodic=plain.get("kind") == _PERIODIC)

    @property
    def sound(self) -> bool:
        """Whether it is a line at all."""
        finite = all(math.isfinite(x) for x in (self.c, self.spread, self.cut, self.left, self.right))
        some = self.level is not None and math.isfinite(self.level)
        stretches = some if self.periodic else some or self.level is None
        return finite and stretches and self.c > -1.0 and self.c != 0.0 and self.spread > 0.0 and self.cut > 0.0


@dataclass(frozen=True)
class ArcWitness:
    """A hyperbola through ``c`` > 0, laid for ``low`` <= eps <= ``high`` with the radius 1 / sqrt(``curvature``); the
    laws are laid out along rotated rays for ``depth`` and ``reach`` of their arguments on either side.

    Examples
    --------
    >>> ArcWitness(2.0, 1.5, 0.1, 3.0, 4.0, 0.0).to_dict()["kind"]
    'hyperbola'
    """

    c: float
    curvature: float
    low: float
    high: float
    reach: float
    depth: float

    def to_dict(self) -> dict[str, float | str]:
        """As it is printed and stored."""
        return {"kind": _BENT, **asdict(self)}

    @classmethod
    def of_dict(cls, plain: dict[str, Any]) -> ArcWitness:
        """The same again."""
        return cls(**{name: float(value) for name, value in plain.items() if name != "kind"})

    @property
    def sound(self) -> bool:
        """Whether it is a hyperbola at all."""
        finite = all(math.isfinite(value) for value in asdict(self).values())
        return finite and self.c > 0.0 < self.curvature and 0.0 <= self.low <= self.high and self.depth >= 0.0
