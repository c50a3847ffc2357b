"""Report files read without trust: what is refused, that the schema says the same, and ten thousand mutations."""

import copy
import io
import json
import math
import os
import random
import sys

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import neyman as ny
from neyman.reports import json_schema
from neyman.reports.forms.block import OPENING, block_of
from neyman.reports.said.text import checked_text
from neyman.reports.verifying.altered import Altered
from neyman.reports.verifying.model import DocumentModel
from neyman.reports.verifying.reading import _number, read
from tests.effort import rest_slow
from tests.reports.cases import CASES, OFTEN, QUICK, made, page, quickly

TEXT = made("dpsgd").to_json()
VALIDATOR = jsonschema.Draft202012Validator(json_schema())


@pytest.mark.parametrize("name", rest_slow(QUICK, *OFTEN))
def test_the_schema_takes_what_is_written(name):
    VALIDATOR.validate(json.loads(made(name).to_json()))
    assert read(made(name).to_json()).document() == made(name).document


def test_the_schema_is_one_and_leaves_nothing_open():
    jsonschema.Draft202012Validator.check_schema(json_schema())

    def walk(node):
        if isinstance(node, dict):
            if node.get("type") == "object" and "properties" in node:
                assert node["additionalProperties"] is False
            if node.get("type") == "string":
                assert "maxLength" in node or "pattern" in node
            if node.get("type") == "array":
                assert "maxItems" in node
            for value in node.values():
                walk(value)

    walk(json_schema())


def _places(node, path=()):
    """Every place in a document, the mechanism apart."""
    yield path
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        if path or key != "mechanism":
            yield from _places(value, (*path, key))


_VALUES = [
    None, True, False, 0, 1, -1, 2, 0.5, 1.0, 1.5, -0.5, 1e300, "", "inf", "-inf", "nan", "x", "at most", "0.1",
    "1e-05", "01", "1.5e3", "x" * 300, "x" * 2000, [], {}, [1], {"a": 1}, [0.5], ["x"], "mu", "gaussian",
    "2025-01-31", "2025-1-3", 10**30,
]  # fmt: skip


@given(st.data())
def test_schema_and_reader_agree(data):
    document = json.loads(TEXT)
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from([p for p in _places(document) if p]))
        node = document
        for key in path[:-1]:
            node = node[key]
        if isinstance(node, dict) and data.draw(st.booleans()):
            if data.draw(st.booleans()):
                del node[path[-1]]
            else:
                node["more"] = 1
        else:
            node[path[-1]] = data.draw(st.sampled_from(_VALUES))
    try:
        DocumentModel.model_validate(document)
        read_it = True
    except ValidationError:
        read_it = False
    assert VALIDATOR.is_valid(document) is read_it


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "No such file|a file that can be read|Is a directory"),
        ("{", "valid JSON"),
        ("{}", "format must be"),
        ('{"format": "neyman-report", "version": 2}', "as the JSON Schema of reports has it"),
        ('{"a": 1, "a": 2}', "The key 'a' stands twice"),
        ('{"a": NaN}', "NaN is no number of JSON"),
        ('{"a": -Infinity}', "-Infinity is no number"),
        ('{"a": 1e999}', "too large, or too long"),
        ('{"a": 0.' + "1" * 500 + "}", "too large, or too long"),
        ('{"a": ' + "1" * 5000 + "}", "5000 digits"),
        ('{"a": ' + "[" * 100_000, "not nested this deep"),
        ('{"a": ' + "[" * 200 + "]" * 200 + "}", "nested at most 80 deep"),
        ('{"a": "' + "x" * 10**6 + '"}', "at most 1 MB long"),
        ("<p>" + "x" * (5 * 10**6), "at most 5 MB long"),
        ("<p>nothing</p>", "a page with one data block"),
        ('{"a": "\ud800"}', "text in UTF-8"),
        ("\0", "a file that can be read"),
    ],
)
def test_refusals(text, said):
    with pytest.raises(ny.InvalidParameter, match=said):
        ny.verify(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"value": 1.566948', '"value": 156.6948e-2'),
        ('"value": 1.566948', '"value": 0.1566948e1'),
        ('"value": 1.566948', '"value": 1.56694800000000000000000001'),
        ('"value": 1.566948', '"value": 1566948000000000001e-18'),
        ('"tolerance": 1e-06', '"tolerance": 0e5'),
        ('"tolerance": 1e-06', '"tolerance": 1e-400'),
        ('"text": "1.566948"', '"text": "0.1566948e1"'),
        ('"text": "1.566948"', '"text": "1.5669480"'),
        ('"text": "1.566948"', '"text": "1.566948e0"'),
        ('"text": "1.566948"', '"text": "1566948e-6"'),
        ('"text": "1.566948"', '"text": "1.566948e+00"'),
        ('"value": 1.566948', '"value": 9007199254740993'),
        ('"version": 1,', '"version": true,'),
        ('"version": 1,', '"version": 1.0,'),
        ('"times": 2000', '"times": true'),
    ],
)
def test_numbers_are_written_in_one_way(old, new):
    """Neither 0.005e2 for 0.5 nor digits that are not read."""
    assert old in TEXT
    with pytest.raises(ny.InvalidParameter, match=r"written as|float64 can hold|JSON Schema|times must be"):
        read(TEXT.replace(old, new))


