"""``Filter``: a privacy budget that holds whatever is decided on the way."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, cast

from neyman._errors import BudgetExceeded, InvalidParameter
from neyman._validate import between, choice
from neyman.accountants.charge import ADVICE, concentration, root_down, root_up, squared_mu
from neyman.accountants.guarded import Guarded
from neyman.guarantees import GDP, ZCDP
from neyman.mechanisms import Mechanism
from neyman.mechanisms.additive.rounding import at_least, at_most

__all__ = ["SMALLEST_LARGEST", "Filter", "add_exactly", "read_fraction"]

SMALLEST_LARGEST = (1e-50, 1e50)  # of a budget: squares and sums stay inside float64
_SCHEMA = 1  # of the dict form: raised when a field changes its meaning
_LONGEST = 4096  # bits of an exact sum's denominator; above it is rounded up
_FINEST = 2**256  # parts of a budget to which it is then rounded


class Filter(Guarded):
    """A budget for FULLY ADAPTIVE composition: which mechanism runs next, with how much noise, and when to stop, may
    all depend on everything released so far.

    Call ``spend`` BEFORE running the mechanism; run it only if ``spend`` returns. Then the whole run is mu-GDP
    (``Filter(mu=...)``) or rho-zCDP (``Filter(rho=...)``), however it was steered: see ``guarantee``.

    SAMPLED MECHANISMS ARE CHARGED WITHOUT AMPLIFICATION. What is charged is the floor-free ``tail_mu``, or rho, and of
    Poisson-sampled Gaussian noise both are those of the mechanism that is not sampled: one step of DP-SGD with noise
    multiplier 1 costs mu = 1 at any sample rate. Where the schedule is fixed before the run starts, ``Accountant`` has
    the tight guarantee, amplification and all. Mechanisms without a floor-free mu (rho), such as (epsilon, delta)-DP
    with delta > 0, are refused.

    There is no filter for other curves. Composing trade-off curves as one goes and stopping at the crossing of a
    promised curve is proven NOT to be valid: curves are ordered only in part, so what is left of a promised curve is no
    one number, and an analyst who picks the continuation by what was released can end below the curve that was promised
    (Tran, Koskela, Raisa and Honkela 2026, f-DP filters, arXiv:2602.06756; arXiv:2602.15815: only families that stay
    well-ordered under composition have such a filter). Gaussian curves, and Renyi divergences at one order, are ordered
    by one number: that is why these two budgets are here, and no third.

    Parameters
    ----------
    mu : float, optional
        The budget in Gaussian differential privacy, from 1e-50 to 1e50.
    rho : float, optional
        The budget in zero-concentrated differential privacy, from 1e-50 to 1e50. Give exactly one of the two.
    adjacency : str, default "add_or_remove"
        Or "replace", where additive noise costs twice the mu.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or not exactly one budget is given.

    Notes
    -----
    mu: sum of mu_i^2 <= mu^2 at all times (Smith and Thakurta 2022, Fully adaptive composition for Gaussian
    differential privacy; Koskela, Tobaben and Honkela 2023, Individual privacy accounting with GDP). rho: sum of rho_i
    <= rho (Feldman and Zrnic 2021, Individual privacy accounting via a Renyi filter, at every order at once; Whitehouse
    et al. 2023, Fully adaptive composition in differential privacy). Neither loses anything against composition with
    parameters fixed in advance.

    Threads may share one filter; copies are refused, as each would spend the same budget.

    The sums are exact rationals of the numbers as given: a budget may be spent to the last bit, and one bit more is
    refused. Only when a sum's denominator passes 4096 bits is it rounded, up, by less than 2^-256 of the budget.

    Examples
    --------
    >>> import neyman as ny
    >>> budget = ny.Filter(mu=1.0)
    >>> budget.spend(ny.Gaussian(3.0) ** 8)
    >>> budget.spend(ny.Gaussian(3.0))
    >>> budget.spent, budget.remaining
    (1.0, 0.0)
    >>> try:
    ...     budget.spend(ny.Gaussian(1000.0))
    ... except ny.BudgetExceeded as error:
    ...     print(error)
    Spending mu = 0.001 would overdraw: mu = 0.0 is left of the budget mu = 1.0. ...
    """

    def __init__(self, *, mu: float | None = None, rho: float | None = None, adjacency: str = "add_or_remove") -> None:
        if (mu is None) == (rho is None):
            raise InvalidParameter("mu", (mu, rho), "the only budget, or rho", "Give exactly one of mu and rho.")
        super().__init__()
        self._unit = "rho" if mu is None else "mu"
        self._stated = between(self._unit, rho if mu is None else mu, *SMALLEST_LARGEST)
        self._adjacency = choice("adjacency", adjacency, ("add_or_remove", "replace"))
        self._budget = Fraction(self._stated) if mu is None else Fraction(self._stated) ** 2
        self._spent = Fraction(0)

    def spend(self, mechanism: Mechanism) -> None:
        """Charge a mechanism that is about to run.

        Parameters
        ----------
        mechanism : Mechanism
            Of a composition all is charged, or nothing.

        Raises
        ------
        BudgetExceeded
            If it would overdraw. Nothing was spent: a cheaper mechanism may still fit.
        InvalidParameter
            If it is no mechanism, or no finite mu (rho) holds of it.
        """
        cost = self._charge(mechanism)
        with self._lock:
            after = add_exactly(self._spent, cost, self._budget)
            if after > self._budget:
                raise BudgetExceeded(self._unit, self._shown(cost), self.remaining, self._stated, ADVICE)
            self._spent = after

    def cost(self, mechanism: Mechanism) -> float:
        """Return what ``spend`` would charge, mu or rho, rounded up."""
        return self._shown(self._charge(mechanism))

    def guarantee(self) -> GDP | ZCDP:
        """Return what holds of the whole run, whatever was spent: the budget, as a guarantee.

        What was SPENT is no guarantee: it depends on the data, through the releases that steered the run.
        """
        return GDP(self._stated) if self._unit == "mu" else ZCDP(self._stated)

    @property
    def unit(self) -> str:
        """What is counted: "mu" or "rho"."""
        return self._unit

    @property
    def budget(self) -> float:
        """The budget."""
        return self._stated

    @property
    def adjacency(self) -> str:
        """Which data sets count as neighbours."""
        return self._adjacency

    @property
    def spent(self) -> float:
        """What was spent, mu or rho, rounded up; no guarantee (see ``guarantee``)."""
        return self._shown(self._spent)

    @property
    def remaining(self) -> float:
        """The dearest mechanism that still fits, mu or rho, rounded down: sqrt(budget^2 - spent^2) for mu."""
        left = self._budget - self._spent
        if self._unit == "mu":
            return root_down(left)
        return at_most(left) if left else 0.0

    def state_dict(self) -> dict[str, Any]:
        """Return everything as a dict ready for JSON; what was spent is exact."""
        spent = [str(self._spent.numerator), str(self._spent.denominator)]
        return {"schema": _SCHEMA, self._unit: self._stated, "adjacency": self._adjacency, "spent": spent}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what the same budget had spent when ``state_dict`` was asked: a run that was interrupted goes on.

        A state older than the last ``spend`` forgets what was spent since: that is for the caller to prevent.

        Raises
        ------
        InvalidParameter
            If the dict is malformed, of another schema, or of another budget; the filter stays as it was.

        Examples
        --------
        >>> import neyman as ny
        >>> one, two = ny.Filter(mu=1.0), ny.Filter(mu=1.0)
        >>> one.spend(ny.Gaussian(3.0) ** 8)
        >>> two.load_state_dict(one.state_dict())
        >>> two.spend(ny.Gaussian(3.0))
        >>> two.remaining
        0.0
        """
        if not isinstance(state, Mapping):
            raise InvalidParameter("state", state, "a dict that state_dict wrote")
        mine = self.state_dict()
        if set(state) != set(mine):
            raise InvalidParameter("state", sorted(map(str, state)), f"made of {', '.join(mine)}")
        for name in ("schema", self._unit, "adjacency"):
            if type(state[name]) is not type(mine[name]) or state[name] != mine[name]:
                raise InvalidParameter(name, state[name], f"{mine[name]!r}, as of this filter")
        with self._lock:
            self._spent = read_fraction(state["spent"], self._budget)

    def __repr__(self) -> str:
        return f"<Filter: {self._unit} = {self.spent!r} spent of {self._stated!r}, {self._adjacency}>"

    def _charge(self, mechanism: Mechanism) -> Fraction:
        measure = squared_mu if self._unit == "mu" else concentration
        cost = measure(mechanism, self._adjacency == "replace")
        if cost is None:
            allowed = f"a mechanism of which a finite {self._unit} holds, with no floor"
            raise InvalidParameter("mechanism", mechanism, allowed, ADVICE)
        return cost

    def _shown(self, exact: Fraction) -> float:
        try:
            return root_up(exact) if self._unit == "mu" else at_least(exact)
        except OverflowError:
            return math.inf


def add_exactly(total: Fraction, cost: Fraction, scale: Fraction) -> Fraction:
    """Return total + cost, exactly unless that has become long; then rounded up by less than 2^-256 of ``scale``."""
    exact = total + cost
    if exact.denominator.bit_length() <= _LONGEST:
        return exact
    unit = scale / _FINEST
    return math.ceil(exact / unit) * unit


def read_fraction(value: object, most: Fraction | None) -> Fraction:
    """Read [numerator, denominator], both written out, of what lies between 0 and ``most`` (None: no end)."""
    parts = cast("list[object]", value) if isinstance(value, (list, tuple)) else []
    if len(parts) != 2 or not all(isinstance(p, str) and p.isascii() and p.isdigit() and len(p) < 4000 for p in parts):
        raise InvalidParameter("spent", value, "[numerator, denominator], two strings of digits")
    numerator, denominator = (int(cast("str", part)) for part in parts)
    if denominator == 0 or (most is not None and not Fraction(numerator, denominator) <= most):
        raise InvalidParameter("spent", value, "a fraction not above the budget")
    return Fraction(numerator, denominator)
