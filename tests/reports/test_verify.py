"""What verification says of originals, of weaker claims, and of everything that was edited."""

import copy
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path

import pytest

import neyman as ny
from neyman.numerics.exact.decimals import spelled
from neyman.reports.said.quantities import QUANTITIES
from tests.effort import rest_slow
from tests.reports.cases import CASES, OFTEN, QUICK, made, quickly


def _written(value: float) -> dict[str, object]:
    """The value and digits of a claim that somebody types."""
    if math.isinf(value):
        return {"value": "inf", "text": "inf"}
    return {"value": value, "text": spelled(Decimal(repr(value)))}


@pytest.mark.parametrize("name", rest_slow([*QUICK, "zcdp"], *OFTEN))
def test_an_original_holds(name):
    found = quickly(json.loads(made(name).to_json()))
    assert found.outcome == "holds", str(found)
    assert [check.id for check in found.checks] == [claim.id for claim in made(name).claims]
    assert all(check.excess == 0.0 and not check.reason for check in (*found.checks, *found.words))
    assert not any(note.startswith("Left out") for note in found.notes)
    assert found


def test_every_kind_of_claim_is_made_by_one_of_them():
    assert {claim.quantity for name in QUICK for claim in made(name).claims} == set(QUANTITIES)


@pytest.mark.parametrize("name", [*QUICK, pytest.param("zcdp", marks=pytest.mark.slow)])
def test_a_claim_prints_a_bound_with_no_more_digits_than_its_bracket_holds(name):
    for claim in made(name).claims:
        safe = claim.upper if claim.side == "at most" else claim.lower
        assert claim.lower <= claim.upper
        if math.isinf(safe):
            assert claim.text == "inf"
            continue
        shown, exact = Decimal(claim.text), Decimal(safe)
        assert shown >= exact if claim.side == "at most" else shown <= exact
        place = Decimal(1).scaleb(shown.as_tuple().exponent)
        if claim.quantity not in ("tail_mu", "shortfall") and shown:
            assert place >= Decimal(claim.upper) - Decimal(claim.lower) or "e" in claim.text or place == 1
        assert abs(shown - exact) <= max(
            exact * Decimal("0.06"), 2 * (Decimal(claim.upper) - Decimal(claim.lower)) * 10
        )


def test_two_hundred_edits_of_numbers():
    """Below the certified lower end: caught, and by how much. Above the upper: holds, the words left as they were."""
    draw = random.Random(8)
    caught = weaker = 0
    names = [name for name in OFTEN if name != "nothing"]
    while caught + weaker < 200:
        data = made(draw.choice(names)).to_dict()
        i = draw.randrange(len(data["claims"]))
        claim = data["claims"][i]
        lower, upper = float(claim["lower"]), float(claim["upper"])
        if math.isinf(upper) and math.isinf(lower):
            continue
        low = claim["side"] == "at least"
        size = draw.choice([1e-9, 1e-6, 1e-3, 0.1, 1.0])
        if draw.random() < 0.6:
            edited = min(upper * (1.0 + size), 1.0) if low else lower * (1.0 - size)
            if not (edited > upper if low else edited < lower):
                continue
            data["claims"][i] |= _written(edited)
            found = quickly(data)
            assert found.outcome == found.checks[i].outcome == "does not hold", (claim, edited)
            assert 0.0 < found.checks[i].excess <= abs(edited - (upper if low else lower)) * (1 + 1e-9) + 1e-15
            caught += 1
        else:
            edited = (
                lower * (1.0 - size) if low else (upper * (1.0 + size) + 1e-12 if math.isfinite(upper) else math.inf)
            )
            data["claims"][i] |= _written(edited)
            found = quickly(data)
            assert found.outcome == "holds", (claim, edited, str(found))
            weaker += 1
    assert caught > 80
    assert weaker > 50


