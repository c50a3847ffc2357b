"""Which card a value has: one maker for each kind, found by the name of its class, so that no room is imported here."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from neyman._errors import NeymanError, NotCertified
from neyman.guarantees import Guarantee
from neyman.numerics.exact.decimals import outward
from neyman.numerics.exact.short_exact import in_short, short_exact
from neyman.profiles.effort import Effort
from neyman.quantities.places import FPR_TABLE, usual_deltas
from neyman.risk.kinds import KINDS
from neyman.risk.numbers import plain, share
from neyman.showing.card import Card, Curve, Row, short
from neyman.showing.headline import brief
from neyman.showing.interval import Interval
from neyman.showing.summary import Summary

__all__ = ["card_of"]

SECONDS = 3.0  # nominal: of work that a card may take, whatever is asked of it
_POINTS = 65  # of a curve
_MOST, _ROWS = 8, 24  # rows of a table; of one that somebody made of runs
_NEARLY_ONE = 0.999  # a chance from below which is told in no more digits
_LONG = 120  # letters of code that are read at a glance
_FEW = 6  # digits of a parameter that was found
_RATES = (1e-6, 1e-3, 1e-2, 1e-1)  # false positive rates of the table that a card shows


def card_of(value: Any) -> str:
    """Return the card of a value as HTML; what it would take too long to certify, it says so.

    Examples
    --------
    >>> import neyman as ny
    >>> "1-GDP" in card_of(ny.GDP(1.0)), "<script" in card_of(ny.GDP(1.0))
    (True, False)
    """
    make = next(_MAKERS[kind.__name__] for kind in type(value).__mro__ if kind.__name__ in _MAKERS)
    try:
        with Effort(SECONDS):
            return make(value).html()
    except NotCertified as wide:
        return Card(repr(value), notes=[f"Not certified: {wide}"]).html()
    except NeymanError as error:
        return Card(repr(value), notes=[str(error)]).html()


def _guarantee(g: Guarantee) -> Card:
    return _summary(
        Summary.of(g), " Lower bounds, which promise nothing: shown is whose they are." * (g is not g.pessimistic)
    )


def _summary(s: Summary, more: str = "") -> Card:
    head = s.headline
    rows: list[Row] = [(f"mu-GDP, floor {brief(s.floor)}", *_cells(s.mu, 6))]
    if s.report is not None and s.regret is not None:
        rows.append(("regret of mu", *_cells(s.regret, 3)))
    rows += [(f"epsilon at delta {brief(d)}", *_cells(e, 6)) for d, e in zip(s.deltas, s.epsilons, strict=True)]
    rows.append(("advantage, TPR - FPR", *_cells(s.advantage, 4)))
    attacks: list[Row] = [
        (f"best TPR at FPR {_chance(rate, up=True)}", *_shares(power))
        for rate, power in zip(FPR_TABLE, s.powers, strict=True)
        if rate in _RATES
    ]
    card = Card(head.number, [f"{head.why[0].upper()}{head.why[1:]}.{more}", s.subject, s.setting])
    card.tables = [
        (("promise", "certified bracket", "report"), rows),
        (("attack", "certified bracket", "at most"), attacks),
    ]
    card.curves = _curves(("this guarantee", s.guarantee))
    card.notes = [f"Not certified: {wide}" for wide in s.refused]
    return card


def _cells(found: Interval, digits: int) -> Row:
    """The bracket and its upper end, in the same digits: what is to be copied is no looser than what is beside it."""
    low, high = outward(found.lower, digits, up=False), outward(found.upper, digits)
    whole = f"{found.lower!r} to {found.upper!r}"
    bracket = short(high if low == high else f"[{low}, {high}]", whole)
    return bracket, "not certified" if found.refused else short(high, repr(found.upper))


def _shares(found: Interval) -> Row:
    """The same of a chance, as people say it: "17.2 % to 17.3 %", "1 in 174,000"."""
    low, high = _chance(found.lower, up=False), _chance(found.upper, up=True)
    bracket = short(high if low == high else f"{low} to {high}", f"{found.lower!r} to {found.upper!r}")
    return bracket, "not certified" if found.refused else short(high, repr(found.upper))


def _chance(value: float, *, up: bool) -> str:
    """A chance on its side, in one piece; one that is short is itself."""
    exact = plain(value)
    if exact.startswith("about"):
        exact = share(min(value, _NEARLY_ONE), up) if not up else share(value, up)
    return exact.replace(" ", "\u00a0")


def _curves(*named: tuple[str, Guarantee]) -> list[Curve]:
    """Curves through certified points, none above its true curve; no picture where they are refused."""
    found: list[Curve] = []
    for name, g in named:
        try:
            points = g.pessimistic.curve(_POINTS)
        except NotCertified:
            continue
        pairs = [(float(a), float(b)) for a, b in zip(points.alpha, points.beta, strict=True)]
        found.append(Curve(name, [(1.0, 0.0), *sorted(pairs, reverse=True), (0.0, max(b for _, b in pairs))]))
    return found


def _report(found: Any) -> Card:
    rows: list[Row] = [
        ("mu", outward(found.mu, 6)),
        ("regret", outward(found.regret, 3)),
        ("floor", brief(found.floor)),
        ("mu with no floor, any attack", outward(found.tail_mu, 6)),
        ("shortfall below the floor", outward(found.shortfall, 3)),
    ]
    where = "" if found.shortfall == 0.0 else f" at error rates of {brief(found.floor)} and above"
    return Card(f"{outward(found.mu, 4)}-GDP{where}", [str(found)], [(("number", "at most"), rows)])


def _optimistic(found: Any) -> Card:
    return Card(f"At least {outward(found.mu, 4, up=False)}-GDP", [str(found)])


def _comparison(c: Any) -> Card:
    rows: list[Row] = [
        (words, *_cells(Interval(bound.lower, bound.upper), 4))
        for words, bound in zip(("b instead of a", "a instead of b"), c.bounds, strict=True)
    ]
    head = ("what it costs, in Bayes error", "certified bracket", "at most")
    crossings = ", ".join(f"{x.prior:.4g}" for x in c.crossings)
    notes = [c.attackers] if c.attackers else []
    notes += [f"The curves cross at prior {crossings}."] if crossings else []
    named = [f"a: {_named(c.a)}", f"b: {_named(c.b)} (dashed)"]
    return Card(c.verdict, named, [(head, rows)], _curves(("a", c.a), ("b", c.b)), notes)


def _named(g: Any) -> str:
    mechanism = getattr(g, "mechanism", None)
    return in_short(repr(g if mechanism is None else mechanism), g.dataset_size)


def _calibration(found: Any) -> Card:
    meets, misses = found.bracket
    rows: list[Row] = [
        (part.label, brief(part.limit), _cells(_between(found.guarantee, part), 6)[0]) for part in found.target.parts
    ]
    code, size = repr(found.mechanism), found.mechanism.dataset_size
    lines = [
        in_short(code, size),
        short(f"At {_away(misses, meets, size)} the target is certainly missed; {found.evaluations} evaluations.",
              f"At {misses!r}"),
    ]  # fmt: skip
    head = ("target", "limit", "certified bracket")
    # beyond what meets an ordered target everything does; of others nothing is known but that one number
    told = _away(meets, misses, size) if found.target.ordered else repr(meets)
    return Card(short(f"{told} meets the target", repr(meets)), lines, [(head, rows)], _curves(("it", found.guarantee)))


def _away(value: Any, other: Any, size: int | None) -> str:
    """A parameter in few digits, rounded away from the other end of its bracket."""
    if isinstance(value, int) or len(repr(value)) <= _FEW:
        return repr(value)
    written = short_exact(float(value), size)
    return written if "/" in written else outward(float(value), _FEW, up=value > other)


def _between(g: Any, part: Any) -> Interval:
    low, high = sorted((part.number(g), part.number(g.optimistic)))
    return Interval(low, high)


def _risk(found: Any) -> Card:
    if not isinstance(found.value, np.ndarray):
        return Card(found.shown[0].upper() + found.shown[1:], [str(found)], notes=[found.assumes])
    flat, up = found.value.ravel(), found.promise is not KINDS[found.name].error
    names = [name for name, _ in found.given]
    given = [np.broadcast_to(np.asarray(number), found.value.shape).ravel() for _, number in found.given]
    rows: list[Row] = [
        (*(short(f"{column[i]:.6g}", repr(float(column[i]))) for column in given), outward(float(flat[i]), 6, up=up))
        for i in range(min(len(flat), _MOST))
    ]
    more = [f"{len(flat) - _MOST} more."] if len(flat) > _MOST else []
    return Card(found.name, [str(found)], [((*names, "at most" if up else "at least"), rows)], notes=more)


def _against_pair(found: Any) -> Card:
    lines = str(found).splitlines()
    rows: list[Row] = [(row.whole.name, row.whole.shown, row.pair.shown) for row in found.rows]
    return Card(lines[0], [], [(("risk", "the whole guarantee", "the pair alone"), rows)])


def _evidence(found: Any) -> Card:
    percent = f"{found.confidence * 100:.12g} %"
    rows: list[Row] = [
        ("mu", outward(found.mu, 4, up=False)),
        *((f"epsilon at delta {brief(d)}", outward(found.epsilon(d), 4, up=False)) for d in (1e-5, 1e-6)),
        ("advantage, TPR - FPR", outward(found.advantage, 4, up=False)),
    ]
    lines = [f"{found.canaries:,} scores or guesses; {found.method}."]
    return Card(f"mu at least {rows[0][1]}, at {percent} confidence", lines, [(("leaks", "at least"), rows)])


def _verdict(found: Any) -> Card:
    whole = str(found)
    rows: list[Row] = [
        ("claimed mu", outward(found.claimed_mu, 6)),
        ("audited mu, at least", outward(found.audited_mu, 6, up=False)),
        ("p-value", outward(found.p_value, 2)),
    ]
    head = found.outcome[0].upper() + found.outcome[1:]
    return Card(head, [whole], [(("number", "value"), rows)], _curves(("the claim", found.claim)))


def _mechanism(m: Any) -> Card:
    size = m.dataset_size
    rows: list[Row] = [(in_short(repr(step), size), f"{times:,}") for step, times in m.parts[:_MOST]]
    more = [f"{len(m.parts) - _MOST} more kinds of step."] if len(m.parts) > _MOST else []
    tables: list[tuple[Row, list[Row]]] = [(("step", "times"), rows)] if rows else []
    code = in_short(repr(m), size)
    head = (
        code if len(code) <= _LONG else f"{sum(times for _, times in m.parts):,} runs of {len(m.parts)} kinds of step"
    )
    return Card(head, ["A mechanism: .account() computes what it promises."], tables, notes=more)


def _proved(g: Any) -> Card:
    """What the checker accepts within the time of a card; mu takes it longer, and is proved where it is asked for."""
    until = time.monotonic() + SECONDS
    rows: list[Row] = []
    notes = [
        "Every number was accepted by neyman_check, in ball arithmetic. .mu() proves mu, which takes some seconds."
    ]
    asked: list[tuple[str, Callable[[Any], float], int]] = [
        (f"epsilon at delta {brief(delta)}", partial(_epsilon, delta=delta), 6)
        for delta in usual_deltas(g.dataset_size)
    ]
    for name, ask, digits in (*asked, ("advantage, TPR - FPR", attrgetter("advantage"), 4)):
        if time.monotonic() > until:
            notes.append(f"Not asked, for want of time: {name}.")
            continue
        try:
            rows.append((name, *_cells(Interval(ask(g.optimistic), ask(g)), digits)))
        except NotCertified as wide:
            notes.append(f"Not proved: {wide}")
    head = f"Proved: {rows[0][0]} is at most {rows[0][2]}" if rows else "Nothing is proved"
    lines = [_named(g.computed), f"adjacency {g.adjacency}"]
    return Card(head, lines, [(("promise", "proved bracket", "at most"), rows)] if rows else [], notes=notes)


def _epsilon(g: Any, delta: float) -> float:
    return float(g.epsilon(delta))


def _runs(found: Any) -> Card:
    texts = [
        tuple(
            short(column.text(cell), repr(cell)) if isinstance(cell, float) else column.text(cell)
            for column, cell in zip(found.columns, row, strict=True)
        )
        for row in found.rows[:_ROWS]
    ]
    more = [f"{len(found) - _ROWS} more; .csv(), .markdown() and .latex() have all."] if len(found) > _ROWS else []
    head = tuple(column.title for column in found.columns)
    return Card(
        f"{len(found)} {'row' if len(found) == 1 else 'rows'}", [], [(head, texts)], notes=[*more, found.caption]
    )


def _conversion(found: Any) -> Card:
    rows: list[Row] = [
        ("" if row.at is None else brief(row.at), *_ends(row.value, found.from_below)) for row in found.rows
    ]
    head = (found.place or found.to, "certified bracket", "report")
    return Card(f"{found.source} \u2192 {found.to}", [found.note], [(head, rows)])


def _ends(value: Interval, from_below: bool) -> Row:
    safe = outward(value.lower, 7, up=False) if from_below else outward(value.upper, 7)
    return _cells(value, 7)[0], safe


_MAKERS: dict[str, Callable[[Any], Card]] = {
    "Guarantee": _guarantee,
    "Summary": _summary,
    "OptimisticReport": _optimistic,
    "GDPReport": _report,
    "Comparison": _comparison,
    "Calibration": _calibration,
    "Risk": _risk,
    "AgainstPair": _against_pair,
    "Evidence": _evidence,
    "Verdict": _verdict,
    "Mechanism": _mechanism,
    "Conversion": _conversion,
    "ProvedGuarantee": _proved,
    "Table": _runs,
}
