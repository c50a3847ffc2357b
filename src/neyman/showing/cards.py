"""Which card a value has: one maker for each kind, found by the name of its class, so that no room is imported here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from neyman._errors import NeymanError, NotCertified
from neyman.guarantees import Guarantee
from neyman.numerics.decimals import exactly, outward
from neyman.profiles.effort import Effort
from neyman.quantities.places import FPR_TABLE
from neyman.risk.kinds import KINDS
from neyman.showing.card import Card, Curve, Row
from neyman.showing.headline import brief
from neyman.showing.interval import Interval
from neyman.showing.summary import Summary

__all__ = ["card_of"]

SECONDS = 3.0  # nominal: of work that a card may take, whatever is asked of it
_POINTS = 65  # of a curve
_MOST = 8  # rows of a table
_RATES = (1e-6, 1e-3, 1e-2, 1e-1)


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
        (f"best TPR at FPR {brief(rate)}", *_cells(power, 4))
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
    if found.lower == found.upper:
        return exactly(found.upper), outward(found.upper, digits)
    bracket = f"[{outward(found.lower, digits + 1, up=False)}, {outward(found.upper, digits + 1)}]"
    return bracket, "not certified" if found.refused else outward(found.upper, digits)


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
    return repr(g if mechanism is None else mechanism)


def _calibration(found: Any) -> Card:
    meets, misses = found.bracket
    rows: list[Row] = [
        (part.label, exactly(part.limit), _cells(_between(found.guarantee, part), 6)[0]) for part in found.target.parts
    ]
    lines = [repr(found.mechanism), f"At {misses!r} the target is certainly missed; {found.evaluations} evaluations."]
    head = ("target", "limit", "certified bracket")
    return Card(f"{meets!r} meets the target", lines, [(head, rows)], _curves(("it", found.guarantee)))


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
        (*(f"{float(column[i]):.6g}" for column in given), outward(float(flat[i]), 6, up=up))
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
    rows: list[Row] = [(repr(step), f"{times:,}") for step, times in m.parts[:_MOST]]
    more = [f"{len(m.parts) - _MOST} more kinds of step."] if len(m.parts) > _MOST else []
    tables: list[tuple[Row, list[Row]]] = [(("step", "times"), rows)] if rows else []
    return Card(repr(m), ["A mechanism: .account() computes what it promises."], tables, notes=more)


def _conversion(found: Any) -> Card:
    rows: list[Row] = [
        ("" if row.at is None else exactly(row.at), *_ends(row.value, found.from_below)) for row in found.rows
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
}