def test_between_the_ends_nobody_can_tell():
    data = made("mix").to_dict()
    i = next(i for i, claim in enumerate(data["claims"]) if claim["quantity"] == "auc")
    lower, upper = data["claims"][i]["lower"], data["claims"][i]["upper"]
    data["claims"][i] |= _written((lower + upper) / 2)
    found = quickly(data)
    assert (found.outcome, found.checks[i].outcome) == ("cannot tell", "cannot tell")
    assert "inside the certified bracket" in found.checks[i].reason


def _edited(change):
    data = copy.deepcopy(made("dpsgd").to_dict())
    change(data)
    return quickly(data)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda d: d["claims"][0].update(text="1.2"), "mu@1e-10"),
        (lambda d: d["claims"][0].update(text="inf"), "mu@1e-10"),
        (lambda d: d["claims"][0].update(sentence="mu is 0.1."), "mu@1e-10"),
        (lambda d: d["claims"][0].update(label="advantage"), "mu@1e-10"),
        (lambda d: d["claims"][0].update(side="at least"), "mu@1e-10"),
        (lambda d: d["claims"][0].update(id="epsilon@1e-05"), "epsilon@1e-05"),
        (lambda d: d["claims"][0].update(lower=2.0, upper=1.0), "mu@1e-10"),
        (lambda d: d["claims"][0].update(lower=1.0, upper=1.1), "mu@1e-10"),
        (lambda d: d["claims"][0].update(lower=1.7, upper=1.8), "mu@1e-10"),
        (lambda d: d["summary"][0].update(sentence="Nothing."), "what was run"),
        (lambda d: d["summary"][0].update(times=1), "what was run"),
        (lambda d: d.update(adjacency_meaning="Nothing."), "adjacency"),
        (lambda d: d.update(unit="country"), "assumptions"),
        (lambda d: d["assumptions"].pop(), "assumptions"),
        (lambda d: d["verdict"].update(headline="Report mu = 0.1."), "verdict"),
        (lambda d: d["verdict"].update(mu_suffices=False), "verdict"),
        (lambda d: d["references"][0].update(order="more private"), "references"),
        (lambda d: d["references"].pop(), "references"),
        (lambda d: d["certificate"].update(method="magic"), "method"),
        (lambda d: d["cite"].pop(), "how to cite"),
        (lambda d: d.update(verify="rm -rf /"), "how to verify"),
        (lambda d: d["deltas"].append(1e-7), "deltas"),
    ],
)  # fmt: skip
def test_edited_words_and_brackets_are_caught(change, where):
    found = _edited(change)
    assert found.outcome == "does not hold"
    assert where in {check.id for check in (*found.checks, *found.words) if check.outcome == "does not hold"}


def test_another_mechanism_under_the_same_claims_is_caught():
    found = _edited(lambda d: d["mechanism"].update(times=3000))
    assert {"mu@1e-10", "epsilon@1e-05", "advantage"} <= {c.id for c in found.checks if c.outcome == "does not hold"}


def test_a_stated_bracket_may_be_wider_or_agree_only_in_part():
    assert _edited(lambda d: d["claims"][0].update(lower=0.0, upper="inf")).outcome == "holds"
    assert _edited(lambda d: d["claims"][0].update(upper=d["claims"][0]["upper"] * (1 + 1e-15))).outcome == "holds"


def test_a_claim_that_is_left_out_is_named():
    found = _edited(lambda d: d["claims"].__delitem__(slice(2, 4)))
    assert found.outcome == "holds"
    assert found.notes[0] == "Left out of the report: tail_mu, shortfall@1e-10."


def test_flattering_claims_alone_are_not_taken_for_a_whole_report():
    def flattering(data):
        kept = ("mu", "regret", "tail_mu", "shortfall", "epsilon", "advantage", "fixed_point", "auc")
        data["claims"] = [c for c in data["claims"] if c["quantity"] in kept or c["id"] == "tpr@1e-10"]
        data["references"] = []

    found = _edited(flattering)
    assert found.notes[0].startswith("Left out of the report: tpr@1e-08, tpr@1e-06, tpr@0.0001")
    assert found.notes[0].endswith(" and 8 more.")


