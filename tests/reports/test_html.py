"""The HTML page: complete in itself, inert, the same every time, and true to the document whatever a user typed."""

from __future__ import annotations

import base64
import builtins
import hashlib
import json
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman import plot
from neyman.reports.forms import html
from neyman.reports.forms import pictures as module
from neyman.reports.forms.html import around_pictures, data_block, render_html
from neyman.reports.forms.page import first_page, sections
from neyman.reports.forms.pictures import pictures, svgs
from neyman.reports.said.document import Document
from neyman.reports.said.text import visible
from neyman.reports.verifying.reading import read
from tests.effort import examples, rest_slow
from tests.reports.cases import CASES, made, page

_VOID = {"meta", "br", "hr", "img", "input", "link"}
_MECHANISMS = {
    "no mu": ny.ApproximateMechanism(1.0, 1e-5),
    "laplace": ny.Laplace(1.0),
    "nothing": ny.compose([]),
    "many": ny.compose([ny.Gaussian(20.0 + i).poisson(0.01) ** 3 for i in range(5)]) * ny.Laplace(50.0),
}
_NAMES = ("paper", *_MECHANISMS)


@cache
def _document(name: str) -> Document:
    return made("dpsgd").document if name == "paper" else ny.report(_MECHANISMS[name]).document


@cache
def _page(name: str) -> str:
    return page("dpsgd") if name == "paper" else render_html(_document(name))


class _Read(HTMLParser):
    """A page as a browser would take it apart, at its strictest: every tag is closed where it should be."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, dict[str, str]]] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[str, str]] = []  # of which innermost tag
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        assert len(named) == len(attrs)
        self.tags.append((tag, named))
        if tag not in _VOID:
            self.open.append((tag, named))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1][0] if self.open else "", data))

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)

    def of(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def words(self, *without: str) -> str:
        return " ".join("".join(text for tag, text in self.texts if tag not in without).split())

    @property
    def skeleton(self) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
        return [(tag, tuple(named.items())) for tag, named in self.tags]


PAGES = pytest.mark.parametrize(
    "name", rest_slow(_NAMES, *(name for name in _NAMES if name not in ("many", "laplace", "nothing")))
)


@pytest.fixture
def drawn_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures do not depend on what a user typed (tested below): they need not be drawn for each."""
    monkeypatch.setattr(html, "svgs", lambda document: ("<svg></svg>",) * len(pictures(document)))


def _typed(name: str = "paper", **changed: Any) -> Document:
    return replace(_document(name), **changed)


@PAGES
def test_the_page_reaches_for_nothing_outside_itself(name: str):
    read = _Read(_page(name))
    for tag, attributes in read.tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "form", "base", "a", "image", "foreignobject"}
        for key, value in attributes.items():
            assert not key.startswith("on")
            assert key not in {"src", "srcset", "style", "action", "data", "xlink:href"}
            if key == "href":
                assert value.startswith("#")
            if "url(" in value:
                assert re.fullmatch(r"url\(#[\w-]+\)", value)
    outside = set(re.findall(r"\w+://[^\s\"'<]+", _page(name)))
    assert outside <= {"http://www.w3.org/2000/svg"}  # a name, not an address
    [style] = [text for tag, text in read.texts if tag == "style"]
    assert "@import" not in style
    assert "url(" not in style


