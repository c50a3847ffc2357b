"""The table of quantities: everyone who asks has every entry that has words for them, and says the same of it."""

from __future__ import annotations

import inspect
import json
import math
import subprocess
import sys
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman import targets
from neyman.calibration.limit import Limit
from neyman.cli.main import main
from neyman.cli.verbs.calibrate import TARGET_KINDS
from neyman.quantities import QUANTITIES, Quantity
from neyman.quantities.asked import Asked
from neyman.quantities.places import DOMAINS, FPR_TABLE
from neyman.quantities.points import POINTS
from neyman.reports.said import quantities as claims
from neyman.reports.said.build import expected
from neyman.reports.verifying.model import GivenModel
from neyman.risk.kinds import KINDS
from neyman.sweeps.quantities import BESIDE, WORDS
from tests.cli.said import message
from tests.guarantees import pool

SOMEWHERE: dict[str, float | str] = {
    "floor": 1e-4, "delta": 1e-5, "epsilon": 1.0, "alpha": 0.1, "fpr": 0.01, "prior": 0.3, "membership_prior": 0.2,
    "baseline": 0.05, "order": 2.0, "reference": "census",
}  # fmt: skip
TOLD_BY_A_SIDE = [one for one in QUANTITIES.values() if one.ask is not None or one.risk]
CLAIMED = {  # the names that files of reports hold: what is given, and which side is promised
    "mu": (("floor",), "at most"), "regret": (("floor",), "at most"), "shortfall": (("floor",), "at most"),
    "tail_mu": ((), "at most"), "epsilon": (("delta",), "at most"), "tpr": (("fpr",), "at most"),
    "fixed_point": ((), "at least"), "advantage": ((), "at most"), "auc": ((), "at most"), "zcdp": ((), "at most"),
    "zcdp_regret": ((), "at most"), "epsilon_regret": ((), "at most"), "divergence": (("reference",), "at least"),
    "reverse": (("reference",), "at most"), "accuracy": (("prior",), "at most"),
    "posterior": (("membership_prior", "fpr"), "at most"), "reconstruction": (("baseline",), "at most"),
    "attribute_inference": (("baseline",), "at most"), "singling_out": (("baseline",), "at most"),
    "relative_risk": (("baseline",), "at most"),
}  # fmt: skip
SWEPT = (
    "mu", "regret", "shortfall", "tail_mu", "epsilon(delta)", "delta(epsilon)", "beta(alpha)", "tpr(fpr)", "advantage",
    "auc", "fixed_point", "bayes_error(prior)", "renyi(order)", "rho", "divergence", "reverse", "distance",
)  # fmt: skip
SPOKEN = ("mu", "epsilon", "delta", "beta", "tpr", "advantage", "auc", "bayes-error", "renyi", "rho")


def at(quantity: Quantity) -> tuple[Any, ...]:
    return tuple(SOMEWHERE[place] for place in quantity.places)


