"""The runtime is the one that is meant, byte for byte, or refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from neyman import InvalidParameter
from neyman.explorer.browser.runtime import LOCK, PYODIDE, File, Release, runtime
from tests.explorer.standins import WHEELS, Standins, made


@pytest.fixture
def there(tmp_path: Path) -> Standins:
    return made(tmp_path)


def test_it_holds_the_release_and_what_the_lock_file_asks_for(there: Standins) -> None:
    (there.wheels / "another-1-py3-none-any.whl").write_text("nobody asks for it")
    found = runtime(there.pyodide, str(there.wheels), release=there.release)
    assert found.name == "Pyodide 9.9.9"
    assert [file.name for file in found.files] == [*there.release.digests, *WHEELS.values()]
    assert {file.name: file.sha256 for file in found.files}.items() >= there.release.digests.items()
    assert all(
        file.to_dict() == {"name": file.name, "bytes": len(file.content), "sha256": file.sha256} for file in found.files
    )


def test_wheels_that_others_rest_on_come_first_and_once(there: Standins) -> None:
    release = Release(there.release.version, there.release.digests, ("scipy", "numpy"))
    names = [file.name for file in runtime(there.pyodide, there.wheels, release=release).files[5:]]
    assert names == list(WHEELS.values())


def test_a_file_says_its_digest() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert File("a", b"").to_dict() == {"name": "a", "bytes": 0, "sha256": empty}


@pytest.mark.parametrize("name", [*PYODIDE.digests])
def test_another_file_of_the_release_is_refused(there: Standins, name: str) -> None:
    path = there.pyodide / name
    path.write_bytes(path.read_bytes()[:-1] + b"\x00")
    with pytest.raises(InvalidParameter) as caught:
        runtime(there.pyodide, there.wheels, release=there.release)
    assert str(caught.value) == (
        f"pyodide must be a folder whose {name} has SHA-256 {there.release.digests[name]}, "
        f"got '{File('', path.read_bytes()).sha256}'. "
        "npm install pyodide@9.9.9 --ignore-scripts makes one: node_modules/pyodide."
    )


@pytest.mark.parametrize("name", [*PYODIDE.digests])
def test_a_missing_file_of_the_release_is_refused(there: Standins, name: str) -> None:
    (there.pyodide / name).unlink()
    with pytest.raises(InvalidParameter, match=f"^pyodide must be a folder whose {name} can be read, got '") as caught:
        runtime(there.pyodide, there.wheels, release=there.release)
    assert f"No such file or directory: {name}. npm install" in str(caught.value)


@pytest.mark.parametrize("package", ["numpy", "scipy"])
def test_a_tampered_wheel_is_refused(there: Standins, package: str) -> None:
    path = there.wheels / WHEELS[package]
    digest = File("", path.read_bytes()).sha256
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(InvalidParameter) as caught:
        runtime(there.pyodide, there.wheels, release=there.release)
    assert str(caught.value) == (
        f"wheels must be a folder whose {path.name} has SHA-256 {digest}, got "
        f"'{File('', path.read_bytes()).sha256}'. No registry has them: they are in the full distribution of Pyodide "
        "9.9.9 (pyodide-9.9.9.tar.bz2 among its releases)."
    )


@pytest.mark.parametrize("lacking", [["numpy"], ["scipy"], ["numpy", "scipy"]])
def test_missing_wheels_are_asked_for_by_name(there: Standins, lacking: list[str]) -> None:
    for package in lacking:
        (there.wheels / WHEELS[package]).unlink()
    (there.wheels / "numpy-9-cp399-manylinux.whl").write_text("of another platform")
    with pytest.raises(InvalidParameter) as caught:
        runtime(there.pyodide, there.wheels, release=there.release)
    assert caught.value.value == str(there.wheels)
    assert caught.value.allowed == f"a folder with {' and '.join(WHEELS.values())}"
    assert caught.value.advice == (
        f"It lacks {' and '.join(WHEELS[package] for package in lacking)}. No registry has them: they are in the full "
        "distribution of Pyodide 9.9.9 (pyodide-9.9.9.tar.bz2 among its releases)."
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"name": "pyodide", "version": "9.9.8"}', "pyodide 9.9.8"),
        ('{"name": "pyodides", "version": "9.9.9"}', "pyodides 9.9.9"),
        ("{}", "a folder whose package.json says neither"),
        ("[]", "a folder whose package.json says neither"),
        ("{", "a folder whose package.json says neither"),
        ("[" * 100_000, "a folder whose package.json says neither"),
        (None, "a folder whose package.json says neither"),
    ],
)
def test_another_release_is_refused(there: Standins, text: str | None, found: str) -> None:
    path = there.pyodide / "package.json"
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(InvalidParameter) as caught:
        runtime(there.pyodide, there.wheels, release=there.release)
    assert str(caught.value) == (
        f"pyodide must be the npm package pyodide 9.9.9, got '{found}'. "
        "npm install pyodide@9.9.9 --ignore-scripts makes one: node_modules/pyodide."
    )


@pytest.mark.parametrize("bad", ["nowhere", "", "a\0b", 3, None])
@pytest.mark.parametrize("which", ["pyodide", "wheels"])
def test_what_is_no_folder_is_refused(there: Standins, which: str, bad: object) -> None:
    asked: dict[str, Any] = {"pyodide": there.pyodide, "wheels": there.wheels, which: bad}
    with pytest.raises(InvalidParameter, match=f"^{which} must be a folder"):
        runtime(**asked, release=there.release)


def test_a_file_that_is_far_too_large_is_not_read(there: Standins) -> None:
    with (there.wheels / WHEELS["numpy"]).open("wb") as file:
        file.truncate(200_000_001)
    with pytest.raises(InvalidParameter, match="of 200,000,001 bytes"):
        runtime(there.pyodide, there.wheels, release=there.release)


def test_what_is_meant_is_pinned_and_is_what_the_browser_tests_install() -> None:
    tests = Path(__file__).resolve().parents[2] / "tests_browser" / "explorer"
    told = json.loads((tests / "package.json").read_text(encoding="utf-8"))
    assert told["dependencies"]["pyodide"] == PYODIDE.version
    locked = json.loads((tests / "package-lock.json").read_text(encoding="utf-8"))["packages"]["node_modules/pyodide"]
    source = (Path(__file__).resolve().parents[2] / "src/neyman/explorer/browser/runtime.py").read_text(
        encoding="utf-8"
    )
    assert locked["version"] == PYODIDE.version
    assert locked["integrity"] in source
    assert set(PYODIDE.digests) == {"pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", LOCK}
    assert PYODIDE.packages == ("numpy", "scipy")
