"""Stop when the privacy budget is spent: a counter for plain loops, which the adapters of frameworks ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from neyman._errors import InvalidParameter
from neyman._validate import MAX_COUNT, whole
from neyman.accounting import account
from neyman.calibration import calibrate, steps_for_dpsgd
from neyman.calibration.target import Target
from neyman.integrations.histories import Run, rest, runs, setting, share, single
from neyman.mechanisms import Mechanism, compose

__all__ = ["StopOnBudget"]

_Batch = TypeVar("_Batch")


class StopOnBudget:
    """Says before each step whether it may still be taken: whether the run WITH it certainly meets the target.

    How many steps that allows follows from the noise, the rate and the target alone. So it is fixed before the first
    step, whatever the data are, and stopping there is as if the steps had been counted in advance: the guarantee of the
    accountant holds. That is all it is for. Noise, rate or target that are changed because of what was released (a
    loss, an accuracy, a gradient norm) void it; ``ny.Filter`` is the budget for such runs. Stopping EARLIER for such a
    reason is not covered either, unless the guarantee of the full schedule is what is stated.

    Parameters
    ----------
    accountant : object
        ``ny.Accountant``, or an accountant of Opacus, that the loop tells of each step.
    target : Target
        Such as ``ny.targets.Epsilon(8.0, delta=1e-5)``; see ``ny.targets``.
    sample_rate : float
        Of the steps to come.
    noise_multiplier : float, optional
        Of the steps to come.
    optimizer : object, optional
        Whose ``noise_multiplier`` is asked before each step, where a schedule fixed in advance changes it; give either
        this or the number.
    accumulation : int, default 1
        How many batches, each sampled at the rate, are added up before noise is added once. ``neyman``'s accountant for
        Opacus counts so many steps then, each with its share of the noise, and one step here costs them all.

    Raises
    ------
    InvalidParameter
        If an argument is not what it should be; a rate of 0, at which the budget is never spent, is refused too.

    Notes
    -----
    The number of steps is computed once for each run of equal steps (``ny.steps_for_dpsgd``), not at each step. What
    the accountant has already counted, as after a checkpoint, is part of the run.

    Examples
    --------
    >>> import neyman as ny
    >>> accountant = ny.Accountant()
    >>> target = ny.targets.Epsilon(2.0, delta=1e-5)
    >>> budget = StopOnBudget(accountant, target, noise_multiplier=1.0, sample_rate=0.01)
    >>> budget.steps_left
    1202
    >>> for batch in budget.guard(range(5000)):
    ...     accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    >>> len(accountant), accountant.get_epsilon(1e-5) <= 2.0, budget.may_step()
    (1202, True, False)
    """

    def __init__(
        self,
        accountant: object,
        target: Target,
        *,
        sample_rate: float,
        noise_multiplier: float | None = None,
        optimizer: object = None,
        accumulation: int = 1,
    ) -> None:
        if not isinstance(target, Target):
            raise InvalidParameter("target", target, "a target", "Such as ny.targets.Epsilon(8.0, delta=1e-5).")
        if (noise_multiplier is None) == (optimizer is None):
            raise InvalidParameter(
                "noise_multiplier",
                noise_multiplier,
                "the only source of the noise, or optimizer",
                "Give one of the two.",
            )
        self._accountant = accountant
        self._target = target
        self._rate = sample_rate
        self._noise = noise_multiplier
        self._optimizer: Any = optimizer
        self._batches = whole("accumulation", accumulation, 1, MAX_COUNT)
        self._planned: tuple[tuple[Run, ...], Mechanism, int] | None = None
        self._left()

    @property
    def steps_left(self) -> int:
        """How many more steps with the present noise and rate the target allows."""
        return self._left()

    @property
    def target(self) -> Target:
        """What is kept."""
        return self._target

    def may_step(self) -> bool:
        """Return whether the next step may be taken: with it, the run certainly meets the target."""
        return self._left() > 0

    def guard(self, batches: Iterable[_Batch]) -> Iterator[_Batch]:
        """Yield batches as long as a step may be taken; the loop must count each step before it asks for the next."""
        for batch in batches:
            if not self.may_step():
                return
            yield batch

    def _left(self) -> int:
        noise, rate = setting(self._noise if self._optimizer is None else self._optimizer.noise_multiplier, self._rate)
        noise = noise if self._batches == 1 else share(noise, self._batches)
        step = single(noise, rate)
        before, done = rest(runs(self._accountant), step)
        if self._planned is None or self._planned[:2] != (before, step):
            self._planned = before, step, self._allowed(before, step, noise)
        return max(self._planned[2] - done, 0) // self._batches

    def _allowed(self, before: tuple[Run, ...], step: Mechanism, noise: float) -> int:
        """Return the most steps that may follow what came before."""
        spent = compose(mechanism**times for mechanism, times in before)
        adjacency = str(getattr(self._accountant, "adjacency", "add_or_remove"))

        def run(times: int) -> Mechanism:
            return spent * step**times

        if not self._target.met_by(account(run(1), adjacency)):
            return 0
        most = int(steps_for_dpsgd(self._target, noise, self._rate, adjacency=adjacency).parameter)
        if not before:
            return most
        bracket = (1, most + 1)  # which is too many even with nothing before
        return int(calibrate(run, self._target, bracket, adjacency=adjacency, integer=True).parameter)
