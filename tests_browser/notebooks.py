"""The notebooks of examples/: run in a kernel, from top to bottom, and converted with all they show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter

__all__ = ["CARDS", "PICTURES", "SCHEMES", "converted"]

CARDS = {"ml_engineer": 4, "privacy_officer": 2, "researcher": 1}  # cells of each that end in what has a card
PICTURES = {"ml_engineer": 2, "privacy_officer": 2, "researcher": 3}
SCHEMES = ("light", "dark")
_EXAMPLES = Path(__file__).parent.parent / "examples"
# what the template would ask the network for: nothing of it is needed to show what is there
_ELSEWHERE = ("jquery_url", "require_js_url", "mathjax_url", "mermaid_js_url", "jupyter_widgets_base_url")


def converted(room: Path) -> dict[tuple[str, str], Path]:
    """Run each notebook once, in a folder of its own, and write its page by day and by night."""
    paths: dict[tuple[str, str], Path] = {}
    for name in CARDS:
        done = _run(name, room / name)
        for scheme in SCHEMES:
            paths[name, scheme] = room / f"{name}-{scheme}.html"
            paths[name, scheme].write_text(_page(done, scheme), encoding="utf-8")
    return paths


def _run(name: str, folder: Path) -> Any:
    folder.mkdir()
    notebook = nbformat.read(_EXAMPLES / f"{name}.ipynb", as_version=4)
    client = NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    return client.execute()


def _page(notebook: Any, scheme: str) -> str:
    exporter = HTMLExporter(template_name="lab", theme=scheme, **dict.fromkeys(_ELSEWHERE, ""))
    page, _ = exporter.from_notebook_node(notebook)
    return page
