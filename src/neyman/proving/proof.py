"""``prove``: a report's claims as a proof that ``neyman-check`` accepts, or what is missing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neyman._errors import InvalidParameter, MissingPackage
from neyman._progress import progress_bar
from neyman.guarantees import Guarantee
from neyman.mechanisms import Mechanism
from neyman.reports import Report, report
from neyman.reports.reporting import save
from neyman.reports.verifying.reading import read
from neyman.reports.verifying.seal import sealed

if TYPE_CHECKING:
    from neyman_check.check import Answer

__all__ = ["Proof", "proof_for", "prove"]


@dataclass(frozen=True)
class Proof:
    """Witnesses for the claims of a report, and what the checker said of each statement.

    As a truth value it is True if everything is proved; ``str()`` says how much is, and what is not and why.

    Attributes
    ----------
    data : dict
        The JSON form, which ``neyman-check`` reads.
    answers : tuple of Answer
        For every statement its ``id``, ``verdict`` ("proved", "refuted", "not proved") and ``reason``. Of each claim
        there are two: the one that it states, and the other end of its bracket, rounded outward to as many digits.
    subject : Report
        What was to be proved.
    """

    data: dict[str, Any]
    answers: tuple[Answer, ...]
    subject: Report

    @property
    def report(self) -> Report:
        """The same report, which says on its first sheet how many claims are proved, and names this proof by its
        hash; as it was where nothing is.
        """
        seal = sealed(self.subject.to_dict(), self._bytes, {one.id: one.verdict for one in self.answers})
        return self.subject.with_proof(seal if seal.proved else None)

    @property
    def proved(self) -> int:
        """How many statements are proved."""
        return sum(one.verdict == "proved" for one in self.answers)

    def __bool__(self) -> bool:
        return bool(self.answers) and self.proved == len(self.answers)

    def check(self) -> tuple[Answer, ...]:
        """Check it again, from the JSON form."""
        from neyman_check import check

        return tuple(check(json.loads(self.to_json())))

    def to_json(self) -> str:
        """Return the JSON form."""
        return json.dumps(self.data, separators=(",", ":"), allow_nan=False)

    @property
    def _bytes(self) -> bytes:
        """The file."""
        return (self.to_json() + "\n").encode()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON form: ``run.proof.json`` beside ``run.html``, and ``verify`` finds it.

        Raises
        ------
        InvalidParameter
            If the file cannot be written.
        """
        save(path, self._bytes.decode())

    def __repr__(self) -> str:
        return f"<Proof: {self.proved} of {len(self.answers)} statements proved, of {self.subject!r}>"

    def __str__(self) -> str:
        missing = [one for one in self.answers if one.verdict != "proved"]
        lines = [f"{self.proved} of {len(self.answers)} statements are proved in ball arithmetic."]
        return "\n".join(lines + [f"  {one.id}: {one.verdict} ({one.reason})" for one in missing])


def prove(
    subject: Guarantee | Mechanism | Report | Mapping[str, Any] | str | os.PathLike[str],
    claims: Sequence[str] | None = None,
    progress: bool | None = None,
) -> Proof:
    """Prove what a report claims, in ball arithmetic, so that others need not trust the engines.

    Parameters
    ----------
    subject : Report, Guarantee, Mechanism, path, or the JSON form of a report
        What is claimed; of a guarantee or a mechanism what ``report`` would claim of it.
    claims : sequence of str, optional
        The ids of some of the claims ("epsilon@1e-05"); all of them unless given.
    progress : bool, optional
        Whether what takes longer than a second is seen to go on, on the standard error; if left out, on a terminal and
        in a notebook.

    Returns
    -------
    Proof
        Which statements the checker accepted. Laws without a lemma yet (random allocation,
        given Renyi guarantees) are "not proved", with the reason: never guessed.

    Raises
    ------
    InvalidParameter
        If the report cannot be read, or has no claim of that id.
    MissingPackage
        If python-flint is not installed.

    Examples
    --------
    >>> import neyman as ny
    >>> proof = ny.prove(ny.Gaussian(1.0) * ny.RandomizedResponse(1.0, 2), claims=["epsilon@1e-05"])
    >>> print(proof)
    2 of 2 statements are proved in ball arithmetic.
    """
    if isinstance(subject, (Guarantee, Mechanism)):
        subject = report(subject)
    stated = subject if isinstance(subject, Report) else Report(read(subject).document())
    document = stated.to_dict()
    if claims is not None:
        known = [one["id"] for one in document["claims"]]
        for name in claims:
            if name not in known:
                raise InvalidParameter("claims", name, f"of {', '.join(known)}")
    chosen = [one for one in document["claims"] if claims is None or one["id"] in claims]
    with progress_bar(progress, 2 * len(chosen), "statements") as told:
        return proof_for(stated, None if claims is None else frozenset(claims), told)


def proof_for(stated: Report, claims: frozenset[str] | None, told: Callable[[int], None]) -> Proof:
    """Return the proof of some claims of a report, or of all; ``told`` hears of each statement that is done."""
    try:
        from neyman.witnesses.search import proof_of
    except ImportError as error:
        raise MissingPackage("prove needs python-flint: pip install 'neyman[prove]'") from error
    data, answers = proof_of(stated.to_dict(), claims, told)
    return Proof(data, tuple(answers), stated)
