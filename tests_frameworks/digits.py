"""A small real training run: scikit-learn's digits, an MLP, CPU."""

import torch
from opacus import PrivacyEngine
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import neyman.integrations.opacus  # noqa: F401 (registers the accountant "neyman")

BATCH = 64
BATCHES = 29  # 1797 digits in batches of 64


def dataset():
    images, labels = load_digits(return_X_y=True)
    return TensorDataset(torch.tensor(images / 16.0, dtype=torch.float32), torch.tensor(labels))


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))


def parts(batch=BATCH, model=None, data=None):
    """The arguments of make_private that every run shares."""
    model = network() if model is None else model
    data = dataset() if data is None else data
    return {
        "module": model,
        "optimizer": torch.optim.SGD(model.parameters(), lr=0.5),
        "data_loader": DataLoader(data, batch_size=batch, shuffle=True),
        "max_grad_norm": 1.0,
    }


def private(noise=1.0, accountant="neyman", batch=BATCH, data=None, model=None, **options):
    engine = PrivacyEngine(accountant=accountant)
    return engine, *engine.make_private(noise_multiplier=noise, **parts(batch, model, data), **options)


def train(model, optimizer, loader, epochs=1, may_step=lambda: True):
    loss_of = nn.CrossEntropyLoss()
    taken = 0
    for _ in range(epochs):
        for images, labels in loader:
            if not may_step():
                return taken
            optimizer.zero_grad()
            loss_of(model(images), labels).backward()
            optimizer.step()
            taken += 1
    return taken


def accuracy(model):
    images, labels = dataset().tensors
    with torch.no_grad():
        return float((model(images).argmax(dim=1) == labels).float().mean())
