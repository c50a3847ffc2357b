"""A short hunt with a fixed seed; and the hunter hunted: oracles against each other, errors planted in answers."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from flint import arb, ctx

import neyman as ny
from tests.hunt import judge, probes
from tests.hunt.balls import Contour, FiniteFactor, GaussianFactor, SampledGaussianFactor
from tests.hunt.draw import Setting
from tests.hunt.events import Counting
from tests.hunt.lattice import Lattice
from tests.hunt.pairs import Best, Finite, Formula, Mixed, Pair
from tests.hunt.report import Report
from tests.hunt.run import FAMILIES, Outcome, once
from tests.hunt.session import Event, Session
from tests.hunt.steps import Noise, Step
from tests.hunt.truth import Composition, Truth, laplace_power
from tests.reference import exact

EPSILONS = (-2.5, -0.3, 0.0, 0.2, 1.5, 4.0)


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    with ctx.workprec(probes.BITS):
        yield


def agree(one: Pair, other: Pair, width: float, at: tuple[float, ...] = EPSILONS) -> None:
    """Both brackets hold the same numbers, and are no wider than this (of delta, or absolutely below 1e-9)."""
    for add in (False, True):
        for e in at:
            low, high = Best([one, other]).delta(arb(e), add)  # raises where they contradict each other
            for pair in (one, other):
                a, b = pair.delta(arb(e), add)
                assert b - a <= width * b + 1e-9, (e, add, a, b)
            assert not low > high


# ---------------------------------------------------------------------------------------------- the oracles themselves


def test_a_lattice_in_balls_holds_the_closed_form_of_laplace_noise() -> None:
    noise = Noise("Laplace", arb(1) / 2, arb(1), False)
    formula = Formula(lambda e: laplace_power(arb(1) / 2, 3, e))
    agree(Lattice([(noise.bins, 3)], [4.0], 600), formula, 0.02)


def test_a_lattice_in_balls_holds_one_sampled_step_and_its_exchange() -> None:
    for kind, scale in (("Gaussian", 0.7), ("Laplace", 0.05)):
        for replace in (False, True):
            step = Step(kind, (scale,), 0.3)
            noise = step.noise(replace)
            low, high = noise.spread()
            agree(Lattice([(noise.bins, 1)], [high - low], 800), Composition([step], replace), 0.02)


def test_the_contour_holds_one_gaussian_and_what_outcomes_say() -> None:
    law = exact.k_ary(0.5)
    contour = Contour([GaussianFactor(arb(1) / 4), FiniteFactor(law, 3)])
    mixed = Mixed(exact.compose((law, 3)), Formula.gaussian(arb(1) / 2))
    agree(contour, mixed, 1e-14)


def test_the_contour_and_the_lattice_hold_the_same_sampled_gaussians() -> None:
    noise = Noise("Gaussian", arb(2), arb(0.25), False)
    low, high = noise.spread()
    contour = Contour([SampledGaussianFactor(2.0, 0.25, 12)])
    agree(contour, Lattice([(noise.bins, 12)], [high - low], 1500), 0.1, (-0.5, 0.0))
    low, high = contour.delta(arb(0.7))
    assert high - low < high * 1e-15


def test_the_contour_reproduces_the_number_that_was_once_certified_too_small() -> None:
    low, high = Contour([SampledGaussianFactor(1e4, 0.9999, 10**8)]).delta(arb(4.376671244041987))
    assert low > 1.00000033966e-5
    assert high < 1.00000033967e-5


def test_finite_laws_by_enumeration_and_by_lattice() -> None:
    law = exact.sampled(exact.k_ary(1.2, 3), 0.3)
    step = Step("RandomizedResponse", (1.2, 3), 0.3, 4)
    direct = Composition([step])
    assert isinstance(direct._makers[0](), Finite)
    points = [(p, q, (p / q).log(), (p / q).log()) for p, q in law]
    agree(Lattice([(lambda h: points, 4)], [1.5], 900), direct, 0.02)


def test_explicit_tests_lie_below_and_reach_what_the_issue_found() -> None:
    shown = Counting(Noise("Laplace", 1 / arb(33), arb(0.0644964), False), 100)
    assert shown.delta(arb(0))[0] > 0.99
    contour = Contour([SampledGaussianFactor(2.0, 0.25, 12)])
    counted = Counting(Noise("Gaussian", arb(2), arb(0.25), False), 12)
    for add in (False, True):
        assert Best([contour, counted]).delta(arb(0.1), add)[0] > 0


def test_oracles_that_contradict_each_other_are_found() -> None:
    with pytest.raises(ArithmeticError, match="contradict"):
        Best([Formula.gaussian(arb(1)), Formula.gaussian(arb(2))]).delta(arb(0.5))


# --------------------------------------------------------------------------------------------------------- the judges


def test_a_corner_is_enclosed_on_smooth_curves_and_at_kinks() -> None:
    corner = judge.corner_at(Truth(Formula.gaussian(arb(1))), 0.8)
    assert corner is not None
    assert abs(float(corner.low) - ny.GDP(1.0).beta(corner.alpha)) < 1e-9
    assert 0 <= corner.high - corner.low < 1e-9
    for e in (0.5, 1.0):
        corner = judge.corner_at(Truth(Finite(exact.k_ary(1.0))), e)
        assert corner is not None
        assert corner.high - corner.low < 1e-12


class _Off:
    """A guarantee whose answers to one verb are off by a factor, on one side."""

    def __init__(self, right: object, verb: str, factor: float, side: str) -> None:
        self.right, self.verb, self.factor, self.side = right, verb, factor, side

    @property
    def optimistic(self) -> _Off:
        off = self.side == "optimistic"
        return _Off(self.right.optimistic, self.verb if off else "", self.factor, "here")  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> object:
        value = getattr(self.right, name)
        if name != self.verb or self.side == "optimistic":
            return value
        return (lambda x: value(x) * self.factor) if callable(value) else value * self.factor


PLANTED = [
    ("delta", "here", 1 - 1e-9), ("delta", "optimistic", 1 + 1e-9), ("epsilon", "here", 1 - 1e-9),
    ("epsilon", "optimistic", 1 + 1e-9), ("beta", "here", 1 + 1e-9), ("beta", "optimistic", 1 - 1e-9),
    ("roc", "here", 1 - 1e-9), ("roc", "optimistic", 1 + 1e-9), ("mu", "here", 1 - 1e-6),
    ("advantage", "here", 1 - 1e-9), ("advantage", "optimistic", 1 + 1e-9), ("bayes_error", "here", 1 + 1e-9),
    ("bayes_error", "optimistic", 1 - 1e-9),
]  # fmt: skip


PLAIN = Setting("planted", "GDP(1)", lambda: Truth(Formula.gaussian(arb(1))))


def probed(guarantee: object, setting: Setting, seed: int) -> Session:
    rng = random.Random(seed)
    session = Session(setting, rng)
    session.guarantee = guarantee
    probes.PROBES[setting.probe](session, setting.truth(), 10)
    return session


@pytest.mark.parametrize(("verb", "side", "factor"), PLANTED)
def test_a_planted_error_is_found(verb: str, side: str, factor: float) -> None:
    off = _Off(ny.account(ny.Gaussian(1.0)), verb, factor, side)
    assert any(f"g.{verb}" in e.line for e in probed(off, PLAIN, 1).events if e.kind == "false")


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    assert probed(ny.account(ny.Gaussian(1.0)), PLAIN, 1).events == []


def test_a_promise_of_too_little_regret_divergence_or_noise_is_found() -> None:
    one, two = (Truth(Formula.gaussian(arb(mu))) for mu in (1, 2))
    gap = ny.compare(ny.GDP(1.0), ny.GDP(2.0)).divergence
    at = ny.compare(ny.GDP(1.0), ny.GDP(2.0)).epsilon
    assert judge.judged_divergence(one, two, [at], gap) == ""
    assert judge.judged_divergence(one, two, [at], gap * (1 - 1e-9)) != ""
    setting = Setting("planted", "calibrated", lambda: one, "calibrated",
                      (lambda x: Truth(Formula.gaussian(1 / arb(x))), 1.0, 1e-5))  # fmt: skip
    right = ny.calibrate(ny.Gaussian, ny.targets.Epsilon(1.0, 1e-5))
    assert probed(right, setting, 1).events == []

    class Less:
        bracket = (right.bracket[0] * (1 - 2e-6), right.bracket[1] * (1 + 2e-6))

    assert len(probed(Less, setting, 1).events) == 2


# ------------------------------------------------------------------------------------------------------ what is counted


def test_warnings_crashes_refusals_and_hangs_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.hunt import session as module

    monkeypatch.setattr(module, "HUNG", 0.2)
    monkeypatch.setattr(module, "SLOW", 0.05)
    session = Session(Setting("odd", "?", lambda: Truth(Formula.gaussian(arb(1)))), random.Random(0))

    class Odd:
        @property
        def optimistic(self) -> Odd:
            return self

        def delta(self, e: float) -> float:
            if e == 1.0:
                import warnings

                warnings.warn("overflow", RuntimeWarning, stacklevel=1)
            if e == 2.0:
                raise ZeroDivisionError
            if e == 3.0:
                raise ny.NotCertified("delta", 0.0, 0.5, "wide")
            if e == 4.0:
                raise MemoryError
            while e == 5.0:
                pass
            return 0.25

    session.guarantee = Odd()
    answers = [session.ask(f"delta({e!r})") for e in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)]
    assert [e.kind for e in session.events] == ["warned", "crashed", "refused", "memory", "hung"]
    assert answers[0].low == answers[0].up == 0.25
    assert answers[3].refused
    assert (answers[3].low, answers[3].up) == (0.0, 0.5)


def test_the_report_counts_by_family_and_kind() -> None:
    report = Report()
    report.add(Outcome("gaussian", 0, "w", 7, 1, 0.5, [Event("false", "gaussian", "w", "x")], [1e-20]))
    report.add(Outcome("mix", 0, "w", 3))
    assert report.count("false") == 1
    assert report.count("refused") == 0
    assert "all" in str(report)
    assert "10" in str(report).splitlines()[-2]


def test_areas_and_fixed_points_out_of_reach_are_found() -> None:
    truth = Truth(Formula.gaussian(arb(1)))
    g = ny.GDP(1.0)
    assert judge.judged_area(truth, g.optimistic.auc, g.auc) == ""
    assert judge.judged_area(truth, g.auc, 0.69) != ""
    assert judge.judged_area(truth, 0.81, 0.82) != ""
    assert judge.judged_fixed_point(truth, g.fixed_point, g.optimistic.fixed_point) == ""
    assert judge.judged_fixed_point(truth, g.fixed_point * (1 + 1e-9), g.optimistic.fixed_point * (1 + 1e-9)) != ""
    assert judge.judged_fixed_point(truth, g.fixed_point * (1 - 1e-9), g.optimistic.fixed_point * (1 - 1e-9)) != ""


CHEAP = ("gaussian", "strong_gaussian", "dpsgd", "one_step", "black_box", "contour_mix", "given", "joined")


@pytest.mark.parametrize("family", CHEAP)
def test_a_short_hunt(family: str) -> None:
    outcome = once(family, 3, 0, 8)
    assert [str(e) for e in outcome.events if e.kind not in ("refused", "slow")] == []


def test_every_family_draws_words_that_can_be_read() -> None:
    for family, make in FAMILIES.items():
        for index in range(5):
            setting = make(random.Random(f"{family} {index}"))
            compile(setting.words, family, "eval")
            assert setting.probe in probes.PROBES
