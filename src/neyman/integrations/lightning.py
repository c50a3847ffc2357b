"""Stop a Trainer of Lightning when the privacy budget is spent."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from neyman._errors import MissingPackage, NeymanError
from neyman.integrations.callbacks import StopOnBudget

__all__ = ["BudgetCallback"]

_HOMES = ("lightning", "pytorch_lightning")  # one library, two packages
_found = [name for name in _HOMES if find_spec(name) is not None]
if not _found:
    raise MissingPackage("neyman.integrations.lightning needs Lightning: pip install lightning")
_pytorch: Any = import_module("lightning.pytorch" if _found[0] == "lightning" else _found[0])
_Callback: Any = _pytorch.Callback


class BudgetCallback(_Callback):
    """Ends the fit when the next step would miss the target; steps are counted by the optimizer's own accountant.

    ``min_epochs`` and ``min_steps`` of the Trainer go before any callback's wish to stop: where they ask for a step
    that must not be taken, the fit ends with an error in place of that step.

    Parameters
    ----------
    budget : StopOnBudget
        What may still be spent; its docstring says which runs this is valid for.

    Raises
    ------
    NeymanError
        During the fit, before a step that must not be taken: at the first, if nothing is left to begin with.

    Examples
    --------
    >>> import neyman as ny
    >>> budget = StopOnBudget(ny.Accountant(), ny.targets.Mu(1.0), noise_multiplier=1.0, sample_rate=0.01)
    >>> callback = BudgetCallback(budget)  # Trainer(..., callbacks=[callback])
    """

    def __init__(self, budget: StopOnBudget) -> None:
        super().__init__()
        self.budget = budget

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        """Refuse a step that is not allowed."""
        if not self.budget.may_step():
            raise NeymanError("The privacy budget does not allow another step.")

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        """End the fit after the last step that is allowed."""
        if not self.budget.may_step():
            trainer.should_stop = True
