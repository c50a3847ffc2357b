"""Where a report lies: landmarks that are true, placed where they belong, and what keeps them apart."""

import tomllib
from decimal import Decimal
from importlib.resources import files

import pytest

import neyman as ny
from neyman.reports.said.landmarks import LANDMARKS, scale_of

RUN = ny.report(ny.Gaussian(0.8), unit="person")
BY_LETTER = {one.letter: one for one in LANDMARKS}
CENSUS = {"C": "redistricting-2021", "D": "dhc-2022-08-25", "E": "dhc-2023"}


def _near(stated, least):
    """The number that is printed is not below the truth, and is it to the digits that it has."""
    place = Decimal(1).scaleb(Decimal(stated).as_tuple().exponent)
    assert 0.0 <= float(stated) - least <= float(place), (stated, least)


@pytest.mark.parametrize("changed", [1, 2])
@pytest.mark.parametrize("letter", CENSUS)
def test_the_numbers_of_the_census_follow_from_its_allocations(letter, changed):
    """With either of the neighbouring data that they are said to be true of."""
    found = ny.account(ny.census.published(CENSUS[letter], changed=changed).mechanism())
    assert BY_LETTER[letter].neighbours == {"add_or_remove", "replace"}
    _near(BY_LETTER[letter].mu, found.mu(1e-10))
    _near(BY_LETTER[letter].epsilon, found.epsilon(1e-5))


def test_the_classifier_is_the_run_of_the_paper():
    found = ny.account(ny.DPSGD(noise_multiplier=9.4, sample_rate=2**14 / 50_000, steps=2000))
    _near(BY_LETTER["B"].mu, found.mu(1e-10))
    _near(BY_LETTER["B"].epsilon, found.epsilon(1e-5))


def test_what_is_printed_and_said_stands_in_the_papers():
    """In the lists of what they print; the two opinions are quoted from the blog."""
    printed = {
        (paper, row["key"]): row
        for paper in ("reporting", "blog")
        for row in tomllib.loads((files("neyman_papers") / paper / "published.toml").read_text("utf-8"))["published"]
    }
    assert BY_LETTER["B"].mu == printed["reporting", "5/mu"]["printed"]
    assert BY_LETTER["D"].mu == printed["reporting", "5a/mu"]["printed"]
    assert printed["blog", "half"]["quantity"] == f"mu = {BY_LETTER['A'].mu} gives reasonable privacy"
    assert printed["blog", "six"]["quantity"] == f"at mu = {BY_LETTER['F'].mu} the curve almost coincides with the axes"
    assert all(one.source for one in LANDMARKS)


def test_places_are_logarithmic_and_in_order():
    """0.1 is at the left end, 10 at the right, 1 in the middle; 10^(2 x - 1) at x."""
    scale = scale_of(RUN.document)
    assert dict(scale.ticks)["0.1"] == 0.0
    assert dict(scale.ticks)["1"] == 50.0
    assert dict(scale.ticks)["10"] == 100.0
    for one in scale.placed:
        assert 10 ** (one.at / 50 - 1) == pytest.approx(float(one.text), rel=0.003)
    assert 10 ** (scale.at / 50 - 1) == pytest.approx(1.25, rel=0.003)
    assert [one.text for one in scale.placed] == sorted((one.text for one in scale.placed), key=float)
    values = [line.split(":")[0] for line in scale.lines]
    assert values == ["0.5", "this report", "1.57", "2.262", "2.702", "3.151", "6"]


@pytest.mark.parametrize(("noise", "at", "end"), [(50.0, 0.0, "left"), (0.05, 100.0, "right")])
def test_what_lies_beyond_an_end_stands_there_and_says_so(noise, at, end):
    scale = scale_of(ny.report(ny.Gaussian(noise)).document)
    assert scale.at == at
    assert f"This report lies beyond the {end} end." in scale.notes
    assert scale.anchor == ("start" if end == "left" else "end")


def test_what_cannot_be_compared_is_hollow():
    def hollow(**words):
        scale = scale_of(ny.report(ny.Gaussian(0.8), **words).document)
        return {one.landmark.letter: one.apart for one in scale.placed if one.apart and not one.opinion}

    assert hollow(unit="person") == {"B": "one image, not one person"}
    assert hollow(unit="Image") == dict.fromkeys("CDE", "one person, not one Image")
    assert hollow(unit="image", adjacency="replace")["B"] == "other neighbouring data"
    assert set(hollow()) == {"B", "C", "D", "E"}, "whom a record stands for is not said"
    assert hollow(unit="person", adjacency="add")["C"] == "other neighbouring data"
    assert {one.landmark.letter for one in scale_of(RUN.document).placed if one.opinion} == {"A", "F"}


def test_a_mu_at_another_floor_or_of_a_poor_fit_says_so():
    told = scale_of(ny.report(ny.Laplace(1.0), floor=1e-5).document).words
    assert "down to error rates of 1e-05 only" in told
    assert "looks less private than it is" in told
    usual = scale_of(RUN.document).words
    assert "only" not in usual
    assert "looks less" not in usual


@pytest.mark.usefixtures("examined_here", "drawn_once")
def test_with_no_finite_mu_epsilon_is_placed_at_the_delta_of_the_landmarks():
    scale = scale_of(ny.report(ny.ApproximateMechanism(1.0, 1e-5)).document)
    assert (scale.symbol, scale.claim.id, scale.at) == ("ε", "epsilon@1e-05", 33.3)
    assert [one.text for one in scale.placed] == ["7.425", "11.641", "14.577", "17.769"]
    other = ny.report(ny.ApproximateMechanism(1.0, 1e-5), deltas=[1e-3])
    assert scale_of(other.document) is None
    page = other.to_html()
    for text in (page, other.to_markdown(), other.to_latex()):
        assert "Where this lies" not in text
    assert ny.verify(page).outcome == "holds"


@pytest.mark.usefixtures("examined_here", "drawn_once")
def test_every_form_shows_it_and_a_page_in_which_it_was_moved_does_not_hold():
    page = RUN.to_html()
    for text in (page, RUN.to_markdown(), RUN.to_latex()):
        assert "Where this lies" in text
        assert "US Census 2020, redistricting data of 2021" in text
    mark = f'cx="{scale_of(RUN.document).placed[2].at}%"'
    assert page.count(mark) == 1
    assert ny.verify(page).outcome == "holds"
    assert ny.verify(page.replace(mark, 'cx="99%"')).outcome == "does not hold"
