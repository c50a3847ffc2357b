"""What bounds along shifted axes have to know of a law: its tilted density F(z) = D(z) r(z)^w beside the real axis."""

from __future__ import annotations

from typing import Any, Protocol

from neyman._validate import FloatArray

__all__ = ["Strip"]


class Strip(Protocol):
    """What has to be known of a law."""

    @property
    def sigma(self) -> float:
        """s: r may vanish where |Im z| = pi s^2."""
        ...

    @property
    def bend(self) -> float:
        """b of the growth e^{b y^2} of the density."""
        ...

    @property
    def limit(self) -> float:
        """No law is followed beyond."""
        ...

    def log_ratio(self, z: Any) -> Any:
        """log r."""
        ...

    def lifted(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """log |r| and arg r at x + iy, one row for each y, and how far they may be off."""
        ...

    def log_loss(self, x: float) -> float:
        """log r at one real place."""
        ...

    def log_density(self, x: Any) -> Any:
        """log D on the real axis."""
        ...

    def log_envelope(self, x: Any) -> Any:
        """The same or more, and rising as ``rates`` say."""
        ...

    def log_modulus(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Log of a bound on |D(x + iy)|, one row for each y."""
        ...

    def log_smooth(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """The same, by a sum of terms each of which bends by 2b at most."""
        ...

    def shrinks(self, w: float) -> float:
        """n, how many factors of F shrink by up to cos(y / 2s^2) where they divide."""
        ...

    def turning(self, size: float, low: float, top: float) -> float:
        """What |(log F)''| is beyond 2b at most, for |w + i omega| = ``size`` and real parts from ``low`` to ``top``,
        times s^4 cos^2.
        """
        ...

    def turning_at(self, x: FloatArray, size: float) -> FloatArray:
        """The same for each real part."""
        ...

    def grown(self, w: float, x: float, y: FloatArray) -> FloatArray:
        """Logs of bounds on what |F| is at x' + iy beside e^{b y^2} G(x'), for all x' <= x."""
        ...

    def ends(self, reach: float, w: float, cut: float) -> tuple[float, float]:
        """Where grids begin and end."""
        ...

    def rates(self, w: float, first: float, last: float) -> tuple[float, float]:
        """How fast log G rises up to ``first``, and falls from ``last`` on, at least."""
        ...

    def log_wall(self, w: float, x: float, y: float) -> float:
        """Log of a bound on |F| at x + iu, all 0 <= u <= y, but for e^{b u^2} and e^{-omega arg r}."""
        ...

    def turned(self, x: float, y: FloatArray) -> FloatArray:
        """Bounds on arg r(x' + iy) for all x' <= x."""
        ...

    def climb(self, x: float, y: float) -> float:
        """a with arg r(x + iu) >= a u for all 0 <= u <= y."""
        ...
