"""A loss known by its functions encloses the mechanism it is the loss of; functions that contradict are refused."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr

import neyman as ny
from neyman import CustomLoss
from tests.effort import rest_slow

EPS = np.array([-1.0, -0.3, 0.0, 0.2, 0.5, 0.9, 1.4, 2.5])
E = math.e
ENDS = (-9.5, 9.5)


def gaussian_p(x):
    return ndtr(np.asarray(x) - 0.5)


def gaussian_q(x):
    return ndtr(np.asarray(x) + 0.5)


def response_p(x):
    return np.where(x < -1.0, 0.0, np.where(x < 1.0, 1.0 / (1.0 + E), 1.0))


def response_q(x):
    return np.where(x < -1.0, 0.0, np.where(x < 1.0, E / (1.0 + E), 1.0))


def laplace_p(x):
    return np.where(x < -1.0, 0.0, np.where(x < 1.0, 0.5 * np.exp(0.5 * (x - 1.0)), 1.0))


def laplace_q(x):
    return np.where(x < -1.0, 0.0, np.where(x < 1.0, 1.0 - 0.5 * np.exp(-0.5 * (x + 1.0)), 1.0))


def log_p(x):
    return -0.5 * (x - 0.5) ** 2 - 0.5 * math.log(2.0 * math.pi)


def log_q(x):
    return log_p(x) - x


KNOWN = {
    "Gaussian": (CustomLoss(gaussian_p, gaussian_q, ENDS), ny.Gaussian(1.0)),
    "Gaussian by densities": (CustomLoss.from_log_densities(log_p, log_q, ENDS), ny.Gaussian(1.0)),
    "randomised response": (CustomLoss(response_p, response_q, (-1.0, 1.0)), ny.RandomizedResponse(1.0)),
    "Laplace": (CustomLoss(laplace_p, laplace_q, (-1.0, 1.0)), ny.Laplace(1.0)),
}
WIDER = CustomLoss(laplace_p, laplace_q, (-1.5, 1.5))  # the support need only hold the law
USES = {
    "twice": lambda m: m**2,
    "seven times": lambda m: m**7,
    "sampled": lambda m: m.poisson(0.1) ** 3,
    "mostly there": lambda m: m.poisson(0.9) ** 2,
    "beside others": lambda m: m.poisson(0.3) * ny.Laplace(2.0) * ny.PureMechanism(0.3),
    "beside a run": lambda m: m * ny.DPSGD(2.0, 0.1, 50),
}


def brackets(m, adjacency="add_or_remove", at=EPS):
    b = ny.account(m, adjacency=adjacency, tolerance=0.5).sides.bracket(at)
    assert np.all((b.lower >= 0.0) & (b.lower <= b.upper) & (b.upper <= 1.0))
    return b


@pytest.mark.parametrize("adjacency", rest_slow(["add_or_remove", "remove", "add"], "add_or_remove"))
@pytest.mark.parametrize(("name", "use"), [
    pytest.param(name, use, marks=[pytest.mark.slow] if (name, use) == ("Gaussian by densities", "sampled") else [])
    for name in KNOWN
    for use in USES
])  # fmt: skip
def test_it_encloses_what_it_is_the_loss_of(name, use, adjacency):
    custom, known = (brackets(USES[use](m), adjacency) for m in KNOWN[name])
    assert np.all(custom.lower <= known.upper)
    assert np.all(known.lower <= custom.upper)
    assert np.all(custom.upper - custom.lower <= 0.03)  # and is sharp
    assert np.all(custom.log_gap_lower <= known.log_gap_upper)
    assert np.all(known.log_gap_lower <= custom.log_gap_upper)


@pytest.mark.parametrize("name", ["Gaussian", "Gaussian by densities", "randomised response"])
def test_one_step(name):
    custom, known = (brackets(m) for m in KNOWN[name])
    assert np.all(custom.lower <= known.upper)
    assert np.all(known.lower <= custom.upper)
    assert np.all(custom.upper - custom.lower <= 1e-3)


@pytest.mark.parametrize(
    ("scale", "rate"), rest_slow([(0.053053754048554336, 0.0791), (0.0694, 1.0), (0.0301, 0.02)], 0)
)
@pytest.mark.slow
def test_what_floats_hide_of_large_losses_is_paid_for(scale, rate):
    """q_cdf near 1 is off by 2^-53, and delta by e^eps times that: closed form of one step beside it."""
    far = 1.0 / scale

    def p_cdf(x):
        return np.where(x < -far, 0.0, np.where(x < far, 0.5 * np.exp(0.5 * (np.clip(x, -far, far) - far)), 1.0))

    def q_cdf(x):
        return np.where(x < -far, 0.0, np.where(x < far, 1.0 - 0.5 * np.exp(-0.5 * (np.clip(x, -far, far) + far)), 1.0))

    end = math.log1p(rate * math.expm1(far))
    eps = end - np.array([1.0, 0.1, 0.02, 0.01, 2e-3, 1e-3, 2e-4, 1e-4, 2e-5])
    custom = ny.account(CustomLoss(p_cdf, q_cdf, (-far, far)).poisson(rate), "remove", tolerance=0.5)
    b = custom.sides.bracket(eps)
    with mpmath.workdps(50):
        plain = [mpmath.log(1 + mpmath.expm1(mpmath.mpf(e)) / mpmath.mpf(rate)) for e in eps]
        truth = [rate * -mpmath.expm1((e - 1 / mpmath.mpf(scale)) / 2) for e in plain]
        assert all(low <= t <= high for low, t, high in zip(b.lower, truth, b.upper, strict=True))
    far_from_it = eps < end - 5e-3
    assert np.all((b.upper <= 1.01 * np.array(truth, float) + 80.0 * math.exp(end) * 2.0**-53)[far_from_it])


def test_an_exchanged_record():
    custom, _ = KNOWN["randomised response"]
    assert np.array_equal(brackets(custom**3, "replace").upper, brackets(custom**3).upper)
    with pytest.raises(ny.InvalidParameter) as caught:
        ny.account(custom.poisson(0.5), adjacency="replace")
    assert str(caught.value) == (
        'adjacency must be one of "add_or_remove", "add", "remove" for a sampled CustomLoss, got \'replace\'. No proof '
        "is known of which pair is worst when a record is exchanged inside a sampled black box."
    )


def test_what_the_densities_do_not_place_is_revealed():
    cut = brackets(CustomLoss.from_log_densities(log_p, log_q, (-3.0, 3.0)))
    known = brackets(ny.Gaussian(1.0))
    assert np.all(known.lower <= cut.upper)
    assert np.all(cut.upper - known.upper <= 1.01 * ndtr(-2.5) + 2e-4)
    assert np.all(cut.upper[EPS > 0.0] >= ndtr(-2.5))


def shown(value):
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


SAME = "the same law as p_cdf: dP = e^L dQ"
RISING = "a distribution function: rising, in [0, 1], one value for each x"
MASS = " The value is the mass that contradicts it."
REFUSED = [
    # p_cdf, q_cdf, which of them, what it must be, the advice
    (gaussian_p, lambda x: ndtr(x + 0.4), "q_cdf", SAME, MASS),
    (gaussian_p, gaussian_p, "q_cdf", SAME, MASS),
    (gaussian_q, gaussian_p, "q_cdf", SAME, MASS),  # the wrong way round
    (lambda x: 1.0 - gaussian_p(-x), lambda x: gaussian_q(2.0 * x), "q_cdf", SAME, MASS),
    (lambda x: 1.0 - gaussian_q(x), gaussian_q, "p_cdf", RISING, ""),
    (lambda x: 0.5 * gaussian_p(x) + 0.5 * np.cos(x - 9.5) ** 2, gaussian_q, "p_cdf", RISING, ""),
    (gaussian_p, lambda x: 1.0 - gaussian_q(x), "q_cdf", RISING, ""),
    (lambda x: np.where(x < 9.5, math.nan, 1.0), gaussian_q, "p_cdf", RISING, ""),
    (gaussian_p, lambda x: np.where(x > 0.0, math.nan, gaussian_q(x)), "q_cdf", RISING, ""),
    (lambda x: np.full_like(x, math.nan), gaussian_q, "p_cdf", None, ""),
    (lambda x: 2.0 * gaussian_p(x), gaussian_q, "p_cdf", None, ""),
    (gaussian_p, lambda x: gaussian_q(x) - 0.5, "q_cdf", RISING, ""),
    (gaussian_p, lambda x: 2.0 * gaussian_q(x), "q_cdf", RISING, ""),
    (gaussian_p, lambda _: 0.5, "q_cdf", RISING, ""),
]


@pytest.mark.parametrize(("p_cdf", "q_cdf", "name", "allowed", "advice"), REFUSED)
@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_contradictions_are_refused(p_cdf, q_cdf, name, allowed, advice, rate):
    with pytest.raises(ny.InvalidParameter) as caught:
        ny.account(CustomLoss(p_cdf, q_cdf, ENDS).poisson(rate) ** 2, tolerance=0.5).delta(EPS)
    found = caught.value
    if allowed is None:  # whichever of the two is looked at first
        allowed = RISING if found.allowed == RISING else "1 at the upper end of the support, 9.5"
    assert (found.name, found.allowed, found.advice) == (name, allowed, advice.strip())
    assert str(found) == f"{name} must be {allowed}, got {shown(found.value)}.{advice}"


def test_a_support_that_cuts_something_off_is_refused():
    with pytest.raises(ny.InvalidParameter) as caught:
        ny.account(CustomLoss(gaussian_p, gaussian_q, (-1.0, 9.0)), tolerance=0.5).delta(EPS)
    assert str(caught.value) == f"q_cdf must be {SAME}, got {shown(caught.value.value)}.{MASS}"


@pytest.mark.parametrize(
    ("p", "q", "apart"),
    [
        (log_p, log_p, "9.5"),
        (log_p, lambda x: log_p(x) - x - 0.5, "0.5"),
        (log_q, log_p, "19.0"),
        (lambda x: log_p(x) * math.nan, log_q, "nan"),
        (log_p, lambda x: log_q(x) * math.nan, "nan"),
    ],
)
def test_log_densities_differ_by_the_loss(p, q, apart):
    with pytest.raises(ny.InvalidParameter) as caught:
        CustomLoss.from_log_densities(p, q, ENDS)
    assert str(caught.value.value)[: len(apart)] == apart
    said = f"log_q must be log_p(x) - x at every x, got {caught.value.value!r}. The value is the largest difference."
    assert str(caught.value) == said


@pytest.mark.parametrize("name", ["log_p", "log_q"])
def test_densities_are_functions(name):
    functions = {"log_p": log_p, "log_q": log_q, name: 1.0}
    with pytest.raises(ny.InvalidParameter) as caught:
        CustomLoss.from_log_densities(**functions, support=ENDS)
    assert str(caught.value) == f"{name} must be a function of an array, got 1.0."


def test_densities_of_more_than_one():
    loud = CustomLoss.from_log_densities(lambda x: log_p(x) + 1.0, lambda x: log_q(x) + 1.0, ENDS)
    with pytest.raises(ny.InvalidParameter) as caught:
        ny.account(loud, tolerance=0.5).delta(EPS)
    assert caught.value.value == pytest.approx(E, rel=1e-9)
    assert str(caught.value) == f"p_cdf must be 1 at the upper end of the support, 9.5, got {caught.value.value!r}."


@pytest.mark.parametrize(
    ("times", "adjacency"),
    rest_slow(itertools.product((1, 2), ("add_or_remove", "remove", "add")), 1, 5),
)
def test_a_support_wider_than_the_law_says_nothing_wrong(times, adjacency):
    """Asked beside eps between the end of the law and that of the support, where only empty bins are seen."""
    custom = brackets(WIDER**times, adjacency, np.array([0.0, 0.5, 1.4, 2.5]))
    known = brackets(ny.Laplace(1.0) ** times, adjacency, np.array([0.0, 0.5, 1.4, 2.5]))
    assert np.all(custom.lower <= known.upper)
    assert np.all(known.lower <= custom.upper)


def test_a_function_that_gives_one_number_is_refused():
    with pytest.raises(ny.InvalidParameter) as caught:
        ny.account(CustomLoss(lambda x: 1.0, laplace_q, (-1.0, 1.0))).delta(1.0)
    assert str(caught.value) == f"p_cdf must be {RISING}, got 1.0."


@pytest.mark.parametrize("adjacency", rest_slow(["remove", "add"], "add"))
@pytest.mark.parametrize("rate", rest_slow([1.0, 0.3], 0))
def test_what_q_does_not_place_is_revealed_too(rate, adjacency):
    """Above a cut the losses of both laws are not said: whoever holds them may know everything."""
    cut = CustomLoss(lambda x: gaussian_p(np.minimum(x, 1.0)), lambda x: gaussian_q(np.minimum(x, 1.0)), (-9.5, 2.0))
    custom = brackets(cut.poisson(rate), adjacency)
    whole = brackets(CustomLoss(gaussian_p, gaussian_q, ENDS).poisson(rate), adjacency)
    assert np.all(custom.upper >= whole.lower)
    lost = 1.0 - gaussian_q(1.0) if adjacency == "add" else None
    p_lost = rate * (1.0 - gaussian_p(1.0)) + (1.0 - rate) * (1.0 - gaussian_q(1.0))
    assert np.all(custom.upper[EPS > 1.2] >= (p_lost if lost is None else lost) * (1.0 - 1e-12))
