"""A mechanism as it is named on the command line: a file, or an inline DP-SGD."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neyman._errors import InvalidParameter
from neyman.cli.reading.text import plain

if TYPE_CHECKING:
    from neyman.mechanisms import Mechanism

__all__ = ["FORM", "read_mechanism"]

FORM = "a file as for neyman account, or dpsgd:NOISE_MULTIPLIER,SAMPLE_RATE,STEPS"
_ANY = "a file that ends in .json, .yaml or .yml, or - for standard input, or dpsgd:NOISE_MULTIPLIER,SAMPLE_RATE,STEPS"


def read_mechanism(name: str, text: str) -> Mechanism:
    """Return the mechanism of a file, or of an inline DP-SGD."""
    if not text.startswith("dpsgd:"):
        from neyman.cli.reading.spec import SUFFIXES, read_spec

        if text != "-" and not text.endswith(SUFFIXES):
            raise InvalidParameter(name, text, _ANY)
        return read_spec(text)
    from neyman.mechanisms import DPSGD

    parts = text.removeprefix("dpsgd:").split(",")
    try:
        noise, rate, steps = plain(float, parts[0]), plain(float, parts[1]), plain(int, parts[2])
    except (ValueError, IndexError):
        raise InvalidParameter(name, text, FORM) from None
    if len(parts) != 3:
        raise InvalidParameter(name, text, FORM)
    return DPSGD(noise_multiplier=noise, sample_rate=rate, steps=steps)