@PAGES
def test_the_policy_knows_one_style_and_no_program(name: str):
    read = _Read(_page(name))
    [policy] = [meta["content"] for meta in read.of("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    [style] = [text for tag, text in read.texts if tag == "style"]
    known = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.split("; ") == [
        "default-src 'none'", f"style-src 'sha256-{known}'", "img-src data:", "base-uri 'none'", "form-action 'none'"
    ]  # fmt: skip
    assert read.of("script") == [{"type": "application/json", "id": "neyman-report"}]
    policy_at = _page(name).index("Content-Security-Policy")
    assert policy_at < _page(name).index("<title>")  # before anything a user typed


@PAGES
def test_every_claim_is_shown_as_it_is_stated(name: str):
    document, read = _document(name), _Read(_page(name))
    stated = {claim.id: claim.text for claim in document.claims}
    shown = [(data["data-claim"], data["value"]) for data in read.of("data")]
    assert {claim for claim, _ in shown} == set(stated)
    assert all(stated[claim] == value and float(value) == document[claim].value for claim, value in shown)
    texts = [text for tag, text in read.texts if tag == "data"]
    assert texts == [value.replace("inf", "∞") for _, value in shown]
    words = read.words("style", "script")
    for line in (*document.assumptions, *document.cite, document.verdict.headline, document.verdict.reason,
                 document.verify, document.adjacency_meaning):  # fmt: skip
        assert " ".join(line.split()) in words


@PAGES
def test_brackets_are_printed_outward(name: str):
    document = _document(name)
    cells = [row for section in sections(document) for table in section.tables for row in table.rows]
    rows = [row for row in cells if isinstance(row[-1], str) and row[-1].startswith("[")]
    assert len(rows) >= len([c for c in document.claims if c.quantity in ("mu", "epsilon", "tpr")])
    for row in rows:
        claim = next(cell for cell in row if not isinstance(cell, str))
        low, high = (float(end.replace("∞", "inf")) for end in str(row[-1])[1:-1].split(", "))
        assert low <= claim.lower <= claim.upper <= high


@PAGES
def test_the_data_are_those_of_the_document(name: str):
    read = _Read(_page(name))
    [data] = [text for tag, text in read.texts if tag == "script"]
    assert json.loads(data) == _document(name).to_dict()
    assert data.isascii()
    assert not set("<>&") & set(data)


@pytest.mark.slow  # the others of this kind: tests/reports/test_pages.py
def test_the_page_can_be_verified():
    assert ny.verify(_page("paper")).outcome == "holds"


@PAGES
def test_headings_ids_tables_and_pictures_are_in_order(name: str):
    read = _Read(_page(name))
    levels = [int(tag[1]) for tag, _ in read.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    ids = [attributes["id"] for _, attributes in read.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in read.tags:
        assert set(attributes.get("aria-labelledby", "").split()) <= set(ids)
        assert tag != "th" or attributes["scope"] in ("row", "col")
        assert tag != "svg" or (attributes["role"] == "img" and attributes["aria-labelledby"])
        assert not attributes.get("href") or attributes["href"][1:] in ids
    assert len(read.of("table")) == len(read.of("caption")) >= 6
    assert read.of("html") == [{"lang": "en"}]
    assert len(read.of("svg")) == (4 if name == "no mu" else 6)  # the scale among them


def test_the_same_document_gives_the_same_page():
    again = CASES["dpsgd"]().document
    assert render_html(again) == _page("paper")


def test_pictures_follow_from_the_mechanism_alone():
    other = _typed("no mu", title="<b>another</b>", unit="person", context="words")
    drawn = svgs(other)
    assert len(drawn) == 3
    assert all(picture in _page("no mu") for picture in drawn)


@pytest.mark.slow
@pytest.mark.parametrize(
    "subject", rest_slow([ny.Profile([1.0, 2.0], [1e-3, 1e-5]), ny.account(ny.ApproximateMechanism(1.0, 1e-5))], 0)
)
def test_pictures_are_the_same_whatever_was_asked_before(subject: Any):
    """What a guarantee was asked can show in the last digits of later answers: pages would not be the same again."""
    before = svgs(ny.report(subject).document)
    subject.delta(0.37), subject.epsilon(3e-4), subject.beta(0.2)
    document = ny.report(subject).document
    assert svgs(document) == before == svgs(read(ny.report(subject).to_json()).document())


def test_a_page_falls_into_as_many_parts_as_it_has_holes():
    for document in map(_document, _NAMES):
        parts = around_pictures(replace(document, title="a\0b", context="\0" * 3))
        assert len(parts) == len(pictures(document)) + 1
        assert not any("\0" in part for part in parts)


# letters with a meaning for HTML, Jinja, CSS or JSON, in every order; and all other text
_MARKS = (
    *("<script>", "</script>", "<!--", "-->", "<![CDATA[", "]]>", "</title>", "</style>", "<style>"),
    *("</bdi>", "<svg/onload=x>"),
    *("<img src=x onerror=y>", "&lt;", "&", '"', "'", "`", "{{ 7*7 }}", "{% for %}", "{#", "\\u003c", "\\", "%", "é"),
    *("שלום", "😀", "﷽", " at most 7 %", "x" * 50),
)
_TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=20)
_HOSTILE = st.lists(st.sampled_from(_MARKS) | _TEXTS, min_size=1, max_size=8).map(lambda parts: "a" + "".join(parts))


@cache
def _tame() -> _Read:
    return _Read(
        render_html(replace(_document("no mu"), title="t", unit="u", context="c", assumptions=("of one u", "t", "c")))
    )


@pytest.mark.usefixtures("drawn_before")
@examples(5, 300)
@given(title=_HOSTILE, unit=_HOSTILE, context=_HOSTILE)
def test_nothing_that_is_typed_becomes_markup(title: str, unit: str, context: str):
    written = _document("no mu")
    kind = replace(written, title=title, unit=unit, context=context, assumptions=(f"of one {unit}", title, context))
    read, expected = _Read(render_html(kind)), _tame()

    def bones(page: _Read) -> list[Any]:
        return [bone for bone in page.skeleton if bone[0] != "article" and dict(bone[1]).get("class") != "context"]

    assert bones(read) == bones(expected)
    words = read.words("style", "script")
    for text in (title, unit, context):
        assert " ".join(visible(text).split()) in words
    [data] = [text for tag, text in read.texts if tag == "script"]
    assert {name: json.loads(data)[name] for name in ("title", "unit", "context")} == {
        "title": title, "unit": unit, "context": context
    }  # fmt: skip


@pytest.mark.usefixtures("drawn_before")
@pytest.mark.parametrize("mark", ["\u202e", "\u2066", "\x00", "\x1b", "\ud800", "\u2028", "\x85"])
def test_what_hides_or_turns_text_is_made_visible(mark: str):
    page = render_html(_typed(title=f"a{mark}b", assumptions=(f"c{mark}d",)))
    assert mark not in page
    assert "<bdi>a\ufffdb</bdi>" in page
    assert "<li>c\ufffdd</li>" in page
    page.encode("utf-8")


@pytest.mark.usefixtures("drawn_before")
def test_nothing_is_formatted_twice():
    page = render_html(_typed(title="a & b < c", context="first\n\nsecond"))
    assert "<bdi>a &amp; b &lt; c</bdi>" in page
    assert "&amp;amp;" not in page
    assert '<p class="context"><bdi>first second</bdi></p>' in page  # one paragraph on the first page
    assert '<dd class="own"><bdi>first\n\nsecond</bdi></dd>' in page  # and as it was typed for the engineer


def test_the_first_page_says_which_number_to_report():
    found = {name: first_page(_document(name)) for name in _NAMES}
    assert (found["paper"].symbol, found["paper"].number) == ("μ ≤", _document("paper")["mu@1e-10"])
    assert (found["laplace"].symbol, found["laplace"].promise) == ("ε ≤", "Differential privacy at δ = 0")
    assert found["laplace"].number == _document("laplace")["epsilon@0.0"]
    assert found["no mu"].number == _document("no mu")["epsilon@1e-05"]
    assert dict(found["no mu"].beside)["μ"] == "no finite one holds"
    nothing = ny.report(ny.ApproximateMechanism(1.0, 0.1)).document
    assert first_page(nothing).number is None
    assert "No finite number holds" in render_html(nothing)
    for first in found.values():
        assert 3 <= len(first.risks) <= 4
        assert len(first.epsilons.rows) <= 4


def test_the_first_page_calls_rho_by_its_name():
    given = [claim for claim in ny.report(ny.Laplace(1.0)).document.claims if claim.quantity == "zcdp"]
    document = _document("laplace")
    chosen = replace(document, verdict=replace(document.verdict, recommended="zcdp"))
    assert given
    assert (first_page(chosen).symbol, first_page(chosen).number) == ("ρ ≤", given[0])  # noqa: RUF001 - rho


def test_sampling_is_said_on_the_first_page():
    found = {name: dict(first_page(_document(name)).facts).get("Sampling") for name in _NAMES}
    assert found == {
        "paper": "Poisson, rate 0.32768",
        "no mu": "none: every step sees all the data",
        "laplace": "none: every step sees all the data",
        "nothing": None,
        "many": "Poisson, rate 0.01; none for the other steps",
    }
    told = first_page(_document("many")).summary
    assert (
        told == "16 runs in all: normal noise (15 runs in 5 settings), Laplace noise (1 run). Part 1 below lists them."
    )


def test_bounds_are_set_in_bold_and_not_torn_apart():
    for document in map(_document, _NAMES):
        for risk in first_page(document).risks:
            bold = [text for text, bound in risk if bound]
            assert len(bold) == 1
            assert re.fullmatch(r"at (most|least) .*\d(\u00a0%| percentage points)?", bold[0])
            assert " %" not in "".join(text for text, _ in risk)
    assert "at most 61\u00a0%" in [
        text for risk in first_page(_document("paper")).risks for text, bound in risk if bound
    ]


@pytest.mark.usefixtures("drawn_before")
def test_long_words_ask_for_smaller_letters():
    assert not first_page(_document("laplace")).dense
    long = _typed(title="word " * 40, context="words " * 1000)
    page = first_page(long)
    assert page.dense
    assert page.title.endswith("…")
    assert len(page.title) <= 110
    assert len(page.context) <= 280
    text = render_html(long)
    assert '<article class="regulator dense">' in text
    assert "words " * 1000 in text  # all of it, for the engineer


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch):
    found = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "jinja2":
            raise ImportError(name)
        return found(name, *rest)

    html._environment.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=re.escape("report needs jinja2: pip install 'neyman[report]'")):
        render_html(_document("paper"))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_data_end_their_block(text: str):
    block = data_block(_typed(title=text))
    assert not set("<>&\u2028\u2029") & set(block)
    assert json.loads(block)["title"] == text


@pytest.mark.parametrize("adjacency", [pytest.param("add", marks=pytest.mark.slow), "add_or_remove"])
def test_the_curve_goes_through_the_rates_that_are_claimed(monkeypatch: pytest.MonkeyPatch, adjacency: str):
    """Who is accused wrongly was left out, under "add" too; a pair for one order alone is no curve for both."""
    drawn: dict[str, tuple[Any, ...]] = {}
    for name in ("roc", "tradeoff", "profile"):
        draw = getattr(plot, name)

        def spy(*given: Any, name: str = name, draw: Any = draw, **options: Any) -> Any:
            drawn[name] = given
            return draw(*given, **options)

        monkeypatch.setattr(plot, name, spy)
    guarantee = ny.account(ny.DPSGD(1.0, 0.1, 10), adjacency=adjacency)
    document = ny.report(guarantee).document
    for make in (module._roc, module._tradeoff, module._profile):
        make(document).draw(guarantee)
    for claim in document.of("tpr"):
        fpr = float(claim.given[0][1])
        assert claim.lower - 1e-12 <= drawn["roc"][0].roc(fpr) <= claim.upper + 1e-12
        assert 1.0 - drawn["tradeoff"][0].beta(fpr) == pytest.approx(claim.upper, rel=1e-6)
    for claim in document.of("epsilon"):
        assert drawn["profile"][0].epsilon(float(claim.given[0][1])) == claim.upper
    assert len(drawn["roc"]) == (2 if adjacency == "add_or_remove" else 1)
