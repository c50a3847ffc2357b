"""Every example of the documentation is run, and prints what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import neyman as ny
from tests.docs.examples import ROOT, Block, _outside, _piped, blocks, pages, run_command, run_page, same

NOT_RUN = 14  # blocks marked "not run" that there may be at most, on all pages: each says why


# but the gallery, whose blocks test_pictures.py runs and draws
@pytest.mark.usefixtures("examined_here")
@pytest.mark.parametrize("page", [p for p in pages() if p.name != "gallery.md"], ids=lambda p: str(p.relative_to(ROOT)))
def test_page(page: Path, tmp_path: Path) -> None:
    check(run_page(page, slow=False, place=tmp_path), page)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [p for p in pages() if any(b.slow for b in blocks(p.read_text(encoding="utf-8")))], ids=lambda p: p.stem
)
def test_page_whole(page: Path, tmp_path: Path) -> None:
    check(run_page(page, slow=True, place=tmp_path), page)


def check(printed: list[tuple[Block, str]], page: Path) -> None:
    for block, text in printed:
        where = f"{page.name}:{block.line}"
        if block.shown is None:
            assert text == "", f"{where} prints what the page does not show:\n{text}"
        else:
            assert same(block.shown, text), f"{where} shows\n{block.shown}\nand prints\n{text}"


def test_marks_are_few_and_say_why() -> None:
    marked = [b for p in pages() for b in blocks(p.read_text(encoding="utf-8")) if b.why is not None]
    left_out = [b for b in marked if b.why != "frameworks"]  # those are run, by tests_frameworks
    assert len(marked) - len(left_out) == 2
    assert len(left_out) <= NOT_RUN
    run = [b for p in pages() for b in blocks(p.read_text(encoding="utf-8")) if b.runs]
    assert len(run) > 60
    assert all(len(str(b.why)) > 8 for b in left_out)


def test_every_page_is_in_the_navigation_and_links_lead_somewhere() -> None:
    """mkdocs build --strict checks links and anchors; this holds without mkdocs."""
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    there = {str(p.relative_to(ROOT / "docs")) for p in (ROOT / "docs").rglob("*.md")}
    assert listed == there
    for page in pages():
        for link in re.findall(r"\]\(([^)#:]+\.md)(?:#[\w-]+)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).resolve().is_file(), f"{page.name} links to {link}"


def test_every_public_name_is_in_the_reference() -> None:
    """Each of ``neyman`` and of the rooms that are public as they are; mkdocs then finds it, or fails."""
    listed = {
        line.removeprefix("::: ").rpartition(".")[2]
        for page in (ROOT / "docs" / "api").glob("*.md")
        for line in page.read_text(encoding="utf-8").splitlines()
        if line.startswith("::: ")
    }
    rooms = ("comparison", "conversions", "risk", "targets", "plot", "audit", "census")
    public = {*ny.__all__, *(name for room in rooms for name in getattr(ny, room).__all__)}
    assert public - listed <= {*rooms, "__version__"}


def test_the_answer_of_the_readme() -> None:
    """What the README shows first is what its command prints, in an environment that is there already."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (command,) = [b.code for b in blocks(text) if b.why == "command: answer"]
    (shown,) = re.findall(r"<!-- answer -->\s*```text\n(.*?)```\s*<!-- /answer -->", text, re.DOTALL)
    code, printed = run_command("neyman" + command.partition("/bin/neyman")[2])
    assert (code, same(shown, printed)) == (0, True), printed


# the runner itself


PAGE = """
```python
x = 1
print(x + 1)
```

```text
2
```

<!-- not run: needs a cluster -->
```python
boom
```

  ```sh
  neyman nope  # exit 2
  ```
  ```text
  neyman: ...
  ```
"""


def test_blocks_are_found(tmp_path: Path) -> None:
    one, two, three = blocks(PAGE)
    assert (one.code, one.shown, one.runs) == ("x = 1\nprint(x + 1)\n", "2\n", True)
    assert (two.why, two.runs) == ("needs a cluster", False)
    assert (three.language, three.shown) == ("sh", "neyman: ...\n")
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    (_, first), (last, text) = run_page(page, slow=False, place=tmp_path)
    assert first == "2\n"
    assert same(last.shown or "", text)


@pytest.mark.parametrize(
    "command",
    [
        "neyman nope > kept.txt",
        "neyman --version | grep nothing",
        *(
            pytest.param(more, marks=pytest.mark.slow)
            for more in (
                "neyman --version",
                "neyman --version | tr a-z A-Z",
                "neyman --version > kept.txt",
                "neyman nope | cat",
            )
        ),
        """echo '{"schema": 1, "kind": "pure_mechanism", "epsilon": 0.5}' | neyman account - | tail -n 3""",
    ],
)
def test_a_pipe_here_is_a_pipe_in_a_shell(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code, what is printed and what is kept in a file are the same in this process and in a shell."""
    found = []
    for number, way in enumerate((_piped, _outside)):
        place = tmp_path / str(number)
        place.mkdir()
        monkeypatch.chdir(place)
        found.append((way(command), {path.name: path.read_text() for path in place.iterdir()}))
    assert found[0] == found[1]


def test_more_than_a_pipe_is_left_to_the_shell() -> None:
    for command in ("neyman --version && true", "neyman --version | neyman verify -", "cat a", "neyman a | b | c"):
        assert _piped(command) is None


@pytest.mark.parametrize(
    ("shown", "printed", "alike"),
    [
        ("mu 1.566948, n 5\n", "mu  1.566949,  n 5 \n", True),
        ("mu 1.566948", "mu 1.56698", False),
        ("n 5", "n 6", False),
        ("a ... z 1.0", "a b\nc z 1.0", True),
        ("a ... z", "a b\nc y", False),
        ("a b", "a c", False),
        ("[0, 5.7e-33]", "[0, 3e-31]", True),
        ("(x)? 1.", "(x)? 1.0", True),
        ("x", "x x", False),
    ],
)
def test_alike(shown: str, printed: str, alike: bool) -> None:
    assert same(shown, printed) is alike


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ("```python\nprint(1)\n```\n```text\n2\n```\n", AssertionError),
        ("```python\nprint(1)\n```\n", AssertionError),
        ("```python\n1 / 0\n```\n", ZeroDivisionError),
        ("```sh\nneyman --version  # exit 2\n```\n", AssertionError),
    ],
)
def test_what_is_wrong_fails(wrong: str, error: type[Exception], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(wrong)

    def run() -> None:
        check(run_page(page, slow=False, place=tmp_path), page)

    with pytest.raises(error):
        run()
