"""The documentation's explorer holds the engine where the wheels are given, and else a table alone."""

from __future__ import annotations

import importlib
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from neyman import InvalidParameter
from neyman.explorer.browser import runtime as room
from neyman.explorer.page.document import policy
from tests.docs.examples import ROOT
from tests.explorer.standins import WHEELS, made


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "hooks"))
    for name in ("hosted", "explored"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in ("NEYMAN_WHEELS", "NEYMAN_PYODIDE"):
        monkeypatch.delenv(name, raising=False)
    return importlib.import_module("hosted")


def _data(page: str) -> dict[str, Any]:
    return json.loads(page.split('id="neyman-explorer">')[1].split("</script>")[0])


def test_without_wheels_it_is_the_table(hosted: Any) -> None:
    found = hosted.files()
    assert list(found) == ["explore.html"]
    assert _data(found["explore.html"])["engine"] == "table"


def test_with_wheels_it_is_the_engine_behind_the_table(
    hosted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = made(tmp_path)
    monkeypatch.setattr(room, "runtime", partial(room.runtime, release=there.release))
    monkeypatch.setenv("NEYMAN_WHEELS", str(there.wheels))
    monkeypatch.setenv("NEYMAN_PYODIDE", str(there.pyodide))
    alone = hosted.explored.page()
    found = hosted.files()
    data = _data(found["explore.html"])
    assert policy(asks=True, worker=True) in found["explore.html"]
    assert (data["engine"], data["worker"]["base"]) == ("worker", "explorer-engine/")
    assert {**_data(alone), "engine": "worker"} == {name: value for name, value in data.items() if name != "worker"}
    told = {f"explorer-engine/{file['name']}": file["bytes"] for file in data["worker"]["files"]}
    assert {name: len(found[name]) for name in told} == told
    assert {f"explorer-engine/{name}" for name in WHEELS.values()} < set(told)
    assert set(found) - set(told) == {"explore.html", "explorer-engine/manifest.json", "explorer-engine/NOTICE.txt"}


def test_wheels_that_are_none_stop_the_build(hosted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = made(tmp_path)
    monkeypatch.setattr(room, "runtime", partial(room.runtime, release=there.release))
    monkeypatch.setenv("NEYMAN_WHEELS", str(there.pyodide))
    monkeypatch.setenv("NEYMAN_PYODIDE", str(there.pyodide))
    with pytest.raises(InvalidParameter, match=r"^wheels must be a folder with numpy-9"):
        hosted.files()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NEYMAN_PYODIDE")
    with pytest.raises(InvalidParameter, match=r"^pyodide must be a folder, the npm package pyodide 9\.9\.9"):
        hosted.files()
