"""The table in the documentation: every row of every paper; what is computed is checked slowly."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from neyman_papers.markdown import FIRST, LAST, between, markdown, replaced
from neyman_papers.paper import Paper
from neyman_papers.papers import PAPERS, paper_named
from neyman_papers.published import Published, Rounds
from neyman_papers.summary import Summary, collected
from neyman_papers.tasks import Done, Task
from neyman_papers.verdict import Number, Statement

ROOT = Path(__file__).parents[2]
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")
_CLOSE, _TINY = 2e-3, 1e-6  # other machines round otherwise; what is below is what floats err by


def differences(ours: str, theirs: str) -> list[str]:
    """Lines of two tables that are not the same, but for what machines round otherwise."""
    a, b = ([line for line in text.splitlines() if line] for text in (ours, theirs))
    found = [f"{len(a)} lines and {len(b)}"] if len(a) != len(b) else []
    return found + [f"{one}\n{other}" for one, other in zip(a, b, strict=False) if not _same(one, other)]


def _same(a: str, b: str) -> bool:
    if _NUMBER.sub("0", a) != _NUMBER.sub("0", b):
        return False
    pairs = zip(map(float, _NUMBER.findall(a)), map(float, _NUMBER.findall(b)), strict=True)
    return all(abs(x - y) <= max(_CLOSE * max(abs(x), abs(y)), _TINY) for x, y in pairs)


def _empty(paper: Paper) -> Summary:
    """A run of that paper in which nothing was computed: its words are those of any run."""
    done = Done(Task(paper.key, "numbers", "none"), numbers={p.key: Statement(None, "") for p in paper.published})
    return Summary(Path(), (collected(paper, [done]),), 0.0, 0.0)


@pytest.mark.parametrize("key", PAPERS)
def test_every_row_is_on_the_page_word_for_word(key: str) -> None:
    """Where, what and what was printed, in order, with no row too many; the reason wherever ours does not agree."""
    page = between((ROOT / "docs" / "reproduce.md").read_text(encoding="utf-8"))
    rows = [line for line in page.splitlines() if line.startswith(f'| <a id="{key}-row-')]
    due = [line for line in markdown(_empty(paper_named(key))).splitlines() if line.startswith("| <a id=")]
    assert len(rows) == len(due)
    for row, words, published in zip(rows, due, paper_named(key).published, strict=True):
        mine, theirs = (line.split(" | ") for line in (row, words))
        assert mine[0] == theirs[0]
        assert mine[1].startswith(theirs[1])
        assert mine[2] == theirs[2]
        verdict, _, why = mine[4].removesuffix(" |").removeprefix("**").partition("**")
        assert verdict in ("reproduced", "differs", "not determined")
        if verdict == "reproduced":
            assert why == ""
        elif published.reason:
            assert theirs[4].removesuffix(" |").endswith(why)


def test_the_counts_are_those_of_the_rows() -> None:
    page = between((ROOT / "docs" / "reproduce.md").read_text(encoding="utf-8"))
    for key in PAPERS:
        rows = [line for line in page.splitlines() if line.startswith(f'| <a id="{key}-row-')]
        by = [sum(f"| **{said}**" in row for row in rows) for said in ("reproduced", "differs", "not determined")]
        assert f"](#{key}-paper) | {len(rows)} | {by[0]} | {by[1]} | {by[2]} |" in page


def test_the_page_says_how_many_differ_and_how_many_of_these_are_misprints() -> None:
    """The summary above the table, counted in the table."""
    text = (ROOT / "docs" / "reproduce.md").read_text(encoding="utf-8")
    rows = [line for line in between(text).splitlines() if "| **differs**" in line]
    slips = [row for row in rows if re.search(r"\*\*differs\*\*: A (misprint|slip)", row)]
    assert f"{len(rows)} rows differ." in text
    assert f"{len(slips)} of them are misprints and slips, and the other {len(rows) - len(slips)} have" in text


def test_no_row_leans_on_another_for_its_subject() -> None:
    """Rows are filtered one by one: none begins with a word that the row before would explain."""
    leaning = re.compile(r"(and|it|its|their|they|this|these|the same|that (mu|regret|run))\b", re.IGNORECASE)
    for key in PAPERS:
        for p in paper_named(key).published:
            assert not leaning.match(p.quantity), (key, p.key)
            assert "the note" not in p.reason, (key, p.key)


def test_tables_are_told_apart_but_for_what_machines_round() -> None:
    line = "| a | mu 1.566947 \u2014 within 3e-16 | 1.57 | \\[1.566, 1.567\\] | **reproduced** |"
    assert not differences(line, line.replace("3e-16", "0e+00").replace("1.566947", "1.566948"))
    for other in (line.replace("reproduced", "differs"), line.replace("1.566947", "1.58"), line + "\n" + line, "",
                  line.replace("| 1.57", "| 1.5 7")):  # fmt: skip
        assert differences(line, other)


def test_what_a_page_must_have() -> None:
    paper = paper_named("blog")
    page = replaced(f"before\n{FIRST}\nof yesterday\n{LAST}\nafter\n", _empty(paper))
    assert page.startswith(f"before\n{FIRST}\n\n| Paper")
    assert page.endswith(f"{LAST}\nafter\n")
    assert "of yesterday" not in page
    assert replaced(page, _empty(paper)) == page
    for bad in ("", FIRST, f"{FIRST}{LAST}{FIRST}"):
        with pytest.raises(ValueError, match="once each"):
            replaced(bad, _empty(paper))


def test_words_are_escaped_and_times_left_out() -> None:
    entries = tuple(
        Published("p", key, "Sec|tion", "a < b & [c] *d* _e_ `f`", "1.0", Rounds("1.0"), "", "Part")
        for key in ("one", "two")
    )
    paper = Paper("p", "A <b> paper", "nobody", "", entries, {}, (), ())
    ours = {"one": Number.seconds(1.0, "s"), "two": Number(1.00001, 1.00002)}
    done = Done(Task("p", "numbers", "all"), numbers=ours)
    text = markdown(Summary(Path(), (collected(paper, [done]),), 0.0, 0.0))
    assert "Sec\\|tion | a &lt; b &amp; \\[c\\] \\*d\\* \\_e\\_ \\`f\\`" in text
    assert "| timed at each run |" in text
    assert "| \\[1, 1.001\\] |" in text
    assert "A &lt;b&gt; paper" in text
