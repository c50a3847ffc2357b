"""Short lines side by side: what they say together is, to the last bit, what each says by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.profile import ContourProfile
from neyman.engines.contour.straight import stacked
from neyman.engines.contour.straight.line import Line
from neyman.engines.contour.straight.lines import StraightLines
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.profiles.effort import Effort, cut_short
from neyman.profiles.pair import MaximumProfile
from neyman.profiles.profile import Bracket, Profile
from tests.effort import examples

COLUMNS = ("lower", "upper", "log_gap_lower", "log_gap_upper")
PAPER = (9.4, 0.32768, 2000)


def pair(sigma: float, rate: float, steps: int, effort: Effort | None = None) -> tuple[ContourProfile, ContourProfile]:
    parts = Parts(((SamplingTransform(sigma, rate), steps),), 0.0, "remove")
    return ContourProfile.pair(parts, 1.0, Effort() if effort is None else effort)


def bits(bracket: Bracket) -> list[bytes]:
    return [getattr(bracket, name).tobytes() for name in COLUMNS]


class _Nothing(stacked.StackedLines):
    def read(self, side: int, epsilon: np.ndarray, place: bytes) -> None:
        return None


def alone(profile: ContourProfile, epsilon: np.ndarray) -> tuple[list[bytes], bytes, bytes]:
    """What its lines, as they are laid, say one by one."""
    kept, profile._stacked, profile._last = profile._stacked, _Nothing([profile._lines]), None
    found = bits(profile.bracket(epsilon)), profile.slope(epsilon).tobytes(), profile.final(epsilon).tobytes()
    profile._stacked, profile._last = kept, None
    return found


@examples(25, 200)
@given(st.floats(-0.3, 1.3), st.floats(-4.0, -0.01), st.floats(0.5, 6.0), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_together_they_say_what_each_says(sigma: float, rate: float, steps: float, count: int, seed: int) -> None:
    both = pair(10.0**sigma, 10.0**rate, int(10.0**steps))
    unit = float(np.sqrt(np.max(both[0]._walk.variance)))
    epsilon = np.random.default_rng(seed).uniform(0.0, 8.0 * unit, count)
    for one in both:
        one.bracket(epsilon)  # all that is laid for them is laid
    for one in both:
        one._last = None
        one._stacked._last = None
        found = bits(one.bracket(epsilon)), one.slope(epsilon).tobytes(), one.final(epsilon).tobytes()
        assert found == alone(one, epsilon)


@pytest.mark.parametrize("longest", [64, 128, 136, 144, 192, stacked._LONGEST])
def test_zeros_after_a_short_line_change_nothing(longest: int) -> None:
    """Short lines beside longer ones: all of them comes in the first block of those that NumPy adds."""
    assert stacked._LONGEST <= 256
    rng = np.random.default_rng(5)
    for count in range(1, stacked._SHORT + 1):
        width = -(-count // 8) * 8
        few, many = np.zeros((3, 2, width)), np.zeros((3, 2, longest))
        few[:, :, :count] = many[:, :, :count] = rng.normal(size=(3, 2, count))
        assert few.sum(axis=2).tobytes() == many.sum(axis=2).tobytes()
        assert few[1, 1].sum() == few.sum(axis=2)[1, 1]


def test_lines_of_two_longer_lengths_are_not_added_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of these the shorter would be added in another order."""
    alone_at: list[int] = []
    plainly = Line._sums
    monkeypatch.setattr(Line, "_sums", lambda self, at: alone_at.append(self.sums.shape[1]) or plainly(self, at))
    remove, _ = pair(0.6, 1e-3, 10**5)
    places = np.array([3.0, 8.0])
    remove.bracket(places)
    lengths = {line.sums.shape[1] for line in remove._stacked._laid.values()}
    longer = sorted(length for length in lengths if length > stacked._SHORT)
    assert len(longer) == 2
    for epsilon, asked in ((places, longer), (places[:1], []), (places[1:], [])):
        remove._last = remove._stacked._last = None
        alone_at.clear()
        found = bits(remove.bracket(epsilon)), remove.slope(epsilon).tobytes(), remove.final(epsilon).tobytes()
        assert sorted(alone_at) == asked
        assert found == alone(remove, epsilon)


