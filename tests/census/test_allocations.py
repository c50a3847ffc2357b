"""The census: shipped allocations against their sources, every number against engines and sums of its own, refusals."""

from __future__ import annotations

import json
import math
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath as mp
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.census import NAMES, Allocation, Share, account, published, read
from neyman.census.published import parsed
from neyman.cli.verbs.census import NAMES as TYPED
from tests.effort import examples

EXAMPLES = Path(__file__).parents[2] / "examples"
DHC = ("US", "State", "County", "Prim", "Tract_Subset_Group", "Tract_Subset", "Block_Group", "Block")


OWN = "level,rho,queries\nUS,0.6,3\nState,0.2,1\n"


@pytest.fixture(scope="module", params=["own", *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES)])
def release(request: pytest.FixtureRequest) -> tuple[Allocation, Any]:
    """An allocation and its table: all that are shipped, and one that costs little."""
    allocation = parsed(OWN, "own") if request.param == "own" else published(request.param)
    return allocation, account(allocation, [1e-10, 1e-5])


def test_totals_are_those_that_were_published() -> None:
    """3.65 in both papers; 49622 ten-thousandths and (542/339)^2 in the Bureau's code, which it rounds to 2.56."""
    totals = {name: published(name).exactly() for name in NAMES}
    assert totals["dhc-2022-08-25"] == Fraction("3.65")
    assert totals["dhc-2023"] == Fraction(49622, 10000)
    assert totals["redistricting-2021"] == Fraction(542, 339) ** 2
    assert round(float(totals["redistricting-2021"]), 2) == 2.56
    assert TYPED == NAMES
    assert all("U.S. Census Bureau" in published(name).source for name in NAMES)


def test_levels_and_queries() -> None:
    assert published("dhc-2022-08-25").levels == published("dhc-2023").levels == DHC
    assert published("redistricting-2021").levels == ("US", "State", "County", "Tract", "Block_Group", "Block")
    assert [sum(s.queries for s in published(name).shares) for name in NAMES] == [80, 80, 65]
    state = next(s for s in published("redistricting-2021").shares if s.level == "State" and s.query == "total")
    assert state.rho == Fraction(542, 339) ** 2 * Fraction(1440, 4099) * Fraction(3773, 4097)


def test_the_paper_and_the_example_file() -> None:
    """mu 2.702 (Gomez et al., Section 5), of the mechanism that has long been an example."""
    allocation = published("dhc-2022-08-25")
    old = ny.mechanism_from_dict(json.loads((EXAMPLES / "census_topdown.json").read_text()))
    new = allocation.mechanism()
    assert sorted(n for _, n in new.parts) == sorted(n for _, n in old.parts)
    sigmas = [sorted(step.sigma for step, _ in m.parts) for m in (new, old)]
    assert sigmas[0] == pytest.approx(sigmas[1], rel=1e-15)
    assert round(ny.account(new).mu(), 3) == 2.702


def test_the_epsilon_that_the_bureau_states() -> None:
    """17.14 for the persons of the redistricting data at delta 1e-10: what is left where rho alone is known."""
    assert round(ny.ZCDP(published("redistricting-2021").rho()).epsilon(1e-10), 2) == 17.14


def test_every_cell_as_by_hand(release: tuple[Allocation, Any]) -> None:
    """By the engine, of a composition that is built here from the rows alone."""
    allocation, found = release
    for row in found.records():
        rows = [s for s in allocation.shares if row["level"] in (s.level, "total")]
        made = ny.compose(
            ny.DiscreteGaussian(math.sqrt(s.queries / (2.0 * float(s.rho)))) ** s.queries for s in rows
        )  # fmt: skip
        g, rho = ny.account(made), sum(s.rho for s in rows)
        report = g.gdp()
        assert row["rho"] == pytest.approx(float(rho), rel=1e-15)
        assert row["share"] == pytest.approx(float(rho / allocation.exactly()), rel=1e-15)
        assert row["mu"] == pytest.approx(report.mu, rel=1e-6)
        assert row["regret_mu"] == pytest.approx(report.regret, rel=1e-4, abs=1e-7)
        for delta in (1e-10, 1e-5):
            assert row[f"epsilon({delta:g})"] == pytest.approx(g.epsilon(delta), rel=1e-6)
            assert row[f"epsilon_of_rho({delta:g})"] == pytest.approx(ny.ZCDP(float(rho)).epsilon(delta), rel=1e-9)
            assert row[f"epsilon({delta:g})"] <= row[f"epsilon_of_rho({delta:g})"]