@pytest.mark.parametrize("number", ["0.1", "0.10000000000000001", "1e-7", "1E-07", "1.5e+300", "100.0", "5e-324"])
def test_numbers_as_programs_write_them_are_read(number):
    assert _number(number) == float(number)


# zero widths, fillers, selectors, tags, directions, and spaces that are none
_UNSEEN = (
    "\u200b\u200d\u2060\ufeff\u00ad\u034f\u115f\u3164\uffa0\u2800\ufe0f\U000e0041\U000e0101\u202e\u2066\u061c\u180e"
    "\u00a0\u2003\u202f\u3000\u2028\ufff9"
)


@pytest.mark.parametrize("letter", _UNSEEN)
@pytest.mark.parametrize("field", ["title", "unit", "context"])
def test_letters_that_nobody_sees_are_refused(letter, field):
    with pytest.raises(
        ny.InvalidParameter, match=rf"{field} must be .*U\+{ord(letter):04X}: characters that draw nothing"
    ):
        read(_change(**{field: f"a{letter}b"}))
    with pytest.raises(ny.InvalidParameter, match=f"{field} must be"):
        ny.report(ny.GDP(1.0), **{field: f"a{letter}b"})


def test_letters_of_every_writing_are_taken():
    assert checked_text("title", "שלום, مرحبا, Größe, 日本語, हिन्दी, 😀") == "שלום, مرحبا, Größe, 日本語, हिन्दी, 😀"


@pytest.mark.parametrize(
    "date", ["2025-02-29", "2025-13-01", "2025-00-10", "0000-01-01", "2025-1-31", "\uff12\uff10\uff12\uff15-01-31"]
)
def test_days_that_are_in_no_calendar_are_refused(date):
    with pytest.raises(ny.InvalidParameter, match="date"):
        read(_change(date=date))
    with pytest.raises(ny.InvalidParameter, match="date must be a date"):
        checked_text("date", date)


def _change(**changes):
    return json.dumps(json.loads(TEXT) | changes)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (_change(title="a\u202eb"), "title"),
        (_change(unit=" "), "unit must be"),
        (_change(context="\x1b[31m"), "context"),
        (_change(date="31.1.2025"), "date"),
        (_change(floor=1e-9), "claims at the floor of the report"),
        (_change(claims=json.loads(TEXT)["claims"][1:]), "one with a claim about mu"),
        (_change(claims=json.loads(TEXT)["claims"][:1] * 2), "without two claims about one thing"),
        (_change(claims=[json.loads(TEXT)["claims"][0] | {"quantity": "luck"}]), r"claims\.0\.quantity must be one of"),
        (_change(claims=[json.loads(TEXT)["claims"][0] | {"given": {}}]), r"claims\.0\.given must be"),
        (_change(**{"\x1b[31m": 1}), r"^\(field\) must be as the JSON Schema"),
    ],
)
def test_what_no_report_says_is_refused(text, said):
    with pytest.raises(Altered, match=said) as refused:
        read(text)
    assert "\n" not in str(refused.value)
    assert "\x1b" not in str(refused.value)
    found = ny.verify(text)
    assert (found.outcome, found.checks) == ("does not hold", ())
    assert "\x1b" not in str(found)


