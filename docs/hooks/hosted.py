"""The explorer of the documentation: with the engine in it where the wheels are given, else with its table alone.

``NEYMAN_WHEELS`` names a folder with the wheels of NumPy and SciPy for Pyodide; ``NEYMAN_PYODIDE`` its npm package
(``node_modules/pyodide`` unless set). A folder that is not the right one stops the build.
"""

from __future__ import annotations

import json
import os

import explored  # pyright: ignore[reportMissingImports] (beside this file, whose folder MkDocs puts on the path)

PAGE = "explore.html"
_BASE = "explorer-engine/"


def files() -> dict[str, str | bytes]:
    """Return what the site holds of the explorer, by name."""
    wheels = os.environ.get("NEYMAN_WHEELS")
    if not wheels:
        return {PAGE: explored.page()}
    from neyman import __version__
    from neyman.explorer.browser.folder import carried
    from neyman.explorer.browser.runtime import runtime
    from neyman.explorer.exploring import USUAL_START
    from neyman.explorer.page.landmarks import landmarks

    table = json.loads(explored.TABLE.read_text(encoding="utf-8"))
    beside = {"given": [], "audit": None, "landmarks": landmarks(), "version": __version__}
    made = runtime(os.environ.get("NEYMAN_PYODIDE") or "node_modules/pyodide", wheels)
    found = carried({"table": table, "start": USUAL_START, **beside}, made, base=_BASE)
    return {PAGE: found.page, **{f"{_BASE}{file.name}": file.content for file in found.files}}