def test_against_a_peer(release: tuple[Allocation, Any]) -> None:
    """Connect-the-dots of dp_accounting is pessimistic, too: never far from ours, never certainly below."""
    allocation, found = release
    level = allocation.levels[0]
    made = None
    for share in allocation.of(level):
        sigma = math.sqrt(share.queries / (2.0 * float(share.rho)))
        step = pld.from_discrete_gaussian_mechanism(sigma, value_discretization_interval=1e-3, use_connect_dots=True)
        step = step.self_compose(share.queries)
        made = step if made is None else made.compose(step)
    assert made is not None
    theirs = made.get_epsilon_for_delta(1e-5)
    assert found.records()[0]["epsilon(1e-05)"] == pytest.approx(theirs, rel=2e-4)
    best = ny.account(allocation.mechanism(level)).optimistic.epsilon(1e-5)
    assert best <= theirs * (1.0 + 1e-9)


@pytest.mark.parametrize(("first", "second"), [("0.5", "0.02"), ("1/3", "0.125")])
def test_two_queries_against_mpmath(first: str, second: str) -> None:
    """All outcomes of two discrete Gaussians, added up in 40 digits: delta at the epsilon that is reported."""
    text = f"level,rho\na,{first}\nb,{second}\n"
    row = account(parsed(text, "two"), [1e-6]).records()[-1]
    with mp.workdps(40):
        epsilon, delta = mp.mpf(row["epsilon(1e-06)"]), mp.mpf(0)
        twice = [2 * mp.mpf(r.numerator) / r.denominator for r in (Fraction(first), Fraction(second))]
        reach = [int(14 / mp.sqrt(t)) + 3 for t in twice]
        mass = [{k: mp.exp(-t * k * k / 2) for k in range(-r, r + 1)} for t, r in zip(twice, reach, strict=True)]
        whole = [sum(m.values()) for m in mass]
        for i in range(-reach[0] + 1, reach[0]):
            for j in range(-reach[1] + 1, reach[1]):
                p = mass[0][i] * mass[1][j]
                q = mass[0][i - 1] * mass[1][j - 1]
                delta += max(p - mp.exp(epsilon) * q, mp.mpf(0))
        delta /= whole[0] * whole[1]
    assert delta <= 1e-6  # what is reported holds
    assert delta == pytest.approx(1e-6, rel=1e-3)  # and is not far from what is true


@examples(40, 2000)
@given(
    rho=st.fractions(Fraction(1, 10**6), Fraction(200)), queries=st.integers(1, 500), changed=st.sampled_from([1, 2])
)  # fmt: skip
def test_never_is_less_noise_allotted_than_rho_asks(rho: Fraction, queries: int, changed: int) -> None:
    share = Share("US", rho, queries=queries)
    allocation = Allocation("one", "", (share,), changed)
    (sigma,) = allocation.sigmas()
    spent = Fraction(queries * changed) / (2 * Fraction(sigma) ** 2)
    assert spent >= rho  # the noise that is accounted for is never more than was added
    assert float(spent / rho) == pytest.approx(1.0, rel=1e-15)
    assert Fraction(allocation.rho()) >= rho
    if 0.03 <= sigma <= 1e4:
        assert allocation.mechanism() == ny.DiscreteGaussian(sigma) ** (queries * changed)


