"""The HTML form: originals hold, and whatever is done to a page is seen."""

import pytest

import neyman as ny
from tests.reports.cases import made, page, quickly


def _page() -> str:
    return page("dpsgd")


def test_an_original_page_holds():
    found = quickly(_page())
    assert found.outcome == "holds", str(found)
    assert not any("pictures" in note for note in found.notes)
    assert {check.id for check in found.words} >= {"page", "numbers of the page", "pictures"}


@pytest.mark.parametrize("change", [lambda page: page.replace("\n", "\r\n"), "\ufeff{}".format])
def test_line_ends_and_byte_order_marks_are_no_edits(change):
    assert quickly(change(_page())).outcome == "holds"


@pytest.mark.parametrize(
    "change",
    [
        lambda page: page.replace("<html", "<!-- saved from url=(0014)about:internet -->\n<html", 1),
        lambda page: page.replace(
            '<meta charset="utf-8">', '<meta http-equiv="Content-Type" content="text/html; charset=UTF-8">', 1
        ),
    ],
)
def test_what_a_browser_adds_when_it_saves_a_page_is_no_edit(change):
    assert change(_page()) != _page()
    assert quickly(change(_page())).outcome == "holds"


def _end(page, more):
    return page.replace("</main>", f"{more}</main>")


def test_pictures_that_are_not_drawn_here_are_said_not_to_be_verified():
    found = quickly(_page().replace("</svg>", "<text>mu = 0.1</text></svg>", 1))
    assert found.outcome == "holds"
    assert found.notes[0] == "The pictures are not those that are drawn here, and are not verified."
    assert "pictures" not in {check.id for check in found.words}


@pytest.mark.parametrize("end", ["</script/>", "</script >", "</SCRIPT>", "<!--<script>"])
def test_data_that_end_early_for_a_browser_are_refused(end):
    altered = _page().replace('"context": "a\\nb"', f'"context": "{end}<h1>mu is 0.1</h1>"')
    assert altered != _page()
    with pytest.raises(ny.InvalidParameter, match="whose data block holds no markup"):
        quickly(altered)


@pytest.mark.parametrize(
    "change",
    [
        lambda page: page.replace(">1.566948<", ">0.566948<", 1),
        lambda page: page.replace('value="1.566948"', 'value="0.566948"', 1),
        lambda page: page.replace(">1.566948<", ">0.566948<"),
        lambda page: page.replace("61 %", "11 %"),
        lambda page: page.replace("at most", "at least", 1),
        lambda page: _end(page, "<p>And it is safe.</p>"),
        lambda page: _end(page, "and safe"),
        lambda page: _end(page, "<script>alert(1)</script>"),
        lambda page: _end(page, "<iframe src='https://example.org'></iframe>"),
        lambda page: _end(page, "<img src=x onerror=alert(1)>"),
        lambda page: _end(page, "<a href='https://example.org'>more</a>"),
        lambda page: _end(page, "<style>.claim{display:none}</style>"),
        lambda page: _end(page, "<!--><script>alert(1)</script>-->"),
        lambda page: _end(page, "<?php x ?>"),
        lambda page: _end(page, "<![<![x"),
        lambda page: page.replace("<body>", "<body onload=alert(1)>"),
        lambda page: page.replace("<main>", "<main hidden>"),
        lambda page: page.replace("<head>", "<head><meta http-equiv=refresh content='0;url=https://example.org'>"),
        lambda page: page.replace("</svg>", "<script>alert(1)</script></svg>", 1),
        lambda page: page.replace("</svg>", "<p>mu is 0.1</p></svg>", 1),
        lambda page: page.replace("</svg>", "<a href='https://example.org'><text>x</text></a></svg>", 1),
        lambda page: page.replace("</svg>", "<foreignObject><p>x</p></foreignObject></svg>", 1),
        lambda page: page.replace("</svg>", "<g onclick='x()'></g></svg>", 1),
        lambda page: page.replace("</svg>", "<use href='https://example.org/x.svg#a'/></svg>", 1),
        lambda page: page.replace("</svg>", "<title><img src=x onerror=alert(1)></title></svg>", 1),
        lambda page: page.replace("</svg>", "<!--><script>alert(1)</script>--></svg>", 1),
        lambda page: page.replace("</svg>", "<style>.claim{display:none}</style></svg>", 1),
        lambda page: page.replace("</svg>", "<rect style='fill:url(https://example.org/x)'/></svg>", 1),
        lambda page: page.replace("<svg ", "<svg style='position:fixed' ", 1),
        lambda page: page.replace("</main>", "<svg></svg></main>", 1),
        # what browsers take for the end of a picture, or show beyond its edge
        lambda page: page.replace("</svg>", "</p><text>mu is 0.1</text></svg>", 1),
        lambda page: page.replace("</svg>", "</br>mu is 0.1</svg>", 1),
        lambda page: page.replace("</svg>", "</figure><text>mu is 0.1</text></svg>", 1),
        lambda page: page.replace("</svg>", "<title><svg></title></svg>mu is 0.1</svg>", 1),
        lambda page: page.replace("</svg>", "<desc><g>mu is 0.1</g></desc></svg>", 1),
        lambda page: page.replace("<svg ", "<svg overflow='visible' ", 1),
        lambda page: page.replace("<svg ", "<svg height='9000' ", 1),
        lambda page: page.replace("</svg>", "<g overflow='visible'></g></svg>", 1),
        lambda page: page.replace("</svg>", "<g class='answer'></g></svg>", 1),
        lambda page: page.replace("<main>", "<!-- saved from url=(0014)about:internet --><main>", 1),
    ],
)  # fmt: skip
def test_an_altered_page_does_not_hold(change):
    altered = change(_page())
    assert altered != _page()
    found = quickly(altered)
    assert found.outcome == "does not hold"
    assert any("the page was altered" in check.reason for check in found.words)


def test_an_edited_number_in_the_data_of_a_page():
    page = _page().replace('"value": 1.566948', '"value": 1.5').replace('"text": "1.566948"', '"text": "1.5"')
    found = quickly(page)
    assert found.checks[0].outcome == "does not hold"
    assert found.checks[0].excess == pytest.approx(0.066947648, abs=1e-8)


@pytest.mark.parametrize("recommended", ["zcdp", "epsilon"])
def test_a_page_that_speaks_of_claims_that_are_not_there_does_not_hold(recommended):
    altered = _page().replace('"recommended": "mu"', f'"recommended": "{recommended}"')
    assert altered != _page()
    found = quickly(altered)
    assert found.outcome == "does not hold"
    assert "verdict" in {check.id for check in found.words if check.outcome == "does not hold"}


def test_a_page_of_another_version_is_not_called_altered_for_its_words():
    page = _page().replace('"neyman": "0.1.0"', '"neyman": "0.0.9"')
    found = quickly(page.replace("For the engineer", "For engineers"))
    assert found.outcome == "cannot tell"
    assert all(check.outcome == "holds" for check in found.checks)
    assert quickly(_end(page, "<script>alert(1)</script>")).outcome == "does not hold"
    assert quickly(page.replace(">1.566948<", ">0.566948<", 1)).outcome == "does not hold"


def test_a_notebook_frame_escapes_the_page(monkeypatch):
    monkeypatch.setattr(ny.reports.Report, "to_html", lambda _: _page())
    frame = made("dpsgd")._repr_html_()
    assert frame.startswith("<iframe sandbox")
    assert "<script" not in frame
