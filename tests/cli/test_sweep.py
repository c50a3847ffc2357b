"""The command ``neyman sweep``: its file, what it prints and refuses, Ctrl-C and going on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import neyman as ny
from neyman.cli.main import main
from neyman.cli.reading.sweep_spec import read_sweep
from tests.cli.said import message

SPEC = {
    "noise_multiplier": [2, 1],
    "sample_rate": {"geomspace": [1e-2, 1, 3]},
    "steps": {"linspace": [400, 1000, 2]},
    "quantities": ["mu", "beta(0.1)"],
}
EXAMPLES = Path(__file__).parents[2] / "examples"
HELD = """
import signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores Ctrl-C
from neyman.cli.main import main
from neyman.cli.reading.sweep_spec import read_sweep
from neyman.sweeps.store import Store

def take(self, number, found, take=Store.take, taken=[]):
    taken.append(take(self, number, found))
    while len(taken) == 2:
        time.sleep(0.05)

Store.take = take
main()
"""  # the command, held where two blocks are kept and before a third is

ADVICE = "read it with xarray.open_dataset, or run the same command again to add to it.\n"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command in a directory of its own; returns code, output, error."""
    monkeypatch.chdir(tmp_path)
    Path("spec.json").write_text(json.dumps(SPEC))

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["sweep", *arguments])
        out, err = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, out, message(err)

    return run


def grid() -> dict[str, Any]:
    return {"noise_multiplier": [2.0, 1.0], "sample_rate": np.geomspace(1e-2, 1.0, 3), "steps": [400, 1000]}


def test_file_and_table(call: Any) -> None:
    code, out, err = call("spec.json", "-o", "out.nc")
    assert (code, err) == (0, f"out.nc: {ADVICE}")
    found = ny.sweep(**grid(), quantities=SPEC["quantities"], workers=1)
    with xr.open_dataset("out.nc") as written:
        xr.testing.assert_identical(written, found)
    assert sorted(os.listdir()) == ["out.nc", "spec.json"]
    assert "out.nc: 12 settings of DPSGD" in out
    (row,) = [line.split() for line in out.splitlines() if line.lstrip().startswith("beta(0.1)")]
    least, largest = map(float, row[-2:])
    assert row[1:3] == ["lower", "bound"]
    assert 0.0 <= found["beta(0.1)"].min() - least < 1e-6  # rounded to its side
    assert 0.0 <= found["beta(0.1)"].max() - largest < 1e-6
    (row,) = [line.split() for line in out.splitlines() if line.lstrip().startswith("mu ")]
    assert 0.0 <= float(row[-1]) - found.mu.max() < 1e-4
    assert "computed 12, kept from earlier runs 0." in out


def test_json_and_a_second_run(call: Any) -> None:
    call("spec.json", "-o", "out.nc")
    made = Path("out.nc").stat().st_mtime_ns
    ny.sweep(**grid(), quantities=SPEC["quantities"], workers=1, store="out.nc.parts")  # left behind: tidied up
    code, out, err = call("spec.json", "-o", "out.nc", "--json")
    assert (code, err) == (0, f"out.nc: {ADVICE}")
    answer = json.loads(out)
    ranges = answer.pop("quantities")
    assert answer == {
        "schema": 1, "version": ny.__version__, "output": "out.nc",
        "adjacency": "add_or_remove", "tolerance": 1e-6, "floor": 1e-10, "effort": 10.0,
        "axes": {
            "noise_multiplier": {"count": 2, "min": 1.0, "max": 2.0},
            "sample_rate": {"count": 3, "min": 0.01, "max": 1.0},
            "steps": {"count": 2, "min": 400, "max": 1000},
        },
        "settings": 12, "computed": 0, "failed": 0,
    }  # fmt: skip
    assert ranges["mu"] == {
        "side": "upper bound",
        "min": ny.account(ny.DPSGD(2.0, 0.01, 400)).mu(),
        "max": ny.account(ny.DPSGD(1.0, 1.0, 1000)).mu(),
    }
    assert Path("out.nc").stat().st_mtime_ns == made
    assert sorted(os.listdir()) == ["out.nc", "spec.json"]