def test_neighbours_whose_answers_change() -> None:
    """Two cells with twice the variance: the same rho, and nearly the same mu."""
    one, two = (account(parsed("level,rho,queries\nUS,0.6,3\n", "one", changed=n)).records() for n in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert a["rho"] == b["rho"]
        assert a["mu"] == pytest.approx(b["mu"], rel=1e-2)
        assert b["sigma_least"] == pytest.approx(math.sqrt(2.0) * a["sigma_least"], rel=1e-15)


def test_another_total() -> None:
    exact = published("dhc-2022-08-25", rho="485/254*485/254")
    assert exact.exactly() == Fraction(485, 254) ** 2
    assert exact.exactly("US") == Fraction(485, 254) ** 2 / 50
    half = published("dhc-2023", rho=Fraction(49622, 20000))  # of a file with rho in place of shares
    assert half.exactly("State") == published("dhc-2023").exactly("State") / 2


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    made = read(EXAMPLES / "census_allocation.csv")
    assert made.levels == ("country", "region", "district")
    assert made.exactly() == Fraction(3, 2)
    assert made.mechanism("country") == ny.DiscreteGaussian(5.0) ** 5
    (tmp_path / "shares.csv").write_text("# rho: 2\nlevel,share,query,queries\nUS,0.25,age,2\nState,3/4,,\n")
    made = read(tmp_path / "shares.csv")
    assert [(s.rho, s.query, s.queries) for s in made.shares] == [(Fraction(1, 2), "age", 2), (Fraction(3, 2), "", 1)]
    assert read(tmp_path / "shares.csv", rho=4, changed=2).rho() == 4.0
    assert made.rho("US") == 0.5
    with pytest.raises(ny.InvalidParameter, match="level must be one of US, State, got 'Block'"):
        made.mechanism("Block")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "allocation must be CSV with the columns"),
        ("level,rho\n", "allocation must be made of at least one row"),
        ("rho\n1\n", "allocation must be CSV with the columns"),
        ("level\nUS\n", "allocation must be CSV with the columns"),
        ("level,rho,share\nUS,1,1\n", "allocation must be CSV with the columns"),
        ("level,rho,luck\nUS,1,1\n", "allocation must be CSV with the columns"),
        ("level,rho\nUS,0\n", "row 1: rho must be a number > 0"),
        ("level,rho\nUS,-1\n", "row 1: rho must be a number > 0"),
        ("level,rho\nUS,nan\n", "row 1: rho must be a number > 0"),
        ("level,rho\nUS,1/0\n", "row 1: rho must be a number > 0"),
        ("level,rho\nUS,1_0\n", "row 1: rho must be a number > 0"),
        ("level,rho\nUS,1e400\n", "row 1: rho must be a number > 0"),
        ("level,rho\nUS,1e-300\n", "row 1: rho must be a number > 0"),
        ("level,rho\nUS,\n", "row 1: rho must be a number > 0"),
        ("level,rho\n,1\n", "row 1: level must be the name"),
        ("level,share\nUS,1\n", "rho must be given, or in the file"),
        ("# rho: x\nlevel,share\nUS,1\n", "rho must be a number > 0"),
        ("# rho: 1\nlevel,share\nUS,1/3\nState,1/3\n", "share must be made of parts that add up to 1, got '0.6666"),
        ("level,rho,queries\nUS,1,0\n", "row 1: queries must be a whole number from 1"),
        ("level,rho,queries\nUS,1,2.5\n", "row 1: queries must be a whole number, got '2.5'."),
    ],
)  # fmt: skip
def test_files_that_are_none(text: str, words: str) -> None:
    with pytest.raises(ny.InvalidParameter) as refusal:
        parsed(text, "file")
    assert str(refusal.value).startswith(words)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: published("luck"), "name must be one of dhc-2022-08-25"),
        (lambda: published("dhc-2023", rho=-1), "rho must be a number > 0"),
        (lambda: published("dhc-2023", changed=3), "changed must be 1 or 2, got 3."),
        (lambda: published("dhc-2023", changed=True), "changed must be 1 or 2, got True."),
        (lambda: read("nowhere.csv"), "allocation must be a file that can be read"),
        (lambda: account("dhc-2023"), "allocation must be an Allocation"),  # type: ignore[arg-type]
        (lambda: account(published("dhc-2023"), []), "deltas must be from 1 to 20 numbers"),
        (lambda: account(published("dhc-2023"), [0.0]), "delta must be a number in (0, 1), got 0.0."),
        (lambda: account(published("dhc-2023"), floor=0.5), "floor must be a number in (0, 0.5)"),
        (lambda: Allocation("none", "", ()), "shares must be from 1 to 10,000 rows, got 0."),
        (lambda: Share("US", 1.0), "rho of US must be a Fraction > 0"),  # type: ignore[arg-type]
        (lambda: Share("US", Fraction(0)), "rho of US must be a Fraction > 0"),
        (lambda: Share("US", Fraction(1), queries=0), "queries must be a whole number from 1"),
        (lambda: parsed("level,rho\nUS,1e-9\n", "x").mechanism(), "rho of US must be such that its noise"),
    ],
)  # fmt: skip
def test_refusals(ask: Any, words: str) -> None:
    with pytest.raises(ny.InvalidParameter) as refusal:
        ask()
    assert str(refusal.value).startswith(words)


