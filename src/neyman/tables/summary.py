"""``table``: what one's own runs promise, before and after: epsilon at delta, mu, and what either gives away."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from neyman._errors import InvalidParameter, NotCertified
from neyman._validate import choice, inside
from neyman.accounting import ADJACENCIES, account
from neyman.comparison import Comparison, compare
from neyman.guarantees import BLATANT, ApproximateDP, Guarantee, OptimisticGuarantee
from neyman.guarantees.given.pure import LARGEST_EPSILON
from neyman.mechanisms import Mechanism
from neyman.profiles.effort import EFFORT
from neyman.tables.runs import Run, runs_of
from neyman.tables.table import Cell, Column, Table

__all__ = ["table"]

_GIVEN = (
    Column("noise_multiplier", "σ", tex=r"$\sigma$"),
    Column("sample_rate", "q", tex="$q$"),
    Column("steps", "T", tex="$T$"),
    Column("delta", "δ", tex=r"$\delta$"),
)
_STATED = (Column("epsilon_stated", "ε stated", tex=r"$\varepsilon$ stated"), Column("stated_holds", "it holds"))
_FOUND = (
    Column("epsilon", "ε", "at most", tex=r"$\varepsilon$"),
    Column("regret_epsilon", "regret of (ε, δ)", "at most", 3, r"regret of $(\varepsilon, \delta)$"),
    Column("mu", "μ", "at most", tex=r"$\mu$"),
    Column("regret_mu", "regret of μ", "at most", 3, r"regret of $\mu$"),
    Column("advantage", "advantage", "at most", 4),
)
_BESIDE = (
    Column("divergence", "Δ(baseline ‖ run)", "at most", 4, r"$\Delta(\mathrm{baseline} \,\|\, \mathrm{run})$"),
    Column("reverse", "Δ(run ‖ baseline)", "at most", 4, r"$\Delta(\mathrm{run} \,\|\, \mathrm{baseline})$"),
)
_EFFICIENT = Column("efficient", "Pareto-efficient")
_REFUSED = Column("refused", "not certified")
_CAPTION = (
    "ε at δ, μ at error rates of {floor:g} and above, regrets, advantage and divergences are certified upper bounds, "
    "rounded up. The regret of a summary is how much of the attacker's Bayes error it gives away; below 0.01 the "
    "summary is practically the whole story. Neighbours: {adjacency}.{baseline}"
)


def table(
    runs: str | os.PathLike[str] | Iterable[Mapping[str, Any]],
    *,
    delta: float = 1e-5,
    baseline: str | Mechanism | Guarantee | None = None,
    floor: float = 1e-10,
    adjacency: str = "add_or_remove",
    tolerance: float = 1e-6,
    effort: float = EFFORT,
) -> Table:
    """Return what runs of DP-SGD promise, one row each: epsilon before, mu after, and what either gives away.

    Parameters
    ----------
    runs : path or iterable of mappings
        A CSV file (at most 1 MB; lines that begin with # are notes), or one mapping a run (of a pandas.DataFrame:
        ``frame.to_dict("records")``). Columns: noise_multiplier; sample_rate, or batch_size and dataset_size; steps, or
        epochs; and, where there are any, name, delta, epsilon (what was stated for the run) and accuracy or utility
        (larger is better). Any other column is kept as words; one named adjacency must say what ``adjacency`` does.
    delta : float
        At which epsilon is told of runs that have no delta of their own; in (0, 1).
    baseline : str, Mechanism or Guarantee, optional
        What runs are compared with: the name of one of them, or anything else.
    floor, adjacency, tolerance, effort
        As of ``Guarantee.gdp`` and ``account``.

    Returns
    -------
    Table
        ``.csv()``, ``.markdown()``, ``.latex()``, ``.write(path)``; ``["mu"]`` is a column. "regret_epsilon" is
        Delta(run || (epsilon, delta)), what is given away where epsilon alone is reported; "regret_mu" the same of mu.
        With epsilons that were stated: "stated_holds", whether the run keeps that pair, "undecided" where its bracket
        does not tell. With a baseline: "divergence", Delta(baseline || run), and "reverse". With accuracies as well:
        "efficient", whether no other run has at least its accuracy and at most its divergence, and one of them better;
        of equal divergences, such as 0 of all runs that are more private than the baseline, the smaller mu is better;
        "undecided" where a run that might be better has no divergence. What cannot be certified is None, and costs no
        other number: "refused", a column of its own where there is such a run, says why.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or a row is not that of a run: its number and column are named.

    Notes
    -----
    Gomez et al., Gaussian DP for reporting differential privacy guarantees in machine learning, Tables 2, 4 and 5 and
    Fig. 1 (c); Kaissis et al. (2024), Beyond the calibration point, Section 5, for divergence and efficiency.

    Examples
    --------
    >>> import neyman as ny
    >>> rows = [{"name": "a", "noise_multiplier": 9.4, "batch_size": 16384, "dataset_size": 50000, "steps": 2000},
    ...         {"name": "b", "noise_multiplier": 2.0, "sample_rate": 0.01, "steps": 1000, "delta": 1e-6}]
    >>> found = ny.table(rows)
    >>> found["name"], [round(mu, 3) for mu in found["mu"]], [round(r, 4) for r in found["regret_mu"]]
    (['a', 'b'], [1.567, 0.178], [0.001, 0.002])
    """
    kind = choice("adjacency", adjacency, ADJACENCIES)
    inside("floor", floor, 0.0, 0.5)
    read = runs_of(runs, delta)
    _check_words(read, kind)
    made = [account(run.mechanism, adjacency=kind, tolerance=tolerance, effort=effort) for run in read]
    base = _baseline(baseline, read, made, (kind, tolerance, effort))
    asked = [_answers(run, g, floor, base) for run, g in zip(read, made, strict=True)]
    rows = [found for found, _ in asked]
    columns = [*_FOUND, *(_BESIDE if base is not None else ())]
    if base is not None and any(run.utility is not None for run in read):
        places = [[column.name for column in columns].index(name) for name in ("divergence", "mu")]
        costs = [_cost(row[places[0]], row[places[1]]) for row in rows]
        rows = [(*row, efficient) for row, efficient in zip(rows, _efficient(read, costs), strict=True)]
        columns.append(_EFFICIENT)
    if any(why for _, why in asked):
        rows = [(*row, why) for row, (_, why) in zip(rows, asked, strict=True)]
        columns.append(_REFUSED)
    heads, before = _before(read, made)
    whole = tuple((*first, *row) for first, row in zip(before, rows, strict=True))
    beside = f" Baseline: {baseline if isinstance(baseline, str) else repr(baseline)}." if base is not None else ""
    return Table((*heads, *columns), whole, _CAPTION.format(floor=floor, adjacency=kind, baseline=beside))


def _check_words(runs: tuple[Run, ...], adjacency: str) -> None:
    """Refuse columns that would stand for an answer, or that say of a run what the table does not."""
    taken = [column.name for column in (*_STATED, *_FOUND, *_BESIDE, _EFFICIENT, _REFUSED)]
    for number, run in enumerate(runs, 1):
        for word, said in run.words.items():
            if word in taken:
                advice = "Of what ny.table has answered, give the columns of the runs alone."
                raise InvalidParameter("runs", word, "without a column of that name: it is one of the answers", advice)
            if word.lower() == "adjacency" and said not in ("", adjacency):
                advice = "adjacency= (--adjacency) is that of all runs of a table; make one for each."
                raise InvalidParameter(
                    f"row {number}: {word}", said, f"empty, or {adjacency!r}, as the table's", advice
                )


def _before(runs: tuple[Run, ...], made: list[Any]) -> tuple[list[Column], list[list[Cell]]]:
    """What was known of the runs: their words, their parameters, and what was stated of them."""
    words = list(dict.fromkeys(name for run in runs for name in run.words))
    useful = [Column("accuracy", "accuracy")] if any(run.utility is not None for run in runs) else []
    stated = list(_STATED) if any(run.stated is not None for run in runs) else []
    heads = [Column("name", "run"), *(Column(word, word) for word in words), *useful, *_GIVEN, *stated]
    rows: list[list[Cell]] = []
    for run, g in zip(runs, made, strict=True):
        row: list[Cell] = [run.name, *(run.words.get(word, "") for word in words)]
        row += [run.utility] if useful else []
        row += [run.noise_multiplier, run.sample_rate, run.steps, run.delta]
        rows.append(row + ([run.stated, _holds(run, g)] if stated else []))
    return heads, rows


def _holds(run: Run, g: Guarantee) -> Cell:
    """Whether the run keeps the pair that was stated for it."""
    if run.stated is None:
        return None
    try:
        if g.epsilon(run.delta) <= run.stated:
            return True
        return False if g.optimistic.epsilon(run.delta) > run.stated else "undecided"
    except NotCertified:
        return "undecided"


def _answers(run: Run, g: Guarantee, floor: float, base: Guarantee | None) -> tuple[tuple[Cell, ...], str]:
    """What is found of a run, None where it cannot be certified, and why that is."""
    parts: list[tuple[int, Callable[[], tuple[Cell, ...]]]] = [(len(_FOUND), lambda: _row(run, g, floor))]
    if base is not None:
        parts.append((len(_BESIDE), lambda: _both(compare(base, g))))
    found: list[Cell] = []
    why: list[str] = []
    for width, ask in parts:
        try:
            found += ask()
        except NotCertified as error:
            found += [None] * width
            why.append(str(error))
    return tuple(found), " ".join(why)


def _row(run: Run, g: Guarantee, floor: float) -> tuple[Cell, ...]:
    epsilon, report = float(g.epsilon(run.delta)), g.gdp(floor)
    pair = ApproximateDP(epsilon, run.delta) if epsilon <= LARGEST_EPSILON else BLATANT
    return epsilon, float(g.regret(pair)), report.mu, report.regret, float(g.advantage)


def _both(found: Comparison) -> tuple[float, float]:
    return found.divergence, found.reverse


def _cost(divergence: Cell, mu: Cell) -> tuple[float, float] | None:
    return (divergence, mu) if isinstance(divergence, float) and isinstance(mu, float) else None


def _efficient(runs: tuple[Run, ...], costs: list[tuple[float, float] | None]) -> list[Cell]:
    """Of each run whose usefulness is known, whether no other one that is costs as little and is as useful, or more;
    costs are divergences, and mu where these are equal.
    """
    told = [None if run.utility is None else (run.utility, cost) for run, cost in zip(runs, costs, strict=True)]
    known = [(utility, cost) for utility, cost in filter(None, told) if cost is not None]
    unknown = [utility for utility, cost in filter(None, told) if cost is None]

    def said(utility: float, cost: tuple[float, float]) -> Cell:
        if any(r != (utility, cost) and r[0] >= utility and r[1] <= cost for r in known):
            return False
        return "undecided" if any(u >= utility for u in unknown) else True

    return [pair and (None if pair[1] is None else said(pair[0], pair[1])) for pair in told]


def _baseline(
    value: object, runs: tuple[Run, ...], made: list[Any], limits: tuple[str, float, float]
) -> Guarantee | None:
    names = [run.name for run in runs]
    if value is None:
        return None
    if isinstance(value, str):
        if value not in names:
            raise InvalidParameter("baseline", value, f"the name of a run: {', '.join(names[:8])}", "Or a Mechanism.")
        return made[names.index(value)]
    if isinstance(value, Mechanism):
        kind, tolerance, effort = limits
        return account(value, adjacency=kind, tolerance=tolerance, effort=effort)
    if not isinstance(value, Guarantee) or isinstance(value, OptimisticGuarantee):
        raise InvalidParameter("baseline", value, "the name of a run, a Mechanism or a Guarantee")
    return value
