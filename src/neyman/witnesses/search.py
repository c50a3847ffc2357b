"""From a report's claims to a proof that the checker accepts, or to what is missing. All of it may be wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flint import arb, ctx
from scipy.special import ndtr

from neyman.witnesses.precision import BITS, supplied
from neyman.witnesses.statements import stated
from neyman.witnesses.wanted import Places, between, parts_of
from neyman_check.check import Answer, check
from neyman_check.claims.always import holds
from neyman_check.claims.divergences import MORE
from neyman_check.claims.references import REFERENCES, pure
from neyman_check.claims.statement import Proved, Statement
from neyman_check.claims.statements import QUANTITIES
from neyman_check.deltas.exact import gaussian_delta
from neyman_check.errors import NotProved
from neyman_check.form import FORMAT, VERSION, statement_of
from neyman_check.work import MOST

__all__ = ["POINTS", "ROUNDS", "proof_of", "proved", "start"]

ROUNDS, _VEILED = 16, 2  # of more places, where a claim is not yet proved; behind a veil
_MOST = 2000  # places
_AFFORDED = 5 * MOST // 8  # units of work that all places may take
_SPARSE = 8  # places of a grid of which one is wanted beside those about one alpha
_FLOOR = 1e-10  # at which mu with no floor is bounded from below
_BEYOND, _WIDE = 1.2, 8.0  # times the last eps of the grid, or the root of rho: where what rho promises ends
POINTS = ("delta", "epsilon", "advantage")  # of which each asks for one place and no curve
LOCAL = (*POINTS, "beta", "tpr", "bayes_error", "accuracy", "fixed_point")  # and these for a few about one


_Open = list[tuple[dict[str, Any], list[float]]]


def proof_of(
    document: Mapping[str, Any], only: frozenset[str] | None = None, told: Callable[[int], None] = lambda _: None
) -> tuple[dict[str, Any], list[Answer]]:
    """The JSON form of a proof of what a report claims, and what the checker says of it."""
    claims = document["claims"]
    chosen = [one for one in claims if only is None or one["id"] in only]
    statements = [one for claim in chosen for one in stated(claim, claims)]
    try:
        places = start(document["mechanism"], document["adjacency"])
    except NotProved:
        places = None
    data, answers = proved(document["mechanism"], document["adjacency"], statements, places, told)
    return data, answers + [
        Answer(one["id"], Statement(one["quantity"], {}, True, arb(one["value"])), "not proved", "no lemma for it")
        for one in chosen
        if one["quantity"] not in QUANTITIES and one["value"] != "inf"
    ]


def start(mechanism: dict[str, Any], adjacency: str) -> Places:
    """Places of a mechanism, none of them asked yet; ``NotProved`` where some law has no lemma."""
    return Places(supplied(mechanism, adjacency))


def proved(
    mechanism: dict[str, Any],
    adjacency: str,
    statements: list[dict[str, Any]],
    places: Places | None,
    told: Callable[[int], None] = lambda _: None,
    rounds: int = ROUNDS,
) -> tuple[dict[str, Any], list[Answer]]:
    """The JSON form of a proof of these statements, and what the checker says of it, after so many rounds of more
    places.
    """
    bits = BITS if places is None else places.supply.bits
    data: dict[str, Any] = {
        "format": FORMAT, "version": VERSION, "bits": bits, "mechanism": mechanism, "adjacency": adjacency,
        "lines": [], "places": [], "statements": statements,
    }  # fmt: skip
    if places is not None:
        with ctx.workprec(bits):
            asked = sorted(_rounds(statements, places, told, rounds))
            if len(asked) > _MOST:
                asked = asked[:: -(-len(asked) // _MOST)]
            _written(data, places.supply.lines, places.supply.places(asked), places.cover.rows())
    return data, check(data)


def _written(
    data: dict[str, Any], lines: list[dict[str, Any]], rows: list[dict[str, Any]], cells: list[dict[str, Any]]
) -> None:
    """Places and cells with the lines that they name, by new numbers."""
    named = sorted({row["line"] for row in [*rows, *cells] if row["line"] is not None})
    number = {old: new for new, old in enumerate(named)}
    data["lines"] = [lines[i] for i in named]
    data["places"] = [{**row, "line": number.get(row["line"])} for row in rows]
    if cells:
        data["cells"] = [{**row, "line": number.get(row["line"])} for row in cells]


def _rounds(statements: list[dict[str, Any]], places: Places, told: Callable[[int], None], rounds: int) -> set[float]:
    """More and more places, until everything is proved or nothing is gained."""
    left, asked = _first(statements, places)
    before = set(asked)
    if places.supply.veiled:  # cells tell what more places would
        rounds = min(_VEILED, rounds)
    for again in range(1, rounds + 1):
        try:
            follows, open_ = _open(left, asked, places)
        except NotProved:
            break
        told(len(left) - len(open_))
        left = open_
        if places.supply.cost(asked) > _AFFORDED:
            asked = before
            break
        before = set(asked)
        new = _more(left, follows, places, again, asked)
        if not new:
            break
        asked.update(new)
    return asked


def _first(statements: list[dict[str, Any]], places: Places) -> tuple[_Open, set[float]]:
    """What does not follow at once, with the alphas by which mu may be bounded from below, and where to begin."""
    for one in statements:
        if one["quantity"] == "zcdp" and "at_least" in one:
            one["given"]["order"] = places.supply.order()
    wanting = _not_at_once(statements, places)
    asked, left = _begun(wanting, places), _Open()
    for one in wanting:
        below = one["quantity"] in ("mu", "tail_mu") and "at_least" in one
        left.append((one, places.sharpest(one["given"].get("floor", _FLOOR)) if below else []))
        middle = float(ndtr(-0.5 * one["at_least"])) if below else 0.0
        if 0.0 < middle < 0.5:  # where f is nearly a Gaussian's everywhere, its middle is told best
            left[-1][1].append(middle)
        asked.update(_near(one, left[-1][1], places))
        asked.update(_of_divergence(one, places))
    return left, asked


def _more(left: _Open, follows: Proved, places: Places, again: int, asked: set[float]) -> list[float]:
    """The places of another round; areas last, which want all cells smaller."""
    more = [e for one, alphas in left for e in _near(one, alphas, places, again)]
    more += [e for one, _ in left if one["quantity"] != "auc" for e in between(follows, statement_of(one))]
    new = [e for e in dict.fromkeys(more) if e not in asked]
    if not new:
        more = [e for one, _ in left if one["quantity"] == "auc" for e in between(follows, statement_of(one))]
        new = [e for e in dict.fromkeys(more) if e not in asked]
    return new[: _MOST - len(asked)]


def _begun(wanting: list[dict[str, Any]], places: Places) -> set[float]:
    """Where questions about the whole curve begin, and few of these places where there are none."""
    if all(one["quantity"] in POINTS for one in wanting):
        return set()
    whole = any(one["quantity"] not in LOCAL for one in wanting)
    return set(places.grid if whole else places.grid[::_SPARSE])


def _not_at_once(statements: list[dict[str, Any]], places: Places) -> list[dict[str, Any]]:
    """Of one Gaussian alone most follows with no place at all."""
    try:
        follows = places.supply.follows([])
    except NotProved:
        return statements
    return [one for one in statements if not _proved(follows, one, ())]


def _near(one: dict[str, Any], alphas: Sequence[float], places: Places, again: int = 0) -> list[float]:
    """The places that a statement wants, at each of several alphas where it is a matter of one."""
    found: list[float] = []
    for alpha in alphas[-2:] if again else alphas:  # the likeliest come last
        one["given"]["at"] = alpha
        found += places.of(one, again)
    return found or places.of(one, again)


def _open(left: _Open, asked: set[float], places: Places) -> tuple[Proved, _Open]:
    """What does not follow yet, even where lines are summed between places."""
    rows = sorted(asked)
    follows = places.supply.follows(rows, places.cover.cells)
    open_ = [(one, alphas) for one, alphas in left if not _proved(follows, one, alphas)]
    known = len(places.cover.parts)
    places.cover.extend([part for one, _ in open_ for part in parts_of(follows, statement_of(one))], places.unit)
    if len(places.cover.parts) > known:
        follows = places.supply.follows(rows, places.cover.cells)
        open_ = [(one, alphas) for one, alphas in open_ if not _proved(follows, one, alphas)]
    return follows, open_


def _proved(follows: Proved, statement: dict[str, Any], alphas: Sequence[float]) -> bool:
    """Whether it follows, at one of several alphas where it is a matter of one."""
    for alpha in alphas or (None,):
        if alpha is not None:
            statement["given"]["at"] = alpha
        try:
            if holds(follows, statement_of(statement)):
                return True
        except NotProved:
            continue
    return False


def _of_divergence(statement: dict[str, Any], places: Places) -> list[float]:
    """Where two profiles are furthest apart."""
    name, given = statement["quantity"], statement["given"]
    if name in ("regret", "shortfall"):
        mu = arb(given["mu"])

        def other(e: float) -> float:
            return float(gaussian_delta(mu, arb(e)).mid())
    elif name in ("divergence", "reverse"):
        reference = REFERENCES[given["reference"]]()

        def other(e: float) -> float:
            return float(reference.delta(arb(e).exp()).mid())
    elif name == "epsilon_regret":
        stated = pure(arb(given["epsilon"]))

        def other(e: float) -> float:
            return float(stated.delta(arb(e).exp()).mid())
    elif name == "zcdp_regret":
        return _of_rho(given, places)
    else:
        return []
    corner = 1.0 if given.get("reference") == "response" else given.get("epsilon", 0.0)
    return places.around(places.widest(other, 1.0 if name in MORE else -1.0)) + places.around(corner)


def _of_rho(given: dict[str, Any], places: Places) -> list[float]:
    """The same, and by which tangents, or by which test."""
    if not given["rho"] > 0.0:
        return []
    from neyman.witnesses.region import Region

    region = Region(given["rho"], max(_BEYOND * places.grid[-1], _WIDE * math.sqrt(given["rho"])))
    at = places.widest(region.delta, 1.0)
    given["touching"], given["inside"] = region.touching(at, places.unit), region.inside(at)
    return places.around(at)
