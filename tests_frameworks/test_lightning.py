"""A Trainer of Lightning around a private optimizer of Opacus, stopped by its budget."""

import lightning.pytorch as pl
import pytest
from torch import nn

import neyman as ny
from neyman import NeymanError
from neyman.integrations.callbacks import StopOnBudget
from neyman.integrations.lightning import BudgetCallback
from tests_frameworks.digits import BATCHES, private

DELTA = 1e-5
RATE = 1 / BATCHES
TARGET = ny.targets.Epsilon(2.0, DELTA)


class Classifier(pl.LightningModule):
    """The private model and its optimizer, driven by Lightning."""

    def __init__(self, model, optimizer):
        super().__init__()
        self.model = model
        self.private = optimizer

    def configure_optimizers(self):
        return self.private

    def training_step(self, batch, batch_idx):
        images, labels = batch
        return nn.functional.cross_entropy(self.model(images), labels)


def run(**options):
    engine, model, optimizer, loader = private(noise=1.0)
    budget = StopOnBudget(engine.accountant, TARGET, sample_rate=RATE, optimizer=optimizer)
    trainer = pl.Trainer(
        accelerator="cpu", devices=1, max_epochs=20, logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, callbacks=[BudgetCallback(budget)], **options,
    )  # fmt: skip
    return engine, trainer, Classifier(model, optimizer), loader, budget


def test_the_fit_ends_with_the_last_step_of_the_budget():
    engine, trainer, module, loader, budget = run()
    allowed = budget.steps_left
    trainer.fit(module, loader)
    assert len(engine.accountant) == allowed
    assert trainer.current_epoch == allowed // len(loader)
    assert engine.get_epsilon(DELTA) <= 2.0 < ny.account(ny.DPSGD(1.0, RATE, allowed + 1)).optimistic.epsilon(DELTA)


def test_a_trainer_that_must_go_on_is_stopped_by_an_error():
    engine, trainer, module, loader, budget = run(min_epochs=20)
    allowed = budget.steps_left
    with pytest.raises(NeymanError, match="does not allow another step"):
        trainer.fit(module, loader)
    assert len(engine.accountant) == allowed


def test_nothing_is_trained_where_nothing_is_left():
    engine, trainer, module, loader, _ = run()
    engine.accountant.history = [(1.0, RATE, 1000)]
    with pytest.raises(NeymanError, match="does not allow another step"):
        trainer.fit(module, loader)
    assert len(engine.accountant) == 1000
