"""A Trainer of Hugging Face around a private optimizer of Opacus, stopped by its budget."""

import pytest
import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments

import neyman as ny
from neyman import NeymanError
from neyman.integrations.callbacks import StopOnBudget
from neyman.integrations.huggingface import BudgetCallback
from neyman.integrations.training_checks import check_training
from tests_frameworks.digits import BATCHES, dataset, network, private

DELTA = 1e-5
RATE = 1 / BATCHES
TARGET = ny.targets.Epsilon(2.0, DELTA)


class Records(Dataset):
    """A Trainer wants dicts."""

    def __init__(self):
        self.data = dataset()

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        images, labels = self.data[i]
        return {"images": images, "labels": labels}


class Classifier(nn.Module):
    """And a model that returns its loss; behind GradSampleModule it is handed more than it asks for."""

    def __init__(self):
        super().__init__()
        self.net = network()

    def forward(self, images, labels, **_):
        logits = self.net(images)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


class PrivateTrainer(Trainer):
    """Takes its batches from the loader of Opacus, as they are, and clears the gradients of its optimizer."""

    loader = None

    def get_train_dataloader(self):
        return self.loader

    def training_step(self, *arguments, **options):
        self.optimizer.zero_grad()  # a Trainer clears those of the model alone
        return super().training_step(*arguments, **options)


def trainer(tmp_path, loader, model, optimizer, budget, **options):
    arguments = TrainingArguments(
        output_dir=str(tmp_path), num_train_epochs=20, max_grad_norm=0.0, report_to=[], save_strategy="no",
        disable_tqdm=True, use_cpu=True, logging_strategy="no", **options,
    )  # fmt: skip
    found = PrivateTrainer(
        model=model, args=arguments, optimizers=(optimizer, constant(optimizer)), callbacks=[BudgetCallback(budget)]
    )
    found.loader = loader
    return found


def constant(optimizer):
    return torch.optim.lr_scheduler.LambdaLR(optimizer.original_optimizer, lambda step: 1.0)


def run(tmp_path):
    engine, model, optimizer, loader = private(noise=1.0, data=Records(), model=Classifier())
    budget = StopOnBudget(engine.accountant, TARGET, sample_rate=RATE, noise_multiplier=1.0)
    return engine, trainer(tmp_path, loader, model, optimizer, budget), budget


def test_training_ends_with_the_last_step_of_the_budget(tmp_path):
    engine, training, budget = run(tmp_path)
    allowed = budget.steps_left
    result = training.train()
    assert result.global_step == allowed == len(engine.accountant)
    assert engine.accountant.history == [(1.0, RATE, allowed)]
    assert engine.get_epsilon(DELTA) <= 2.0 < ny.account(ny.DPSGD(1.0, RATE, allowed + 1)).optimistic.epsilon(DELTA)
    assert check_training(optimizer=training.optimizer, data_loader=training.loader) == ()  # wrapped by accelerate


def test_nothing_is_trained_where_nothing_is_left(tmp_path):
    engine, training, _ = run(tmp_path)
    engine.accountant.history = [(1.0, RATE, 1000)]
    with pytest.raises(NeymanError, match="does not allow another step"):
        training.train()
    assert len(engine.accountant) == 1000
