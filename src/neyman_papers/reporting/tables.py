"""Tables of the reporting paper, and its algorithm as output."""

from __future__ import annotations

from neyman.accountants import Accountant
from neyman_papers.cases import CIFAR_RATE, FINE_TUNING, FROM_SCRATCH, dpsgd, fit
from neyman_papers.drawn import Rows
from neyman_papers.reporting.numbers import gaussian_mu
from neyman_papers.reporting.printed import EPSILONS, REPLACEMENTS, TABLE_3, TABLE_3_DELTAS
from neyman_papers.reporting.regrets import SUMMARIES, regrets
from neyman_papers.verdict import outward

__all__ = ["algorithm_1", "figure_1c", "table_1", "table_2", "table_3", "table_4", "table_5"]

_EXAMPLE = """\
import neyman as ny

accountant = ny.Accountant()
for mini_batch in range({steps}):
    accountant.step(noise_multiplier={noise:g}, sample_rate={rate:g})
mu, regret = accountant.get_mu_and_regret()
"""


def _up(value: float, digits: int = 4) -> str:
    return outward(value, digits, up=True)


def table_1() -> Rows:
    """Which summary is concise, ordered, accurate."""
    concise = {"pure": True, "pair": True, "profile": False, "rdp": False, "zcdp": True, "gdp": True}
    ordered = {"pure": True, "pair": False, "profile": False, "rdp": False, "zcdp": True, "gdp": True}
    lap, sgd = regrets("laplace"), regrets("dpsgd")
    rows = [
        [SUMMARIES[key], _yes(concise[key]), _yes(ordered[key]), _up(lap[key].upper),
         _up(sgd[key].upper) if key in sgd else "no finite epsilon",
         _yes(key in sgd and sgd[key].upper < 1.0)]
        for key in concise
    ]  # fmt: skip
    head = [
        "method",
        "concise (D1)",
        "ordered (D2)",
        "regret, Laplace, percent",
        "regret, DP-SGD, percent",
        "accurate (D3)",
    ]
    return Rows(head, rows)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def figure_1c() -> Rows:
    """Regret in percent, by the paper's road."""
    lap, sgd = regrets("laplace"), regrets("dpsgd")
    rows = [
        [name, outward(lap[key].lower, 6, up=False), outward(lap[key].upper, 6, up=True),
         outward(sgd[key].lower, 6, up=False) if key in sgd else "",
         outward(sgd[key].upper, 6, up=True) if key in sgd else ""]
        for key, name in SUMMARIES.items()
    ]  # fmt: skip
    head = [
        "summary",
        "Laplace, percent at least",
        "Laplace, percent at most",
        "DP-SGD, percent at least",
        "DP-SGD, percent at most",
    ]
    return Rows(head, rows)


def table_2() -> Rows:
    """Epsilon before, mu after, from the parameters of Tables 4 and 5."""
    rows = []
    for epsilon in EPSILONS:
        first, third = (fit(dpsgd(*_row(table[epsilon])))[0] for table in (FROM_SCRATCH, FINE_TUNING))
        rows.append([f"{epsilon:g}", REPLACEMENTS[epsilon], _up(first.mu, 5), _up(first.regret, 3), _up(third.mu, 5),
                     _up(third.regret, 3)])  # fmt: skip
    head = [
        "epsilon (printed)",
        "mu (printed)",
        "mu, first row",
        "regret, first row",
        "mu, third row",
        "regret, third row",
    ]
    return Rows(head, rows)


def _row(row: tuple[float, int]) -> tuple[float, float, int]:
    return row[0], CIFAR_RATE, row[1]


def table_3() -> Rows:
    """Mu of Gaussian mechanisms by (epsilon, delta)."""
    rows = [[f"{e:g}", *(f"{gaussian_mu(e, d).lower:.4f}" for d in TABLE_3_DELTAS)] for e in TABLE_3]
    return Rows(["epsilon", *(f"delta {d:g}" for d in TABLE_3_DELTAS)], rows)


def table_4() -> Rows:
    """Training from scratch."""
    return _hyperparameters(FROM_SCRATCH)


def table_5() -> Rows:
    """Fine-tuning."""
    return _hyperparameters(FINE_TUNING)


def _hyperparameters(table: dict[float, tuple[float, int]]) -> Rows:
    rows = []
    for epsilon, (noise, steps) in table.items():
        g = dpsgd(noise, CIFAR_RATE, steps)
        report = fit(g)[0]
        rows.append([f"{epsilon:g}", f"{noise:g}", steps, _up(g.epsilon(1e-5), 5), _up(report.mu, 6),
                     _up(report.regret, 4), _up(g.advantage, 4)])  # fmt: skip
    head = ["epsilon (printed)", "noise multiplier", "steps", "epsilon(1e-5)", "mu", "regret", "advantage"]
    return Rows(head, rows)


def algorithm_1() -> Rows:
    """The algorithm, run for the steps of the paper's listing and for its case study."""
    rows = []
    for noise, rate, steps in ((1.0, 0.001, 1000), (9.4, CIFAR_RATE, 2000)):
        accountant = Accountant()
        for _ in range(steps):
            accountant.step(noise_multiplier=noise, sample_rate=rate)
        mu, regret = accountant.get_mu_and_regret()
        rows.append([f"{noise:g}", f"{rate:g}", steps, _up(mu, 7), _up(regret, 4), "yes" if regret < 0.01 else "no"])
    head = ["noise multiplier", "sample rate", "mini-batches", "mu", "regret", "regret below 0.01"]
    return Rows(head, rows, _EXAMPLE.format(noise=1.0, rate=0.001, steps=1000))
