"""A value of every kind that notebooks show as a card, and the page of all of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import neyman as ny

__all__ = ["KINDS", "page_of_cards"]

_RUNS = Path(__file__).parent.parent / "examples" / "runs.csv"
_PAGE = (
    "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>Cards</title>"
    "<meta name='viewport' content='width=device-width, initial-scale=1'>"
    "<style>:root{color-scheme:light dark}body{margin:8px}</style></head><body>%s</body></html>"
)


@cache
def _values() -> dict[str, Any]:
    draw = np.random.default_rng(7)
    run = ny.DPSGD(noise_multiplier=1.1, epochs=10, batch_size=512, dataset_size=60_000)
    g, laplace = ny.account(run), ny.account(ny.Laplace(1.0))
    audit = ny.audit.from_scores(draw.normal(1.0, 1.0, 500), draw.normal(0.0, 1.0, 500))
    return {
        "guarantee": g,
        "optimistic": g.optimistic,
        "given": ny.GDP(1.2345678912345),
        "refused": ny.account(ny.DPSGD(1.0, 0.01, 1000), tolerance=1e-12),
        "perfect": ny.PERFECT,
        "blatant": ny.BLATANT,
        "proved": ny.account(ny.Gaussian(1.0), proved=True),
        "gdp report": g.gdp(),
        "summary": g.summary(deltas=(1e-7,)),
        "comparison": ny.compare(ny.account(ny.Gaussian(1.0)), laplace),
        "calibration": ny.noise_for_dpsgd(epsilon=8.0, delta=1e-5, sample_rate=0.01, steps=1000),
        "risk": ny.risk.tpr(g, 0.01),
        "risks": ny.risk.bayes_error(g, np.linspace(0.1, 0.9, 20)),
        "beside a pair": ny.risk.against_pair(g, 1e-5),
        "audit": audit,
        "verdict": ny.audit.check(ny.GDP(0.1), audit),
        "mechanism": run,
        "many": ny.compose([ny.Laplace(1.0 + i / 7) for i in range(20)]),
        "conversion": ny.convert(mu=1.0),
        "runs": ny.table(_RUNS),
    }


KINDS = (
    "guarantee", "optimistic", "given", "refused", "perfect", "blatant", "proved", "gdp report", "summary",
    "comparison", "calibration", "risk", "risks", "beside a pair", "audit", "verdict", "mechanism", "many",
    "conversion", "runs",
)  # fmt: skip


def page_of_cards() -> str:
    """Return one page with a card of each kind."""
    shown = "".join(f"<section data-kind='{kind}'>{_values()[kind]._repr_html_()}</section>" for kind in KINDS)
    return _PAGE % shown
