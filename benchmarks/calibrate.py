"""From a target to the least noise: time and answer beside the peers that are installed.

    python -m benchmarks.calibrate

CPU time of the process, best of the runs after the first, so that other work on the machine does not count. Every
answer is looked at by ours: a peer's noise is "short" where the target is certainly missed with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import neyman as ny

__all__ = ["main"]

RATE = 0.01
CASES = (
    ("(8, 1e-5), T = 10,000", ny.targets.Epsilon(8.0, delta=1e-5), 10_000),
    ("advantage 0.1, T = 1,000", ny.targets.Advantage(0.1), 1000),
    ("advantage 0.1, T = 10,000", ny.targets.Advantage(0.1), 10_000),
    ("TPR 0.5 at FPR 0.01, T = 1,000", ny.targets.TPR(0.5, fpr=0.01), 1000),
    ("TPR 0.5 at FPR 0.01, T = 10,000", ny.targets.TPR(0.5, fpr=0.01), 10_000),
    ("mu 1, T = 10,000", ny.targets.Mu(1.0), 10_000),
)


def _timed(solve: Callable[[], float], runs: int) -> tuple[float, float]:
    best, answer = float("inf"), 0.0
    for _ in range(runs):
        start = time.process_time()
        answer = solve()
        best = min(best, time.process_time() - start)
    return best, answer


def _riskcal(target: ny.targets.Target, steps: int) -> float:
    from riskcal.calibration import dpsgd

    if isinstance(target, ny.targets.Advantage):
        return float(dpsgd.find_noise_multiplier_for_advantage(target.value, RATE, steps))
    if isinstance(target, ny.targets.TPR):  # its default least noise, 0.1, does not come to an end in two minutes
        rates = (target.fpr, 1.0 - target.value, RATE, steps)
        return float(dpsgd.find_noise_multiplier_for_err_rates(*rates, noise_min=0.4, noise_max=4.0))
    raise NotImplementedError


def _dp_accounting(target: ny.targets.Target, steps: int) -> float:
    import dp_accounting
    from dp_accounting.pld import PLDAccountant

    if not isinstance(target, ny.targets.Epsilon):
        raise NotImplementedError

    def event(sigma: float) -> dp_accounting.DpEvent:
        step = dp_accounting.PoissonSampledDpEvent(RATE, dp_accounting.GaussianDpEvent(sigma))
        return dp_accounting.SelfComposedDpEvent(step, steps)

    bracket = dp_accounting.ExplicitBracketInterval(0.5, 2.0)
    return float(dp_accounting.calibrate_dp_mechanism(PLDAccountant, event, target.value, target.delta, bracket))


def main() -> None:
    """Print one line for each case and library."""
    for name, target, steps in CASES:
        found = ny.noise_for_dpsgd(target, RATE, steps)
        seconds, sigma = _timed(partial(_ours, target, steps), 5)
        print(f"{name:34} neyman         {seconds:9.3f} s  sigma {sigma:.7f}  {found.evaluations} evaluations")
        for peer, solve in (("riskcal", _riskcal), ("dp_accounting", _dp_accounting)):
            try:
                seconds, sigma = _timed(partial(solve, target, steps), 1)
            except NotImplementedError:
                continue
            except Exception as error:
                print(f"{name:34} {peer:14} {type(error).__name__}: {error}")
                continue
            g = ny.account(ny.DPSGD(sigma, RATE, steps))
            verdict = "meets" if target.met_by(g) else "short" if target.missed_by(g) else "undecided"
            print(f"{name:34} {peer:14} {seconds:9.3f} s  sigma {sigma:.7f}  {verdict}")
    for name, make in (("from 1: DP-SGD to mu 1", _dpsgd), ("from 1: Laplace ** 10 to mu 1", _laplace)):
        seconds, parameter = _timed(partial(_from_one, make), 5)
        print(f"{name:34} neyman         {seconds:9.3f} s  {parameter:.7f}")


def _dpsgd(noise: float) -> ny.Mechanism:
    return ny.DPSGD(noise, RATE, 10_000)


def _laplace(scale: float) -> ny.Mechanism:
    return ny.Laplace(scale) ** 10


def _from_one(make: Callable[[float], ny.Mechanism]) -> float:
    return ny.calibrate(make, ny.targets.Mu(1.0)).parameter


def _ours(target: ny.targets.Target, steps: int) -> float:
    return ny.noise_for_dpsgd(target, RATE, steps).parameter


if __name__ == "__main__":
    main()
