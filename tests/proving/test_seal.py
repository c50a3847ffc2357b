"""The proof that a report names: what its first sheet says, what ``verify`` makes of it, what a forger gains."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import neyman as ny
from neyman.cli.main import main
from neyman.reports import json_schema
from neyman.reports.said.document import Seal
from neyman.reports.verifying.seal import seal_check
from neyman.witnesses.statements import proved_claims, stated


@pytest.fixture(scope="module")
def proof() -> ny.Proof:
    """Of all claims but one."""
    report = ny.report(ny.RandomizedResponse(1.0, 2))
    return ny.prove(report, claims=[one.id for one in report.claims if one.id != "zcdp_regret"])


@pytest.fixture
def files(proof: ny.Proof, tmp_path: Path, drawn_once: None) -> Path:
    """Anew for each test, as only then what is drawn is shared with others."""
    folder = tmp_path / "sealed"
    folder.mkdir()
    proof.report.save(folder / "run.json")
    proof.report.save(folder / "run.html")
    proof.save(folder / "run.proof.json")
    return folder


def outcome(proof: ny.Proof, content: bytes | None, **other: Any) -> tuple[str, str]:
    """What becomes of the report's seal, ``other`` in some fields, with this file of a proof."""
    data = proof.report.to_dict()
    found = seal_check(data, Seal(**{**data["proof"], **other}), content)
    return found.outcome, found.reason


def content(proof: ny.Proof, **other: Any) -> bytes:
    return json.dumps({**proof.data, **other}).encode()


@pytest.mark.usefixtures("drawn_once")
def test_every_form_says_how_much_is_proved(proof: ny.Proof) -> None:
    found = proof.report
    seal = found.document.proof
    assert seal is not None
    assert 0 < seal.proved < seal.claims == len(found.claims)  # one was left out
    words = f"Proved in ball arithmetic: {seal.proved} of {seal.claims} claims"
    for text in (str(found), found.to_markdown(), found.to_latex(), found.to_html()):
        assert words in text
        assert seal.sha256 in text
    assert words not in proof.subject.to_html()
    jsonschema.validate(found.to_dict(), json_schema())


def test_what_is_proved_is_counted_claim_by_claim(proof: ny.Proof) -> None:
    assert {one.verdict for one in proof.answers} == {"proved"}
    seal = proof.report.document.proof
    assert seal is not None
    assert seal.proved == seal.claims - 1
    nothing = ny.prove(ny.Opaque(ny.ZCDP(0.5))).report
    assert nothing.document.proof is None


@pytest.mark.usefixtures("examined_here", "drawn_once")
def test_a_proof_beside_its_report_is_found(files: Path) -> None:
    found = ny.verify(files / "run.html")
    assert found.outcome == "holds"
    assert "the proof at hand was accepted" in str(found)
    assert {check.id: check.outcome for check in found.words}["proof"] == "holds"


@pytest.mark.usefixtures("examined_here", "drawn_once")
def test_a_proof_that_is_not_at_hand(proof: ny.Proof, files: Path, tmp_path: Path) -> None:
    away = tmp_path / "run.json"
    away.write_bytes((files / "run.json").read_bytes())
    found = ny.verify(away)
    assert found.outcome == "cannot tell"
    assert "--proof FILE names it" in str(found)
    assert ny.verify(away, proof=files / "run.proof.json").outcome == "holds"
    assert ny.verify(away.read_text()).outcome == "cannot tell"
    for wrong in (tmp_path, tmp_path / "none.json"):
        with pytest.raises(ny.InvalidParameter, match="a file that is there"):
            ny.verify(away, proof=wrong)
    plain = proof.subject.to_json()
    with pytest.raises(ny.InvalidParameter, match="absent where the report names none"):
        ny.verify(plain, proof=files / "run.proof.json")


