"""Stores: what is kept is not computed again; what is damaged is; what belongs to something else is refused."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import neyman as ny
from neyman.sweeps import run
from neyman.sweeps.plan import plan
from neyman.sweeps.store import Store
from tests.effort import rest_slow
from tests.sweeps.grids import black_box

GRID: dict[str, Any] = {"noise_multiplier": [2.0, 1.0], "sample_rate": [0.1, 0.2, 0.4], "steps": [1000, 400]}


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of every block that is computed."""
    numbers: list[int] = []
    here = run.here

    def counted(job: Any, blocks: Any) -> Any:
        for number, found in here(job, blocks):
            numbers.append(number)
            yield number, found

    monkeypatch.setattr(run, "here", counted)
    return numbers


def swept(path: Path | None, **changes: Any) -> xr.Dataset:
    return ny.sweep(**{**GRID, "workers": 1, "block": 2, "store": path, **changes})


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, xr.Dataset]:
    """A store with every block, and what it holds; for tests that begin where one run has ended."""
    place = tmp_path_factory.mktemp("finished") / "store"
    return place, swept(place)


@pytest.fixture
def store(tmp_path: Path, finished: tuple[Path, xr.Dataset]) -> Path:
    """A copy of it to do harm to."""
    return Path(shutil.copytree(finished[0], tmp_path / "store"))


@pytest.mark.slow
def test_nothing_is_computed_twice(tmp_path: Path, computed: list[int]) -> None:
    first = swept(tmp_path / "new" / "store")
    assert computed == list(range(6))
    computed.clear()
    again = swept(tmp_path / "new" / "store")
    assert computed == []
    xr.testing.assert_identical(first, again)
    xr.testing.assert_identical(first, swept(None))


