"""What ``--prior`` says: numbers, and laws of the attacker's prior."""

from __future__ import annotations

from typing import Any

from neyman._errors import InvalidParameter
from neyman._validate import positive, probability

__all__ = ["BELIEFS", "beliefs_and_numbers"]

BELIEFS = ("uniform", "jeffreys", "uquadratic", "beta:")
_ALLOWED = "a number in [0, 1], or one of uniform, jeffreys, uquadratic, beta:A,B"
_BETA = {"uniform": (1.0, 1.0), "jeffreys": (0.5, 0.5)}


def beliefs_and_numbers(texts: list[str]) -> tuple[list[float], list[tuple[str, Any]]]:
    """Return the numbers (1/2 where there is none) and the laws by name, as ``Comparison.weighted`` takes them."""
    from neyman.understanding.number_text import number  # not needed for --help

    numbers: list[float] = []
    beliefs: list[tuple[str, Any]] = []
    for text in texts:
        try:
            numbers.append(float(number(text)))
        except ValueError:
            beliefs.append((text, _law(text)))
    return [probability("prior", number) for number in numbers] or [0.5], beliefs


def _law(text: str) -> Any:
    from scipy import stats

    from neyman.comparison import UQuadratic

    if text == "uquadratic":
        return UQuadratic()
    if text in _BETA:
        return stats.beta(*_BETA[text])
    kind, _, rest = text.partition(":")
    try:
        a, b = (float(part) for part in rest.split(","))
    except ValueError:
        raise InvalidParameter("prior", text, _ALLOWED) from None
    if kind != "beta":
        raise InvalidParameter("prior", text, _ALLOWED)
    return stats.beta(positive("A of beta:A,B", a), positive("B of beta:A,B", b))
