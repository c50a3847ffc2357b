"""What the HTML page shows and in which order: cells, tables and paragraphs, all text and not yet markup."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from neyman.numerics.exact.decimals import exactly, outward
from neyman.numerics.exact.short_exact import in_short, short_exact
from neyman.profiles.effort import EFFORT
from neyman.reports.said.claims import Claim
from neyman.reports.said.document import Document, StepWords
from neyman.reports.said.landmarks import Scale, scale_of
from neyman.reports.said.quantities import COMPARED, RISKS

__all__ = ["FirstPage", "Head", "Section", "Table", "first_page", "run_in_words", "sections"]

Cell = str | Claim
Pieces = tuple[tuple[str, bool], ...]  # of a sentence, each with whether it is a bound, to be set in bold

_TITLE, _CONTEXT, _FACT, _CODE = 110, 280, 240, 2000  # characters; the first page is one sheet of paper
_ROOMY = 14  # lines that the upper half of the sheet holds in letters of the usual size
_FEW = 2  # kinds of step that the first page tells in full
_RISKS = ("tpr@0.1", "posterior", "accuracy", "reconstruction", "advantage", "attribute_inference")
_ELSEWHERE = {"epsilon", "tpr", *RISKS, *COMPARED}  # claims that have tables of their own
_BOUND = re.compile(r"(at (?:most|least) (?:1 in [\d,.e+]*\d|[\d,.e+-]*\d(?:\u00a0%| percentage points| times)?))")
_BRACKETS = (
    "The truth lies between the two ends of each bracket, rounding included. What is stated is the end that is safe to "
    "rely on, with no more digits than the bracket holds."
)
_VERIFYING = (
    "Every claim is recomputed from the mechanism in this file, by whatever version of neyman is installed; each is "
    "then said to hold, not to hold (and by how much), or to be beyond what can be told."
)
_TOLD = 4  # of them, and of the pairs, on the first page


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column; ``number``: its cells are set flush right; ``short``: each is kept in one line."""

    text: str
    number: bool = False
    short: bool = False


_BRACKET = Head("certified bracket", short=True)


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the first cell of each row is its head."""

    id: str
    caption: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A numbered part of the engineer's pages: paragraphs, what a user typed, points, tables, pictures, verbatim."""

    title: str
    words: tuple[str, ...] = ()
    own: tuple[tuple[str, str], ...] = ()
    points: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    pictures: bool = False


