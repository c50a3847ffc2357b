"""The forger's suite: every forgery is verified, and opened in a browser beside the genuine page.

Run from the top of the repository: python -m tests_browser.forge --count 20000 --seed 1

No forgery that looks, says or does anything else than the genuine page may hold. What a page says and does is asked of
the browser each time: its text and title, every picture, where everything stands, whether a program of the forger's
ran, and whether anything was asked for. What it looks like, pixel by pixel, is asked where the verdict is "holds".
"""

from __future__ import annotations

import argparse
import base64
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path

from playwright.sync_api import Browser, Error, Page, sync_playwright

import neyman as ny
from neyman.reports.forms.html import around_pictures
from neyman.reports.said.asked import guarantee_of
from neyman.reports.said.build import Inputs, written
from neyman.reports.said.document import Document
from neyman.reports.verifying.reading import read
from neyman.reports.verifying.recompute import examine
from neyman.reports.verifying.verification import concluded
from tests.reports.cases import drawn_once, remembering
from tests_browser.forger import Forgery, forgeries
from tests_browser.fragments import MARK

__all__ = ["Suite", "Tally", "genuine", "main"]

# each page in a frame of its own, from its bytes; everything that is asked of it is asked at once
_SEEN = f"""
async pages => {{
  const seen = [];
  for (const page of pages) {{
    const bytes = Uint8Array.from(atob(page), letter => letter.charCodeAt(0));
    const address = URL.createObjectURL(new Blob([bytes], {{type: 'text/html'}}));
    const frame = document.createElement('iframe');
    frame.style = 'width: 1000px; height: 800px; position: absolute; left: -4000px';  // laid out, not painted
    const loaded = new Promise(done => {{ frame.onload = done; setTimeout(done, 3000); }});
    frame.src = address;
    document.body.append(frame);
    await loaded;
    try {{
      const inside = frame.contentDocument, window = frame.contentWindow;
      const parts = [inside.title, inside.body ? inside.body.innerText : ''];
      parts.push(`${{window.length}} ${{inside.compatMode}}`);
      for (const svg of inside.querySelectorAll('svg')) parts.push(svg.outerHTML);
      for (const element of inside.querySelectorAll('body *:not(svg *)')) {{
        const r = element.getBoundingClientRect();
        parts.push(`${{r.x}},${{r.y}},${{r.width}},${{r.height}}`);
      }}
      parts.push(`${{window.performance.getEntriesByType('resource').length}} ${{inside.characterSet}}`);
      const whole = parts.join('\\u0001');
      let hash = 0;
      for (let i = 0; i < whole.length; i++) hash = (Math.imul(hash, 31) + whole.charCodeAt(i)) | 0;
      seen.push([hash, whole.length, window.{MARK} === 1]);
    }} catch (error) {{
      seen.push([0, 0, false]);  // it went elsewhere
    }}
    frame.remove();
    URL.revokeObjectURL(address);
  }}
  return seen;
}}
"""
_HOST = "http://forger.invalid/"
_BATCH = 25


def genuine() -> list[str]:
    """Return the pages that are forged: a Gaussian, and a black box without any mu, with few claims and thin pictures.

    Twenty thousand whole ones would take a browser hours; every kind of element is there, and compared as there.
    """
    typed = {
        "title": "A <b>bold</b> & \"quoted\" 'title'",
        "context": "first --> line\nsecond </script>",
        "unit": "person",
        "date": "2025-01-31",
    }
    reports = ny.report(ny.GDP(1.0)), ny.report(ny.ApproximateMechanism(1.0, 1e-5), **typed)
    return [_page(_short(report.document)) for report in reports]


def _page(document: Document) -> str:
    first, *rest = around_pictures(document)
    return first + "".join(f"{drawn}{part}" for drawn, part in zip(_thin(document), rest, strict=True))


def _short(told: Document) -> Document:
    claims = [claim for claim in told.claims if claim.quantity in _KEPT or claim.id in ("epsilon@1e-05", "tpr@0.1")]
    chosen = Inputs(told.title, told.unit, told.context, told.date, told.mechanism, told.floor, (1e-5,))
    guarantee = guarantee_of(told.mechanism, told.adjacency, told.certificate.tolerance)
    return written(guarantee, chosen, claims, told.certificate)


def _thin(document: Document) -> tuple[str, ...]:
    """The pictures without most of their letters and ticks."""
    return tuple(_thinned(svg) for svg in drawn_once(document))


def _thinned(svg: str) -> str:
    shapes = count()
    return _SHAPE.sub(lambda shape: shape[0] if next(shapes) < 12 else "", svg)


