"""The HTML form: originals hold, and whatever is done to a page is seen."""

from functools import cache

import pytest

from tests.reports.cases import made, quickly


@cache
def _page() -> str:
    return made("dpsgd").to_html()


def test_an_original_page_holds():
    found = quickly(_page())
    assert found.outcome == "holds", str(found)
    assert "Pictures are not verified." in found.notes
    assert {check.id for check in found.words} >= {"page", "numbers of the page"}


@pytest.mark.parametrize("change", [lambda page: page.replace("\n", "\r\n"), "\ufeff{}".format])
def test_line_ends_and_byte_order_marks_are_no_edits(change):
    assert quickly(change(_page())).outcome == "holds"


def _end(page, more):
    return page.replace("</main>", f"{more}</main>")


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


def test_a_page_of_another_version_is_not_called_altered_for_its_words():
    page = _page().replace('"neyman": "0.1.0"', '"neyman": "0.0.9"')
    found = quickly(page.replace("For the engineer", "For engineers"))
    assert found.outcome == "cannot tell"
    assert all(check.outcome == "holds" for check in found.checks)
    assert quickly(_end(page, "<script>alert(1)</script>")).outcome == "does not hold"
    assert quickly(page.replace(">1.566948<", ">0.566948<", 1)).outcome == "does not hold"


def test_a_notebook_frame_escapes_the_page():
    frame = made("dpsgd")._repr_html_()
    assert frame.startswith("<iframe sandbox")
    assert "<script" not in frame
