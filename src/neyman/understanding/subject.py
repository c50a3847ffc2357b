"""A mechanism or a guarantee, in whichever form it was handed over, with the neighbours it is for."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from neyman._errors import InvalidParameter
from neyman.guarantees import ComposedGuarantee, Opaque
from neyman.guarantees.twins import OptimisticGuarantee, PessimisticGuarantee
from neyman.mechanisms import Mechanism, compose
from neyman.profiles.effort import EFFORT
from neyman.understanding.promise import USUAL_ADJACENCY, promise_of
from neyman.understanding.short_form import FORMS, is_form, refused_form, short_form
from neyman.understanding.spec import SUFFIXES, read_spec

__all__ = ["ANY_FORM", "Subject", "understood"]

ANY_FORM = f"a file that ends in .json, .yaml, .yml or .html, or {FORMS}"
_PAGES = (".html", ".htm")
_LARGEST = 5 * 10**6  # bytes of a report


@dataclass(frozen=True, slots=True)
class Subject:
    """What was handed over; ``adjacency`` is its own, where it has one."""

    what: Mechanism | PessimisticGuarantee
    adjacency: str | None = None

    @classmethod
    def of(cls, name: str, value: object, stdin: bool = False) -> Subject:
        """Understand an argument.

        Parameters
        ----------
        name : str
            The argument, as errors call it.
        value : object
            A mechanism; a guarantee that is a promise; a list of them, which are composed; the path of a report
            (its mechanism and its neighbours: what it claims is computed again) or of a file that holds a mechanism;
            or a short form such as "gaussian:1" or "dpsgd:1,.01,1000".
        stdin : bool
            Whether "-" is standard input.

        Raises
        ------
        InvalidParameter
            If it is none of these.

        Examples
        --------
        >>> Subject.of("mechanism", ["laplace:2", "laplace:2"]).what
        Laplace(scale=2.0, sensitivity=1.0) ** 2
        """
        if isinstance(value, (Mechanism, PessimisticGuarantee)):
            return cls(value, value.adjacency if isinstance(value, PessimisticGuarantee) else None)
        if isinstance(value, (str, os.PathLike)):
            return _written(name, str(cast("Any", value)), stdin)
        if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray, Mapping)):
            return cls(compose([cls.of(name, one).mechanism for one in cast("Iterable[object]", value)]))
        raise _refused(name, value)

    @property
    def mechanism(self) -> Mechanism:
        """What was run; of a guarantee that is given, whatever keeps it."""
        if isinstance(self.what, Mechanism):
            return self.what
        known = self.what.mechanism if isinstance(self.what, ComposedGuarantee) else None
        return Opaque(self.what) if known is None else known

    def guarantee(
        self, adjacency: str | None = None, tolerance: float = 1e-6, effort: float = EFFORT
    ) -> PessimisticGuarantee:
        """Return what it promises to these neighbours, its own unless others are asked for.

        Raises
        ------
        InvalidParameter
            If it promises nothing to them, or an argument lies outside its domain.
        """
        asked = self.adjacency or USUAL_ADJACENCY if adjacency is None else adjacency
        if isinstance(self.what, Mechanism):
            return promise_of(self.what, asked, tolerance, effort)
        if asked == self.adjacency:
            return self.what
        return promise_of(Opaque(self.what), asked, tolerance, effort)


def understood(value: object, name: str = "mechanism") -> Mechanism | PessimisticGuarantee:
    """Return the mechanism or the guarantee that is meant: see ``Subject.of``.

    Examples
    --------
    >>> understood("mu:1"), understood("laplace:1")
    (GDP(mu=1.0), Laplace(scale=1.0, sensitivity=1.0))
    """
    return Subject.of(name, value).what


def _written(name: str, text: str, stdin: bool) -> Subject:
    if is_form(text):
        found = short_form(name, text)
        return Subject(found, found.adjacency if isinstance(found, PessimisticGuarantee) else None)
    if text == "-" and stdin:
        return Subject(read_spec(text))
    if _is_report(text):
        # its reader stands in a room far above, which is known here by name alone
        document: Any = import_module("neyman.reports.verifying.reading").read(Path(text)).document()
        return Subject(document.mechanism, document.adjacency)
    if text.endswith(SUFFIXES):
        return Subject(read_spec(text, "SPEC" if stdin else name))
    raise refused_form(name, text, ANY_FORM + (", or - for standard input" if stdin else ""))


def _refused(name: str, value: object) -> InvalidParameter:
    if isinstance(value, OptimisticGuarantee):
        return InvalidParameter(name, value, "a Guarantee", "Lower bounds (optimistic) promise nothing.")
    advice = "Account for a mechanism, such as ny.DPSGD(...) or ny.Gaussian(...), or write: ny.account('gaussian:1')"
    return InvalidParameter(
        name, value, "a Mechanism, a Guarantee, a list of them, a file or a short form", advice, topic="short-form"
    )


def _is_report(text: str) -> bool:
    """Whether a file says that it is a report; what else may be wrong with it is said by who reads it."""
    if Path(text).suffix in _PAGES:
        return True
    if Path(text).suffix != ".json" or not Path(text).is_file():
        return False
    try:
        with Path(text).open("rb") as file:
            data = json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and cast("dict[str, object]", data).get("format") == "neyman-report"