@pytest.mark.parametrize("version", ["0.99", "0.100.0", "99"])
def test_what_a_later_version_writes_is_refused_and_is_no_fraud(version):
    certificate = json.loads(TEXT)["certificate"] | {"neyman": version}
    text = _change(certificate=certificate, more=1)
    with pytest.raises(ny.InvalidParameter, match="as the JSON Schema of reports has it"):
        ny.verify(text)
    assert ny.verify(_change(certificate=certificate | {"neyman": "0.1.0"}, more=1)).outcome == "does not hold"


@pytest.mark.usefixtures("examined_here")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1.566948", "1.5669480"), ('"value": 1.566948', '"value": 1.56694800000000000001'), ("9.4", "-9.4"),
        ("0.32768", "1.32768"), ("2000", "02000"), ('"floor": 1e-10', '"floor": 1e-11'), ("1.566948", "NaN"),
        ('"tolerance": 1e-06', '"tolerance": 2e+00'), ('"unit": "person",', '"unit": "person"'),
        ('"mu@1e-10"', '"Mu@1e-10"'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["json", "html"])
def test_a_report_in_which_something_was_edited_does_not_hold(old, new, form):
    """A verdict, and no bad input: whoever signs is told that it was altered, and what the file says it claims."""
    whole = TEXT if form == "json" else page("dpsgd")
    at = 0 if form == "json" else whole.index(OPENING)
    assert old in whole[at:]
    found = ny.verify(whole[:at] + whole[at:].replace(old, new))
    assert found.outcome == "does not hold"
    assert not found
    lines = str(found).splitlines()
    assert lines[2].startswith("What it claims: Report mu = ")
    assert any("altered" in line for line in lines)
    assert found.to_dict()["outcome"] == "does not hold"
    assert "does not hold" in found.details


@pytest.mark.parametrize("text", ["<html><p>a page</p></html>", '{"format": "neyman-report"}', '{"neyman": "0.2.0"}'])
def test_what_is_no_report_at_all_stays_bad_input(text):
    with pytest.raises(ny.InvalidParameter):
        ny.verify(text)


def test_a_page_that_was_cut_off_says_so():
    whole = page("dpsgd")
    with pytest.raises(ny.InvalidParameter, match="It ends in the middle of it"):
        ny.verify(whole[: whole.index(OPENING) + 500])


def test_dicts_are_read_as_files_are():
    loop: dict[str, object] = {}
    loop["a"] = loop
    for bad in (loop, {"a": object()}, {"a": math.nan}, {1: {2}}):
        with pytest.raises(ny.InvalidParameter):
            ny.verify(bad)


