"""A report on paper: its page, printed by a browser that is on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from neyman._errors import InvalidParameter

__all__ = ["browser", "printed_page"]

_VARIABLE = "NEYMAN_BROWSER"
_NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge",
    "brave-browser",
)  # fmt: skip
_ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
_SECONDS = 120.0  # that printing may take; busy machines are slow, not wrong
_WAY_OUT = (
    "Install Chromium, Chrome or Edge (or name one in NEYMAN_BROWSER), or write -o run.html and print it to a file "
    "from any browser: its first page is one sheet of paper."
)


def browser() -> str:
    """Return the program that prints: the one that NEYMAN_BROWSER names, else the first that is found.

    Raises
    ------
    InvalidParameter
        If there is none.
    """
    named = os.environ.get(_VARIABLE)
    if named:
        found = shutil.which(named)
        if found is None:
            raise InvalidParameter(_VARIABLE, named, "a browser that can be run", _WAY_OUT)
        return found
    there = (*(shutil.which(name) for name in _NAMES), *(place for place in _ELSEWHERE if Path(place).is_file()))
    found = next((place for place in there if place), None)
    if found is None:
        raise InvalidParameter("output", ".pdf", "a form that this machine can write: no browser was found", _WAY_OUT)
    return found


def printed_page(page: str) -> bytes:
    """Return a page as PDF.

    Raises
    ------
    InvalidParameter
        If there is no browser, or it prints nothing.
    """
    program = browser()
    with tempfile.TemporaryDirectory(prefix="neyman-", ignore_cleanup_errors=True) as place:
        source, target = Path(place, "report.html"), Path(place, "report.pdf")
        source.write_text(page, encoding="utf-8")
        why = _run(program, place, source, target)
        content = target.read_bytes() if target.is_file() else b""
    if not content.startswith(b"%PDF-"):
        raise InvalidParameter("output", ".pdf", f"printed by {program}: {why or 'it wrote none'}", _WAY_OUT)
    return content


def _run(program: str, place: str, source: Path, target: Path) -> str:
    """Let the browser print; what it complains of, if it does not end by itself as it should."""
    command = [
        program, "--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync",
        f"--user-data-dir={place}/profile", "--no-pdf-header-footer", f"--print-to-pdf={target}",
        *(["--no-sandbox"] if _is_root() else []),  # Chromium refuses to run as root otherwise; the page is our own
        source.as_uri(),
    ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)  # noqa: S603 no shell
    except subprocess.TimeoutExpired:
        return f"it took longer than {_SECONDS:g} s"
    except OSError as error:
        return str(error.strerror or error)
    return "" if done.returncode == 0 else f"it left with {done.returncode}"


def _is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0