def _verified(path: Path) -> str:
    """The verdict on a file, in this process, with what was computed once."""
    found = read(path)
    return concluded(found, examine(found, 1e-6, remembering, _thin)).outcome


_SHAPE = re.compile(r"<(?:path|use)\b[^<>]*/>")
_KEPT = ("mu", "regret", "advantage", "posterior")


@dataclass
class Tally:
    """How many verdicts of each kind fell on pages that show the same, and on those that do not."""

    verdicts: Counter[tuple[bool, str]] = field(default_factory=Counter)
    ran: int = 0
    exceptions: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [
            f"  {'shows something else' if differs else 'shows the same':<22} {verdict:<14} {count}"
            for (differs, verdict), count in sorted(self.verdicts.items())
        ]
        total = sum(self.verdicts.values())
        return "\n".join([f"{total} forgeries, of which {self.ran} ran a program:", *lines,
                          f"exceptions: {len(self.exceptions)}", *self.exceptions])  # fmt: skip


class Suite:
    """Pages that are genuine, and a browser in which forgeries of them are opened."""

    def __init__(self, browser: Browser, room: Path) -> None:
        self.pages = genuine()
        self.tally = Tally()
        self._browser, self._room = browser, room
        self._file = room / "page.html"
        self._host = self._new()
        contents = [text.encode() for text in self.pages]
        self._right = self._seen(contents)
        assert self._right == self._seen(contents)  # what is asked of the browser is the same each time
        self._looks = [self._look(content) for content in contents]
        for content in contents:
            assert self._verdict(content) == "holds"

    def _new(self) -> Page:
        page = self._browser.new_page(viewport={"width": 1000, "height": 800})
        page.set_default_timeout(60_000)
        page.route("http*://**", lambda route: route.fulfill(content_type="text/html", body="<body></body>"))
        page.on("dialog", lambda dialog: dialog.dismiss())
        page.goto(_HOST)
        return page

    def _seen(self, contents: list[bytes]) -> list[tuple[int, int, bool]]:
        """What readers get of each page; one that cannot be asked is like no other."""
        try:
            found = self._host.evaluate(_SEEN, [base64.b64encode(content).decode() for content in contents])
            return [(number, length, ran) for number, length, ran in found]
        except Error:  # one of them took the browser with it
            self._host.close()
            self._host = self._new()
            return [(0, 0, False)] if len(contents) == 1 else [self._seen([content])[0] for content in contents]

    def _look(self, content: bytes) -> bytes:
        self._file.write_bytes(content)
        page = self._new()
        page.goto(self._file.as_uri())
        look = page.screenshot(full_page=True)
        page.close()
        return look

    def _verdict(self, content: bytes) -> str:
        self._file.write_bytes(content)
        try:
            return _verified(self._file)
        except ny.NeymanError:
            return "refused"

    def put(self, made: Sequence[tuple[int, Forgery]]) -> None:
        """Verify forgeries, open them, and count them."""
        found = self._seen([forgery.content for _, forgery in made])
        for (which, forgery), seen in zip(made, found, strict=True):
            verdict = self._verdict(forgery.content)
            differs = seen != self._right[which]
            if verdict == "holds" and not differs:
                differs = self._look(forgery.content) != self._looks[which]
            self.tally.ran += seen[-1]
            self.tally.verdicts[differs, verdict] += 1
            if differs and verdict == "holds":
                self.tally.exceptions.append(forgery.kind)
                (self._room / f"exception-{len(self.tally.exceptions)}.html").write_bytes(forgery.content)

    def run(self, seed: int, number: int) -> Iterator[int]:
        """Put so many forgeries to the test; yield how many there were so far."""
        rest = forgeries(self.pages, seed, number)
        done = 0
        while made := list(islice(rest, _BATCH)):
            self.put(made)
            done += len(made)
            yield done


def main() -> None:
    """Run it, print the counts, and leave with 1 if there was an exception."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    found = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))))
    room = Path(tempfile.mkdtemp(prefix="forger-"))
    began = time.monotonic()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found, args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        suite = Suite(browser, room)
        for number in suite.run(chosen.seed, chosen.count):
            if number % 1000 == 0:
                seconds = time.monotonic() - began
                print(f"{number} after {seconds:.0f} s, {len(suite.tally.exceptions)} exceptions", flush=True)
        browser.close()
    print(suite.tally)
    if suite.tally.exceptions:
        sys.exit(f"they are in {room}")
    shutil.rmtree(room)


if __name__ == "__main__":
    main()
