"""What a sweep returns: equality with ``account``, labels, attributes, NetCDF and back, and what is NaN."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import neyman as ny
from tests.sweeps.grids import GRID, QUESTIONS, black_box


@pytest.fixture(scope="module")
def found() -> xr.Dataset:
    return ny.sweep(**GRID, quantities=QUESTIONS, workers=1)


def test_every_point_is_that_of_account(found: xr.Dataset) -> None:
    """To the last bit."""
    asked = (
        lambda g: g.mu(), lambda g: g.gdp().regret, lambda g: g.epsilon(1e-5),
        lambda g: g.optimistic.epsilon(1e-5), lambda g: g.beta(0.01),
    )  # fmt: skip
    for setting in product(*GRID.values()):
        g = ny.account(ny.DPSGD(*setting))
        here = found.sel(dict(zip(GRID, setting, strict=True)))
        assert [float(here[key]) for key in QUESTIONS] == [ask(g) for ask in asked]
    assert not found.status.any()


@pytest.mark.slow
def test_order_and_names_of_axes(found: xr.Dataset) -> None:
    assert found.mu.dims == ("noise_multiplier", "sample_rate", "steps")
    assert found.steps.values.tolist() == [1000, 400, 1]
    assert found.steps.dtype == np.int64
    assert found.noise_multiplier.values.tolist() == [2.0, 1.0]
    swapped = ny.sweep(axes=dict(reversed(GRID.items())), quantities=QUESTIONS, workers=1)
    assert swapped.identical(found)


def test_selection_by_label(found: xr.Dataset) -> None:
    near = found.mu.sel(noise_multiplier=1.0, steps=400).sel(sample_rate=0.05, method="nearest")
    assert float(near) == ny.account(ny.DPSGD(1.0, float(near.sample_rate), 400)).mu()
    assert bool((found.mu.sel(noise_multiplier=1.0) >= found.mu.sel(noise_multiplier=2.0)).all())


def test_attributes(found: xr.Dataset) -> None:
    assert found.attrs == {
        "title": "certified privacy guarantees of DPSGD", "schema": 1, "neyman_version": ny.__version__,
        "mechanism": "DPSGD", "adjacency": "add_or_remove", "tolerance": 1e-6, "floor": 1e-10,
        "effort": 10.0, "settings": 18, "failed": 0, "sweep": found.attrs["sweep"],
    }  # fmt: skip
    above, below = "upper bound: the truth is at most this", "lower bound: the truth is at least this"
    sides = {key: found[key].attrs["side"] for key in QUESTIONS}
    assert list(sides.values()) == [above, above, above, below, below]
    assert found.mu.attrs == {
        "long_name": "least mu of Gaussian DP above the floor", "units": "1", "side": above, "floor": 1e-10,
    }  # fmt: skip
    assert found["epsilon(1e-5)"].attrs["delta"] == 1e-5
    assert found.steps.attrs == {"long_name": "number of steps", "units": "1"}


def test_netcdf_and_back(found: xr.Dataset, tmp_path: Path) -> None:
    found.to_netcdf(tmp_path / "sweep.nc")
    with xr.open_dataset(tmp_path / "sweep.nc") as again:
        assert again.identical(found)


def test_scalars_are_axes_of_one_value() -> None:
    found = ny.sweep(noise_multiplier=1, sample_rate=np.float64(0.01), steps=np.int64(1000), quantities="auc")
    assert found.auc.shape == (1, 1, 1)
    assert found.auc.item() == ny.account(ny.DPSGD(1.0, 0.01, 1000)).auc


def test_any_mechanism() -> None:
    questions = ["rho", "renyi(2)", "tail_mu", "auc", "fixed_point", "delta(1)", "tpr(0.1)", "bayes_error(0.3)"]
    found = ny.sweep(lambda epsilon, n: ny.RandomizedResponse(epsilon) ** n, axes={"epsilon": [0.5, 1.0], "n": [1, 3]},
                     quantities=questions, workers=1)  # fmt: skip
    g = ny.account(ny.RandomizedResponse(1.0) ** 3)
    here = found.sel(epsilon=1.0, n=3)
    expected = [g.zcdp(), g.renyi(2.0), g.tail_mu, g.auc, g.fixed_point, g.delta(1.0), g.roc(0.1), g.bayes_error(0.3)]
    assert [float(here[key]) for key in questions] == expected


def test_floor_and_adjacency() -> None:
    found = ny.sweep(noise_multiplier=1.0, sample_rate=0.1, steps=9, quantities=["mu", "mu(1e-3)", "shortfall"],
                     floor=1e-6, adjacency="remove", tolerance=1e-5)  # fmt: skip
    g = ny.account(ny.DPSGD(1.0, 0.1, 9), "remove", 1e-5)
    assert (found.mu.item(), found["mu(1e-3)"].item()) == (g.mu(1e-6), g.mu(1e-3))
    assert found.shortfall.item() == g.gdp(1e-6).shortfall
    assert (found.mu.attrs["floor"], found["mu(1e-3)"].attrs["floor"], found.attrs["floor"]) == (1e-6, 1e-3, 1e-6)
    assert (found.attrs["adjacency"], found.attrs["tolerance"]) == ("remove", 1e-5)


def test_what_cannot_be_certified_is_nan_and_says_why() -> None:
    found = ny.sweep(noise_multiplier=1.0, sample_rate=[1.0, 1e-3], steps=10, tolerance=1e-12,
                     quantities=["mu", "optimistic.mu", "tpr(0.1)"])  # fmt: skip
    whole, sampled = found.isel(sample_rate=0).squeeze(), found.isel(sample_rate=1).squeeze()
    assert (int(whole.status), found.attrs["failed"]) == (0, 1)
    assert whole.mu == ny.account(ny.DPSGD(1.0, 1.0, 10)).mu()
    assert np.isnan(sampled.mu)
    with pytest.raises(ny.NotCertified) as wide:
        ny.account(ny.DPSGD(1.0, 1e-3, 10), tolerance=1e-12).mu()
    assert str(found.reason[int(sampled.status)].values) == f"mu: {wide.value}"
    assert wide.value.lower == sampled["optimistic.mu"]
    assert sampled["tpr(0.1)"] > 0.1


def test_what_the_effort_does_not_reach_is_nan_and_says_so() -> None:
    asked: dict[str, Any] = {"noise_multiplier": 0.6, "sample_rate": 0.02, "steps": 5, "quantities": "mu", "workers": 1}
    little, enough = ny.sweep(**asked, effort=1e-6), ny.sweep(**asked)
    assert (little.attrs["failed"], little.attrs["effort"]) == (1, 1e-6)
    assert "a larger effort" in str(little.reason.values[1])
    assert (enough.attrs["failed"], enough.attrs["effort"]) == (0, 10.0)
    assert little.attrs["sweep"] != enough.attrs["sweep"]


def test_a_setting_that_is_refused_is_nan_and_says_why() -> None:
    found = ny.sweep(black_box, axes={"rate": [1.0, 0.5, 0.25]}, adjacency="replace", quantities="advantage")
    assert found.advantage[0] == ny.account(ny.PureMechanism(1.0), "replace").advantage
    assert np.isnan(found.advantage[1:]).all()
    assert found.attrs["failed"] == 2
    assert "replace" in str(found.reason[int(found.status[2])].values)


def test_make_must_return_a_mechanism() -> None:
    with pytest.raises(ny.InvalidParameter) as refused:
        ny.sweep(lambda sigma: sigma, axes={"sigma": 1.0}, workers=1)
    assert str(refused.value) == "make(...) must be a Mechanism, got 1.0."


def test_nothing_heavy_is_imported_before_a_sweep() -> None:
    code = """
import sys, neyman
neyman.sweep
print([m for m in ("xarray", "dask", "distributed", "h5py", "pandas", "rich") if m in sys.modules])
sys.modules["h5netcdf"] = None
try:
    neyman.sweep(noise_multiplier=1.0, sample_rate=0.1, steps=1)
except ImportError as error:
    print(type(error).__mro__[1].__name__, error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\nNeymanError sweep needs h5netcdf: pip install 'neyman[sweep]'\n"


def test_bar_on_a_terminal_only(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    setting: Any = {"noise_multiplier": 1.0, "sample_rate": 1.0, "steps": [1, 2], "quantities": "advantage"}
    ny.sweep(**setting)
    assert capsys.readouterr() == ("", "")
    ny.sweep(**setting, progress=True)
    out, err = capsys.readouterr()
    assert (out, "2 of 2 settings" in err) == ("", True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("neyman._progress.PATIENCE", 0.0)
    ny.sweep(**setting)
    out, err = capsys.readouterr()
    assert (out, "2/2" in err) == ("", True)
    ny.sweep(**setting, progress=False)
    assert capsys.readouterr() == ("", "")
