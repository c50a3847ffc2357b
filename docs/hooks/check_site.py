"""Whether a built site stands alone: nothing that a page loads lies elsewhere, every picture is there, and what people
look for by name is found.

``python docs/hooks/check_site.py site``
"""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

_LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
_PASSIVE = ("canonical", "prev", "next", "alternate")  # links that are not loaded
SOUGHT = {  # what a newcomer types, and the page that answers: its title has the words, which the search ranks first
    "epochs": "dpsgd.html",
    "batch size": "dpsgd.html",
    "sensitivity index": "psi.html",
    "psi": "psi.html",
    "total variation": "glossary.html#total-variation",
    "analytic gaussian": "glossary.html#analytic-gaussian-mechanism",
    "perfect": "perfect-blatant.html",
    "blatant": "perfect-blatant.html",
    "sweep make axes": "sweep-make.html",
    "gallery": "gallery.html",
    "notebooks": "notebooks.html",
    "not certified": "errors.html#not-certified",
}


class _Loads(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        address = given.get(_LOADED.get(tag, ""))
        if address and given.get("rel") not in _PASSIVE:
            self.found.append(address)


def faults(site: Path) -> list[str]:
    """Return what is wrong, one line each."""
    wrong = []
    pages = sorted(site.rglob("*.html"))
    for page in pages:
        loads = _Loads()
        loads.feed(page.read_text(encoding="utf-8"))
        for address in loads.found:
            if address.startswith(("http:", "https:", "//")):
                wrong.append(f"{page.relative_to(site)} loads {address}")
            elif not address.startswith(("data:", "/")) and not (page.parent / re.split("[?#]", address)[0]).exists():
                wrong.append(f"{page.relative_to(site)} loads {address}, which is not there")
    return [*wrong, *not_found(site)] if pages else [f"{site} holds no page"]


def not_found(site: Path) -> list[str]:
    """Return what the search does not lead to, one line each."""
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    titles = {entry["location"]: _words(entry["title"]) for entry in index["docs"]}
    return [
        f"a search for {sought!r} does not find {place}"
        for sought, place in SOUGHT.items()
        if not _words(sought) <= titles.get(place, set())
    ]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", re.sub("<[^>]*>", " ", text).lower()))


if __name__ == "__main__":
    lines = faults(Path(sys.argv[1]))
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.exit(bool(lines))
