"""``ny.prove`` and ``neyman prove``: what is proved, saved, checked again, refused; what a forger gains."""

from __future__ import annotations

import json

import pytest
from flint import ctx

import neyman as ny
from neyman.cli.main import main
from neyman.proving import Proof
from neyman.proving.elsewhere import prove_elsewhere
from neyman.witnesses import search
from neyman_check import check
from tests.effort import rest_slow

CLAIMS = ["epsilon@1e-05", "advantage"]


@pytest.fixture(scope="module")
def sampled():
    return ny.report(ny.account(ny.DPSGD(9.4, 0.32768, 2000)))


@pytest.fixture(scope="module")
def proof(sampled):
    return ny.prove(sampled, claims=CLAIMS)


def test_a_dpsgd_run(proof):
    assert proof
    assert proof.proved == len(proof.answers) == 4
    assert str(proof) == "4 of 4 statements are proved in ball arithmetic."
    assert {one.id for one in proof.answers} == {*CLAIMS, *(f"{name}, at least" for name in CLAIMS)}


def test_saved_and_checked_again(proof, tmp_path):
    path = tmp_path / "p.json"
    proof.save(path)
    text = path.read_text()
    assert text == proof.to_json() + "\n"
    assert [one.verdict for one in check(json.loads(text))] == ["proved"] * 4
    assert [one.verdict for one in proof.check()] == ["proved"] * 4
    with pytest.raises(ny.InvalidParameter, match="a file that can be written"):
        proof.save(tmp_path)


def test_bits_are_given_back():
    before = ctx.prec
    ny.prove(ny.Gaussian(1.0), claims=["advantage"])
    assert ctx.prec == before


@pytest.mark.slow
def test_every_claim_of_a_gaussian():
    found = ny.prove(ny.Gaussian(1.0))
    assert all(one.verdict != "refuted" for one in found.answers)
    assert found.proved >= len(found.answers) - 6


@pytest.mark.slow
@pytest.mark.parametrize("run", [(9.4, 0.32768, 2000), (1.0, 0.01, 1000), (0.6, 1e-3, 10**5), (1.0, 1e-4, 10**6)])
def test_every_claim_of_a_dpsgd_run(run):
    found = ny.prove(ny.DPSGD(*run))
    assert {one.verdict for one in found.answers} == {"proved"}


@pytest.mark.parametrize("run", rest_slow([(1.0, 1e-4, 10**6), (1.0, 0.01, 10), (2.0, 0.01, 3)], 0, whole=True))
def test_rare_and_few_steps(run):
    found = ny.prove(ny.DPSGD(*run), claims=["epsilon@1e-05", "epsilon@1e-09", "advantage", "tpr@0.0001"])
    assert found, str(found)
    assert len(found.data["lines"]) <= 6


def test_where_no_line_serves_nothing_is_proved():
    several = ny.Laplace(0.5).poisson(0.25) * ny.Laplace(0.7).poisson(0.3)
    found = ny.prove(ny.account(several, tolerance=0.1), claims=["mu@1e-10", "advantage"])  # however sharp they are
    assert found.proved == 0
    assert "no line was short enough" in str(found)


@pytest.mark.parametrize(
    "mechanism",
    rest_slow(
        [
            ny.Laplace(1.0).poisson(0.1), ny.Laplace(1.0) ** 10, ny.Laplace(2.0).poisson(0.1) ** 1000,
            ny.RandomizedResponse(1.0, 2) ** 10, ny.DiscreteLaplace(3.0, 3) ** 20 * ny.RandomizedResponse(1.0, 3) ** 5,
            ny.Laplace(200.0) ** 100 * ny.DPSGD(1.0, 0.01, 2000) * ny.DiscreteGaussian(20.0) ** 10
            * ny.ApproximateMechanism(0.1, 1e-9),
        ], 3,
    ),
)  # fmt: skip
def test_every_claim_of_noise(mechanism):
    """Laplace noise, discrete laws, and the pipeline of the examples."""
    found = ny.prove(mechanism)
    assert found, str(found)


