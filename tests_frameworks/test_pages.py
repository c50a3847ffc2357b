"""What the documentation shows of other frameworks is run here, where they are, and prints what the page shows."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.examples import ROOT, Block, blocks, pages, same

SHOWN = [
    pytest.param(block, id=f"{page.stem}:{block.line}")
    for page in pages()
    for block in blocks(page.read_text(encoding="utf-8"))
    if block.why == "frameworks"
]
QUIET = "import warnings\nwarnings.simplefilter('ignore')\n"  # Opacus and PyTorch say what they say to every run


@pytest.mark.parametrize("block", SHOWN)
def test_a_block_runs_as_it_is(block: Block, tmp_path: Path) -> None:
    """Alone, in a process of its own: a reader copies one block."""
    found = subprocess.run([sys.executable, "-c", QUIET + block.code], cwd=tmp_path, capture_output=True, text=True,
                           timeout=300, check=False, env={**os.environ, "PYTHONPATH": str(ROOT / "src")})  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert same(block.shown or "", found.stdout), found.stdout


def test_there_are_such_blocks() -> None:
    assert len(SHOWN) >= 2