def test_what_cannot_be_certified_is_counted(call: Any) -> None:
    Path("one.yaml").write_text("{noise_multiplier: 1, sample_rate: 1e-3, steps: 1000}")
    code, out, err = call("one.yaml", "-o", "out.nc", "--tolerance", "1e-12", "--json")
    assert (code, err) == (0, f"out.nc: {ADVICE}")
    answer = json.loads(out)
    assert (answer["failed"], answer["quantities"]["mu"]["min"]) == (1, None)
    code, out, _ = call("one.yaml", "-o", "out.nc", "--tolerance", "1e-12")
    assert code == 0
    assert "1 settings have a value that cannot be certified: NaN, see reason" in out


@pytest.mark.slow  # in every run by tests/cli/test_whole.py, as it is printed
def test_example(call: Any) -> None:
    example = Path(__file__).parents[2] / "examples" / "sweep.yaml"
    code, out, err = call(str(example), "-o", "out.nc", "--json", "--workers", "1")
    assert (code, err) == (0, f"out.nc: {ADVICE}")
    assert json.loads(out)["settings"] == 45


def test_other_files_are_not_written_over(call: Any) -> None:
    Path("out.nc").write_text("something")
    code, out, err = call("spec.json", "-o", "out.nc")
    assert (code, out) == (2, "")
    assert err == (
        "neyman: output must be a file that does not exist, or this very sweep, got 'out.nc'. "
        "It is there and holds something else; nothing is written over it.\n"
    )
    assert Path("out.nc").read_text() == "something"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["spec.json", "-o", "out.txt"], "output must be a path that ends in .nc or .csv or .parquet, or -, got 'out."),
        (["spec.json", "-o", "spec.json"], "output must be a path that ends in .nc or .csv or .parquet, or -, got 'sp"),
        (["spec.json", "-o", "out.nc", "--format", "csv"], "format must be left out, or nc as the file is named, got"),
        (["spec.json", "-o", "-", "--format", "xlsx"], "format must be one of nc, csv, parquet, got 'xlsx'."),
        (["spec.json", "-o", "/proc/out.nc", "--workers", "1"], "store must be a directory that can be written"),
        (["spec.json", "-o", "no/out.nc"], "output must be in a directory that exists, got 'no/out.nc'."),
        (["none.json", "-o", "out.nc"], "SPEC must be a file that can be read, got 'none.json'."),
        (["spec.json", "-o", "out.nc", "--floor", "1"], "floor must be a number in (0, 0.5), got 1.0."),
        (["spec.json", "-o", "out.nc", "--workers", "0"], "workers must be a whole number from 1 to 1e+03, got 0."),
        (["spec.json", "-o", "out.nc", "--workers", "2", "--scheduler", "x"],
         "workers must be left out where a scheduler is given, got 2."),
    ],
)  # fmt: skip
def test_refused_arguments(call: Any, arguments: list[str], words: str) -> None:
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"neyman: {words}")
    assert not Path("out.nc").exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"steps": ...}, "axes must be named noise_multiplier; sample_rate, or batch_size and"),
        ({"sigma": 1}, "Unknown: sigma. The axes are noise_multiplier, sample_rate, batch_size, dataset"),
        ({"steps": {"linspace": [1, 10, 5]}}, "steps must be whole numbers: they do not come out whole, got {'l"),
        ({"sample_rate": {"geomspace": [0, 1, 3]}}, "first of sample_rate must be a finite number > 0, got 0."),
        ({"sample_rate": {"geomspace": [0.1, 1]}}, "SPEC spec.json: sample_rate must be a number, a list of numbers,"),
        ({"sample_rate": {"geomspace": [0.1, 1, 1]}}, "count of sample_rate must be a whole number from 2 to 1e+07"),
        ({"steps": [1, 1]}, "SPEC spec.json: steps must be made of values that differ: each is a label, got 1."),
        ({"quantities": ["mu", 3]}, "SPEC spec.json: quantity must be one of mu, regret,"),
    ],
)  # fmt: skip
def test_refused_specs(call: Any, changes: dict[str, Any], words: str) -> None:
    spec = {key: value for key, value in {**SPEC, **changes}.items() if value is not ...}
    Path("spec.json").write_text(json.dumps(spec))
    code, out, err = call("spec.json", "-o", "out.nc")
    assert (code, out) == (2, "")
    assert words in err


def test_not_a_mapping(call: Any) -> None:
    Path("spec.json").write_text("[1]")
    assert call("spec.json", "-o", "out.nc")[2].startswith("neyman: SPEC spec.json must be a mapping with noise_mult")


