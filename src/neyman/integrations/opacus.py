"""Opacus, accounted for here: importing this module makes ``PrivacyEngine(accountant="neyman")`` work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from fractions import Fraction
from functools import wraps
from importlib import import_module
from typing import Any, cast

from neyman._errors import InvalidParameter, MissingPackage
from neyman._validate import count, probability
from neyman.accountants import Accountant
from neyman.calibration import noise_for_dpsgd
from neyman.calibration.targets import Epsilon
from neyman.guarantees.computed import ComposedGuarantee
from neyman.integrations.histories import repeats, setting, share, single
from neyman.mechanisms.sampled.training import epoch_steps

__all__ = ["NAME", "OpacusAccountant", "noise_multiplier", "register"]

NAME = "neyman"
SCHEMA = 1  # of ``state_dict``: raised when a field changes its meaning

_ACCURACY = {"alphas", "eps_error", "delta_error"}  # how finely other accountants compute; here that is certified
_ROUTED = "routed_to_neyman"

try:
    _opacus: Any = import_module("opacus.accountants")
except ImportError as error:
    raise MissingPackage("neyman.integrations.opacus needs Opacus: pip install 'neyman[opacus]'") from error
_Base: Any = _opacus.IAccountant


class OpacusAccountant(_Base):
    """An accountant of Opacus whose epsilon is certified: that of ``ny.account`` of the same steps.

    Importing this module registers it, so that ``PrivacyEngine(accountant="neyman")`` makes one. It is for fixed
    schedules, as ``ny.Accountant`` is; batches must be Poisson samples (see ``check_training``).

    Attributes
    ----------
    history : list of (noise_multiplier, sample_rate, steps)
        In Opacus' own form, and the whole state: it may be read, assigned and edited as that of any other accountant.

    Notes
    -----
    Where the optimizer says that k batches were accumulated before the noise was added, k steps are counted, each with
    noise divided by sqrt(k). That is sound: the noise is as good as k independent shares, one for each batch. (Opacus'
    accountants count one step of k times the sample rate, which is no bound: a record may be in several of the k
    batches.) ``BatchMemoryManager`` accumulates nothing in this sense. Optimizers of ghost clipping always say one:
    there several batches before one step are NOT seen; take one batch for each step.

    Examples
    --------
    >>> from opacus.accountants import create_accountant
    >>> accountant = create_accountant("neyman")
    >>> for _ in range(2000):
    ...     accountant.step(noise_multiplier=9.4, sample_rate=0.32768)
    >>> accountant.history, len(accountant), round(accountant.get_epsilon(1e-5), 5)
    ([(9.4, 0.32768, 2000)], 2000, 7.42438)
    """

    def __init__(self) -> None:
        self.history: list[tuple[float, float, int]] = []
        self._used: tuple[float, float] | None = None
        self._tallied: tuple[list[tuple[float, float, int]], Accountant] = [], Accountant()

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Count one step.

        Raises
        ------
        InvalidParameter
            If a number lies outside its domain, noise 0 among them; nothing is counted.
        """
        self._count(noise_multiplier, sample_rate, 1)

    def get_epsilon(self, delta: float, **options: object) -> float:
        """Return epsilon at ``delta``, rounded up; 0 before the first step.

        Options that tell other accountants how finely to compute (``alphas``, ``eps_error``, ``delta_error``) have no
        effect.

        Raises
        ------
        InvalidParameter
            If ``delta`` is not in [0, 1], or ``poisson=False`` is asked for: no other sampling is known here.
        TypeError
            On any other option.
        NotCertified
            If the number cannot be certified; the error carries the bracket.
        """
        _poisson_only(options)
        if not set(options) <= _ACCURACY:
            raise TypeError(f"get_epsilon has no option {sorted(set(options) - _ACCURACY)}")
        return self._current().get_epsilon(delta)

    def guarantee(self) -> ComposedGuarantee:
        """Return the guarantee of everything counted so far, for every other question; kept until the next step."""
        return self._current().guarantee()

    def tally(self) -> Accountant:
        """Return a ``ny.Accountant`` that has counted the same, for its tables and its files."""
        result = Accountant()
        for noise, rate, times in self._entries():
            result.add(single(noise, rate), times)
        return result

    def __len__(self) -> int:
        """Return the number of steps."""
        return sum(times for _, _, times in self._entries())

    @classmethod
    def mechanism(cls) -> str:
        """Return the name under which Opacus knows it."""
        return NAME

    def get_optimizer_hook_fn(self, sample_rate: float) -> Callable[[Any], None]:
        """Return what ``DPOptimizer.attach_step_hook`` takes: each noisy step is counted, with its own noise."""

        def hook(optim: Any) -> None:
            batches = int(optim.accumulated_iterations)
            noise, rate = setting(optim.noise_multiplier, sample_rate)
            self._count(noise if batches == 1 else share(noise, batches), rate, batches)

        return hook

    def state_dict(self, destination: MutableMapping[str, Any] | None = None) -> MutableMapping[str, Any]:
        """Return the state, ready for JSON and for ``PrivacyEngine.save_checkpoint``."""
        state: MutableMapping[str, Any] = {} if destination is None else destination
        state["history"] = [tuple(entry) for entry in self.history]
        state["mechanism"] = NAME
        state["schema"] = SCHEMA
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any] | None) -> None:
        """Become the accountant that ``state_dict`` was asked of; what was counted here is forgotten.

        Raises
        ------
        InvalidParameter
            If it is malformed, or of another accountant or schema; the accountant stays as it was.
        """
        state: Mapping[str, Any] = state_dict if isinstance(state_dict, Mapping) else {}
        if state.get("mechanism") != NAME:
            advice = "The history of another accountant can be taken over: accountant.history = state['history']."
            raise InvalidParameter("mechanism", state.get("mechanism"), repr(NAME), advice if state else "")
        if state.get("schema") != SCHEMA:
            raise InvalidParameter("schema", state.get("schema"), f"the whole number {SCHEMA}")
        self.history = _entries(state.get("history"))

    def _entries(self) -> list[tuple[float, float, int]]:
        """The history, checked: it may have been edited by hand."""
        return _entries(self.history)

    def _current(self) -> Accountant:
        """One that goes on as the history does, as long as that only grows."""
        (before, tally), runs = self._tallied, self._entries()
        last = len(before) - 1
        grows = not before or (
            runs[:last] == before[:last] and len(runs) > last and runs[last][:2] == before[last][:2]
            and runs[last][2] >= before[last][2]
        )  # fmt: skip
        if not grows:
            before, tally, last = [], Accountant(), -1
        self._tallied = [], Accountant()  # until all is counted
        for i, (noise, rate, times) in enumerate(runs[max(last, 0) :], max(last, 0)):
            tally.add(single(noise, rate), times - (before[i][2] if i == last else 0))
        self._tallied = runs, tally
        return tally

    def _count(self, noise: object, rate: object, times: int) -> None:
        plain = type(noise) is float and type(rate) is float  # settings that are known need no second look
        used = self._used if plain and self._used is not None and self._used == (noise, rate) else setting(noise, rate)
        self._used = used
        last: object = self.history[-1] if self.history else None
        if isinstance(last, (list, tuple)) and len(last) == 3 and tuple(last[:2]) == used:
            self.history[-1] = (*used, repeats(last[2]) + times)
        else:
            self.history.append((*used, times))


