"""The files beside the code that say the same thing twice: versions, bounds, licences, permissions."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

import neyman as ny
from tests.packaging.built import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def whole(release: str) -> tuple[int, ...]:
    """2.7 and 2.7.0 are one release."""
    return tuple(int(part) for part in f"{release}.0.0".split(".")[:3])


def bounds(requirements: list[str]) -> dict[str, tuple[int, ...]]:
    found = (re.fullmatch(r"([\w-]+)>=([\d.]+)", line.partition(";")[0]) for line in requirements)
    return {normal(match[1]): whole(match[2]) for match in found if match}


def lowest() -> dict[str, tuple[int, ...]]:
    lines = (ROOT / "requirements" / "lowest.txt").read_text(encoding="utf-8").splitlines()
    pinned = (line.partition("#")[0].split("==") for line in lines if not line.startswith("#"))
    return {normal(name): whole(release) for name, release in pinned}


def test_the_lowest_releases_that_are_tested_are_those_that_are_allowed() -> None:
    """Whatever a user may install to run something; what only tests or documentation need may be pinned as well."""
    extras = PROJECT["optional-dependencies"]
    run = bounds(PROJECT["dependencies"])
    for name in ("plot", "report", "sweep", "prove", "audit"):
        run |= bounds(extras[name])
    pinned = lowest()
    assert len(run) >= 14
    assert {name: pinned.get(name) for name in run} == run
    both = bounds(extras["test"])
    assert {name: both[name] for name in both.keys() & pinned.keys()} == {
        name: pinned[name] for name in both.keys() & pinned.keys()
    }


def test_the_citation_is_of_this_version() -> None:
    """Its schema is that of the Citation File Format 1.2.0, which ``cffconvert --validate`` checks."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} < cited.keys()
    assert (cited["version"], cited["license"]) == (ny.__version__, PROJECT["license"])
    assert set(cited["keywords"]) == set(PROJECT["keywords"])
    dates = dict(
        re.findall(r"^## \[([\d.]+)\] - (\S+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    released = str(cited["date-released"])
    assert dates.get(ny.__version__, released) == released  # not there yet while a release is being made ready


def test_the_conda_recipe_says_what_the_project_says() -> None:
    text = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    filled = jinja2.Template(text, undefined=jinja2.StrictUndefined).render(PYTHON="python", python_min="3.11")
    recipe = yaml.safe_load(filled)
    assert recipe["package"] == {"name": "neyman", "version": ny.__version__}
    python, *run = recipe["requirements"]["run"]
    assert python.replace(" ", "") == f"python{PROJECT['requires-python']}"
    assert bounds([line.replace(" ", "") for line in run]) == bounds(PROJECT["dependencies"])
    scripts = {line.split(" = ")[0]: line.split(" = ")[1] for line in recipe["build"]["entry_points"]}
    assert scripts == PROJECT["scripts"]
    extras = bounds([line for extra in PROJECT["optional-dependencies"].values() for line in extra])
    constrained = bounds(
        [line.replace(" ", "").replace("-base", "") for line in recipe["requirements"]["run_constrained"]]
    )
    assert constrained.items() <= extras.items()


def jobs(workflow: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return list(workflow["jobs"].items())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_what_is_pinned_and_may_do_little(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (\S+)(.*)", text)
    assert used
    for action, comment in used:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r"  # v\d+\.\d+\.\d+", comment), action
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    for name, job in jobs(workflow):
        may = job["permissions"]
        if name in ("publish", "deploy"):  # they run nothing of this repository, and take what another job has built
            assert "id-token" in may
            assert not any("run" in step for step in job["steps"])
            assert not any("checkout" in step["uses"] for step in job["steps"])
        else:
            assert may == {"contents": "read"}
        for step in job["steps"]:
            if "checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False
    assert "secrets." not in text
    assert "pull_request_target" not in text


def test_the_lowest_releases_are_tested_as_the_contributor_is_told() -> None:
    told = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").replace("\\\n", " ")
    (here,) = re.findall(r"\.venv-lowest/bin/(python -m pytest .*)", told)
    steps = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))["jobs"][
        "lowest"
    ]["steps"]
    assert steps[-1]["run"].split() == here.split()
    assert "-c requirements/lowest.txt" in steps[-2]["run"]
    paths = [word.partition("::")[0] for word in here.split() if word.startswith("tests/")]
    assert paths
    assert all((ROOT / path).exists() for path in paths)


def test_there_are_workflows_for_tests_docs_and_publishing() -> None:
    assert [path.stem for path in WORKFLOWS] == ["docs", "publish", "tests"]