@pytest.mark.parametrize(
    "written",
    ["1e-999999999", "1e999999999", "1e" + "9" * 40, "9" * 5000, "*".join(["1"] * 10_000), "1e-999999999*1e999999999"],
)
def test_numbers_that_would_take_forever(written: str) -> None:
    """Nothing is expanded before it is known to be short: each of them was, to a billion digits."""
    began = time.process_time()
    with pytest.raises(ny.InvalidParameter, match=r"^rho must be a number > 0, .* from 1e-12 to 1e12, got "):
        published("dhc-2023", rho=written)
    with pytest.raises(ny.InvalidParameter, match=r"^row 1: rho must be a number > 0"):
        parsed(f"level,rho\nUS,{written}\n", "file")
    assert time.process_time() - began < 1.0


def test_queries_of_many_digits() -> None:
    with pytest.raises(ny.InvalidParameter, match=r"row 1: queries must be a whole number from 1 .*\(5000 digits\)"):
        parsed(f"level,rho,queries\nUS,1,{'9' * 5000}\n", "file")
    assert parsed("level,rho,queries\nUS,1,0003\n", "file").shares[0].queries == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"^allocation must be CSV with the columns level .*, got 'file'. It is empty."),
        ("# rho: 2\n\n", r"^allocation must be CSV with the columns level .*, got 'file'. It is empty."),
        ("level,rho\n", r"^allocation must be made of at least one row, got 'file'. Nothing stands below"),
        ("level,level\nUS,1\n", r"^allocation must be CSV with columns of different names"),
        ("level;rho\nUS;1\n", r"^allocation must be CSV .* commas between its columns.* Semicolons separate"),
        ("level\trho\nUS\t1\n", r"^allocation must be CSV .* commas between its columns.* Tabs separate"),
        ("level,rho\nUS,1\ntotal,2\n", r"^level must be another name, got 'total'. That is the row of all levels"),
        ("# rho: 2.5\nlevel,rho\nUS,1\n", r"^# rho must be the sum of the column rho.* adds up to 1: leave"),
    ],
)
def test_files_that_say_two_things_or_nothing(text: str, words: str) -> None:
    with pytest.raises(ny.InvalidParameter, match=words):
        parsed(text, "file")


def test_a_note_that_says_the_same_and_a_total_that_is_given() -> None:
    text = "# rho: 3/2\nlevel,rho\nUS,0.5\nState,1\n"
    assert parsed(text, "file").exactly() == Fraction(3, 2)
    scaled = parsed(text, "file", "6")
    assert [scaled.exactly(level) for level in scaled.levels] == [2, 4]


def test_a_rho_too_small_is_named_as_it_was_written() -> None:
    with pytest.raises(ny.InvalidParameter, match=r"^rho of US must be .*, got 1e-12. That is sqrt\(2 / \(2 rho\)\)"):
        parsed("level,rho\nUS,1e-12\n", "file", changed=2).mechanism()


def test_latex_heads_hold_no_greek() -> None:
    head = account(parsed(OWN, "own"), [1e-6]).latex().split("\\midrule")[0].split("\\toprule")[1]
    assert head.isascii()
    assert r"$\varepsilon$ at 1e-06 of $\rho$" in head


def test_fractions_without_a_common_denominator_are_refused_at_once() -> None:
    """An exact sum of ten thousand of them would take hours."""
    rows = "\n".join(f"a,{10**25}/{10**25 + 2 * i + 1}" for i in range(9_000))
    start = time.process_time()
    with pytest.raises(ny.InvalidParameter, match="common denominator"):
        parsed(f"level,rho\n{rows}\n", "many")
    assert time.process_time() - start < 5.0
