"""Files of a report: paper by a browser, what is shown, and the last line that says what to do with each."""

import os
import stat
import sys
import webbrowser

import pytest

import neyman as ny
from neyman.cli import exits
from neyman.cli.main import main
from neyman.reports.forms import pdf
from tests.cli.said import message

RUN = "dpsgd:2,1,4"
pytestmark = pytest.mark.usefixtures("drawn_once")  # files are tested, not what is in them


def _run(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        main(["report", *map(str, arguments)])
    out, err = capsys.readouterr()
    return left.value.code, out, message(err)


def _browser(folder, body):
    """A stand-in that does ``body`` with the arguments that a browser gets."""
    path = folder / "browser"
    path.write_text(f"#!{sys.executable}\nimport sys\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


_PRINTS = """
target = next(a for a in sys.argv if a.startswith("--print-to-pdf=")).partition("=")[2]
from urllib.request import urlopen
page = urlopen(sys.argv[-1]).read()
assert "--headless" in sys.argv and page.startswith(b"<!DOCTYPE html>")
open(target, "wb").write(b"%PDF-1.4 " + str(len(page)).encode())
"""


@pytest.mark.parametrize("suffix", [".html", ".json", ".md", ".tex"])
def test_the_last_line_says_what_to_do_with_the_file(capsys, tmp_path, suffix):
    path = tmp_path / f"run it{suffix}"
    code, out, err = _run(capsys, RUN, "-o", path)
    assert (code, out, path.is_file()) == (exits.OK, "", True)
    assert err.startswith(f"{path}: ")
    assert err.count("\n") == 1
    assert (f"neyman verify '{path}'" in err) == (suffix in (".html", ".json"))
    assert ("cannot be verified" in err) == (suffix in (".md", ".tex"))


def test_standard_output_is_followed_by_nothing(capsys):
    assert _run(capsys, RUN, "-o", "-", "--format", "md")[2] == ""
    assert _run(capsys, RUN)[2] == ""


def test_paper_is_printed_by_the_browser_of_the_machine(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("NEYMAN_BROWSER", _browser(tmp_path, _PRINTS))
    path = tmp_path / "run.pdf"
    code, out, err = _run(capsys, RUN, "-o", path)
    assert (code, out) == (exits.OK, "")
    page = ny.report(ny.DPSGD(noise_multiplier=2.0, sample_rate=1.0, steps=4)).to_html()
    assert path.read_bytes() == b"%PDF-1.4 " + str(len(page.encode())).encode()
    assert "it cannot be verified" in err


def test_where_there_is_no_browser_it_is_refused_before_anything_is_computed(capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("NEYMAN_BROWSER", raising=False)
    monkeypatch.setattr(pdf, "_ELSEWHERE", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("neyman.reports.report", lambda *_, **__: pytest.fail("computed"))
    code, out, err = _run(capsys, RUN, "-o", tmp_path / "run.pdf")
    assert (code, out) == (exits.BAD_INPUT, "")
    assert "no browser was found" in err
    assert "write -o run.html and print it" in err
    assert os.listdir(tmp_path) == []
    monkeypatch.setenv("NEYMAN_BROWSER", "none-such")
    assert "a browser that can be run" in _run(capsys, RUN, "-o", tmp_path / "run.pdf")[2]


@pytest.mark.parametrize(
    ("body", "why"),
    [("sys.exit(3)", "it left with 3"), ("pass", "it wrote none"), ("import time; time.sleep(9)", "0.5")],
)
def test_a_browser_that_prints_nothing_leaves_no_file(monkeypatch, tmp_path, body, why):
    monkeypatch.setenv("NEYMAN_BROWSER", _browser(tmp_path, body))
    monkeypatch.setattr(pdf, "_SECONDS", 0.5 if "sleep" in body else 60.0)
    with pytest.raises(ny.InvalidParameter, match=why):
        ny.report(ny.Gaussian(1.0)).save(tmp_path / "run.pdf")
    assert not (tmp_path / "run.pdf").exists()


def test_open_shows_the_file_that_was_written(capsys, monkeypatch, tmp_path):
    shown: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not shown.append(address))
    path = tmp_path / "run.html"
    assert _run(capsys, RUN, "-o", path, "--open")[0] == exits.OK
    assert shown == [path.as_uri()]
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    assert "open it by hand" in _run(capsys, RUN, "-o", path, "--open")[2]
    for arguments in ((RUN, "--open"), (RUN, "-o", "-", "--format", "md", "--open")):
        code, _, err = _run(capsys, *arguments)
        assert code == exits.BAD_INPUT
        assert "beside --output FILE" in err