@pytest.mark.parametrize("count", [1, 2, 9, 17, 40, 200])
def test_a_long_line_is_read_beside_the_short_ones_of_the_other_direction(count: int) -> None:
    """Those of many nodes sum by themselves, or read a table where many eps are asked."""
    both, epsilon = pair(1.0, 1e-4, 10**6), np.linspace(0.1, 1.4, count)
    for one in both:
        one.bracket(epsilon)
    lengths = {line.sums.shape[1] for line in both[0]._stacked._laid.values()}
    assert max(lengths) > 248
    assert min(lengths) <= stacked._SHORT
    for one in both:
        one._last = one._stacked._last = None
        found = bits(one.bracket(epsilon)), one.slope(epsilon).tobytes(), one.final(epsilon).tobytes()
        assert found == alone(one, epsilon)
        assert one._stacked.read(one._side, epsilon, epsilon.tobytes()) is not None


def test_of_very_many_eps_nothing_is_copied() -> None:
    remove, _ = pair(1.0, 1e-4, 10**6)
    epsilon = np.linspace(0.3, 0.9, stacked._MOST + 1)
    remove.bracket(epsilon[:3])
    assert max(line.sums.shape[1] for line in remove._stacked._laid.values()) > 248
    assert remove._stacked.read(0, epsilon, epsilon.tobytes()) is None
    few = epsilon[:: len(epsilon) // 7]
    whole, some = remove.bracket(epsilon), remove.bracket(few)
    assert np.allclose(whole.upper[:: len(epsilon) // 7], some.upper, rtol=1e-9)


def test_both_directions_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    plainly = stacked._told

    def told(rows: stacked._Rows, line: np.ndarray, epsilon: np.ndarray, sums: np.ndarray) -> stacked._Told:
        read.append(sums[0].size)
        return plainly(rows, line, epsilon, sums)

    monkeypatch.setattr(stacked, "_told", told)
    remove, add = pair(*PAPER)
    for one in (remove, add):
        one.bracket(np.array([3.0, 4.0]))
    read.clear()
    for one in (remove, add, remove):
        one.bracket(np.array([3.1, 3.2, 3.3]))
        one.slope(np.array([3.1, 3.2, 3.3]))
    assert read == [6]


def test_a_direction_that_nobody_asks_is_not_laid(monkeypatch: pytest.MonkeyPatch) -> None:
    laid: list[str] = []
    plainly = StraightLines._lay
    monkeypatch.setattr(StraightLines, "_lay", lambda self, i: laid.append(self._parts.direction) or plainly(self, i))
    remove, add = pair(*PAPER)
    remove.bracket(np.linspace(1.0, 8.0, 9))
    assert set(laid) == {"remove"}
    add.bracket(np.linspace(1.0, 8.0, 9))
    assert set(laid) == {"remove", "add"}


def test_what_is_refused_is_read_when_there_is_effort() -> None:
    remove, _ = pair(*PAPER)
    epsilon = np.linspace(2.0, 4.0, 20)
    remove.bracket(epsilon[:1])
    with Effort(1e-9):
        poor = remove.bracket(epsilon)
        assert cut_short()
    rich = remove.bracket(epsilon)
    assert rich.sharp
    assert not poor.sharp
    assert np.all((poor.lower <= rich.lower) & (rich.upper <= poor.upper))


def test_lines_that_are_no_short_ones_are_asked_by_themselves() -> None:
    remove, _ = pair(0.5, 0.01, 300)
    epsilon = np.array([0.2, 0.3])
    found = remove.bracket(epsilon)
    assert remove._stacked.read(0, epsilon, epsilon.tobytes()) is None
    assert found.sharp


def test_what_was_read_together_is_not_written_into() -> None:
    """Dearer means sharpen what lines said of one direction: in a copy."""
    remove, add = pair(*PAPER)
    epsilon = np.array([0.5, 60.0])
    for one in (remove, add):
        one.bracket(np.array([0.5]))
    first = bits(remove.bracket(epsilon))
    add.bracket(epsilon)
    remove._last = None
    assert bits(remove.bracket(epsilon)) == first


def _without_sources(run: ny.Mechanism) -> Profile:
    other = ny.account(run).sides.forward
    assert isinstance(other, MaximumProfile)
    other.first.source = other.second.source = None
    return other


@pytest.mark.parametrize("run", [ny.DPSGD(*PAPER), ny.DPSGD(1.0, 0.01, 1000), ny.DPSGD(0.6, 1e-3, 100000)], ids=repr)
def test_what_is_certainly_the_smaller_of_two_need_not_be_sharp(run: ny.Mechanism) -> None:
    whole, other = ny.account(run).sides.forward, _without_sources(run)
    for places in (np.linspace(0.0, 4.0, 21), np.linspace(1.0, 6.0, 40), np.array([0.0, 2.0]), np.array([3.0])):
        for one in (whole, other):
            one.bracket(np.zeros(1))
        assert bits(whole.bracket(places)) == bits(other.bracket(places))
        assert whole.slope(places).tobytes() == other.slope(places).tobytes()
