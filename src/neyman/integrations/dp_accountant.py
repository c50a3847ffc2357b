"""An accountant that any tool of dp_accounting takes, over the certified engines."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

from neyman._errors import InvalidParameter, MissingPackage, NotCertified
from neyman._validate import MAX_COUNT, whole
from neyman.accountants import Accountant
from neyman.guarantees.computed import ComposedGuarantee
from neyman.integrations.dp_events import MAX_DEPTH, check_size, from_dp_event
from neyman.mechanisms import DiscreteLaplace, Gaussian, Laplace, RandomizedResponse
from neyman.mechanisms.sampled.poisson import PoissonSampled

__all__ = ["EventAccountant"]

try:
    _base: Any = import_module("dp_accounting.privacy_accountant")
except ImportError as error:
    raise MissingPackage("EventAccountant needs dp_accounting: pip install 'neyman[dp-accounting]'") from error
_events: Any = import_module("dp_accounting.dp_event")
_PrivacyAccountant: Any = _base.PrivacyAccountant
_Relation: Any = _base.NeighboringRelation

_ADJACENCIES = {"ADD_OR_REMOVE_ONE": "add_or_remove", "REPLACE_ONE": "replace", "REPLACE_SPECIAL": "add_or_remove"}
_ADDITIVE = {Gaussian, Laplace, DiscreteLaplace}
_NOISE = {
    "GaussianDpEvent": "noise_multiplier",
    "LaplaceDpEvent": "noise_multiplier",
    "DiscreteLaplaceDpEvent": "noise_parameter",
    "RandomizedResponseDpEvent": "noise_parameter",
}


class EventAccountant(_PrivacyAccountant):
    """A ``dp_accounting.PrivacyAccountant`` whose answers are certified: those of ``ny.account``.

    Parameters
    ----------
    neighboring_relation : dp_accounting.NeighboringRelation, optional
        ADD_OR_REMOVE_ONE (the default), REPLACE_ONE, or REPLACE_SPECIAL (one record exchanged for one that adds
        nothing). Noise multipliers are those for one record added or removed, and Gaussian and Laplace noise is
        worth half as much under REPLACE_ONE: see ``from_dp_event``. REPLACE_SPECIAL is known of additive noise and its
        Poisson samples alone, where it is as adding or removing a record; randomised responses of REPLACE_ONE alone.
        Other events are not supported then.

    Raises
    ------
    InvalidParameter
        On another relation.

    Notes
    -----
    Events without noise, ``NonPrivateDpEvent`` among them, are composed, and make epsilon infinite. An event that
    ``from_dp_event`` does not read is not supported, and ``compose`` says which it was and why.

    Examples
    --------
    >>> import dp_accounting
    >>> step = dp_accounting.PoissonSampledDpEvent(0.32768, dp_accounting.GaussianDpEvent(9.4))
    >>> round(EventAccountant().compose(step, 2000).get_epsilon(1e-5), 5)
    7.42438
    >>> dp_accounting.calibrate_dp_mechanism(
    ...     EventAccountant, lambda n: dp_accounting.SelfComposedDpEvent(step, n), 7.42438, 1e-5, discrete=True,
    ...     bracket_interval=dp_accounting.LowerEndpointAndGuess(1, 1000))
    2000
    """

    def __init__(self, neighboring_relation: Any = _Relation.ADD_OR_REMOVE_ONE) -> None:
        name = getattr(neighboring_relation, "name", None)
        if not isinstance(neighboring_relation, _Relation) or name not in _ADJACENCIES:
            allowed = "one of NeighboringRelation." + ", .".join(_ADJACENCIES)
            raise InvalidParameter("neighboring_relation", neighboring_relation, allowed)
        super().__init__(neighboring_relation)
        self._additive_only = name == "REPLACE_SPECIAL"
        self._tally = Accountant(adjacency=_ADJACENCIES[str(name)])
        self._bare = False

    def get_epsilon(self, target_delta: float) -> float:
        """Return epsilon at a delta, rounded up; infinite after an event without noise.

        Where the number cannot be certified to the usual width, what is returned is the upper end that can be.
        """
        if self._bare:
            return math.inf
        try:
            return self._tally.get_epsilon(target_delta)
        except NotCertified as found:
            return found.upper

    def get_delta(self, target_epsilon: float) -> float:
        """Return delta at an epsilon, rounded up; 1 after an event without noise. As for certainty: see above."""
        if self._bare:
            return 1.0
        try:
            return self.guarantee().delta(target_epsilon)
        except NotCertified as found:
            return found.upper

    def guarantee(self) -> ComposedGuarantee:
        """Return the guarantee of everything composed so far, for every other question.

        Raises
        ------
        InvalidParameter
            After an event without noise, of which there is none.
        """
        if self._bare:
            raise InvalidParameter("ledger", self.ledger, "noisy throughout", "A bare event has no guarantee.")
        return self._tally.guarantee()

    def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:
        try:
            check_size(event)
        except InvalidParameter as error:
            return self._error(event, str(error))
        return self._walk(event, count, do_compose, 1)

    def _walk(self, event: Any, times: int, do: bool, depth: int) -> Any:
        """Compose every event of a tree, or say which cannot be."""
        if not depth <= MAX_DEPTH:
            return self._error(event, f"Events are nested more than {MAX_DEPTH} deep.")
        try:
            if type(event) is _events.SelfComposedDpEvent:
                more = whole("count", times * whole("count", event.count, 0, MAX_COUNT), 0, MAX_COUNT)
                return self._walk(event.event, more, do, depth + 1)
            if type(event) is _events.ComposedDpEvent:
                results = [self._walk(item, times, do, depth + 1) for item in event.events]
                return next((result for result in results if result is not None), None)
            return self._single(event, whole("count", times, 0, MAX_COUNT), do)
        except InvalidParameter as error:
            if do:  # was checked before: what fails now (too many steps in all) must not be lost
                self._bare = True
                raise
            return self._error(event, str(error))

    def _single(self, event: Any, times: int, do: bool) -> Any:
        if _bare(event):
            self._bare |= do and times > 0
            return None
        mechanism = from_dp_event(event)
        mechanism.check_adjacency(self._tally.adjacency)
        mechanism.losses(replace=self._tally.adjacency == "replace")  # refuses boxes whose worst pair is not known
        kinds = {type(step.of if isinstance(step, PoissonSampled) else step) for step, _ in mechanism.parts}
        if self._additive_only and not kinds <= _ADDITIVE:
            return self._error(event, "Of REPLACE_SPECIAL only additive noise and its Poisson samples are known.")
        if self._tally.adjacency != "replace" and RandomizedResponse in kinds:
            return self._error(event, "Randomised responses are known for REPLACE_ONE alone: each record has one.")
        if do:
            self._tally.add(mechanism, times)
        return None

    def _error(self, event: Any, message: str) -> Any:
        return self.CompositionErrorDetails(invalid_event=event, error_message=message)


def _bare(event: Any) -> bool:
    """Whether an event adds no noise at all: a search for the least noise starts there."""
    while type(event) is _events.PoissonSampledDpEvent:
        rate = event.sampling_probability
        if not (isinstance(rate, (int, float)) and 0.0 < rate <= 1.0):
            return False
        event = event.event
    kind = type(event)
    field = _NOISE.get(kind.__name__)
    if field is None or kind is not getattr(_events, kind.__name__):
        return kind is _events.NonPrivateDpEvent
    return bool(getattr(event, field) == 0)
