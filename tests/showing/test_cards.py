"""The cards of a notebook: what is on them is what is certified, and nothing in them runs, asks or clashes."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import neyman as ny
from neyman.showing.card import Card, Curve

RNG = np.random.default_rng(7)
RUN = ny.DPSGD(1.0, 0.01, 1000)
G = ny.account(RUN)
AUDIT = ny.audit.from_scores(RNG.normal(1.0, 1.0, 500), RNG.normal(0.0, 1.0, 500))
SHOWN: dict[str, tuple[Callable[[], Any], str]] = {  # each made where it is asked for
    "guarantee": (lambda: G, "(epsilon <= 1.829, delta = 1e-5)-DP"),
    "optimistic": (lambda: G.optimistic, "Lower bounds, which promise nothing"),
    "given": (lambda: ny.GDP(1.0), "1-GDP"),
    "perfect": (lambda: ny.PERFECT, "Nothing is learnt of any record."),
    "blatant": (lambda: ny.BLATANT, "No finite mu holds"),
    "summary": (lambda: G.summary(deltas=(1e-7,)), "epsilon at delta  1e-7"),
    "gdp": (lambda: G.gdp(), "0.5223-GDP at error rates of 1e-10 and above"),
    "gdp from below": (lambda: G.optimistic.gdp(), "certified lower bounds, not a promise"),
    "comparison": (lambda: ny.compare(G, ny.GDP(0.5)), "b instead of a"),
    "calibration": (lambda: ny.noise_for_dpsgd(ny.targets.Mu(1.0), sample_rate=0.01, steps=1000), "meets the target"),
    "risk": (lambda: ny.risk.tpr(G, 0.01), "At most 2.92 %"),
    "risks": (lambda: ny.risk.bayes_error(G, np.linspace(0.1, 0.9, 20)), "12 more."),
    "beside a pair": (lambda: ny.risk.against_pair(G, 1e-5), "the pair alone"),
    "audit": (lambda: AUDIT, "at 95 % confidence"),
    "verdict": (lambda: ny.audit.check(ny.GDP(0.1), AUDIT), "Violated"),
    "mechanism": (lambda: RUN, ".account() computes what it promises"),
    "many": (lambda: ny.compose([ny.Laplace(1.0 + i) for i in range(20)]), "12 more kinds of step."),
    "proved": (lambda: ny.account(ny.Gaussian(1.0), proved=True), "Proved: epsilon at delta 1e-5 is at most 4.37718"),
    "runs": (lambda: ny.table("examples/runs.csv"), "10 rows"),
    "of records": (lambda: ny.DPSGD(1.1, 512 / 60000, 100).with_dataset_size(60000), ".poisson(512/60000) ** 100"),
    "conversion": (lambda: ny.convert(mu=1.0), "GDP(mu=1.0) → epsilon"),
}


@cache
def made(name: str) -> Any:
    return SHOWN[name][0]()


class _Page(HTMLParser):
    """Tags, attributes and text of a card."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.mark.parametrize("name", SHOWN)
def test_a_card(name: str) -> None:
    value, said = made(name), SHOWN[name][1]
    html = value._repr_html_()
    page = _Page(html)
    assert said in " ".join(page.text)
    assert not {"script", "link", "img", "iframe", "object", "use"} & {*page.tags}
    named = {key for key, _ in page.attributes}
    assert not named & {"id", "href", "src", "onclick", "onload", "style"}
    assert not re.search(r"https?:|url\(|@import", html)
    ET.fromstring(html)  # every tag is closed, so that nothing around it is drawn in
    assert "prefers-color-scheme:dark" in html
    assert 'data-jp-theme-light="false"' in html
    assert html == value._repr_html_()


def test_what_comes_from_elsewhere_is_text() -> None:
    card = Card("<b>", ["a & b"], [(("<i>",), [("</td><script>",)])], [Curve('"><script>', [(0.0, 1.0)])], ["'<"])
    page = _Page(card.html())
    assert "script" not in page.tags
    assert "b" not in page.tags
    assert "i" not in page.tags
    assert {"<b>", "a & b", "<i>", "</td><script>", "'<"} <= {*page.text}


