"""The plan of a sweep: its axes, its questions, and how the grid is cut into blocks."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from neyman._errors import InvalidParameter
from neyman._validate import choice, flag, inside, positive, whole
from neyman.accounting import ADJACENCIES
from neyman.calibration.target import Target
from neyman.mechanisms import DPSGD, Mechanism
from neyman.profiles.effort import EFFORT
from neyman.sweeps.axes import DPSGD_AXES, Axis, axis, check_dpsgd
from neyman.sweeps.baseline import Baseline
from neyman.sweeps.batches import served
from neyman.sweeps.calibrated import Calibrated, check_sought
from neyman.sweeps.job import Job, Values
from neyman.sweeps.quantities import BESIDE, Quantity
from neyman.sweeps.quantities import quantities as read_quantities
from neyman.sweeps.version import VERSION

__all__ = ["BESIDES", "EXPECTED", "MOST_POINTS", "USUAL", "Plan", "plan"]

BESIDES = ("baseline", "calibrated")  # what is said of sweeps that have one
USUAL: dict[str, Any] = {"effort": EFFORT, "batches": False}  # what older stores do not say
MOST_POINTS = 10**9  # settings at most, of a sweep or of a block
EXPECTED = 10**7  # settings of a sweep that nobody has said to be as large as it is: three core-hours to two core-days
_SMALL, _LARGE, _BLOCKS = 16, 4096, 500  # settings of a block, and about how many blocks there are between
_MANY = 64  # the least number of settings of a block that batches answer: they want 32 that are alike
_TAKEN = ("status", "reason", "reason_number", "in_batch")  # names of a sweep's own variables


@dataclass(frozen=True)
class Plan:
    """A grid of settings, what is asked of each, and the shape of the blocks that are answered together."""

    job: Job
    axes: tuple[Axis, ...]
    block: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values along each axis."""
        return tuple(len(some.values) for some in self.axes)

    @property
    def size(self) -> int:
        """Number of settings."""
        return math.prod(self.shape)

    @cached_property
    def grid(self) -> tuple[int, ...]:
        """Number of blocks along each axis."""
        return tuple(-(-n // b) for n, b in zip(self.shape, self.block, strict=True))

    @property
    def count(self) -> int:
        """Number of blocks."""
        return math.prod(self.grid)

    def place(self, number: int) -> tuple[slice, ...]:
        """Where block ``number`` lies, axis by axis."""
        found: list[slice] = []
        for n, b, blocks in zip(reversed(self.shape), reversed(self.block), reversed(self.grid), strict=True):
            number, i = divmod(number, blocks)
            found.append(slice(i * b, min((i + 1) * b, n)))
        return tuple(reversed(found))

    def values(self, number: int) -> Values:
        """The values of block ``number`` along each axis."""
        return tuple(some.values[part] for some, part in zip(self.axes, self.place(number), strict=True))

    def points(self, number: int) -> int:
        """Number of settings in block ``number``."""
        return math.prod(part.stop - part.start for part in self.place(number))

    @cached_property
    def settled(self) -> bool:
        """Whether the axes say which mechanisms there are; of another ``make`` they do not."""
        return self.job.make is DPSGD

    @property
    def source(self) -> str:
        """The name of the function that makes the mechanisms."""
        make = self.job.make
        name = getattr(make, "__qualname__", type(make).__qualname__)
        return "DPSGD" if self.settled else f"{getattr(make, '__module__', None) or '__main__'}.{name}"

    @cached_property
    def description(self) -> dict[str, Any]:
        """All that decides the answers, ready for JSON, in which floats are exact."""
        return {
            "neyman_version": VERSION,
            "axes": {some.name: list(some.values) for some in self.axes},
            "quantities": [[q.key, q.at] for q in self.job.quantities],
            "adjacency": self.job.adjacency,
            "tolerance": self.job.tolerance,
            "floor": self.job.floor,
            "effort": self.job.effort,
            "batches": self.job.batches,
            **({"baseline": self.job.baseline.told} if self.job.baseline else {}),
            **({"calibrated": [self.job.sought.name, self.job.sought.told]} if self.job.sought else {}),
        }

    @property
    def beside(self) -> dict[str, str]:
        """What the axes do not say, for a reader: the baseline, and what is calibrated to which target."""
        job = self.job
        base = {"baseline": repr(job.baseline.what)} if job.baseline else {}
        return base | ({"calibrated": f"{job.sought.name} to {job.sought.shown}"} if job.sought else {})

    @property
    def nameless(self) -> bool:
        """Whether there is a baseline that no words tell from others."""
        job = self.job
        return (job.baseline is not None and job.baseline.words is None) or (
            job.sought is not None and job.sought.nameless
        )

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the description; the usual effort, and that there are no batches, are left out, as in stores older
        than these words.
        """
        said = {key: value for key, value in self.description.items() if USUAL.get(key) != value or key not in USUAL}
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def cut(self, block: tuple[int, ...]) -> Plan:
        """The same plan in blocks of another shape."""
        return replace(self, block=block)


def plan(
    make: Callable[..., Mechanism] | None,
    axes: Mapping[str, object] | None,
    questions: object,
    settings: tuple[str, float, float, float],
    points: int | None = None,
    at_most: int = EXPECTED,
    batches: bool = True,
    baseline: object = None,
) -> Plan:
    """Validate everything that ``sweep`` was told.

    Parameters
    ----------
    make : callable, optional
        ``DPSGD`` if left out.
    axes : mapping
        Of each keyword argument of ``make``, its values; of one of them a target, to which it is calibrated.
    questions : str or sequence of str
        The quantities.
    settings : (str, float, float, float)
        Adjacency, tolerance, floor and effort.
    points : int, optional
        About how many settings are answered together.
    at_most : int
        How many settings there may be, up to 10^9.
    batches : bool
        Whether batches may answer, where they serve.
    baseline : Mechanism or Guarantee, optional
        What divergences are from.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.
    """
    function: Callable[..., Mechanism] = DPSGD if make is None else make
    if not _callable(function):
        raise InvalidParameter("make", make, "a function that returns a Mechanism")
    if not isinstance(axes, Mapping) or not axes:
        raise InvalidParameter("axes", axes, "a non-empty mapping from names to values")
    if function is DPSGD:
        check_dpsgd([str(name) for name in axes])
    floor = inside("floor", settings[2], 0.0, 0.5)
    asked = read_quantities(questions, floor)
    names = tuple(_name(name, {q.key for q in asked}) for name in axes)
    kind, width = choice("adjacency", settings[0], ADJACENCIES), inside("tolerance", settings[1], 0.99e-12, 1.0)
    sought = _sought({name: axes[name] for name in names}, {q.key for q in asked}, kind)
    if function is DPSGD and sought is not None:
        check_sought(sought.name, axes)
    names = tuple(name for name in names if sought is None or name != sought.name)
    found = tuple(axis(name, axes[name], function is DPSGD) for name in names)
    if function is DPSGD:
        found = tuple(sorted(found, key=lambda some: list(DPSGD_AXES).index(some.name)))
    shape = tuple(len(some.values) for some in found)
    size = math.prod(shape)
    if not size <= whole("at_most", at_most, 1, MOST_POINTS):
        advice = f"A setting takes 1 to 15 ms: raise at_most if this is meant, to {MOST_POINTS:.0e} at most."
        raise InvalidParameter("axes", size, f"of at most {at_most} settings in all", advice)
    effort = positive("effort", settings[3])
    many = flag("batches", batches) and served(function, asked, (kind, width, effort))
    base = _baseline(baseline, asked, kind)
    job = Job(function, tuple(some.name for some in found), asked, kind, width, floor, effort, many, sought, base)
    most = min(max(size // _BLOCKS, _MANY if many else _SMALL), _LARGE)
    most = most if points is None else whole("block", points, 1, MOST_POINTS)
    return Plan(job, found, _block(shape, most))


def _sought(axes: Mapping[str, object], keys: set[str], adjacency: str) -> Calibrated | None:
    """The argument that is calibrated, if one is."""
    aimed = {name: value for name, value in axes.items() if isinstance(value, Target)}
    if not aimed:
        return None
    name, target = next(iter(aimed.items()))
    if len(aimed) > 1:
        other, value = list(aimed.items())[1]
        raise InvalidParameter(other, value, "made of numbers", f"{name} is calibrated, and one alone can be.")
    if len(axes) == 1:
        advice = "Of one setting ny.calibrate tells more."
        raise InvalidParameter(name, target, "beside at least one axis of numbers", advice)
    found = Calibrated.to(name, target, adjacency)
    for column in found.columns:
        if column.key in keys or (column.key in axes and column.key != name):
            raise InvalidParameter("name of an axis", column.key, "not that of a calibrated variable")
    return found


def _baseline(value: object, asked: tuple[Quantity, ...], adjacency: str) -> Baseline | None:
    """What divergences are from, where some are asked for."""
    beside = [quantity.key for quantity in asked if quantity.word in BESIDE]
    if value is None and not beside:
        return None
    if value is None:
        raise InvalidParameter("baseline", value, f"given: {beside[0]} is from it", "A Mechanism, or a Guarantee.")
    if not beside:
        raise InvalidParameter("baseline", value, f"left out where none of {', '.join(BESIDE)} is asked for")
    return Baseline.of(value, adjacency)


def _callable(value: object) -> bool:
    return callable(value)


def _name(name: object, keys: set[str]) -> str:
    if not isinstance(name, str) or not name.isidentifier() or name in _TAKEN or name in keys:
        allowed = f"the name of a keyword argument, and of no variable ({', '.join((*_TAKEN, *sorted(keys)))})"
        raise InvalidParameter("name of an axis", name, allowed)
    return name


def _block(shape: tuple[int, ...], most: int) -> tuple[int, ...]:
    """At most ``most`` settings that are neighbours: the last axes whole, as far as they fit."""
    found: list[int] = []
    for n in reversed(shape):
        found.append(max(1, min(n, most)))
        most //= found[-1]
    return tuple(reversed(found))
