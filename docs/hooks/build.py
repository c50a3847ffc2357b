"""What the pages hold that is made while they are built: the help of every verb, and the pictures.

MkDocs calls the functions below by their names.
"""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from typing import Any

import gallery  # pyright: ignore[reportMissingImports] (beside this file: see on_config)

_MARK = re.compile(r"^<!-- (exit codes|help of neyman|help of every verb) -->$", re.MULTILINE)


def on_files(files: Any, *, config: Any) -> Any:
    """Add the pictures of the gallery to the site."""
    from mkdocs.structure.files import File

    for name, picture in gallery.pictures().items():
        files.append(File.generated(config, f"pictures/{name}.svg", content=picture))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the help of the verbs, and their exit codes, where a page asks for them: those of the code."""
    return _MARK.sub(lambda found: _MADE[found[1]](), markdown)


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


_MADE = {"exit codes": _codes, "help of neyman": lambda: _help(""), "help of every verb": _verbs}
