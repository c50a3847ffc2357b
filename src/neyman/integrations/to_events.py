"""Mechanisms, written as events of dp_accounting."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from typing import Any, cast

from neyman._errors import InvalidParameter, MissingPackage
from neyman.guarantees import ZCDP, Opaque
from neyman.mechanisms import (
    ApproximateMechanism,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    PureMechanism,
    RandomizedResponse,
)
from neyman.mechanisms.additive.rounding import at_least, at_most
from neyman.mechanisms.sampled.poisson import PoissonSampled

__all__ = ["to_dp_event"]

_WRITTEN = (
    "made of Gaussian, Laplace, DiscreteLaplace, RandomizedResponse, ApproximateMechanism, Opaque(ZCDP) and Poisson "
    "samples of them"
)
_NO_EVENT = "dp_accounting has no event that says the same."


def to_dp_event(mechanism: Mechanism) -> Any:
    """Return the event of ``dp_accounting`` that describes a mechanism: the way back from ``from_dp_event``.

    Parameters
    ----------
    mechanism : Mechanism
        Made of Gaussian, Laplace, discrete Laplace and randomised response steps, black boxes known by (epsilon, delta)
        or by rho-zCDP, and Poisson samples of these.

    Returns
    -------
    dp_accounting.DpEvent
        ``from_dp_event`` reads it back as the same mechanism where all numbers are copied; a number that is computed
        (a noise multiplier from a sensitivity that is not 1, an inverse scale, the noise of a randomised response) is
        rounded to the safe side, and comes back promising no more.

    Raises
    ------
    InvalidParameter
        If dp_accounting has no event for one of its steps (of the installed version: black boxes known by epsilon and
        delta need one after 0.6).
    ImportError
        If dp_accounting is not installed.

    Examples
    --------
    >>> from neyman import DPSGD, from_dp_event
    >>> event = to_dp_event(DPSGD(1.0, 0.01, 1000))
    >>> event.count, event.event.sampling_probability, event.event.event
    (1000, 0.01, GaussianDpEvent(noise_multiplier=1.0))
    >>> from_dp_event(event)
    Gaussian(sigma=1.0, sensitivity=1.0).poisson(0.01) ** 1000
    """
    if not isinstance(mechanism, Mechanism):
        raise InvalidParameter("mechanism", mechanism, "a Mechanism")
    try:
        known: Any = import_module("dp_accounting.dp_event")
    except ImportError as error:
        raise MissingPackage("to_dp_event needs dp_accounting: pip install 'neyman[dp-accounting]'") from error
    events = [_repeated(known, _step(known, step), times) for step, times in mechanism.parts]
    if not events:
        return known.NoOpDpEvent()
    return events[0] if len(events) == 1 else known.ComposedDpEvent(events)


def _repeated(known: Any, event: Any, times: int) -> Any:
    return event if times == 1 else known.SelfComposedDpEvent(event, times)


def _step(known: Any, step: Mechanism) -> Any:
    if isinstance(step, PoissonSampled):
        return known.PoissonSampledDpEvent(step.rate, _step(known, step.of))
    write = next((write for kind, write in _KINDS.items() if type(step) is kind), None)
    event = None if write is None else write(known, step)
    if event is None:
        raise InvalidParameter("mechanism", step, _WRITTEN, _NO_EVENT)
    return event


def _gaussian(known: Any, step: Gaussian) -> Any:
    return known.GaussianDpEvent(at_most(Fraction(step.ratio)))


def _laplace(known: Any, step: Laplace) -> Any:
    return known.LaplaceDpEvent(at_most(Fraction(step.scale) / Fraction(step.sensitivity)))


def _discrete_laplace(known: Any, step: DiscreteLaplace) -> Any:
    """Mass proportional to e^{-noise_parameter |x|}: the inverse of the scale, rounded up."""
    return known.DiscreteLaplaceDpEvent(at_least(1 / Fraction(step.scale)), step.sensitivity)


def _randomized_response(known: Any, step: RandomizedResponse) -> Any:
    """p = k / (k - 1 + e^epsilon), rounded down until e^epsilon is not below what it was."""
    k = step.k
    weight = k / (k - 1 + math.exp(step.epsilon))
    p = min(weight * (1.0 - 2.0**-48), 1.0) if step.epsilon else 1.0  # exp errs by less
    return known.RandomizedResponseDpEvent(p, k)


def _approximate(known: Any, step: ApproximateMechanism) -> Any:
    event = getattr(known, "EpsilonDeltaDpEvent", None)
    return None if event is None else event(step.epsilon, step.delta)


def _pure(known: Any, step: PureMechanism) -> Any:
    event = getattr(known, "EpsilonDeltaDpEvent", None)
    return None if event is None else event(step.epsilon, 0.0)


def _opaque(known: Any, step: Opaque) -> Any:
    """Only what is promised for one record added or removed: that is what the event says."""
    if not isinstance(step.guarantee, ZCDP) or step.adjacency != "add_or_remove":
        return None
    return known.ZCDpEvent(step.guarantee.zcdp())


_KINDS = cast(
    "dict[type, Callable[[Any, Any], Any]]",
    {
        Gaussian: _gaussian,
        Laplace: _laplace,
        DiscreteLaplace: _discrete_laplace,
        RandomizedResponse: _randomized_response,
        ApproximateMechanism: _approximate,
        PureMechanism: _pure,
        Opaque: _opaque,
    },
)
