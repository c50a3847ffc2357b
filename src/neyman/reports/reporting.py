"""``report``: a guarantee as a document to hand over."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any, Never

from neyman._answering import Asked, refuse_missing, refuse_unknown
from neyman._errors import InvalidParameter, MissingPackage
from neyman._validate import between, choice, inside, positive
from neyman.accounting import ADJACENCIES
from neyman.guarantees import ComposedGuarantee, Guarantee, Opaque
from neyman.guarantees.dict_form import in_words
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.mechanisms import Mechanism
from neyman.profiles.effort import EFFORT
from neyman.reports.said.asked import guarantee_of
from neyman.reports.said.build import Inputs, document_of
from neyman.reports.said.claims import Claim
from neyman.reports.said.document import Document, Seal
from neyman.reports.said.text import checked_text
from neyman.reports.verifying.reading import LARGEST_HTML, LARGEST_JSON
from neyman.understanding.subject import Subject

__all__ = ["FORMS", "Report", "report", "save"]

FORMS = (".html", ".md", ".json", ".tex", ".pdf")
_MOST_DELTAS = 20  # at which epsilon is told
_TITLE = "Privacy report"


class Report(Asked):
    """A document in the forms it is handed over in.

    ``str()`` is the short text, ``.save("report.html")`` writes by suffix: .html, .md, .json, .tex or .pdf.

    Parameters
    ----------
    document : Document
        What it says.

    Examples
    --------
    >>> import neyman as ny
    >>> found = ny.report(ny.Gaussian(1.0), title="Mean salary", unit="person")
    >>> found.claims[4].id, found.claims[4].text
    ('epsilon@1e-05', '4.377179')
    """

    _called = "r"

    def __init__(self, document: Document) -> None:
        self._document = document

    @property
    def document(self) -> Document:
        """What is said, as values."""
        return self._document

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every claim, with its certified bracket."""
        return self._document.claims

    def with_proof(self, seal: Seal | None) -> Report:
        """Return the same report, which names the proof that goes with it (``ny.prove(report).report``)."""
        return Report(replace(self._document, proof=seal))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form as a dict (see ``neyman.reports.json_schema``)."""
        return self._document.to_dict()

    def to_json(self) -> str:
        """Return the JSON form: what ``verify`` reads."""
        text = json.dumps(self.to_dict(), indent=2, allow_nan=False, ensure_ascii=True) + "\n"
        return _readable(text, LARGEST_JSON)

    def to_markdown(self) -> str:
        """Return the report in Markdown, as GitHub renders it."""
        from neyman.reports.forms.markdown import render_markdown

        return render_markdown(self._document)

    def to_latex(self) -> str:
        """Return the report as a LaTeX document of its own, which needs the package booktabs and no other."""
        from neyman.reports.forms.latex import render_latex

        return render_latex(self._document)

    def to_html(self) -> str:
        """Return the report as one self-contained HTML page, pictures included (needs ``neyman[report]``)."""
        from neyman.reports.forms.html import render_html

        return _readable(render_html(self._document), LARGEST_HTML)

    def to_pdf(self) -> bytes:
        """Return that page on paper, as PDF, printed by the Chromium, Chrome or Edge of this machine; it is not the
        same to the byte each time, and cannot be verified.
        """
        from neyman.reports.forms.pdf import printed_page

        return printed_page(self.to_html())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report; what was there before stays unless all of it can be written.

        Parameters
        ----------
        path : str or path
            Ends in .html, .md, .json, .tex or .pdf.

        Raises
        ------
        InvalidParameter
            If it ends otherwise, or cannot be written; of a PDF, if no browser is found.
        """
        save(path, self.rendered(form_of(path)))

    def rendered(self, form: str) -> str | bytes:
        """Return the content of a form: the text of ".html", ".md", ".json" or ".tex", the bytes of ".pdf"."""
        make: dict[str, Callable[[], str | bytes]] = {
            ".html": self.to_html, ".md": self.to_markdown, ".json": self.to_json, ".tex": self.to_latex,
            ".pdf": self.to_pdf,
        }  # fmt: skip
        return make[choice("form", form, FORMS)]()

    def __str__(self) -> str:
        from neyman.reports.forms.short import short_text

        return short_text(self._document)

    def __repr__(self) -> str:
        return f"<Report: {self._document.title!r}, {self._document.mechanism!r}>"

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def _repr_html_(self) -> str | None:
        """The page in a frame of its own, for notebooks; None where its extra is not installed."""
        try:
            page = self.to_html()
        except MissingPackage:
            return None
        return f'<iframe sandbox width="100%" height="700" srcdoc="{escape(page, quote=True)}"></iframe>'


