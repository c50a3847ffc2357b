"""What was run, run-length encoded: the memory of an accountant."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import cast

from neyman._errors import InvalidParameter
from neyman._validate import MAX_COUNT, whole
from neyman.guarantees import mechanism_from_dict
from neyman.mechanisms import Mechanism, compose

__all__ = ["CHUNK", "Entry", "Ledger"]

CHUNK = 1024  # runs in one entry
Entry = dict[str, object]  # {"define": a mechanism's dict} or {"runs": [[setting, count], ...]} or both, in that order


class Ledger:
    """Distinct settings in the order of their first use, and the runs of equal steps in the order in which they came.

    Sixteen bytes a run; a step costs the same however many there are.

    Examples
    --------
    >>> from neyman import Gaussian
    >>> ledger = Ledger()
    >>> for sigma in (1.0, 2.0, 2.0, 1.0):
    ...     ledger.note(ledger.learn(Gaussian(sigma)), 1)
    >>> ledger.history
    ((Gaussian(sigma=1.0, sensitivity=1.0), 1), (Gaussian(sigma=2.0, sensitivity=1.0), 2),
     (Gaussian(sigma=1.0, sensitivity=1.0), 1))
    """

    def __init__(self) -> None:
        self.settings: list[Mechanism] = []
        self.counts: list[int] = []
        self.total = 0
        self._numbers: dict[Mechanism, int] = {}
        self._which = array("q")
        self._lengths = array("q")
        self._last = -1

    def find(self, mechanism: Mechanism) -> int:
        """Return the number of a setting, -1 if it is new."""
        return self._numbers.get(mechanism, -1)

    def learn(self, mechanism: Mechanism) -> int:
        """Return the number of a setting, a new one if it is new."""
        number = self._numbers.setdefault(mechanism, len(self.settings))
        if number == len(self.settings):
            self.settings.append(mechanism)
            self.counts.append(0)
        return number

    def room(self, count: int) -> None:
        """Refuse a count that would take the total beyond what is exact."""
        if self.total + count > MAX_COUNT:
            raise InvalidParameter("count", count, f"at most {MAX_COUNT - self.total}, what is left of {MAX_COUNT:.0e}")

    def note(self, number: int, count: int) -> None:
        """Count ``count`` >= 1 steps of setting ``number``."""
        self.counts[number] += count  # first, so that an interrupt leaves too much in the guarantee, not too little
        self.total += count
        if number == self._last:
            self._lengths[-1] += count
        else:
            self._which.append(number)
            self._lengths.append(count)
            self._last = number

    @property
    def history(self) -> tuple[tuple[Mechanism, int], ...]:
        """The runs, in order."""
        settings = self.settings
        return tuple((settings[number], n) for number, n in zip(self._which, self._lengths, strict=True))

    @property
    def runs(self) -> list[list[int]]:
        """The runs, in order, each as the number of its setting and its length."""
        return [list(run) for run in zip(self._which, self._lengths, strict=True)]

    def mechanism(self) -> Mechanism:
        """Everything that was run, composed."""
        return compose(setting**n for setting, n in zip(self.settings, self.counts, strict=True))

    def entries(self) -> Iterator[Entry]:
        """Write everything as entries that ``read`` takes back."""
        for setting in self.settings:
            yield {"define": setting.to_dict()}
        for start in range(0, len(self._which), CHUNK):
            stop = start + CHUNK
            runs = zip(self._which[start:stop], self._lengths[start:stop], strict=True)
            yield {"runs": [list(run) for run in runs]}

    def read(self, entry: object) -> None:
        """Take in one entry; what is malformed is refused, and nothing of it counted."""
        if not isinstance(entry, Mapping):
            raise InvalidParameter("entry", entry, "a dict")
        node = cast("Mapping[object, object]", entry)
        if not node or not set(node) <= {"define", "runs"}:
            raise InvalidParameter("entry", sorted(map(str, node)), 'made of "define" and "runs"')
        known = len(self.settings)
        new = None
        if "define" in node:
            new = mechanism_from_dict(cast("Mapping[str, object]", node["define"]))
            if self.find(new) >= 0:
                raise InvalidParameter("define", new, "a setting that is not known yet")
            known += 1
        runs = _runs(node.get("runs", []), known)
        self.room(sum(n for _, n in runs))
        if new is not None:
            self.learn(new)
        for number, n in runs:
            self.note(number, n)


def _runs(value: object, settings: int) -> list[tuple[int, int]]:
    if not isinstance(value, (list, tuple)):
        raise InvalidParameter("runs", value, "a list of pairs [setting, count]")
    found: list[tuple[int, int]] = []
    for i, pair in enumerate(cast("list[object]", value)):
        items = cast("list[object]", pair) if isinstance(pair, (list, tuple)) else []
        if len(items) != 2:
            raise InvalidParameter(f"runs[{i}]", pair, "a pair [setting, count]")
        number = items[0]
        if type(number) is not int or not 0 <= number < settings:
            raise InvalidParameter(f"runs[{i}][0]", number, f"the number of one of the {settings} settings before it")
        found.append((number, whole(f"runs[{i}][1]", items[1], 1, MAX_COUNT)))
    return found
