"""What can be read of a training loop: from the objects of Opacus and PyTorch, by what they look like."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Sized
from typing import Any, Literal, TypedDict, cast

from neyman._errors import InvalidParameter
from neyman.integrations.histories import numbers, runs

__all__ = ["Loop", "read_accountant", "read_loader", "read_model", "read_optimizer"]

POISSON = {"UniformWithReplacementSampler", "DistributedUniformWithReplacementSampler"}  # their names mislead
_MIXING = "_BatchNorm"
_DEEPEST = 8  # wrappers around a sampler or an optimizer


class Loop(TypedDict, total=False):
    """The plain numbers of a training loop, as ``check_training`` takes them. What is not known is left out."""

    sampling: str
    sample_rate: float
    accounted_rate: float
    uniform_bits: int
    divided_by: Literal["expected", "actual", "sum"]
    epochs: float
    steps_per_epoch: int
    steps: int
    accounted_steps: int
    drop_last: bool
    accumulation: int
    world_size: int
    sharded: bool
    noise_multiplier: float
    accounted_noise: float
    noise_std: float
    max_grad_norm: float
    clipped_to: float
    adaptive_clipping: bool
    seeded_noise: bool
    counted: bool
    skips_empty_batches: bool
    mixing_layers: tuple[str, ...]


def read_loader(loader: Any) -> Loop:
    """Return how a ``DataLoader`` samples, with what rate, and how many batches make an epoch."""
    found = Loop()
    sampler = getattr(loader, "batch_sampler", None)
    for _ in range(_DEEPEST):  # BatchMemoryManager wraps the sampler; a BatchSampler holds another
        if sampler is None or _named(sampler, POISSON):
            break
        inner = getattr(sampler, "sampler", None)
        if inner is None:
            break
        sampler = inner
    if sampler is not None and _named(sampler, POISSON):
        found["sampling"] = "poisson"
        found["sample_rate"] = float(sampler.sample_rate)
        found["uniform_bits"] = _uniform_bits()
        found["sharded"] = type(sampler).__name__.startswith("Distributed")
        batches = getattr(sampler, "steps", getattr(sampler, "num_batches", None))
        if batches is not None:
            found["steps_per_epoch"] = int(batches)
        return found
    found["sampling"] = "an iterable" if sampler is None else type(sampler).__name__
    found["drop_last"] = bool(getattr(loader, "drop_last", False))
    records, batches = _length(getattr(loader, "dataset", None)), _length(loader)
    batch = getattr(loader, "batch_size", None)
    if batches:
        found["steps_per_epoch"] = batches
    if records and batches and batch:  # how often a record is drawn, on average over an epoch
        found["sample_rate"] = min(_length(sampler) / records / batches, batch / records, 1.0)
    return found


def read_optimizer(optimizer: Any) -> Loop:
    """Return what an optimizer adds, clips and tells its accountant."""
    for _ in range(_DEEPEST):  # accelerate and Lightning wrap it
        if hasattr(optimizer, "noise_multiplier"):
            break
        inner = getattr(optimizer, "optimizer", getattr(optimizer, "_optimizer", None))
        if inner is None:
            allowed = "an optimizer with a noise_multiplier, as DPOptimizer has"
            raise InvalidParameter("optimizer", optimizer, allowed, "Give the numbers of other loops one by one.")
        optimizer = inner
    found = Loop(noise_multiplier=float(optimizer.noise_multiplier))
    norm = getattr(optimizer, "max_grad_norm", None)
    if norm is not None:
        found["max_grad_norm"] = float(norm)
    if hasattr(optimizer, "loss_reduction"):
        found["divided_by"] = "sum" if optimizer.loss_reduction == "sum" else "expected"
    found["adaptive_clipping"] = any("AdaClip" in kind.__name__ for kind in type(optimizer).__mro__)
    found["seeded_noise"] = getattr(optimizer, "generator", None) is not None and not getattr(
        optimizer, "secure_mode", False
    )
    found["world_size"] = int(getattr(optimizer, "world_size", _processes()))
    if hasattr(optimizer, "step_hook"):
        captured = _captured(optimizer.step_hook)
        found["counted"] = any(callable(getattr(value, "step", None)) for value in captured.values())
        rate = captured.get("sample_rate")
        if isinstance(rate, (int, float)):
            found["accounted_rate"] = float(rate)
    return found


def read_accountant(accountant: object) -> Loop:
    """Return the last setting that an accountant was told; nothing before its first step."""
    done = runs(accountant)
    pair = numbers(done[-1][0]) if done else None
    return Loop() if pair is None else Loop(accounted_noise=pair[0], accounted_rate=pair[1])


def read_model(model: Any) -> Loop:
    """Return the layers in which the records of a batch see each other, and the norm that the model itself clips to."""
    modules = getattr(model, "named_modules", None)
    if not callable(modules):
        raise InvalidParameter("model", model, "a module with named_modules()")
    found = Loop(mixing_layers=tuple(name for name, module in cast("Iterable[Any]", modules()) if _mixes(module)))
    norm = getattr(model, "max_grad_norm", None)  # of ghost clipping; the noise is scaled by the optimizer's
    if isinstance(norm, (int, float)):
        found["clipped_to"] = float(norm)
    return found


def _mixes(module: Any) -> bool:
    names = {kind.__name__ for kind in type(module).__mro__}
    running = "_InstanceNorm" in names and bool(getattr(module, "track_running_stats", False))
    return running or (_MIXING in names and "_InstanceNorm" not in names)


def _named(value: object, names: set[str]) -> bool:
    return any(kind.__name__ in names for kind in type(value).__mro__)


def _captured(hook: Any) -> dict[str, Any]:
    """Return what a hook holds on to: Opacus' hooks are closures over the accountant and the rate."""
    if hook is None:
        return {}
    if inspect.isfunction(hook):
        return dict(inspect.getclosurevars(hook).nonlocals)
    owner = getattr(hook, "__self__", hook)
    return {"self": owner, **getattr(owner, "__dict__", {})}


def _length(value: Any) -> int:
    try:
        return len(value) if isinstance(value, Sized) else 0
    except TypeError:  # an iterable data set behind a loader has no length
        return 0


def _uniform_bits() -> int:
    """Return of which power of 1/2 the numbers of ``torch.rand`` are multiples, as PyTorch is set now."""
    torch: Any = sys.modules.get("torch")
    return 53 if torch is not None and torch.get_default_dtype() is torch.float64 else 24


def _processes() -> int:
    """Return how many processes train together, if PyTorch is in use and says so."""
    distributed: Any = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return 1
    return int(distributed.get_world_size())
