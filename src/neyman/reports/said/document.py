"""Everything a report says, as plain values between the engines and the page: no renderer computes anything."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from neyman.mechanisms import Mechanism
from neyman.profiles.effort import EFFORT
from neyman.profiles.pair import Adjacency
from neyman.reports.said.claims import Claim
from neyman.reports.said.numbers import to_json_number

__all__ = ["FORMAT", "VERSION", "Certificate", "Document", "Recommended", "Reference", "Seal", "StepWords", "Verdict"]

FORMAT = "neyman-report"
VERSION = 1  # of the JSON form: raised when a field changes its meaning

Recommended = Literal["mu", "profile", "epsilon", "zcdp", "stated"]


@dataclass(frozen=True, slots=True)
class StepWords:
    """What was run in one kind of step: ``sentence`` says all of it, the others are its parts for a table."""

    kind: str
    noise: str
    sampling: str
    times: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which guarantee to report (Algorithm 1 of the reporting paper), and why.

    ``recommended`` is "mu" where mu alone suffices; else the fallback: "epsilon" (pure DP) or "zcdp" as one number,
    "profile" where no single number will do, "stated" where a guarantee was given and not computed. What was given as
    zCDP or Renyi DP is always reported as stated: its numbers add up over releases, those of mu at a floor do not.
    """

    mu_suffices: bool
    recommended: Recommended
    headline: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reference:
    """The comparison with one named reference point.

    ``order`` is "more private", "less private", "alike", "neither" or "undecided", of the mechanism reported on;
    its numbers are the claims ``divergence@key`` and ``reverse@key``.
    """

    key: str
    name: str
    stated: str
    source: str
    order: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Certificate:
    """With what the numbers were computed, and the pictures drawn; ``matplotlib`` is empty where there is none.

    ``effort`` is written down only where it is not the usual one.
    """

    method: str
    tolerance: float
    neyman: str
    python: str
    numpy: str
    scipy: str
    matplotlib: str
    effort: float = EFFORT

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {key: value for key, value in asdict(self).items() if (key, value) != ("effort", EFFORT)}


@dataclass(frozen=True, slots=True)
class Seal:
    """The proof that goes with a report: how many ``claims`` it has, of how many both ends are ``proved``, and the
    SHA-256 of its file, in hexadecimal digits.
    """

    claims: int
    proved: int
    sha256: str

    @property
    def words(self) -> str:
        """What the first sheet says of it."""
        return f"Proved in ball arithmetic: {self.proved} of {self.claims} claims"


@dataclass(frozen=True, slots=True)
class Document:
    """A report as values; every string may hold what a user typed (title, unit, context) and is to be escaped.

    Attributes
    ----------
    title, unit, context : str
        In the user's words: ``unit`` is whom one record stands for ("record", "person"); ``context`` may be empty and
        may have several lines.
    date : str
        ISO date, or empty: reports are the same, byte for byte, unless a date is asked for.
    mechanism : Mechanism
        What was run; ``mechanism.to_dict()`` is its dict.
    adjacency, adjacency_meaning : str
        The neighbouring data sets, and what that means.
    floor : float
        Least error rate at which mu is claimed.
    deltas : tuple of float
        Where epsilon is claimed.
    summary : tuple of StepWords
        What was run, in words.
    assumptions : tuple of str
        What must be true of the run for the claims to hold.
    claims : tuple of Claim
        In the order in which a page shows them; ``document["epsilon@1e-05"]`` finds one by its id.
    verdict : Verdict
        Which guarantee to report.
    references : tuple of Reference
        The comparison with named reference points; may be empty.
    certificate : Certificate
        Method, tolerance and versions.
    cite : tuple of str
        References, one per line.
    verify : str
        The command by which another party verifies the file.
    proof : Seal, optional
        The proof that goes with it.
    """

    title: str
    unit: str
    context: str
    date: str
    mechanism: Mechanism
    adjacency: Adjacency
    adjacency_meaning: str
    floor: float
    deltas: tuple[float, ...]
    summary: tuple[StepWords, ...]
    assumptions: tuple[str, ...]
    claims: tuple[Claim, ...]
    verdict: Verdict
    references: tuple[Reference, ...]
    certificate: Certificate
    cite: tuple[str, ...]
    verify: str
    proof: Seal | None = None

    def __getitem__(self, name: str) -> Claim:
        for claim in self.claims:
            if claim.id == name:
                return claim
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return any(claim.id == name for claim in self.claims)

    def of(self, *quantities: str) -> tuple[Claim, ...]:
        """Return the claims about these quantities, in order."""
        return tuple(claim for claim in self.claims if claim.quantity in quantities)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form (``schema-1.json``); an infinite number is the string "inf"."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "title": self.title,
            "unit": self.unit,
            "context": self.context,
            "date": self.date,
            "mechanism": self.mechanism.to_dict(),
            "adjacency": self.adjacency,
            "adjacency_meaning": self.adjacency_meaning,
            "floor": self.floor,
            "deltas": list(self.deltas),
            "summary": [asdict(step) for step in self.summary],
            "assumptions": list(self.assumptions),
            "claims": [_claim(claim) for claim in self.claims],
            "verdict": asdict(self.verdict),
            "references": [asdict(reference) for reference in self.references],
            "certificate": self.certificate.to_dict(),
            "cite": list(self.cite),
            "verify": self.verify,
            **({} if self.proof is None else {"proof": asdict(self.proof)}),
        }


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "id": claim.id,
        "quantity": claim.quantity,
        "given": dict(claim.given),
        "side": claim.side,
        "value": to_json_number(claim.value),
        "text": claim.text,
        "lower": to_json_number(claim.lower),
        "upper": to_json_number(claim.upper),
        "label": claim.label,
        "sentence": claim.sentence,
    }
