"""From a guarantee to the document about it."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import scipy

from neyman._progress import progress_bar
from neyman._version import __version__
from neyman.guarantees import Guarantee, Opaque
from neyman.mechanisms import Mechanism
from neyman.quantities.asked import Asked
from neyman.quantities.points import POINTS
from neyman.reports.said.asked import counted
from neyman.reports.said.claims import Claim, claim_id
from neyman.reports.said.document import Certificate, Document
from neyman.reports.said.prose import adjacency_meaning, assumptions, summary
from neyman.reports.said.quantities import COMPARED, QUANTITIES, RISKS, Given, claim
from neyman.reports.said.verdict import ENOUGH, references, verdict

__all__ = ["Inputs", "cite", "claims_of", "document_of", "drawn_by", "expected", "how_to_verify", "written"]

_SOURCES = (
    (
        "Gomez, Kulynych, Kaissis, Calmon, Hayes, Balle and Honkela: Gaussian DP for reporting differential privacy "
        "guarantees in machine learning (mu, its regret, and when to report it)."
    ),
    (
        "Dong, Roth and Su (2022): Gaussian differential privacy. Journal of the Royal Statistical Society, Series B "
        "(trade-off functions)."
    ),
    (
        "Kaissis, Kolek, Balle, Hayes and Rueckert (2024): Beyond the calibration point: mechanism comparison in "
        "differential privacy (regret as a divergence; comparison)."
    ),
)


def cite(version: str) -> tuple[str, ...]:
    """Return how to cite what this version wrote."""
    return f"Computed with neyman {version}: certified differential-privacy guarantees.", *_SOURCES


def how_to_verify(version: str) -> str:
    """Return the command that verifies what this version wrote.

    It installs a file, not a name: whose "neyman" an index hands out, a report cannot know.
    """
    wheel = f"neyman-{version}-py3-none-any.whl"
    origin = f"pip wheel --no-deps . builds it in the source of neyman {version}"
    return f"pip install './{wheel}[report]' && neyman verify FILE  # {origin}"


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a person chose; everything else in a document follows from it and from the claims."""

    title: str
    unit: str
    context: str
    date: str
    mechanism: Mechanism
    floor: float
    deltas: tuple[float, ...]


def document_of(
    guarantee: Guarantee, inputs: Inputs, tolerance: float, effort: float, progress: bool | None = None
) -> Document:
    """Return the document about ``guarantee``, which is that of ``inputs.mechanism``; ``progress``: see ``report``.

    Raises
    ------
    NotCertified
        If a number is not known to the guarantee's tolerance.
    """
    method = guarantee.method  # before it is asked anything
    claims = claims_of(Asked(guarantee, inputs.floor), inputs.mechanism, inputs.deltas, progress)
    certificate = Certificate(
        method,
        tolerance,
        __version__,
        platform.python_version(),
        np.__version__,
        scipy.__version__,
        drawn_by(),
        effort,
    )
    return written(guarantee, inputs, claims, certificate)


def drawn_by() -> str:
    """Return the version of Matplotlib, which draws the pictures of a page; empty if there is none."""
    try:
        return version("matplotlib")
    except PackageNotFoundError:
        return ""


def written(guarantee: Guarantee, inputs: Inputs, claims: Sequence[Claim], certificate: Certificate) -> Document:
    """Return the document that says these claims: all words follow from what is handed over here."""
    return Document(
        title=inputs.title,
        unit=inputs.unit,
        context=inputs.context,
        date=inputs.date,
        mechanism=inputs.mechanism,
        adjacency=guarantee.adjacency,
        adjacency_meaning=adjacency_meaning(guarantee.adjacency, inputs.unit),
        floor=inputs.floor,
        deltas=inputs.deltas,
        summary=summary(inputs.mechanism, inputs.unit),
        assumptions=assumptions(inputs.mechanism, inputs.unit),
        claims=tuple(claims),
        verdict=verdict(inputs.mechanism, claims),
        references=references(claims),
        certificate=certificate,
        cite=cite(certificate.neyman),
        verify=how_to_verify(certificate.neyman),
    )


def claims_of(
    asked: Asked, mechanism: Mechanism, deltas: tuple[float, ...], progress: bool | None = None
) -> tuple[Claim, ...]:
    """Return everything that is claimed, in the order of the page."""
    found: list[Claim] = []
    with progress_bar(progress, None, "claims") as told:
        for one in _claims(asked, mechanism, deltas):
            found.append(one)
            told(1)
    return tuple(found)


def _claims(asked: Asked, mechanism: Mechanism, deltas: tuple[float, ...]) -> Iterator[Claim]:
    finite = math.isfinite(asked.above.mu)
    yield claim(asked, "mu", floor=asked.floor)
    regret = None
    if finite:
        regret = claim(asked, "regret", floor=asked.floor)
        yield regret
        yield claim(asked, "tail_mu")
        yield claim(asked, "shortfall", floor=asked.floor)
    for delta in deltas:
        yield claim(asked, "epsilon", delta=delta)
    yield from _usual(asked, "advantage", "tpr")
    yield claim(asked, "fixed_point")
    if counted(asked.guarantee):  # an average, and no promise: not worth what it takes of a stated guarantee
        yield claim(asked, "auc")
    if not isinstance(mechanism, Opaque) and (regret is None or not regret.value < ENOUGH):
        yield from _fallbacks(asked, deltas, finite=finite)
    yield from _usual(asked, *RISKS)
    yield from _compared(asked)


def _fallbacks(asked: Asked, deltas: tuple[float, ...], *, finite: bool) -> Iterator[Claim]:
    """Single numbers that may say more than mu; of what was stated, the statement does."""
    if asked.epsilon[1] <= 1e3:  # finite, and of use
        if 0.0 not in deltas:
            yield claim(asked, "epsilon", delta=0.0)
        if finite:
            yield claim(asked, "epsilon_regret")
    if finite and counted(asked.guarantee) and asked.rho[1] <= 1e6:
        yield claim(asked, "zcdp")
        yield claim(asked, "zcdp_regret")


def _usual(asked: Asked, *names: str) -> Iterator[Claim]:
    for name in names:
        for given in _usually_given(name):
            yield claim(asked, name, **dict(given))


def _usually_given(name: str) -> Iterator[Given]:
    """Where a quantity is claimed if nobody says where."""
    quantity = QUANTITIES[name]
    return (tuple(zip(quantity.places, at, strict=True)) for at in quantity.usual or ((),))


def expected(floor: float, *, finite: bool) -> tuple[str, ...]:
    """Return the ids of what every report claims: of a finite mu, or where there is none."""
    promises = ("mu", "regret", "tail_mu", "shortfall") if finite else ("mu",)
    point = next(iter(POINTS))
    return (
        *(claim_id(name, () if name == "tail_mu" else (("floor", floor),)) for name in promises),
        *(claim_id(name, at) for name in ("advantage", "tpr", "fixed_point", *RISKS) for at in _usually_given(name)),
        *(claim_id(name, (("reference", point),)) for name in COMPARED),
    )


def _compared(asked: Asked) -> Iterator[Claim]:
    # stated Renyi divergences, and what is composed of statements, are slow to compare: one point must do
    for key in POINTS if counted(asked.guarantee) else tuple(POINTS)[:1]:
        for name in COMPARED:
            yield claim(asked, name, reference=key)