def report(
    subject: Guarantee | Mechanism | str | os.PathLike[str] | Sequence[Any] | None = None,
    *,
    title: str | None = None,
    unit: str = "record",
    context: str | None = None,
    deltas: Sequence[float] = (1e-5, 1e-6, 1e-9),
    floor: float = 1e-10,
    adjacency: str | None = None,
    tolerance: float | None = None,
    effort: float | None = None,
    date: str | None = None,
    progress: bool | None = None,
    **unknown: Never,
) -> Report:
    """Return a report to hand over: what was run, what it promises, on which assumptions, and how to verify it.

    Parameters
    ----------
    subject : Guarantee, Mechanism, list, path or str
        What ``account`` computed, or a mechanism, or a given guarantee (``GDP``, ``ZCDP``, ...), which is reported as
        stated; or a list, a file or a short form, as of ``account``. Of the file of a report, its mechanism and its
        neighbours.
    title : str, optional
        One line, at most 200 characters.
    unit : str
        Whom a record stands for, as in "person" or "household": the claims are about one of them.
    context : str, optional
        Free text, at most 10,000 characters: what the data are, who is responsible.
    deltas : sequence of float
        Where epsilon is claimed; at most 20, each in (0, 1).
    floor : float
        Least error rate at which mu is claimed, in (0, 0.5).
    adjacency : str, optional
        As for ``account``, "add_or_remove" unless stated; only where ``subject`` is a mechanism.
    tolerance : float, optional
        As for ``account``, 1e-6 unless stated; only where ``subject`` is a mechanism.
    effort : float, optional
        How much work each claim may take, in nominal seconds, as for ``account``, 10 unless stated; finite, > 0; only
        where ``subject`` is a mechanism: a computed guarantee has its own. Another than the usual one is written into
        the certificate, for ``verify`` to take as much.
    date : str, optional
        As in "2025-01-31". Reports are otherwise the same, byte for byte, whenever they are made.
    progress : bool, optional
        Whether what takes longer than a second is seen to go on, on the standard error; if left out, on a terminal and
        in a notebook.

    Returns
    -------
    Report
        ``.save(path)``, ``.to_html()``, ``.to_markdown()``, ``.to_latex()``, ``.to_json()``, ``.claims``.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or of ``subject`` no mechanism is known that could be written down.
    NotCertified
        If a claim cannot be certified to the tolerance; where work was left out for it, the reason names ``effort``.

    Notes
    -----
    Which guarantee to report is decided by Algorithm 1 of Gomez et al., Gaussian DP for reporting differential privacy
    guarantees in machine learning: mu, at its floor, where its regret is below 0.01; otherwise the fallback that gives
    away least. Every printed number is rounded to its safe side, to no more digits than its certified bracket holds.

    Examples
    --------
    >>> import neyman as ny
    >>> run = ny.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000)
    >>> found = ny.report(run, title="Image classifier", unit="person")
    >>> found.document.verdict.headline
    'Report mu = 1.566948, valid at error rates of 1e-10 and above.'
    >>> ny.verify(found.to_json()).outcome
    'holds'
    """
    if subject is None or unknown:
        refuse_unknown("ny.report", unknown, subject=subject, title=title, context=context)
        refuse_missing("ny.report", {"subject": subject})
    floor = inside("floor", floor, 0.0, 0.5)
    texts = {
        name: checked_text(name, "" if value is None else value)
        for name, value in (("context", context), ("date", date), ("unit", unit))
    }
    asked = None if effort is None else positive("effort", effort)
    given = Subject.of("subject", subject)
    own = given.adjacency if isinstance(given.what, Mechanism) and adjacency is None else adjacency
    guarantee, mechanism, width = _resolved(given.what, own, tolerance, asked)
    work = _effort_of(given.what) if asked is None else asked
    inputs = Inputs(
        title=checked_text("title", title or _TITLE),
        **texts,
        mechanism=mechanism,
        floor=floor,
        deltas=_deltas(deltas),
    )
    return Report(document_of(guarantee, inputs, width, work, progress))


