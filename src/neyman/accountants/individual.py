"""``IndividualFilter``: a privacy budget for every record by itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, between, not_negative, unmasked, whole
from neyman.accountants.budget import SMALLEST_LARGEST
from neyman.accountants.charge import ADVICE, squared_mu
from neyman.accountants.guarded import Guarded
from neyman.guarantees import GDP
from neyman.mechanisms import Mechanism

__all__ = ["IndividualFilter"]

BoolArray = NDArray[np.bool_]

_WHOLE = 2**52  # units in a squared budget: sums of whole units are exact in float64
_CAPACITY = float(_WHOLE)
_UP = 1.0 + 2.0**-50  # more than the four roundings of a charge, or the three of a root
_SLACK = 16.0  # units, more than a charge may be rounded up by, and the roundings of a root
_BLOCK = 1 << 15  # records at a time, so that a block stays in the processor's cache
_MOST = 10**10  # records at most
_SCHEMA = 1  # of the saved form: raised when a field changes its meaning
# times the budget: losses beyond are taken for this, whose square is a float and which nothing pays for
_TOO_MUCH = 1e50


class IndividualFilter(Guarded):
    """One budget mu per record, for fully adaptive composition with individual losses.

    A record's loss at a step is that of the step for THIS record: with noise sigma on a sum of gradients it is its own
    (clipped) gradient norm over sigma, not the clipping norm over sigma. At every step call ``spend`` with the
    individual mu; let exactly the records of the returned mask take part (the others contribute nothing); then run.
    Each record is then mu-GDP in the whole run, against the same run without it, however the run is steered: see
    ``guarantee``.

    - WHO IS ACTIVE, AND WHAT EACH HAS SPENT, IS SECRET: it depends on the data. Do not release it.
    - A SAMPLED STEP IS CHARGED WITHOUT AMPLIFICATION, and charged to every record that might have been sampled.
    - It holds when one record is added or removed, not when one is replaced.

    Parameters
    ----------
    mu : float
        The budget of every record, from 1e-50 to 1e50.
    records : int
        How many there are, from 1 to 1e10; eight bytes each.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    Notes
    -----
    Koskela, Tobaben and Honkela (2023), Individual privacy accounting with Gaussian differential privacy; for Renyi
    divergences Feldman and Zrnic (2021). A record that cannot pay for a step sits it out, which costs it nothing; a
    cheaper step may still find it active.

    The squares are kept in float64 as whole multiples of 2^-52 of the squared budget, each charge rounded up to one, so
    that sums are exact and the order of the steps does not matter. The charge of a single number, or of a mechanism, is
    rounded up once, exactly; those of an array by up to seven units.

    Examples
    --------
    >>> import numpy as np, neyman as ny
    >>> budget = ny.IndividualFilter(mu=1.0, records=3)
    >>> norms = np.array([0.1, 0.6, 0.9])
    >>> budget.spend(norms), budget.spend(norms)
    (array([ True,  True,  True]), array([ True,  True, False]))
    >>> budget.spent.round(3), budget.spend(0.5, records=[1, 2])
    (array([0.141, 0.849, 0.9  ]), array([False,  True, False]))
    """

    def __init__(self, *, mu: float, records: int) -> None:
        super().__init__()
        self._budget = between("mu", mu, *SMALLEST_LARGEST)
        self._square = Fraction(self._budget) ** 2
        many = whole("records", records, 1, _MOST)
        try:
            self._units = np.zeros(many)
        except MemoryError:
            raise InvalidParameter("records", records, "a number whose budgets fit into memory") from None

    def spend(self, mu: float | NDArray[Any] | Mechanism, records: NDArray[Any] | list[int] | None = None) -> BoolArray:
        """Charge the records that can pay for the step that is about to run, and return which they are.

        Parameters
        ----------
        mu : float, array or Mechanism
            The loss of the step for each record: one finite number >= 0 for all, an array with one for each of
            ``records``, or a mechanism whose floor-free mu is the same for all.
        records : array, optional
            Who would take part: a mask over all records, or distinct indices. Everybody, if left out. With a mask an
            array ``mu`` has a number for every record of the filter.

        Returns
        -------
        ndarray of bool
            For every record of the filter, whether it takes part; it was charged if and only if it does.

        Raises
        ------
        InvalidParameter
            If an argument lies outside its domain; nobody was charged.
        """
        chosen = self._chosen(records)
        selected = chosen is not None and chosen.dtype != np.bool_
        size = len(chosen) if selected and chosen is not None else len(self._units)
        losses = None if isinstance(mu, Mechanism) else _as_array("mu", mu, f"a number, or an array of {size} numbers")
        charge = self._single(mu) if losses is None or losses.ndim == 0 else _losses(losses, size, self._budget)
        active = np.zeros(len(self._units), dtype=np.bool_)
        with self._lock:
            if selected and chosen is not None:
                self._some(chosen, charge, active)
            else:
                self._all(chosen, charge, active)
        return active

    def guarantee(self) -> GDP:
        """Return what holds for each record of the whole run: its budget, whatever it spent."""
        return GDP(self._budget)

    @property
    def budget(self) -> float:
        """The budget of every record."""
        return self._budget

    @property
    def active(self) -> BoolArray:
        """Which records have anything left. SECRET: it depends on the data."""
        with self._lock:
            return self._units < _CAPACITY

    @property
    def spent(self) -> FloatArray:
        """What each record has spent, mu, rounded up. SECRET, and no guarantee."""
        with self._lock:
            return np.minimum(np.sqrt(self._units / _CAPACITY) * (self._budget * _UP), self._budget)

    @property
    def remaining(self) -> FloatArray:
        """What each record can still pay for, mu, rounded down by so much that ``spend`` does take it. SECRET."""
        with self._lock:
            return np.sqrt(np.maximum(_CAPACITY - self._units - _SLACK, 0.0) / _CAPACITY) * self._budget

    def state_dict(self) -> dict[str, Any]:
        """Return everything: the budget, and of each record its share spent, in 2^-52 of mu^2. SECRET."""
        with self._lock:
            return {"schema": _SCHEMA, "mu": self._budget, "units": self._units.copy()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what the same filter had spent when ``state_dict`` was asked.

        A state older than the last ``spend`` forgets what was spent since: that is for the caller to prevent.

        Raises
        ------
        InvalidParameter
            If the dict is malformed, of another schema, or of another filter; this one stays as it was.

        Examples
        --------
        >>> import neyman as ny
        >>> one, two = (ny.IndividualFilter(mu=1.0, records=2) for _ in range(2))
        >>> _ = one.spend([0.5, 0.8])
        >>> two.load_state_dict(one.state_dict())
        >>> two.spent.round(6)
        array([0.5, 0.8])
        """
        if not isinstance(state, Mapping) or set(state) != {"schema", "mu", "units"}:
            raise InvalidParameter("state", state, "a dict that state_dict wrote")
        for name, mine in (("schema", _SCHEMA), ("mu", self._budget)):
            if type(state[name]) is not type(mine) or state[name] != mine:
                raise InvalidParameter(name, state[name], f"{mine!r}, as of this filter")
        units = _as_array("units", state["units"], "an array")
        if units.shape != self._units.shape or units.dtype != np.float64:
            raise InvalidParameter("units", f"{units.dtype} array of shape {units.shape}", "one float64 a record")
        if not bool(np.all((units >= 0.0) & (units <= _CAPACITY) & (units == np.floor(units)))):
            raise InvalidParameter("units", units, f"whole numbers from 0 to {_CAPACITY:.0f}")
        with self._lock:
            self._units[:] = units

    def __len__(self) -> int:
        """Return how many records there are."""
        return len(self._units)

    def __repr__(self) -> str:
        return f"<IndividualFilter: mu = {self._budget!r} for each of {len(self)} records>"

    def _chosen(self, records: object) -> NDArray[Any] | None:
        if records is None:
            return None
        size = len(self._units)
        allowed = f"a mask, or distinct indices from 0 to {size - 1}"
        chosen = _as_array("records", records, allowed)
        if chosen.dtype == np.bool_:
            if chosen.shape != (size,):
                raise InvalidParameter("records", chosen.shape, f"a mask of shape ({size},)")
            return chosen
        if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iu"):
            raise InvalidParameter("records", records, allowed)
        chosen = chosen.astype(np.int64)
        if chosen.size and (int(chosen.min()) < 0 or int(chosen.max()) >= size):
            raise InvalidParameter("records", (int(chosen.min()), int(chosen.max())), allowed)
        order = np.sort(chosen)
        if np.any(order[1:] == order[:-1]):
            raise InvalidParameter("records", int(order[1:][order[1:] == order[:-1]][0]), allowed)
        return chosen

    def _single(self, mu: object) -> float:
        """The units that one loss costs, rounded up."""
        if isinstance(mu, Mechanism):
            square = squared_mu(mu, replace=False)
            if square is None:
                raise InvalidParameter("mu", mu, "a mechanism of which a finite mu holds, with no floor", ADVICE)
        else:
            square = Fraction(not_negative("mu", mu.item() if isinstance(mu, np.ndarray) else mu)) ** 2
        units = math.ceil(square / self._square * _WHOLE)
        return float(min(units, 2 * _WHOLE))  # what is more than a budget need not be told apart

    def _array(self, losses: NDArray[Any], into: FloatArray) -> None:
        """The units that many losses cost, rounded up: a loss > 0 costs at least one."""
        scale = float(_WHOLE / self._square) * _UP
        with np.errstate(under="ignore"):
            np.multiply(losses, losses, out=into, dtype=np.float64)
            np.multiply(into, scale, out=into)
            np.floor(into, out=into)
            np.add(into, losses > 0.0, out=into)

    def _all(self, mask: NDArray[Any] | None, charge: float | NDArray[Any], active: BoolArray) -> None:
        cost, after = np.empty((2, min(_BLOCK, len(self._units))))
        for block in _blocks(len(self._units)):
            units, ok = self._units[block], active[block]
            each, new = cost[: len(units)], after[: len(units)]
            if isinstance(charge, np.ndarray):
                self._array(charge[block], each)
            else:
                each[:] = charge
            np.add(units, each, out=new)
            np.less_equal(new, _CAPACITY, out=ok)
            if mask is not None:
                np.logical_and(ok, mask[block], out=ok)
            np.multiply(each, ok, out=each)  # several times faster than to copy where ok
            np.add(units, each, out=units)

    def _some(self, indices: NDArray[Any], charge: float | NDArray[Any], active: BoolArray) -> None:
        after = np.full(len(indices), charge) if not isinstance(charge, np.ndarray) else np.empty(len(indices))
        if isinstance(charge, np.ndarray):
            self._array(charge, after)
        after += self._units[indices]
        ok = after <= _CAPACITY
        self._units[indices[ok]] = after[ok]
        active[indices[ok]] = True


def _as_array(name: str, value: object, allowed: str) -> NDArray[Any]:
    array = unmasked(name, value)
    if array is None:
        raise InvalidParameter(name, value, allowed)
    return array


def _losses(losses: NDArray[Any], size: int, budget: float) -> NDArray[Any]:
    """Individual losses: finite, >= 0, one each."""
    if losses.shape != (size,) or losses.dtype.kind not in "fiu":
        raise InvalidParameter("mu", losses, f"a number, or an array of {size} numbers")
    if size and not (float(losses.min()) >= 0.0 and float(losses.max()) < math.inf):
        wrong = losses[~((losses >= 0.0) & (losses < math.inf))]
        raise InvalidParameter("mu", float(wrong[0]), "finite and >= 0 for every record")
    largest = _TOO_MUCH * budget  # far more than can be paid for; its square does not overflow
    if size and float(losses.max()) > largest:
        losses = np.minimum(losses.astype(np.float64), largest)
    return losses if losses.dtype.kind == "f" else losses.astype(np.float64)


def _blocks(size: int) -> Iterator[slice]:
    for start in range(0, size, _BLOCK):
        yield slice(start, min(start + _BLOCK, size))
