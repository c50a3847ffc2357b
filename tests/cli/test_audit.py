"""The command ``neyman audit``."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neyman as ny
from neyman.cli.main import main
from tests.cli.said import message
from tests.effort import rest_slow

RNG = np.random.default_rng(1)
IN, OUT = RNG.normal(1.0, 1.0, 1000), RNG.normal(0.0, 1.0, 1000)
EVIDENCE = ny.audit.from_scores(IN, OUT)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command in a directory of its own; returns code, output, error."""
    monkeypatch.chdir(tmp_path)
    np.savez("scores.npz", scores_in=IN, scores_out=OUT)
    np.savez("null.npz", scores_in=OUT[:500], scores_out=OUT[500:])
    np.savez("reversed.npz", scores_in=OUT, scores_out=IN)
    member = [f"{x!r},1" for x in IN.tolist()] + [f"{x!r},0" for x in OUT.tolist()]
    Path("scores.csv").write_text("\n".join(["score,member", *member]))
    Path("gauss.json").write_text(json.dumps(ny.Gaussian(2.0).to_dict()))

    def run(*arguments: str, stdin: bytes | None = None) -> tuple[int, str, str]:
        if stdin is not None:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as left:
            main(["audit", *arguments])
        out, err = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, out, message(err)

    return run


@pytest.mark.parametrize("source", ["scores.npz", "scores.csv"])
def test_bounds_alone(call: Any, source: str) -> None:
    code, out, err = call(source)
    assert (code, err) == (0, "")
    (row,) = [line for line in out.splitlines() if line.strip().startswith("mu ")]
    printed = float(row.split()[-1])
    assert EVIDENCE.mu * (1.0 - 1e-5) < printed <= EVIDENCE.mu
    assert "epsilon at delta 1e-05" in out
    assert "at 95 % confidence" in out
    assert f"1,000 scores in, 1,000 out; {EVIDENCE.method}." in out
    assert "Consistent" not in out


@pytest.mark.parametrize(
    ("claim", "code", "word"),
    rest_slow([
        ("mu:1", 0, "Consistent with the claim at 95 % confidence"),
        ("mu:0.5", 1, "Violated at 95 % confidence"),
        ("gauss.json", 1, "Violated at 95 % confidence"),
        ("dpsgd:1,1,1", 0, "Consistent"),
        ("epsilon:0.5,1e-5", 1, "Violated"),
        ("epsilon:0.5,0", 1, "Violated"),
        ("epsilon:5,1e-5", 0, "Consistent"),
    ], 0, 2, 3, 5),
)  # fmt: skip
def test_claims(call: Any, claim: str, code: int, word: str) -> None:
    found, out, err = call("scores.npz", "--claim", claim)
    assert (found, err) == (code, "")
    assert word in out


