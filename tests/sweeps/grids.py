"""Small grids that several tests sweep, and mechanisms that misbehave."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np

import neyman as ny

GRID: dict[str, Any] = {
    "noise_multiplier": [2.0, 1.0],
    "sample_rate": np.geomspace(1e-2, 1.0, 3),
    "steps": [1000, 400, 1],
}
QUESTIONS = ["mu", "regret", "epsilon(1e-5)", "optimistic.epsilon(1e-5)", "beta(0.01)"]


def fatal(sigma: float, mark: str) -> ny.Mechanism:
    """The first process that comes to the setting 2.0 dies there as if the system had ended it."""
    if sigma == 2.0:
        try:
            Path(mark).touch(exist_ok=False)
            os.kill(os.getpid(), signal.SIGKILL)
        except FileExistsError:
            pass
    return ny.Gaussian(sigma)


def deadly(sigma: float) -> ny.Mechanism:
    """No process survives the setting 2.0."""
    if sigma == 2.0:
        os.kill(os.getpid(), signal.SIGKILL)
    return ny.Gaussian(sigma)


def faulty(sigma: float) -> ny.Mechanism:
    """A mistake in the caller's own function."""
    return ny.Gaussian(sigma / (sigma - 2.0))


def black_box(rate: float) -> ny.Mechanism:
    """Under "replace", promises something at rate 1 alone."""
    return ny.PureMechanism(1.0).poisson(rate)