@pytest.mark.parametrize("times", rest_slow([2, 5], 0))
def test_a_discrete_gaussian(times):
    found = ny.prove(ny.DiscreteGaussian(3.0) ** times)
    assert found, str(found)


@pytest.mark.parametrize("adjacency", rest_slow(["add_or_remove", "remove", "add", "replace"], "remove", "replace"))
def test_nothing_true_is_refuted(adjacency):
    """An asymmetric table, in which the directions differ."""
    table = ny.Tabulated((0.7, 0.2, 0.1, 0.0), (0.2, 0.2, 0.5, 0.1))
    found = ny.prove(ny.account(table, adjacency), claims=["epsilon@1e-05", "advantage", "tpr@0.1", "tpr@0.01"])
    assert not [one for one in found.answers if one.verdict == "refuted"]
    assert found.proved >= 2


@pytest.mark.parametrize(
    ("promise", "same"),
    [
        (ny.GDP(0.5), ny.Gaussian(2.0)), (ny.PureDP(0.5), ny.PureMechanism(0.5)),
        (ny.ApproximateDP(0.5, 1e-6), ny.ApproximateMechanism(0.5, 1e-6)),
    ],
)  # fmt: skip
def test_a_promise_is_proved_as_the_pair_that_attains_it(promise, same):
    claims = ["epsilon@1e-05", "advantage", "tpr@0.01"]
    found, other = (ny.prove(one * ny.Gaussian(2.0), claims=claims) for one in (ny.Opaque(promise), same))
    assert found, str(found)
    assert [one.statement.value for one in found.answers] == [one.statement.value for one in other.answers]


@pytest.mark.parametrize(
    ("stated", "asked", "kept"),
    [("replace", "add", False), ("add_or_remove", "remove", True), ("add", "add", True), ("add", "remove", False),
     ("add_or_remove", "replace", False), ("replace", "replace", True)],
)  # fmt: skip
def test_a_promise_about_others_proves_nothing(stated, asked, kept):
    mechanism = ny.Opaque(ny.GDP(0.5)).to_dict()
    mechanism["guarantee"]["adjacency"] = stated
    places = [{"direction": way, "epsilon": 0.0, "line": None} for way in ("remove", "add")]
    statement = {"id": "s", "quantity": "advantage", "given": {}, "at_most": 0.2}
    data = {"format": "neyman-proof", "version": 1, "bits": 128, "mechanism": mechanism, "adjacency": asked,
            "lines": [], "places": places, "statements": [statement]}  # fmt: skip
    (answer,) = check(data)
    assert (answer.verdict == "proved") is kept
    assert kept or "other neighbouring data" in answer.reason


def test_laws_without_a_lemma():
    found = ny.prove(ny.Opaque(ny.ZCDP(0.5)), claims=["advantage"])
    assert not found
    assert {one.verdict for one in found.answers} == {"not proved"}
    assert "not proved (steps of the kind opaque: zcdp)" in str(found)
    assert str(found).count("\n") == 2


def forged(report, name, factor):
    """A report whose claim is better than the truth."""
    data = json.loads(json.dumps(report.to_dict()))
    (claim,) = [one for one in data["claims"] if one["id"] == name]
    for key in ("value", "lower", "upper"):
        claim[key] *= factor
    return data


@pytest.mark.parametrize("name", CLAIMS)
def test_an_altered_report(sampled, name):
    from neyman.witnesses.search import proof_of

    _, answers = proof_of(forged(sampled, name, 0.999), frozenset([name]))
    verdicts = {one.id: one.verdict for one in answers}
    assert verdicts[name] == "refuted" if name == "advantage" else verdicts[name] != "proved"


def test_refusals(sampled, tmp_path):
    with pytest.raises(ny.InvalidParameter, match="claims"):
        ny.prove(sampled, claims=["epsilon@moon"])
    path = tmp_path / "r.json"
    path.write_text("{}")
    with pytest.raises(ny.NeymanError):
        ny.prove(path)


