"""A loss known by its distribution functions, divided into bins: as sound as they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray
from neyman.losses.custom.split import CustomSplit
from neyman.losses.readings.bins import BinSplit, GridLaw, Reach, Tilted
from neyman.losses.sampling import above, mixed
from neyman.numerics.rounding import LARGEST_EXPONENT, ROOM, UNIT
from neyman.numerics.sums.inner import inner

__all__ = ["CustomGrid", "Distribution"]

Distribution = Callable[[FloatArray], FloatArray]

_LOOK = 2000  # bins of a look at the law
_RISING = "a distribution function: rising, in [0, 1], one value for each x"
_OFF = 1e-9  # mass by which the two functions may contradict each other


@dataclass(frozen=True, eq=False)
class CustomGrid(GridLaw):
    """The law that a ``CustomStep`` names; what float64 hides of its functions is paid for (``CustomSplit``)."""

    p_cdf: Distribution
    q_cdf: Distribution
    low: float
    high: float
    rate: float

    @property
    def base(self) -> float:
        return float(mixed(np.array([self.low]), self.rate)[0])

    @property
    def enclosed(self) -> bool:
        return True

    @cached_property
    def _width(self) -> float:
        return float(mixed(np.array([self.high]), self.rate)[0]) - self.base

    def end(self, remove: bool) -> float:
        """Inf where there is mass that the functions do not place."""
        if self._missing[0 if remove else 1] > 0.0:
            return math.inf
        return self.base + self._width if remove else -self.base

    @cached_property
    def _missing(self) -> tuple[float, float]:
        """Masses that no loss has: of P (when a record takes part with the rate) and of Q. They count as revealed."""
        lost: list[float] = []
        for name, cdf in (("p_cdf", self.p_cdf), ("q_cdf", self.q_cdf)):
            values = np.asarray(cdf(np.array([self.high])), dtype=np.float64)
            if values.shape != (1,):
                raise InvalidParameter(name, values.tolist(), _RISING)
            rest = 1.0 - float(values[0])
            if name == "p_cdf" and not -_OFF <= rest <= 1.0:  # of Q it is refused where all its values are looked at
                raise InvalidParameter(name, 1.0 - rest, f"1 at the upper end of the support, {self.high!r}")
            lost.append(rest if rest > 4.0 * UNIT else 0.0)
        rate = self.rate
        return rate * lost[0] + (1.0 - rate) * lost[1], lost[1]

    def _values(self, gap: FloatArray) -> tuple[FloatArray, FloatArray]:
        """P(L <= x) (when a record takes part with the rate) and Q(L <= x) at edges so far above the least loss."""
        q = self.rate
        at = self.low + above(self.low, gap, q)
        at = np.clip(at, self.low, self.high)
        at[-1] = self.high
        below = [np.asarray(cdf(at), dtype=np.float64) for cdf in (self.p_cdf, self.q_cdf)]
        for name, values in zip(("p_cdf", "q_cdf"), below, strict=True):
            fine = values.shape == at.shape and bool(np.all((values >= -_OFF) & (values <= 1.0 + _OFF)))
            if not fine or not bool(np.all(np.diff(values) >= -_OFF)):
                some = values.ravel()[:3].tolist()
                raise InvalidParameter(name, some, _RISING)
        plain, without = (np.maximum.accumulate(np.maximum(values, 0.0)) for values in below)
        return (1.0 - q) * without + q * plain, without

    def tilted(self, z: float, c: float, times: int, remove: bool) -> Tilted:
        gap = self._width * np.linspace(0.0, 1.0, _LOOK + 1)
        edge = self.base + gap
        p_below, q_below = self._values(gap)
        p, q, first = np.diff(p_below), np.diff(q_below), q_below[0]
        loss = np.append(edge[0], edge[1:] if z > 0.5 else edge[:-1])  # where a steep tilt would have it
        # whichever of the two masses is the larger says more
        mass = np.append(first, np.where(loss[1:] > 0.0, p * np.exp(-loss[1:]), q))
        with np.errstate(divide="ignore"):
            log_weight = np.log(mass) + z * loss
        peak = float(np.max(log_weight))
        weight = np.exp(log_weight - peak)
        total = float(np.sum(weight))
        mean = inner(weight, loss) / total
        spread = inner(weight, (loss - mean) ** 2) / total
        return Tilted(peak + math.log(total), mean, spread, (0.0, self._width))

    def cut(self, reach: Reach, h: float) -> tuple[int, int]:
        return 0, math.ceil(self._width / h * (1.0 + ROOM)) + 1

    def span(self, reach: Reach) -> float:
        return self._width

    def bins(self, h: float, first: int, last: int, remove: bool) -> BinSplit:
        gap = h * np.arange(last + 1)
        edge = self.base + gap
        p, q = self._values(gap)
        p_first, q_first = float(p[0]), float(q[0])
        if remove:
            split = CustomSplit.of(edge, h, p[-1] - p, q[-1] - q)
        else:
            split = CustomSplit.of(-edge[::-1], h, q[::-1], p[::-1])
        contradiction = split.contradiction + abs(p_first - math.exp(edge[0]) * q_first)
        self._demand_one_law(contradiction, math.exp(min(edge[-2], LARGEST_EXPONENT)))
        revealed, other = split.revealed + contradiction, split.other_off + contradiction
        p_off, q_off = (revealed, other) if remove else (other, revealed)
        with np.errstate(divide="ignore"):
            p_lost, q_lost = float(np.log(self._missing[0] + p_off)), float(np.log(self._missing[1] + q_off))
        # the outcome at the least loss lies on an edge; of "add" it is in the last bin, at its end
        node = np.array([0] if remove and q_first > 0.0 else [], dtype=np.int64)
        log_node = np.log(np.full(len(node), q_first))
        # masses are those without the record: of "remove" e^-l times its own
        ends = (split.lower, split.upper * math.exp(-h)) if remove else (split.upper[::-1], split.lower[::-1])
        log_scale = -edge[:-1] if remove else np.zeros(last)
        far = 1.0 + float(np.abs(edge[[0, -1]]).max())
        return BinSplit(
            self.base, 0, h, *ends, log_scale, np.full(last, math.inf), 16.0 * UNIT,
            16.0 * UNIT * far, (q_lost, -math.inf), (-math.inf, p_lost), (node, log_node),
        )  # fmt: skip

    def given(self, h: float, last: int) -> BinSplit:
        """The bins as the functions give them: what these hide of large losses is for whoever asks to allow."""
        edge = self.base + h * np.arange(last + 1)
        below = self._values(h * np.arange(last + 1))
        (p, q), (p_first, q_first) = (np.diff(values) for values in below), (float(values[0]) for values in below)
        low = np.exp(edge[:-1])
        upper = (p - low * q) / (low * math.expm1(h))
        # P of a bin is at least e^l Q at its lower end and at most at its upper end
        off = np.maximum(-upper, 0.0) + np.maximum(upper - q, 0.0)
        contradiction = float(np.sum(off * low * math.expm1(h)) + abs(p_first - low[0] * q_first))
        self._demand_one_law(contradiction, float(low[-1]))
        upper = np.clip(upper, 0.0, q)
        with np.errstate(divide="ignore"):
            p_lost, q_lost = (float(np.log(mass + contradiction)) for mass in self._missing)
        node = np.array([0] if q_first > 0.0 else [], dtype=np.int64)
        far = 1.0 + float(np.abs(edge[[0, -1]]).max())
        return BinSplit(
            self.base, 0, h, q - upper, upper, np.zeros(last), np.full(last, math.inf), 16.0 * UNIT,
            16.0 * UNIT * far, (q_lost, -math.inf), (-math.inf, p_lost), (node, np.log(np.full(len(node), q_first))),
        )  # fmt: skip

    @staticmethod
    def _demand_one_law(contradiction: float, largest: float) -> None:
        if not contradiction <= _OFF * max(1.0, largest):
            raise InvalidParameter(
                "q_cdf", contradiction, "the same law as p_cdf: dP = e^L dQ",
                "The value is the mass that contradicts it.",
            )  # fmt: skip
