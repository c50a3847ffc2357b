"""The pictures of a report, as inline SVG: drawn by ``neyman.plot``, with the claimed numbers marked on them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neyman import plot
from neyman.guarantees import GDP, ApproximateDP, Guarantee
from neyman.numerics.decimals import exactly
from neyman.reports.asked import guarantee_of
from neyman.reports.claims import Claim
from neyman.reports.document import Document
from neyman.risk.attacked import membership

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Drawn", "pictures"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture: SVG that carries its own accessible name, and what is written below it."""

    svg: str
    caption: str


def pictures(document: Document) -> tuple[Drawn, ...]:
    """Return the pictures of a report, that of its first page first; the others where there is something to see."""
    guarantee = document.guarantee
    if guarantee is None:
        guarantee = guarantee_of(document.mechanism, document.adjacency, document.certificate.tolerance)
    made = (draw(document, guarantee) for draw in _DRAWN)
    return tuple(picture for picture in made if picture is not None)


def _roc(document: Document, guarantee: Guarantee) -> Drawn:
    guarantee = membership(guarantee)  # as the claims have it
    pairs = [claim for claim in document.of("epsilon") if _at(claim) > 0.0 and claim.value <= _LARGEST_EPSILON]
    pair = min(pairs, key=lambda claim: abs(math.log(_at(claim) / _USUAL)), default=None)
    rates = [(_at(claim), claim.value) for claim in document.of("tpr")]
    if pair is None or document.adjacency in ("add", "remove"):  # a pair for one order is no curve for both
        ax, more = _alone(plot.roc(guarantee, scale="log", floor=_RAREST, ax=_tall())), ""
    else:
        alone = ApproximateDP(pair.value, _at(pair))
        delta = exactly(_at(pair))
        labels = ["this mechanism", f"its ε at δ = {delta} alone"]
        ax = plot.roc(guarantee, alone, scale="log", floor=_RAREST, labels=labels, ax=_tall())
        more = f" Its one pair ε = {pair.text}, δ = {delta}, alone, would allow all that lies below the dashes."
    _mark(ax, rates)
    return _drawn(
        ax, "roc", "Best attack: true positive rate against false positive rate, both logarithmic",
        f"What the best attack reaches. Dots: the rates of the table in part 2.{more}",
    )  # fmt: skip


def _tradeoff(document: Document, guarantee: Guarantee) -> Drawn:
    guarantee = _accused(guarantee)
    mu = document.of("mu")[0]
    if mu.says_nothing:
        ax, more = _alone(plot.tradeoff(guarantee, ax=_laid_out())), ""
    else:
        ax = plot.tradeoff(guarantee, GDP(mu.value), labels=["this mechanism", f"Gaussian, μ = {mu.text}"])
        more = f" The Gaussian curve of μ = {mu.text} lies below it, down to the floor."
    name = "Trade-off curve: false negative rate of the best attack against its false positive rate"
    return _drawn(ax, "tradeoff", name, f"What every attack must miss, at least.{more}")


def _profile(document: Document, guarantee: Guarantee) -> Drawn:
    ax = _alone(plot.profile(guarantee, ax=_laid_out()))
    _mark(ax, [(claim.value, _at(claim)) for claim in document.of("epsilon")])
    name = "Privacy profile: delta against epsilon"
    return _drawn(ax, "profile", name, "The privacy profile: δ at every ε. Dots: the pairs of the table in part 2.")


def _local_mu(document: Document, guarantee: Guarantee) -> Drawn | None:
    if document.of("mu")[0].says_nothing:
        return None
    ax = _alone(plot.local_mu(_accused(guarantee), floor=document.floor, ax=_laid_out()))
    name = "Local mu against the false positive rate, with the floor"
    return _drawn(
        ax, "local-mu", name,
        "The μ that each error rate would need by itself; the μ that is stated is the largest, from the floor up.",
    )  # fmt: skip


def _difference(document: Document, guarantee: Guarantee) -> Drawn | None:
    if document.of("mu")[0].says_nothing:
        return None
    ax = _alone(plot.difference(_accused(guarantee), floor=document.floor, ax=_laid_out()))
    name = "Difference between the trade-off curve and the Gaussian one, against the false positive rate"
    return _drawn(ax, "difference", name, "What stating μ alone gives away, error rate by error rate.")


_DRAWN: tuple[Callable[[Document, Guarantee], Drawn | None], ...] = (_roc, _tradeoff, _profile, _local_mu, _difference)
_USUAL = 1e-5  # the delta that most papers state
_RAREST = 1e-10  # the least false positive rate of the table
_TALL = 2.8  # inches; the style sheet keeps this shape
_LARGEST_EPSILON = 700.0  # beyond it a pair says nothing that float64 could show


def _accused(guarantee: Guarantee) -> Guarantee:
    """The guarantee whose false positives are records that were left out, as in the claims about attacks."""
    return guarantee.inverse() if guarantee.adjacency == "add" else guarantee


def _at(claim: Claim) -> float:
    """Where a claim is made: its one given number."""
    return float(claim.given[0][1])


def _tall() -> Axes:
    """Axes for the first page, whose column is as wide as ours and a little higher."""
    from neyman.plot.figure import new_axes

    with plot.style.paper():
        return new_axes(height=_TALL)


def _laid_out() -> Axes:
    """Axes for a lone curve, with margins that hold every label of ours: no time is spent on finding others."""
    from matplotlib.figure import Figure

    with plot.style.paper():
        figure = Figure(figsize=(plot.style.WIDTH, plot.style.HEIGHT))
        figure.subplots_adjust(left=0.165, right=0.97, bottom=0.155, top=0.94)
        return figure.add_subplot()


def _alone(ax: Axes) -> Axes:
    """A lone curve needs no legend."""
    legend = ax.get_legend()
    if legend is not None:
        legend.remove()
    return ax


def _mark(ax: Axes, points: list[tuple[float, float]]) -> None:
    """Dots at claimed points, of those that the axes show."""
    (left, right), (low, high) = sorted(ax.get_xlim()), sorted(ax.get_ylim())
    seen = [(x, y) for x, y in points if left <= x <= right and low <= y <= high]
    colour = plot.style.look(0).colour
    with plot.style.paper():
        ax.plot([x for x, _ in seen], [y for _, y in seen], "o", color=colour, markersize=3.6, zorder=4.0)


def _drawn(ax: Axes, prefix: str, name: str, caption: str) -> Drawn:
    return Drawn(plot.svg(ax, f"picture-{prefix}", title=name, description=caption), caption)
