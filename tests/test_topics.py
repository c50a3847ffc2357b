"""Every error names a page of ``neyman help``, and the pages are those of the documentation."""

from __future__ import annotations

import ast
import pickle
import traceback
from email.message import Message
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import neyman as ny
from neyman._errors import more
from neyman.cli.main import main
from neyman.cli.printing.helping import topics as pages
from neyman.cli.printing.helping.in_options import in_command, in_options

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
KINDS = {
    ny.NeymanError: ("nothing",),
    ny.InvalidParameter: ("x", 1, "two"),
    ny.UnknownArgument: ("x", 1, "named y"),
    ny.NotCertified: ("mu", 1.0, 2.0, "it is an example"),
    ny.BudgetExceeded: ("mu", 1.0, 0.0, 0.5),
    ny.UnreadableState: ("a.json", "it is cut short"),
    ny.FileInUse: ("a.json",),
    ny.MissingPackage: ("plot needs matplotlib",),
}


def test_the_pages_are_those_of_the_documentation() -> None:
    """One text: after a change, ``cp docs/errors.md src/neyman/cli/printing/helping/errors.md``."""
    assert (SOURCE / "neyman/cli/printing/helping/errors.md").read_bytes() == (ROOT / "docs/errors.md").read_bytes()


def raised() -> list[tuple[str, str]]:
    """Every topic that is written in the package, with its place."""
    found: list[tuple[str, str]] = []
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "topic" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            values: list[ast.expr] = []
            if isinstance(node, ast.Call):
                values = [word.value for word in node.keywords if word.arg == "topic"]
            elif isinstance(node, ast.ClassDef):
                values = [one.value for one in node.body if isinstance(one, ast.Assign) and _is_topic(one.targets[0])]
            for value in values:
                texts = [one.value for one in ast.walk(value) if isinstance(one, ast.Constant) and one.value]
                found += [(f"{path.name}:{node.lineno}", str(text)) for text in texts]
    return found


