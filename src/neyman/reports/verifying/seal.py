"""What a report says of its proof, against the file of that proof: the same bytes, about these claims, accepted."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from neyman._errors import InvalidParameter
from neyman.reports.said.document import Seal
from neyman.reports.verifying.checks import Check, Outcome

__all__ = ["beside", "proof_bytes", "seal_check", "sealed"]

_LARGEST = 4_000_000  # bytes that the checker reads
_CHOICES = {"at", "order", "touching", "inside"}  # of what a statement is given those that are the prover's
_SUFFIX = ".proof.json"


def sealed(document: Mapping[str, Any], proof: bytes, verdicts: Mapping[str, str]) -> Seal:
    """The seal of a report whose ``proof`` led the checker to these verdicts on its statements."""
    from neyman.witnesses.statements import proved_claims

    claims = document["claims"]
    return Seal(len(claims), proved_claims(claims, verdicts), hashlib.sha256(proof).hexdigest())


def beside(path: str | os.PathLike[str]) -> Path:
    """Where the proof of the report at ``path`` is written.

    Examples
    --------
    >>> beside("run.html").name
    'run.proof.json'
    """
    return Path(path).with_suffix(_SUFFIX)


def proof_bytes(path: str | os.PathLike[str]) -> bytes:
    """The file of a proof.

    Raises
    ------
    InvalidParameter
        If it cannot be read, or is larger than the checker reads.
    """
    try:
        if not Path(path).is_file():
            raise InvalidParameter("proof", os.fspath(path), "the name of a file that is there")
        with Path(path).open("rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as error:
        raise InvalidParameter("proof", os.fspath(path), "a file that can be read", str(error.strerror)) from None
    if not len(content) <= _LARGEST:
        raise InvalidParameter("proof", os.fspath(path), f"at most {_LARGEST // 10**6} MB long")
    return content


def seal_check(document: Mapping[str, Any], seal: Seal, proof: bytes | None) -> Check:
    """Whether as many claims are proved as the report says, by the very file that it names."""
    if proof is None:
        why = f"the proof is not at hand; --proof FILE names it, or lay it beside the report (NAME{_SUFFIX})"
        return _check(seal, "cannot tell", why)
    if hashlib.sha256(proof).hexdigest() != seal.sha256:
        return _check(seal, "cannot tell", "the proof at hand is another: its SHA-256 is not the one in the report")
    try:
        from neyman.witnesses.statements import proved_claims, stated
        from neyman_check import check
        from neyman_check.errors import Unreadable
        from neyman_check.reading import parsed
    except ImportError:
        return _check(seal, "cannot tell", "checking a proof needs python-flint: pip install 'neyman[prove]'")
    try:
        data = parsed(proof)
        answers = check(data)
    except Unreadable as error:
        return _check(seal, "does not hold", f"its proof cannot be read: {error}")
    if (data["mechanism"], data["adjacency"]) != (document["mechanism"], document["adjacency"]):
        return _check(seal, "does not hold", "its proof is of another mechanism, or of other neighbouring data")
    claims = document["claims"]
    wanted = {_key(one) for claim in claims for one in stated(claim, claims)}
    pairs = zip(data["statements"], answers, strict=True)
    verdicts = {answer.id: answer.verdict for one, answer in pairs if _key(one) in wanted}
    found = proved_claims(claims, verdicts)
    if "refuted" in verdicts.values():
        return _check(seal, "does not hold", "its proof refutes a claim")
    if (seal.claims, seal.proved) != (len(claims), found):
        return _check(seal, "does not hold", f"its proof proves {found} of the {len(claims)} claims")
    return _check(seal, "holds")


def _check(seal: Seal, outcome: Outcome, reason: str = "") -> Check:
    return Check("proof", outcome, seal.words, reason=reason)


def _key(statement: Mapping[str, Any]) -> tuple[object, ...]:
    """What a statement says, but for what the prover chose."""
    given = sorted((name, value) for name, value in statement["given"].items() if name not in _CHOICES)
    return statement["id"], statement["quantity"], tuple(given), statement.get("at_most"), statement.get("at_least")
