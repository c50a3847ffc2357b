"""Every path into the package that the documentation names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = "|".join(sorted(path.name for path in (ROOT / "src/neyman").iterdir() if (path / "__init__.py").exists()))
NAMED = re.compile(
    rf"`(?:src/neyman/)?((?:{ROOMS})/[a-z_/]*[a-z_])(?:\.py)?(?:\.[A-Za-z_]+)?`|`((?:tests|docs|benchmarks)/[\w/.-]+)`"
)
PAGES = sorted([ROOT / "ARCHITECTURE.md", ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_paths_are_there(page: Path) -> None:
    missing = []
    for inside, elsewhere in NAMED.findall(page.read_text()):
        path = ROOT / elsewhere if elsewhere else ROOT / "src/neyman" / inside
        if not (path.exists() or any(path.parent.glob(f"{path.name}.*"))):
            missing.append(inside or elsewhere)
    assert not missing
