"""A law below whose masses need room, with a little withheld: never above what the composition certainly tells."""

from fractions import Fraction

import numpy as np
import pytest

import neyman as ny
from neyman.engines.combine import enclosed
from neyman.engines.combine.enclosed import EnclosedProfile, _Withheld


class Told:
    """A profile of given lower bounds."""

    def __init__(self, lower):
        self.lower = lower

    def bracket(self, epsilon):
        from neyman.profiles.profile import Bracket

        return Bracket(
            self.lower, np.ones_like(self.lower), np.full_like(self.lower, -np.inf), np.zeros_like(self.lower)
        )


def composed(words):
    profile = words.sides.forward.parts[0].forward
    profile = getattr(profile, "_whole", profile)
    assert isinstance(profile, EnclosedProfile)
    return profile


PRODUCTS = [
    lambda: ny.ZCDP(0.5) * ny.GDP(1.0),
    lambda: ny.ZCDP(5.0) * ny.GDP(1.0),
    lambda: ny.ZCDP(0.5) * ny.RDP([2.0, 4.0, 8.0, 16.0], [1.0, 2.0, 4.0, 8.0]),
]


@pytest.mark.parametrize("make", PRODUCTS)
def test_a_pair_that_withholds_a_little_tells_less_than_the_composition(make):
    profile = composed(make())
    less = profile.lesser
    assert isinstance(less, _Withheld)
    epsilon = np.linspace(0.0, 6.0, 400)
    certain = profile.bracket(epsilon).lower
    assert np.all(less.bracket(epsilon).lower <= certain)
    assert np.all(less.bracket(epsilon).lower >= certain * (1.0 - 1e-7))
    nearly = _Withheld(profile._below, 0.5 * profile._lesser.room)  # not of what is above 0.05 alone, but of 1
    assert np.any(nearly.bracket(epsilon).lower > certain)


def test_much_that_would_be_withheld_is_not_worth_asking(monkeypatch):
    monkeypatch.setattr(enclosed, "_WITHHELD", 1e-12)
    assert composed(PRODUCTS[0]()).lesser is None


def test_what_is_withheld_is_rounded_down():
    rng = np.random.default_rng(2)
    lower, over = rng.random(200), 0
    for share in 10.0 ** rng.uniform(-12.0, -7.0, 30):
        found = _Withheld(Told(lower), float(share)).bracket(np.zeros(200)).lower
        for x, y in zip(lower, found, strict=True):
            exact = Fraction(float(x)) * (1 - Fraction(float(share)))
            assert Fraction(float(y)) <= exact
            over += Fraction(float(x * (1.0 - share))) > exact
    assert over > 0  # without room for rounding
