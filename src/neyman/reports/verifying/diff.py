"""``diff``: two reports, or what was run, side by side, and which of them is safer.

Nothing is taken from the claims of a file: what both promise is computed here, in the process with limits that
``verify`` uses, and a claim that is below it is named.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

from neyman._errors import InvalidParameter, NeymanError
from neyman._validate import positive
from neyman.comparison import compare
from neyman.guarantees import Guarantee, mechanism_from_dict
from neyman.guarantees.questions.regret import Divergence
from neyman.mechanisms import Mechanism
from neyman.numerics.exact.decimals import outward
from neyman.profiles.pair import Adjacency
from neyman.quantities.asked import Asked
from neyman.reports.forms.page import run_in_words
from neyman.reports.said.asked import guarantee_of
from neyman.reports.said.claims import Claim, claim_id
from neyman.reports.said.prose import adjacency_meaning, summary
from neyman.reports.said.quantities import claim
from neyman.reports.verifying.five_lines import printed
from neyman.reports.verifying.reading import Found, read
from neyman.reports.verifying.recompute import elsewhere, limited

__all__ = ["Diff", "Number", "Side", "diff", "main"]

_CHILD = "from neyman.reports.verifying.diff import main; main()"
_UNIT, _FLOOR, _DELTAS, _TOLERANCE, _EFFORT = "record", 1e-10, (1e-5,), 1e-6, 10.0
_FPR = 0.1  # at which the best attack is told
_MOST = 12  # deltas of both together that are told


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: its title (empty of what is no report), what was run, the unit, the neighbouring data."""

    title: str
    run: str
    unit: str
    adjacency: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Number:
    """One headline number of both, as it is printed: rounded to its safe side; None where it is not certified."""

    id: str
    label: str
    a: str | None
    b: str | None