def test_interrupted_and_resumed(
    tmp_path: Path, finished: tuple[Path, xr.Dataset], computed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C at any moment: here while the fourth block is written."""
    take = run.Store.take

    def interrupted(self: Any, number: int, found: Any) -> None:
        if number == 3:
            (tmp_path / "1.tmp").write_bytes(b"half")
            raise KeyboardInterrupt
        take(self, number, found)

    with monkeypatch.context() as patch:
        patch.setattr(run.Store, "take", interrupted)
        with pytest.raises(KeyboardInterrupt):
            swept(tmp_path)
    assert not (tmp_path / "result.nc").exists()
    computed.clear()
    xr.testing.assert_identical(swept(tmp_path), finished[1])
    assert computed == [3, 4, 5]


@pytest.mark.parametrize("damage", rest_slow(["cut", "flipped", "empty", "gone", "of another sweep"], "flipped"))
def test_damaged_blocks_are_computed_again(
    tmp_path: Path, store: Path, finished: tuple[Path, xr.Dataset], computed: list[int], damage: str
) -> None:
    (file,) = store.glob("block-00000002-*")
    content = file.read_bytes()
    middle = len(content) // 2
    flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    file.write_bytes({"cut": content[:-100], "flipped": flipped, "empty": b""}.get(damage, content))
    if damage == "gone":
        file.unlink()
    if damage == "of another sweep":
        swept(tmp_path / "other", floor=1e-6)
        (other,) = (tmp_path / "other").glob("block-00000002-*")
        file.unlink()
        other.rename(store / other.name)
    computed.clear()
    xr.testing.assert_identical(swept(store), finished[1])
    assert computed == [2]


@pytest.mark.parametrize(
    ("changes", "differ"),
    [
        ({"steps": [1000, 401]}, "axes"),
        ({"steps": [400, 1000]}, "axes"),
        ({"quantities": ["mu"]}, "quantities"),
        ({"quantities": ["regret", "mu"]}, "quantities"),
        ({"adjacency": "add", "tolerance": 1e-5}, "adjacency, tolerance, batches"),  # none serve there
        ({"batches": False}, "batches"),
        ({"floor": 1e-6}, "quantities, floor"),
        ({"effort": 20.0}, "effort"),
    ],
)
def test_stores_of_other_sweeps_are_refused(store: Path, changes: dict[str, Any], differ: str) -> None:
    with pytest.raises(ny.InvalidParameter) as refused:
        swept(store, **changes)
    assert str(refused.value).endswith(
        f"Not the same there: {differ}. Name another directory, or delete this one to begin anew."
    )


def test_stores_of_other_versions_are_refused(store: Path) -> None:
    manifest = json.loads((store / "sweep.json").read_text())
    (store / "sweep.json").write_text(json.dumps({**manifest, "neyman_version": "0.0.9"}))
    with pytest.raises(ny.InvalidParameter, match="Not the same there: neyman_version"):
        swept(store)


def test_stores_that_do_not_tell_their_effort_are_of_the_usual_one(store: Path, computed: list[int]) -> None:
    """Stores were written before there was a choice: they are gone on with, and belong to no other effort."""
    manifest = json.loads((store / "sweep.json").read_text())
    assert manifest.pop("effort") == 10.0
    (store / "sweep.json").write_text(json.dumps(manifest))
    usual = ("add_or_remove", 1e-6, 1e-10)
    asked = plan(None, GRID, ["mu", "regret"], (*usual, 10.0))
    said = {key: value for key, value in asked.description.items() if key != "effort"}
    assert asked.fingerprint == hashlib.sha256(json.dumps(said).encode()).hexdigest()  # as it was then
    assert plan(None, GRID, ["mu", "regret"], (*usual, 20.0)).fingerprint != asked.fingerprint
    swept(store)
    assert computed == []
    with pytest.raises(ny.InvalidParameter, match="Not the same there: effort"):
        swept(store, effort=20.0)


def test_directories_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("text")
    with pytest.raises(ny.InvalidParameter, match="store must be a new or empty directory, or the store of a sweep"):
        swept(tmp_path)
    with pytest.raises(ny.InvalidParameter, match="store must be a directory, got"):
        swept(tmp_path / "thesis.tex")
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 2}', '{"schema": 2, "block": [0, 1, 1]}'])
def test_unreadable_manifests_are_refused(store: Path, text: str) -> None:
    if "block" in text:
        manifest = json.loads((store / "sweep.json").read_text())
        text = json.dumps({**manifest, **json.loads(text)})
    (store / "sweep.json").write_text(text)
    with pytest.raises(ny.InvalidParameter, match=r"store must be a store whose sweep.json can be read"):
        swept(store)


def test_a_store_keeps_its_blocks(store: Path, computed: list[int]) -> None:
    xr.testing.assert_identical(swept(store, block=5), swept(store, block=None))
    assert computed == []


def test_other_mechanisms_are_told_apart(tmp_path: Path) -> None:
    """Two functions on the same axes: what they make decides, not what they are called."""
    axes = {"scale": [1.0, 2.0]}
    made = ny.sweep(lambda scale: ny.Laplace(scale), axes=axes, store=tmp_path)
    xr.testing.assert_equal(ny.sweep(ny.Laplace, axes=axes, store=tmp_path), made)
    with pytest.raises(ny.InvalidParameter, match=r"make\(\) gives others"):
        ny.sweep(lambda scale: ny.Laplace(2.0 * scale), axes=axes, store=tmp_path)


def test_mechanisms_without_a_name_cannot_be_stored(tmp_path: Path) -> None:
    def normal(x: Any) -> Any:
        return np.clip(np.asarray(x) + 0.5, 0.0, 1.0)

    with pytest.raises(ny.InvalidParameter, match="made of numbers to become a dict"):
        ny.sweep(lambda a: ny.CustomLoss(normal, normal, (-a, a)), axes={"a": 0.5}, store=tmp_path, workers=1)


def test_reasons_survive_the_store(tmp_path: Path) -> None:
    setting: Any = {"axes": {"rate": [1.0, 0.5, 0.25]}, "adjacency": "replace", "quantities": "advantage"}
    kept = ny.sweep(black_box, **setting, store=tmp_path, block=1, workers=1)
    xr.testing.assert_identical(kept, ny.sweep(black_box, **setting))
    assert kept.attrs["failed"] == 2


def test_large_results_stay_in_their_file(
    store: Path, finished: tuple[Path, xr.Dataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("neyman.sweeps.dataset._LOADED", 100)
    with swept(store) as lazy:
        assert Path(lazy.encoding["source"]) == store / "result.nc"
        xr.testing.assert_identical(lazy.load(), finished[1])


def test_blocks_are_netcdf_with_labels(store: Path, finished: tuple[Path, xr.Dataset]) -> None:
    (file,) = store.glob("block-00000004-*")
    with xr.open_dataset(file) as block:
        xr.testing.assert_identical(block.mu, finished[1].mu.sel(block.coords))


def test_places_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file" / "below", "/proc/nowhere", "a\0b"):
        with pytest.raises(ny.InvalidParameter, match="store must be a"):
            ny.sweep(noise_multiplier=1.0, sample_rate=1.0, steps=1, store=place, workers=1)


def test_manifests_with_numbers_beyond_reason_are_refused(tmp_path: Path) -> None:
    (tmp_path / "sweep.json").write_text('{"block": [1e400, 1, 1], "schema": 2}')
    with pytest.raises(ny.InvalidParameter, match=r"sweep\.json can be read"):
        ny.sweep(noise_multiplier=1.0, sample_rate=1.0, steps=1, store=tmp_path, workers=1)


def test_a_block_under_the_number_of_another_is_computed_again(
    store: Path, finished: tuple[Path, xr.Dataset], computed: list[int]
) -> None:
    """Its name fits its bytes, under the number it has not: both the name and what it says of itself are compared."""
    known = Store(store, plan(None, GRID, ["mu", "regret"], ("add_or_remove", 1e-6, 1e-10, 10.0), 2))
    blocks = sorted(store.glob("block-*"))
    foreign = blocks[0].read_bytes()
    blocks[1].rename(store / blocks[0].name.replace("00000000", "00000001"))  # its own bytes, another's hash
    blocks[2].unlink()
    (store / "x").write_bytes(foreign)
    (store / "x").rename(store / known._named(2, store / "x"))  # as a forger would who knows how names come
    xr.testing.assert_identical(swept(store), finished[1])
    assert computed == [1, 2]


@pytest.mark.parametrize("kind", ["directory", "link", "dangling"])
@pytest.mark.parametrize("name", ["block-00000001-" + "0" * 32 + ".nc", "sweep.json"])
def test_directories_and_links_named_like_files_of_a_store_are_refused(
    tmp_path: Path, store: Path, kind: str, name: str
) -> None:
    target = store / name
    target.unlink(missing_ok=True)
    elsewhere = tmp_path / "elsewhere"
    if kind == "directory":
        target.mkdir()
    else:
        if kind == "link":
            elsewhere.write_text("{}")
        target.symlink_to(elsewhere)
    with pytest.raises(
        ny.InvalidParameter, match=r"store must be a store whose (blocks are files|sweep\.json is a file)"
    ):
        swept(store)


def test_large_sweeps_are_started_on_purpose_only(tmp_path: Path) -> None:
    with pytest.raises(ny.InvalidParameter, match="axes must be of at most 5 settings in all, got 12"):
        swept(tmp_path / "store", at_most=5)
    assert not (tmp_path / "store").exists()
    assert swept(None, at_most=12).mu.size == 12
    with pytest.raises(ny.InvalidParameter, match=r"at_most must be a whole number from 1 to 1e\+09"):
        swept(None, at_most=10**10)
