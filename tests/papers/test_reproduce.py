"""Runs from end to end: files, page, summary; what fails is said, and nothing is left half done."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neyman as ny
from neyman_papers import Number, Summary, Undetermined, reproduce
from neyman_papers.crew import done_by
from neyman_papers.drawn import Curve, Drawing, Picture, Rows, Table
from neyman_papers.markdown import between, markdown
from neyman_papers.paper import Paper
from neyman_papers.papers import asked_for, paper_named
from neyman_papers.published import Published, Rounds
from neyman_papers.tasks import Task, files_of, tasks_of, work
from neyman_papers.verdict import Ours
from tests.effort import rest_slow
from tests.papers.test_table import ROOT, differences

COUNTS = {  # reproduced, differ, not determined
    "reporting": (171, 43, 38), "divergence": (67, 26, 31), "sensitivity": (68, 30, 5),
    "introduction": (8, 4, 2), "blog": (20, 5, 6),
}  # fmt: skip
TITLE = 'A <script>alert("paper")</script>'


class Page(HTMLParser):
    """Tags, and what they point to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href") and value]


def _picture() -> Picture:
    from neyman_papers.canvas import line, panels

    figure, (axes,) = panels(1)
    line(axes, [0.0, 1.0], [1.0, 0.0], 0, "f")
    return Picture(figure, [Curve("f", {"x": np.array([0.0, 1.0])})], {"drawn": Number(1.0, 1.0)})


def _refuse() -> Any:
    raise ny.NotCertified("mu", 1.0, 2.0, "made up")


def _break() -> Any:
    raise ValueError("made up")


