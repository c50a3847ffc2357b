"""Mechanisms, family by family: parameters over the whole documented domain, and where the package has erred before."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from flint import arb

from tests.hunt.allocation import Allocated
from tests.hunt.draw import Setting, between, number, whole
from tests.hunt.pairs import Balls, Given
from tests.hunt.steps import Step
from tests.hunt.truth import Composition, Truth

__all__ = ["MECHANISMS", "setting_of"]

_FLOATS = 1e-13
"""What rounding of two distribution functions of floats may come to in delta, for one step."""
_ADJACENCIES = ("add_or_remove", "add_or_remove", "remove", "add")


def setting_of(rng: random.Random, family: str, steps: list[Step], exchange: bool = False) -> Setting:
    """The guarantee of a composition under an adjacency; "replace" only where ``exchange`` allows it."""
    adjacency = rng.choice(_ADJACENCIES)
    if exchange and rng.random() < 0.25:
        adjacency = "replace"
    asked = "" if adjacency == "add_or_remove" else f", {adjacency!r}"
    return Setting(
        family, f"ny.account({' * '.join(map(str, steps))}{asked})",
        lambda: Truth(Composition(steps, adjacency == "replace"), adjacency), extra=tuple(steps),
    )  # fmt: skip


def gaussian(rng: random.Random) -> Setting:
    """Unsampled, mu from 1e-12 to 300."""
    sensitivity = rng.choice([(), (), (number(rng, 1e-3, 1e3),)])
    times = whole(rng, 1, 50) if rng.random() < 0.3 else 1
    mu = number(rng, 1e-12, 300.0)
    sigma = math.sqrt(times) / mu * (sensitivity[0] if sensitivity else 1.0)
    return setting_of(rng, "gaussian", [Step("Gaussian", (sigma, *sensitivity), None, times)], exchange=mu < 150.0)


def strong_gaussian(rng: random.Random) -> Setting:
    """mu from 8 to 300, where the profile is a cliff."""
    return setting_of(rng, "strong gaussian", [Step("Gaussian", (1.0 / number(rng, 8.0, 300.0),))])


def dpsgd(rng: random.Random) -> Setting:
    """What people run."""
    step = Step("Gaussian", (number(rng, 0.4, 60.0),), number(rng, 1e-4, 0.5), whole(rng, 10, 10**6))
    return setting_of(rng, "dpsgd", [step])


def high_rate(rng: random.Random) -> Setting:
    """Rates above one half, to just below 1."""
    q = 1.0 - between(rng, 1e-9, 0.5) if rng.random() < 0.7 else 0.5 + 0.5 * rng.random()
    times, mu = whole(rng, 2, 10**9), number(rng, 0.05, 8.0)
    return setting_of(rng, "high rate", [Step("Gaussian", (math.sqrt(times) / mu,), q, times)])


def weak_dpsgd(rng: random.Random) -> Setting:
    """Much noise: sigma up to 1e12, and a total that is still worth asking about or next to nothing."""
    sigma, q = number(rng, 10.0, 1e12), number(rng, 1e-6, 1.0 - 1e-6)
    mu = between(rng, 1e-6, 3.0)
    times = min(max(round((mu * sigma / q) ** 2), 1), 10**18)
    return setting_of(rng, "weak dpsgd", [Step("Gaussian", (sigma,), q, times)])


def wild_dpsgd(rng: random.Random) -> Setting:
    """Anything the constructor takes, within reason."""
    step = Step("Gaussian", (number(rng, 1e-3, 1e12),), between(rng, 1e-12, 0.999), whole(rng, 1, 10**9))
    return setting_of(rng, "wild dpsgd", [step])


def rare_dpsgd(rng: random.Random) -> Setting:
    """A record that hardly ever takes part, and is seen when it does."""
    q = between(rng, 1e-12, 2e-6)
    if rng.random() < 0.3:
        sigma, times = number(rng, 0.05, 3.0), whole(rng, 2, 10)
    else:
        sigma, times = number(rng, 0.05, 0.855), whole(rng, 2, min(10**9, math.floor(40.0 / q)))
    return setting_of(rng, "rare dpsgd", [Step("Gaussian", (sigma,), q, times)])


def one_step(rng: random.Random) -> Setting:
    """One sampled step, rates down to 1e-300."""
    q = between(rng, 1e-300, 0.999) if rng.random() < 0.4 else number(rng, 1e-6, 0.999999)
    return setting_of(rng, "one step", [Step("Gaussian", (number(rng, 0.05, 1e6),), q)], exchange=q > 1e-12)


def few_steps(rng: random.Random) -> Setting:
    """Between two and thirty sampled steps, little noise included."""
    step = Step("Gaussian", (number(rng, 0.15, 30.0),), number(rng, 1e-5, 0.99), whole(rng, 2, 30))
    return setting_of(rng, "few steps", [step], exchange=True)


def laplace(rng: random.Random) -> Setting:
    """Unsampled, d = 1/scale from 1e-3 to 60."""
    times = whole(rng, 1, 40)
    scale = 1.0 / number(rng, 1e-3, 60.0 if times < 8 else 8.0)
    return setting_of(rng, "laplace", [Step("Laplace", (scale,), None, times)], exchange=True)


def sampled_laplace(rng: random.Random) -> Setting:
    """Small scales: 1/scale from 8 to 45 at any rate, one step to 200."""
    d = rng.uniform(8.0, 45.0)
    q = between(rng, 1e-6, 1.0) if rng.random() < 0.6 else 1.0 - between(rng, 1e-8, 0.5)
    times = rng.choice([1, 2, 2, 3, whole(rng, 1, 200)])
    return setting_of(rng, "sampled laplace", [Step("Laplace", (1.0 / d,), min(q, 1.0 - 1e-9), times)], exchange=True)


def usual_laplace(rng: random.Random) -> Setting:
    """Sampled, usual scales."""
    step = Step("Laplace", (number(rng, 0.1, 1e3),), number(rng, 1e-6, 0.99), whole(rng, 1, 300))
    return setting_of(rng, "usual laplace", [step], exchange=True)


def custom_loss(rng: random.Random) -> Setting:
    """A law given as functions in float64: its truth is as wide as their rounding."""
    scale, times = number(rng, 0.05, 20.0), whole(rng, 1, 3)
    rate = number(rng, 1e-3, 0.95) if rng.random() < 0.4 else None
    adjacency = rng.choice(("remove", "add", "add_or_remove"))
    pair = Composition([Step("Laplace", (scale,), rate, times)])

    def bounds(e: arb, add: bool) -> Balls:
        low, high = pair.delta(e, add)
        return low - _FLOATS * times, high + _FLOATS * times

    words = f"custom.laplace({scale!r})" + ("" if rate is None else f".poisson({rate!r})") + f" ** {times}"
    return Setting("custom loss", f"ny.account({words}, {adjacency!r}, 1e-3)", lambda: Truth(Given(bounds), adjacency))


def discrete_gaussian(rng: random.Random) -> Setting:
    """Sums of them, sampled or not."""
    sigma, rate = number(rng, 0.1, 30.0), number(rng, 1e-4, 0.95) if rng.random() < 0.4 else None
    times = whole(rng, 1, 60) if rate is None else whole(rng, 1, 4)
    shift = () if rng.random() < 0.7 else (whole(rng, 1, 4),)
    return setting_of(rng, "discrete gaussian", [Step("DiscreteGaussian", (sigma, *shift), rate, times)], exchange=True)


def rare_discrete(rng: random.Random) -> Setting:
    """Few of them in which the record hardly ever takes part, whose losses live on many scales."""
    sigma, rate = number(rng, 0.2, 0.8), number(rng, 1e-14, 1e-2)
    step = Step("DiscreteGaussian", (sigma,), rate, whole(rng, 2, 5 if sigma < 0.4 else 3))
    beside = [_box(rng, whole(rng, 1, 3))] if rng.random() < 0.2 else []
    return setting_of(rng, "rare discrete gaussian", [step, *beside])


def discrete_laplace(rng: random.Random) -> Setting:
    """Sums of them, sampled or not."""
    rate = number(rng, 1e-4, 0.95) if rng.random() < 0.4 else None
    shift = whole(rng, 1, 5)
    step = Step("DiscreteLaplace", (number(rng, 0.05, 50.0) * shift, shift), rate, whole(rng, 1, 20))
    return setting_of(rng, "discrete laplace", [step], exchange=True)


def black_box(rng: random.Random) -> Setting:
    """Randomised response, the worst pairs of pure and approximate privacy, tables."""
    return setting_of(rng, "black box", [_box(rng, whole(rng, 1, 200))])


def mix(rng: random.Random) -> Setting:
    """Two or three of anything."""
    makers: list[Callable[[], Step]] = [
        lambda: Step("Gaussian", (number(rng, 0.5, 30.0),)),
        lambda: Step("Gaussian", (number(rng, 0.6, 10.0),), number(rng, 1e-3, 0.9), whole(rng, 1, 2000)),
        lambda: Step("Laplace", (number(rng, 0.2, 50.0),), None, whole(rng, 1, 4)),
        lambda: Step("Laplace", (number(rng, 0.05, 10.0),), number(rng, 1e-3, 0.9), whole(rng, 1, 3)),
        lambda: Step("DiscreteGaussian", (number(rng, 0.3, 12.0),), None, whole(rng, 1, 2)),
        lambda: Step("DiscreteLaplace", (number(rng, 0.2, 12.0), whole(rng, 1, 3)), None, whole(rng, 1, 3)),
        lambda: _box(rng, whole(rng, 1, 4)),
    ]
    chosen = rng.sample(makers, rng.choice([2, 2, 3]))
    return setting_of(rng, "mix", [make() for make in chosen])


def contour_mix(rng: random.Random) -> Setting:
    """Sampled and unsampled Gaussians with few outcomes: all of it on one contour."""
    steps = [Step("Gaussian", (number(rng, 0.7, 20.0),), number(rng, 1e-3, 0.9), whole(rng, 30, 5000))]
    if rng.random() < 0.6:
        steps.append(Step("Gaussian", (number(rng, 0.7, 20.0),), number(rng, 1e-3, 0.9), whole(rng, 30, 5000)))
    if rng.random() < 0.6:
        steps.append(Step("Gaussian", (number(rng, 0.5, 30.0),)))
    if rng.random() < 0.5:
        steps.append(Step("RandomizedResponse", (number(rng, 0.05, 3.0), whole(rng, 2, 6)), None, whole(rng, 1, 40)))
    return setting_of(rng, "contour mix", steps)


def schedule(rng: random.Random) -> Setting:
    """Noise and rates that change many times, in a band or over all there is: laws that are asked in blocks."""
    low, high = number(rng, 0.55, 3.0), number(rng, 1.0, 15.0)
    rare, rates = number(rng, 1e-4, 0.5), number(rng, 1.0, 100.0)
    steps = [
        Step(
            "Gaussian", (number(rng, low, low * high),), number(rng, max(rare / rates, 1e-6), rare), whole(rng, 1, 1000)
        )
        for _ in range(whole(rng, 8, 40))
    ]
    return setting_of(rng, "schedule", steps)


def _box(rng: random.Random, times: int) -> Step:
    rate = number(rng, 1e-4, 0.98) if rng.random() < 0.4 else None
    kind = rng.choice(["RandomizedResponse", "PureMechanism", "ApproximateMechanism", "Tabulated"])
    if kind == "RandomizedResponse":
        return Step(kind, (number(rng, 0.01, 40.0), whole(rng, 2, 50)), rate, times)
    if kind == "PureMechanism":
        return Step(kind, (number(rng, 0.001, 80.0),), rate, times)
    if kind == "ApproximateMechanism":
        return Step(kind, (number(rng, 0.01, 10.0), number(rng, 1e-12, 0.3)), rate, min(times, 12))
    laws = [[rng.randint(0, 12) for _ in range(rng.randint(2, 5))] for _ in range(2)]
    size = min(map(len, laws))
    made = tuple(_dyadic(law[:size]) for law in laws)
    return Step(kind, made, rate, min(times, 8))


def _dyadic(weights: list[int]) -> tuple[float, ...]:
    """Probabilities in 1024ths that sum to 1 exactly."""
    total = sum(weights) or 1
    parts = [1024 * w // total for w in weights]
    parts[weights.index(max(weights))] += 1024 - sum(parts)
    return tuple(p / 1024 for p in parts)


def allocated(rng: random.Random) -> Setting:
    """Each record in one batch: two of them, whose truth is known, half the time."""
    sigma, batches = number(rng, 0.05, 100.0), 2 if rng.random() < 0.5 else whole(rng, 3, 10**9)
    adjacency = rng.choice(_ADJACENCIES)
    words = f"ny.account(ny.Gaussian({sigma!r}).allocated({batches}), {adjacency!r}, tolerance=1e-3)"
    return Setting("allocated", words, lambda: Truth(Allocated(sigma, batches), adjacency))


MECHANISMS = (
    gaussian, strong_gaussian, dpsgd, high_rate, weak_dpsgd, wild_dpsgd, rare_dpsgd, one_step, few_steps, laplace,
    sampled_laplace, usual_laplace, custom_loss, discrete_gaussian, rare_discrete, discrete_laplace, black_box, mix,
    contour_mix, schedule, allocated,
)  # fmt: skip