def answered(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    out, err = capsys.readouterr()
    assert isinstance(left.value.code, int)
    return left.value.code, out, message(err)


# the entries


def test_every_entry_is_offered_by_someone_and_can_be_read() -> None:
    for name, one in QUANTITIES.items():
        assert one.name == name
        assert one.meaning or one.spoken or one.short or one.label, name
        assert one.ask is not None or one.risk or one.both is not None, name
        assert not one.label or one.sentence or one.risk, name
        assert all(len(where) == len(one.places) for where in one.usual), name
        for where in one.usual:
            assert all(DOMAINS[place](place, value) == value for place, value in zip(one.places, where, strict=True))
    assert set(SOMEWHERE) == set(DOMAINS) == {place for one in QUANTITIES.values() for place in one.places}
    assert not {one.claimed for one in QUANTITIES.values() if one.claimed} & set(QUANTITIES)


@given(pool.any_guarantee, st.sampled_from(TOLD_BY_A_SIDE))
def test_the_other_side_is_the_other_side(g: ny.Guarantee, one: Quantity) -> None:
    """The safe end is what the guarantee says itself, and the optimistic twin is never on its far side."""
    if one.name == "auc" or (one.name == "renyi" and not isinstance(g, ny.GDP)) or one.name == "rho":
        g = ny.GDP(1.0)  # of others an average, or divergences, take long
    low, high = one.bracket(g, at(one))
    safe, other = one.number(g, at(one)), one.number(g.optimistic, at(one))
    assert (low, high) == ((safe, max(safe, other)) if one.from_below else (min(safe, other), safe))
    assert other >= safe * (1.0 - 1e-9) if one.from_below else other <= safe * (1.0 + 1e-9)


@pytest.mark.parametrize("one", TOLD_BY_A_SIDE, ids=lambda one: one.name)
def test_less_private_is_worse(one: Quantity) -> None:
    """What is bounded from above grows with mu, what is bounded from below falls."""
    private, leaking = (one.number(ny.GDP(mu), at(one)) for mu in (0.5, 2.0))
    if one.name in ("regret", "shortfall"):  # mu says all of both
        assert 0.0 <= private < 1e-9
        assert 0.0 <= leaking < 1e-9
    else:
        assert leaking < private if one.from_below else leaking > private


def test_risks_are_those_of_the_room_of_risk() -> None:
    risks = {name for name, one in QUANTITIES.items() if one.risk}
    assert risks == set(KINDS)
    for name in risks:
        one = QUANTITIES[name]
        asked = [argument for argument in inspect.signature(getattr(ny.risk, name)).parameters if argument != "records"]
        assert asked == ["guarantee", *one.places]
        assert one.from_below == KINDS[name].error
        assert one.attacked(ny.PureDP(1.0), at(one)) == float(getattr(ny.risk, name)(ny.PureDP(1.0), *at(one)))


def test_of_one_order_an_attack_is_another_test_than_that_of_the_curve() -> None:
    g = ny.account(ny.DPSGD(1.0, 0.1, 10), adjacency="add")
    tpr = QUANTITIES["tpr"]
    attack = float(ny.risk.tpr(g, 0.01))
    assert tpr.number(g, (0.01,)) == g.roc(0.01) != tpr.attacked(g, (0.01,)) == attack
    error = float(ny.risk.bayes_error(g, 0.3))
    assert g.bayes_error(0.3) != QUANTITIES["bayes_error"].certified(Asked(g, 1e-10), (0.3,))[0] == error
    # asked among others, whose sums over a line of a thousand nodes are products of matrices: last digits differ
    assert targets.TPR(0.5, fpr=0.01).number(g) == pytest.approx(attack, rel=1e-12)
    assert tpr.certified(Asked(g, 1e-10), (0.01,))[1] == pytest.approx(attack, rel=1e-12)


def test_what_both_sides_tell_together_no_side_tells_alone() -> None:
    with pytest.raises(ny.InvalidParameter, match=r"^quantity must be one that each side tells by itself, got 'rev"):
        QUANTITIES["reverse"].number(ny.GDP(1.0), ("census",))


def test_the_names_are_listed_without_the_engines() -> None:
    code = "import sys, neyman.quantities; print({'scipy', 'neyman.engines', 'neyman.guarantees'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


# the domains of what they are asked at


def allowed(place: str) -> str:
    return {
        "floor": "a number in (0, 0.5)", "epsilon": "a finite number >= 0", "order": "a finite number > 0",
        "baseline": "a number in (0, 1)", "reference": "one of " + ", ".join(map(repr, POINTS)),
    }.get(place, "a number in [0, 1]")  # fmt: skip


@pytest.mark.parametrize("name", sorted(SOMEWHERE))
def test_a_place_outside_its_domain_is_refused_with_its_name(name: str) -> None:
    outside: list[object] = [math.nan, math.inf, -1.0, None, "x", True]
    outside += {"floor": [0.0, 0.5], "order": [0.0], "baseline": [0.0, 1.0], "epsilon": [], "reference": [1.0]}.get(
        name, [1.5]
    )
    for value in outside:
        with pytest.raises(ny.InvalidParameter) as refusal:
            DOMAINS[name](f"this {name}", value)
        assert str(refusal.value) == f"this {name} must be {allowed(name)}, got {value!r}."
    assert DOMAINS[name](name, SOMEWHERE[name]) == SOMEWHERE[name]


@pytest.mark.parametrize("word", [word for word, one in WORDS.items() if one.places])
@pytest.mark.parametrize("written", ["nan", "inf", "-1", ""])
def test_sweeps_and_reports_refuse_the_same(word: str, written: str) -> None:
    (place,) = WORDS[word].places
    with pytest.raises(ny.InvalidParameter) as refusal:
        ny.sweep(noise_multiplier=1.0, sample_rate=1.0, steps=1, quantities=f"{word}({written})")
    value = float(written) if written else None
    assert refusal.value.name == f"{place} of the quantity {word}({written})"
    assert refusal.value.allowed == allowed(place)
    if word in claims.QUANTITIES and value is not None:
        with pytest.raises(ny.InvalidParameter) as other:
            claims.checked(word, ((place, value),))
        assert (other.value.name, other.value.allowed) == (place, refusal.value.allowed)


# sweeps


def test_a_sweep_asks_for_each() -> None:
    with pytest.raises(ny.InvalidParameter) as refusal:
        ny.sweep(noise_multiplier=1.0, sample_rate=1.0, steps=1, quantities="luck")
    assert refusal.value.allowed == "one of " + ", ".join(SWEPT)
    assert all(f'"{form}"' in (ny.sweep.__doc__ or "") for form in SWEPT)
    asked = [f"{name}({SOMEWHERE[one.place]!r})" if one.place else name for name, one in WORDS.items()]
    base = ny.GDP(0.9)
    found = ny.sweep(ny.Laplace, axes={"scale": [2.0]}, quantities=asked, baseline=base, workers=1)
    g = ny.account(ny.Laplace(2.0))
    for key, (name, one) in zip(asked, WORDS.items(), strict=True):
        beside = name in BESIDE
        told = getattr(ny.compare(base, g), name) if beside else QUANTITIES[name].number(g, at(one))
        assert float(found[key][0]) == pytest.approx(told, rel=1e-9 if beside else 0.0, abs=1e-12 if beside else 0.0)
        assert found[key].attrs["long_name"] == one.meaning
        assert found[key].attrs["side"].startswith("lower" if one.from_below else "upper")
        assert one.place is None or found[key].attrs[one.place] == SOMEWHERE[one.place]


# the command line


def test_the_command_line_lists_and_converts_to_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert tuple(name.replace("_", "-") for name, one in QUANTITIES.items() if one.spoken) == SPOKEN
    code, text, _ = answered(capsys, "convert", "--help")
    listed = " ".join(text.replace("│", " ").split()).replace("bayes- error", "bayes-error")
    assert code == 0
    assert "mu, epsilon, delta, beta, tpr, curve, advantage, auc, bayes-error, renyi, rho." in listed
    for word in SPOKEN:
        one = QUANTITIES[word.replace("-", "_")]
        where = ("--at", repr(SOMEWHERE[one.place])) if one.place else ()
        code, out, err = answered(capsys, "convert", "--epsilon", "1", "--to", word, *where, "--json")
        assert (code, err) == (0, "")
        (row,) = json.loads(out)["values"]
        assert (row.pop("lower"), row.pop("upper")) == one.bracket(ny.PureDP(1.0), at(one))
        assert row == ({one.place: SOMEWHERE[one.place]} if one.place else {})
        usual = json.loads(answered(capsys, "convert", "--epsilon", "1", "--to", word, "--json")[1] or "{}")
        assert len(usual.get("values", ())) == (len(one.usual) if one.place else 1)
    for word in {name.replace("_", "-") for name, one in QUANTITIES.items() if not one.spoken}:
        assert answered(capsys, "convert", "--mu", "1", "--to", word)[0] == 2


def test_a_conversion_reports_the_safe_side(capsys: pytest.CaptureFixture[str]) -> None:
    for word in SPOKEN:
        one = QUANTITIES[word.replace("-", "_")]
        where = ("--at", repr(SOMEWHERE[one.place])) if one.place else ()
        _, out, _ = answered(capsys, "convert", "--spec", "dpsgd:1,0.1,50", "--to", word, *where)
        lines = out.splitlines()
        rule = next(i for i, line in enumerate(lines) if set(line.strip()) == {"─"})
        shown = float(lines[rule + 1].split()[-1])
        number = one.number(ny.account(ny.DPSGD(1.0, 0.1, 50)), at(one))
        assert shown <= number if one.from_below else shown >= number
        assert shown == pytest.approx(number, rel=1e-4)


# targets


def test_a_target_limits_each() -> None:
    kinds = [one for one in vars(targets).values() if inspect.isclass(one) and issubclass(one, Limit)]
    named = {kind.quantity: kind for kind in kinds}
    short = {name for name, one in QUANTITIES.items() if one.short}
    assert len(named) == len(kinds)
    assert set(named) - {"reverse"} == short - {"delta"}  # of a pair the delta, too; a baseline is any guarantee
    words = {"divergence" if name == "reverse" else name.replace("_", "-") for name in named}
    assert {kind.removesuffix("=") for kind in TARGET_KINDS} == words
    typed: list[tuple[Limit, str]] = [
        (targets.Epsilon(1.0, delta=1e-5), "delta at epsilon 1"), (targets.Epsilon(1.0, 0.0), "epsilon at delta 0"),
        (targets.Mu(1.0, floor=1e-4), "mu at floor 0.0001"), (targets.Advantage(0.1), "advantage"),
        (targets.Regret(0.01, floor=1e-6), "regret at floor 1e-06"),
        (targets.TPR(0.5, fpr=0.01), "TPR at FPR 0.01"),
        (targets.BayesError(0.2, prior=0.3), "Bayes error at prior 0.3"),
        (targets.Reconstruction(0.5, baseline=0.1), "reconstruction from baseline 0.1"),
        (targets.Posterior(0.9, 0.5, fpr=0.01), "posterior from prior 0.5 at FPR 0.01"),
        (targets.Divergence(0.1, ny.GDP(1.0)), "divergence from the baseline"),
    ]  # fmt: skip
    assert {type(one) for one, _ in typed} == set(kinds)
    assert [one.label for one, _ in typed] == [label for _, label in typed]


def test_errors_are_kept_large_and_all_else_small() -> None:
    error, power = targets.BayesError(0.2, prior=0.3), targets.TPR(0.5, fpr=0.01)
    assert [error.holds(value) for value in (0.1, 0.2, 0.25)] == [False, True, True]
    assert [power.holds(value) for value in (0.4, 0.5, 0.6)] == [True, True, False]


# reports


def test_reports_claim_each_under_the_names_that_files_hold() -> None:
    found = {name: (one.places, one.side) for name, one in claims.QUANTITIES.items()}
    assert found == CLAIMED
    known = {place for places_of, _ in CLAIMED.values() for place in places_of}
    assert known == set(GivenModel.model_fields)
    reference = GivenModel.model_fields["reference"].annotation
    assert get_args(reference) == tuple(POINTS)
    asked = Asked(ny.PureDP(1.0), 1e-4)
    for name, one in claims.QUANTITIES.items():
        if name in ("zcdp", "zcdp_regret", "auc"):
            continue  # seconds; made by tests/reports
        given_at = tuple((place, SOMEWHERE[place]) for place in one.places)
        claims.checked(name, given_at)
        made = claims.claim(asked, name, **dict(given_at))
        assert (made.quantity, made.given, made.side) == (name, given_at, one.side)
        assert made.lower <= made.upper
        assert made.value <= made.lower if one.from_below else made.value >= made.upper
        assert made.sentence
        assert "{" not in made.label + made.sentence
        with pytest.raises(ny.InvalidParameter, match=r"^given must be "):
            claims.checked(name, (*given_at, ("luck", 0.5)))


def test_reports_compare_both_ways() -> None:
    asked = Asked(ny.GDP(0.5), 1e-10)  # more private than the point, whose mu is 1
    found = ny.compare(ny.GDP(0.5), ny.GDP(1.0))
    for name, bounds in zip(("divergence", "reverse"), found.bounds, strict=True):
        assert QUANTITIES[name].certified(asked, ("gaussian",)) == pytest.approx((bounds.lower, bounds.upper), abs=1e-8)
    assert found.bounds[0].lower > 0.09 > 1e-8 > found.bounds[1].upper


def test_every_report_claims_what_it_always_claimed() -> None:
    """Files that lack one of these are said to have left it out."""
    known = [f"tpr@{rate!r}" for rate in (1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1)]
    assert expected(1e-10, finite=True) == (
        "mu@1e-10", "regret@1e-10", "tail_mu", "shortfall@1e-10", "advantage", *known, "fixed_point", "accuracy@0.5",
        "posterior@0.1,0.01", "attribute_inference@0.1", "reconstruction@0.001", "singling_out@1e-06",
        "relative_risk@0.01", "divergence@gaussian", "reverse@gaussian",
    )  # fmt: skip
    assert expected(1e-4, finite=False)[:2] == ("mu@0.0001", "advantage")


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("mu", "inf", "At error rates of 0.0001 and above, no finite mu holds."),
        ("tail_mu", "inf", "With no floor at all, no finite mu holds."),
        ("shortfall", "0", "The same mu holds below the floor."),
        ("epsilon", "inf", "At delta = 1e-05, no finite epsilon holds."),
        ("zcdp", "inf", "No finite rho of zCDP holds."),
        (
            "divergence",
            "0",
            (
                "Nothing is claimed of how much higher an attacker's Bayes error here is than against the release of "
                "the 2020 US Census by the TopDown algorithm."
            ),
        ),
        ("accuracy", "inf", "Nothing is claimed."),
        ("regret", "0", "Stating the least mu alone overstates what attackers can do by at most 0 in Bayes error."),
    ],
)  # fmt: skip
def test_numbers_that_claim_nothing_have_sentences_of_their_own(name: str, text: str, sentence: str) -> None:
    given_at = tuple((place, SOMEWHERE[place]) for place in claims.QUANTITIES[name].places)
    assert claims.restated(name, given_at, text, (0.0, 1.0), "add_or_remove").sentence == sentence


def test_the_table_of_rates_is_asked_for_at_once_and_says_the_same() -> None:
    g = ny.account(ny.Laplace(1.0))
    asked, tpr = Asked(g, 1e-10), QUANTITIES["tpr"]
    for rate in (*FPR_TABLE, 0.05):
        (low, high), (lower, upper) = tpr.certified(asked, (rate,)), tpr.bracket(g, (rate,))
        assert high == pytest.approx(upper, rel=1e-12)
        assert max(low, lower) <= min(high, upper)  # both hold the truth
