"""What is handed out: the same bytes from the same source, all that it needs, and an answer from the wheel alone."""

from __future__ import annotations

import email
import fnmatch
import json
import os
import re
import shlex
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import neyman as ny
from neyman.reports.build import how_to_verify
from tests.docs.examples import blocks, same
from tests.packaging.built import ROOT, build

PACKAGES = ("neyman", "neyman_check", "neyman_papers")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
INFO = f"neyman-{ny.__version__}.dist-info"


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return build(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def unpacked(dist: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as pip lays it into site-packages."""
    place = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(dist[0]) as wheel:
        wheel.extractall(place)
    return place


def sources(folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }


def readme_command() -> list[str]:
    (command,) = [
        b.code for b in blocks((ROOT / "README.md").read_text(encoding="utf-8")) if b.why == "command: answer"
    ]
    return shlex.split(command.partition("/bin/neyman")[2])


def readme_answer() -> str:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"<!-- answer -->\s*```text\n(.*?)```\s*<!-- /answer -->", text, re.DOTALL)
    return shown


def bare(**more: str) -> dict[str, str]:
    """The environment without this checkout."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return kept | more


def test_the_same_source_gives_the_same_bytes(dist: tuple[Path, Path], tmp_path: Path) -> None:
    """Built once more from the sdist: in another folder, with another umask, from files of another age."""
    with tarfile.open(dist[1]) as sdist:
        sdist.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    again = build(source, tmp_path / "again", mask=0o077)
    assert [path.name for path in again] == [path.name for path in dist]
    assert [path.read_bytes() == old.read_bytes() for path, old in zip(again, dist, strict=True)] == [True, True]


def test_the_wheel_holds_the_packages_and_nothing_else(dist: tuple[Path, Path]) -> None:
    there = {f"{name}/{path}" for name in PACKAGES for path in sources(ROOT / "src" / name)}
    with zipfile.ZipFile(dist[0]) as wheel:
        names = set(wheel.namelist())
    kept = {name for name in names if not name.startswith(INFO)}
    assert kept == there
    assert {"neyman/py.typed", "neyman_check/py.typed", "neyman_check/proof-1.json", "neyman_papers/page.html"} < kept
    page = ROOT / "src" / "neyman" / "explorer" / "page"
    parts = json.loads((page / "order.json").read_text(encoding="utf-8"))
    assert {f"neyman/explorer/page/{name}" for name in ("explore.html", "explore.css", "order.json", *parts)} < kept
    assert {
        f"neyman/census/allocations/{name}.csv" for name in ("dhc-2022-08-25", "dhc-2023", "redistricting-2021")
    } < kept
    assert {f"{INFO}/licenses/LICENSE", f"{INFO}/METADATA", f"{INFO}/entry_points.txt"} < names


def test_what_the_wheel_says_of_itself(unpacked: Path) -> None:
    meta = email.message_from_string((unpacked / INFO / "METADATA").read_text(encoding="utf-8"))
    assert (meta["Name"], meta["Version"]) == ("neyman", ny.__version__)
    assert (meta["License-Expression"], meta["Requires-Python"]) == ("Apache-2.0", PROJECT["requires-python"])
    assert set(meta.get_all("Provides-Extra", [])) == set(PROJECT["optional-dependencies"])
    needed = [line for line in meta.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert {re.split(r"[<>=!~]", line)[0].lower() for line in needed} == {"numpy", "scipy", "typer", "rich", "pyyaml"}
    licence = (unpacked / INFO / "licenses" / "LICENSE").read_bytes()
    assert licence == (ROOT / "LICENSE").read_bytes()


def test_the_sdist_holds_what_the_tests_read(dist: tuple[Path, Path]) -> None:
    """Whatever lies in the source and is not made by running something."""
    ignored = [line.rstrip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").split()] + [".git"]
    tops = {path.name for path in ROOT.iterdir() if not any(fnmatch.fnmatch(path.name, pattern) for pattern in ignored)}
    with tarfile.open(dist[1]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert tops - {"pytest.log"} <= {name.partition("/")[0] for name in names}  # the log is written by .ci/run
    for folder in ("src", "tests", "examples", "docs"):
        assert {f"{folder}/{path}" for path in sources(ROOT / folder)} <= names


def test_the_first_command_of_the_readme_runs_from_the_wheel_alone(unpacked: Path, tmp_path: Path) -> None:
    def run(*arguments: str) -> str:
        env = bare(PYTHONPATH=str(unpacked), COLUMNS="100")
        return subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=env, capture_output=True, text=True, check=True, timeout=60
        ).stdout

    home = "import neyman, neyman_check, neyman_papers as p; print(neyman.__file__, neyman_check.__file__, p.__file__)"
    assert all(path.startswith(str(unpacked)) for path in run("-c", home).split())
    assert same(readme_answer(), run("-m", "neyman", *readme_command()))


def test_a_report_names_the_wheel_that_is_built(dist: tuple[Path, Path]) -> None:
    """Not a name in an index, which may be somebody else's; the long test below runs the line."""
    install, verify = how_to_verify(ny.__version__).partition("  #")[0].split(" && ")
    assert shlex.split(install) == ["pip", "install", f"./{dist[0].name}[report]"]
    assert verify == "neyman verify FILE"


@pytest.mark.slow
def test_a_bare_environment(dist: tuple[Path, Path], tmp_path: Path) -> None:
    """The wheel as a stranger installs it: README's first command, and the line that a report prints."""
    report = ny.report(ny.Gaussian(2.0))
    (tmp_path / "report.json").write_text(report.to_json(), encoding="utf-8")
    (tmp_path / dist[0].name).write_bytes(dist[0].read_bytes())
    subprocess.run([sys.executable, "-m", "venv", "bare"], cwd=tmp_path, check=True)
    env = bare(PATH=f"{tmp_path}/bare/bin:{os.environ['PATH']}", COLUMNS="100")

    def run(line: str, code: int = 0) -> str:
        done = subprocess.run(["sh", "-c", line], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    run(f"pip install -q ./{dist[0].name}")
    assert same(readme_answer(), run(shlex.join(["neyman", *readme_command()])))
    assert "The report holds" in run(report.document.verify.replace("FILE", "report.json"))
    missing = "import neyman as ny; ny.sweep(noise_multiplier=[1.0], sample_rate=[0.1], steps=[1])"
    assert "pip install 'neyman[sweep]'" in run(f'python -c "{missing}"', 1)
    run("pip install -q 'neyman[sweep]'")
    assert "xarray" in run("pip list")
    for extra in ("audit", "dp-accounting", "plot", "prove"):
        run(f"pip install -q --dry-run 'neyman[{extra}]'")
