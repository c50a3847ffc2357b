"""The table that is a bound: of each stop the numbers that are certified there, rounded outward, as decimals.

What lies between stops is answered by the next stop on the safe side: less noise, a higher rate, more steps, a smaller
delta. Neither of these can protect more.
"""

from __future__ import annotations

import math
import multiprocessing
from collections.abc import Generator, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

import numpy as np

from neyman._errors import NotCertified
from neyman._progress import progress_bar
from neyman._version import __version__
from neyman.explorer.answering.numbers import DIGITS
from neyman.explorer.asking.questions import VERSION
from neyman.explorer.tables.stops import Stops
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.mechanisms import DPSGD
from neyman.numerics.exact.decimals import outward
from neyman.understanding.promise import promise_of

__all__ = ["FLOOR", "numbers_of", "table_of"]

FLOOR = 1e-10  # of mu and its regret
EFFORT = 1.0  # nominal seconds of one number
_CHUNK = 8  # settings that a process is handed at once

Setting = tuple[float, float, int]
Row = list[str | None]


def table_of(stops: Stops, workers: int = 1, progress: bool | None = None) -> dict[str, object]:
    """Return the table as the page reads it: flat lists in the order noise, rate, steps; null where nothing is certain.

    Parameters
    ----------
    stops : Stops
        Which settings.
    workers : int
        Processes; 1: this one alone.
    progress : bool, optional
        As of ``calibrate``.

    Examples
    --------
    >>> from neyman.explorer.tables.stops import Stops
    >>> found = table_of(Stops(("1",), ("0.01",), ("1000",), ("1e-5",)))
    >>> found["mu"], found["regret"], found["advantage"], found["epsilon"]
    (['0.5223'], ['0.02249'], ['0.1611'], [['1.829']])
    """
    levels = stops.levels()
    with _crew(workers) as crew, progress_bar(progress, len(stops)) as advance:
        rows: list[Row] = []
        for row in crew.answers(list(stops.settings()), levels):
            rows.append(row)
            advance(1)
    columns = [list(column) for column in zip(*rows, strict=True)]
    return {
        "v": VERSION, "version": __version__, "kind": "dpsgd", "floor": f"{FLOOR:g}",
        "axes": {"noise_multiplier": stops.noise, "sample_rate": stops.rates, "steps": stops.steps},
        "deltas": stops.deltas, "mu": columns[0], "regret": columns[1], "advantage": columns[2],
        "epsilon": columns[3:],
    }  # fmt: skip


def numbers_of(setting: Setting, levels: list[float]) -> Row:
    """Return mu, regret, advantage, and epsilon at each delta, as decimals that are bounds; None: not certified."""
    guarantee = promise_of(DPSGD(*setting), effort=EFFORT)
    try:
        report = guarantee.gdp(FLOOR)
        curve = [report.mu, report.regret, guarantee.advantage]
    except NotCertified:
        curve = [math.inf, math.inf, math.inf]
    return [_text(value) for value in (*curve, *_epsilons(guarantee, levels))]


def _epsilons(guarantee: PessimisticGuarantee, levels: list[float]) -> list[float]:
    try:
        return np.asarray(guarantee.epsilon(np.array(levels))).tolist()
    except NotCertified:
        return [_epsilon(guarantee, level) for level in levels]


def _epsilon(guarantee: PessimisticGuarantee, level: float) -> float:
    try:
        return float(guarantee.epsilon(level))
    except NotCertified:
        return math.inf


def _text(value: float) -> str | None:
    return outward(value, DIGITS) if math.isfinite(value) else None


class _Crew:
    """Who computes: a pool of processes, or this one."""

    def __init__(self, pool: ProcessPoolExecutor | None) -> None:
        self._pool = pool

    def answers(self, settings: list[Setting], levels: list[float]) -> Iterator[Row]:
        """The rows of the settings, in their order."""
        every = [levels] * len(settings)
        if self._pool is None:
            return map(numbers_of, settings, every)
        return self._pool.map(numbers_of, settings, every, chunksize=_CHUNK)


@contextmanager
def _crew(workers: int) -> Generator[_Crew]:
    if workers <= 1:
        yield _Crew(None)
        return
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        yield _Crew(pool)
