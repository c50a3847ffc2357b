"""A sample of the forger's suite: of forgeries that are opened beside genuine pages, none that shows another holds."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

from tests_browser.forge import Suite


def test_no_forgery_that_shows_something_else_holds(browser: Browser, tmp_path: Path):
    suite = Suite(browser, tmp_path)
    for _ in suite.run(20, 150):
        pass
    print(suite.tally)
    assert suite.tally.exceptions == []
    assert sum(suite.tally.verdicts.values()) == 150
    assert sum(count for (differs, _), count in suite.tally.verdicts.items() if differs) > 75
    assert sum(count for (_, verdict), count in suite.tally.verdicts.items() if verdict == "holds") > 0
