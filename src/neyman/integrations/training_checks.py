"""``check_training``: what silently breaks the guarantee of a training loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack

from neyman._errors import InvalidParameter
from neyman._validate import choice, count, flag, not_negative, positive, probability, whole
from neyman.integrations.training_loop import Loop, read_accountant, read_loader, read_model, read_optimizer
from neyman.integrations.training_rules import RULES, Finding

__all__ = ["check_training"]


def check_training(
    *,
    optimizer: object = None,
    data_loader: object = None,
    model: object = None,
    accountant: object = None,
    **loop: Unpack[Loop],
) -> tuple[Finding, ...]:
    """Return what would break the guarantee of a training loop without an error; empty if nothing was found.

    It reads what the objects show, whichever are given, and takes the plain numbers of any other loop; a number that is
    given goes before one that is read. It looks, and changes nothing.

    Parameters
    ----------
    optimizer : object, optional
        As ``DPOptimizer`` of Opacus: its noise, its clipping, the hook that counts its steps. It may be wrapped.
    data_loader : object, optional
        A ``DataLoader`` of PyTorch: whether it draws Poisson samples, and at which rate.
    model : object, optional
        A module: layers in which the records of a batch see each other.
    accountant : object, optional
        ``ny.Accountant``, or one of Opacus: the last setting that it was told.
    sampling : str
        "poisson", or what else is done.
    sample_rate, accounted_rate : float
        The rate of the loop, and the one that is accounted for.
    uniform_bits : int
        Records are drawn by uniform numbers that are multiples of 2^-bits (24 with ``torch.rand``).
    divided_by : {"expected", "actual", "sum"}
        What the noisy sum of gradients is divided by: the expected batch size, the actual one, nothing.
    epochs, steps_per_epoch, steps, accounted_steps
        How long the loop runs, and how many steps are accounted for.
    drop_last : bool
        Whether the last batch of an epoch is dropped if it is short.
    accumulation : int
        How many batches are added up before noise is added once.
    world_size : int
        How many processes train together; ``sharded``: whether each draws from records of its own.
    noise_multiplier, accounted_noise : float
        The noise over the clipping norm, and the one that is accounted for.
    noise_std, max_grad_norm, clipped_to : float
        The standard deviation that is really added, the norm it is scaled to, and the norm that is really clipped to.
    adaptive_clipping : bool
        Whether the norm follows the share of gradients that were clipped.
    seeded_noise : bool
        Whether the noise comes from a generator whose seed is known.
    counted : bool
        Whether each step is told to an accountant.
    skips_empty_batches : bool
        Whether a step is left out where nobody was sampled.
    mixing_layers : tuple of str
        Layers in which records see each other.

    Returns
    -------
    tuple of Finding
        Plain tuples (code, says, do).

    Raises
    ------
    InvalidParameter
        If a number lies outside its domain, an argument is unknown, or an object does not look like what it should be.

    Notes
    -----
    Nothing found is no proof: a second optimizer, statistics of the data that are used without noise, or a choice among
    several runs leave no trace here. Rates and batch sizes that are computed from the number of records take that
    number as public, which "add_or_remove" strictly does not: fix it in advance.

    Examples
    --------
    >>> found = check_training(sampling="shuffle", sample_rate=0.01, accounted_rate=0.01, divided_by="actual")
    >>> [finding.code for finding in found]
    ['not-poisson', 'actual-batch-size']
    >>> found[1].do
    'Divide by sample rate times data set size, the same number at every step.'
    >>> check_training(sampling="poisson", sample_rate=0.02, accounted_rate=0.01)[0].says
    'Records are sampled at rate 0.02, but accounted for at 0.01: the run gives away more than is stated.'
    """
    seen = Loop()
    for value, read in (
        (accountant, read_accountant),
        (optimizer, read_optimizer),
        (data_loader, read_loader),
        (model, read_model),
    ):
        if value is not None:
            seen.update(read(value))
    seen.update(loop)
    _validate(seen)
    return tuple(Finding(code, *text) for code, rule in RULES if (text := rule(seen)) is not None)


Check = Callable[[str, object], object]


def _amount(name: str, value: object) -> None:
    whole(name, value, 1, 10**9)


def _divisor(name: str, value: object) -> None:
    choice(name, value, ("expected", "actual", "sum"))


def _word(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise InvalidParameter(name, value, '"poisson", or what else is done')


def _layers(name: str, value: object) -> None:
    if not isinstance(value, tuple):
        raise InvalidParameter(name, value, "a tuple of names")


_CHECKS: dict[str, Check] = {
    "sampling": _word,
    "divided_by": _divisor,
    "mixing_layers": _layers,
    **dict.fromkeys(("noise_multiplier", "accounted_noise", "noise_std"), not_negative),
    **dict.fromkeys(("epochs", "max_grad_norm", "clipped_to"), positive),
    **dict.fromkeys(("sample_rate", "accounted_rate"), probability),
    **dict.fromkeys(("steps", "accounted_steps", "steps_per_epoch"), count),
    **dict.fromkeys(("accumulation", "world_size", "uniform_bits"), _amount),
    **dict.fromkeys(
        ("drop_last", "sharded", "adaptive_clipping", "seeded_noise", "counted", "skips_empty_batches"), flag
    ),
}


def _validate(loop: Loop) -> None:
    for name, value in loop.items():
        if name not in _CHECKS:
            raise InvalidParameter("loop", name, f"one of {', '.join(_CHECKS)}")
        _CHECKS[name](name, value)