def test_what_a_mu_gives_away_is_not_invented_where_it_was_left_out():
    from neyman.reports.said.verdict import verdict

    document = made("dpsgd").document
    told = verdict(document.mechanism, [claim for claim in document.claims if claim.quantity != "regret"])
    assert "What mu = 1.566948 gives away is not stated." in told.reason
    assert "No finite mu" not in told.reason


def test_a_reference_that_flatters_is_caught():
    """More privacy than there is, stated everywhere as this version would state it."""
    from neyman.reports.said.quantities import restated
    from neyman.reports.said.verdict import references
    from neyman.reports.verifying.reading import read

    data = made("dpsgd").to_dict()
    document = read(data).document()
    better = tuple(
        restated(c.quantity, c.given, "0.45", (c.lower, c.upper), "add_or_remove") if c.id == "divergence@census" else c
        for c in document.claims
    )
    i = [c.id for c in better].index("divergence@census")
    assert better[i].side == "at least"
    data["claims"][i] |= {"value": 0.45, "text": "0.45", "sentence": better[i].sentence}
    data["references"] = [asdict(reference) for reference in references(better)]
    found = quickly(data)
    assert found.checks[i].outcome == "does not hold"
    assert found.checks[i].excess > 0.3


def test_the_words_of_a_release_are_no_place_for_a_recommendation():
    for name in ("neyman", "python", "numpy", "scipy"):
        for words in ("9.9, audited by NIST", "9.9\nThe report holds", "1.0 ", "", "x"):
            with pytest.raises(ny.InvalidParameter, match=rf"certificate\.{name}"):
                _edited(lambda d, name=name, words=words: d["certificate"].update({name: words}))
        assert _edited(lambda d, name=name: d["certificate"].update({name: "3.14.0rc1+dfsg"})).outcome != "refused"
    with pytest.raises(ny.InvalidParameter, match=r"certificate\.tolerance"):
        _edited(lambda d: d["certificate"].update(tolerance=1e-300))


@pytest.mark.parametrize("tolerance", [0.5, 1e-4, 0.995e-12])
def test_the_method_is_compared_at_the_tolerance_that_is_stated(tolerance):
    """Whoever verifies it to another, or to the least that there is, compared none: any words held."""
    found = _edited(lambda d: d["certificate"].update(tolerance=tolerance, method="audited: mu is 0.1"))
    assert "method" in {check.id for check in found.words if check.outcome == "does not hold"}
    assert any(note.startswith("Title, unit, context, date") for note in found.notes)


def test_a_bracket_that_is_given_is_no_narrower_than_what_is_certified():
    """It is printed beside the claim as the place of the truth."""
    data = made("mix").to_dict()
    i = next(i for i, claim in enumerate(data["claims"]) if claim["quantity"] == "auc")
    lower, upper = data["claims"][i]["lower"], data["claims"][i]["upper"]
    assert upper - lower > 1e-5
    for ends in ({"lower": upper}, {"upper": lower}, {"lower": (lower + upper) / 2}):
        found = quickly(data | {"claims": [*data["claims"][:i], data["claims"][i] | ends, *data["claims"][i + 1 :]]})
        assert (found.outcome, found.checks[i].outcome) == ("cannot tell", "cannot tell")
        assert "narrower than the one found here" in found.checks[i].reason


def test_an_answer_never_has_a_line_that_the_file_wrote():
    with pytest.raises(ny.InvalidParameter, match=r"claims\.0\.id"):
        _edited(lambda d: d["claims"][0].update(id="x\nThe report holds: 33 of 33 claims hold."))
    lines = str(_edited(lambda d: d["claims"][0].update(sentence="x\nThe report holds."))).splitlines()
    assert sum(line.startswith("Verdict: The report") for line in lines) == 1
    assert not any(line.startswith("The report") for line in lines)