@dataclass(frozen=True, slots=True)
class FirstPage:
    """The page for those who decide.

    ``symbol`` and ``number`` are the number to report, ``number`` None where there is none; ``beside`` are the claims
    and words that qualify it.
    """

    title: str
    context: str
    summary: str
    facts: tuple[tuple[str, str], ...]
    promise: str
    symbol: str
    number: Claim | None
    beside: tuple[tuple[str, Cell], ...]
    headline: str
    reason: str
    epsilons: Table
    risks: tuple[Pieces, ...]
    scale: Scale | None
    limits: tuple[str, ...]
    proved: bool

    @property
    def dense(self) -> bool:
        """Whether there is so much to say that paper needs smaller letters."""
        words = (self.context, self.summary, *(text for _, text in self.facts), self.headline, self.reason)
        lines = -(-len(self.title) // 50) + sum(-(-len(text) // 80) for text in words) + len(self.epsilons.rows)
        return self.proved or lines > _ROOMY


def first_page(document: Document) -> FirstPage:
    """Return the page for those who decide."""
    promise, symbol, number = _headline(document)
    return FirstPage(
        title=_short(document.title, _TITLE),
        context=_short(document.context, _CONTEXT),
        summary=run_in_words(document.summary),
        facts=tuple(_facts(document)),
        promise=promise,
        symbol=symbol,
        number=number,
        beside=tuple(_beside(document, number)),
        headline=document.verdict.headline,
        reason=document.verdict.reason,
        epsilons=_epsilons(document, "epsilon-first", brackets=False),
        risks=tuple(_pieces(claim.sentence) for claim in _risks(document)),
        scale=scale_of(document),
        limits=_limits(_short(document.unit, 60)),
        proved=document.proof is not None,
    )


def sections(document: Document) -> tuple[Section, ...]:
    """Return the engineer's part."""
    found = (
        _run(document), _promises(document), Section("Pictures", pictures=True), _attackers(document),
        Section("What must be true of the run", points=document.assumptions), _references(document),
        _landmarks(document), _certificate(document),
        Section("How to cite", points=document.cite),
        Section(
            "How to verify",
            (_VERIFYING,),
            code=(document.verify,),
        ),
    )  # fmt: skip
    return tuple(section for section in found if section is not None)


def _headline(document: Document) -> tuple[str, str, Claim | None]:
    """The number to report: mu, rho or an epsilon; where nothing is finite, none."""
    kind = document.verdict.recommended
    if kind == "zcdp":
        return "Zero-concentrated differential privacy", "ρ ≤", document["zcdp"]  # noqa: RUF001 - rho
    mu = document.of("mu")[0]
    if kind == "mu":
        return "Gaussian differential privacy", "μ ≤", mu
    pairs = document.of("epsilon")
    if kind == "epsilon":
        pairs = tuple(claim for claim in pairs if _given(claim, "delta") == 0.0)
    known = next((claim for claim in pairs if not claim.says_nothing), None)
    if known is None:
        return "Differential privacy", "", None
    return f"Differential privacy at δ = {short_exact(_given(known, 'delta'), below=True)}", "ε ≤", known


def _beside(document: Document, number: Claim | None) -> Iterator[tuple[str, Cell]]:
    mu = document.of("mu")[0]
    if mu is not number:
        yield "μ", mu if not mu.says_nothing else "no finite one holds"
    yield "down to", f"error rates of {exactly(document.floor)} (the floor)"
    for claim in document.of("regret"):
        yield "regret", claim
    for claim in document.of("tail_mu"):
        yield "with no floor", claim if not claim.says_nothing else "no finite μ holds"


def _facts(document: Document) -> Iterator[tuple[str, str]]:
    yield "Unit of privacy", f"One {_short(document.unit, 60)}"
    yield "Neighbouring data", _short(document.adjacency_meaning, _FACT)
    sampling = _sampling(document.summary)
    if sampling:
        yield "Sampling", sampling


def _sampling(steps: Sequence[StepWords]) -> str:
    ways = tuple(dict.fromkeys(step.sampling for step in steps if step.sampling))
    rates = [way for way in ways if way != "none"]
    told = rates if len(rates) <= _FEW else [f"Poisson, at {len(rates)} rates"]
    if "none" in ways:
        told.append("none for the other steps" if rates else "none: every step sees all the data")
    return _short("; ".join(told), _FACT)


def run_in_words(steps: Sequence[StepWords]) -> str:
    """Return what was run, in one sentence or two; many kinds of step are counted."""
    if len(steps) <= _FEW:
        return " ".join(step.sentence for step in steps)
    runs, settings = Counter[str](), Counter[str]()
    for step in steps:
        runs[step.kind] += step.times
        settings[step.kind] += 1
    told = [
        f"{kind} ({_counted(runs[kind], 'run')}{f' in {n} settings' if n > 1 else ''})"
        for kind, n in settings.most_common(4)
    ]
    more = ", and others" if len(settings) > len(told) else ""
    return f"{_counted(sum(runs.values()), 'run')} in all: {', '.join(told)}{more}. Part 1 below lists them."


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _risks(document: Document) -> tuple[Claim, ...]:
    found: list[Claim] = []
    for name in _RISKS:
        found += [document[name]] if name in document else list(document.of(name))[:1]
    return tuple(found[:_TOLD])


def _pieces(sentence: str) -> Pieces:
    parts = _BOUND.split(sentence.replace(" %", "\u00a0%"))  # not torn apart at the end of a line
    return tuple((part, number % 2 == 1) for number, part in enumerate(parts))


def _limits(unit: str) -> tuple[str, ...]:
    return (
        f"More than one {unit} at a time: a group, or whoever contributed several.",
        "Other releases from the same data, and settings that were chosen by looking at it.",
        "A run that differs from what is stated here: its sampling, clipping and noise are taken as described.",
        "What the output says about people in general, whether or not they took part.",
    )


def _run(document: Document) -> Section:
    own = [("Title", document.title), ("Unit", document.unit), ("Context", document.context), ("Date", document.date)]
    steps = Table(
        "steps", "Everything that was run, one row for each kind of step",
        (Head("step"), Head("noise"), Head("sampling"), Head("times", number=True)),
        tuple((step.kind, step.noise, step.sampling, f"{step.times:,}") for step in document.summary),
    )  # fmt: skip
    code = _cut(in_short(repr(document.mechanism), document.mechanism.dataset_size), _CODE)
    words = (document.adjacency_meaning, f"Adjacency: {document.adjacency}.")
    return Section(
        "What was run", words, own=tuple((name, text) for name, text in own if text), tables=(steps,), code=(code,)
    )


def _promises(document: Document) -> Section:
    numbers = tuple(claim for claim in document.claims if claim.quantity not in _ELSEWHERE)
    rates = Table(
        "rates", "The best attack at each false positive rate",
        (Head("false positive rate"), Head("true positive rate, at most", number=True), _BRACKET),
        tuple((exactly(_given(claim, "fpr")), claim, _bracket(claim)) for claim in document.of("tpr")),
    )  # fmt: skip
    tables = (_claims("numbers", "The numbers", numbers), _epsilons(document, "epsilon", brackets=True), rates)
    return Section("Claims and their certificates", (_BRACKETS,), tables=tables)


def _attackers(document: Document) -> Section:
    claims = document.of(*RISKS)
    told = tuple(claim.sentence for claim in document.of("advantage", *RISKS))
    table = _claims("risks-table", "The same in numbers", claims)
    return Section("What an attacker can do, at most", points=told, tables=(table,))


def _references(document: Document) -> Section | None:
    if not document.references:
        return None
    rows = tuple(
        (f"{point.name} ({point.stated})", point.order, document[f"divergence@{point.key}"],
         document[f"reverse@{point.key}"])
        for point in document.references
    )  # fmt: skip
    table = Table(
        "references", "By how much an attacker's Bayes error is higher here than there, and by how much lower",
        (Head("compared with"), Head("this is", short=True), Head("higher by at least", True),
         Head("lower by at most", True)), rows,
    )  # fmt: skip
    told = tuple(f"{point.stated}: {point.source}." for point in document.references)
    return Section("Compared with named reference points", tables=(table,), notes=told)


def _landmarks(document: Document) -> Section | None:
    scale = scale_of(document)
    if scale is None:
        return None
    rows = tuple(
        (one.letter, one.name, place.text, one.unit or "any", place.apart or "nothing that is stated here")
        for place in scale.placed
        for one in (place.landmark,)
    )
    heads = (
        Head("on page one"), Head("what"), Head(scale.what.partition(",")[0], number=True), Head("one record is one"),
        Head("what keeps it from being compared with this report"),
    )  # fmt: skip
    notes = tuple(f"{place.landmark.letter}: {place.landmark.source}." for place in scale.placed)
    table = Table("landmarks", f"What others published: {scale.what}", heads, rows)
    return Section("Where this lies", tables=(table,), notes=notes)


def _certificate(document: Document) -> Section:
    made = document.certificate
    rows = (
        ("method", made.method), ("tolerance", exactly(made.tolerance)), ("neyman", made.neyman),
        ("Python", made.python), ("NumPy", made.numpy), ("SciPy", made.scipy),
        *((("Matplotlib", made.matplotlib),) if made.matplotlib else ()),
        *((("effort", exactly(made.effort)),) if made.effort != EFFORT else ()),
        *(() if document.proof is None else ((document.proof.words, f"proof, SHA-256: {document.proof.sha256}"),)),
    )  # fmt: skip
    table = Table("certificate", "How the numbers were computed", (Head("what"), Head("this report")), rows)
    return Section("Certificate", tables=(table,))


def _claims(name: str, caption: str, claims: Sequence[Claim]) -> Table:
    heads = (Head("claim"), Head("side", short=True), Head("stated", number=True), _BRACKET)
    rows = tuple((claim.label, claim.side, claim, _bracket(claim)) for claim in claims)
    return Table(name, caption, heads, rows)


def _epsilons(document: Document, name: str, *, brackets: bool) -> Table:
    heads = (Head("at δ"), Head("ε, at most", number=True), _BRACKET)
    rows = [
        (short_exact(_given(claim, "delta"), below=True), claim, _bracket(claim)) for claim in document.of("epsilon")
    ]
    caption = "The same promise in pairs (ε, δ): every row holds"
    if brackets:
        return Table(name, caption, heads, tuple(rows))
    return Table(name, caption, heads[:2], tuple(row[:2] for row in rows[:_TOLD]))


def _bracket(claim: Claim) -> str:
    low, high = outward(claim.lower, up=False), outward(claim.upper)
    return f"[{low}, {high}]".replace("inf", "∞")


def _given(claim: Claim, name: str) -> float:
    value = dict(claim.given)[name]
    return float(value) if not isinstance(value, str) else math.nan


def _short(text: str, most: int) -> str:
    """One paragraph of so many characters."""
    return _cut(" ".join(text.split()), most)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
