"""neyman verify: what it prints, and how it leaves."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import neyman as ny
from neyman.cli import exits
from neyman.cli.main import main
from tests.cli.said import message

REPORT = ny.report(ny.DPSGD(9.4, 0.32768, 2000), unit="person")
GAUSSIAN = ny.report(ny.Gaussian(1.0), unit="person")
VERDICTS = (exits.OK, exits.FAILED, exits.NOT_CERTIFIED)


def _run(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        main(["verify", *arguments])
    out, err = capsys.readouterr()
    return left.value.code, out, message(err)


def test_an_original(capsys, tmp_path):
    path = tmp_path / "r.json"
    REPORT.save(path)
    code, out, err = _run(capsys, str(path))
    assert (code, err) == (0, "")
    assert f"The report holds: {len(REPORT.claims)} of {len(REPORT.claims)} claims hold." in out


@pytest.mark.usefixtures("examined_here")
def test_an_edited_one_from_standard_input_as_json(capsys, monkeypatch):
    data = REPORT.to_dict()
    data["claims"][0] |= {"value": 0.01, "text": "0.01"}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(data).encode())))
    code, out, _ = _run(capsys, "-", "--json")
    found = json.loads(out)
    assert (code, found["outcome"], found["checks"][0]["outcome"]) == (1, "does not hold", "does not hold")
    assert found["checks"][0]["excess"] == found["checks"][0]["lower"] - 0.01


def test_no_time(capsys, tmp_path):
    path = tmp_path / "r.json"
    REPORT.save(path)
    code, out, _ = _run(capsys, str(path), "--timeout", "0.001")
    assert code == 3
    assert "it takes longer than 0.001 s" in out
    assert "Traceback" not in out


@pytest.mark.parametrize("text", ["", "x", "{}", "[1]", "<html>", '{"a": NaN}'])
def test_what_is_no_report(capsys, tmp_path, text):
    path = tmp_path / "r.json"
    path.write_text(text)
    code, out, err = _run(capsys, str(path))
    assert (code, out) == (2, "")
    assert err.startswith("neyman: ")
    assert err.count("\n") == 1


def test_no_room_for_the_answer(capsys, monkeypatch, tmp_path):
    """A full disk is no verdict: exit code 1 would say that the report does not hold."""
    path = tmp_path / "r.json"
    REPORT.save(path)

    class Full(io.TextIOWrapper):
        def write(self, _):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("neyman.cli.main._forget_output", lambda: None)
    monkeypatch.setattr(sys, "stdout", Full(io.BytesIO()))
    with pytest.raises(SystemExit) as left:
        main(["verify", str(path), "--timeout", "0.001"])
    assert left.value.code == 2
    assert capsys.readouterr().err.splitlines()[-2].endswith("No space left on device.")


def test_no_file(capsys):
    code, _, err = _run(capsys, "/nowhere.json")
    assert code == 2
    assert "a file that can be read" in err


def _written(folder, **edits):
    """A report, and a copy of it in which each of these texts stands in place of another."""
    good = folder / "good.json"
    GAUSSIAN.save(good)
    bad = folder / "bad.json"
    text = good.read_text()
    for old, new in edits.items():
        assert old in text
        text = text.replace(old, new)
    bad.write_text(text)
    return str(good), str(bad)


@pytest.mark.usefixtures("examined_here")
def test_five_lines_for_whoever_signs(capsys, tmp_path):
    path = tmp_path / "r.json"
    REPORT.save(path)
    lines = _run(capsys, str(path))[1].splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "What was run", "Who is protected", "What it claims", "Verdict", "What this cannot know",
    ]  # fmt: skip
    assert "run 2,000 times on a Poisson sample that each person joins with probability 0.32768" in lines[0]
    assert "one person. Data sets are neighbours if one has exactly one person more" in lines[1]
    assert "mu = 1.566948" in lines[2]
    assert "no computation can verify" in lines[4]


@pytest.mark.usefixtures("examined_here")
def test_what_was_run_is_told_from_the_mechanism_and_not_from_the_words_of_the_file(capsys, tmp_path):
    _, bad = _written(tmp_path, **{"standard deviation 1.0": "standard deviation 9.0"})
    code, out, _ = _run(capsys, bad)
    assert code == exits.FAILED
    assert out.startswith("What was run: Normal noise (standard deviation 1.0")
    assert "what was run: altered text" in out


@pytest.mark.usefixtures("examined_here")
def test_verbose_tells_every_claim_in_words(capsys, tmp_path):
    good, _ = _written(tmp_path)
    out = _run(capsys, good, "--verbose")[1]
    assert "epsilon at delta 1e-05" in out
    assert "@" not in out
    assert out.count(": holds") == len(json.loads(Path(good).read_text())["claims"]) + 9  # and nine parts in words


@pytest.mark.usefixtures("examined_here")
def test_a_claim_that_does_not_hold_is_told_in_words_too(capsys, tmp_path):
    _, bad = _written(tmp_path, **{"4.377179": "3.5"})
    out = _run(capsys, bad)[1]
    assert "epsilon at delta 1e-05: the report says at most 3.5; it is at least 4.377178" in out


@pytest.mark.usefixtures("examined_here", "drawn_once")
def test_a_page_that_shows_another_number_says_both(capsys, tmp_path):
    page = REPORT.to_html()
    data = page.index('<script type="application/json"')
    path = tmp_path / "run.html"
    path.write_text(page[:data].replace(">1.566948<", ">0.3<") + page[data:])
    code, out, _ = _run(capsys, str(path))
    assert code == exits.FAILED
    assert "the page shows 0.3 where the data say 1.566948 (mu, floor 1e-10)" in out
    path.write_text(page[:data].replace("at most 61\u00a0%", "at most 3\u00a0%") + page[data:])
    assert "the page shows 3 where the data say 61" in _run(capsys, str(path))[1]


@pytest.mark.usefixtures("examined_here")
def test_of_several_files_none_hides_another(capsys, tmp_path):
    good, bad = _written(tmp_path, **{'"text": "1"': '"text": "0.5"', '"value": 1.0': '"value": 0.5'})
    torn = tmp_path / "torn.json"
    torn.write_text("{")
    absent = str(tmp_path / "absent.json")
    code, out, err = _run(capsys, str(torn), good, absent, bad, good)
    assert (code, err) == (exits.FAILED, "")
    blocks = out.split("\n\n")
    assert [block.splitlines()[0] for block in blocks[:-1]] == [str(torn), good, absent, bad, good]
    assert "Verdict: none." in blocks[0]
    assert "No such file" in blocks[2]
    assert "The report holds" in blocks[1]
    assert "does not hold" in blocks[3]
    assert blocks[-1].strip() == "Of 5 files: 2 hold, 2 cannot be read, 1 do not hold."
    assert _run(capsys, good, str(torn))[0] == exits.BAD_INPUT
    assert _run(capsys, good, good)[0] == exits.OK
    assert _run(capsys, good, str(torn), "--timeout", "0.001")[0] == exits.BAD_INPUT
    found = json.loads(_run(capsys, good, bad, absent, "--json")[1])["files"]
    assert [one["outcome"] for one in found] == ["holds", "does not hold", "none"]
    assert [one["file"] for one in found] == [good, bad, absent]


@pytest.mark.parametrize("arguments", [("-", "-"), ("a.json", "b.json", "--proof", "p.json"), ("-", "--prove")])
def test_what_can_be_asked_of_one_file_alone(capsys, arguments):
    code, out, err = _run(capsys, *arguments)
    assert (code, out) == (exits.BAD_INPUT, "")
    assert err.count("\n") == 1


# crashes


def _raise(error):
    def crash(*_, **__):
        raise error

    return crash


@pytest.mark.parametrize(
    "error", [RuntimeError("boom"), MemoryError(), RecursionError("deep"), AssertionError(), SystemExit(1),
              SystemExit(0), SystemExit("gone"), SystemExit(3), SystemExit(None)],
)  # fmt: skip
def test_a_crash_leaves_with_the_code_of_no_verdict(capsys, monkeypatch, tmp_path, error):
    good, _ = _written(tmp_path)
    monkeypatch.setattr("neyman.reports.verify", _raise(error))
    code, out, err = _run(capsys, good)
    assert (code, out) == (exits.UNFORESEEN, "")
    assert code not in VERDICTS
    assert err.startswith("neyman: ")
    assert "Traceback" not in err


@pytest.mark.usefixtures("examined_here")
def test_a_crash_at_one_of_several_files_is_told_and_the_others_are_verified(capsys, monkeypatch, tmp_path):
    good, bad = _written(tmp_path, **{'"text": "1"': '"text": "0.5"', '"value": 1.0': '"value": 0.5'})
    verify = ny.reports.verify

    def crash(file, **more):
        if str(file) == good:
            raise RuntimeError("boom")
        return verify(file, **more)

    monkeypatch.setattr("neyman.reports.verify", crash)
    code, out, _ = _run(capsys, good, good)
    assert code == exits.UNFORESEEN
    assert out.count("No answer: RuntimeError: boom") == 2
    code, out, _ = _run(capsys, good, bad)
    assert code == exits.FAILED
    assert "No answer: RuntimeError: boom" in out
    assert "does not hold" in out


def test_a_command_that_cannot_even_be_loaded(tmp_path):
    """Python would leave with 1, which says that a claim does not hold."""
    (tmp_path / "typer.py").write_text("raise ImportError('torn\\napart')\n")
    path = os.pathsep.join([str(tmp_path), str(Path(ny.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-m", "neyman", "verify", "x.json"], capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (exits.UNFORESEEN, "")
    assert done.stderr == "neyman: no answer: it could not be loaded: ImportError: torn apart\n"


def test_the_process_that_computes_is_killed(capsys, monkeypatch, tmp_path):
    """It ends without a word, as where memory runs out: nothing is decided, and the file is not blamed."""
    good, _ = _written(tmp_path)
    dying = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    monkeypatch.setattr("neyman.reports.verifying.recompute._CHILD", dying)
    code, out, _ = _run(capsys, good)
    assert code == exits.NOT_CERTIFIED
    assert "it ended without an answer" in out


def test_the_codes_are_written_where_verdicts_are_explained():
    text = (Path(__file__).parents[2] / "docs" / "verify.md").read_text(encoding="utf-8")
    for code in exits.MEANINGS:
        assert f"\n| {code} | " in text
