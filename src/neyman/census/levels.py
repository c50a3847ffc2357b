"""What an allocation promises: mu, its regret and epsilon, of every level by itself and in total."""

from __future__ import annotations

from collections.abc import Sequence

from neyman._errors import InvalidParameter
from neyman._validate import inside
from neyman.accounting import account as accounted
from neyman.census.allocation import TOTAL, Allocation
from neyman.guarantees import ZCDP
from neyman.profiles.effort import EFFORT
from neyman.tables.table import Cell, Column, Table

__all__ = ["TOTAL", "account"]

_MOST_DELTAS = 20  # columns of epsilon at most
_COLUMNS = (
    Column("level", "level"),
    Column("share", "share", "at most", 4),
    Column("rho", "rho", "at most", 6, r"$\rho$"),
    Column("queries", "queries"),
    Column("sigma_least", "least σ", "at least", tex=r"least $\sigma$"),
    Column("sigma_largest", "largest σ", "at least", tex=r"largest $\sigma$"),
    Column("mu", "μ", "at most", tex=r"$\mu$"),
    Column("regret_mu", "regret of μ", "at most", 2, r"regret of $\mu$"),
)
_CAPTION = (
    "Each level by itself, and all together. {changed} by one between neighbours. rho is what the allocation spends; "
    "mu at error rates of {floor:g} and above, its regret, and epsilon are certified upper bounds, rounded up. The "
    "epsilon of rho is what is left where rho alone is known.{source}"
)
_CHANGED = {1: "One cell of a tabulation changes", 2: "Two cells of a tabulation change"}


def account(
    allocation: Allocation,
    deltas: Sequence[float] = (1e-10,),
    *,
    floor: float = 1e-10,
    tolerance: float = 1e-6,
    effort: float = EFFORT,
) -> Table:
    """Return what an allocation promises, one row a geographic level, and "total" last.

    Parameters
    ----------
    allocation : Allocation
        ``census.published(...)``, ``census.read(path)``, or one made by hand.
    deltas : sequence of float
        At which epsilon is told; 1 to 20 of them, in (0, 1). The Census Bureau states its own at 1e-10.
    floor, tolerance, effort
        As of ``Guarantee.gdp`` and ``account``.

    Returns
    -------
    Table
        Columns: level, share of rho, rho, queries, the least and the largest sigma, mu, regret_mu, and for each delta
        "epsilon(delta)" and "epsilon_of_rho(delta)", what is left of it where rho alone is known.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or a row's noise is beyond what ``DiscreteGaussian`` takes.
    NotCertified
        As ``account``.

    Notes
    -----
    Discrete Gaussians compose as they are, not as the zCDP that they keep (Su, Su and Wang 2024, The 2020 United States
    decennial Census is more private than you (might) think; Gomez et al., Section 5).

    Examples
    --------
    >>> from neyman import census
    >>> found = census.account(census.published("dhc-2022-08-25"), deltas=[1e-11])
    >>> found["level"][:3], [round(mu, 3) for mu in found["mu"][:3]]
    (['US', 'State', 'County'], [0.382, 1.415, 0.788])
    >>> found["epsilon(1e-11)"][-1] < found["epsilon_of_rho(1e-11)"][-1]
    True
    """
    if not isinstance(allocation, Allocation):
        raise InvalidParameter("allocation", allocation, "an Allocation", "census.published(NAME), census.read(PATH).")
    inside("floor", floor, 0.0, 0.5)
    if not 0 < len(deltas) <= _MOST_DELTAS:
        raise InvalidParameter("deltas", deltas, f"from 1 to {_MOST_DELTAS} numbers in (0, 1)")
    at = [inside("delta", delta, 0.0, 1.0) for delta in deltas]
    columns = [*_COLUMNS]
    for delta in at:
        columns += [
            Column(f"epsilon({delta:g})", f"ε at {delta:g}", "at most", tex=rf"$\varepsilon$ at {delta:g}"),
            Column(
                f"epsilon_of_rho({delta:g})",
                f"ε at {delta:g} of rho",
                "at most",
                tex=rf"$\varepsilon$ at {delta:g} of $\rho$",
            ),
        ]
    rows = tuple(_row(allocation, level, at, (floor, tolerance, effort)) for level in (*allocation.levels, None))
    source = f" {allocation.name}: {allocation.source}" if allocation.source else ""
    caption = _CAPTION.format(changed=_CHANGED[allocation.changed], floor=floor, source=source)
    return Table(tuple(columns), rows, caption)


def _row(
    allocation: Allocation, level: str | None, deltas: list[float], limits: tuple[float, float, float]
) -> tuple[Cell, ...]:
    floor, tolerance, effort = limits
    g = accounted(allocation.mechanism(level), tolerance=tolerance, effort=effort)  # who changes what: see ``changed``
    report, sigmas, rho = g.gdp(floor), allocation.sigmas(level), ZCDP(allocation.rho(level))
    exact, whole = allocation.exactly(level), allocation.exactly()
    queries = sum(one.queries for one in allocation.of(level))
    told: list[Cell] = [TOTAL if level is None else level, float(exact / whole), float(exact), queries]
    told += [min(sigmas), max(sigmas), report.mu, report.regret]
    for delta in deltas:
        told += [float(g.epsilon(delta)), float(rho.epsilon(delta))]
    return tuple(told)
