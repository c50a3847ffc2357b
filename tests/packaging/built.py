"""The wheel and the sdist of this source, built as a release is, without a network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["EPOCH", "ROOT", "build"]

ROOT = Path(__file__).parents[2]
EPOCH = 1_700_000_000  # stands for the time of a commit


def build(source: Path, into: Path, mask: int = 0o022) -> tuple[Path, Path]:
    """Build the source in ``source``; return the wheel and the sdist."""
    env = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)}
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(into)]
    subprocess.run(command, cwd=source, env=env, umask=mask, check=True, capture_output=True, timeout=120)
    (wheel,), (sdist,) = into.glob("*.whl"), into.glob("*.tar.gz")
    return wheel, sdist
