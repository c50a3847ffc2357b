"""examples/opacus_digits.py trains within its budget; where Opacus is missing it says what to install."""

import math
import re
import runpy
import sys
from pathlib import Path

import pytest

import neyman as ny

SCRIPT = Path(__file__).parents[1] / "examples" / "opacus_digits.py"


def test_it_trains_within_the_budget(capsys):
    runpy.run_path(str(SCRIPT))["main"](["--epsilon", "3", "--epochs", "2"])
    said = capsys.readouterr().out
    assert "careful" not in said, said
    noise = float(re.search(r"noise multiplier ([\d.]+), rate 1/14$", said, re.MULTILINE)[1])
    found = [
        (float(right), float(spent)) for right, spent in re.findall(r"accuracy ([\d.]+) %, epsilon ([\d.]+)", said)
    ]
    assert len(found) == 2
    assert found[0][1] < found[1][1] <= 3.0
    assert found[1][0] > 30  # of ten classes
    calibrated = ny.noise_for_dpsgd(ny.targets.Epsilon(3.0, 1e-5), 1 / 14, 28).parameter
    assert math.isclose(noise, calibrated, rel_tol=1e-3)


@pytest.mark.parametrize("missing", ["opacus", "sklearn"])
def test_what_is_missing_is_named_with_its_command(missing, monkeypatch):
    main = runpy.run_path(str(SCRIPT))["main"]
    monkeypatch.setitem(sys.modules, missing, None)  # as if it were not installed
    package = {"opacus": "'opacus>=1.6'", "sklearn": "scikit-learn"}[missing]
    with pytest.raises(SystemExit, match=rf"pip install {re.escape(package)}$"):
        main([])
