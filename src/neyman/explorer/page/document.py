"""The page as one file of HTML: it loads nothing, and obeys no program and no style but its own, by their hashes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from neyman._version import __version__

__all__ = ["page", "policy"]

_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}
_PLACES = re.compile(r"\{\{ (policy|version|style|data|program) \}\}")
_ENDS = re.compile(r"</(?:script|style)|<!--", re.IGNORECASE)


def page(data: Mapping[str, object], asks: bool = False, worker: bool = False) -> str:
    """Return the page.

    Parameters
    ----------
    data : mapping
        What it begins with, of JSON.
    asks : bool
        Whether it may ask where it came from; a file asks nobody.
    worker : bool
        Whether a Python may run beside it.

    Examples
    --------
    >>> found = page({"engine": "table", "given": ["</script>"]})
    >>> found[:15], "</script>" in found.split('id="neyman-explorer">')[1].split("</script>")[0]
    ('<!DOCTYPE html>', False)
    """
    block = json.dumps(data, allow_nan=False, separators=(",", ":")).translate(_ESCAPES)
    parts = {
        "policy": policy(asks, worker), "version": __version__, "style": _style(), "data": block, "program": _program()
    }  # fmt: skip
    return _PLACES.sub(lambda place: parts[place[1]], _read("explore.html"))


@cache
def policy(asks: bool = False, worker: bool = False) -> str:
    """Return the Content-Security-Policy: nothing from elsewhere, and no program but the page's own.

    A ``worker`` is begun from bytes that the page has: such a one obeys this policy, too, where one with an address of
    its own obeys what is sent with it, on a plain host nothing. ``blob:`` is no place that anybody else can write to.
    """
    whom = "'self'" if asks else "'none'"
    programs = "'wasm-unsafe-eval' blob:; worker-src blob:" if worker else ""
    own = f"'sha256-{_hash(_program())}' {programs}".rstrip()
    return (
        f"default-src 'none'; script-src {own}; "
        f"style-src 'sha256-{_hash(_style())}'; img-src data:; connect-src {whom}; base-uri 'none'; form-action 'none'"
    )


@cache
def _style() -> str:
    return _whole("explore.css")


@cache
def _program() -> str:
    """The parts of the one module, in their order."""
    order: list[str] = json.loads(_read("order.json"))
    return "\n".join(_whole(name) for name in order)


def _whole(name: str) -> str:
    """A file in which nothing ends the element that it stands in."""
    text = _read(name)
    found = _ENDS.search(text)
    if found is not None:
        raise ValueError(f"{name} must not contain {found[0]}")
    return text


def _read(name: str) -> str:
    return (files("neyman.explorer") / "page" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