def _is_topic(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id == "topic"


def test_every_topic_that_is_raised_has_a_page() -> None:
    known, written = pages.topics(), raised()
    assert {where: topic for where, topic in written if topic not in known} == {}
    assert len(written) > 60
    finer = set(known) - {kind.topic for kind in KINDS}
    assert finer - {topic for _, topic in written} == {"infinite-mu"}  # an answer, and no error


def test_every_kind_of_error_has_a_page() -> None:
    for kind in [ny.NeymanError, *_below(ny.NeymanError)]:
        assert kind.topic in pages.topics(), kind


def _below(kind: type[ny.NeymanError]) -> list[type[ny.NeymanError]]:
    return [one for child in kind.__subclasses__() for one in (child, *_below(child))]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_traceback_ends_with_the_page_and_pickles_keep_it(kind: type[ny.NeymanError]) -> None:
    plain = kind(*KINDS[kind])
    assert traceback.format_exception(plain)[-1] == f"More: neyman help {kind.topic}\n"
    assert "More:" not in str(plain)
    back = pickle.loads(pickle.dumps(plain))
    assert (str(back), back.topic, back.__notes__) == (str(plain), plain.topic, plain.__notes__)


@pytest.mark.parametrize("kind", [ny.NeymanError, ny.InvalidParameter, ny.UnknownArgument, ny.NotCertified])
def test_a_finer_page_stays_where_an_error_goes(kind: Any) -> None:
    error = kind(*KINDS[kind], topic="file")
    error.add_note("seen by somebody")
    back = pickle.loads(pickle.dumps(error))
    assert (error.topic, kind.topic != "file") == ("file", True)
    assert back.topic == "file"
    assert back.__notes__ == [more("file"), "seen by somebody"]
    if isinstance(error, ny.InvalidParameter):
        again = error.called("options.x")
        assert (again.name, again.value, again.allowed, again.topic) == ("options.x", 1, error.allowed, "file")


@pytest.mark.parametrize(
    ("asked", "topic"),
    [
        (lambda: ny.DPSGD(1.0, 512, 10), "batch-size"),
        (lambda: ny.DPSGD(0.0, 0.1, 10), "no-noise"),
        (lambda: ny.DPSGD(2**53 + 1, 0.1, 10), "exact-numbers"),
        (lambda: ny.DPSGD(sigma=1.0), "unknown-argument"),
        (lambda: ny.noise_for_dpsgd(8.0, 0.01, 1000), "target"),
        (lambda: ny.calibrate(ny.Laplace, ny.targets.Mu(1.0), (5.0, 9.0)), "target-out-of-reach"),
        (lambda: ny.account("nowhere.json"), "file"),
        (lambda: ny.account("gauss:1"), "short-form"),
        (lambda: ny.sweep(axes={"scale": [1.0, 2.0]}), "sweep-arguments"),
        (lambda: ny.account(ny.DPSGD(1.0, 0.01, 1000), tolerance=1e-12).advantage, "tolerance"),
        (lambda: ny.account(ny.DPSGD(0.6, 0.02, 5), effort=1e-6).mu(), "effort"),
        (lambda: ny.GDP(-1.0), "invalid-parameter"),
        (lambda: ny.Filter(mu=1.0).spend(ny.Gaussian(0.1)), "budget-exceeded"),
    ],
)
def test_what_goes_wrong_names_its_page(asked: Any, topic: str) -> None:
    with pytest.raises(ny.NeymanError) as caught:
        asked()
    assert (caught.value.topic, caught.value.__notes__) == (topic, [more(topic)])


# the verb


def called(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[Any, str, str]:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    return left.value.code, *capsys.readouterr()


@pytest.mark.parametrize("topic", pages.topics())
def test_every_page_is_shown(topic: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """As plain text: no mark of Markdown but the code's own, and no line of prose wider than the terminal."""
    monkeypatch.setenv("COLUMNS", "60")
    code, out, err = called(capsys, "help", topic)
    page = pages.topics()[topic]
    assert (code, err) == (0, "")
    assert out.startswith(f"{page.title}\n\n")
    assert "](" not in out
    assert "{:" not in out
    assert "```" not in out
    assert "\n#" not in out
    prose = [line for line in out.splitlines() if not line.startswith(("    ", "  neyman help "))]
    assert max(len(line) for line in prose[1:] if " " in line or not line) <= 60  # a long word stays whole
    for finer in page.finer:
        assert f"neyman help {finer} " in out


def test_a_page_by_the_name_of_its_error() -> None:
    for kind in KINDS:
        found = pages.topic_named(kind.__name__)
        assert found is not None
        assert found.name == kind.topic
    assert pages.topic_named("Batch_Size") == pages.topic_named("#batch-size") == pages.topics()["batch-size"]


def test_the_whole_page_lists_the_rest() -> None:
    listed = pages.topics()[pages.ROOT].finer
    below = {finer for name in listed for finer in pages.topics()[name].finer}
    assert {pages.ROOT, *listed, *below} == set(pages.topics())


def test_an_address_where_the_package_names_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Said once, under ``[project.urls]``; none today."""

    def says(*urls: str) -> None:
        message = Message()
        for url in urls:
            message["Project-URL"] = url
        monkeypatch.setattr(metadata, "metadata", lambda _: message)

    page = pages.topics()["file"]
    assert pages.address(pages.words()["regret"]) == ""
    says("Documentation, https://example.org/neyman/", "Source, https://example.org/source")
    assert pages.address(page) == "https://example.org/neyman/errors.html#file"
    assert pages.shown(pages.topics()["file"]).endswith("On the web: https://example.org/neyman/errors.html#file")
    assert pages.address(pages.words()["regret"]) == "https://example.org/neyman/glossary.html#regret"
    says("Source, https://example.org/source")
    assert pages.address(page) == ""
    assert "On the web" not in pages.shown(pages.topics()["file"])


# the words of the command line


def test_arguments_are_options_there(capsys: pytest.CaptureFixture[str]) -> None:
    """In the message, in the table and as JSON; the library itself speaks of its own arguments."""
    g = ny.account(ny.DPSGD(1.0, 0.01, 1000), tolerance=1e-12)
    with pytest.raises(ny.NotCertified, match=r"pass a larger tolerance to account\(\) to accept it") as caught:
        _ = g.advantage
    assert "a larger --tolerance accepts it" in in_options(str(caught.value))
    hard = ("dpsgd", "--sigma", "1", "-q", ".01", "-T", "1000", "--tolerance", "1e-12")
    for more_words in ((), ("--json",)):
        code, out, err = called(capsys, *hard, *more_words)
        assert code == 3
        assert "account()" not in out + err
        assert out.count("a larger --tolerance accepts it") >= 1
        assert err.endswith("a larger --tolerance accepts it.\nMore: neyman help tolerance\n")


def test_a_short_form_to_write_becomes_the_command_to_write() -> None:
    text = "SPEC must be ..., got 'gauss:1'. Write: 'gaussian:1'"
    assert in_command(text, "gauss:1", ["account", "gauss:1"]).endswith("Write: neyman account gaussian:1")
    assert in_command(text, None, ["account", "gaussian:x"]).endswith("Write: neyman account gaussian:1")
    assert in_command(text, None, ["account", "gaussian:x", "gaussian:y"]) == text
    assert in_command("nothing to write", "x", ["x"]) == "nothing to write"
