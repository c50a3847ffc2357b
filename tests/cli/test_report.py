"""neyman report."""

import json

import pytest

from neyman.cli.main import main
from tests.cli.said import message
from tests.effort import rest_slow


def _run(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    out, err = capsys.readouterr()
    return left.value.code, out, message(err)


def test_the_short_text(capsys):
    code, out, _ = _run(capsys, "report", "dpsgd:9.4,0.32768,2000")
    assert code == 0
    assert "Report mu = 1.566948, valid at error rates of 1e-10 and above." in out


@pytest.mark.parametrize("form", rest_slow(["md", "json", "tex"], "json", "tex"))
def test_every_form_to_a_file_and_to_standard_output(capfdbinary, tmp_path, form):
    path = tmp_path / f"r.{form}"
    words = [
        "report",
        "dpsgd:2,1,4",
        "--title",
        "T",
        "--unit",
        "person",
        "--context",
        "C",
        "--date",
        "2025-01-31",
    ]
    with pytest.raises(SystemExit) as left:
        main([*words, "-o", str(path)])
    assert left.value.code == 0
    with pytest.raises(SystemExit):
        main([*words, "-o", "-", "--format", form])
    assert capfdbinary.readouterr().out == path.read_bytes()
    assert b"person" in path.read_bytes()


def test_json_is_the_document(capfd):
    with pytest.raises(SystemExit):
        main(["report", "dpsgd:9.4,0.32768,2000", "--json", "--delta", "1e-7", "--adjacency", "add", "--floor", "1e-4"])
    data = json.loads(capfd.readouterr().out)
    assert (data["format"], data["adjacency"], data["deltas"], data["floor"]) == ("neyman-report", "add", [1e-7], 1e-4)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "r.docx"], "ends in .html, .md, .json, .tex, .pdf"),
        (["-o", "-"], "--format must be one of html, md, json, tex, pdf"),
        (["--format", "docx"], "--format must be one of html, md, json, tex, pdf"),
        (["-o", "r.md", "--format", "tex"], "--output must be a file that ends in .tex"),
        (["-o", "/nowhere/r.md"], "a directory that exists"),
        (["--title", "a\nb"], "title must be"),
        (["--delta", "2"], "deltas"),
    ],
)
def test_refusals(capsys, words, said):
    code, out, err = _run(capsys, "report", "dpsgd:9.4,0.32768,2000", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_not_certified(capsys, tmp_path):
    words = ["dpsgd:9.4,0.32768,2000", "--tolerance", "1e-12"]
    code, out, err = _run(capsys, "report", *words, "-o", str(tmp_path / "r.json"))
    assert (code, out) == (3, "")
    assert "certified only to lie in" in err
    assert not (tmp_path / "r.json").exists()