def test_without_flint(monkeypatch):
    import sys

    for name in [m for m in sys.modules if m.startswith("neyman.witnesses.search")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "flint", None)
    monkeypatch.setitem(sys.modules, "neyman.witnesses.supply", None)
    with pytest.raises(Exception, match=r"prove needs python-flint"):
        ny.prove(ny.Gaussian(1.0))


def test_falsehood():
    assert not Proof({}, (), ny.report(ny.Gaussian(1.0)))


# ------------------------------------------------------------------------------------------------ the command line


def run(capsys, *arguments):
    try:
        code = main(list(arguments))
    except SystemExit as stop:
        code = stop.code
    out, err = capsys.readouterr()
    return code or 0, out, err


def few(report, tmp_path, name="r.json", **changes):
    data = {**report.to_dict(), **changes}
    path = tmp_path / name
    path.write_text(json.dumps(data))
    return str(path)


def test_the_verb(capsys, monkeypatch, tmp_path):
    whole = search.proof_of
    monkeypatch.setattr(search, "proof_of", lambda document, *_: whole(document, frozenset(CLAIMS)))
    report = ny.report(ny.account(ny.RandomizedResponse(1.0, 2)))
    path, out = few(report, tmp_path), str(tmp_path / "p.json")
    code, shown, err = run(capsys, "prove", path, "-o", out)
    assert (code, err) == (0, f"{out}: lay it beside the report; whoever gets it checks it with: neyman-check {out}\n")
    assert "statements are proved in ball arithmetic" in shown
    answers = check(json.loads((tmp_path / "p.json").read_text()))
    assert [one.verdict for one in answers] == ["proved"] * 4
    code, shown, _ = run(capsys, "prove", path, "-o", "-")
    assert json.loads(shown)["format"] == "neyman-proof"
    data = report.to_dict()
    for claim in data["claims"]:
        if claim["id"] == "advantage":
            for key in ("value", "lower", "upper"):
                claim[key] *= 0.9
    path = few(report, tmp_path, "forged.json", claims=data["claims"])
    code, shown, _ = run(capsys, "prove", path)
    assert code == 1
    assert "refuted" in shown


def test_the_verb_refuses(capsys, tmp_path):
    path = tmp_path / "x.json"
    path.write_text("[]")
    code, _, err = run(capsys, "prove", str(path))
    assert code == 2
    assert err
    assert run(capsys, "prove", str(tmp_path / "none.json"))[0] == 2


@pytest.mark.usefixtures("examined_here")
def test_verify_proves(capsys, tmp_path):
    path = few(ny.report(ny.ApproximateMechanism(1.0, 1e-5) ** 3), tmp_path)
    code, shown, _ = run(capsys, "verify", path, "--prove")
    assert code == 0
    assert shown.strip().splitlines()[-1].endswith("statements are proved in ball arithmetic.")
    path = few(ny.report(ny.account(ny.RandomizedResponse(1.0, 2))), tmp_path)
    code, shown, _ = run(capsys, "verify", path, "--prove", "--json")
    data = json.loads(shown)
    assert code == 0
    assert {one["verdict"] for one in data["proof"]["answers"]} == {"proved"}
    assert data["proof"]["failure"] == ""
    opaque = few(ny.report(ny.Opaque(ny.ZCDP(0.5))), tmp_path, "opaque.json")
    code, shown, _ = run(capsys, "verify", opaque, "--prove")
    assert code == 3
    assert "not proved (steps of the kind opaque: zcdp)" in shown
    assert run(capsys, "verify", "-", "--prove")[0] == 2


def test_the_other_process_proves():
    answers, failure = prove_elsewhere(ny.report(ny.ApproximateMechanism(1.0, 1e-5) ** 3).to_dict(), 100.0)
    assert {verdict for _, verdict, _ in answers} == {"proved"}
    assert failure == ""


def test_a_proof_that_takes_too_long_is_given_up():
    answers, failure = prove_elsewhere(ny.report(ny.Gaussian(1.0)).to_dict(), 0.01)
    assert not answers
    assert "longer than" in failure


def test_a_bar(capsys):
    ny.prove(ny.RandomizedResponse(1.0, 2), claims=["advantage"], progress=True)
    assert "statements" in capsys.readouterr().err
