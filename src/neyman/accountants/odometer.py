"""``Odometer``: what may be said of a run that has no budget, at a time chosen by looking."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, cast

from scipy import special

from neyman._errors import InvalidParameter
from neyman._validate import MAX_COUNT, between, choice, inside, whole
from neyman.accountants.budget import SMALLEST_LARGEST, add_exactly, read_fraction
from neyman.accountants.charge import ADVICE, concentration
from neyman.accountants.guarded import Guarded
from neyman.guarantees import ZCDP
from neyman.mechanisms import Mechanism
from neyman.mechanisms.additive.rounding import at_least

__all__ = ["Checkpoint", "Odometer"]

_ROOM = 1e-12  # more than the rounding of the boundary, relatively
_HALVINGS = 60  # of the bracket of the boundary, whose upper end is told: steers
_SCHEMA = 1  # of the dict form: raised when a field changes its meaning


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A total that was named before the run.

    Attributes
    ----------
    rho : float
        The total.
    releases : int
        How many calls of ``spend``, from the first, came before the total first passed ``rho``.
    passed : bool
        Whether it has been passed; if not, all releases so far are before it.
    """

    rho: float
    releases: int
    passed: bool

    def guarantee(self) -> ZCDP:
        """Return what holds of the run cut off before its total first passes ``rho``, whatever its strategy."""
        return ZCDP(self.rho)


