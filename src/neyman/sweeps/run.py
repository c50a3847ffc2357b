"""``sweep``: the same questions asked of every setting of a grid."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never

from neyman._answering import refuse_unknown
from neyman._errors import InvalidParameter
from neyman._guesses import right_name
from neyman._progress import progress_bar
from neyman._validate import whole
from neyman.guarantees import Guarantee
from neyman.mechanisms import Mechanism
from neyman.profiles.effort import EFFORT
from neyman.sweeps.answers import Answers
from neyman.sweeps.axes import DPSGD_AXES, check_dpsgd
from neyman.sweeps.cluster import check_client, on_cluster
from neyman.sweeps.dataset import in_memory, opened
from neyman.sweeps.extras import need
from neyman.sweeps.plan import EXPECTED, Plan, plan
from neyman.sweeps.store import Store
from neyman.sweeps.workers import Block, here, in_processes

if TYPE_CHECKING:
    import xarray

__all__ = ["PACKAGES", "complete", "crew_of", "sweep"]

PACKAGES = ("xarray", "h5netcdf", "h5py", "cloudpickle")
MOST_WORKERS = 1024  # processes at most
_CALL = "What makes the mechanisms comes first, and the values of its arguments in axes."


def _in_axes(make: object, axes: Mapping[str, object] | None, unknown: Mapping[str, object]) -> str:
    """The same sweep with its axes where they belong."""
    from neyman._guesses import shown, write  # read where something went wrong

    name = getattr(make, "__name__", "")
    if make is None or not name.isidentifier() or axes is not None:
        return f"{_CALL} " + write('ny.sweep(ny.Laplace, axes={"scale": [1.0, 2.0]})')
    told = ", ".join(f'"{word}": {shown(value)}' for word, value in unknown.items())
    return f"{_CALL} " + write(f"ny.sweep(ny.{name}, axes={{{told}}})")


def sweep(
    make: Callable[..., Mechanism] | None = None,
    /,
    *,
    axes: Mapping[str, object] | None = None,
    noise_multiplier: object = None,
    sample_rate: object = None,
    steps: object = None,
    epochs: object = None,
    batch_size: object = None,
    dataset_size: object = None,
    quantities: str | Sequence[str] = ("mu", "regret"),
    adjacency: str = "add_or_remove",
    tolerance: float = 1e-6,
    floor: float = 1e-10,
    effort: float = EFFORT,
    client: Any = None,
    workers: int | None = None,
    store: str | os.PathLike[str] | None = None,
    block: int | None = None,
    at_most: int = EXPECTED,
    progress: bool | None = None,
    batches: bool = True,
    baseline: Mechanism | Guarantee | None = None,
    **unknown: Never,
) -> xarray.Dataset:
    """Ask the same questions of every setting of a grid, and return the answers under their labels.

    Parameters
    ----------
    make : callable, optional
        Returns the mechanism of one setting, from keyword arguments named as ``axes``; ``DPSGD`` if left out.
    axes : mapping of str to number or sequence of numbers
        Of each argument of ``make``, its values: finite, no two equal, in any order, which is kept. One of them may
        be a target in place of values: at each setting of the others it is calibrated to that, see Notes.
    noise_multiplier, sample_rate, steps, epochs, batch_size, dataset_size : number or sequence of numbers
        For DP-SGD the same in fewer words, in place of ``axes``: the noise, the rate in one way and the length in one,
        as of ``DPSGD``; each is an axis. So
        ``noise_multiplier=ny.targets.Epsilon(8.0, delta=1e-5)`` is the least noise with which each rate and number of
        steps keeps to that.
    quantities : str or sequence of str
        What is asked: "mu", "regret", "shortfall" (at the floor, or at another: "mu(1e-6)"), "epsilon(delta)",
        "delta(epsilon)", "tpr(fpr)", "beta(alpha)", "bayes_error(prior)", "renyi(order)", "rho", "advantage", "auc",
        "fixed_point", "tail_mu", with numbers in the parentheses; from ``baseline`` "divergence", Delta(baseline ||
        setting), "reverse" and "distance", the larger. Each is on the safe side; with "optimistic." before
        it, it is the certified bound from the other.
    adjacency, tolerance
        As for ``account``.
    floor : float
        Of mu, regret and shortfall; in (0, 0.5).
    effort : float
        How much work each quantity of each setting may take, in nominal seconds, as for ``account``; finite, > 0. With
        another effort a sweep is another sweep, and has a store of its own.
    client : dask.distributed.Client, optional
        A cluster to compute on: neyman must be installed there, in this version. For their first hour, Dask's workers
        collect profiles of themselves in memory, unless ``distributed.worker.profile.enabled`` is False from the start.
    workers : int, optional
        Without a client: processes on this machine, as many as it has cores if left out; 1 computes in this process.
        With more than one, a script must call ``sweep`` below ``if __name__ == "__main__":``.
    store : path, optional
        A directory in which every block of settings is kept as soon as it is done. After an interruption, the same call
        goes on where it ended. Damaged files are noticed and their blocks computed again; the store of another sweep,
        or of another version of neyman, is refused.
    block : int, optional
        About how many settings are computed, sent and stored together.
    at_most : int
        How many settings there may be: a grid of more is refused before anything is computed. Up to 10^9.
    progress : bool, optional
        Whether what takes longer than a second is seen to go on, on the standard error (a bar, or lines in a log); if
        left out, on a terminal and in a notebook.
    batches : bool
        Whether settings of DP-SGD of which nothing is asked but mu, regret, epsilon (at deltas of 1e-15 to 0.999),
        delta (at epsilons up to 300) and advantage (adjacency "add_or_remove") may be answered many at a time, ten
        times as fast. False: by ``account`` alone, to the last bit.
    baseline : Mechanism or Guarantee, optional
        What settings are compared with, where a divergence is asked for: a mechanism, the guarantee that ``account``
        returned for one (it is accounted for again, with the tolerance of the sweep), or a given guarantee.

    Returns
    -------
    xarray.Dataset
        One variable for each quantity, named as it was asked, with the axes as dimensions. A value that cannot be
        certified is NaN, and ``reason[status]`` says why; ``status`` is 0 where there is nothing to say. ``in_batch``
        is 1 where a batch answered, 0 where the regular engine did. Attributes
        tell adjacency, tolerance, floor, effort, version, and how many settings ``failed`` in at least one quantity.
        With a ``store``, large results stay in its file and are read as they are needed.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or ``store`` holds something else.
    MissingPackage
        If xarray, h5netcdf or (for a client) distributed is not installed: ``pip install 'neyman[sweep]'``.

    Notes
    -----
    Every value that no batch gives equals, to the last bit, what ``account(mechanism)`` says on the same machine when
    it is asked the same questions in the same order: nothing is shared between settings. What a batch gives is
    certified as well, mu to a relative 1e-11, regret to 1e-11, epsilon, delta and advantage to a relative 1e-8 at
    least, and differs from what ``account`` says by no more than both are wide. So it does with ``block``, which
    settings are in a batch together. All of a setting of which a batch cannot certify something goes to ``account``.

    An argument that is calibrated is no axis of the result but a variable of that name, and one with "_missed" behind
    it, the value next to it that certainly misses the target: see ``calibrate``, which finds them for each setting by
    itself, with the tolerance of the sweep; batches may answer what is then asked. Where it refuses, all of the setting
    is NaN, and ``reason`` says why.

    Examples
    --------
    >>> import neyman as ny
    >>> found = ny.sweep(noise_multiplier=[1.0, 2.0], sample_rate=0.01, steps=[400, 1000], quantities="epsilon(1e-5)")
    >>> found["epsilon(1e-5)"].sel(noise_multiplier=1.0, steps=1000).values.round(6)
    array([1.828237])
    >>> found.attrs["failed"], found["epsilon(1e-5)"].attrs["side"]
    (0, 'upper bound: the truth is at most this')
    >>> ny.sweep(ny.Laplace, axes={"scale": [1.0, 2.0]}, quantities=["advantage"]).advantage.values.round(6)
    array([0.393469, 0.221199])
    >>> base = ny.DPSGD(0.5415, 0.01, 500)
    >>> found = ny.sweep(noise_multiplier=ny.targets.Epsilon(8.0, delta=1e-5), sample_rate=[0.1, 0.9], steps=1500,
    ...                  quantities=["divergence", "reverse"], baseline=base)
    >>> found.noise_multiplier.values.ravel().round(4), found.divergence.values.ravel().round(4)
    (array([ 2.4519, 20.9273]), array([0.1228, 0.1284]))
    """
    named = {
        "noise_multiplier": noise_multiplier, "sample_rate": sample_rate, "batch_size": batch_size,
        "dataset_size": dataset_size, "steps": steps, "epochs": epochs,
    }  # fmt: skip
    for name, value in unknown.items():
        if axes is None and make is None and right_name(name, tuple(DPSGD_AXES)):
            refuse_unknown("ny.sweep", unknown, **{key: one for key, one in named.items() if one is not None})
        raise InvalidParameter(
            name, value, "left out: sweep has no argument of that name", _in_axes(make, axes, unknown)
        )
    asked = plan(make, _axes(axes, named, make), quantities,
                 (adjacency, tolerance, floor, effort), block, at_most, batches, baseline)  # fmt: skip
    crew = crew_of(workers, client)
    for package in PACKAGES:
        need(package)
    _check_journey(asked, client is not None or crew > 1)
    kept = Memory(asked) if store is None else Store(_path(store), asked)
    complete(kept, client, crew, progress)
    return in_memory(kept.plan, kept.blocks()) if isinstance(kept, Memory) else opened(kept.result())


class Memory:
    """Answers that are kept no longer than this run: the counterpart of ``Store``."""

    def __init__(self, asked: Plan) -> None:
        self.plan = asked
        self._kept: dict[int, Answers] = {}

    def take(self, number: int, found: Answers) -> None:
        """Keep the answers of a block."""
        self._kept[number] = found

    def holds(self, number: int) -> bool:
        """Whether the block is here."""
        return number in self._kept

    def blocks(self) -> Iterator[tuple[int, Answers]]:
        """Hand over all answers, block by block."""
        for number in range(self.plan.count):
            yield number, self._kept.pop(number)


def complete(kept: Memory | Store, client: Any, workers: int, progress: bool | None) -> int:
    """Compute the blocks that are not yet kept; return how many settings that was."""
    asked, computed = kept.plan, 0
    with progress_bar(progress, asked.size) as advance:

        def missing() -> Iterator[Block]:
            for number in range(asked.count):
                if kept.holds(number):
                    advance(asked.points(number))
                else:
                    yield number, asked.values(number)

        with closing(_stream(asked, missing(), client, workers)) as stream:
            for number, found in stream:
                kept.take(number, found)
                computed += asked.points(number)
                advance(asked.points(number))
    return computed


def _stream(
    asked: Plan, blocks: Iterator[Block], client: Any, workers: int
) -> Generator[tuple[int, Answers], None, None]:
    """The answers, wherever they are computed, as a generator."""
    if client is not None:
        return on_cluster(client, asked.job, blocks)
    crew = min(workers, asked.count)
    return here(asked.job, blocks) if crew == 1 else in_processes(asked.job, blocks, crew)


def _axes(axes: Mapping[str, object] | None, named: Mapping[str, object], make: object) -> Any:
    given = {name: values for name, values in named.items() if values is not None}
    if axes is not None or make is not None:
        if given:
            raise InvalidParameter(*next(iter(given.items())), "left out, or one of axes")
        return axes
    check_dpsgd(given)
    return given


def _check_journey(asked: Plan, away: bool) -> None:
    """Refuse a baseline that no other process can be sent, where one is to answer."""
    if not away or not asked.nameless:
        return
    try:
        need("cloudpickle").dumps(asked.job)
    except Exception:  # noqa: BLE001 (whatever it is made of says so in words of its own)
        advice = "Give a mechanism or a given guarantee, or workers=1."
        base = asked.job.baseline.what if asked.job.baseline else None
        raise InvalidParameter("baseline", base, "one that can be sent to another process", advice) from None


def crew_of(workers: int | None, client: Any) -> int:
    """How many processes of this machine are to compute."""
    if client is not None:
        if workers is not None:
            raise InvalidParameter("workers", workers, "left out where a client is given")
        check_client(client)
        return 1
    if workers is not None:
        return whole("workers", workers, 1, MOST_WORKERS)
    return 1 if multiprocessing.current_process().daemon else _cores()  # daemons may not have children


def _cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _path(store: object) -> Path:
    if not isinstance(store, (str, os.PathLike)) or not str(store) or "\0" in str(store):
        raise InvalidParameter("store", store, "a path of a directory")
    return Path(store)
