"""The questions of a setting, and who judges each answer."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable

from flint import arb, ctx

from tests.hunt import judge
from tests.hunt.draw import Setting, between
from tests.hunt.session import Session, Tired, limited
from tests.hunt.truth import Truth

__all__ = ["BITS", "PROBES", "examine"]

BITS = 300
PATIENCE, ENOUGH = 4.0, 8.0
"""Seconds of CPU that one truth may take, and all truths of a setting together."""


def examine(setting: Setting, rng: random.Random, questions: int = 12) -> Session:
    """Ask a setting about ``questions`` questions and judge the answers."""
    session = Session(setting, rng)
    if session.build():
        with ctx.workprec(BITS):
            PROBES[setting.probe](session, setting.truth(), questions)
    return session


def curve(session: Session, truth: Truth, questions: int) -> None:
    """Every verb of one curve: at deltas from 1/2 to 1e-18, and at what lies around their epsilons."""
    rng = session.rng
    places: list[float] = []
    for _ in range(max(1, questions // 5)):
        d = between(rng, 10.0 ** -rng.choice([3, 8, 18]), 0.6)
        answer = session.ask(f"epsilon({d!r})")
        if answer is None:
            return
        _judged(session, f"epsilon({d!r})", lambda a=answer, d=d: judge.judged_epsilon(truth, d, a.low, a.up))
        if math.isfinite(answer.up) and answer.up > 0.0:
            places.append(answer.up)
    places = places or [between(rng, 1e-4, 5.0)]
    for e in places:
        at = [e * rng.uniform(0.2, 1.15), -e * rng.uniform(0.0, 1.0)]
        for one in at if rng.random() < 0.5 else at[:1]:
            _delta(session, truth, one)
        if rng.random() < 0.7:
            _corner(session, truth, e * rng.uniform(0.05, 1.0) * rng.choice([1, 1, -1]))
    _delta(session, truth, 0.0, "advantage")
    _far(session, truth, max(places) * rng.uniform(0.5, 4.0))
    fixed = truth.adjacency not in ("remove", "add") and rng.random() < 0.3
    if fixed:  # f is symmetric
        _asked(session, "fixed_point", lambda a: judge.judged_fixed_point(truth, a.up, a.low))
    if rng.random() < 0.15:
        _asked(session, "auc", lambda a: judge.judged_area(truth, a.low, a.up))
    prior = rng.choice([rng.random(), between(rng, 1e-9, 0.5)])
    _asked(session, f"bayes_error({prior!r})", lambda a: judge.judged_bayes(truth, prior, a.up, a.low))
    if rng.random() < 0.3:
        _regret(session, truth, places)


def _delta(session: Session, truth: Truth, e: float, question: str | None = None) -> None:
    def judged(a) -> str:
        low, high = truth.delta(e)
        session.widths.append(_width(low, high))
        return judge.judged_value(a.low, a.up, (low, high))

    _asked(session, question or f"delta({e!r})", judged)


def _corner(session: Session, truth: Truth, e: float) -> None:
    corner = _patient(session, lambda: judge.corner_at(truth, e))
    if corner is None:
        return
    a = corner.alpha
    session.widths.append(_width(corner.low, corner.high))
    _asked(session, f"beta({a!r})", lambda x: judge.judged_value(x.up, x.low, (corner.low, corner.high)))
    _asked(session, f"roc({a!r})", lambda x: judge.judged_power(corner, x.low, x.up))
    if 1e-14 < a < 0.49:
        _asked(session, f"mu({a!r})", lambda x: judge.judged_mu(corner, x.up))


def _far(session: Session, truth: Truth, e: float) -> None:
    """Now and then where there is hardly any alpha: no power is above delta(e) + e^e alpha, nor below delta far out."""
    if session.rng.random() < 0.7:
        return
    a = between(session.rng, 1e-300, 1e-6)

    def judged(found) -> str:
        most = min(((truth.delta(x)[1] + arb(x).exp() * a) for x in (0.1 * e, e, 2 * e, -math.log(a))), key=_middle)
        return judge.judged_value(found.low, found.up, (arb(a).max(truth.delta(700.0)[0]), most.min(arb(1))))

    _asked(session, f"roc({a!r})", judged)


def _middle(ball: arb) -> float:
    return float(ball.mid())


def _regret(session: Session, truth: Truth, places: list[float]) -> None:
    """Regret of mu at the default floor: from below only, at a few places."""
    stated = session.ask("gdp().mu")
    answer = session.ask("gdp().regret")
    if stated is None or answer is None or not math.isfinite(stated.up) or not stated.up > 0.0:
        return
    mu = stated.up
    from tests.hunt.pairs import Formula

    other = Truth(Formula.gaussian(arb(mu)))
    at = [f * mu * mu / 2 for f in (0.2, 1.0, 2.0)] + [0.0] + [0.5 * e for e in places]
    _judged(session, "gdp().regret", lambda: judge.judged_divergence(truth, other, [s * e for e in at for s in (1, -1)],
                                                                       answer.up))  # fmt: skip


def _asked(session: Session, question: str, judged: Callable) -> None:  # type: ignore[type-arg]
    answer = session.ask(question)
    if answer is not None:
        _judged(session, question, lambda: judged(answer))


def _judged(session: Session, question: str, judged: Callable[[], str]) -> None:
    problem = _patient(session, judged)
    if problem:
        session.judge(question, problem)


def _patient(session: Session, run):
    """A truth, or nothing where it takes too long."""
    if session.spent > ENOUGH:
        session.open += 1
        return None
    started = time.process_time()
    try:
        with limited(PATIENCE):
            return run()
    except Tired:
        session.open += 1
        return None
    finally:
        session.spent += time.process_time() - started


def _width(low: arb, high: arb) -> float:
    apart = high - low
    return float((apart / high).mid()) if high > 0 else 0.0


def attack(session: Session, truth: Truth, questions: int) -> None:
    """Error rates at random false positive rates, of guarantees whose f has a formula."""
    for _ in range(max(1, questions // 2)):
        a = session.rng.choice([session.rng.random(), between(session.rng, 1e-12, 0.5)])
        low, high = session.setting.extra(arb(a))
        session.widths.append(_width(low, high))
        _asked(session, f"beta({a!r})", lambda x, b=(low, high): judge.judged_value(x.up, x.low, b))
        _asked(session, f"roc({a!r})", lambda x, b=(1 - high, 1 - low): judge.judged_value(x.low, x.up, b))


def calibrated(session: Session, truth: Truth, questions: int) -> None:
    """The noise found keeps the promise asked for; one a little smaller breaks it."""
    made, epsilon, delta = session.setting.extra
    found = session.guarantee
    session.points += 1
    question = f"bracket == {found.bracket!r}"
    least = _patient(session, lambda: made(found.bracket[0]).delta(epsilon)[0])
    most = _patient(session, lambda: made(found.bracket[1]).delta(epsilon)[1])
    if least is not None and least > arb(delta):
        session.judge(question, f"delta({epsilon!r}) is at least {least.str(17, radius=False)} where it is to be met")
    if most is not None and most <= arb(delta):
        session.judge(question, f"delta({epsilon!r}) is at most {most.str(17, radius=False)} where it is to be missed")


def compared(session: Session, truth: Truth, questions: int) -> None:
    """Delta of two guarantees, from a grid of epsilon."""
    other = session.setting.extra
    places = [s * between(session.rng, 1e-3, 20.0) for s in (1, -1) for _ in range(questions)] + [0.0]
    answer = session.tell("bounds")
    if answer is None:
        return
    forth, back = answer
    for name, mine, its, bound in (("divergence", truth, other, forth), ("reverse", other, truth, back)):
        near = [*places, float(bound.epsilon)] if math.isfinite(bound.epsilon) else places
        _judged(session, name, lambda m=mine, i=its, n=near, b=bound: judge.judged_divergence(m, i, n, b.upper))
        if not bound.lower <= bound.upper:
            session.judge(name, f"{bound.lower!r} > {bound.upper!r}")


def divergent(session: Session, truth: Truth, questions: int) -> None:
    """Renyi divergences, whose truth the setting knows, and rho."""
    rng, known = session.rng, session.setting.extra
    rho = arb(0)
    for _ in range(max(2, questions // 2)):
        t = rng.choice([1.0 + between(rng, 1e-3, 200.0), float(rng.randint(2, 64)), rng.uniform(0.05, 0.95)])
        value = _patient(session, lambda t=t: known(t))
        if value is None:
            continue
        rho = rho.max(value[0] / t) if t > 1.0 else rho
        session.widths.append(_width(*value))
        _asked(session, f"renyi({t!r})", lambda a, v=value: judge.judged_value(a.low, a.up, v))
    _asked(session, "zcdp()", lambda a: judge.judged_above("rho", a.up, rho.lower()))


PROBES: dict[str, Callable[[Session, Truth, int], None]] = {
    "curve": curve,
    "attack": attack,
    "calibrated": calibrated,
    "compared": compared,
    "divergent": divergent,
}
