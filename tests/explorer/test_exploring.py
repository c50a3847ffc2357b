"""``ny.explore``: what is handed over, the page that is served, written or shown in a notebook."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import socket
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

import neyman as ny
from neyman.explorer import exploring
from neyman.explorer.asking.given import as_settings
from neyman.explorer.asking.settings import settings_of
from neyman.explorer.page import document
from neyman.explorer.page.document import page, policy
from neyman.explorer.page.evidence import evidence
from neyman.explorer.page.landmarks import landmarks
from neyman.explorer.tables.stops import Stops
from neyman.reports.said.landmarks import LANDMARKS
from neyman.understanding.subject import Subject

FEW = Stops(("1",), ("0.01",), ("100",), ("1e-5",))
RUN = "dpsgd:1,0.01,100"


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of one setting: the page around it is the same."""
    monkeypatch.setattr(exploring.Stops, "around", classmethod(lambda *_: FEW))


class Page(HTMLParser):
    """The scripts and styles of a page, its policy, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.blocks: list[tuple[str, dict[str, str | None], str]] = []
        self.loads: list[str] = []
        self.policy = ""
        self._open: tuple[str, dict[str, str | None]] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.loads += [value for name, value in attrs if name in ("src", "href") and value and value[0] != "#"]
        if told.get("http-equiv") == "Content-Security-Policy":
            self.policy = told["content"] or ""
        if tag in ("script", "style"):
            self._open = tag, told

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self.blocks.append((*self._open, data))
            self._open = None

    def block(self, kind: str) -> str:
        (found,) = [text for tag, told, text in self.blocks if (told.get("type") or tag) == kind]
        return found

    @property
    def data(self) -> Any:
        return json.loads(self.block("application/json"))


def named(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@pytest.mark.parametrize("asks", [True, False])
def test_the_policy_names_the_one_script_and_the_one_style(asks: bool) -> None:
    found = Page(page({"engine": "table"}, asks))
    assert found.policy == policy(asks)
    assert f"script-src 'sha256-{named(found.block('module'))}'" in found.policy
    assert f"style-src 'sha256-{named(found.block('style'))}'" in found.policy
    assert f"connect-src {chr(39)}{'self' if asks else 'none'}{chr(39)}" in found.policy
    assert "default-src 'none'" in found.policy
    assert "unsafe" not in found.policy
    assert not [one for one in found.loads if not one.startswith("data:")]


def test_nothing_that_is_handed_over_ends_a_script() -> None:
    bad = "</script><script>alert(1)</script><!-- \u2028 {{ data }} {{ program }} &amp;"
    found = Page(page({"given": [{"label": bad}]}))
    assert found.data["given"][0]["label"] == bad
    assert len(found.blocks) == 3


@pytest.mark.parametrize("text", ["a </script> b", "x </STYLE", "<!-- y"])
def test_a_part_that_would_end_its_element_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(document, "_read", lambda _: text)
    with pytest.raises(ValueError, match="must not contain"):
        document._whole("part.js")


def test_parts_stand_in_their_order() -> None:
    folder = Path(document.__file__).parent
    order = json.loads((folder / "order.json").read_text(encoding="utf-8"))
    assert sorted([*order, "worker.js"]) == sorted(path.name for path in folder.glob("*.js"))  # a program of its own
    program, at = Page(page({})).block("module"), 0
    for name in order:
        at = program.index((folder / name).read_text(encoding="utf-8"), at)


def test_it_is_served_when_its_address_is_asked_for_and_no_sooner() -> None:
    with ny.explore(ny.Laplace(1.0), RUN, ny.GDP(1.0), ["laplace:2", "laplace:2"]) as found:
        assert repr(found) == "<Explorer: not served yet: .open() or .url>"
        assert found.url == found.url
        with urlopen(found.url, timeout=30) as reply:
            data = Page(reply.read().decode()).data
        assert found.url in repr(found)
    assert repr(found) == "<Explorer: closed>"
    assert (data["engine"], data["table"], data["audit"]) == ("server", None, None)
    assert data["start"] == {"kind": "laplace", "scale": 1.0, "count": 1}
    assert [one["name"] for one in data["given"]] == ["spec1", "spec2", "spec3", "spec4"]
    assert [one["label"] for one in data["given"]][1] == RUN
    assert [one.get("settings", {}).get("kind") for one in data["given"]] == ["laplace", "dpsgd", None, "laplace"]
    assert data["given"][3]["settings"] == {"kind": "laplace", "scale": 2.0, "count": 2}
    assert data["landmarks"] == landmarks()
    assert len(landmarks()) == len(LANDMARKS)
    with pytest.raises(ny.InvalidParameter, match="explorer must be open"):
        _ = found.url
    found.close()


POISSON = {"kind": "dpsgd", "noise_multiplier": 1.5, "sample_rate": 0.02, "steps": 30, "sampling": "poisson"}
DEALT = {**POISSON, "noise_multiplier": 2.0, "sample_rate": "1/3", "steps": 12, "sampling": "allocation"}


@pytest.mark.parametrize(
    ("given", "settings"),
    [
        (ny.DPSGD(1.5, 0.02, 30), POISSON),
        (ny.Gaussian(2.0).allocated(3) ** 4, DEALT),
        (ny.Gaussian(2.0) ** 4, {"kind": "gaussian", "noise_multiplier": 2.0, "count": 4}),
        (ny.RandomizedResponse(1.0, 3), {"kind": "randomized_response", "epsilon": 1.0, "k": 3, "count": 1}),
        (ny.Gaussian(2.0, 3.0), None),
        (ny.Gaussian(2.0) * ny.Laplace(1.0), None),
        (ny.GDP(1.0), None),
        ("epsilon:1,1e-5", None),
        (ny.account(ny.DPSGD(1.5, 0.02, 30), adjacency="remove"), None),
    ],
    ids=range(9),
)
def test_sliders_that_say_the_same_promise_the_same(given: Any, settings: Any) -> None:
    found = ny.explore(given)
    (one,) = found._data["given"]  # type: ignore[misc]
    assert one.get("settings") == settings
    first: Any = found.answer()
    assert first["ok"], first
    answers = exploring.Answers(found._given)
    fixed: Any = answers({"v": 1, "ask": "promise", "settings": {"kind": "given", "name": "spec1"}})
    for name, number in fixed["numbers"].items():
        other = first["numbers"][name]["value"]
        assert number["value"] == (None if other is None else pytest.approx(other, rel=1e-6)), name
    assert fixed["settings"] == {"kind": "given", "name": "spec1"}
    copied: Any = answers({"v": 1, "ask": "copy", "settings": {"kind": "given", "name": "spec1"}})
    scope: dict[str, Any] = {"ny": ny}
    assert "ny.account(" in copied["python"]
    if not isinstance(given, ny.Guarantee):
        exec(copied["python"].replace("print(", "shown = ("), scope)
        assert scope["shown"][0] == pytest.approx(fixed["numbers"]["epsilon"]["value"], rel=1e-6)
    unknown: Any = answers({"v": 1, "ask": "promise", "settings": {"kind": "given", "name": "spec2"}})
    assert (unknown["ok"], unknown["parameter"]) == (False, "name")


@pytest.mark.usefixtures("few")
def test_a_file_asks_nobody_and_holds_its_table(tmp_path: Path) -> None:
    audit = ny.audit.from_counts(60, 100, 5, 100)
    found = ny.explore(RUN, audit=audit)
    found.save(tmp_path / "page.html")
    shown = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert shown.data["engine"] == "table"
    assert shown.data["table"]["axes"]["noise_multiplier"] == ["1"]
    assert shown.data["start"]["steps"] == 100
    assert shown.data["audit"] == json.loads(json.dumps(evidence(audit)))
    assert "connect-src 'none'" in shown.policy
    assert repr(found) == "<Explorer: not served yet: .open() or .url>"


@pytest.mark.usefixtures("few")
def test_a_notebook_shows_the_file_in_a_frame() -> None:
    found = ny.explore()
    frame = found._repr_html_()
    assert frame is not None
    inside = re.fullmatch(
        r'<iframe sandbox="allow-scripts" width="100%" height="\d+" srcdoc="([^"]*)"></iframe>', frame
    )
    assert inside is not None
    assert Page(unescape(inside[1])).data["engine"] == "table"
    assert found._repr_html_() is frame
    assert ny.explore("laplace:1")._repr_html_() is None


@pytest.mark.parametrize("given", [("laplace:1",), ("mu:1",), (RUN, RUN), (ny.Gaussian(1.0).allocated(4),)])
def test_a_file_is_of_one_run_of_dpsgd(given: Any, tmp_path: Path) -> None:
    with pytest.raises(ny.InvalidParameter, match="subject must be DP-SGD in Poisson samples, one of them"):
        ny.explore(*given).save(tmp_path / "page.html")
    assert [*tmp_path.iterdir()] == []


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(ny.InvalidParameter, match="subject must be"):
        ny.explore(3)  # type: ignore[arg-type]
    with pytest.raises(ny.InvalidParameter, match=r"^subject must be "):
        ny.explore("luck")
    with pytest.raises(ny.InvalidParameter, match="audit must be an audit from scores"):
        ny.explore(audit=1)
    with pytest.raises(ny.InvalidParameter, match="port must be a whole number from 0 to"):
        ny.explore(port=-1)
    with pytest.raises(ny.UnknownArgument):
        ny.explore(noise=1)  # type: ignore[arg-type]
    with pytest.raises(ny.InvalidParameter, match=r"path must be a file that ends in \.html"):
        ny.explore().save(tmp_path / "page.txt")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ny.InvalidParameter, match="port must be a port that is free"):
            _ = ny.explore(port=port).url


def test_evidence_is_rounded_to_the_side_on_which_it_holds() -> None:
    audit = ny.audit.from_scores([1.0, 2.0, 3.0] * 30, [0.0, 1.0, 2.0] * 30)
    found: Any = evidence(audit)
    assert found["confidence"] == 0.95
    assert float(found["mu"]) <= audit.mu
    for fpr, tpr in zip(found["fpr"], found["tpr"], strict=True):
        assert tpr <= audit.tpr(fpr)
    assert len(found["observed"]) == len(found["fpr"]) >= 3


@pytest.mark.parametrize(("rate", "written"), [(512 / 60000, "16/1875"), (0.01, 0.01), (1 / 3, 1 / 3)])
def test_a_rate_that_is_a_quotient_is_written_as_one(rate: float, written: float | str) -> None:
    """And means the very rate of the mechanism."""
    mechanism = ny.DPSGD(1.0, rate, 100)
    told = as_settings(Subject.of("subject", mechanism))
    assert told is not None
    assert told.to_dict()["sample_rate"] == (written if isinstance(written, str) else mechanism.parts[0][0].rate)
    assert settings_of("settings", told.to_dict(), {}).rate.value == mechanism.parts[0][0].rate
