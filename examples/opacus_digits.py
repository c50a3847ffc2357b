"""Train a small network with Opacus within a certified budget: scikit-learn's handwritten digits, a CPU, half a minute.

    pip install torch 'opacus>=1.6' scikit-learn
    python examples/opacus_digits.py --epsilon 3 --delta 1e-5 --epochs 4

The noise is what neyman calibrates for so many epochs, every step is counted by its accountant, and the loop is checked
for what would break the guarantee without an error.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from importlib import import_module
from typing import Any

import neyman as ny

NEEDED = {"torch": "torch", "opacus": "'opacus>=1.6'", "sklearn": "scikit-learn"}
TRAINED, BATCH = 1400, 100


def need() -> None:
    """Leave with the command that installs what is missing."""
    missing = []
    for module, package in NEEDED.items():
        try:
            import_module(module)
        except ImportError:
            missing.append(package)
    if missing:
        raise SystemExit(f"opacus_digits needs more: pip install {' '.join(missing)}")


def digits() -> tuple[Any, Any]:
    """Return the data set to train on, and images and labels that no training sees."""
    import torch
    from sklearn.datasets import load_digits
    from torch.utils.data import TensorDataset

    images, labels = load_digits(return_X_y=True)
    x, y = torch.tensor(images / 16.0, dtype=torch.float32), torch.tensor(labels)
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(7))
    train, unseen = order[:TRAINED], order[TRAINED:]
    return TensorDataset(x[train], y[train]), (x[unseen], y[unseen])


def main(arguments: list[str] | None = None) -> None:
    """Train, and say what was promised."""
    parser = argparse.ArgumentParser(description="DP-SGD on handwritten digits with Opacus, accounted for by neyman.")
    parser.add_argument("--epsilon", type=float, default=3.0)
    parser.add_argument("--delta", type=float, default=1e-5)
    parser.add_argument("--epochs", type=int, default=4)
    asked = parser.parse_args(arguments)
    need()
    import torch
    from opacus import PrivacyEngine
    from torch import nn
    from torch.utils.data import DataLoader

    import neyman.integrations.opacus  # noqa: F401 (makes accountant="neyman" known)
    from neyman.integrations import check_training

    warnings.filterwarnings("ignore", "Secure RNG turned off")  # for a model that is released, install torchcsprng
    warnings.filterwarnings("ignore", "Full backward hook is firing")
    torch.manual_seed(0)
    data, (images, labels) = digits()
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    engine = PrivacyEngine(accountant="neyman")
    model, optimizer, loader = engine.make_private_with_epsilon(
        module=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.5), data_loader=DataLoader(data, BATCH),
        target_epsilon=asked.epsilon, target_delta=asked.delta, epochs=asked.epochs, max_grad_norm=1.0,
    )  # fmt: skip
    sys.stdout.write(f"noise multiplier {optimizer.noise_multiplier:.4f}, rate 1/{len(loader)}\n")
    for finding in check_training(model=model, optimizer=optimizer, data_loader=loader):
        sys.stdout.write(f"careful: {finding}\n")
    loss_of = nn.CrossEntropyLoss()
    for epoch in range(asked.epochs):
        for batch, wanted in loader:
            optimizer.zero_grad()
            loss_of(model(batch), wanted).backward()
            optimizer.step()
        spent = engine.get_epsilon(asked.delta)
        with torch.no_grad():
            right = float((model(images).argmax(dim=1) == labels).float().mean())
        sys.stdout.write(f"epoch {epoch + 1}: accuracy {100 * right:.1f} %, epsilon {spent:.4f}\n")
    g = engine.accountant.guarantee()
    sys.stdout.write(f"{g.gdp()}\n{ny.risk.tpr(g, fpr=0.01)}\n")


if __name__ == "__main__":
    main()
