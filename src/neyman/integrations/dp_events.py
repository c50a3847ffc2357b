"""Events of dp_accounting, read as mechanisms."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from typing import Any, cast

from neyman._errors import InvalidParameter, MissingPackage
from neyman._validate import count, not_negative, positive, probability, whole
from neyman.guarantees import ZCDP, Opaque
from neyman.mechanisms import (
    ApproximateMechanism,
    Composition,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    RandomizedResponse,
    compose,
)
from neyman.mechanisms.additive.gaussian import gaussian_noise
from neyman.mechanisms.additive.laplace import laplace_noise
from neyman.mechanisms.additive.rounding import at_least, at_most
from neyman.mechanisms.additive.scale import LARGEST_LOSS
from neyman.mechanisms.composition import repeat
from neyman.mechanisms.stated.randomized_response import MOST

__all__ = ["from_dp_event"]

MAX_DEPTH = 64  # levels of events within events
MOST_EVENTS = 10**6  # of a tree, one that stands in several places counted in each: some seconds of reading
BLATANT = "Without noise everything is revealed: a blatant mechanism has no guarantee."
TINY = 1e-300  # whose inverse is a float64, and a scale that is refused


def from_dp_event(event: object) -> Mechanism:
    """Return the mechanism that an event of ``dp_accounting`` describes.

    Parameters
    ----------
    event : dp_accounting.DpEvent
        NoOp, Gaussian, Laplace, DiscreteLaplace, RandomizedResponse, EpsilonDelta and ZC events (xi = 0), their
        compositions (Composed, SelfComposed), and Poisson samples of a single one of them; nested at most 64 deep.

    Returns
    -------
    Mechanism
        Perfect privacy for a NoOp. Noise multipliers are those for one record added or removed, and double under
        adjacency "replace"; the epsilon of a randomised response is the one of the adjacency in use. A ZCDpEvent is an
        ``Opaque`` that keeps rho-zCDP for one record added or removed. Numbers that are not copied but computed are
        rounded to the safe side.

    Raises
    ------
    InvalidParameter
        On any other event, on a sample of a composition, on numbers outside their domain (noise 0 among them), and on
        more than a million events in all. Its ``name`` is the path, such as ``event.events[2].noise_multiplier``.
    ImportError
        If dp_accounting is not installed.

    Examples
    --------
    >>> import dp_accounting
    >>> step = dp_accounting.PoissonSampledDpEvent(0.01, dp_accounting.GaussianDpEvent(1.0))
    >>> from_dp_event(dp_accounting.SelfComposedDpEvent(step, 1000))
    Gaussian(sigma=1.0, sensitivity=1.0).poisson(0.01) ** 1000
    """
    try:
        known = import_module("dp_accounting.dp_event")
    except ImportError as error:
        raise MissingPackage("from_dp_event needs dp_accounting: pip install 'neyman[dp-accounting]'") from error
    check_size(event)
    return _Tree(known).read("event", event, 1)


def check_size(event: object) -> None:
    """Refuse trees that are small only because their nodes share children: 2^64 events in 65 objects.

    Raises
    ------
    InvalidParameter
        If the tree, written out, has more than a million events.
    """
    size = _expanded(event, 1, {})
    if not size <= MOST_EVENTS:
        found = _Kind(f"a tree that expands to {size:.4g} events")
        raise InvalidParameter(
            "event", found, f"a tree of at most {MOST_EVENTS:.0e} events", "Repeat events by SelfComposedDpEvent."
        )


def _expanded(event: Any, depth: int, known: dict[int, int]) -> int:
    """How many events it stands for; each object is looked at once."""
    if id(event) not in known and depth <= MAX_DEPTH:  # what is nested deeper is refused elsewhere
        inner = getattr(event, "events", None)
        parts = (
            list(cast("list[object]", inner)) if isinstance(inner, (list, tuple)) else [getattr(event, "event", None)]
        )
        known[id(event)] = 1 + sum(_expanded(part, depth + 1, known) for part in parts if part is not None)
    return known.get(id(event), 1)


class _Tree:
    """A tree of events, read from its root down; every path is a full one, as the caller would type it."""

    def __init__(self, known: Any) -> None:
        self.known = known
        self.several: dict[str, Callable[[str, Any, int], Mechanism]] = {
            "ComposedDpEvent": self._composed,
            "SelfComposedDpEvent": self._repeated,
            "PoissonSampledDpEvent": self._sampled,
        }

    def read(self, path: str, event: Any, depth: int) -> Mechanism:
        kind = type(event).__name__
        if not depth <= MAX_DEPTH:
            raise InvalidParameter(path, _Kind(kind), f"nested at most {MAX_DEPTH} deep")
        # by class, not by name: another class of that name may mean something else, and so may a subclass
        known = type(event) is getattr(self.known, kind, None)
        if known and kind in self.several:
            return self.several[kind](path, event, depth)
        if known and kind in _SINGLE:
            return _single(path, event, _SINGLE[kind])
        supported = ", ".join((*_SINGLE, *self.several))
        raise InvalidParameter(path, _Kind(kind), f"one of {supported}", _REASONS.get(kind, "") if known else "")

    def _composed(self, path: str, event: Any, depth: int) -> Mechanism:
        if not isinstance(event.events, (list, tuple)):
            raise InvalidParameter(f"{path}.events", _Kind(type(event.events).__name__), "a list of events")
        events = enumerate(cast("list[object]", event.events))
        return compose([self.read(f"{path}.events[{i}]", item, depth + 1) for i, item in events])

    def _repeated(self, path: str, event: Any, depth: int) -> Mechanism:
        times = count(f"{path}.count", event.count)
        return repeat(self.read(f"{path}.event", event.event, depth + 1), times)

    def _sampled(self, path: str, event: Any, depth: int) -> Mechanism:
        rate = probability(f"{path}.sampling_probability", event.sampling_probability)
        of = self.read(f"{path}.event", event.event, depth + 1)
        if isinstance(of, Composition) and of.several and 0.0 < rate < 1.0:
            advice = "A sample shared by several steps is another mechanism than a fresh sample for each."
            raise InvalidParameter(f"{path}.event", of, "a single step to be sampled", advice)
        return of.poisson(rate)


def _single(path: str, event: Any, build: Callable[[Any], Mechanism]) -> Mechanism:
    try:
        return build(event)
    except InvalidParameter as error:
        raise error.called(f"{path}.{error.name}") from None


def _no_op(event: Any) -> Mechanism:
    return compose([])


def _gaussian(event: Any) -> Mechanism:
    name = "noise_multiplier"
    return Gaussian(gaussian_noise(name, positive(name, event.noise_multiplier, BLATANT)))


def _laplace(event: Any) -> Mechanism:
    name = "noise_multiplier"
    return Laplace(laplace_noise(name, positive(name, event.noise_multiplier, BLATANT)))


def _discrete_laplace(event: Any) -> Mechanism:
    """Mass proportional to e^{-noise_parameter |x|}: the scale is its inverse, rounded down."""
    inverse = positive("noise_parameter", event.noise_parameter)
    return DiscreteLaplace(at_most(1 / Fraction(max(inverse, TINY))), event.sensitivity)


def _randomized_response(event: Any) -> Mechanism:
    """With probability p any of k, else the truth: e^epsilon = (1 - p + p/k) / (p/k), epsilon rounded up."""
    k = whole("num_buckets", event.num_buckets, 2, MOST)
    p = Fraction(probability("noise_parameter", event.noise_parameter))
    if not p > 0:
        raise InvalidParameter("noise_parameter", event.noise_parameter, "a number in (0, 1]", BLATANT)
    odds = k * (1 - p) / p
    if not odds <= Fraction(math.exp(LARGEST_LOSS - 1e-9)):
        raise InvalidParameter("noise_parameter", event.noise_parameter, f"so large that epsilon <= {LARGEST_LOSS:g}")
    if not odds:
        return RandomizedResponse(0.0, k)
    # log1p errs by less than two units in the last place
    return RandomizedResponse(math.log1p(at_least(odds)) * (1.0 + 2.0**-50), k)


def _approximate(event: Any) -> Mechanism:
    return ApproximateMechanism(event.epsilon, event.delta)


def _zcdp(event: Any) -> Mechanism:
    """(xi, rho)-zCDP: rho t bounds the divergence of order t; the promise read here is for t > 1 alone."""
    if not not_negative("xi", event.xi) == 0.0:
        raise InvalidParameter("xi", event.xi, "0", "State xi + rho t at some orders t as RDP in an Opaque.")
    return Opaque(ZCDP(event.rho))


class _Kind:
    """Stands in an error for an event, whose own ``repr`` may be endless."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


_SINGLE: dict[str, Callable[[Any], Mechanism]] = {
    "NoOpDpEvent": _no_op,
    "GaussianDpEvent": _gaussian,
    "LaplaceDpEvent": _laplace,
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "RandomizedResponseDpEvent": _randomized_response,
    "EpsilonDeltaDpEvent": _approximate,  # in dp_accounting after 0.6
    "ZCDpEvent": _zcdp,
}
_BATCHES = "Batches of fixed size are another mechanism than Poisson samples, with another worst pair."
_REASONS = {
    "NonPrivateDpEvent": "It reveals everything: a blatant mechanism has no guarantee.",
    "UnsupportedDpEvent": "It says nothing of what was run.",
    "SampledWithReplacementDpEvent": _BATCHES,
    "SampledWithoutReplacementDpEvent": _BATCHES,
    "TruncatedSubsampledGaussianDpEvent": "Truncated batches are another mechanism than Poisson samples.",
    "SingleEpochTreeAggregationDpEvent": "Its noise is shared by the nodes of a tree; state the steps of one record.",
    "RepeatAndSelectDpEvent": "Selecting the best of several runs has no known worst pair.",
    "MixtureOfGaussiansDpEvent": "Mixtures of several sensitivities have no law here yet.",
}
