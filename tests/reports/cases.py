"""A dozen reports, made once, and their verification in this process with the numbers found once."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import neyman as ny
from neyman.reports.verifying.reading import read
from neyman.reports.verifying.recompute import drawn, examine, recomputed
from neyman.reports.verifying.verification import Verification, concluded

CENSUS = ny.mechanism_from_dict(json.loads(Path("examples/census_topdown.json").read_text(encoding="utf-8")))
CASES = {
    "dpsgd": lambda: ny.report(ny.DPSGD(9.4, 0.32768, 2000), title="CIFAR-10 <b>", unit="person", context="a\nb"),
    "census": lambda: ny.report(CENSUS, unit="household", date="2021-08-12"),
    "laplace": lambda: ny.report(ny.Laplace(1.0)),
    "response": lambda: ny.report(ny.RandomizedResponse(1.0, 2), deltas=[1e-3]),
    "blatant": lambda: ny.report(ny.ApproximateMechanism(1.0, 1e-5)),
    "pure": lambda: ny.report(ny.PureMechanism(0.1) ** 10),
    "gaussian": lambda: ny.report(ny.GDP(1.0)),
    "pairs": lambda: ny.report(ny.Profile([1.0, 2.0], [1e-3, 1e-5])),
    "zcdp": lambda: ny.report(ny.Opaque(ny.ZCDP(0.5))),
    "mix": lambda: ny.report(
        ny.Laplace(20.0) ** 100 * ny.DPSGD(1.0, 0.01, 2000) * ny.DiscreteGaussian(10.0) ** 10
        * ny.ApproximateMechanism(0.1, 1e-12)
    ),
    "add": lambda: ny.report(ny.DPSGD(1.5, 0.01, 100), adjacency="add", floor=1e-4),
    "replace": lambda: ny.report(ny.account(ny.DPSGD(1.5, 0.5, 100), adjacency="replace")),
    "seldom": lambda: ny.report(ny.account(ny.DPSGD(1.5, 0.01, 100), adjacency="replace")),
    "tabulated": lambda: ny.report(ny.Tabulated([0.7, 0.3], [0.2, 0.8]).poisson(0.5)),
    "nothing": lambda: ny.report(ny.compose([])),
}  # fmt: skip


@cache
def made(name: str) -> ny.reports.Report:
    return CASES[name]()


@cache
def page(name: str) -> str:
    return made(name).to_html()


QUICK = [name for name in CASES if name != "zcdp"]
OFTEN = ("dpsgd", "laplace", "response", "blatant", "gaussian", "pairs", "replace", "nothing")  # in every run

_known: dict[tuple[object, ...], object] = {}


def remembering(document, tolerance):
    """The numbers of a report, found once for each mechanism and list of questions."""
    asked = tuple((claim.quantity, claim.given) for claim in document.claims)
    key = (
        json.dumps(document.mechanism.to_dict()),
        document.adjacency,
        tolerance,
        document.certificate.tolerance,
        asked,
    )
    if key not in _known:
        _known[key] = recomputed(document, tolerance)
    return _known[key]


def drawn_once(document):
    """The pictures of a report, drawn once for each mechanism and list of claims: nothing else is in them."""
    key = (
        json.dumps(document.mechanism.to_dict()),
        document.adjacency,
        document.certificate.tolerance,
        document.floor,
        tuple((claim.id, claim.value, claim.text) for claim in document.claims),
    )
    if key not in _known:
        _known[key] = drawn(document)
    return _known[key]


def quickly(data: object, tolerance: float = 1e-6) -> Verification:
    """Verify in this process: everything but the other process and its time limit."""
    found = read(data)
    return concluded(found, examine(found, tolerance, remembering, drawn_once))
