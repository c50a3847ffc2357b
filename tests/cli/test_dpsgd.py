"""The command ``neyman dpsgd``: what it prints, what it refuses and in which words, how it leaves."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import neyman as ny
from neyman.cli.main import main
from neyman.cli.verbs.schedule import RATE_WAYS
from tests.cli.said import message
from tests.effort import rest_slow

RUN = ["dpsgd", "--noise-multiplier", "1", "--sample-rate", "0.01", "--steps", "1000"]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        out, err = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, out, message(err)

    return run


def brackets(node: Any) -> list[tuple[float, float]]:
    """Every {"lower", "upper"} in a JSON answer."""
    if isinstance(node, dict):
        own = [(float(node["lower"]), float(node["upper"]))] if "lower" in node else []
        return own + [b for value in node.values() for b in brackets(value)]
    return [b for value in node for b in brackets(value)] if isinstance(node, list) else []


def test_table(call: Any) -> None:
    code, out, err = call(*RUN, "--delta", "1e-5")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == (
        "(epsilon <= 1.829, delta = 1e-5)-DP; the regret of mu, 0.0225, is above 0.01, so report the profile "
        "(epsilon at several deltas)."
    )
    assert lines[2] == "Gaussian(sigma=1.0, sensitivity=1.0).poisson(0.01) ** 1000"
    assert lines[3].startswith("adjacency add_or_remove, Poisson sampling, one record; method: ")
    assert re.search(r"mu-GDP, floor 1e-10 +\[0\.5222014, 0\.5222015\] +0\.5222015\b", out)
    assert re.search(r"epsilon at delta 1e-05 +\[1\.828236, 1\.828237\] +1\.828237\b", out)
    assert re.search(r"advantage \(TPR - FPR\) +\[0\.1610176, 0\.1610177\] +0\.1610177\b", out)
    assert "certified bracket" in out
    assert "delta 1e-06" not in out
    assert lines[-1] == str(ny.account(ny.DPSGD(1.0, 0.01, 1000)).gdp())
    assert "at error rates of 1e-10 and above (the floor)" in lines[-1]


def test_printed_brackets_hold_the_values(call: Any) -> None:
    """Rounding for print goes outward: what is shown is still a bound."""
    g = ny.account(ny.DPSGD(1.0, 0.01, 1000))
    _, out, _ = call(*RUN, "--delta", "1e-5", "--delta", "1e-9")
    shown = [tuple(map(float, pair)) for pair in re.findall(r"\[([0-9.e-]+), ([0-9.e-]+)\]", out)]
    true = [
        (g.optimistic.mu(), g.mu()),
        (g.optimistic.gdp().regret, g.gdp().regret),
        *((g.optimistic.epsilon(d), g.epsilon(d)) for d in (1e-5, 1e-9)),
        (g.optimistic.advantage, g.advantage),
        *((g.optimistic.roc(a), g.roc(a)) for a in (1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1)),
    ]
    assert len(shown) == len(true)
    for (low, high), (lower, upper) in zip(shown, true, strict=True):
        assert low <= lower <= upper <= high
        assert high - low <= 2e-6 * high


def test_json_is_the_answer_of_account(call: Any) -> None:
    code, out, err = call(*RUN, "--delta", "1e-5", "--delta", "1e-7", "--floor", "1e-6", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    g = ny.account(ny.DPSGD(1.0, 0.01, 1000))
    assert set(answer) == {
        "schema", "version", "headline", "mechanism", "adjacency", "tolerance", "method", "gdp", "epsilon", "advantage",
        "fixed_point", "tpr",
    }  # fmt: skip
    assert answer["schema"] == 1
    assert answer["version"] == ny.__version__
    assert ny.mechanism_from_dict(answer["mechanism"]) == ny.DPSGD(1.0, 0.01, 1000)
    assert (answer["adjacency"], answer["tolerance"], answer["method"]) == ("add_or_remove", 1e-6, g.method)
    assert answer["gdp"]["floor"] == 1e-6
    assert answer["gdp"]["mu"]["upper"] == pytest.approx(g.mu(1e-6), rel=1e-9)
    assert answer["gdp"]["regret"]["upper"] == pytest.approx(g.gdp(1e-6).regret, abs=1e-8)
    assert answer["gdp"]["tail_mu"] == g.tail_mu
    assert answer["gdp"]["shortfall"] == pytest.approx(g.gdp(1e-6).shortfall, rel=1e-6)
    assert [row["delta"] for row in answer["epsilon"]] == [1e-5, 1e-7]
    for row in answer["epsilon"]:
        assert row["upper"] == pytest.approx(g.epsilon(row["delta"]), rel=1e-9)
        assert row["lower"] == pytest.approx(g.optimistic.epsilon(row["delta"]), rel=1e-9)
    assert answer["advantage"] == {"lower": g.optimistic.advantage, "upper": g.advantage}
    assert answer["fixed_point"] == pytest.approx((1.0 - g.advantage) / 2.0, rel=1e-9)
    for row in answer["tpr"]:
        assert row["upper"] == pytest.approx(g.roc(row["fpr"]), rel=1e-7)
    found = brackets(answer)
    assert len(found) == 3 + 2 + 7
    assert all(lower <= upper for lower, upper in found)


def test_default_deltas(call: Any) -> None:
    answer = json.loads(call(*RUN, "--json")[1])
    assert [row["delta"] for row in answer["epsilon"]] == [1e-5, 1e-6, 1e-9]


def mechanism(call: Any, *arguments: str) -> ny.Mechanism:
    code, out, err = call("dpsgd", "--noise-multiplier", "2", *arguments, "--json", "--delta", "1e-5")
    assert (code, err) == (0, "")
    assert all(lower <= upper for lower, upper in brackets(json.loads(out)))
    return ny.mechanism_from_dict(json.loads(out)["mechanism"])


@pytest.mark.parametrize(
    ("size", "batch", "epochs", "steps"),
    rest_slow([
        ("75", "1", "3", 225),  # 1/75 has no binary form: 224.99999 or 225.00001 must not matter
        ("10", "3", "1", 4),  # 3 1/3 steps, rounded up
        ("60000", "256", "0.001", 1),
        ("49", "7", "0.1", 1),
        ("50000", "500", "1.5", 150),
        ("3", "3", "2", 2),
    ], 0, 1, 2),
)  # fmt: skip
def test_epochs_are_rounded_up(call: Any, size: str, batch: str, epochs: str, steps: int) -> None:
    found = mechanism(call, "--dataset-size", size, "--batch-size", batch, "--epochs", epochs)
    assert found == ny.DPSGD(2.0, int(batch) / int(size), steps) or found == ny.DPSGD(
        2.0, float.fromhex(((int(batch) / int(size)) * (1.0 + 2.0**-52)).hex()), steps
    )


def test_the_rate_of_a_batch_is_never_rounded_down(call: Any) -> None:
    from fractions import Fraction

    found: Any = mechanism(call, "--dataset-size", "10", "--batch-size", "3", "--steps", "2").to_dict()
    rate = found["of"]["rate"]
    assert Fraction(3, 10) <= Fraction(rate) <= Fraction(3, 10) * (1 + Fraction(1, 2**51))


def test_epochs_count_by_the_decimal_that_was_typed(call: Any) -> None:
    assert mechanism(call, "--sample-rate", "0.1", "--epochs", "3") == ny.DPSGD(2.0, 0.1, 30)
    assert mechanism(call, "--sample-rate", "0.3", "--epochs", "0.9") == ny.DPSGD(2.0, 0.3, 3)
    assert mechanism(call, "--sample-rate", "0.3", "--epochs", "1") == ny.DPSGD(2.0, 0.3, 4)


@pytest.mark.parametrize("nothing", [("--steps", "0"), ("--sample-rate", "0")])
def test_nothing_run_is_perfect_privacy(call: Any, nothing: tuple[str, str]) -> None:
    code, out, err = call(*RUN, *nothing, "--json")
    answer = json.loads(out)
    assert (code, err) == (0, "")
    assert answer["gdp"]["mu"] == {"lower": 0.0, "upper": 0.0}
    assert all((row["lower"], row["upper"]) == (0.0, 0.0) for row in answer["epsilon"])
    assert answer["advantage"] == {"lower": 0.0, "upper": 0.0}
    code, out, err = call(*RUN, *nothing)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "0-GDP (floor 1e-10): perfect privacy, with no exception below the floor."


def test_full_batches_have_a_closed_form(call: Any) -> None:
    answer = json.loads(call("dpsgd", "--noise-multiplier", "2", "--sample-rate", "1", "--steps", "4", "--json")[1])
    assert answer["method"] == "closed form"
    assert answer["gdp"]["mu"]["lower"] <= 1.0 <= answer["gdp"]["mu"]["upper"] <= 1.0 + 1e-14
    assert answer["epsilon"][0]["upper"] == pytest.approx(4.37718, abs=1e-5)


def test_adjacency_is_passed_on(call: Any) -> None:
    deltas = {}
    for adjacency in ("add", "remove", "add_or_remove"):
        answer = json.loads(call(*RUN, "--adjacency", adjacency, "--json")[1])
        assert answer["adjacency"] == adjacency
        deltas[adjacency] = answer["epsilon"][0]["upper"]
    assert deltas["add"] < deltas["remove"] == pytest.approx(deltas["add_or_remove"], rel=1e-12)


def test_a_record_can_be_exchanged(call: Any) -> None:
    code, out, err = call(*RUN, "--adjacency", "replace", "--delta", "1e-5", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    g = ny.account(ny.DPSGD(1.0, 0.01, 1000), adjacency="replace")
    assert answer["adjacency"] == "replace"
    assert answer["epsilon"][0]["upper"] == pytest.approx(g.epsilon(1e-5), rel=1e-9)
    assert answer["advantage"] == {"lower": g.optimistic.advantage, "upper": g.advantage}
    either = ny.account(ny.DPSGD(1.0, 0.01, 1000))
    assert either.epsilon(1e-5) < answer["epsilon"][0]["lower"]
    code, out, err = call(*RUN, "--adjacency", "replace", "--delta", "1e-5")
    assert (code, err) == (0, "")
    assert out.splitlines()[3].startswith("adjacency replace, Poisson sampling, one record; method: ")


def test_version_and_help(call: Any) -> None:
    assert call("--version") == (0, f"neyman {ny.__version__}\n", "")
    for arguments in (["--help"], ["dpsgd", "--help"]):
        code, out, err = call(*arguments)
        assert (code, err) == (0, "")
        assert out.startswith("Usage: neyman")
    assert "--noise-multiplier" in out
    assert "0 answer 1 the answer is no" in " ".join(call("--help")[1].split())


def test_not_certified_is_exit_code_3_in_one_line(call: Any) -> None:
    code, out, err = call(*RUN, "--tolerance", "1e-12")
    assert code == 3
    assert "certified only to lie" in out
    found = re.fullmatch(
        r"neyman: (mu|delta)\(\S+\) is certified only to lie in \[(?P<low>\S+), (?P<high>\S+)\]: wider than the "
        r"tolerance 1e-12 asks; a larger --tolerance accepts it\.\n",
        err,
    )
    assert found
    assert float(found["low"]) <= float(found["high"])


BATCH = "It is the expected batch size over the data set size."
WRITE = "Write: neyman dpsgd --noise-multiplier 1"
COUNT = "a whole number from 0 to 1e+18"
WAY = "--sample-rate, or both --dataset-size and --batch-size"
NONE = "Without noise nothing is promised."
HALF = ["dpsgd", "--noise-multiplier", "1"]
REFUSED: list[tuple[list[str], str]] = [
    (
        [*RUN, "--noise-multiplier", "0"],
        f"noise_multiplier must be a finite number > 0, got 0.0. {NONE}",
    ),
    ([*RUN, "--noise-multiplier", "-1"], "noise_multiplier must be a finite number > 0, got -1.0."),
    ([*RUN, "--noise-multiplier", "nan"], "noise_multiplier must be a finite number > 0, got nan."),
    ([*RUN, "--noise-multiplier", "inf"], "noise_multiplier must be a finite number > 0, got inf."),
    ([*RUN, "--sample-rate", "1.5"], f"sample_rate must be a number in [0, 1], got 1.5. {BATCH}"),
    ([*RUN, "--sample-rate", "-0.1"], f"sample_rate must be a number in [0, 1], got -0.1. {BATCH}"),
    ([*RUN, "--sample-rate", "nan"], f"sample_rate must be a number in [0, 1], got nan. {BATCH}"),
    ([*RUN, "--steps", "-1"], f"steps must be {COUNT}, got -1."),
    ([*RUN, "--steps", "1" + "0" * 30], f"steps must be {COUNT}, got 1{'0' * 30}."),
    ([*RUN, "--delta", "0"], "delta must be a number in (0, 1), got 0.0."),
    ([*RUN, "--delta", "1.5"], "delta must be a number in (0, 1), got 1.5."),
    ([*RUN, "--delta", "1e-5", "--delta", "nan"], "delta must be a number in (0, 1), got nan."),
    (
        [*RUN, "--adjacency", "both"],
        (
            "adjacency must be one of 'add_or_remove', 'add', 'remove', 'replace', got 'both'. "
            "Did you mean 'add_or_remove'?"
        ),
    ),
    (
        [*RUN, "--floor", "0.5"],
        "floor must be a number in (0, 0.5), got 0.5. The promise of mu holds at error rates of floor and above.",
    ),
    (
        [*RUN, "--epochs", "3"],
        (
            f"steps must be given in exactly one way: --steps or --epochs, got 1000. {WRITE} --sample-rate 0.01 "
            "--steps 1000"
        ),
    ),
    (
        [*RUN, "--dataset-size", "75", "--batch-size", "1"],
        (
            f"sample_rate must be given in exactly one way: {WAY}, got 0.01. A batch size says it once more. {WRITE} "
            "--batch-size 1 --dataset-size 75 --steps 1000"
        ),
    ),
    (
        [*HALF, "--steps", "3"],
        f"sample_rate must be given in exactly one way: {WAY}, got None. {WRITE} --sample-rate 0.01 --steps 3",
    ),
    (
        [*HALF, "--sample-rate", "0.1"],
        (
            f"steps must be given in exactly one way: --steps or --epochs, got None. {WRITE} --sample-rate 0.1 --"
            "steps 1000"
        ),
    ),
    (
        [*HALF, "--dataset-size", "75", "--batch-size", "76", "--steps", "3"],
        "batch_size must be a whole number from 1 to the dataset size 75, got 76.",
    ),
    (
        [*HALF, "--dataset-size", "75", "--batch-size", "0", "--steps", "3"],
        "batch_size must be a whole number from 1 to the dataset size 75, got 0.",
    ),
    (
        [*HALF, "--dataset-size", "75", "--steps", "3"],
        (
            f"sample_rate must be {RATE_WAYS}, got None. The batch size is missing. {WRITE} --batch-size 1 "
            "--dataset-size 75 --steps 3"
        ),
    ),
    (
        [*HALF, "--batch-size", "75", "--steps", "3"],
        (
            f"sample_rate must be {RATE_WAYS}, got None. The dataset size is missing. {WRITE} --batch-size 75 "
            "--dataset-size 60000 --steps 3"
        ),
    ),
    (
        [*HALF, "--sample-rate", "0", "--epochs", "3"],
        "sample_rate must be > 0 where steps are counted in epochs, got 0.0.",
    ),
    ([*HALF, "--sample-rate", "0.1", "--epochs", "0"], "epochs must be a finite number > 0, got 0.0."),
    ([*HALF, "--sample-rate", "0.1", "--epochs", "nan"], "epochs must be a finite number > 0, got nan."),
    ([*HALF, "--sample-rate", "0.1", "--epochs", "inf"], "epochs must be a finite number > 0, got inf."),
    ([*HALF, "--sample-rate", "0.1", "--epochs", "1e30"], f"steps must be {COUNT}, got 1{'0' * 31}."),
]


@pytest.mark.parametrize(("arguments", "line"), REFUSED, ids=lambda v: v if isinstance(v, str) else "")
def test_bad_input_is_one_line_and_exit_code_2(call: Any, arguments: list[str], line: str) -> None:
    assert call(*arguments) == (2, "", f"neyman: {line}\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([*RUN, "--nope", "1"], "No such option"),
        ([*RUN, "extra"], "extra"),
        (["no-such-command"], "no-such-command"),
        (["dpsgd", "--sample-rate", "0.1", "--steps", "2"], "--noise-multiplier"),
        ([*RUN, "--noise-multiplier", "x"], "--noise-multiplier"),
        ([*RUN, "--steps", "2.5"], "--steps"),
        ([*RUN, "--steps", "1e30"], "steps must be a whole number"),
        ([*RUN, "--steps", "True"], "--steps"),
        ([*RUN, "--delta", "x"], "--delta"),
    ],
)
def test_what_the_parser_refuses_is_one_line_too(call: Any, arguments: list[str], words: str) -> None:
    """The words are the parser's, and change with its version: the option must be named, in one line."""
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("neyman: ")
    assert words in err
    assert err.count("\n") == 1
    assert err.endswith("\n")


def test_a_tolerance_outside_its_domain(call: Any) -> None:
    for value in ("0", "1", "nan", "-1e-6"):
        code, out, err = call(*RUN, "--tolerance", value)
        assert (code, out) == (2, "")
        assert re.fullmatch(r"neyman: tolerance must be a number in \S+ 1\), got \S+\.\n", err), err


def test_effort_is_counted_on_the_command_line_too(call: Any) -> None:
    arguments = ("dpsgd", "--noise-multiplier", "9.4", "--sample-rate", "0.32768", "--steps", "2000")
    code, _, err = call(*arguments, "--effort", "1e-6")
    assert code == 3
    assert "a larger --effort" in err
    code, _, err = call(*arguments, "--effort", "0")
    assert code == 2
    assert "effort must be" in err
