"""Figure 6 of the sensitivity-index paper as data: three conversions of Renyi DP beside the exact profile, delta 1e-5.

Regenerate with

    PYTHONPATH=src:. python -m tests.conversions.make_figure6
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from neyman.conversions import GaussianPage, gaussian_epsilon, rdp_improved_a, rdp_improved_b, rdp_standard

DELTA = 1e-5
PSI = np.arange(1, 61) / 10.0
ORDERS = np.array([1.05, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0, 64.0])
HEADER = "psi,order,standard,improved_a,improved_b,profile"
STORED = Path(__file__).parent / "figure6.csv"


def rows() -> list[tuple[float, ...]]:
    """One row for each psi and order, in that order; the profile knows no order."""
    return [
        (psi, order, *(rule(order, rho, DELTA) for rule in (rdp_standard, rdp_improved_a, rdp_improved_b)), exact)
        for psi in PSI
        for exact in [gaussian_epsilon(psi, DELTA)]
        for order, rho in zip(ORDERS, GaussianPage(psi).rdp(ORDERS), strict=True)
    ]


def main() -> None:
    lines = [",".join(f"{value:.10g}" for value in row) for row in rows()]
    STORED.write_text("\n".join([HEADER, *lines]) + "\n")


if __name__ == "__main__":
    main()