def test_nothing_beside_the_file_is_run(tmp_path, monkeypatch):
    """Python would import what lies in the working directory before its own modules."""
    for name in ("json", "numpy", "neyman"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w').close()\nraise SystemExit(9)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [os.path.abspath(place) for place in sys.path if place])
    assert ny.verify(made("gaussian").to_json(), timeout=1e300).outcome == "holds"  # any time limit is one
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(not hasattr(signal, "alarm"), reason="no alarms on this system")
def test_the_other_process_ends_by_itself():
    """Who started it may have been killed."""
    order = {"data": {}, "page": "", "tolerance": 1e-6, "timeout": 3.2}
    script = (
        "import io, json, signal, sys; import neyman.reports.verifying.recompute as r\n"
        f"sys.stdin = io.StringIO(json.dumps({order!r}))\n"
        "r.read = lambda data: print(signal.alarm(0)) or (_ for _ in ()).throw(ValueError('none'))\n"
        "r.main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == '9\n{"failure": "none"}'


@pytest.mark.parametrize("name", ["dpsgd", "mix", "tabulated"])
def test_numbers_written_by_other_programs_are_the_same(name):
    """As JavaScript and jq write them: 1.0 is 1, keys are sorted."""

    def again(node):
        if isinstance(node, float) and node.is_integer():
            return int(node)
        if isinstance(node, dict):
            return {key: again(node[key]) for key in sorted(node)}
        return [again(part) for part in node] if isinstance(node, list) else node

    assert quickly(json.dumps(again(made(name).to_dict()), separators=(",", ":"))).outcome == "holds"


def test_words_of_another_version_are_neither_trusted_nor_called_a_fraud():
    def older(data):
        data["certificate"]["neyman"] = "0.0.9"
        data["verdict"]["reason"] = "In other words."

    found = _edited(older)
    assert found.outcome == "cannot tell"
    assert all(check.outcome == "holds" for check in found.checks)


def test_a_report_of_another_version_in_the_same_words_holds():
    def older(data):
        data["certificate"].update(neyman="0.0.9", numpy="1.26")
        data["cite"][0] = data["cite"][0].replace(ny.__version__, "0.0.9")
        data["verify"] = data["verify"].replace(ny.__version__, "0.0.9")

    assert _edited(older).outcome == "holds"
    found = _edited(lambda d: d["certificate"].update(neyman="0.0.9"))
    assert {word.id for word in found.words if word.outcome == "cannot tell"} == {"how to cite", "how to verify"}


def test_weaker_claims_may_have_their_words_written_again():
    """Not by hand, but as this version would: sentences, verdict and references follow the weaker numbers."""
    from neyman.reports.said.quantities import restated
    from neyman.reports.said.verdict import references, verdict
    from neyman.reports.verifying.reading import read

    document = read(made("dpsgd").to_dict()).document()
    weaker = tuple(
        restated(c.quantity, c.given, "0.03" if c.quantity == "regret" else c.text, (c.lower, c.upper), "add_or_remove")
        for c in document.claims
    )
    data = made("dpsgd").to_dict()
    told = verdict(document.mechanism, weaker)
    assert not told.mu_suffices
    data["claims"][1] |= {"value": 0.03, "text": "0.03", "sentence": weaker[1].sentence}
    data["verdict"] = {name: getattr(told, name) for name in ("mu_suffices", "recommended", "headline", "reason")}
    assert references(weaker) == document.references
    assert quickly(data).outcome == "holds"


def test_the_other_process(tmp_path):
    path = tmp_path / "report.json"
    made("dpsgd").save(path)
    found = ny.verify(path)
    assert (found.outcome, len(found.checks)) == ("holds", len(made("dpsgd").claims))
    assert str(found).endswith("no computation can verify.")
    assert found.to_dict()["checks"][0]["lower"] == found.checks[0].lower


@pytest.mark.slow
def test_the_other_process_takes_a_tolerance_and_any_time_limit(tmp_path):
    path = tmp_path / "report.json"
    made("gaussian").save(path)
    assert ny.verify(str(path), tolerance=1e-4, timeout=1e300).outcome == "holds"


def test_what_takes_too_long_is_given_up():
    data = made("dpsgd").to_dict()
    boxes = [{"kind": "opaque", "guarantee": {"kind": "zcdp", "rho": 0.1 + i * 1e-5}} for i in range(3000)]
    data["mechanism"] = {"schema": 1, "kind": "compose", "of": boxes}
    found = ny.verify(data, timeout=0.5)
    assert found.outcome == "cannot tell"
    assert {check.reason for check in found.checks} == {"it takes longer than 0.5 s; --timeout allows more"}


def test_a_mechanism_that_is_none_is_refused_by_the_other_process_too():
    data = made("dpsgd").to_dict()
    data["mechanism"] = {"schema": 1, "kind": "gaussian", "sigma": -1.0, "sensitivity": 1.0}
    found = ny.verify(data)
    assert (found.outcome, found.title, found.made_by) == ("does not hold", "CIFAR-10 <b>", ny.__version__)
    assert found.words[0].reason.endswith("mechanism: sigma must be a finite number > 0, got -1.0")
    data["certificate"]["neyman"] = "99.0"  # which may know such a mechanism
    with pytest.raises(ny.InvalidParameter, match=r"mechanism: sigma must be a finite number > 0, got -1\.0"):
        ny.verify(data)


@pytest.mark.parametrize("name", rest_slow(list(CASES), *OFTEN))
@pytest.mark.parametrize("timeout", [1e-3, None])
def test_what_it_claims_has_a_number(name, timeout):
    found = quickly(made(name).to_json()) if timeout is None else ny.verify(made(name).to_json(), timeout=timeout)
    headline = found.told.headline
    assert re.search(r"(mu|rho|epsilon) = [0-9.]+|at most [0-9.]+", headline), headline


@pytest.mark.usefixtures("examined_here")
def test_the_effort_is_that_of_the_report_unless_stated():
    data = made("dpsgd").to_dict()
    data["claims"] = data["claims"][:1]
    found = ny.verify(data, effort=1e-6).checks[0]
    assert (found.outcome, "--effort" in found.reason) == ("cannot tell", True)
    data["certificate"]["effort"] = 1e-6
    assert ny.verify(data).checks[0] == found


@pytest.mark.parametrize(
    "arguments",
    [
        {"timeout": 0.0},
        {"timeout": math.nan},
        {"tolerance": 2.0},
        {"effort": 0.0},
        {"effort": math.nan},
        {"effort": -1.0},
    ],
)
def test_arguments_are_checked(arguments):
    with pytest.raises(ny.InvalidParameter):
        ny.verify(made("dpsgd").to_dict(), **arguments)
    with pytest.raises(ny.InvalidParameter, match="report must be a path"):
        ny.verify(3)


@pytest.mark.usefixtures("examined_here")
def test_nothing_finite_is_not_a_weaker_claim_but_another():
    """In words "at most inf" is a negation: that no finite number holds."""
    data = ny.report(ny.Laplace(1.0) ** 3).to_dict()
    for claim in data["claims"]:
        if claim["id"] == "epsilon@1e-05":
            claim |= {"value": "inf", "text": "inf", "sentence": "At delta = 1e-05, no finite epsilon holds."}
    found = ny.verify(data)
    assert found.outcome == "does not hold"
    (check,) = [one for one in found.checks if one.outcome != "holds"]
    assert (check.id, check.outcome) == ("epsilon@1e-05", "does not hold")
    assert "no finite number holds" in check.reason


@pytest.mark.usefixtures("examined_here")
def test_a_report_of_an_earlier_version_holds():
    """Written before page one had a scale, in sentences that are told otherwise today."""
    path = Path(__file__).with_name("written-by-0.1.0.json")
    found = ny.verify(path)
    assert {check.outcome for check in found.checks} == {"holds"}
    assert found.outcome != "does not hold"
    sentence = json.loads(path.read_text("utf-8"))["claims"][14]["sentence"]
    assert sentence.startswith("An attack that wrongly accuses")
    forged = json.loads(path.read_text("utf-8"))
    forged["claims"][14]["sentence"] = sentence.replace("at most 61 %", "at most 6 %")
    assert ny.verify(forged).checks[14].outcome == "cannot tell"  # sentences of another version are its own