def _readable(text: str, most: int) -> str:
    """What ``verify`` reads; nobody could verify what is longer."""
    if len(text.encode()) > most:
        advice = (
            "Markdown and LaTeX have no limit, and are not verified. Steps that are equal can be written once (**)."
        )
        raise InvalidParameter("mechanism", f"{len(text) / 1e6:.1f} MB", f"at most {most // 10**6} MB long", advice)
    return text


def form_of(path: str | os.PathLike[str]) -> str:
    """Return the form that a file of this name has."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMS:
        raise InvalidParameter("path", str(path), f"a file that ends in {', '.join(FORMS)}")
    return suffix


def save(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write ``content`` (text in UTF-8) to ``path``, all of it or nothing."""
    target = Path(os.path.realpath(path))  # through a link, what it points to is written
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        Path(temporary).chmod(_mode(target))
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        advice = f"{error.strerror}."
        raise InvalidParameter("path", str(path), "a file that can be written", advice) from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def _mode(target: Path) -> int:
    """As the file was, or as the system makes new ones."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _effort_of(subject: object) -> float:
    """What each question of a computed guarantee may cost; the usual effort of all that has none."""
    effort = subject.effort.seconds if isinstance(subject, ComposedGuarantee) else math.inf
    return effort if math.isfinite(effort) else EFFORT


def _resolved(
    subject: Mechanism | PessimisticGuarantee, adjacency: str | None, tolerance: float | None, effort: float | None
) -> tuple[Guarantee, Mechanism, float]:  # fmt: skip
    if isinstance(subject, Mechanism):
        width = inside("tolerance", 1e-6 if tolerance is None else tolerance, 0.99e-12, 1.0)
        kind = choice("adjacency", "add_or_remove" if adjacency is None else adjacency, ADJACENCIES)
        subject.to_dict()  # what cannot be written down is refused before it is computed
        return guarantee_of(subject, kind, width, EFFORT if effort is None else effort), subject, width
    for name, value in (("adjacency", adjacency), ("tolerance", tolerance), ("effort", effort)):
        if value is not None:
            advice = "The guarantee has its own; pass the mechanism to choose another."
            raise InvalidParameter(name, value, "absent where a guarantee is reported", advice)
    if in_words(subject) is not None:
        return subject, Opaque(subject), 1e-6
    mechanism = subject.mechanism if isinstance(subject, ComposedGuarantee) else None
    if not isinstance(subject, ComposedGuarantee) or mechanism is None:
        advice = (
            "Nobody could verify a report about it: pass the mechanism, or state what it promises, as in "
            "Profile(epsilons, g.delta(epsilons))."
        )
        raise InvalidParameter("subject", subject, "a given guarantee, or one that ny.account computed", advice)
    mechanism.to_dict()
    stated = isinstance(mechanism, Opaque)  # its own bounds are sharper than those of the worst pair
    own = subject.adjacency, subject.tolerance, _effort_of(subject)
    g = guarantee_of(mechanism, *own) if stated else subject
    return g, mechanism, subject.tolerance


def _deltas(deltas: object) -> tuple[float, ...]:
    if isinstance(deltas, str) or not isinstance(deltas, Sequence) or not 1 <= len(deltas) <= _MOST_DELTAS:
        raise InvalidParameter("deltas", deltas, f"from 1 to {_MOST_DELTAS} numbers in (0, 1)")
    found = tuple(between(f"deltas[{i}]", delta, math.ulp(0.0), 1.0) for i, delta in enumerate(deltas))
    if len(set(found)) != len(found) or 1.0 in found:
        raise InvalidParameter("deltas", deltas, "distinct numbers in (0, 1)")
    return found
