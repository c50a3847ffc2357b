"""Tables of runs: every cell the same as asked for by hand, the closed forms of full batches, forms and refusals."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.comparison import Candidate, pareto
from neyman.numerics.exact.decimals import outward
from neyman.tables import Column, Table
from neyman.tables.runs import KNOWN, read_csv, runs_of
from tests.effort import examples

EXAMPLES = Path(__file__).parents[2] / "examples"
ROW: dict[str, Any] = {"noise_multiplier": 2.0, "sample_rate": 0.1, "steps": 400}

NUMBER = "a number, such as 0.01, 1/100 or 1%"


@pytest.fixture(scope="module")
def paper() -> Table:
    return ny.table(EXAMPLES / "runs.csv", baseline="tuned 1")


def test_every_cell_as_by_hand(paper: Table) -> None:
    """Of the shipped runs, from the functions that each quantity has of its own: 90 cells."""
    rate = ny.training(batch_size=16384, dataset_size=50_000, epochs=1).sample_rate
    base = ny.account(ny.DPSGD(21.1, rate, 250))
    cells = 0
    for row in paper.records():
        g = ny.account(ny.DPSGD(row["noise_multiplier"], rate, row["steps"]))
        epsilon = g.epsilon(1e-5)
        report, c = g.gdp(), ny.compare(base, g)
        told = {
            "sample_rate": rate, "delta": 1e-5, "epsilon": epsilon,
            "mu": report.mu, "regret_mu": report.regret, "advantage": g.advantage,
            "regret_epsilon": ny.compare(g, ny.ApproximateDP(epsilon, 1e-5)).divergence,
            "divergence": c.divergence, "reverse": c.reverse,
        }  # fmt: skip
        for name, value in told.items():
            assert row[name] == pytest.approx(value, rel=1e-9, abs=1e-9), (row["name"], name)
            cells += 1
        assert row["stated_holds"] is True
    assert cells == 90


def test_the_numbers_of_the_paper(paper: Table) -> None:
    """Gomez et al., Fig. 1 (c) and Section 5: percent given away by the pair and by mu, and mu itself."""
    best = next(row for row in paper.records() if row["name"] == "scratch 8")
    assert round(100.0 * best["regret_epsilon"], 1) == 21.7
    assert round(100.0 * best["regret_mu"], 1) == 0.1
    assert round(best["mu"], 2) == 1.57
    assert all(regret < 2e-3 for regret in paper["regret_mu"])


def test_efficiency_is_that_of_pareto(paper: Table) -> None:
    rows = [row for row in paper.records() if row["accuracy"] is not None]
    rate = float(rows[0]["sample_rate"])
    made = [
        Candidate(row["name"], ny.account(ny.DPSGD(row["noise_multiplier"], rate, row["steps"])), row["accuracy"])
        for row in rows
    ]
    base = next(one.guarantee for one in made if one.name == "tuned 1")
    assert {one.name: one.efficient for one in pareto(made, base)} == {row["name"]: row["efficient"] for row in rows}
    assert [row["efficient"] for row in paper.records() if row["accuracy"] is None] == [None, None]


@pytest.mark.parametrize(("sigma", "steps"), [(1.0, 1), (10.0, 25), (3.0, 4)])
def test_full_batches_against_mpmath(sigma: float, steps: int) -> None:
    """At rate 1 a run is a Gaussian with mu = sqrt(steps) / sigma: epsilon, regrets and divergence in 40 digits."""
    row = {"noise_multiplier": sigma, "sample_rate": 1, "steps": steps}
    (found,) = ny.table([row], baseline=ny.GDP(0.25)).records()
    with mp.workdps(40):
        mu = mp.sqrt(steps) / mp.mpf(sigma)

        def delta(m: Any, e: Any) -> Any:
            return mp.ncdf(-e / m + m / 2) - mp.exp(e) * mp.ncdf(-e / m - m / 2)

        epsilon = mp.findroot(lambda e: mp.log(delta(mu, e) / mp.mpf(1e-5)), float(found["epsilon"]))
        assert 0.0 <= found["epsilon"] - float(epsilon) <= 1e-5 * float(epsilon)
        assert 0.0 <= found["mu"] - float(mu) <= 1e-6 * float(mu)
        at_zero = delta(mu, mp.mpf(0))
        assert found["advantage"] == pytest.approx(float(at_zero), rel=1e-9)
        e, d = mp.mpf(found["epsilon"]), mp.mpf(1e-5)
        pair = [
            d + (1 - d) * (mp.exp(e) - mp.exp(x)) / (1 + mp.exp(e)) for x in (mp.mpf(k) / 400 * e for k in range(400))
        ]
        points = [mp.mpf(k) / 400 * e for k in range(400)]
        regret = max((p - delta(mu, x)) / (1 + mp.exp(x)) for p, x in zip(pair, points, strict=True))
        assert found["regret_epsilon"] >= float(regret) * (1.0 - 1e-12)
        assert found["regret_epsilon"] == pytest.approx(float(regret), rel=1e-3, abs=1e-9)
        apart = (delta(mu, mp.mpf(0)) - delta(mp.mpf(0.25), mp.mpf(0))) / 2
        assert found["divergence"] >= float(apart) * (1.0 - 1e-9)
    assert found["regret_mu"] < 1e-7


def test_words_and_other_spellings() -> None:
    """Batch and data set in place of the rate, epochs in place of the steps; words are kept, NaN is empty."""
    rows = [
        {"noise_multiplier": 1.0, "batch_size": 250, "dataset_size": 1000, "epochs": 2.1, "data": "digits"},
        {"noise_multiplier": "1.0", "sample_rate": "0.25", "epochs": "2.1", "data": None, "accuracy": math.nan},
        {"name": "", "noise_multiplier": 1, "sample_rate": 0.25, "steps": 9, "delta": 1e-6, "epsilon": 1.0},
    ]
    found = ny.table(rows, delta=1e-4)
    assert found["name"] == ["1", "2", "3"]
    assert found["data"] == ["digits", "", ""]
    assert found["steps"] == [9, 9, 9]
    assert found["delta"] == [1e-4, 1e-4, 1e-6]
    assert found["stated_holds"] == [None, None, False]
    assert found["mu"][0] == found["mu"][1] == found["mu"][2]
    assert "accuracy" not in [column.name for column in found.columns]
    with pytest.raises(ny.InvalidParameter, match="column must be one of name, data"):
        found["luck"]


def test_what_is_stated_and_cannot_be_told() -> None:
    """An epsilon between the two bounds of the accounting neither holds nor fails."""
    g = ny.account(ny.DPSGD(2.0, 0.1, 400), tolerance=1e-3)
    low, high = g.optimistic.epsilon(1e-5), g.epsilon(1e-5)
    if low < high:
        row = {**ROW, "epsilon": 0.5 * (low + high)}
        assert ny.table([row], tolerance=1e-3)["stated_holds"] == ["undecided"]
    assert ny.table([{**ROW, "epsilon": high}], tolerance=1e-3)["stated_holds"] == [True]


def test_baselines() -> None:
    rows = [{**ROW, "name": "a"}, {**ROW, "name": "b", "noise_multiplier": 3.0}]
    named = ny.table(rows, baseline="b")
    assert named["divergence"] == ny.table(rows, baseline=ny.DPSGD(3.0, 0.1, 400))["divergence"]
    assert named["divergence"][1] == 0.0
    assert named["divergence"][0] > 0.05
    added = ny.table(rows, baseline=ny.account(ny.Gaussian(1.0), adjacency="add"), adjacency="add")
    assert len(added["reverse"]) == 2
    for wrong in ("c", 3, ny.GDP(1.0).optimistic):
        with pytest.raises(ny.InvalidParameter, match="baseline must be the name of a run"):
            ny.table(rows, baseline=wrong)  # type: ignore[arg-type]


def test_a_run_that_promises_nothing() -> None:
    """So loud that no epsilon is left at its delta: infinite, and all that can be given away is given away."""
    (row,) = ny.table([{"noise_multiplier": 0.01, "sample_rate": 0.5, "steps": 10}]).records()
    assert row["epsilon"] > 700.0 or math.isinf(row["epsilon"])
    assert 0.0 <= row["regret_epsilon"] < 0.01


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"noise_multiplier": -1.0}, "row 1: noise_multiplier must be a finite number > 0, got -1.0."),
        ({"noise_multiplier": None}, "row 1: noise_multiplier must be given in each row, got None."),
        ({"noise_multiplier": "1_0"}, "row 1: noise_multiplier must be a number in ASCII digits, got '1_0'."),
        ({"noise_multiplier": "one"}, f"row 1: noise_multiplier must be {NUMBER}, got 'one'."),
        ({"sample_rate": 1.5}, "row 1: sample_rate must be a number in [0, 1], got 1.5."),
        ({"sample_rate": None}, "row 1: sample_rate must be given, or batch_size and dataset_size, got None."),
        ({"batch_size": 5}, "row 1: sample_rate must be given, or batch_size and dataset_size, got 'sample_rate, ba"),
        ({"steps": "4.5"}, "row 1: steps must be a whole number, got '4.5'."),
        ({"steps": None}, "row 1: steps must be given, or epochs, got None."),
        ({"epochs": 1}, "row 1: steps must be given, or epochs, got 'steps, epochs'."),
        ({"delta": 1.0}, "row 1: delta must be a number in (0, 1), got 1.0."),
        ({"delta": 0.0}, "row 1: delta must be a number in (0, 1), got 0.0."),
        ({"epsilon": -1}, "row 1: epsilon must be a finite number >= 0, got -1."),
        ({"accuracy": "good"}, f"row 1: accuracy must be {NUMBER}, got 'good'."),
        ({"accuracy": 1.0, "utility": 1.0}, "row 1: utility must be left out where an accuracy is given, got 1.0."),
        ({"noise_multplier": 1.0}, "row 1 must be without that column, or with noise_multiplier"),
        ({"detla": 1e-6}, "row 1 must be without that column, or with delta, got 'detla'."),
        ({"mu": 1.0}, "runs must be without a column of that name: it is one of the answers, got 'mu'."),
    ],
)  # fmt: skip
def test_rows_that_are_none(row: dict[str, Any], words: str) -> None:
    with pytest.raises(ny.InvalidParameter) as refusal:
        ny.table([{**ROW, **row}])
    assert str(refusal.value).startswith(words)


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        ([], "runs must be from 1 to 10,000 runs, got 0."), ([ROW] * 10_001, "runs must be from 1 to 10,000 runs"),
        (3, "runs must be the path of a CSV file, or a list of mappings"), (ROW, "runs must be the path of a CSV file"),
        ([3], "row 1 must be a mapping from names of columns, got 3."), ([{1: 2}], "row 1 must be a mapping"),
        ("nowhere.csv", "runs must be a file that can be read, got 'nowhere.csv'."),
        ([{**ROW, "name": "a"}] * 2, "name must be made of names that differ: each is that of one run, got 'a'."),
    ],
)  # fmt: skip
def test_runs_that_are_none(runs: Any, words: str) -> None:
    with pytest.raises(ny.InvalidParameter) as refusal:
        ny.table(runs)
    assert str(refusal.value).startswith(words)


@pytest.mark.parametrize("text", ["", "a,a\n1,2", "a,\n1,2", "# only notes", "a,b\n1", "a,b\n1,2,3"])
def test_csv_that_is_none(text: str) -> None:
    with pytest.raises(ny.InvalidParameter):
        read_csv(text)


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes(b"name\n\xff")
    (tmp_path / "long.csv").write_bytes(b"name\n" + b"1\n" * 600_000)
    with pytest.raises(ny.InvalidParameter, match="text in UTF-8"):
        ny.table(tmp_path / "latin.csv")
    with pytest.raises(ny.InvalidParameter, match="at most 1 MB long"):
        ny.table(tmp_path / "long.csv")


def test_csv_is_read_as_it_is_written(tmp_path: Path, paper: Table) -> None:
    path = tmp_path / "out.csv"
    paper.write(path)
    back = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    for line, row in zip(back, paper.records(), strict=True):
        assert all(float(line[name]) == row[name] for name in ("epsilon", "mu", "regret_mu", "divergence"))
    notes = "\ufeff# a note\n name , noise_multiplier,sample_rate,steps\n\n a , 2, .1, 400 \n"
    assert ny.table(read_csv(notes)).records()[0]["name"] == "a"
    assert runs_of(read_csv(notes), 1e-5)[0].steps == 400


def test_forms(tmp_path: Path) -> None:
    made = Table(
        (Column("name", "na_me"), Column("x", "x", "at most", 2, r"$x$"), Column("y", "y", "at least", 2),
         Column("z", "z")),
        (("a|b*c", 0.123, 0.129, None), ("$5 & %", math.inf, 1e-300, True)),
        "A caption.",
    )  # fmt: skip
    assert made.csv() == "name,x,y,z\na|b*c,0.123,0.129,\n$5 & %,inf,1e-300,yes\n"
    assert "| a\\|b\\*c     | 0.13 |   0.12 |     |\n" in str(made)
    assert r"na\_me & $x$ & y & z \\" in made.latex()
    assert r"a\textbar{}b*c & 0.13 & 0.12 &  \\" in made.latex()
    assert r"\$5 \& \% & inf" in made.latex()
    for name, text in (("t.csv", made.csv()), ("t.md", made.markdown()), ("t.tex", made.latex())):
        made.write(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8") == text
    with pytest.raises(ny.InvalidParameter, match=r"path must be a path that ends in .csv, .md, .tex"):
        made.write(tmp_path / "t.pdf")
    with pytest.raises(ny.InvalidParameter, match="a file that can be written"):
        made.write(tmp_path / "no" / "t.csv")


@examples(50, 2000)
@given(value=st.floats(0.0, 1e9), digits=st.integers(1, 9))
def test_what_is_printed_is_a_bound(value: float, digits: int) -> None:
    assert float(Column("x", "x", "at most", digits).text(value)) >= value
    assert float(Column("x", "x", "at least", digits).text(value)) <= value
    assert float(Column("x", "x").text(value)) == value
    assert outward(value, digits) == Column("x", "x", "at most", digits).text(value)


def test_the_documented_columns_are_those_that_are_read() -> None:
    told = ny.table.__doc__ or ""
    assert all(name in told for name in KNOWN)


def test_counts_as_spreadsheets_write_them() -> None:
    first = ny.table([{**ROW, "steps": 400}])["mu"]
    for steps in (400.0, np.float32(400.0), "400.0", "4e2", " 400 ".strip()):
        found = ny.table([{**ROW, "steps": steps}])
        assert found["mu"] == first
        assert found["steps"] == [400]
    text = "noise_multiplier,batch_size,dataset_size,steps\n2,1e5,1e6,4e2\n"
    assert runs_of(read_csv(text), 1e-5)[0].mechanism == ny.DPSGD(2.0, 0.1, 400)
    for steps in (4.5, "4.5", "1e400", "inf", "nan", "9" * 5000, math.inf):
        with pytest.raises(ny.InvalidParameter, match="row 1: steps must be"):
            ny.table([{**ROW, "steps": steps}])


def test_of_equal_costs_the_smaller_mu_is_better() -> None:
    """d is more private than the baseline, which costs nothing beyond itself: both certified to cost 0."""
    rows = [
        {**ROW, "name": "a", "accuracy": 90.0}, {**ROW, "name": "b", "accuracy": 95.0, "noise_multiplier": 1.5},
        {**ROW, "name": "d", "accuracy": 90.0, "noise_multiplier": 8.0},
    ]  # fmt: skip
    found = ny.table(rows, baseline="a")
    assert found["divergence"][0] == found["divergence"][2] == 0.0
    assert found["efficient"] == [False, True, True]
    twins = ny.table([rows[0], {**rows[0], "name": "e"}], baseline="a")
    assert twins["efficient"] == [True, True]


def test_a_table_is_asked_like_a_frame(paper: Table) -> None:
    assert list(paper) == [column.name for column in paper.columns]
    assert len(paper) == len(paper.rows) == 10
    assert "mu" in paper
    assert "luck" not in paper
    assert 3 not in paper


@pytest.mark.parametrize(("mark", "word"), [(";", "Semicolons"), ("\t", "Tabs")])
def test_columns_that_no_comma_separates(tmp_path: Path, mark: str, word: str) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(mark.join(["noise_multiplier", "sample_rate", "steps"]) + "\n" + mark.join(["2,0", "0,1", "400"]))
    with pytest.raises(
        ny.InvalidParameter, match=f"runs must be CSV with commas between its columns, .* {word} separate"
    ):
        ny.table(path)


def test_an_adjacency_of_its_own() -> None:
    same = ny.table([{**ROW, "adjacency": "add"}, {**ROW, "name": "b", "adjacency": None}], adjacency="add")
    assert same["adjacency"] == ["add", ""]
    with pytest.raises(
        ny.InvalidParameter, match="row 2: adjacency must be empty, or 'add_or_remove', as the table's, g"
    ):
        ny.table([ROW, {**ROW, "adjacency": "replace"}])


def test_what_was_answered_is_not_asked_again() -> None:
    pandas = pytest.importorskip("pandas")
    made = ny.table([{**ROW, "name": "a", "epsilon": 9.0}])
    with pytest.raises(ny.InvalidParameter, match=r"it is one of the answers.*the columns of the runs alone"):
        ny.table(pandas.DataFrame(made.records()).to_dict("records"))
    frame = pandas.DataFrame(made.records())[["name", "noise_multiplier", "sample_rate", "steps", "delta"]]
    assert ny.table(frame.to_dict("records"))["mu"] == made["mu"]


def test_a_run_that_is_refused_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its numbers are missing and its reason stands; whether others are efficient is open where it might be better."""
    rows = [{**ROW, "name": name, "noise_multiplier": noise, "accuracy": useful, "epsilon": 9.0}
            for name, noise, useful in (("a", 2.0, 70), ("b", 3.0, 80), ("c", 4.0, 60), ("d", 3.5, 90))]  # fmt: skip
    whole = ny.table(rows, baseline="a")
    epsilon, refused = ny.Guarantee.epsilon, ny.account(ny.DPSGD(3.0, 0.1, 400)).epsilon(1e-5)

    def ask(self: Any, delta: Any) -> Any:
        found = epsilon(self, delta)
        if found == refused:
            raise ny.NotCertified("epsilon", 0.0, 1.0, "too wide")
        return found

    monkeypatch.setattr(ny.Guarantee, "epsilon", ask)
    found = ny.table(rows, baseline="a")
    assert "refused" not in whole
    assert [bool(why) for why in found["refused"]] == [False, True, False, False]
    assert "too wide" in str(found["refused"][1])
    for name in ("epsilon", "regret_epsilon", "mu", "regret_mu", "advantage"):
        assert found[name][1] is None
        assert [found[name][i] for i in (0, 2, 3)] == [whole[name][i] for i in (0, 2, 3)]
    assert found["divergence"] == whole["divergence"]
    assert found["stated_holds"] == [True, "undecided", True, True]
    assert whole["efficient"] == [False, False, True, True]
    assert found["efficient"] == [False, None, "undecided", True]
    assert "too wide" in found.csv()
    assert "too wide" in found.markdown()
    assert "too wide" in found.latex()
