"""Whether a built site stands alone: nothing that a page loads lies elsewhere, and every picture is there.

``python docs/hooks/check_site.py site``
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path

_LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
_PASSIVE = ("canonical", "prev", "next", "alternate")  # links that are not loaded


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
            elif not address.startswith(("data:", "/")) and not (page.parent / address.split("?")[0]).exists():
                wrong.append(f"{page.relative_to(site)} loads {address}, which is not there")
    return wrong if pages else [f"{site} holds no page"]


if __name__ == "__main__":
    lines = faults(Path(sys.argv[1]))
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.exit(bool(lines))
