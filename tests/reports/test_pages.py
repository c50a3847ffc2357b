"""The HTML form: originals hold, and whatever is done to a page is seen."""

import random

import pytest

import neyman as ny
from tests.effort import rest_slow
from tests.reports.cases import made, page, quickly


def _page() -> str:
    return page("dpsgd")


def test_an_original_page_holds():
    found = quickly(_page())
    assert found.outcome == "holds", str(found)
    assert [check.stated for check in found.words if check.id == "page"] == ["the same bytes"]


_PAGES = ("blatant", "pairs", "census", "nothing", "add", "mix", "tabulated", "pure", "replace")


@pytest.mark.parametrize("name", rest_slow(_PAGES, "blatant"))
def test_the_other_process_writes_the_same_page(name):
    """Whatever the guarantee was asked before the page was written, and whatever it is asked before it is compared."""
    assert ny.verify(page(name)).outcome == "holds"


def test_line_ends_are_no_edits():
    lines = _page().split("\n")
    assert quickly("\r\n".join(lines)).outcome == "holds"
    assert quickly("\r\n".join(lines[:9]) + "\n" + "\n".join(lines[9:])).outcome == "holds"  # as editors mix them
    assert quickly("\r".join(lines)).outcome != "holds"  # a browser takes it for the end of a line; we need not
    assert quickly(_page().replace("\n", "\r\r\n")).outcome != "holds"


def test_a_byte_order_mark_is_refused():
    with pytest.raises(ny.InvalidParameter, match="without a byte order mark"):
        quickly(f"\ufeff{_page()}")


@pytest.mark.parametrize(
    "change",
    [
        lambda page: page.replace("<html", "<!-- saved from url=(0014)about:internet -->\n<html", 1),
        lambda page: page.replace(
            '<meta charset="utf-8">', '<meta http-equiv="Content-Type" content="text/html; charset=UTF-8">', 1
        ),
        lambda page: page.replace('<html lang="en">\n<head>', '<html lang="en"><head>'),
        lambda page: page.replace("<head>", "<head><meta http-equiv=refresh content='0;url=https://example.org'>"),
        lambda page: page.replace('content="default-src', 'content=="default-src'),
        lambda page: page.replace("<!DOCTYPE html>", "<!DOCTYPE HTML>"),
        lambda page: f"\n{page}",
    ],
)
def test_of_a_page_that_was_saved_anew_nobody_can_tell(change):
    assert change(_page()) != _page()
    found = quickly(change(_page()))
    assert found.outcome == "cannot tell"
    assert all(check.outcome == "holds" for check in found.checks)
    assert "verify the file as it was handed over" in str(found)


def _end(page, more):
    return page.replace("</main>", f"{more}</main>")


def _first_picture(page, old, new):
    """The page with the first picture that is drawn changed so, at its end or at its beginning."""
    before, frame, drawn = page.partition('<div class="picture">')
    return before + frame + drawn.replace(old, new, 1)


_INSIDE = [  # what is done to a picture
    ("</svg>", "<text>mu = 0.1</text></svg>"),
    ("</svg>", "<script>alert(1)</script></svg>"),
    ("</svg>", "<p>mu is 0.1</p></svg>"),
    ("</svg>", "<a href='https://example.org'><text>x</text></a></svg>"),
    ("</svg>", "<foreignObject><p>x</p></foreignObject></svg>"),
    ("</svg>", "<g onclick='x()'></g></svg>"),
    ("</svg>", "<use href='https://example.org/x.svg#a'/></svg>"),
    ("</svg>", "<title><img src=x onerror=alert(1)></title></svg>"),
    ("</svg>", "<!--><script>alert(1)</script>--></svg>"),
    ("</svg>", "<!-- it was audited --></svg>"),
    ("</svg>", "<style>.claim{display:none}</style></svg>"),
    ("</svg>", "<rect style='fill:url(https://example.org/x)'/></svg>"),
    ("<svg ", "<svg style='position:fixed' "),
    # what browsers take for the end of a picture, or show beyond its edge
    ("</svg>", "</p><text>mu is 0.1</text></svg>"),
    ("</svg>", "</br>mu is 0.1</svg>"),
    ("</svg>", "</figure><text>mu is 0.1</text></svg>"),
    ("</svg>", "<title><svg></title></svg>mu is 0.1</svg>"),
    ("</svg>", "<desc><g>mu is 0.1</g></desc></svg>"),
    ("</svg>", '<path d=="><h1>mu is 0.1</h1><p title="></path></svg>'),
    ("<svg ", "<svg overflow='visible' "),
    ("<svg ", "<svg height='9000' "),
    ("</svg>", "<g overflow='visible'></g></svg>"),
    ("</svg>", "<g class='answer'></g></svg>"),
    ("</svg>", " </svg>"),
]


@pytest.mark.parametrize(("old", "new"), _INSIDE)
def test_what_a_picture_shows_that_is_not_drawn_here_nobody_can_tell(old, new):
    found = quickly(_first_picture(_page(), old, new))
    assert found.outcome == "cannot tell"
    assert [check.id for check in found.words if check.outcome != "holds"] == ["picture roc"]
    assert "it is not, byte for byte, what Matplotlib " in str(found)