def test_the_curve_goes_through_certified_points() -> None:
    html = G._repr_html_()
    (points,) = re.findall(r'<polyline points="([^"]+)"', html)
    pairs = np.array([[float(x) for x in pair.split(",")] for pair in points.split()])
    alpha, beta = (pairs[:, 0] - 12.0) / 100.0, 1.0 - (pairs[:, 1] - 12.0) / 100.0
    assert len(alpha) > 40
    assert np.all(np.diff(alpha) <= 0.0)
    room = 1e-4  # two decimals of a hundred
    assert np.all(beta <= G.beta(np.clip(alpha - room, 0.0, 1.0)) + room)
    assert np.all(beta >= G.beta(np.clip(alpha + room, 0.0, 1.0)) - room)


def test_a_card_says_what_is_refused() -> None:
    html = ny.account(RUN, tolerance=1e-12)._repr_html_()
    assert "not certified" in html
    assert "Not certified: delta(0)" in html


def test_a_card_takes_no_more_than_its_share() -> None:
    """However much effort a guarantee may take; and what it left undone is done when it is asked for."""
    g = ny.account(ny.DPSGD(1.0, 0.01, 10**6) * ny.Laplace(1.0) ** 50, effort=1e4)
    started = time.monotonic()
    assert "neyman-card" in g._repr_html_()
    assert time.monotonic() - started < 60.0
    assert g.mu() > 0.0


def test_rounded_to_the_safe_side() -> None:
    found = ny.risk.bayes_error(G, np.array([0.5]))
    (shown,) = re.findall(r"<td>([\d.]+)</td></tr>", found._repr_html_())
    assert float(shown) <= float(found.value[0])
    assert "at least" in found._repr_html_()
    found = ny.risk.tpr(G, np.array([0.01]))
    (shown,) = re.findall(r"<td>([\d.]+)</td></tr>", found._repr_html_())
    assert float(shown) >= float(found.value[0])


def _cells(html: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", re.sub(r"</?span[^>]*>", "", html))
    return [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in rows if "<td" in row]


@pytest.mark.parametrize("name", ["guarantee", "given", "summary", "comparison", "proved", "conversion"])
def test_what_is_to_be_copied_is_no_looser_than_the_bracket_beside_it(name: str) -> None:
    """Its upper end, letter for letter; the full numbers are where somebody points."""
    html = made(name)._repr_html_()
    seen = 0
    for _, bracket, most in _cells(html):
        ends = re.split(r", | to ", bracket.strip("[]"))
        assert most == ends[-1]
        seen += len(ends) == 2
    assert seen
    for bracket, upper in re.findall(r'<td title="([^"]+)">[^<]*</td><td title="([^"]+)">', html):
        assert bracket.split(" to ")[1] == upper


def test_the_full_number_is_at_hand_and_the_short_one_on_its_side() -> None:
    html = made("guarantee")._repr_html_()
    (shown,) = re.findall(r'<td title="([^"]+)">([^<]+)</td></tr><tr><td>regret', html)
    assert float(shown[0]) == G.mu()
    assert float(shown[1]) >= G.mu()


def test_a_calibrated_parameter_is_shown_on_the_side_that_meets_its_target() -> None:
    found = made("calibration")
    headline = re.findall(r'<p class="nm-head" title="([^"]+)">([^<]+) meets', found._repr_html_())
    assert float(headline[0][0]) == found.parameter < float(headline[0][1])
    assert ny.account(ny.DPSGD(float(headline[0][1]), 0.01, 1000)).mu() <= 1.0
    odd = ny.noise_for_dpsgd(ny.targets.Regret(0.01), sample_rate=0.01, steps=1000)  # not ordered: nothing is rounded
    assert f"{odd.parameter!r} meets the target" in odd._repr_html_()


def test_no_long_decimal_is_shown_where_a_fraction_says_it() -> None:
    g = ny.account(ny.DPSGD(noise_multiplier=1.1, epochs=1, batch_size=512, dataset_size=60_000))
    text = " ".join(_Page(g._repr_html_()).text)
    assert "poisson(512/60000)" in text
    assert "epsilon at delta 1/60000" in text
    assert not re.search(r"[0-9]\.[0-9]{9,}", text)


def test_a_proved_guarantee_says_what_is_not_proved() -> None:
    html = ny.account(ny.DPSGD(1.0, 1.0, 3) * ny.Gaussian(1.0).allocated(3), proved=True)._repr_html_()
    assert "Nothing is proved" in html
    assert "Not proved: " in html