def _begun(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HELD, "sweep", "spec.json", "-o", "out.nc", "--workers", "2"]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )  # fmt: skip


def _gone(group: int) -> bool:
    """Whether no process of the group is left, soon."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(os.name != "posix", reason="a terminal's Ctrl-C is sent to a process group")
@pytest.mark.parametrize("ending", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_interrupted_and_resumed(call: Any, tmp_path: Path, ending: signal.Signals) -> None:
    """Ctrl-C, or worse, on the way: what is done is kept, no process is left, and nothing is computed twice."""
    noises = {"noise_multiplier": {"geomspace": [1, 2, 32]}, "sample_rate": 1, "steps": [400, 1000]}
    Path("spec.json").write_text(json.dumps({**noises, "quantities": "mu"}))
    parts = tmp_path / "out.nc.parts"
    run = _begun(tmp_path)
    while run.poll() is None and len(list(parts.glob("block-*"))) < 2:
        time.sleep(0.005)
    os.killpg(run.pid, ending) if ending == signal.SIGINT else run.kill()
    out, err = run.communicate(timeout=60)
    assert _gone(run.pid)
    assert out == ""
    if ending == signal.SIGINT:
        assert run.returncode == 130
        assert "neyman: interrupted; what is done is kept in out.nc.parts, run it again to go on\n" in err
        assert "Traceback" not in err
    assert not Path("out.nc").exists()
    kept = {file.name: file.stat().st_mtime_ns for file in parts.glob("block-*")}
    assert len(kept) == 2
    code, out, err = call("spec.json", "-o", "out.nc", "--workers", "1", "--json")
    assert (code, err) == (0, f"out.nc: {ADVICE}")
    assert json.loads(out)["computed"] == 64 - 2 * 16
    with xr.open_dataset("out.nc") as written:
        whole = {"noise_multiplier": np.geomspace(1.0, 2.0, 32), "sample_rate": 1.0, "steps": [400, 1000]}
        xr.testing.assert_identical(written, ny.sweep(**whole, quantities="mu", workers=1))
    assert not parts.exists()


def test_on_a_cluster(call: Any) -> None:
    """One address is all that changes."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        code, out, err = call("spec.json", "-o", "out.nc", "--json", "--scheduler", cluster.scheduler_address)
        assert (code, err, json.loads(out)["computed"]) == (0, f"out.nc: {ADVICE}", 12)
    with xr.open_dataset("out.nc") as written:
        xr.testing.assert_identical(written, ny.sweep(**grid(), quantities=SPEC["quantities"], workers=1))
    assert call("spec.json", "-o", "other.nc", "--scheduler", "no address")[0] == 2


def rows(name: str) -> Any:
    import pandas as pd

    return pd.read_csv(name, keep_default_na=False, na_values={"mu_lower": [""], "mu_upper": [""]})