@dataclass(frozen=True, slots=True)
class Diff:
    """Two reports side by side; ``str()`` is for people, ``to_dict()`` for programs.

    Attributes
    ----------
    a, b : Side
        What each is about.
    numbers : tuple of Number
        What both promise, computed here.
    order : str
        Of ``a`` as seen from ``b``, as ``Comparison.order`` has it; "not comparable" where units or neighbouring data
        differ.
    divergence, reverse : tuple of float, optional
        Certified brackets of Delta(a || b) and Delta(b || a): by how much an attacker's Bayes error may fall if ``b``
        takes the place of ``a``, and the other way round; None where they are not comparable.
    sentence : str
        Which is safer.
    notes : tuple of str
        Claims of the files that are false, and what was not computed.
    """

    a: Side
    b: Side
    numbers: tuple[Number, ...]
    order: str
    divergence: tuple[float, float] | None
    reverse: tuple[float, float] | None
    sentence: str
    notes: tuple[str, ...]

    @property
    def same(self) -> tuple[str, ...]:
        """Which of run, unit and adjacency are the same."""
        return tuple(name for name in ("run", "unit", "adjacency") if getattr(self.a, name) == getattr(self.b, name))

    def __str__(self) -> str:
        rows = [("what was run", self.a.run, self.b.run), ("one record is", f"one {self.a.unit}", f"one {self.b.unit}"),
                ("neighbouring data", self.a.meaning, self.b.meaning)]  # fmt: skip
        if self.a.title or self.b.title:
            rows.insert(0, ("title", self.a.title or "none", self.b.title or "none"))
        lines = [f"Which is safer: {self.sentence}"]
        for name, a, b in rows:
            lines += [f"{name}: the same in both. {a}"] if a == b else [f"{name}", f"  a: {a}", f"  b: {b}"]
        width = max(len(number.label) for number in self.numbers)
        wide = max(len(number.a or _UNKNOWN) for number in self.numbers)
        lines.append(f"{'':<{width}}  {'a':<{wide}}  b")
        lines += [f"{n.label:<{width}}  {n.a or _UNKNOWN:<{wide}}  {n.b or _UNKNOWN}" for n in self.numbers]
        return printed([*lines, *(f"  {note}" for note in self.notes)])

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dict."""
        return {"schema": 1, "same": list(self.same), **asdict(self)}


_UNKNOWN = "not certified"


def diff(a: object, b: object, *, timeout: float = 120.0) -> Diff:
    """Put two reports side by side: what was run, whom it protects, what it promises, and which is safer.

    Parameters
    ----------
    a, b : str, path, dict, Report or Mechanism
        A report as ``verify`` takes it (a file is not trusted), or what was run.
    timeout : float
        Seconds after which computing is given up; > 0.

    Returns
    -------
    Diff
        ``print`` shows it; ``.sentence`` says which is safer, ``.divergence`` and ``.reverse`` by how much.

    Raises
    ------
    InvalidParameter
        If one cannot be read, or is neither.
    NeymanError
        If nothing could be computed, as where it takes too long.

    Notes
    -----
    Which is safer is decided by ``compare``, from certified brackets: Kaissis et al. (2024), Beyond the calibration
    point. Numbers under another unit or other neighbouring data are not compared.

    Examples
    --------
    >>> import neyman as ny
    >>> from neyman.reports import diff
    >>> found = diff(ny.report(ny.Gaussian(1.0)), ny.report(ny.Gaussian(2.0)))
    >>> found.order, found.numbers[0].a, found.numbers[0].b
    ('less_private', '1', '0.5')
    >>> found.sentence
    "b is more private than a, against every attacker. An attacker's Bayes error is lower under a by up to 0.0928."
    """
    limit = positive("timeout", timeout)
    order = {"a": _order("a", a), "b": _order("b", b), "timeout": limit}
    answer = elsewhere(_CHILD, order, limit)
    if "failure" in answer:
        raise NeymanError(f"Nothing was computed: {answer['failure']}.")
    found = answer["diff"]
    numbers = tuple(Number(**number) for number in found.pop("numbers"))
    sides = {name: Side(**found.pop(name)) for name in ("a", "b")}
    ends = {name: None if found[name] is None else tuple(found.pop(name)) for name in ("divergence", "reverse")}
    kept = {name: found[name] for name in ("order", "sentence")}
    return Diff(numbers=numbers, notes=tuple(found["notes"]), **sides, **ends, **kept)  # type: ignore[arg-type]


def _order(name: str, one: object) -> dict[str, Any]:
    """What the other process is asked about one of them."""
    from neyman.reports.reporting import Report

    if isinstance(one, Mechanism):
        return {"mechanism": one.to_dict()}
    if isinstance(one, (str, os.PathLike, Mapping, Report)):
        source = one.to_dict() if isinstance(one, Report) else one
        return {"data": read(source if isinstance(source, (str, Mapping)) else os.fspath(cast("Any", source))).data}
    raise InvalidParameter(name, one, "a report (a path, its JSON form, a Report) or a Mechanism")


@dataclass(frozen=True, slots=True)
class _Asked:
    """One of the two under questioning."""

    mechanism: Mechanism
    adjacency: Adjacency
    unit: str
    title: str
    floor: float
    deltas: tuple[float, ...]
    limits: tuple[float, float]
    claims: tuple[Claim, ...]

    def guarantee(self) -> Guarantee:
        return guarantee_of(self.mechanism, self.adjacency, *self.limits)

    def side(self) -> Side:
        meaning = adjacency_meaning(self.adjacency, self.unit)
        return Side(
            self.title, run_in_words(summary(self.mechanism, self.unit)), self.unit, str(self.adjacency), meaning
        )


def _asked(order: Mapping[str, Any]) -> _Asked:
    if "mechanism" in order:
        made = mechanism_from_dict(order["mechanism"])
        return _Asked(made, "add_or_remove", _UNIT, "", _FLOOR, _DELTAS, (_TOLERANCE, _EFFORT), ())
    found: Found = read(order["data"])
    d = found.document()
    limits = (d.certificate.tolerance, d.certificate.effort)
    return _Asked(d.mechanism, d.adjacency, d.unit, d.title, d.floor, d.deltas, limits, d.claims)


def main() -> None:
    """Read an order from standard input, write the answer to standard output."""
    asked = json.load(sys.stdin)
    json.dump(limited(asked["timeout"], lambda: {"diff": asdict(_computed(asked))}), sys.stdout)


def _computed(asked: Mapping[str, Any]) -> Diff:
    """Ask both the same, and compare them."""
    a, b = (_asked(asked[name]) for name in ("a", "b"))
    sides = (a.side(), b.side())
    guarantees = (a.guarantee(), b.guarantee())
    numbers, notes = _numbers(a, b, guarantees)
    order, ends, sentence = _safer(a, b, guarantees)
    return Diff(*sides, numbers, order, *ends, sentence, notes)


def _numbers(
    a: _Asked, b: _Asked, guarantees: tuple[Guarantee, Guarantee]
) -> tuple[tuple[Number, ...], tuple[str, ...]]:
    floors = tuple(dict.fromkeys((a.floor, b.floor)))
    deltas = tuple(dict.fromkeys((*a.deltas, *b.deltas)))[:_MOST]
    places: list[tuple[str, float, dict[str, float]]] = [
        *(("mu", floor, {"floor": floor}) for floor in floors),
        *(("regret", floor, {"floor": floor}) for floor in floors),
        *(("epsilon", floors[0], {"delta": delta}) for delta in deltas),
        ("advantage", floors[0], {}),
        ("tpr", floors[0], {"fpr": _FPR}),
    ]
    told: list[Number] = []
    notes: list[str] = []
    for quantity, floor, given in places:
        made = [_claim(guarantee, floor, quantity, given) for guarantee in guarantees]
        label = next((one.label for one in made if one is not None), f"{quantity}{list(given.values())}")
        told.append(Number(claim_id(quantity, tuple(given.items())), label, *(one and one.text for one in made)))
        for name, side, one in zip("ab", (a, b), made, strict=True):
            notes += [_false(name, stated, one) for stated in side.claims if one is not None and _below(stated, one)]
    return tuple(told), tuple(notes)


def _claim(guarantee: Guarantee, floor: float, quantity: str, given: dict[str, float]) -> Claim | None:
    try:
        return claim(Asked(guarantee, floor), quantity, **given)
    except NeymanError:
        return None


def _below(stated: Claim, found: Claim) -> bool:
    return stated.id == found.id and stated.value < found.lower


def _false(name: str, stated: Claim, found: Claim) -> str:
    return f"{name} does not hold: it claims {found.label} at most {stated.text}, and it is at least {found.lower!r}."


_Ends = tuple[tuple[float, float] | None, tuple[float, float] | None]


def _safer(a: _Asked, b: _Asked, guarantees: tuple[Guarantee, Guarantee]) -> tuple[str, _Ends, str]:
    apart = [
        *([f"one record is one {a.unit} in a, one {b.unit} in b"] if a.unit != b.unit else []),
        *([f"their neighbouring data differ ({a.adjacency}, {b.adjacency})"] if a.adjacency != b.adjacency else []),
    ]
    if apart:
        why = f"that cannot be said: {' and '.join(apart)}. Their numbers are about different things."
        return "not comparable", (None, None), why
    found = compare(*guarantees)
    forth, back = found.bounds
    told = [found.verdict, found.attackers, _costs(forth, "b"), _costs(back, "a"), found.note]
    sentence = " ".join(part for part in told if part)
    return found.order, ((forth.lower, forth.upper), (back.lower, back.upper)), sentence


def _costs(found: Divergence, under: str) -> str:
    """What the choice of one costs, where it certainly costs something."""
    if not found.lower > 0.0:
        return ""
    return f"An attacker's Bayes error is lower under {under} by up to {outward(found.upper, 3)}."