def noise_multiplier(
    *,
    target_epsilon: float,
    target_delta: float,
    sample_rate: float,
    epochs: float | None = None,
    steps: int | None = None,
    **options: object,
) -> float:
    """Return the least noise with which the run certainly keeps the target, as Opacus asks for it.

    ``PrivacyEngine.make_private_with_epsilon`` calls it where the accountant is "neyman".

    Parameters
    ----------
    target_epsilon, target_delta : float
        What is to be kept.
    sample_rate : float
        As Opacus has it: one over the number of batches in an epoch.
    epochs, steps
        Exactly one of the two. Epochs are counted in whole steps, rounded up, of the exact rate. (Opacus rounds down
        what float64 makes of ``epochs / sample_rate``: of 3 epochs at rate 1/75, which are 225 steps, it counts 224.)

    Returns
    -------
    float
        ``ny.noise_for_dpsgd(...).parameter``.

    Raises
    ------
    InvalidParameter
        If a number lies outside its domain, not exactly one of ``epochs`` and ``steps`` is given, or ``poisson=False``
        is asked for. Other options, which tell how finely to search, have no effect.

    Examples
    --------
    >>> round(noise_multiplier(target_epsilon=8.0, target_delta=1e-5, sample_rate=0.01, steps=10_000), 5)
    0.88253
    """
    if (epochs is None) == (steps is None):
        raise InvalidParameter("steps", (epochs, steps), "the only length, or epochs", "Give exactly one of the two.")
    _poisson_only(options)
    rate = probability("sample_rate", sample_rate)
    length = epoch_steps(epochs, _exact(rate)) if steps is None else count("steps", steps)
    return float(noise_for_dpsgd(Epsilon(target_epsilon, target_delta), rate, length).parameter)


def _poisson_only(options: MutableMapping[str, object]) -> None:
    if options.pop("poisson", True) is not True:
        raise InvalidParameter("poisson", False, "True", "Batches that are no Poisson samples have another law.")


def register() -> None:
    """Make ``PrivacyEngine(accountant="neyman")`` work, and its noise come from our calibration.

    Importing this module does it. Accountants of other names are computed as before. It may be called again.
    """
    _opacus.register_accountant(NAME, OpacusAccountant, force=True)
    for place in ("opacus.accountants.utils", "opacus.privacy_engine"):  # the latter holds a name of its own
        module: Any = import_module(place)
        theirs: Any = module.get_noise_multiplier
        if not hasattr(theirs, _ROUTED):
            module.get_noise_multiplier = _routed(theirs)


def _routed(theirs: Callable[..., float]) -> Callable[..., float]:
    @wraps(theirs)
    def get_noise_multiplier(*args: Any, **options: Any) -> float:
        if options.get("accountant") != NAME:
            return theirs(*args, **options)
        return noise_multiplier(*args, **options)

    setattr(get_noise_multiplier, _ROUTED, True)
    return get_noise_multiplier


def _entry(entry: object) -> tuple[float, float, int]:
    items = cast("list[Any]", entry) if isinstance(entry, (list, tuple)) else []
    if len(items) != 3:
        raise InvalidParameter("history", entry, "made of (noise_multiplier, sample_rate, steps)")
    return (*setting(items[0], items[1]), repeats(items[2]))


def _entries(history: object) -> list[tuple[float, float, int]]:
    if not isinstance(history, (list, tuple)):
        raise InvalidParameter("history", history, "a list of (noise_multiplier, sample_rate, steps)")
    return [_entry(entry) for entry in cast("list[object]", history)]


def _exact(sample_rate: float) -> Fraction | float:
    """Return 1/n of a rate that is the float64 nearest to it, as Opacus' rates are."""
    batches = round(1.0 / sample_rate) if 1e-300 < sample_rate <= 1.0 else 0
    return Fraction(1, batches) if batches and 1.0 / batches == sample_rate else sample_rate


register()
