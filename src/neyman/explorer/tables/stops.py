"""Where the sliders of a table stop, as decimals, and which float64 a decimal stands for on the safe side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from neyman.explorer.asking.settings import DPSGDSettings
from neyman.mechanisms.additive.rounding import at_least, at_most
from neyman.numerics.exact.decimals import exactly, outward

__all__ = ["DELTAS", "SITE", "Stops"]

DELTAS = (
    "0.5", "0.3", "0.2", "0.1", "0.05", "0.02", "0.01", "0.005", "0.002", "0.001", "3e-4", "1e-4", "1e-5", "1e-6",
    "1e-7", "1e-8", "1e-10", "1e-12",
)  # fmt: skip
# noise, rate and steps as multiples of those in the middle: few are computed while somebody waits for a cell
_FEW = ((0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0), (0.5, 1.0, 2.0), (0.25, 0.5, 1.0, 2.0, 4.0))
_FINE = (  # the same, where nobody waits: for a page to keep
    (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 3.0),
    (0.25, 0.5, 0.75, 0.9, 1.0, 1.5, 2.0, 4.0),
    (0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0),
)
_DIGITS = 4  # of a noise multiplier or a rate where a slider stops
_LEAST_NOISE, _LARGEST_RATE, _MOST_STEPS = 0.1, 1.0, 10**15  # where stops end, but for the noise in the middle


@dataclass(frozen=True, slots=True)
class Stops:
    """Of each axis decimals in ascending order, of delta in descending order.

    Examples
    --------
    >>> len(SITE), SITE.noise[:3]
    (864, ('0.5', '0.6', '0.7'))
    """

    noise: tuple[str, ...]
    rates: tuple[str, ...]
    steps: tuple[str, ...]
    deltas: tuple[str, ...] = DELTAS

    @classmethod
    def around(cls, settings: DPSGDSettings, fine: bool = False) -> Stops:
        """Stops about these settings, which are among them: up to 135 settings, or ``fine``, 960.

        Examples
        --------
        >>> from neyman.explorer.asking.settings import settings_of
        >>> told = {"kind": "dpsgd", "noise_multiplier": 1.1, "sample_rate": "512/60000", "steps": 1172}
        >>> around = Stops.around(settings_of("settings", told, {}))
        >>> "1.1" in around.noise, "512/60000" in around.rates, "1172" in around.steps
        (True, True, True)
        """
        noises, lower, fewer = _FINE if fine else _FEW
        sigma, rate = settings.noise_multiplier, settings.rate.value
        noise = {exactly(sigma) if one == 1.0 else outward(sigma * one, _DIGITS) for one in noises}
        own = str(settings.written) if isinstance(settings.written, str) else exactly(rate)
        rates = {own if one == 1.0 else outward(rate * one, _DIGITS) for one in lower if rate * one < 1.0 or one == 1.0}
        steps = {max(round(settings.steps * one), 1) for one in fewer}
        return cls(
            tuple(sorted((one for one in noise if float(one) >= _LEAST_NOISE or one == exactly(sigma)), key=float)),
            tuple(sorted(rates, key=_exact)),
            tuple(str(one) for one in sorted(min(one, _MOST_STEPS) for one in steps)),
        )

    def __len__(self) -> int:
        return len(self.noise) * len(self.rates) * len(self.steps)

    def settings(self) -> Iterator[tuple[float, float, int]]:
        """All settings, the steps fastest: noise not above its decimal, rate not below."""
        noise = [at_most(Fraction(one)) for one in self.noise]
        rates = [min(at_least(_exact(one)), _LARGEST_RATE) for one in self.rates]
        yield from product(noise, rates, map(int, self.steps))

    def levels(self) -> list[float]:
        """The deltas, none above its decimal."""
        return [at_most(Fraction(one)) for one in self.deltas]


def _exact(text: str) -> Fraction:
    from neyman.understanding.number_text import exact

    return exact(text)


SITE = Stops(
    ("0.5", "0.6", "0.7", "0.8", "0.9", "1", "1.1", "1.3", "1.6", "2", "3", "5"),
    ("0.0005", "0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1"),
    ("100", "200", "500", "1000", "2000", "5000", "10000", "20000", "50000"),
)
"""Those of the documentation's page."""
