"""The tables of published numbers: whole, without contradiction, with a reason where one is due."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from itertools import groupby

import pytest

from neyman_papers.anchors import anchor
from neyman_papers.paper import Paper
from neyman_papers.papers import PAPERS, asked_for, paper_named
from neyman_papers.published import Above, Below, Holds, Rounds, Undetermined
from neyman_papers.verdict import judge

EVERY = [paper_named(key) for key in PAPERS]
ids = pytest.mark.parametrize("paper", EVERY, ids=PAPERS)


@ids
def test_every_entry_is_named_once_and_says_what_it_is(paper: Paper) -> None:
    keys = [p.key for p in paper.published]
    assert len(set(keys)) == len(keys) > 0
    for p in paper.published:
        assert p.paper == paper.key
        assert p.where
        assert p.quantity
        assert p.printed
        assert isinstance(p.rule, (Rounds, Below, Above, Holds, Undetermined))


@ids
def test_rows_of_one_section_follow_each_other_and_have_names_to_link_to(paper: Paper) -> None:
    parts = [part for part, _ in groupby(p.part for p in paper.published)]
    assert len(set(parts)) == len(parts)
    assert all(parts)
    names = [anchor(judge(p, None)) for p in paper.published]
    assert len(set(names)) == len(names)


@ids
def test_what_the_text_leaves_open_has_a_reason(paper: Paper) -> None:
    for p in paper.published:
        if isinstance(p.rule, Undetermined):
            assert len(p.reason) > 20, p.key


@ids
def test_printed_numbers_are_those_that_are_compared(paper: Paper) -> None:
    """The rule reads the printed digits, or fewer of them where the table pads with zeros."""
    for p in paper.published:
        if isinstance(p.rule, (Rounds, Below, Above)):
            digits = p.printed.lstrip("<> ").removeprefix("about ").removeprefix("around ").removeprefix("roughly ")
            assert Decimal(digits) == Decimal(p.rule.text), p.key
            if isinstance(p.rule, Rounds):
                exact = Decimal(digits).as_tuple().exponent == Decimal(p.rule.text).as_tuple().exponent
                assert exact or digits.endswith("0"), p.key
        elif isinstance(p.rule, Holds):
            with pytest.raises(InvalidOperation):
                Decimal(p.printed)


@ids
def test_figures_and_tables_are_named_once(paper: Paper) -> None:
    keys = [t.key for t in paper.tables] + [d.key for d in paper.drawings]
    assert len(set(keys)) == len(keys) > 0
    assert all(entry.title and entry.caption for entry in (*paper.tables, *paper.drawings))


def test_the_papers_are_all_there() -> None:
    assert [paper.key for paper in asked_for("all")] == list(PAPERS)
    assert [paper.key for paper in asked_for("introduction")] == ["introduction", "blog"]
    reporting, divergence, sensitivity = (paper_named(key) for key in ("reporting", "divergence", "sensitivity"))
    drawn = {d.key for d in reporting.drawings}
    assert drawn == {f"figure-{n}" for n in (1, 2, 4, 5, 6, 7, 8)}  # the third is a listing: algorithm-1
    assert {t.key for t in reporting.tables} == {"figure-1c", "algorithm-1", *(f"table-{n}" for n in range(1, 6))}
    assert {d.key for d in divergence.drawings} == {f"figure-{n}" for n in range(1, 9)}
    assert {d.key for d in sensitivity.drawings} == {f"figure-{n}" for n in range(1, 7)}
    assert sum(p.where == "Table 3" for p in reporting.published) == 24
    assert sum(p.where == "Fig. 1 (c)" for p in reporting.published) == 12


_LISTED = r"(?:[A-Z]\.)?\d[\d.]*"


def _numbers(words: str, text: str) -> set[str]:
    """The numbers that follow one of the words: "eq. 4, 7 and 9 to 11", "Lemma D.1"."""
    found: set[str] = set()
    for listed in re.findall(rf"(?:{words}) ({_LISTED}(?:(?: and | to |, ){_LISTED})*)", text):
        for one in re.split(r" and |, ", listed):
            first, _, last = one.strip().rstrip(".").partition(" to ")
            head, _, low = first.rpartition(".")
            high = last.rpartition(".")[2] or low
            found |= {f"{head}.{n}".lstrip(".") for n in range(int(low), int(high) + 1)}
    return found


_Due = dict[str, int | tuple[int, ...]]
# in the text: how many of each, with the letter or the section before the number
_NUMBERED: dict[str, dict[str, _Due]] = {
    "reporting": {
        "[Ee]q.": {"": 35}, "Theorem": {"2.": (4,), "A.": (6, 7, 9, 10)}, "Propositions?": {"4.": 1, "6.": 2, "C.": 2},
        "Lemma": {"D.": 1}, "Definitions?": {"2.": (1, 2, 3, 5, 6), "A.": (1, 2, 3, 4, 5, 8, 11, 12), "C.": (3,)},
        "Table": {"": 5},
        "Fig.": {"": 8}, "Algorithm": {"": 2},
    },
    "divergence": {
        "[Ee]q.": {"": 30}, "Theorem": {"": 3}, "Lemma": {"": 6, "B.": 1}, "Corollary": {"": 2}, "Definition": {"": 3},
        "Fig.": {"": 8},
    },
    "sensitivity": {
        "[Ee]q.": {"3.": 11, "4.": 14, "5.": 7, "6.": 7, "7.": 3}, "Lemma": {"": 7}, "Corollar(?:y|ies)": {"": 14},
        "Definitions?": {"": 7}, "Fig.": {"": 6},
    },
}  # fmt: skip


@pytest.mark.parametrize("key", _NUMBERED)
def test_nothing_that_has_a_number_in_a_paper_is_without_a_row(key: str) -> None:
    """Every equation, theorem, lemma, definition, table and figure is named where some row stands."""
    where = "; ".join(p.where for p in paper_named(key).published)
    for words, due in _NUMBERED[key].items():
        wanted = {
            f"{head}{n}"
            for head, many in due.items()
            for n in (many if isinstance(many, tuple) else range(1, many + 1))
        }
        assert wanted <= _numbers(words.replace(".", r"\.") if words.endswith(".") else words, where), words


def test_numbers_are_read_as_they_are_listed() -> None:
    assert _numbers("eq\\.", "Lemma 2, eq. 4.7 and 4.9 to 4.11; eq. 3, Fig. 1") == {"4.7", "4.9", "4.10", "4.11", "3"}
    assert _numbers("Theorem", "Theorem A.10 and so on") == {"A.10"}


def test_the_name_that_it_had_still_finds_it() -> None:
    import neyman.reproduction as before
    import neyman_papers

    assert before.reproduce is neyman_papers.reproduce
    with pytest.raises(AttributeError):
        _ = before.nothing_of_that_name


def test_an_entry_has_one_rule() -> None:
    from neyman_papers.published import _entry

    good = {"key": "k", "where": "w", "quantity": "q", "rounds": "0.4"}
    assert _entry("blog", dict(good)).rule == Rounds("0.4")
    for bad in ({**good, "holds": True}, {name: value for name, value in good.items() if name != "rounds"}):
        with pytest.raises(ValueError, match="rules, where one is due"):
            _entry("blog", bad)