class Odometer(Guarded):
    """A running total without a budget, with what may be claimed when one stops at a time chosen by looking.

    THE RUNNING TOTAL ITSELF IS NO GUARANTEE at such a time: "I have spent rho = 0.8, so the run is 0.8-zCDP" is false
    when the releases decided where to stop, because then the 0.8 says something about the data (Rogers, Roth, Ullman
    and Vadhan 2016 separate odometers from filters for this reason). Two statements are proven, and offered:

    - ``epsilon``: with probability at least 1 - delta over the run, the log-likelihood ratio of everything released,
      between any two neighbouring data sets, is at most ``epsilon`` at ALL times at once, so also at a time chosen by
      looking. delta and ``near`` must be fixed before the run. If it is certain to stop with epsilon <= e, the run is
      (e, delta)-DP; an epsilon read at a random time is itself random, and the statement is the one above.
    - ``checkpoints``: for every total named before the run, the run cut off before its total first passes that one is
      zCDP with it: each is a filter that only watches.

    Where there is a budget, ``Filter`` is tighter; where the schedule is fixed in advance, ``Accountant`` is tighter
    still. SAMPLED MECHANISMS ARE CHARGED WITHOUT AMPLIFICATION, as by ``Filter``.

    Parameters
    ----------
    delta : float
        The probability with which the statement about all times may fail, in (0, 1).
    near : float, default 1.0
        The total rho near which ``epsilon`` shall be tightest, from 1e-50 to 1e50; it is valid everywhere.
    checkpoints : iterable of float, optional
        Totals rho of interest, from 1e-50 to 1e50, rising; doublings, say.
    adjacency : str, default "add_or_remove"
        Or "replace".

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    Notes
    -----
    A rho_i-zCDP release has E exp(s loss_i) <= exp(s (s + 1) rho_i) for s > 0 given the past, so with R the sum of the
    rho_i and x = loss - R, exp(s x - s^2 R) is a supermartingale; so is its mean over a half-normal s,

        2 sqrt(c / (R + c)) exp(x^2 / (4 (R + c))) Phi(x / sqrt(2 (R + c))),

    which passes 1 / delta with probability delta at most (Ville). ``epsilon`` is R plus the x where it does: the
    mixture odometer of Whitehouse, Ramdas, Rogers and Wu (2023), Fully adaptive composition in differential privacy,
    with the normal cut in half, as only one side counts; c is set from ``near`` (Howard, Ramdas, McAuliffe and Sekhon
    2021, Time-uniform, nonparametric, nonasymptotic confidence sequences). Checkpoints: Feldman and Zrnic 2021.

    Examples
    --------
    >>> import neyman as ny
    >>> odometer = ny.Odometer(delta=1e-6, near=0.5, checkpoints=[0.1, 0.2, 0.4, 0.8])
    >>> for _ in range(50):
    ...     odometer.spend(ny.Gaussian(10.0))
    >>> odometer.spent, round(odometer.epsilon, 4)
    (0.25, 4.1821)
    >>> odometer.checkpoints[2]
    Checkpoint(rho=0.4, releases=50, passed=False)
    """

    def __init__(
        self, *, delta: float, near: float = 1.0, checkpoints: Iterable[float] = (), adjacency: str = "add_or_remove"
    ) -> None:
        super().__init__()
        self._delta = inside("delta", delta, 0.0, 1.0)
        self._near = between("near", near, *SMALLEST_LARGEST)
        self._adjacency = choice("adjacency", adjacency, ("add_or_remove", "replace"))
        self._marks = _rising(checkpoints)
        self._covered = [0] * len(self._marks)
        self._open = 0  # the first checkpoint that was not passed
        self._spent = Fraction(0)
        self._releases = 0

    def spend(self, mechanism: Mechanism) -> None:
        """Count a mechanism that is about to run.

        Parameters
        ----------
        mechanism : Mechanism
            A composition counts as one release.

        Raises
        ------
        InvalidParameter
            If it is no mechanism, or no finite rho holds of it.
        """
        cost = concentration(mechanism, self._adjacency == "replace")
        if cost is None:
            raise InvalidParameter("mechanism", mechanism, "a mechanism of which a finite rho holds", ADVICE)
        with self._lock:
            self._spent = add_exactly(self._spent, cost, Fraction(self._near))
            self._releases += 1
            while self._open < len(self._marks) and self._spent > Fraction(self._marks[self._open]):
                self._covered[self._open] = self._releases - 1
                self._open += 1

    @property
    def spent(self) -> float:
        """The running total rho, rounded up: NO guarantee at a time chosen by looking."""
        return at_least(self._spent)

    @property
    def delta(self) -> float:
        """The probability with which the bound on all times may fail."""
        return self._delta

    @property
    def adjacency(self) -> str:
        """Which data sets count as neighbours."""
        return self._adjacency

    @property
    def epsilon(self) -> float:
        """The bound on the privacy loss so far, valid at all times at once but with probability ``delta``; rounded up.

        0 before anything was released.
        """
        if not self._spent:
            return 0.0
        total = self.spent
        log_odds = -math.log(self._delta)
        c = self._near / (2.0 * log_odds + math.log1p(2.0 * log_odds))
        width = total + c
        # half of Phi is left out here: the boundary is below
        high = 2.0 * math.sqrt(width * (log_odds + 0.5 * math.log(width / c))) * (1.0 + _ROOM)
        low = 0.0
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            if _log_mixture(middle, width, c) >= log_odds * (1.0 + _ROOM) + _ROOM:
                high = middle
            else:
                low = middle
        return (total + high) * (1.0 + _ROOM)

    @property
    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """What holds at the totals that were named before the run."""
        with self._lock:
            return tuple(
                Checkpoint(rho, self._covered[i] if i < self._open else self._releases, i < self._open)
                for i, rho in enumerate(self._marks)
            )

    def state_dict(self) -> dict[str, Any]:
        """Return everything as a dict ready for JSON; what was spent is exact."""
        with self._lock:
            return {
                "schema": _SCHEMA,
                "delta": self._delta,
                "near": self._near,
                "adjacency": self._adjacency,
                "checkpoints": list(self._marks),
                "covered": self._covered[: self._open],
                "releases": self._releases,
                "spent": [str(self._spent.numerator), str(self._spent.denominator)],
            }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what the same odometer had counted when ``state_dict`` was asked.

        A state older than the last ``spend`` forgets what was spent since: that is for the caller to prevent.

        Raises
        ------
        InvalidParameter
            If the dict is malformed, of another schema, or of another odometer; this one stays as it was.

        Examples
        --------
        >>> import neyman as ny
        >>> one, two = ny.Odometer(delta=1e-6), ny.Odometer(delta=1e-6)
        >>> one.spend(ny.Gaussian(2.0))
        >>> two.load_state_dict(one.state_dict())
        >>> two.spent
        0.125
        """
        mine = self.state_dict()
        if not isinstance(state, Mapping) or set(state) != set(mine):
            raise InvalidParameter("state", state, "a dict that state_dict wrote")
        for name in ("schema", "delta", "near", "adjacency", "checkpoints"):
            if type(state[name]) is not type(mine[name]) or state[name] != mine[name]:
                raise InvalidParameter(name, state[name], f"{mine[name]!r}, as of this odometer")
        releases = whole("releases", state["releases"], 0, MAX_COUNT)
        spent = read_fraction(state["spent"], None)
        passed = sum(1 for mark in self._marks if spent > Fraction(mark))
        covered: Any = state["covered"]
        if not isinstance(covered, list) or len(cast("list[object]", covered)) != passed:
            raise InvalidParameter("covered", covered, f"a list with a number for each of {passed} checkpoints passed")
        found = [whole("covered", n, 0, releases) for n in cast("list[object]", covered)]
        with self._lock:
            self._spent, self._releases, self._open = spent, releases, passed
            self._covered[:passed] = found

    def __repr__(self) -> str:
        return f"<Odometer: {self._releases} releases, epsilon = {self.epsilon!r} but with probability {self._delta!r}>"


def _log_mixture(x: float, width: float, c: float) -> float:
    tail = float(special.log_ndtr(x / math.sqrt(2.0 * width)))
    return math.log(2.0) + 0.5 * math.log(c / width) + x * x / (4.0 * width) + tail


def _rising(values: object) -> tuple[float, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidParameter("checkpoints", values, "rising numbers")
    marks = tuple(between(f"checkpoints[{i}]", value, *SMALLEST_LARGEST) for i, value in enumerate(values))
    for i, (one, two) in enumerate(pairwise(marks), 1):
        if not one < two:
            raise InvalidParameter(f"checkpoints[{i}]", two, f"larger than the one before it, {one!r}")
    return marks
