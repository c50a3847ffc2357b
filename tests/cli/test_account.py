"""The command ``neyman account``: what it reads, what it prints, and how it refuses what others wrote."""

from __future__ import annotations

import io
import json
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import neyman as ny
from neyman.cli.main import main
from neyman.understanding.spec import read_spec
from tests.cli.said import message
from tests.effort import rest_slow

EXAMPLES = Path(__file__).parents[2] / "examples"
G = {"kind": "gaussian", "sigma": 2.0, "sensitivity": 1.0}
SAMPLED = {"kind": "repeat", "times": 1000, "of": {"kind": "poisson", "rate": 0.01, "of": {**G, "sigma": 1.0}}}
YAML = """
# a run
schema: 1
kind: repeat
times: 1000
of:
  kind: poisson
  rate: 1e-2
  of: {kind: gaussian, sigma: 1, "sensitivity": 1.0}
"""


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command in a directory of its own; returns code, output, error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: str | None = None) -> tuple[int, str, str]:
        if stdin is not None:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as left:
            main(["account", *arguments])
        out, err = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, out, message(err)

    return run


def write(name: str, content: Any) -> str:
    if isinstance(content, bytes):
        Path(name).write_bytes(content)
    else:
        Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return name


def test_the_answer_is_that_of_dpsgd(call: Any, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(write("run.json", {"schema": 1, **SAMPLED}), "--delta", "1e-5")
    assert (code, err) == (0, "")
    assert out.splitlines()[3].startswith("adjacency add_or_remove, Poisson sampling, one record; method: ")
    with pytest.raises(SystemExit):
        main(["dpsgd", "--noise-multiplier", "1", "--sample-rate", "0.01", "--steps", "1000", "--delta", "1e-5"])
    assert capsys.readouterr().out == out


def test_options_are_those_of_dpsgd(call: Any) -> None:
    options = ("--delta", "1e-7", "--adjacency", "add", "--floor", "1e-6", "--tolerance", "1e-5", "--json")
    code, out, err = call(write("run.json", {"schema": 1, **SAMPLED}), *options)
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert ny.mechanism_from_dict(answer["mechanism"]) == ny.DPSGD(1.0, 0.01, 1000)
    assert (answer["adjacency"], answer["tolerance"], answer["gdp"]["floor"]) == ("add", 1e-5, 1e-6)
    assert [row["delta"] for row in answer["epsilon"]] == [1e-7]


def test_sampling_is_named_only_where_there_is_any(call: Any) -> None:
    code, out, err = call(write("one.json", {"schema": 1, **G}))
    assert (code, err) == (0, "")
    assert out.splitlines()[3] == "adjacency add_or_remove, one record; method: closed form"


def test_replace_doubles_an_unsampled_gaussian(call: Any) -> None:
    path = write("one.json", {"schema": 1, **G})
    answer = json.loads(call(path, "--adjacency", "replace", "--json")[1])
    assert answer["gdp"]["mu"]["lower"] <= 1.0 <= answer["gdp"]["mu"]["upper"] <= 1.0 + 1e-14


@pytest.mark.parametrize("name", ["run.yaml", "run.yml"])
def test_yaml(call: Any, name: str) -> None:
    code, out, err = call(write(name, YAML), "--json")
    assert (code, err) == (0, "")
    assert ny.mechanism_from_dict(json.loads(out)["mechanism"]) == ny.DPSGD(1.0, 0.01, 1000)


@pytest.mark.parametrize("text", [YAML, json.dumps({"schema": 1, **SAMPLED}), "\n " + json.dumps({"schema": 1, **G})])
def test_standard_input(call: Any, text: str) -> None:
    code, out, err = call("-", "--json", stdin=text)
    assert (code, err) == (0, "")
    assert json.loads(out)["mechanism"]["schema"] == 1


def test_json_is_what_to_dict_writes(call: Any) -> None:
    m = ny.Gaussian(9.4) * ny.DPSGD(1.0, 0.5, 3)
    code, out, _ = call(write("m.json", m.to_dict()), "--json")
    assert code == 0
    assert json.loads(out)["mechanism"] == m.to_dict()


EXTENSION = (
    "a file that ends in .json, .yaml, .yml or .html, or dpsgd:NOISE_MULTIPLIER,SAMPLE_RATE,STEPS, gaussian:SIGMA, "
    "laplace:SCALE, mu:MU, epsilon:EPSILON,DELTA or rho:RHO, or - for standard input"
)
LONG = "at most 1 MB long"
ALIKE = "Steps that are alike can be written once, with kind repeat."
NONE = "Without noise nothing is promised."
POSITIVE = "a finite number > 0"
NOT_JSON = "SPEC must be valid JSON, got 'm.json'. "
NOT_YAML = "SPEC must be valid YAML, got 'm.yaml'. "


def within(*of: Any) -> dict[str, Any]:
    return {"schema": 1, "kind": "compose", "of": list(of)}


REFUSED: list[tuple[str, Any, str]] = [
    ("run.txt", "{}", f"SPEC must be {EXTENSION}, got 'run.txt'."),
    ("m.json", b"", NOT_JSON + "Line 1, column 1: Expecting value."),
    ("m.json", b"\x80\x81", "SPEC must be text in UTF-8, got 'm.json'. Byte 0 is not."),
    ("m.yaml", b"\xff\xfe", "SPEC must be text in UTF-8, got 'm.yaml'. Byte 0 is not."),
    ("m.json", "{,", NOT_JSON + "Line 1, column 2: Expecting property name enclosed in "),
    ("m.json", '{"a": NaN}', NOT_JSON + "NaN is no number of JSON."),
    ("m.json", '{"a": -Infinity}', NOT_JSON + "-Infinity is no number of JSON."),
    ("m.json", '{"a": 1, "a": 1}', NOT_JSON + "The key 'a' stands twice in one place."),
    ("m.json", '{"a": ' + "1" * 5000 + "}", NOT_JSON + "Exceeds the limit"),
    ("m.json", "[]", "SPEC m.json: mechanism must be a dict, got []."),
    ("m.json", G, "SPEC m.json: schema must be present, got None. The present schema is 1."),
    ("m.json", within(G, {**G, "sigma": 0}), f"SPEC m.json: of[1].sigma must be {POSITIVE}, got 0. {NONE}"),
    ("m.json", '{"schema": 1, "kind": "gaussian", "sigma": 1e999, "sensitivity": 1}',
     f"SPEC m.json: sigma must be {POSITIVE}, got inf."),
    ("m.json", within({**G, "mu": 1}),
     "SPEC m.json: of[0].mu must be absent, got 1. The fields of kind 'gaussian' are sigma, sensitivity."),
    ("m.yaml", "", "SPEC m.yaml: mechanism must be a dict, got None."),
    ("m.yaml", "a: 1\nb: 2\na: 3", NOT_YAML + "Line 3, column 1: the key 'a' stands twice in one place."),
    ("m.yaml", "a: &x 1", NOT_YAML + "Line 1, column 4: anchors and aliases are not allowed."),
    ("m.yaml", "a: *x", NOT_YAML + "Line 1, column 4: anchors and aliases are not allowed."),
    ("m.yaml", "a: !!python/name:os.system", NOT_YAML + "Line 1, column 4: tags are not allowed."),
    ("m.yaml", "--- {}\n--- {}", NOT_YAML + "Line 2, column 1: but found another document."),
    ("m.yaml", "a: [1", NOT_YAML + "Line 1, column 6: expected ',' or ']'"),
    ("m.yaml", "? {a: 1}\n: 2", NOT_YAML + "Line 1, column 3: found unhashable key."),
    ("m.yaml", "\x00", NOT_YAML + "unacceptable character #x0000"),
    ("m.yaml", YAML.replace("sigma: 1,", "sigma: .nan,"), f"SPEC m.yaml: of.of.sigma must be {POSITIVE}, got '.nan'."),
    ("m.yaml", YAML.replace("sigma: 1,", "sigma: .inf,"), f"SPEC m.yaml: of.of.sigma must be {POSITIVE}, got '.inf'."),
    ("m.yaml", YAML.replace("sigma: 1,", "sigma: 1e999,"), f"SPEC m.yaml: of.of.sigma must be {POSITIVE}, got inf."),
    ("m.yaml", YAML.replace("sigma: 1,", "sigma: 010,"), f"SPEC m.yaml: of.of.sigma must be {POSITIVE}, got '010'."),
    ("m.yaml", YAML.replace("sigma: 1,", "sigma: yes,"), f"SPEC m.yaml: of.of.sigma must be {POSITIVE}, got 'yes'."),
    ("m.yaml", YAML.replace("sigma: 1,", "sigma: true,"), f"SPEC m.yaml: of.of.sigma must be {POSITIVE}, got True."),
    ("m.yaml", YAML.replace("1000", "1:30"), "SPEC m.yaml: times must be a whole number from 0 to 1e+18, got '1:30'."),
    ("m.yaml", YAML.replace("sigma: 1,", "sigma: ,"), f"SPEC m.yaml: of.of.sigma must be {POSITIVE}, got None."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "line"), REFUSED, ids=lambda v: str(v)[:40])
def test_refusals_name_the_file_and_the_path(call: Any, name: str, content: Any, line: str) -> None:
    code, out, err = call(write(name, content))
    assert (code, out) == (2, "")
    assert err.startswith(f"neyman: {line}")
    assert err == f"neyman: {line}\n" or not line.endswith(".")
    assert err.count("\n") == 1


def test_files_that_cannot_be_read(call: Any) -> None:
    Path("folder.json").mkdir()
    said = "neyman: SPEC must be a file that can be read, got '{}'. {}.\n"
    assert call("none.json") == (2, "", said.format("none.json", "No such file or directory"))
    assert call("folder.json") == (2, "", said.format("folder.json", "Is a directory"))
    assert call("folder.json/x.yaml") == (2, "", said.format("folder.json/x.yaml", "No such file or directory"))
    assert call("") == (2, "", f"neyman: SPEC must be {EXTENSION}, got ''.\n")


def test_a_run_of_dpsgd_needs_no_file(call: Any) -> None:
    Path("run.json").write_text(json.dumps(ny.DPSGD(1.0, 0.1, 10).to_dict()))
    assert call("dpsgd:1,0.1,10") == call("run.json")
    code, out, err = call("dpsgd:1,0.1")
    assert (code, out) == (2, "")
    assert err.startswith("neyman: steps must be given in exactly one way")
    assert err.endswith("Write: neyman account dpsgd:noise_multiplier=1.0,sample_rate=0.1,steps=1000\n")


def test_help_loads_nothing_heavy() -> None:
    code = "import sys, neyman.cli.main; print({'yaml', 'scipy', 'rich', 'dp_accounting'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


def test_the_file_is_asked_for(call: Any) -> None:
    code, out, err = call()
    assert (code, out) == (2, "")
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["deep.json", "deep.yaml", "-"])
def test_ten_megabytes_are_refused_unread(call: Any, name: str) -> None:
    text = '{"of":' * (10**7 // 6)
    began = time.process_time()
    code, out, err = call(name, stdin=text) if name == "-" else call(write(name, text))
    assert (code, out, err) == (2, "", f"neyman: SPEC must be {LONG}, got '{name}'. {ALIKE}\n")
    assert time.process_time() - began < 5.0


DEEP = [("deep.json", "["), ("-", "["), *(("deep.yaml", opening) for opening in ('{"of":', "{of: ", "- ", "? "))]


@pytest.mark.parametrize(("name", "opening"), [
    pytest.param(name, opening, marks=[] if (name, opening) in DEEP else pytest.mark.slow)
    for name in ("deep.json", "deep.yaml", "-") for opening in ("[", '{"of":', "{of: ", "- ", "? ", "[{", "'")
])  # fmt: skip
def test_deep_nesting_is_one_line(call: Any, name: str, opening: str) -> None:
    text = opening * (9 * 10**5 // len(opening))
    began = time.process_time()
    code, out, err = call(name, stdin=text) if name == "-" else call(write(name, text))
    assert (code, out) == (2, "")
    assert err.startswith("neyman: SPEC ")
    assert len(err) < 300
    assert err.count("\n") == 1
    assert time.process_time() - began < 20.0


def test_depth_between_the_parser_and_the_mechanism(call: Any) -> None:
    node: Any = G
    for _ in range(70):
        node = {"kind": "repeat", "times": 1, "of": node}
    for name in ("deep.json", "deep.yaml"):  # JSON is YAML
        code, out, err = call(write(name, {"schema": 1, **node}))
        assert (code, out) == (2, "")
        assert err.startswith(f"neyman: SPEC {name}: {'.'.join(['of'] * 64)} must be nested at most 64 deep, got ")
        assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["deepest.json", "deepest.yaml"])
def test_the_deepest_mechanism_can_be_written(tmp_path: Path, name: str) -> None:
    node: Any = {"kind": "tabulated", "p": [0.75, 0.25], "q": [0.25, 0.75]}
    for _ in range(63):
        node = {"kind": "compose", "of": [node]}
    path = tmp_path / name
    path.write_text(json.dumps({"schema": 1, **node}))
    assert read_spec(str(path)) == ny.Tabulated((0.75, 0.25), (0.25, 0.75))


CENSUS = (2, 27.4, 8.5, 13.1, 13.1, 23.8, 11.8, 0.3)  # percent of rho = 3.65, by geographic level
EXPECTED = {
    "census_topdown.json": ny.compose(
        ny.DiscreteGaussian(math.sqrt(10 / (2 * share / 100 * 3.65))) ** 10 for share in CENSUS
    ),
    "dpsgd_noise_schedule.json": ny.compose(
        ny.DPSGD(sigma, 0.01, steps) for sigma, steps in ((1.4, 800), (1.1, 800), (0.9, 400))
    ),
    "mixed_pipeline.yaml": ny.compose(
        [
            ny.Laplace(200.0) ** 100,
            ny.DPSGD(1.0, 0.01, 2000),
            ny.DiscreteGaussian(20.0) ** 10,
            ny.ApproximateMechanism(0.1, 1e-9),
        ]
    ),
}


def test_every_example_is_tested() -> None:
    specs = {path.name for path in EXAMPLES.iterdir() if path.suffix in (".json", ".yaml")}
    assert specs == {*EXPECTED, "sweep.yaml", "sweep_calibrated.yaml"}  # of which see test_sweep.py


@pytest.mark.parametrize("name", EXPECTED)
def test_examples_are_what_they_say(name: str) -> None:
    assert read_spec(str(EXAMPLES / name)) == EXPECTED[name]


def test_the_schedule_of_the_examples(call: Any) -> None:
    code, out, err = call(str(EXAMPLES / "dpsgd_noise_schedule.json"), "--delta", "1e-5", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)["epsilon"][0]
    best = ny.account(EXPECTED["dpsgd_noise_schedule.json"])
    assert found["upper"] == pytest.approx(best.epsilon(1e-5), rel=1e-9)


def test_the_census_is_very_nearly_gaussian(call: Any) -> None:
    path = str(EXAMPLES / "census_topdown.json")
    code, out, err = call(path, "--json", "--delta", "1e-10")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert f"{answer['gdp']['mu']['lower']:.3f}" == f"{answer['gdp']['mu']['upper']:.3f}" == "2.702"
    assert answer["gdp"]["regret"]["upper"] < 1e-4
    best = ny.account(EXPECTED["census_topdown.json"])
    assert answer["epsilon"][0]["lower"] <= best.epsilon(1e-10) <= answer["epsilon"][0]["upper"] * (1.0 + 1e-9)
    code, out, err = call(path)
    assert (code, err) == (0, "")
    assert "adjacency add_or_remove, one record; method: " in out
    assert "2.702-GDP" in out or "2.7020" in out or "2.7019" in out or "2.7018" in out


def test_a_pipeline_with_disclosed_mass_has_no_finite_mu(call: Any) -> None:
    """Its (epsilon, delta) tool may disclose with probability 1e-9, more than the floor 1e-10."""
    path = str(EXAMPLES / "mixed_pipeline.yaml")
    code, out, err = call(path, "--json", "--delta", "1e-6", "--delta", "1e-9")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert answer["gdp"]["mu"]["upper"] == answer["gdp"]["tail_mu"] == "inf"
    assert 0.0 < answer["gdp"]["mu"]["lower"] < math.inf
    assert 0.0 < answer["epsilon"][0]["lower"] <= answer["epsilon"][0]["upper"] < 4.0
    assert answer["epsilon"][1]["lower"] > 8.0
    assert ny.mechanism_from_dict(answer["mechanism"]) == EXPECTED["mixed_pipeline.yaml"]
    code, out, err = call(path, "--delta", "1e-6")
    assert (code, err) == (0, "")
    instead = "state epsilon(delta) or the whole trade-off curve instead."
    why = "No finite mu is promised: with a chance above 1e-10 (the floor) the output may reveal the record"
    assert out.splitlines()[-1] == f"{why}; {instead}"
    code, out, err = call(path, "--json", "--floor", "1e-6")
    assert (code, err) == (0, "")
    mu = json.loads(out)["gdp"]["mu"]
    assert 0.0 < mu["lower"] <= mu["upper"] < 1.0


@pytest.mark.parametrize("name", rest_slow(EXPECTED, "dpsgd_noise_schedule.json"))
def test_examples_under_every_adjacency(call: Any, name: str) -> None:
    worst = {}
    for adjacency in ("add", "remove", "add_or_remove", "replace"):
        code, out, err = call(
            str(EXAMPLES / name), "--adjacency", adjacency, "--json", "--delta", "1e-5", "--floor", "1e-6"
        )
        assert (code, err) == (0, "")
        answer = json.loads(out)
        assert answer["adjacency"] == adjacency
        worst[adjacency] = answer["epsilon"][0]["upper"]
    assert max(worst["add"], worst["remove"]) <= worst["add_or_remove"] * (1.0 + 1e-9)
    assert worst["add_or_remove"] < worst["replace"]


def test_a_record_of_dpsgd_can_be_exchanged(call: Any) -> None:
    path = write("run.json", {"schema": 1, **SAMPLED})
    code, out, err = call(path, "--adjacency", "replace", "--delta", "1e-5", "--json")
    assert (code, err) == (0, "")
    g = ny.account(ny.DPSGD(1.0, 0.01, 1000), adjacency="replace")
    assert json.loads(out)["epsilon"][0]["upper"] == pytest.approx(g.epsilon(1e-5), rel=1e-9)


def test_a_record_of_a_sampled_black_box_cannot(call: Any) -> None:
    box = {"kind": "poisson", "rate": 0.5, "of": {"kind": "pure_mechanism", "epsilon": 1.0}}
    code, out, err = call(write("box.json", {"schema": 1, **box}), "--adjacency", "replace")
    assert (code, out) == (2, "")
    assert err == (
        'neyman: adjacency must be one of "add_or_remove", "add", "remove" for a sampled PureMechanism, '
        "got 'replace'. No proof is known of which pair is worst when a record is exchanged inside a sampled "
        "black box.\n"
    )


def test_what_is_not_certified_leaves_with_code_3(call: Any) -> None:
    code, out, err = call(str(EXAMPLES / "dpsgd_noise_schedule.json"), "--tolerance", "1e-12")
    assert code == 3
    assert "epsilon at delta 1e-05" in out
    assert err.startswith("neyman: ")
    assert "is certified only to lie in [" in err
    assert err.count("\n") == 1
