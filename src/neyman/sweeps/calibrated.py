"""A calibrated axis: at each setting the parameter that just meets a target, found in place of being given."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from neyman._errors import InvalidParameter
from neyman.calibration import calibrate, noise_for_dpsgd, rate_for_dpsgd, steps_for_dpsgd, targets
from neyman.calibration.calibrate import Calibration
from neyman.calibration.limit import Limit
from neyman.calibration.target import All, Target
from neyman.mechanisms import DPSGD, Mechanism
from neyman.sweeps.axes import DPSGD_AXES
from neyman.sweeps.baseline import Baseline

__all__ = ["Calibrated", "Column"]

_OF_DPSGD: dict[str, Callable[..., Calibration]] = {
    "noise_multiplier": noise_for_dpsgd,
    "sample_rate": rate_for_dpsgd,
    "steps": steps_for_dpsgd,
}


def check_sought(name: str, axes: Collection[str]) -> None:
    """Refuse to calibrate what no calibration of DP-SGD finds.

    Raises
    ------
    InvalidParameter
        If it is none of its three numbers, or a rate beside epochs, which would change with it.
    """
    if name not in _OF_DPSGD:
        raise InvalidParameter(
            name, "a target", "made of numbers", f"What is calibrated is one of {', '.join(_OF_DPSGD)}."
        )
    if name == "sample_rate" and "epochs" in axes:
        raise InvalidParameter(
            "epochs", "an axis", "steps where a rate is calibrated", "Its steps change with the rate."
        )


_SHARPEST, _WIDEST = 1e-10, 0.1  # tolerances of ``calibrate``


@dataclass(frozen=True, slots=True)
class Column:
    """A variable of the answers that is no quantity: its name, and what it is."""

    key: str
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Beside:
    """A divergence that is limited, with its baseline in the form that travels."""

    value: float
    baseline: Baseline


def _shown(part: Limit | _Beside) -> str:
    return (
        f"Divergence(value={part.value!r}, baseline={part.baseline.what!r})"
        if isinstance(part, _Beside)
        else repr(part)
    )


@dataclass(frozen=True, slots=True)
class Calibrated:
    """An argument of ``make`` and the target that its value has to meet."""

    name: str
    shown: str
    _parts: tuple[Limit | _Beside, ...]

    @classmethod
    def to(cls, name: str, target: Target, adjacency: str) -> Calibrated:
        """Take the target apart, as far as it takes to send it to another process.

        Raises
        ------
        InvalidParameter
            If the baseline of a divergence cannot be sent, or is for other neighbours.
        """
        parts = tuple(
            _Beside(part.value, Baseline.of(part.baseline, adjacency)) if isinstance(part, targets.Divergence) else part
            for part in target.parts
        )
        return cls(name, " & ".join(map(_shown, parts)), parts)

    @property
    def columns(self) -> tuple[Column, Column]:
        """What it adds to the answers: the value that meets the target, and one beside it that misses it."""
        what = DPSGD_AXES[self.name][0] if self.name in DPSGD_AXES else self.name.replace("_", " ")
        meets = {"side": "meets: certainly within the target", "long_name": f"{what}, calibrated"}
        misses = {"side": "misses: certainly beyond the target", "long_name": f"{what}, next to the calibrated one"}
        common = {"units": "1", "target": self.shown}
        return Column(self.name, {**meets, **common}), Column(f"{self.name}_missed", {**misses, **common})

    @property
    def told(self) -> list[Any]:
        """What tells the target from others, ready for JSON."""
        return [
            ["Divergence", part.value, part.baseline.told] if isinstance(part, _Beside) else repr(part)
            for part in self._parts
        ]

    @property
    def nameless(self) -> bool:
        """Whether a baseline in it has no dict form."""
        return any(part.baseline.words is None for part in self._parts if isinstance(part, _Beside))

    def found(
        self, make: Callable[..., Mechanism], others: Mapping[str, float | int], settings: tuple[str, float, float]
    ) -> Calibration:
        """Calibrate beside the other arguments; ``settings`` are adjacency, tolerance and effort.

        Raises
        ------
        NeymanError
            As ``calibrate``.
        """
        adjacency, tolerance, effort = settings
        limits: dict[str, Any] = {"adjacency": adjacency, "effort": effort}
        limits["tolerance"] = min(max(tolerance, _SHARPEST), _WIDEST)
        target = self._target(settings)
        if make is DPSGD:
            return _OF_DPSGD[self.name](target, **others, **limits)
        return calibrate(lambda value: make(**{**others, self.name: value}), target, **limits)

    def _target(self, settings: tuple[str, float, float]) -> Target:
        made = [
            targets.Divergence(part.value, part.baseline.guarantee(*settings)) if isinstance(part, _Beside) else part
            for part in self._parts
        ]
        return made[0] if len(made) == 1 else All(*made)
