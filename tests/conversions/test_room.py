"""The room as a whole: public as ``ny.conversions``, loaded when first asked for."""

from __future__ import annotations

import subprocess
import sys

import neyman as ny


def test_every_public_name_is_there():
    assert len(ny.conversions.__all__) == len(set(ny.conversions.__all__))
    for name in ny.conversions.__all__:
        assert getattr(ny.conversions, name).__doc__
    assert "conversions" in dir(ny)


def test_loaded_on_first_use():
    code = (
        "import sys, neyman as ny; assert not {'numpy', 'scipy', 'neyman.conversions'} & set(sys.modules); "
        "print(ny.conversions.laplace_epsilon(2.0))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "0.5\n"
