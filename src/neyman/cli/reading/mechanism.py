"""A mechanism as it is named on the command line: a file, a report, or a short form."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neyman.mechanisms import Mechanism
    from neyman.understanding import Subject

__all__ = ["FORM", "read_mechanism", "read_subject"]

FORM = "a file as for neyman account, a report, or dpsgd:NOISE,RATE,STEPS, gaussian:SIGMA, laplace:SCALE, mu:MU, ..."


def read_subject(name: str, *texts: str) -> Subject:
    """Return what is meant, with the neighbours it is for where it has its own; several are composed."""
    from neyman.understanding import Subject  # NumPy and the engines: not needed for --help

    if len(texts) == 1:
        return Subject.of(name, texts[0], stdin=True)
    return Subject.of(name, [Subject.of(name, text, stdin=True).mechanism for text in texts])


def read_mechanism(name: str, text: str) -> Mechanism:
    """Return the mechanism that is meant; of a guarantee, whatever keeps it."""
    return read_subject(name, text).mechanism
