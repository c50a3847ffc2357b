"""Solving from a risk, two runs side by side, both ways of making batches, landmarks, copies, evidence."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from explorer.driving import at_rest, choices, positions, read, settled, slide, type_in

import neyman as ny
from neyman.explorer import answer as answered

_CELLS = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"


def test_the_noise_follows_the_risk(explore: Callable[..., Any], engine: str):
    page = explore(engine).page
    for text in ("0.1", "0.04", "0.025"):
        type_in(page, "risk", text)
        settled(page)
        shown = read(page)
        assert not shown["refused"], shown["refused-error"]
        assert page.locator("#hold").is_checked()
        assert Decimal(shown["numbers"]["tpr"]) <= Decimal(text)
        told = page.locator("#solved").inner_text()
        assert shown["set"]["noise_multiplier"] in told
        before = "deviation " if engine == "server" else "multiplier "
        answered_for = shown["run"].split(before)[1].split(",")[0]
        assert float(answered_for) == float(shown["set"]["noise_multiplier"])
    slide(page, "steps", positions(page, ["steps"])["steps"] // 2)  # the risk is held
    settled(page)
    assert Decimal(read(page)["numbers"]["tpr"]) <= Decimal("0.025")
    type_in(page, "noise_multiplier", "1")  # who sets the noise lets go of the risk
    settled(page)
    assert not page.locator("#hold").is_checked()
    assert page.locator("#solved").inner_text() == ""


@pytest.mark.parametrize("free", ["noise_multiplier", "steps", "sample_rate"])
def test_each_parameter_may_follow(explore: Callable[..., Any], engine: str, free: str):
    page = explore(engine).page
    page.locator("#free").select_option(free)
    page.locator("#target").select_option("epsilon")
    type_in(page, "risk", "1.5")
    settled(page)
    shown = read(page)
    assert Decimal(shown["numbers"]["epsilon"]) <= Decimal("1.5")
    settings = {"kind": "dpsgd", **{name: shown["set"][name] for name in ("noise_multiplier", "sample_rate", "steps")}}
    told: Any = answered({"v": 1, "ask": "promise", "settings": settings})
    assert told["numbers"]["epsilon"]["value"] <= 1.5


def test_every_target_is_met(explore: Callable[..., Any], engine: str):
    page = explore(engine).page
    targets = choices(page, "target")
    assert len(targets) == (8 if engine == "server" else 5)
    for target in targets:
        page.locator("#target").select_option(target)
        page.locator("#hold").check()
        settled(page)
        shown = read(page)
        if shown["refused"]:  # regret does not fall with noise, and a table has the stops that it has
            assert target == "regret" or "No stop" in shown["refused-error"]


def test_two_runs_are_compared(explore: Callable[..., Any], engine: str):
    page = explore(engine).page
    a = read(page)
    page.locator("#pin-a").click()
    type_in(page, "noise_multiplier", "2")
    at_rest(page)
    b = read(page)
    cells = page.locator("#compare-table tbody tr").evaluate_all(_CELLS)
    table = {row[0]: row[1:] for row in cells}
    for cell, shown in zip(table["Privacy loss at this delta, ε"], (a, b), strict=True):
        assert cell.startswith(shown["numbers"]["epsilon"])
    assert table["The run"] == [a["run"], b["run"]]
    words = page.locator("#compared").inner_text()
    assert ("B is more private than A" in words) if engine == "server" else ("B is never less private" in words)
    assert page.locator("#curve .pin-a").get_attribute("d")
    page.locator("#pin-b").click()
    type_in(page, "noise_multiplier", "3")
    at_rest(page)
    assert page.locator("#curve .pin-b").get_attribute("d")
    rows = page.locator("#compare-table tbody tr").evaluate_all(_CELLS)
    assert rows == cells  # pinned is pinned
    settings = {"kind": "dpsgd", "sample_rate": "0.01", "steps": "1000"}
    if engine == "server":
        pair = {"settings": {**settings, "noise_multiplier": "1"}, "other": {**settings, "noise_multiplier": "2"}}
        told: Any = answered({"v": 1, "ask": "compare", **pair})
        costs = [told["divergence"][name] for name in ("b_over_a", "a_over_b")]
        assert rows[-1][1:] == [f"{cost['text']}{cost['bracket']}" for cost in costs]
    page.locator("#unpin").click()
    at_rest(page)
    assert not page.locator("#compare-table").is_visible()
    assert page.locator("#curve .pin-a").get_attribute("d") == ""


def test_curves_that_cross_are_marked(explore: Callable[..., Any]):
    page = explore("server", "#noise_multiplier=1&sample_rate=0.01&steps=1000&a=dpsgd,0.8,0.005,1500,poisson").page
    at_rest(page)
    assert page.locator("#curve .crossings").get_attribute("d").count("M") == 2
    assert "change places" in page.locator("#compared-more").inner_text()


def test_a_legend_says_which_line_is_which(explore: Callable[..., Any], engine: str):
    page = explore(engine).page
    legend = page.locator("#legend")
    assert not legend.is_visible()
    page.locator("#pin-a").click()
    type_in(page, "noise_multiplier", "2")
    page.locator("#pin-b").click()
    at_rest(page)
    assert legend.get_attribute("aria-label") == "Curves of the picture"
    assert legend.locator("li").all_inner_texts() == [
        "What is set",
        "A, pinned: DP-SGD, noise multiplier 1, sample rate 0.01, steps 1000",
        "B, pinned: DP-SGD, noise multiplier 2, sample rate 0.01, steps 1000",
    ]
    for name in ("bound", "pin-a", "pin-b"):  # drawn as in the picture
        stroke = "one => { const { stroke: s, strokeDasharray: d } = getComputedStyle(one); return s + d; }"
        assert legend.locator(f".{name}").evaluate(stroke) == page.locator(f"#curve .{name}").evaluate(stroke)
    page.emulate_media(media="print")
    assert legend.is_visible()
    page.emulate_media(media="screen")
    page.locator("#unpin").click()
    at_rest(page)
    assert not legend.is_visible()


def test_a_table_does_not_order_what_it_cannot(explore: Callable[..., Any]):
    page = explore("table", "#a=dpsgd,0.8,0.005,1000,poisson").page
    at_rest(page)
    assert "cannot tell" in page.locator("#compared").inner_text()


def test_both_ways_of_making_batches_stand_side_by_side(explore: Callable[..., Any]):
    page = explore("server", "#noise_multiplier=2&sample_rate=0.1&steps=20").page
    page.locator("#batches summary").click()
    at_rest(page)
    for sampling in ("poisson", "allocation"):
        settings = {"kind": "dpsgd", "noise_multiplier": "2", "sample_rate": "0.1", "steps": "20", "sampling": sampling}
        told: Any = answered({"v": 1, "ask": "promise", "settings": settings})
        words = page.locator(f"[data-sampling={sampling}]").inner_text()
        assert told["odds"]["sentence"] in words
        assert f"epsilon ≤ {told['numbers']['epsilon']['text']}" in words
    page.locator("#sampling").select_option("allocation")
    settled(page)
    assert told["note"] in read(page)["run"]
    assert read(page)["numbers"]["epsilon"] == told["numbers"]["epsilon"]["text"]


def test_landmarks_and_this_run_stand_on_one_scale(explore: Callable[..., Any], engine: str):
    page = explore(engine).page
    scale = page.locator("#landmarks")
    assert f"mu ≤ {read(page)['numbers']['mu']}" in scale.inner_text()
    places = scale.locator("text.letter").evaluate_all("all => all.map(one => one.getBoundingClientRect().x)")
    assert places == sorted(places)
    assert len(places) == scale.locator("li").count() == 6
    here = scale.locator("line.here").get_attribute("x1")
    assert here == f"{100 * float(read(page)['numbers']['mu']) / 7:.2f}%"


def test_copies_are_those_of_the_settings(explore: Callable[..., Any]):
    page = explore("server", "#noise_multiplier=1.25", permissions=["clipboard-read", "clipboard-write"]).page
    at_rest(page)
    settings = {"kind": "dpsgd", "noise_multiplier": "1.25", "sample_rate": "0.01", "steps": "1000"}
    told: Any = answered({"v": 1, "ask": "copy", "settings": settings})
    copies = {"python": "Python", "command": "Command line", "sentence": "Sentence for a paper", "bibtex": "BibTeX"}
    for name, words in copies.items():
        page.get_by_role("button", name=f"Copy: {words}").press("Enter")
        page.wait_for_timeout(50)
        assert page.evaluate("navigator.clipboard.readText()") == told[name]


def test_a_report_is_saved(explore: Callable[..., Any], tmp_path: Path):
    pytest.importorskip("jinja2")
    page = explore("server", accept_downloads=True).page
    at_rest(page)
    asked = read(page)
    button, told = page.locator("#report"), page.locator("#report-told")
    assert button.get_attribute("aria-disabled") == "false"
    with page.expect_download() as download:
        button.press("Enter")
        assert told.inner_text().startswith("Writing the report: about ten seconds")
        assert button.get_attribute("aria-disabled") == "true"
        button.press("Enter")  # once is enough
        slide(page, "noise_multiplier", 190)  # and the sliders answer meanwhile
        settled(page)
        assert read(page)["numbers"] != asked["numbers"]
        assert told.inner_text().startswith("Writing")
        type_in(page, "noise_multiplier", "1")
    path = tmp_path / "report.html"
    download.value.save_as(path)
    assert download.value.suggested_filename == "neyman-report.html"
    assert read(page)["numbers"]["epsilon"][:4] in path.read_text(encoding="utf-8")
    assert "downloads" in told.inner_text()
    assert button.get_attribute("aria-disabled") == "false"
    assert page.locator(".writing").count() == 0


def test_where_reports_cannot_be_written_the_button_says_why(explore: Callable[..., Any], monkeypatch: Any):
    monkeypatch.setattr("neyman.explorer.serving.apart.find_spec", lambda _: None)
    with ny.explore() as served:
        page = explore(served.url).page
        assert page.locator("#report").get_attribute("aria-disabled") == "true"
        assert "pip install 'neyman[report]'" in page.locator("#report-told").inner_text()


def test_the_false_alarm_rate_is_dragged_on_the_curve(explore: Callable[..., Any], engine: str):
    page = explore(engine).page
    box = page.locator("#curve .ground").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + 50)
    page.mouse.down()
    for part in (0.1, 0.3, 0.5):
        page.mouse.move(box["x"] + part * box["width"], box["y"] + 50)
        settled(page)
    page.mouse.up()
    assert float(read(page)["set"]["fpr"]) == pytest.approx(0.5, abs=0.01)
    page.mouse.move(box["x"] + 5, box["y"] + 50)
    assert float(read(page)["set"]["fpr"]) == pytest.approx(0.5, abs=0.01)
    assert "of 1,000 by mistake" in page.locator("#curve .out-words").text_content()


def test_the_floor_is_drawn_where_it_can_be_seen(explore: Callable[..., Any]):
    page = explore("server", "#log=1&floor=1e-6").page
    assert page.locator("#curve .floor-words").text_content() == "floor of mu"
    assert page.locator("#curve .below").get_attribute("d")
    page.locator("#log").click()
    assert page.locator("#curve .below").get_attribute("d") == ""
