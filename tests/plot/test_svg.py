"""Inline SVG: the same every time, well-formed, closed in itself, and deaf to what hostile texts say."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from tests.effort import examples, rest_slow
from tests.plot.guarantees import PICTURES, drawn, picture

SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {"svg", "g", "path", "use", "defs", "clipPath", "rect", "title", "desc", "pattern", "image"}
PICTURE = ny.plot.tradeoff(ny.GDP(1.0), labels=["<script>alert(1)</script>"])
HOSTILE = [
    "</title><script>alert(1)</script>", "]]>", "--><img src=x onerror=alert(1)>", "&amp;&lt;", "\x00\x01\x1b\ud800",
    "\"' onload='alert(1)", "<!ENTITY x SYSTEM 'file:///etc/passwd'>", "\uffff",
]  # fmt: skip


@pytest.mark.parametrize("number", rest_slow(range(0, len(PICTURES), 4), 0, 3))
def test_every_picture_drawn_again_is_the_same(number):
    name, positional, named = picture(number)
    again = getattr(ny.plot, name)(*positional, **named)
    assert ny.plot.svg(again.figure, "p1") == ny.plot.svg(drawn(number), "p1")


@pytest.mark.parametrize("number", rest_slow(range(len(PICTURES)), *range(0, len(PICTURES), 3)))
def test_every_picture_is_closed_in_itself(number):
    text = ny.plot.svg(drawn(number), "p1", title="a picture", description="what it shows")
    root = ET.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == "p1-title p1-desc"
    assert len(root.attrib["viewBox"].split()) == 4
    assert not {"width", "height"} & set(root.attrib)
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids))
    assert all(one.startswith("p1-") for one in ids)
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in SHAPES
        assert not {key for key in element.attrib if key.startswith("on") or key in ("style", "class")}
        for target in re.findall(r"url\(([^)]*)\)", " ".join(element.attrib.values())):
            assert target[1:] in ids
        if "href" in element.attrib:
            assert element.attrib["href"][1:] in ids
    assert not re.search(r"<\?xml|<!DOCTYPE|<!--|metadata|20\d\d-\d\d|https?://(?!www\.w3\.org/2000/svg)", text)


def test_two_in_a_page_share_no_id():
    ids = [set(re.findall(r' id="([^"]*)"', ny.plot.svg(PICTURE, prefix, title="a"))) for prefix in ("p1", "p2")]
    assert ids[0]
    assert not ids[0] & ids[1]


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_stay_words(words):
    text = ny.plot.svg(PICTURE, "a", title=words, description=words)
    text.encode()
    root = ET.fromstring(text)
    legal = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", words)
    assert root.find(f"{SVG}title").text == legal
    assert root.find(f"{SVG}desc").text == legal
    assert "<script" not in text
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= SHAPES


@examples(3, 50)
@given(words=st.text(st.characters(exclude_categories=["Cs"]), max_size=30))  # a codec would be asked at length
def test_any_words_come_back(words):
    root = ET.fromstring(ny.plot.svg(PICTURE, "a", title="t" + words))
    said = root.find(f"{SVG}title").text
    kept = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", "t" + words)
    assert said == kept.replace("\r\n", "\n").replace("\r", "\n")


def test_without_words_nothing_is_said():
    root = ET.fromstring(ny.plot.svg(PICTURE, "a"))
    assert root.find(f"{SVG}title") is None
    assert "aria-labelledby" not in root.attrib


@pytest.mark.parametrize("prefix", ["", "1a", "a b", 'a"', "a" * 65, "ä", None, 3, "a\n"])
def test_prefixes_that_are_no_names_are_refused(prefix):
    with pytest.raises(ny.InvalidParameter, match="prefix must be a letter, then at most 63"):
        ny.plot.svg(PICTURE, prefix)


@pytest.mark.parametrize("figure", [None, "figure", ny.GDP(1.0)])
def test_what_is_no_figure_is_refused(figure):
    with pytest.raises(ny.InvalidParameter, match="figure must be a matplotlib Figure or Axes"):
        ny.plot.svg(figure, "a")


@pytest.mark.parametrize("name", ["title", "description"])
def test_what_is_no_text_is_refused(name):
    with pytest.raises(ny.InvalidParameter, match=f"{name} must be a text"):
        ny.plot.svg(PICTURE, "a", **{name: 3})