@pytest.mark.parametrize(("old", "new"), [*_INSIDE[:3], ('class="here"', 'class="ruler"'), ("this report, ", "")])
def test_what_the_scale_shows_is_written_and_compared_as_text(old, new):
    assert _page().index(old) < _page().index('<div class="picture">')
    assert quickly(_page().replace(old, new, 1)).outcome == "does not hold"


def test_a_picture_that_is_not_drawn_here_is_named_with_what_drew_it():
    def older(page):
        return page.replace(f'"matplotlib": "{made("dpsgd").document.certificate.matplotlib}"', '"matplotlib": "3.1.0"')

    before, after = _page().rsplit("</svg>", 1)
    assert [check.id for check in quickly(f"{before}<g/></svg>{after}").words if check.outcome != "holds"] == [
        "picture difference"
    ]
    assert older(_page()) != _page()
    assert quickly(older(_page())).outcome == "does not hold"  # and the table says another
    whole = older(_page()).replace(f">{made('dpsgd').document.certificate.matplotlib}</td>", ">3.1.0</td>")
    assert quickly(whole).outcome == "holds"  # the same bytes, whoever drew them
    found = quickly(_first_picture(whole, "</svg>", "<g/></svg>"))
    [check] = [check for check in found.words if check.outcome != "holds"]
    assert "(the report names 3.1.0)" in check.reason


# two readings of one text: what Python's parser takes it for, and what a browser does
_OTHERWISE = "<script type='application/json' id='neyman-report'>x</script x><h1>mu = 0.01</h1><script>"


@pytest.mark.parametrize(
    "change",
    [
        lambda page: page.replace("</main>", f"</main>{_OTHERWISE}</script>"),
        lambda page: page.replace("<main>", f"{_OTHERWISE}</script><main>"),
        lambda page: page.replace("<main>", "<!-- -- >").replace("</main>", "--><h1>mu = 0.01</h1>"),
        lambda page: page.replace("<main>", "<main\u00a0hidden>"),
        lambda page: page.replace("<main>", "<main\x0chidden>"),
        lambda page: page.replace("At ", "At\u00a0", 1) if "At " in page else page.replace("at ", "at\u00a0", 1),
        lambda page: page.replace("<main>", "&#1;<main>"),
        lambda page: page.replace("</h1>", "</h1 x>", 1),
        lambda page: page.replace("<h1>", "<h1 class=a class=b>", 1),
        lambda page: page.replace("<main>", "<![CDATA[<main>", 1),
        lambda page: page.replace("<main>", "<template>").replace("</main>", "</template><h1>mu = 0.01</h1>"),
        lambda page: page.replace("<main>", "<noscript><main>").replace("</main>", "</main></noscript>"),
        lambda page: page.replace("\n</body>", " \n</body>"),
    ],
)
def test_what_parsers_read_otherwise_does_not_hold(change):
    assert change(_page()) != _page()
    assert quickly(change(_page())).outcome == "does not hold"


def test_no_byte_of_a_page_can_be_changed():
    """Each byte replaced, left out, or followed by another: of a hundred places, none holds."""
    text = page("blatant")
    draw = random.Random(4)
    for _ in range(100):
        at = draw.randrange(len(text))
        new = draw.choice(["", " ", "\t", "x", "<", "-", '"', "=", "/", "\u200b", "0"])
        altered = text[:at] + new + text[at + draw.randrange(2) :]
        if altered == text:
            continue
        try:
            outcome = quickly(altered).outcome
        except ny.InvalidParameter:
            outcome = "refused"
        assert outcome != "holds", (at, new)


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
        lambda page: page.replace("</main>", "<svg></svg></main>", 1),
        lambda page: page.replace("<main>", "<!-- saved from url=(0014)about:internet --><main>", 1),
    ],
)  # fmt: skip
def test_an_altered_page_does_not_hold(change):
    altered = change(_page())
    assert altered != _page()
    found = quickly(altered)
    assert found.outcome == "does not hold"
    [page] = [check for check in found.words if check.id == "page"]
    assert any(words in page.reason for words in ("the page was altered", "where the data say", "do not make"))


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
    page = _page().replace(f'"neyman": "{ny.__version__}"', '"neyman": "0.0.9"')
    found = quickly(page.replace("For the engineer", "For engineers"))
    assert found.outcome == "cannot tell"
    assert all(check.outcome == "holds" for check in found.checks)
    assert quickly(_end(page, "<script>alert(1)</script>")).outcome == "cannot tell"
    assert quickly(page.replace(">1.566948<", ">0.566948<", 1)).outcome == "does not hold"


def test_a_notebook_frame_escapes_the_page(monkeypatch):
    monkeypatch.setattr(ny.reports.Report, "to_html", lambda _: _page())
    frame = made("dpsgd")._repr_html_()
    assert frame.startswith("<iframe sandbox")
    assert "<script" not in frame
