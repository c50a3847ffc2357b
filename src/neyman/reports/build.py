"""From a guarantee to the document about it."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import scipy

from neyman._version import __version__
from neyman.accountants.tables import FPR_TABLE
from neyman.guarantees import Guarantee, Opaque
from neyman.mechanisms import Mechanism
from neyman.reports.asked import Asked
from neyman.reports.claims import Claim, claim_id
from neyman.reports.document import Certificate, Document
from neyman.reports.points import POINTS
from neyman.reports.prose import adjacency_meaning, assumptions, summary
from neyman.reports.quantities import claim
from neyman.reports.verdict import ENOUGH, references, verdict

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
    """Return the command that verifies what this version wrote: no package index has it, so from its source."""
    where = f"inside a copy of the source of neyman {version}, which is in no package index"
    return f"pip install -e '.[report]' && neyman verify FILE  # {where}"


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


def document_of(guarantee: Guarantee, inputs: Inputs, tolerance: float, effort: float) -> Document:
    """Return the document about ``guarantee``, which is that of ``inputs.mechanism``.

    Raises
    ------
    NotCertified
        If a number is not known to the guarantee's tolerance.
    """
    method = guarantee.method  # before it is asked anything
    claims = claims_of(Asked(guarantee, inputs.floor), inputs.mechanism, inputs.deltas)
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


def claims_of(asked: Asked, mechanism: Mechanism, deltas: tuple[float, ...]) -> tuple[Claim, ...]:
    """Return everything that is claimed, in the order of the page."""
    return tuple(_claims(asked, mechanism, deltas))


def _claims(asked: Asked, mechanism: Mechanism, deltas: tuple[float, ...]) -> Iterator[Claim]:
    yield claim(asked, "mu", floor=asked.floor)
    regret = None
    if not asked.unlimited:
        regret = claim(asked, "regret", floor=asked.floor)
        yield regret
        yield claim(asked, "tail_mu")
        yield claim(asked, "shortfall", floor=asked.floor)
    for delta in deltas:
        yield claim(asked, "epsilon", delta=delta)
    yield claim(asked, "advantage")
    for fpr in FPR_TABLE:
        yield claim(asked, "tpr", fpr=fpr)
    yield claim(asked, "fixed_point")
    if asked.counted:  # an average, and no promise: not worth what it takes of a stated guarantee
        yield claim(asked, "auc")
    if regret is None or not regret.value < ENOUGH:
        yield from _fallbacks(asked, mechanism, deltas)
    for name, given in _RISKS:
        yield claim(asked, name, **given)
    yield from _compared(asked)


def _fallbacks(asked: Asked, mechanism: Mechanism, deltas: tuple[float, ...]) -> Iterator[Claim]:
    """Single numbers that may say more than mu; of what was stated, the statement does."""
    if isinstance(mechanism, Opaque):
        return
    if asked.epsilon(0.0)[1] <= 1e3:  # finite, and of use
        if 0.0 not in deltas:
            yield claim(asked, "epsilon", delta=0.0)
        if not asked.unlimited:
            yield claim(asked, "epsilon_regret")
    if asked.counted and not asked.unlimited and asked.zcdp[1] <= 1e6:
        yield claim(asked, "zcdp")
        yield claim(asked, "zcdp_regret")


_RISKS: tuple[tuple[str, dict[str, float]], ...] = (
    ("accuracy", {"prior": 0.5}),
    ("posterior", {"membership_prior": 0.1, "fpr": 0.01}),
    ("attribute_inference", {"baseline": 0.1}),
    ("reconstruction", {"baseline": 1e-3}),
    ("singling_out", {"baseline": 1e-6}),
    ("relative_risk", {"baseline": 0.01}),
)


def expected(floor: float, *, finite: bool) -> tuple[str, ...]:
    """Return the ids of what every report claims: of a finite mu, or where there is none."""
    promises = ("mu", "regret", "tail_mu", "shortfall") if finite else ("mu",)
    point = next(iter(POINTS))
    return (
        *(claim_id(name, () if name == "tail_mu" else (("floor", floor),)) for name in promises),
        "advantage",
        *(claim_id("tpr", (("fpr", fpr),)) for fpr in FPR_TABLE),
        "fixed_point",
        *(claim_id(name, tuple(given.items())) for name, given in _RISKS),
        *(claim_id(name, (("reference", point),)) for name in ("divergence", "reverse")),
    )


def _compared(asked: Asked) -> Iterator[Claim]:
    # stated Renyi divergences, and what is composed of statements, are slow to compare: one point must do
    for key in POINTS if asked.counted else tuple(POINTS)[:1]:
        yield claim(asked, "divergence", reference=key)
        yield claim(asked, "reverse", reference=key)
