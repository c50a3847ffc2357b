"""``verify``: whether a report holds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from neyman._errors import InvalidParameter
from neyman._validate import inside, positive
from neyman._version import __version__
from neyman.reports.said.build import expected
from neyman.reports.said.numbers import to_json_number
from neyman.reports.verifying.altered import Altered, altered, as_written
from neyman.reports.verifying.checks import Check, Outcome
from neyman.reports.verifying.five_lines import five_lines, in_full
from neyman.reports.verifying.reading import Found, read
from neyman.reports.verifying.recompute import Examined, examine_elsewhere
from neyman.reports.verifying.seal import beside, proof_bytes
from neyman.reports.verifying.told import Told, stated

__all__ = ["Verification", "verify"]

_SCHEMA = 1  # of the JSON form: raised when a field changes its meaning


@dataclass(frozen=True, slots=True)
class Verification:
    """What became of a report; ``str()`` says it in five lines, and as a truth value it is True if everything holds.

    Attributes
    ----------
    outcome : str
        "holds" if every check does; "does not hold" if one does not; else "cannot tell".
    checks : tuple of Check
        One for each claim, in the order of the file.
    words : tuple of Check
        One for each part that is said in words, and for the page around the data, if there is one.
    title : str
        That of the report.
    made_by : str
        The version of neyman that wrote it.
    notes : tuple of str
        What was not verified.
    told : Told, optional
        What was run, who is protected and what is claimed, in words that follow from the mechanism.
    """

    outcome: Outcome
    checks: tuple[Check, ...]
    words: tuple[Check, ...]
    title: str
    made_by: str
    notes: tuple[str, ...]
    told: Told | None = None

    def __bool__(self) -> bool:
        return self.outcome == "holds"

    def __str__(self) -> str:
        return five_lines(self)

    @property
    def details(self) -> str:
        """Every claim and every part that is said in words, each with what was found."""
        return in_full(self)

    @property
    def recomputed(self) -> bool:
        """Whether anything could be computed again."""
        return not any(note.startswith(_NOTHING) for note in self.notes)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Those of the notes that are true of every report: what no verification can know."""
        return tuple(note for note in self.notes if note in (_STATED, _RUN))

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dict."""
        return {
            "schema": _SCHEMA,
            "version": __version__,
            "outcome": self.outcome,
            "title": self.title,
            "made_by": self.made_by,
            "checks": [_plain(check) for check in self.checks],
            "words": [_plain(check) for check in self.words],
            "notes": list(self.notes),
            "told": None if self.told is None else asdict(self.told),
        }


def verify(
    report: str | os.PathLike[str] | Mapping[str, Any],
    *,
    tolerance: float | None = None,
    effort: float | None = None,
    timeout: float = 120.0,
    proof: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Verification:
    """Recompute every claim of a report from the mechanism in it, with this installation's engines.

    Parameters
    ----------
    report : str, path or dict
        A .json or .html file (at most 1 MB and 5 MB), the text of one, or the JSON form as a dict. It is not trusted:
        folders, pipes and devices, and files whose names belong to another form, are refused.
    tolerance : float, optional
        As for ``account``; that of the report unless stated.
    effort : float, optional
        How much work each claim may take, in nominal seconds, as for ``account``; finite, > 0; that of the report
        unless stated.
    timeout : float
        Seconds after which recomputing is given up; > 0.
    proof : str or path, optional
        The file of the proof that the report names; unless given, that beside it (``run.proof.json`` of
        ``run.html``), if there is one. A report that names one which is not at hand is "cannot tell".
    progress : bool, optional
        Whether what takes longer than a second is seen to go on, on the standard error; if left out, on a terminal and
        in a notebook.

    Returns
    -------
    Verification
        ``.outcome`` is "holds", "does not hold" or "cannot tell"; ``.checks`` says so claim by claim. A claim "at most
        v" holds if v is no less than the certified upper bound found here, and does not hold if v is below the lower
        one; ``excess`` is then how far. A claim that is weaker than it could be holds.

    Raises
    ------
    InvalidParameter
        If it cannot be read, is no report, is larger than a report is, or an argument lies outside its domain. What
        says that it is one, and is such as no neyman up to this one writes, was altered: it "does not hold".
    MissingPackage
        If pydantic is not installed, or for a page jinja2 or matplotlib: pip install 'neyman[report]'.

    Notes
    -----
    What is said in words is written again and compared. Words of another version of neyman that differ are neither
    trusted nor taken for a fraud: "cannot tell". A page holds if it is, byte for byte but for the ends of its lines,
    the page that is written here from the data inside it, pictures included; one that a browser has saved anew, or
    whose pictures another Matplotlib drew, is "cannot tell". Not verified is what people state: title, unit, context,
    date, and that the mechanism is what was run.

    Examples
    --------
    >>> import neyman as ny
    >>> data = ny.report(ny.Gaussian(1.0)).to_dict()
    >>> data["claims"][0] |= {"value": 0.9, "text": "0.9"}
    >>> found = ny.verify(data)
    >>> found.outcome, found.checks[0].outcome, round(found.checks[0].excess, 6)
    ('does not hold', 'does not hold', 0.1)
    """
    limit, work = positive("timeout", timeout), None if effort is None else positive("effort", effort)
    width = None if tolerance is None else inside("tolerance", tolerance, 0.99e-12, 1.0)
    if not isinstance(report, (str, os.PathLike, Mapping)):
        raise InvalidParameter("report", report, "a path, the text of a report, or its JSON form as a dict")
    try:
        found = read(Path(report) if isinstance(report, os.PathLike) else report)
    except Altered as refused:
        return _of_altered(refused, refused.told, *_NAMELESS)
    return verified(found, width, work, limit, _proof(found, report, proof), progress)


def _proof(found: Found, report: object, proof: str | os.PathLike[str] | None) -> bytes | None:
    """The file of the proof that a report names, if it is at hand."""
    if proof is not None:
        if found.model.proof is None:
            advice = "neyman-check checks a proof without a report."
            raise InvalidParameter("proof", os.fspath(proof), "absent where the report names none", advice)
        return proof_bytes(proof)
    if found.model.proof is None or not isinstance(report, (str, os.PathLike)) or not _named(report):
        return None
    there = beside(os.fspath(report))
    return proof_bytes(there) if there.is_file() else None


def _named(report: str | os.PathLike[str]) -> bool:
    """Whether it is the name of a file, and not the text of one."""
    return isinstance(report, os.PathLike) or report.lower().endswith((".json", ".html", ".htm"))


def verified(
    found: Found,
    tolerance: float | None,
    effort: float | None,
    timeout: float,
    proof: bytes | None = None,
    progress: bool | None = False,
) -> Verification:
    """Return what becomes of a report that was read, and of the proof that it names."""
    width = found.model.certificate.tolerance if tolerance is None else tolerance
    work = found.model.certificate.effort if effort is None else effort
    try:
        return concluded(found, examine_elsewhere(found, (max(width, 1e-12), work), timeout, proof, progress))
    except InvalidParameter as refused:
        why = altered(refused, found.text)
        if not isinstance(why, Altered):
            raise
        return _of_altered(why, stated(found.model, found.claims), found.model.title, found.model.certificate.neyman)


_NAMELESS = ("", "")  # title and version of what could not be read


def _of_altered(why: Altered, told: Told, title: str, made_by: str) -> Verification:
    """What is no report any more, because of what was done to one."""
    check = Check("data", "does not hold", "the data", reason=as_written(why))
    return Verification("does not hold", (), (check,), title, made_by, (_STATED, _RUN), told)


def concluded(found: Found, examined: Examined) -> Verification:
    """Return what follows from its checks."""
    model = found.model
    return Verification(
        _worst({check.outcome for check in (*examined.checks, *examined.words)}),
        examined.checks,
        examined.words,
        model.title,
        model.certificate.neyman,
        _notes(found, examined),
        examined.told,
    )


def _worst(outcomes: set[Outcome]) -> Outcome:
    if "does not hold" in outcomes:
        return "does not hold"
    return "cannot tell" if "cannot tell" in outcomes else "holds"


def _notes(found: Found, examined: Examined) -> tuple[str, ...]:
    finite = any(claim.quantity == "mu" and not claim.says_nothing for claim in found.claims)
    there = {claim.id for claim in found.claims}
    missing = [name for name in expected(found.model.floor, finite=finite) if name not in there]
    more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    wide = any(check.outcome == "cannot tell" for check in examined.checks)
    return tuple(
        note
        for note in (
            f"Left out of the report: {', '.join(missing[:_NAMED])}{more}." if missing else "",
            f"{_NOTHING}: {examined.failure}." if examined.failure else "",
            _COARSE if wide and not examined.failure and found.model.certificate.tolerance > _USUAL else "",
            _STATED,
            _RUN,
        )
        if note
    )


_NAMED = 6  # quantities left out that are named; of others, how many
_STATED = (
    "Title, unit, context, date and the releases of Python, NumPy, SciPy and Matplotlib are not verified: anyone may "
    "have written them."
)
_NOTHING = "Nothing was recomputed"
_RUN = "That this mechanism is what was run, and on which data, no computation can verify."
_USUAL = 1e-6  # tolerance; what asks for a wider one is told to be coarse
_COARSE = "The report asks for a coarse tolerance: --tolerance 1e-6 may tell more."


def _plain(check: Check) -> dict[str, Any]:
    known = check.lower == check.lower  # NaN where nothing was found
    return {
        "id": check.id,
        "outcome": check.outcome,
        "stated": check.stated,
        "lower": to_json_number(check.lower) if known else None,
        "upper": to_json_number(check.upper) if known else None,
        "excess": to_json_number(check.excess),
        "reason": check.reason,
        "label": check.label,
    }
