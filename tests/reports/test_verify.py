"""What verification says of originals, of weaker claims, and of everything that was edited."""

import copy
import json
import math
import random
from decimal import Decimal

import pytest

import neyman as ny
from neyman.reports.quantities import QUANTITIES
from tests.reports.cases import CASES, QUICK, made, quickly


def _written(value: float) -> dict[str, object]:
    """The value and digits of a claim that somebody types."""
    return {"value": "inf" if math.isinf(value) else value, "text": f"{Decimal(repr(value)):f}"}


@pytest.mark.parametrize("name", CASES)
def test_an_original_holds(name):
    found = quickly(json.loads(made(name).to_json()))
    assert found.outcome == "holds", str(found)
    assert [check.id for check in found.checks] == [claim.id for claim in made(name).claims]
    assert all(check.excess == 0.0 and not check.reason for check in (*found.checks, *found.words))
    assert found


def test_every_kind_of_claim_is_made_by_one_of_them():
    assert {claim.quantity for name in CASES for claim in made(name).claims} == set(QUANTITIES)


@pytest.mark.parametrize("name", CASES)
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
    names = [name for name in QUICK if name != "nothing"]
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
    assert found.notes[0] == "Left out of the report: tail_mu, shortfall."


def test_words_of_another_version_are_neither_trusted_nor_called_a_fraud():
    def older(data):
        data["certificate"]["neyman"] = "0.0.9"
        data["verdict"]["reason"] = "In other words."

    found = _edited(older)
    assert found.outcome == "cannot tell"
    assert all(check.outcome == "holds" for check in found.checks)
    assert _edited(lambda d: d["certificate"].update(neyman="0.0.9", numpy="1.26")).outcome == "holds"


def test_weaker_claims_may_have_their_words_written_again():
    """Not by hand, but as this version would: sentences, verdict and references follow the weaker numbers."""
    from neyman.reports.quantities import restated
    from neyman.reports.reading import read
    from neyman.reports.verdict import references, verdict

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
    assert ny.verify(str(path), tolerance=1e-4).outcome in ("holds", "cannot tell")
    assert str(found).endswith("no computation can verify.")
    assert found.to_dict()["checks"][0]["lower"] == found.checks[0].lower


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
    with pytest.raises(ny.InvalidParameter, match=r"mechanism: sigma must be a finite number > 0, got -1\.0"):
        ny.verify(data)


@pytest.mark.parametrize("arguments", [{"timeout": 0.0}, {"timeout": math.nan}, {"tolerance": 2.0}])
def test_arguments_are_checked(arguments):
    with pytest.raises(ny.InvalidParameter):
        ny.verify(made("dpsgd").to_dict(), **arguments)
    with pytest.raises(ny.InvalidParameter, match="report must be a path"):
        ny.verify(3)
