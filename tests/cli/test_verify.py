"""neyman verify: what it prints, and how it leaves."""

import io
import json
import sys

import pytest

import neyman as ny
from neyman.cli.main import main

REPORT = ny.report(ny.DPSGD(9.4, 0.32768, 2000))


def _run(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        main(["verify", *arguments])
    out, err = capsys.readouterr()
    return left.value.code, out, err


def test_an_original(capsys, tmp_path):
    path = tmp_path / "r.json"
    REPORT.save(path)
    code, out, err = _run(capsys, str(path))
    assert (code, err) == (0, "")
    assert f"The report holds: {len(REPORT.claims)} of {len(REPORT.claims)} claims hold." in out


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
    assert capsys.readouterr().err.splitlines()[-1].endswith("No space left on device.")


def test_no_file(capsys):
    code, _, err = _run(capsys, "/nowhere.json")
    assert code == 2
    assert "a file that can be read" in err