def test_the_seal_of_a_forger(proof: ny.Proof) -> None:
    seal = proof.report.document.proof
    assert seal is not None
    genuine = (proof.to_json() + "\n").encode()
    assert outcome(proof, genuine) == ("holds", "")
    assert outcome(proof, None)[0] == "cannot tell"
    assert outcome(proof, genuine + b" ")[0] == "cannot tell"
    for more in ({"proved": seal.claims}, {"claims": seal.claims + 1}, {"proved": seal.proved - 1}):
        assert outcome(proof, genuine, **more)[0] == "does not hold"


def test_the_proof_of_a_forger(proof: ny.Proof) -> None:
    stronger = ny.RandomizedResponse(0.5, 2).to_dict()
    spared = [{**one, "at_most": 1e6} if "at_most" in one else one for one in proof.data["statements"]]
    forgeries = [
        (content(proof, mechanism=stronger), "another mechanism"), (content(proof, adjacency="add"), "another"),
        (content(proof, statements=spared), "its proof proves"), (content(proof, statements=[]), "its proof proves 0"),
        (b"{", "cannot be read"), (content(proof, version=2), "cannot be read"),
    ]  # fmt: skip
    for forged, why in forgeries:
        found, reason = outcome(proof, forged, sha256=sha256(forged).hexdigest())
        assert found == "does not hold"
        assert why in reason


def test_a_claim_that_its_proof_refutes(proof: ny.Proof) -> None:
    data = proof.report.to_dict()
    claim = next(one for one in data["claims"] if one["id"] == "advantage")
    claim |= {"value": 0.4, "text": "0.4", "lower": 0.39, "upper": 0.4}
    statements = [
        {**one, **({"at_most": 0.4} if "at_most" in one else {"at_least": 0.3})} if "advantage" in one["id"] else one
        for one in proof.data["statements"]
    ]  # fmt: skip
    forged = content(proof, statements=statements)
    seal = Seal(len(data["claims"]), data["proof"]["proved"], sha256(forged).hexdigest())
    assert seal_check(data, seal, forged).outcome == "does not hold"


def left(*arguments: str) -> object:
    """With which code the command line is left."""
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    return end.value.code


@pytest.mark.usefixtures("examined_here", "drawn_once")
def test_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path, run, away = str(tmp_path / "response.json"), str(tmp_path / "run.json"), tmp_path / "away.json"
    Path(path).write_text(json.dumps(ny.RandomizedResponse(1.0, 2).to_dict()))
    assert left("report", path, "-o", run, "--prove") == 0
    assert "statements are proved" in capsys.readouterr().err
    assert left("verify", run) == 0
    assert "the proof at hand was accepted" in capsys.readouterr().out
    (tmp_path / "run.proof.json").rename(away)
    assert left("verify", run) == 3
    assert left("verify", run, "--proof", str(away)) == 0
    assert left("report", path, "--prove") == 2
    assert "beside --output FILE" in capsys.readouterr().err


def test_a_shortfall_is_of_the_mu_that_is_printed(proof: ny.Proof) -> None:
    """It falls as mu grows: one of a bracket's end that nobody reads proves nothing."""
    claims = proof.report.to_dict()["claims"]
    mu = next(one for one in claims if one["quantity"] == "mu")
    mu["upper"] = 1e6
    (shortfall,) = [one for one in claims if one["quantity"] == "shortfall"]
    most = [one for one in stated(shortfall, claims) if one["quantity"] == "shortfall" and "at_most" in one]
    assert [one["given"]["mu"] for one in most] == [mu["value"]]


def test_what_is_infinite_is_not_counted() -> None:
    claim = {"id": "epsilon@0.1", "quantity": "epsilon", "given": {"delta": 0.1}, "side": "at most", "value": "inf",
             "text": "inf", "lower": 0.0, "upper": "inf"}  # fmt: skip
    assert proved_claims([claim], {}) == 0
    assert proved_claims([claim], {"epsilon@0.1": "proved"}) == 0


def test_a_seal_is_an_object_or_absent(proof: ny.Proof) -> None:
    found = ny.verify({**proof.subject.to_dict(), "proof": None})
    assert found.outcome == "does not hold"
    assert "proof" in str(found)
