"""What people hand over when they mean a mechanism or a guarantee."""

from __future__ import annotations

from ast import literal_eval
from fractions import Fraction
from pathlib import Path

import pytest

import neyman as ny
from neyman.understanding import Subject, understood
from neyman.understanding.short_form import SHORT_FORMS


def test_objects_are_themselves() -> None:
    for one in (ny.Gaussian(1.0), ny.GDP(1.0), ny.account(ny.Laplace(1.0))):
        assert understood(one) is one


def test_lists_are_composed() -> None:
    assert understood([ny.Gaussian(2.0)] * 4) == ny.Gaussian(1.0)
    assert understood(["gaussian:2", ny.GDP(0.5)]) == ny.Gaussian(2.0) * ny.Opaque(ny.GDP(0.5))
    assert understood([ny.account(ny.Gaussian(2.0)), "gaussian:2"]) == ny.Gaussian(2.0) ** 2
    assert understood([]) == ny.compose()


def test_promises_are_rounded_to_be_weaker_and_noise_to_be_less() -> None:
    third = Fraction(1, 3)
    gaussian, laplace = understood("gaussian:1/3"), understood("laplace:1/3")
    assert isinstance(gaussian, ny.Gaussian)
    assert isinstance(laplace, ny.Laplace)
    assert Fraction(gaussian.sigma) <= third >= Fraction(laplace.scale)
    assert Fraction(understood("mu:1/3").stated["mu"]) >= third  # type: ignore[union-attr]
    pair = understood("epsilon:1/3,1/3").stated  # type: ignore[union-attr]
    assert min(map(Fraction, pair.values())) >= third


def test_a_report_brings_its_neighbours_and_is_computed_again(tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    g = ny.account(ny.Gaussian(2.0), adjacency="replace")
    ny.report(g).save(path)
    found = Subject.of("mechanism", path)
    assert (found.what, found.adjacency) == (ny.Gaussian(2.0), "replace")
    assert ny.account(path).epsilon(1e-5) == pytest.approx(g.epsilon(1e-5), rel=1e-12)
    assert ny.account(path, adjacency="add_or_remove").epsilon(1e-5) < 0.6 * g.epsilon(1e-5)
    assert ny.compare(path, "gaussian:2").a.adjacency == ny.compare("gaussian:2", path).a.adjacency == "replace"
    assert ny.report(path).document.adjacency == "replace"


def test_a_damaged_report_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(ny.report(ny.Gaussian(1.0)).to_json().replace('"claims"', '"claim"'))
    with pytest.raises(ny.InvalidParameter, match="claim"):
        ny.account(path)


def test_neighbours_that_nothing_is_promised_to() -> None:
    assert ny.account(ny.GDP(1.0), adjacency="add").adjacency == "add"
    with pytest.raises(ny.InvalidParameter, match="adjacency must be"):
        ny.account(ny.GDP(1.0), adjacency="replace")
    with pytest.raises(ny.InvalidParameter, match="adjacency must be"):
        ny.account(ny.account(ny.Gaussian(1.0)), adjacency="replace")


@pytest.mark.parametrize("word", SHORT_FORMS)
def test_every_short_form_says_how_it_is_written(word: str) -> None:
    with pytest.raises(ny.InvalidParameter) as caught:
        understood(f"{word}:x")
    assert understood(literal_eval(str(caught.value).rpartition("Write: ")[2])) is not None


@pytest.mark.parametrize(
    "value", ["", "foo", "foo:1", "gaussian:", "gaussian:1,2,3", "gaussian:1,sigma=1", "mu:1,1", "dpsgd:1,.1,1,1", "-",
              "run.txt", 3, None, b"gaussian:1", {"mu": 1}, ny.GDP(1.0).optimistic, ["gaussian:1", 3]],
)  # fmt: skip
def test_what_is_none(value: object) -> None:
    with pytest.raises(ny.InvalidParameter, match=r"^mechanism must be"):
        understood(value)


@pytest.mark.parametrize("text", ["laplace:20*100", "laplace:20**100", "laplace:20*1e2"])
def test_a_short_form_may_be_repeated(text: str) -> None:
    assert understood(text) == ny.Laplace(20.0) ** 100


def test_what_is_repeated_is_repeated_as_it_was_stated() -> None:
    assert ny.account("rho:.5*2").zcdp() == pytest.approx(1.0, rel=1e-12)
    assert ny.account(["laplace:20*100", "dpsgd:1,.01,1000"]).epsilon(1e-5) == ny.account(
        ny.Laplace(20.0) ** 100 * ny.DPSGD(1.0, 0.01, 1000)
    ).epsilon(1e-5)


@pytest.mark.parametrize("text", ["laplace:20*", "laplace:20*x", "laplace:20*1.5", "laplace:20*2*3", "laplace:20*-1"])
def test_a_count_is_a_whole_number(text: str) -> None:
    with pytest.raises(ny.InvalidParameter, match="whole number"):
        understood(text)
