"""What the pages hold that is made while they are built: the help of every verb, the pictures, and their numbers.

MkDocs calls the functions below by their names.
"""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import gallery  # pyright: ignore[reportMissingImports] (beside this file, whose folder MkDocs puts on the path)
import hosted  # pyright: ignore[reportMissingImports] (likewise)
from themes import by_night, pairs  # pyright: ignore[reportMissingImports] (likewise)

_EXAMPLES = Path(__file__).parents[2] / "examples"
_MARK = re.compile(r"^<!-- (exit codes|help of neyman|help of every verb|data of every picture) -->$", re.MULTILINE)


def on_files(files: Any, *, config: Any) -> Any:
    """Add the pictures of the gallery, by day and by night, the notebooks, and the explorer to the site."""
    from mkdocs.structure.files import File

    for name, picture in gallery.pictures().items():
        files.append(File.generated(config, f"pictures/{name}.svg", content=picture))
        files.append(File.generated(config, f"pictures/{name}-dark.svg", content=by_night(picture)))
    for notebook in sorted(_EXAMPLES.glob("*.ipynb")):
        files.append(File.generated(config, f"notebooks/{notebook.name}", abs_src_path=str(notebook)))
    for name, content in hosted.files().items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the help of the verbs, and their exit codes, where a page asks for them, and pictures for both themes."""
    return pairs(_MARK.sub(lambda found: _MADE[found[1]](), markdown))


def _codes() -> str:
    from neyman.cli.exits import MEANINGS

    rows = "".join(f"| {code} | {meaning} |\n" for code, meaning in MEANINGS.items())
    return f"| code | meaning |\n|---|---|\n{rows}"


def _verbs() -> str:
    from neyman.cli.main import app

    names = [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]
    return "\n\n".join(f"## neyman {name}\n\n{_help(name)}" for name in names)


def _help(verb: str) -> str:
    """What ``neyman VERB --help`` prints."""
    from neyman.cli.main import main

    out = io.StringIO()
    with redirect_stdout(out):
        try:
            main([*([verb] if verb else []), "--help"])
        except SystemExit as left:
            if left.code:
                raise
    return f"```text\n{out.getvalue()}```"


def _data() -> str:
    """What each picture's ``data`` returns: in the code it is the docstring of a function of no public name."""
    from inspect import getdoc

    from neyman import plot

    found = {name: getattr(getattr(plot, name), "data", None) for name in plot.__all__}
    said = {name: (getdoc(twin) or "").partition(": ") for name, twin in found.items() if twin is not None}
    rows = "".join(f"| `{name}.data` | {' '.join(text.split())} |\n" for name, (_, _, text) in said.items())
    return f"| twin | columns and facts |\n|---|---|\n{rows}".replace("``", "`")


_MADE = {
    "exit codes": _codes,
    "help of neyman": lambda: _help(""),
    "help of every verb": _verbs,
    "data of every picture": _data,
}
