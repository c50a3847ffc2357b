"""Stop a Trainer of Hugging Face when the privacy budget is spent."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from neyman._errors import MissingPackage, NeymanError
from neyman.integrations.callbacks import StopOnBudget

__all__ = ["BudgetCallback"]

try:
    _callbacks: Any = import_module("transformers.trainer_callback")
except ImportError as error:
    raise MissingPackage("neyman.integrations.huggingface needs transformers: pip install transformers") from error
_TrainerCallback: Any = _callbacks.TrainerCallback


class BudgetCallback(_TrainerCallback):
    """Ends the training when the next step would miss the target; steps are counted by the optimizer's own accountant.

    Parameters
    ----------
    budget : StopOnBudget
        What may still be spent; its docstring says which runs this is valid for.

    Raises
    ------
    NeymanError
        During training, before a step that must not be taken: at the first, if nothing is left to begin with.

    Examples
    --------
    >>> import neyman as ny
    >>> budget = StopOnBudget(ny.Accountant(), ny.targets.Mu(1.0), noise_multiplier=1.0, sample_rate=0.01)
    >>> callback = BudgetCallback(budget)  # Trainer(..., callbacks=[callback])
    """

    def __init__(self, budget: StopOnBudget) -> None:
        self.budget = budget

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        """Refuse a step that is not allowed."""
        if not self.budget.may_step():
            raise NeymanError("The privacy budget does not allow another step.")
        return control

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        """End the training after the last step that is allowed."""
        if not self.budget.may_step():
            control.should_training_stop = True
        return control
