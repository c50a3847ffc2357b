"""Sweeps on a Dask cluster: a real scheduler and two worker processes, one of which is killed on the way."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from distributed import Client, LocalCluster

import neyman as ny
from neyman.sweeps.store import Store
from tests.sweeps.grids import GRID, QUESTIONS, faulty


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0",
            local_directory=str(tmp_path_factory.mktemp("dask")),
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        yield client


@pytest.mark.slow
def test_same_as_in_one_process(client: Any) -> None:
    one = ny.sweep(**GRID, quantities=QUESTIONS, workers=1)
    xr.testing.assert_identical(ny.sweep(**GRID, quantities=QUESTIONS, client=client, block=5), one)


@pytest.mark.slow
def test_a_killed_worker_loses_nothing(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim, take, taken = next(iter(client.run(os.getpid).values())), Store.take, list[int]()

    def killing(store: Store, number: int, found: Any) -> None:
        take(store, number, found)
        taken.append(number)
        if len(taken) == 3:
            os.kill(victim, signal.SIGKILL)

    monkeypatch.setattr(Store, "take", killing)
    found = ny.sweep(**GRID, client=client, block=1, store=tmp_path)
    assert sorted(taken) == list(range(18))
    assert len(list(tmp_path.glob("block-*"))) == 18
    xr.testing.assert_identical(found, ny.sweep(**GRID, workers=1, block=1))  # the same batches
    client.wait_for_workers(2, timeout=30)
    assert victim not in client.run(os.getpid).values()


@pytest.mark.slow
def test_few_blocks_are_under_way(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph is handed over piece by piece, however long it is."""
    submit, under_way, most = client.submit, [], [0]

    def counted(*args: Any, **kwargs: Any) -> Any:
        future = submit(*args, **kwargs)
        under_way.append(future)
        most[0] = max(most[0], sum(f.status == "pending" for f in under_way))
        return future

    monkeypatch.setattr(client, "submit", counted)
    ny.sweep(ny.Gaussian, axes={"sigma": np.arange(1, 61)}, quantities="advantage", client=client, block=1)
    assert len(under_way) == 60
    assert most[0] <= 3 * 3


def test_mistakes_of_make_are_raised(client: Any) -> None:
    with pytest.raises(ZeroDivisionError):
        ny.sweep(faulty, axes={"sigma": [3.0, 2.0]}, client=client, block=1)


def test_workers_of_another_version_are_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neyman.sweeps.cluster.VERSION", "0.0.9")
    with pytest.raises(ny.NeymanError) as other:
        ny.sweep(**GRID, client=client)
    assert str(other.value) == f"sweep: the cluster runs neyman {ny.__version__}, this is 0.0.9."