def test_rows_hold_both_ends_of_every_bracket(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last bit, in CSV and in Parquet, in the order of the grid, however few rows are held at once."""
    import pandas as pd

    monkeypatch.setattr("neyman.cli.printing.sweep_rows._AT_ONCE", 6)
    advice = {
        "out.csv": "read it with any spreadsheet, pandas or an editor.",
        "out.parquet": "read it with pandas.read_parquet, or any program that reads Parquet.",
    }
    for name, said in advice.items():
        code, out, err = call("spec.json", "-o", name, "--workers", "1")
        assert (code, err) == (0, f"{name}: {said}\n")
        assert f"{name}: 12 settings of DPSGD" in out
    assert sorted(os.listdir()) == ["out.csv", "out.parquet", "spec.json"]
    found = ny.sweep(**grid(), quantities=["mu", "optimistic.mu", "beta(0.1)", "optimistic.beta(0.1)"], workers=1)
    names = ["mu_upper", "mu_lower", "beta(0.1)_lower", "beta(0.1)_upper"]
    columns = ["noise_multiplier", "sample_rate", "steps", "mu_lower", "mu_upper", "beta(0.1)_lower",
               "beta(0.1)_upper", "adjacency", "floor", "reason"]  # fmt: skip
    for frame in (rows("out.csv"), pd.read_parquet("out.parquet")):
        assert list(frame.columns) == columns
        for name, key in zip(names, found.data_vars, strict=False):
            assert np.array_equal(frame[name].to_numpy(), found[key].values.ravel())
        assert np.all(frame["mu_lower"] <= frame["mu_upper"])
        assert np.all(frame["beta(0.1)_lower"] <= frame["beta(0.1)_upper"])
        assert frame["noise_multiplier"].tolist() == [2.0] * 6 + [1.0] * 6
        assert frame["steps"].tolist() == [400, 1000] * 6
        assert set(frame["adjacency"]) == {"add_or_remove"}
        assert set(frame["floor"]) == {1e-10}
        assert set(frame["reason"]) == {""}


def test_what_parquet_says_of_the_whole_sweep(call: Any) -> None:
    from pyarrow import parquet

    calibrated()
    assert call("calibrated.json", "-o", "out.parquet", "--workers", "1")[0] == 0
    said = parquet.read_schema("out.parquet").metadata
    assert said[b"calibrated"] == b"noise_multiplier to Epsilon(value=8.0, delta=1e-05)"
    assert said[b"neyman_version"].decode() == ny.__version__
    table = parquet.read_table("out.parquet")
    assert table.column_names[2:4] == ["noise_multiplier", "noise_multiplier_missed"]
    assert table.column_names[4:6] == ["divergence_lower", "divergence_upper"]


def test_a_side_that_is_named_is_asked_once(call: Any) -> None:
    Path("spec.json").write_text(json.dumps({**SPEC, "quantities": ["optimistic. mu", "mu"]}))
    assert call("spec.json", "-o", "out.csv", "--workers", "1")[0] == 0
    assert list(rows("out.csv").columns)[3:5] == ["mu_lower", "mu_upper"]
    Path("spec.json").write_text(json.dumps({**SPEC, "quantities": ["mu", 3]}))
    assert call("spec.json", "-o", "other.csv")[0] == 2


def test_what_is_missing_in_a_row_has_its_reason(call: Any) -> None:
    Path("one.yaml").write_text("{noise_multiplier: 1, sample_rate: 1e-3, steps: 1000, quantities: mu}")
    assert call("one.yaml", "-o", "out.csv", "--tolerance", "1e-12")[0] == 0
    (row,) = rows("out.csv").to_dict("records")
    assert np.isnan(row["mu_upper"])
    assert row["reason"].startswith("mu: ")


def test_rows_on_standard_output(call: Any) -> None:
    call("spec.json", "-o", "out.csv", "--workers", "1")
    code, out, err = call("spec.json", "-o", "-", "--format", "csv", "--workers", "1")
    assert (code, out) == (0, Path("out.csv").read_text())
    assert "12 settings of DPSGD" in err


def test_rows_are_not_written_over(call: Any) -> None:
    Path("out.csv").write_text("something")
    code, out, err = call("spec.json", "-o", "out.csv")
    assert (code, out) == (2, "")
    assert err == "neyman: output must be a file that does not exist, got 'out.csv'. Nothing is written over it.\n"
    assert Path("out.csv").read_text() == "something"


def test_parquet_needs_an_extra(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said before anything is computed."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, out, err = call("spec.json", "-o", "out.parquet")
    assert (code, out, err) == (2, "", "neyman: sweep needs pyarrow: pip install 'neyman[parquet]'\n")
    assert os.listdir() == ["spec.json"]


def test_rows_go_on_where_they_were_interrupted(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full at the end costs no answers."""

    def fail(*_: object) -> None:
        raise ny.InvalidParameter("output", "out.csv", "a file that can be written", "No space left on device.")

    with monkeypatch.context() as full:
        full.setattr("neyman.cli.printing.swept.write_rows", fail)
        assert call("spec.json", "-o", "out.csv", "--workers", "1")[0] == 2
    assert sorted(os.listdir()) == ["out.csv.nc", "spec.json"]
    code, out, _ = call("spec.json", "-o", "out.csv", "--json")
    assert (code, json.loads(out)["computed"], json.loads(out)["output"]) == (0, 0, "out.csv")
    assert sorted(os.listdir()) == ["out.csv", "spec.json"]
    assert len(rows("out.csv")) == 12


def calibrated(**changes: Any) -> None:
    spec = {"noise_multiplier": {"calibrate": "epsilon=8,delta=1e-5"}, "sample_rate": [0.3, 1.0], "steps": 534,
            "quantities": ["divergence", "epsilon(1e-5)"], "baseline": "dpsgd:0.54,0.01,500"}  # fmt: skip
    Path("calibrated.json").write_text(json.dumps({**spec, **changes}))


def test_a_calibrated_axis_and_a_baseline(call: Any) -> None:
    calibrated()
    code, out, err = call("calibrated.json", "-o", "out.nc", "--workers", "1", "--json")
    assert (code, err) == (0, f"out.nc: {ADVICE}")
    said = json.loads(out)
    assert said["axes"].keys() == {"sample_rate", "steps"}
    assert said["quantities"]["noise_multiplier"]["side"] == "meets"
    with xr.open_dataset("out.nc", engine="h5netcdf") as found:
        same = ny.sweep(
            noise_multiplier=ny.targets.Epsilon(8.0, delta=1e-5), sample_rate=[0.3, 1.0], steps=534,
            quantities=["divergence", "epsilon(1e-5)"], baseline=ny.DPSGD(0.54, 0.01, 500), workers=1,
        )  # fmt: skip
        xr.testing.assert_equal(found.load(), same)
    code, out, _ = call("calibrated.json", "-o", "out.nc", "--workers", "1")
    assert code == 0
    assert "calibrated: noise_multiplier to Epsilon(value=8.0, delta=1e-05)" in out
    assert repr(float(same.noise_multiplier.max())) in out
    calibrated(
        noise_multiplier={"calibrate": ["mu=2", "divergence=0.1,baseline=dpsgd:0.54,0.01,500"]},
        baseline={"kind": "gaussian", "sigma": 2.0, "sensitivity": 1.0},
    )
    asked = read_sweep("calibrated.json", ("add_or_remove", 1e-6, 1e-10, 10.0))
    assert asked.job.baseline is not None
    assert asked.job.baseline.what == ny.Gaussian(2.0)
    assert asked.job.sought is not None
    assert asked.job.sought.shown == (
        f"Mu(value=2.0, floor=1e-10) & Divergence(value=0.1, baseline={ny.DPSGD(0.54, 0.01, 500)!r})"
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"noise_multiplier": {"calibrate": "epsilon=8"}}, "target must be epsilon=NUMBER,delta=NUMBER, got"),
        ({"noise_multiplier": {"calibrate": []}}, "calibrate of noise_multiplier must be a target, or a list of them"),
        ({"noise_multiplier": {"calibrate": 8}}, "calibrate of noise_multiplier must be a target, or a list of them"),
        ({"noise_multiplier": {"calibrated": "mu=1"}}, "noise_multiplier must be a number, a list of numbers, {geom"),
        ({"steps": {"calibrate": "mu=1"}}, "steps must be made of numbers, got Mu(value=1.0, floor=1e-10)."),
        ({"baseline": "dpsgd:1"}, "sample_rate must be given in exactly one way: sample_rate, or batch_size and"),
        ({"baseline": [1]}, "baseline must be a mechanism as in a file, or dpsgd:"),
        ({"baseline": {"kind": "gaussian", "sigma": -1.0, "sensitivity": 1.0}}, "baseline: sigma must be a"),
        ({"quantities": "mu"}, "baseline must be left out where none of divergence, reverse, distance is asked for"),
        ({"baseline": None}, "baseline must be a mechanism as in a file"),
    ],
)
def test_words_of_calibrated_files(call: Any, changes: dict[str, Any], words: str) -> None:
    calibrated(**changes)
    code, out, err = call("calibrated.json", "-o", "out.nc")
    assert (code, out) == (2, "")
    assert err.startswith(f"neyman: SPEC calibrated.json: {words}"), err
    assert not Path("out.nc").exists()


def test_the_calibrated_example_is_figure_6() -> None:
    """Of the divergence paper: its baseline, its (epsilon, delta), and the ends of its rates and steps."""
    asked = read_sweep(str(EXAMPLES / "sweep_calibrated.yaml"), ("add_or_remove", 1e-6, 1e-10, 10.0))
    assert asked.job.sought is not None
    assert (asked.job.sought.name, asked.job.sought.shown) == ("noise_multiplier", "Epsilon(value=8.0, delta=1e-05)")
    assert asked.job.baseline is not None
    assert asked.job.baseline.what == ny.DPSGD(0.54, 0.01, 500)
    rates, steps = (axis.values for axis in asked.axes)
    assert (min(rates), max(rates), steps) == (pytest.approx(0.04), pytest.approx(0.9), (534, 1500))