def _made_up(*, broken: tuple[str, ...] = ()) -> Paper:
    def ours() -> dict[str, Ours]:
        return {"a": Number(1.0, 1.0, note="<b>"), "b": Number(3.0, 3.0)}

    def entry(key: str, rule: Any) -> Published:
        part = "Section 1" if key < "d" else "Section 2"
        return Published("made-up", key, "Table 1", f"{key} & <i>", "1.0", rule, "a reason", part)

    return Paper(
        key="made-up", title=TITLE, source="nobody", choices="",
        published=(entry("a", Rounds("1.0")), entry("b", Rounds("1.0")), entry("drawn", Rounds("1.0")),
                   entry("open", Undetermined())),
        groups={"all": _refuse if "numbers" in broken else ours},
        tables=(Table("table-1", "A table", "of one row", lambda: Rows(["x"], [["<td>"]], "a < b")),),
        drawings=(Drawing("figure-1", "A figure", "of a line", _break if "figure" in broken else _picture),),
    )  # fmt: skip


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Reproduce a made-up paper, in this process."""

    def of(directory: Path, **broken: Any) -> Summary:
        paper = _made_up(**broken)
        monkeypatch.setattr("neyman_papers.run.asked_for", lambda _: (paper,))
        monkeypatch.setattr("neyman_papers.tasks.paper_named", lambda _: paper)
        return reproduce("all", directory, workers=1)

    return of


def test_a_made_up_paper(made_up: Any, tmp_path: Path) -> None:
    summary = made_up(tmp_path / "new" / "deep")
    assert str(summary) == "4 published numbers and statements: 2 reproduced, 1 differ, 1 not determined by the text."
    assert not summary.failures
    found = sorted(str(p.relative_to(summary.directory)) for p in summary.directory.rglob("*") if p.is_file())
    pictures = [f"made-up/figure-1.{suffix}" for suffix in ("csv", "png", "svg")]
    assert found == ["index.html", *pictures, "made-up/table-1.csv", "summary.json"]
    assert (summary.directory / "made-up/table-1.csv").read_text() == "x\n<td>\n"
    told = json.loads((summary.directory / "summary.json").read_text())
    assert told["count"] == {"published": 4, "reproduced": 2, "differs": 1, "undetermined": 1, "failed": 0}
    assert [n["outcome"] for n in told["papers"][0]["numbers"]] == [
        "reproduced", "differs", "reproduced", "undetermined",
    ]  # fmt: skip


def test_the_page_is_plain_and_escaped(made_up: Any, tmp_path: Path) -> None:
    made_up(tmp_path)
    text = (tmp_path / "index.html").read_text()
    page = Page(text)
    assert not {"iframe", "object", "link rel", "b", "i"} & set(page.tags)
    assert [page.tags.count(name) for name in ("script", "style", "form")] == [1, 1, 1]
    assert TITLE not in text
    assert "A &lt;script&gt;" in text
    assert "a &lt; b" in text
    for link in page.links:
        assert re.fullmatch(r"#[a-z0-9-]+|data:,|made-up/[a-z0-9-]+\.(svg|png|csv)", link), link
        if link.startswith("made-up/"):
            assert (tmp_path / link).is_file()
        if link.startswith("#"):
            assert text.count(f'id="{link[1:]}"') == 1
    assert "http" not in text.replace("http-equiv", "")


def test_only_its_own_style_and_script_may_act(made_up: Any, tmp_path: Path) -> None:
    """What the policy of the page allows is what stands in it, byte for byte, and no attribute acts."""
    made_up(tmp_path)
    text = (tmp_path / "index.html").read_text()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert "unsafe" not in policy[1]
    assert "default-src 'none'" in policy[1]
    for kind in ("style", "script"):
        (inside,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy[1]
    assert not re.search(r"<[^>]+\s(on[a-z]+|style)=", text)


def test_figures_come_before_rows_and_the_filter_waits_for_its_script(made_up: Any, tmp_path: Path) -> None:
    made_up(tmp_path)
    text = (tmp_path / "index.html").read_text()
    assert text.index('id="made-up-figure-1"') < text.index('id="made-up-numbers"')
    assert text.count("data-verdict=") == 4
    assert (
        text.index('id="made-up-section-1"') < text.index('id="made-up-row-b"') < text.index('id="made-up-section-2"')
    )
    assert re.search(r'<form id="filter"[^>]* hidden>', text)


def test_pictures_are_the_same_every_time(made_up: Any, tmp_path: Path) -> None:
    made_up(tmp_path / "one")
    made_up(tmp_path / "two")
    for name in files_of(Task("made-up", "figure", "figure-1")):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert (tmp_path / "one/made-up/figure-1.png").read_bytes()[:4] == b"\x89PNG"
    svg = (tmp_path / "one/made-up/figure-1.svg").read_text()
    assert "<svg" in svg
    assert "<dc:date>" not in svg


def test_failures_are_told_and_the_rest_is_written(made_up: Any, tmp_path: Path) -> None:
    made_up(tmp_path)
    summary = made_up(tmp_path, broken=("numbers", "figure"))
    count = summary.count
    assert (count.published, count.failed, count.undetermined) == (4, 3, 1)
    messages = {piece.task.kind: piece.failure for piece in summary.failures}
    assert messages["figure"].message == "ValueError: made up"
    assert messages["figure"].certified
    assert not messages["numbers"].certified
    assert not (tmp_path / "made-up/figure-1.svg").exists()  # that of the earlier run would mislead
    assert (tmp_path / "made-up/table-1.csv").exists()
    text = (tmp_path / "index.html").read_text()
    assert "Failed: figure figure-1: ValueError: made up" in text
    assert "figure-1.svg" not in text


def test_other_files_are_left_alone(made_up: Any, tmp_path: Path) -> None:
    (tmp_path / "made-up").mkdir()
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "made-up" / "mine.csv").write_text("mine")
    (tmp_path / "index.html").write_text("of yesterday")
    made_up(tmp_path)
    assert (tmp_path / "mine.txt").read_text() == (tmp_path / "made-up" / "mine.csv").read_text() == "mine"
    assert "of yesterday" not in (tmp_path / "index.html").read_text()


def test_interrupted_leaves_nothing(made_up: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(workers: int, tasks: list[Task]) -> Any:
        yield work(tasks[0])
        raise KeyboardInterrupt

    monkeypatch.setattr("neyman_papers.run.done_by", interrupted)
    with pytest.raises(KeyboardInterrupt):
        made_up(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_write_that_fails_leaves_no_scrap(made_up: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_up(tmp_path)
    before = (tmp_path / "summary.json").read_bytes()

    def full(source: str, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("neyman_papers.files.os.replace", full)
    with pytest.raises(ny.InvalidParameter, match="No space left"):
        made_up(tmp_path)
    assert (tmp_path / "summary.json").read_bytes() == before
    assert not [p for p in tmp_path.rglob(".*") if p.is_file()]


@pytest.mark.parametrize("where", ["file", "file/below"])
def test_files_are_no_directories(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ny.InvalidParameter) as caught:
        reproduce("introduction", tmp_path / where)
    assert caught.value.name == "directory"
    assert (tmp_path / "file").read_text() == "mine"


def test_directories_that_may_not_be_made(made_up: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mkdir = os.mkdir

    def refused(path: str | os.PathLike[str], *more: Any, **named: Any) -> None:
        if tmp_path in Path(path).parents:
            raise PermissionError(13, "Permission denied")
        mkdir(path, *more, **named)  # Matplotlib would build its list of fonts anew if it could keep none

    monkeypatch.setattr(os, "mkdir", refused)  # permissions themselves do not bind the superuser
    with pytest.raises(ny.InvalidParameter, match="Permission denied"):
        made_up(tmp_path / "out")


@pytest.mark.parametrize(
    ("paper", "directory", "workers", "name"),
    [
        ("report", "out", 1, "paper"), ("blog", "out", 1, "paper"), (None, "out", 1, "paper"),
        ("all", "", 1, "directory"), ("all", 3, 1, "directory"), ("all", "a\0b", 1, "directory"),
        ("all", "a" * 5000, 1, "directory"), ("all", "out", 0, "workers"), ("all", "out", 1.5, "workers"),
    ],
)  # fmt: skip
def test_refusals(paper: Any, directory: Any, workers: Any, name: str, tmp_path: Path,
                  monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ny.InvalidParameter) as caught:
        reproduce(paper, directory, workers=workers)
    assert caught.value.name == name
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("paper", "key"), rest_slow([("sensitivity", "figure-3"), ("blog", "figure-5")], 1))
def test_two_cheap_figures(paper: str, key: str) -> None:
    """Drawn for real: three files, and numbers that are those of the guarantee."""
    done = work(Task(paper, "figure", key))
    assert done.failure is None
    svg, png, text = (done.files[f"{paper}/{key}.{suffix}"] for suffix in ("svg", "png", "csv"))
    assert svg.startswith(b"<?xml")
    assert png[:4] == b"\x89PNG"
    rows = list(csv.DictReader(io.StringIO(text.decode())))
    if paper == "sensitivity":
        drawn = [(float(r["fpr"]), float(r["tpr_at_most"])) for r in rows if r["curve"] == "roc"]
        assert all(y >= ny.GDP(1.5).optimistic.roc(x) for x, y in drawn)
        assert len(drawn) > 200
    else:
        assert {r["curve"] for r in rows} == {"μ = 0.5", "μ = 1", "μ = 3", "μ = 6"}


@pytest.mark.slow
def test_in_processes_as_in_this_one(tmp_path: Path) -> None:
    tasks = [task for task in tasks_of((paper_named("blog"),)) if task.kind == "figure"][:2]
    found = {done.task.key: done for done in done_by(2, tasks)}
    for task in tasks:
        assert found[task.key].failure is None
        assert found[task.key].files == work(task).files


def test_every_piece_of_work_has_files_of_its_own() -> None:
    names = [name for task in tasks_of(asked_for("all")) for name in files_of(task)]
    assert len(names) == len(set(names)) > 90
    weights = [task.weight for task in tasks_of(asked_for("all"))]
    assert weights == sorted(weights, reverse=True)


@pytest.mark.slow
def test_everything(tmp_path: Path) -> None:
    """All papers: nothing fails, every difference has its reason, and the counts are those that were looked at."""
    summary = reproduce("all", tmp_path)
    assert not summary.failures
    for result in summary.results:
        for verdict in result.verdicts:
            assert verdict.outcome == "reproduced" or verdict.why, verdict.published.key
            assert not isinstance(verdict.published.rule, Rounds) or verdict.ours is not None
        known = {p.key for p in result.paper.published}
        assert {key for piece in result.done.values() for key in piece.numbers} <= known
    count = summary.count
    assert count.failed == 0
    assert {r.paper.key: (r.count.reproduced, r.count.differs, r.count.undetermined) for r in summary.results} == COUNTS
    assert count.published == sum(map(sum, COUNTS.values()))
    assert summary.cpu_seconds < 80.0  # 40 seconds on two cores; about 35 in all when this was written
    page = (ROOT / "docs" / "reproduce.md").read_text(encoding="utf-8")
    assert not differences(between(page), markdown(summary)), "python docs/hooks/reproduced.py writes the table anew"
    for path in sorted(tmp_path.rglob("*.csv")):
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
        assert rows, path
        for name in rows[0]:
            if name.endswith("_at_least") and (most := name.replace("_at_least", "_at_most")) in rows[0]:
                pairs = np.array([(float(r[name]), float(r[most])) for r in rows if r[name] and r[most]])
                assert np.isfinite(pairs).all()
                assert (pairs[:, 0] <= pairs[:, 1]).all(), (path, name)
