"""Targets in keyword arguments: ``epsilon=8, delta=1e-5`` for ``targets.Epsilon(8, delta=1e-5)``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neyman._errors import InvalidParameter
from neyman.calibration.attack_targets import Advantage
from neyman.calibration.curve_targets import Epsilon, Mu, Regret
from neyman.calibration.target import All, Target
from neyman.guarantees.verbs import delta_of_records

__all__ = ["Wanted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to hold, as a target or in words; several words hold together.

    Examples
    --------
    >>> Wanted(epsilon=8.0, delta=1e-5).target("ny.calibrate", {})
    Epsilon(value=8.0, delta=1e-05)
    """

    epsilon: float | None = None
    delta: float | None = None
    mu: float | None = None
    advantage: float | None = None
    regret: float | None = None

    @property
    def words(self) -> dict[str, float]:
        """Those that were given."""
        given = {
            "epsilon": self.epsilon, "delta": self.delta, "mu": self.mu, "advantage": self.advantage,
            "regret": self.regret,
        }  # fmt: skip
        return {name: value for name, value in given.items() if value is not None}

    def target(
        self, call: str, told: Mapping[str, object], given: object = None, dataset_size: int | None = None
    ) -> Target:
        """Return the target: the one that was ``given``, or that of the words. A delta that is left out is
        1/``dataset_size``.

        Parameters
        ----------
        call : str
            The function that was called, and what it was ``told`` otherwise: for the line that would work.

        Raises
        ------
        InvalidParameter
            If there is none, or one beside words, or a number lies outside its domain, or delta is not known.
        """
        words = self.words
        if given is not None:
            if words:
                name, value = next(iter(words.items()))
                raise _refused(name, value, "left out where a target is given", call, told)
            if not isinstance(given, Target):
                advice = "Such as ny.targets.Epsilon(8.0, delta=1e-5)."
                raise _refused("target", given, "a target", call, told, advice)
            return given
        found: list[Target] = [make(words[name]) for name, make in _ALONE.items() if name in words]
        if "epsilon" in words:
            found.insert(0, Epsilon(words["epsilon"], self._delta(call, told, dataset_size)))
        elif "delta" in words:
            raise _refused("delta", words["delta"], "beside an epsilon", call, {**told, **words})
        if not found:
            raise _refused("target", None, "given, or epsilon and delta, or mu", call, told)
        return found[0] if len(found) == 1 else All(*found)

    def _delta(self, call: str, told: Mapping[str, object], dataset_size: int | None) -> float:
        found = delta_of_records(dataset_size) if self.delta is None else self.delta
        if found is None:
            advice = "Without a dataset_size there is no usual one."
            raise _refused("delta", None, "given beside an epsilon", call, {**told, **self.words}, advice)
        return found


_ALONE = {"mu": Mu, "advantage": Advantage, "regret": Regret}


def _refused(
    name: str, value: object, allowed: str, call: str, told: Mapping[str, object], advice: str = ""
) -> InvalidParameter:
    from neyman._guesses import line, write  # read where something went wrong

    return InvalidParameter(name, value, allowed, f"{advice} {write(line(call, told))}".lstrip(), topic="target")
