"""The folder is whole or not there, holds what its manifest says, and nothing of it runs unasked."""

from __future__ import annotations

import json
import re
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import neyman as ny
from neyman import InvalidParameter
from neyman.explorer.browser.folder import PATIENCE, Carried, carried, free_folder, write_folder
from neyman.explorer.browser.runtime import File, runtime
from neyman.explorer.browser.sources import sources
from neyman.explorer.page.document import policy
from tests.explorer.standins import WHEELS, Standins, made

DATA: dict[str, Any] = {"table": None, "given": [], "start": {"kind": "dpsgd"}, "audit": None, "landmarks": []}


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Standins:
    return made(tmp_path_factory.mktemp("runtime"))


@pytest.fixture(scope="module")
def what(there: Standins) -> Carried:
    return carried(DATA, runtime(there.pyodide, there.wheels, release=there.release))


@pytest.fixture(scope="module")
def folder(what: Carried, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("site") / "explore", what).parent


def _block(page: Path) -> dict[str, Any]:
    text = page.read_text(encoding="utf-8")
    return json.loads(text.split('id="neyman-explorer">')[1].split("</script>")[0])


def test_it_holds_what_its_manifest_says(folder: Path, there: Standins) -> None:
    told = json.loads((folder / "engine" / "manifest.json").read_text(encoding="utf-8"))
    names = [file["name"] for file in told["files"]]
    assert names == [*there.release.digests, *WHEELS.values(), f"neyman-{ny.__version__}.zip"]
    for file in told["files"]:
        content = (folder / "engine" / file["name"]).read_bytes()
        assert file == File(file["name"], content).to_dict()
    assert {path.name for path in (folder / "engine").iterdir()} == {*names, "manifest.json", "NOTICE.txt"}
    assert {path.name for path in folder.iterdir()} == {"index.html", "engine"}
    assert "MPL-2.0" in (folder / "engine" / "NOTICE.txt").read_text(encoding="utf-8")


def test_the_page_knows_every_digest_before_it_asks(folder: Path) -> None:
    block = _block(folder / "index.html")
    told = json.loads((folder / "engine" / "manifest.json").read_text(encoding="utf-8"))
    worker = block["worker"]
    assert block["engine"] == "worker"
    assert {**block, "engine": "", "worker": ""} == {**DATA, "engine": "", "worker": ""}
    assert {name: worker[name] for name in told} == told
    assert (worker["base"], worker["patience"], worker["packages"]) == ("engine/", PATIENCE, ["numpy", "scipy"])
    assert worker["sources"] == told["files"][-1]["name"]
    program = Path(ny.__file__).parent / "explorer" / "page" / "worker.js"
    assert worker["program"] == program.read_text(encoding="utf-8")


def test_the_page_knows_between_what_the_first_answer_lies(folder: Path) -> None:
    first = _block(folder / "index.html")["worker"]["first"]
    g = ny.account(ny.DPSGD(1.0, 0.01, 1000))
    assert first["question"]["settings"]["steps"] == 1000
    lower, upper = first["brackets"]["epsilon"]
    assert lower <= g.epsilon(1e-5)
    assert g.optimistic.epsilon(1e-5) <= upper  # last digits depend on what else was asked
    assert upper - lower < 1e-6
    assert {"mu", "epsilon", "tpr", "advantage", "bayes_error"} <= set(first["brackets"])
    assert all(lower <= upper for lower, upper in first["brackets"].values())


def test_the_policy_of_the_page(folder: Path) -> None:
    text = (folder / "index.html").read_text(encoding="utf-8")
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert found is not None
    assert found[1] == policy(asks=True, worker=True)
    told = dict(rule.split(" ", 1) for rule in found[1].split("; "))
    assert re.sub("sha256-[^']+", "sha256-", told["script-src"]) == "'sha256-' 'wasm-unsafe-eval' blob:"
    assert re.sub("sha256-[^']+", "sha256-", told["style-src"]) == "'sha256-'"
    assert {name: rule for name, rule in told.items() if name not in ("script-src", "style-src")} == {
        "default-src": "'none'", "worker-src": "blob:", "connect-src": "'self'", "img-src": "data:",
        "base-uri": "'none'", "form-action": "'none'",
    }  # fmt: skip


def test_other_pages_run_no_worker() -> None:
    for asks in (False, True):
        assert not re.search("worker|wasm|blob", policy(asks))


def test_twice_is_the_same_folder(folder: Path, there: Standins, tmp_path: Path) -> None:
    again = carried(DATA, runtime(there.pyodide, there.wheels, release=there.release))
    again = write_folder(tmp_path / "again", again).parent
    for path in (path for path in folder.rglob("*") if path.is_file()):
        assert (again / path.relative_to(folder)).read_bytes() == path.read_bytes()


def test_an_empty_folder_is_filled(what: Carried, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert write_folder(tmp_path / "empty", what) == tmp_path / "empty" / "index.html"
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


def test_nothing_is_written_over(what: Carried, tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "kept").write_text("kept")
    words = r"^directory must be a folder that is not there yet, or is empty, got '.*\. Nothing is written over: "
    with pytest.raises(InvalidParameter, match=words):
        write_folder(full, what)
    with pytest.raises(InvalidParameter, match=words):
        write_folder(full / "kept", what)
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    with pytest.raises(InvalidParameter, match=words):
        write_folder(tmp_path / "link", what)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["empty", "full", "kept", "link"]


@pytest.mark.parametrize("bad", ["", "a\0b", 3, None])
def test_what_is_no_path_is_refused(what: Carried, bad: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^directory must be a folder that is not there yet, or is empty, got"):
        write_folder(bad, what)
    with pytest.raises(InvalidParameter, match=r"^directory must be a folder that is not there yet"):
        free_folder(bad)


def test_a_place_that_is_not_there_is_refused(what: Carried, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="The folder that it would lie in is not there"):
        write_folder(tmp_path / "no" / "where", what)


def test_what_fails_half_way_leaves_nothing(what: Carried, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        if path.name == "manifest.json":
            raise OSError(28, "No space left on device")
        return whole(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InvalidParameter, match="No space left on device"):
        write_folder(tmp_path / "out", what)
    assert list(tmp_path.iterdir()) == []


def test_the_sources_are_the_package_and_nothing_that_running_left() -> None:
    with zipfile.ZipFile(BytesIO(sources())) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        room = Path(ny.__file__).parent
        there = {f"neyman/{path.relative_to(room).as_posix()}" for path in room.rglob("*") if path.is_file()}
        assert set(names) == {name for name in there if "__pycache__" not in name and not name.endswith(".pyc")}
        assert names == sorted(names)
        assert archive.read("neyman/explorer/answers.py") == (room / "explorer" / "answers.py").read_bytes()
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {entry.external_attr >> 16 for entry in archive.infolist()} == {0o644}
