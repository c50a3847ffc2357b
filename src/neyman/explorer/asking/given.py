"""What was handed over at the start: a mechanism or a guarantee that has no sliders, and what it is called."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from fractions import Fraction

from neyman._errors import InvalidParameter
from neyman.explorer.asking.settings import DPSGDSettings, NoiseSettings, ResponseSettings, Settings
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.mechanisms import Gaussian, Laplace, Mechanism, PoissonSampled, RandomizedResponse
from neyman.mechanisms.sampled.allocated import Allocated
from neyman.mechanisms.sampled.training import rate_of
from neyman.quantities.places import in_place
from neyman.understanding.subject import Subject

__all__ = ["Given", "as_settings", "handed_over"]

_LONGEST = 80  # characters of a name


class Given(Settings):
    """A fixed setting. ``source`` is how it was written, where it was: a short form or the path of a file."""

    def __init__(self, name: str, subject: Subject, source: str | None) -> None:
        self.name = name
        self.subject = subject
        self._source = source

    @property
    def label(self) -> str:
        """What it is called on the page."""
        text = repr(self.subject.what) if self._source is None else self._source
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

    def mechanism(self) -> Mechanism:
        """Return what was run."""
        return self.subject.mechanism

    def accounted(self, effort: float) -> tuple[Mechanism, PessimisticGuarantee]:
        """Return it with its guarantee, under its own neighbours."""
        return self.mechanism(), self.subject.guarantee(effort=effort)

    def to_dict(self) -> dict[str, object]:
        """Return how the page asks for it."""
        return {"kind": "given", "name": self.name}

    @property
    def code(self) -> str:
        """How it was written, or its dict form."""
        if self._source is not None:
            return repr(self._source)
        simple = as_settings(self.subject)
        if simple is not None:
            return simple.code
        try:
            return f"ny.mechanism_from_dict({self.mechanism().to_dict()!r})"
        except InvalidParameter:
            return repr(self.mechanism())

    @property
    def command(self) -> str:
        """As it was written, or from standard input."""
        return "account -" if self._source is None else f"account {shlex.quote(self._source)}"


def handed_over(subjects: Sequence[object]) -> dict[str, Given]:
    """Return what was handed over, by name: spec1, spec2, ...

    Raises
    ------
    InvalidParameter
        If one of them is neither a mechanism nor a guarantee, in no form.

    Examples
    --------
    >>> [(name, one.label) for name, one in handed_over(["laplace:1", "mu:1"]).items()]
    [('spec1', 'laplace:1'), ('spec2', 'mu:1')]
    """
    found: dict[str, Given] = {}
    for i, subject in enumerate(subjects, 1):
        source = subject if isinstance(subject, str) else None
        found[f"spec{i}"] = Given(f"spec{i}", Subject.of("subject", subject), source)
    return found


def as_settings(subject: Subject) -> Settings | None:
    """Return the sliders that say the same; None where there are none.

    Examples
    --------
    >>> as_settings(Subject.of("subject", "dpsgd:1,0.01,1000")).to_dict()["steps"]
    1000
    """
    if not isinstance(subject.what, Mechanism) or subject.adjacency not in (None, "add_or_remove"):
        return None
    parts = subject.what.parts
    if len(parts) != 1:
        return None
    step, times = parts[0]
    match step:
        case PoissonSampled(of=Gaussian(sigma=sigma, sensitivity=1.0), rate=rate):
            return DPSGDSettings(sigma, rate_of(rate), times, "poisson", _written(rate))
        case Allocated(sigma=sigma, sensitivity=1.0, steps=steps, epochs=1):
            return DPSGDSettings(sigma, rate_of(Fraction(1, steps)), steps * times, "allocation", f"1/{steps}")
        case Gaussian(sigma=sigma, sensitivity=1.0):
            return NoiseSettings("gaussian", sigma, times)
        case Laplace(scale=scale, sensitivity=1.0):
            return NoiseSettings("laplace", scale, times)
        case RandomizedResponse(epsilon=epsilon, k=k):
            return ResponseSettings(epsilon, k, times)
        case _:
            return None


def _written(rate: float) -> float | str:
    """A rate as people write it: a quotient, where it is that of one."""
    text = in_place("sample_rate", rate)
    return text if "/" in text and rate_of(Fraction(text)).value == rate else rate
