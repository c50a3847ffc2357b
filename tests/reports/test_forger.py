"""The forger's suite without its browser: of all that is done to a page, nothing but the ends of its lines may hold.

With a browser, 20,000 of them: ``python -m tests_browser.forge``.
"""

import pytest

import neyman as ny
from tests.reports.cases import page, quickly
from tests_browser.forger import KINDS, forgeries


def _verdict(path):
    try:
        return quickly(path).outcome
    except ny.InvalidParameter as refused:
        return "refused" if "\n" not in str(refused) else "refused at length"


def _forged(tmp_path, seed, count):
    genuine = page("blatant")
    path = tmp_path / "page.html"
    counts: dict[str, int] = {}
    for _, forgery in forgeries([genuine], seed, count):
        path.write_bytes(forgery.content)
        verdict = _verdict(path)
        counts[verdict] = counts.get(verdict, 0) + 1
        same = forgery.content.replace(b"\r\n", b"\n") == genuine.encode()
        assert (verdict == "holds") is same, forgery.kind
    return counts


def test_no_forgery_holds(tmp_path):
    counts = _forged(tmp_path, 3, 60)
    assert set(counts) == {"holds", "does not hold", "cannot tell", "refused"}


@pytest.mark.slow
def test_no_forgery_of_five_thousand_holds(tmp_path):
    print(_forged(tmp_path, 4, 5000))


def test_the_forger_has_many_ways_and_repeats_himself():
    kinds = {name for _, forgery in forgeries([page("blatant")], 5, 400) for name in forgery.kind.split("+")}
    assert kinds == {*KINDS, "bytes"}
    first, again = (list(forgeries([page("blatant")], 6, 20)) for _ in range(2))
    assert first == again