def test_a_report_as_claim(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its mechanism is held against the scores, for its own adjacency; pictures are not looked at."""
    from neyman.reports import report
    from neyman.reports.forms import html
    from neyman.reports.forms.pictures import pictures

    monkeypatch.setattr(html, "svgs", lambda document: ("<svg></svg>",) * len(pictures(document)))
    for mechanism, suffix, code in ((ny.Gaussian(1.0), "json", 0), (ny.Gaussian(2.0), "html", 1)):
        report(mechanism, adjacency="remove").save(f"claim.{suffix}")
        found, out, err = call("scores.npz", "--claim", f"claim.{suffix}", "--json")
        assert (found, err) == (code, "")
        expected = ny.audit.check(ny.account(mechanism, adjacency="remove"), EVIDENCE)
        assert json.loads(out)["verdict"]["sentence"] == str(expected)


def test_not_informative(call: Any) -> None:
    code, out, err = call("null.npz", "--claim", "mu:1")
    assert (code, err) == (3, "")
    assert "Not informative" in out
    code, out, _ = call("reversed.npz", "--claim", "mu:1")
    assert code == 3
    assert "The scores look reversed" in out
    code, out, _ = call("reversed.npz")
    assert code == 0
    assert "The scores look reversed" in out


def test_json(call: Any) -> None:
    code, out, err = call("scores.npz", "--claim", "mu:1", "--delta", "1e-3", "--delta", "0", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert answer["schema"] == 1
    assert (answer["n_in"], answer["n_out"], answer["confidence"]) == (1000, 1000, 0.95)
    assert (answer["mu"], answer["advantage"]) == (EVIDENCE.mu, EVIDENCE.advantage)
    assert answer["epsilon"] == [{"delta": d, "lower": EVIDENCE.epsilon(d)} for d in (1e-3, 0.0)]
    assert answer["tpr"][-1] == {"fpr": 0.1, "lower": EVIDENCE.tpr(0.1)}
    verdict = ny.audit.check(ny.GDP(1.0), EVIDENCE)
    assert answer["verdict"]["outcome"] == "consistent"
    assert answer["verdict"]["sentence"] == str(verdict)
    assert answer["verdict"]["operating_point"]["threshold"] == verdict.operating_point.threshold
    assert verdict.needed is not None
    assert answer["verdict"]["needed"]["strongest"] == verdict.needed.strongest
    alone = json.loads(call("scores.npz", "--json")[1])
    assert "verdict" not in alone


def test_infinite_numbers_in_json(call: Any) -> None:
    answer = json.loads(call("scores.npz", "--claim", "epsilon:5,1e-5", "--json")[1])
    assert answer["verdict"]["claimed_mu"] == "inf"


def test_options(call: Any) -> None:
    for extra, more in (
        (("--confidence", "0.5"), {"confidence": 0.5}),
        (("--threshold", "0.5"), {"threshold": 0.5}),
        (("--threshold", "0.5", "--independent"), {"threshold": 0.5, "independent": True}),
        (("--method", "dkw"), {"method": "dkw"}),
        (("--method", "split", "--pilot", "0.3", "--seed", "4"), {"method": "split", "pilot": 0.3, "seed": 4}),
    ):
        answer = json.loads(call("scores.npz", *extra, "--json")[1])
        found = ny.audit.from_scores(IN, OUT, **more)  # type: ignore[arg-type]
        assert (answer["mu"], answer["method"]) == (found.mu, found.method)


def test_standard_input(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = call("-", "--json", stdin=Path("scores.csv").read_bytes())
    assert (code, err) == (0, "")
    assert json.loads(out)["mu"] == EVIDENCE.mu
    code, _, err = call("-", stdin=b"\xff\xfe")
    assert (code, err) == (2, "neyman: SCORES must be text in UTF-8, got '-'. Byte 0 is not.\n")
    monkeypatch.setattr("neyman.cli.reading.claim._LARGEST_INPUT", 100)
    code, _, err = call("-", stdin=bytes(101))
    assert (code, err) == (2, "neyman: SCORES must be at most 1 GB of CSV, got '-'. Write larger ones into a file.\n")


@pytest.mark.parametrize("form", rest_slow(["png", "svg", "pdf"], "svg"))
def test_picture(call: Any, form: str) -> None:
    code, _, err = call("scores.npz", "--claim", "mu:0.5", "-o", f"audit.{form}")
    assert (code, err) == (1, f"audit.{form}: look at it in any browser or viewer, or include it in a text.\n")
    start = Path(f"audit.{form}").read_bytes()[:200]
    assert {"png": b"PNG", "svg": b"svg", "pdf": b"%PDF"}[form] in start


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gone.csv",), "SCORES must be a file that can be read, got 'gone.csv'. No such file or directory."),
        (("gauss.json",), "SCORES must be a file that ends in .csv, .parquet or .npz, got 'gauss.json'."),
        (("scores.npz", "--confidence", "1"), "confidence must be a number in (0, 1), got 1.0."),
        (("scores.npz", "--confidence", "nan"), "confidence must be a number in (0, 1), got nan."),
        (("scores.npz", "--method", "x"), "method must be one of 'simultaneous', 'fixed', 'split', 'dkw', got 'x'."),
        (
            ("scores.npz", "--claim", "-"),
            "claim must be a file, dpsgd:..., mu:... or epsilon:..., got '-'. Standard input is for SCORES.",
        ),
        (
            ("scores.npz", "--claim", "gone.json"),
            "claim must be a file that can be read, got 'gone.json'. No such file or directory.",
        ),
        (
            ("scores.npz", "--claim", "dpsgd:1,2,3"),
            "sample_rate must be a number in [0, 1], got 2.0. It is the expected batch size over the data set size.",
        ),
        (("scores.npz", "--pilot", "1"), "pilot must be a number in (0, 1), got 1.0."),
        (("scores.npz", "--claim", "mu:-1"), "mu must be a finite number >= 0, got -1.0."),
        (
            ("scores.npz", "-o", "x.svg"),
            "output must be left out without --claim, got 'x.svg'. The picture shows a claim and its audit.",
        ),
        (
            ("scores.npz", "--claim", "mu:1", "-o", "x.gif"),
            "output must be a path that ends in .png or .svg or .pdf, or -, got 'x.gif'.",
        ),
        (("scores.npz", "--claim", "mu:1", "-o", "-"), "output must be a path that ends in .png, .svg, .pdf, got '-'."),
        (("scores.npz", "--delta", "2"), "delta must be a number in [0, 1], got 2.0."),
    ],
)
def test_bad_input(call: Any, arguments: tuple[str, ...], message: str) -> None:
    assert call(*arguments) == (2, "", f"neyman: {message}\n")


@pytest.mark.parametrize("claim", ["mu:x", "mu:", "mu:1,2", "epsilon:x", "epsilon:1,2,3", "", "scores.npz"])
def test_claims_that_are_none(call: Any, claim: str) -> None:
    code, out, err = call("scores.npz", "--claim", claim)
    assert (code, out) == (2, "")
    assert err.startswith("neyman: claim must be a report, a file as for neyman account, dpsgd:")


@pytest.mark.parametrize("claim", ["mu:1_0", "mu:\u0663", "epsilon:1,1_0", "dpsgd:1_0,0.1,100", "dpsgd:1,0.1,1_0"])
def test_numbers_that_people_read_otherwise_are_no_claim(call: Any, claim: str) -> None:
    code, _, error = call("scores.npz", "--claim", claim)
    assert (code, "must be" in error) == (2, True)


@pytest.mark.parametrize("name", ["pipe.json", "pipe.yaml"])
def test_a_claim_that_may_never_end(call: Any, tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    code, _, error = call("scores.npz", "--claim", str(tmp_path / name))
    assert (code, "A pipe or a device may never end" in error) == (2, True)