def test_files_standard_input_and_byte_order_marks(tmp_path, monkeypatch):
    path = tmp_path / "r.json"
    path.write_bytes(TEXT.replace("\n", "\r\n").encode())
    assert read(path).model.title == "CIFAR-10 <b>"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    with pytest.raises(ny.InvalidParameter, match="text in UTF-8 without a byte order mark"):
        read(path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert read("-").model.unit == "person"
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(ny.InvalidParameter, match=r"text in UTF-8, got '.*\. Byte 7 is not\."):
        read(path)


def test_only_files_are_read_and_only_as_what_their_names_say(tmp_path):
    """Nobody waits for a pipe, and JSON is not verified that a browser would show as a page."""
    found = {"a.md": TEXT, "a.html": TEXT, "a.svg": page("blatant"), "a.json": page("blatant"), "a": TEXT}
    for name, text in found.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(ny.InvalidParameter, match=r"\.html"):
            read(tmp_path / name)
    (tmp_path / "a.HTM").write_text(page("blatant"))
    assert read(tmp_path / "a.HTM").page == page("blatant")
    with (tmp_path / "large.html").open("wb") as file:
        file.truncate(10**12)
    with pytest.raises(ny.InvalidParameter, match=r"at most 5 MB long, .*It has 1,000,000,000,000 bytes\."):
        read(tmp_path / "large.html")
    os.mkfifo(tmp_path / "pipe.json")
    for name in (str(tmp_path), str(tmp_path / "pipe.json"), "/dev/zero", "/dev/tty0", "/dev/null"):
        if os.path.exists(name):
            with pytest.raises(
                ny.InvalidParameter, match=r"a file, at most 5 MB long, and no folder|a file that can be"
            ):
                read(name)


@pytest.mark.parametrize("unit", ["<", "<!--", "<a ", "</", "<![", "<?", '<a x="', "<svg>"])
def test_a_page_that_would_take_forever_to_parse_takes_no_time_here(unit):
    with pytest.raises(ny.InvalidParameter, match="0 were found"):
        read("<p>" + unit * (10**6 // len(unit)))


def test_the_block_of_a_page():
    with pytest.raises(ny.InvalidParameter, match="2 were found"):
        block_of('<script type="application/json" id="neyman-report">{}</script>' * 2)
    with pytest.raises(ny.InvalidParameter, match="0 were found"):
        block_of('<script id="neyman-report">{}</script>')


def _mutated(draw: random.Random, text: str) -> str | bytes:
    """One hostile thing done to a file."""
    kind = draw.randrange(8)
    if kind == 0:  # bytes
        raw = bytearray(text.encode())
        for _ in range(draw.randrange(1, 6)):
            raw[draw.randrange(len(raw))] = draw.randrange(256)
        return bytes(raw)
    if kind == 1:
        return text[: draw.randrange(len(text))]
    if kind == 2:
        at, length = draw.randrange(len(text)), draw.randrange(200)
        return text[:at] + text[at + length :]
    if kind == 3:
        at = draw.randrange(len(text))
        return (
            text[:at]
            + draw.choice(['"', "{", "]", "\\", "1e999", "NaN", "null", "\0", "<script>", "9" * 5000])
            + text[at:]
        )
    document = json.loads(text)
    for _ in range(draw.randrange(1, 4)):
        places = [p for p in _all_places(document) if p]
        path = draw.choice(places)
        node = document
        for key in path[:-1]:
            node = node[key]
        _spoil(draw, node, path[-1], kind)
    return json.dumps(document)


def _all_places(node, path=()):
    yield path
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield from _all_places(value, (*path, key))


def _spoil(draw: random.Random, node, key, kind: int) -> None:
    old = node[key]
    if kind == 4:
        deep: object = old
        for _ in range(draw.choice([1, 5, 100, 250])):
            deep = draw.choice([[deep], {"of": deep}])
        node[key] = deep
    elif kind == 5 and isinstance(old, (int, float)) and not isinstance(old, bool):
        node[key] = draw.choice(
            [-old, old * 10, old / 10, 10**25, 1e308, 5e-324, 0, 1 - old, str(old), True, old + 1e-12]
        )
    elif kind == 6:
        node[key] = draw.choice(
            [None, True, [], {}, "", "inf", 0, 1.5, "</script><script>alert(1)</script>", "\u202e", "\x00"]
        )
    elif isinstance(node, dict):
        node[draw.choice(["more", "kind", "__class__", "\ud83d"])] = node.pop(key) if draw.random() < 0.5 else old
    else:
        node.insert(0, copy.deepcopy(old))


def _fuzz(seed: int, times: int) -> dict[str, int]:
    """Mutate and read: an outcome or a refusal in one line, never anything else."""
    draw = random.Random(seed)
    counts: dict[str, int] = {}
    originals = [made(name).to_json() for name in ("dpsgd", "laplace", "blatant", "nothing")]
    for _ in range(times):
        spoilt = _mutated(draw, draw.choice(originals))
        text = spoilt.decode("utf-8", "surrogateescape") if isinstance(spoilt, bytes) else spoilt
        try:
            outcome = quickly(text).outcome
        except ny.NeymanError as refused:  # InvalidParameter mostly; NotCertified where a mechanism is too hard
            outcome = "refused" if "\n" not in str(refused) else "refused at length"
        counts[outcome] = counts.get(outcome, 0) + 1
    return counts


def test_mutations():
    counts = _fuzz(1, 200)
    assert counts["refused"] > 70
    assert "refused at length" not in counts
    assert counts["does not hold"] > 10


@pytest.mark.slow
def test_ten_thousand_mutations():
    counts = _fuzz(2, 10_000)
    print(counts)
    assert set(counts) <= {"holds", "does not hold", "cannot tell", "refused"}


def test_cases_are_a_dozen():
    assert len(CASES) >= 12
