"""The pictures of a report, as inline SVG: drawn by ``neyman.plot``, with the claimed numbers marked on them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neyman import plot
from neyman.guarantees import GDP, ApproximateDP, Guarantee, mechanism_from_dict
from neyman.numerics.exact.decimals import exactly
from neyman.reports.said.asked import guarantee_of
from neyman.reports.said.claims import Claim
from neyman.reports.said.document import Document
from neyman.risk.attacked import membership

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Picture", "pictures", "svgs"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture before it is drawn: its name, for readers of screens its title, and what is written below it."""

    name: str
    title: str
    caption: str
    draw: Callable[[Guarantee], Axes]


def pictures(document: Document) -> tuple[Picture, ...]:
    """Return the pictures of a report, that of its first page first; the others where there is something to see."""
    made = (make(document) for make in _MADE)
    return tuple(picture for picture in made if picture is not None)


def svgs(document: Document) -> tuple[str, ...]:
    """Draw the pictures: each as SVG that carries its own accessible name.

    They follow from the document alone, to the last digit, so that whoever verifies it can draw them again: what a
    guarantee was asked before can show in later answers, so that they are drawn from one that was asked nothing.
    """
    mechanism = mechanism_from_dict(document.mechanism.to_dict())  # a black box holds the guarantee it was made of
    guarantee = guarantee_of(mechanism, document.adjacency, document.certificate.tolerance, document.certificate.effort)
    from neyman.plot.drawing.figure import alone  # matplotlib

    with alone():
        return tuple(
            plot.svg(made.draw(guarantee), f"picture-{made.name}", title=made.title, description=made.caption)
            for made in pictures(document)
        )


def _roc(document: Document) -> Picture:
    pairs = [claim for claim in document.of("epsilon") if _at(claim) > 0.0 and claim.value <= _LARGEST_EPSILON]
    pair = min(pairs, key=lambda claim: abs(math.log(_at(claim) / _USUAL)), default=None)
    rates = [(_at(claim), claim.value) for claim in document.of("tpr")]
    sole = None if document.adjacency in ("add", "remove") else pair  # a pair for one order is no curve for both
    delta = "" if sole is None else exactly(_at(sole))

    def draw(guarantee: Guarantee) -> Axes:
        guarantee = membership(guarantee)  # as the claims have it
        if sole is None:
            ax = _alone(plot.roc(guarantee, scale="log", floor=_RAREST, ax=_tall()))
        else:
            labels = ["this mechanism", f"its ε at δ = {delta} alone"]
            alone = ApproximateDP(sole.value, _at(sole))
            ax = plot.roc(guarantee, alone, scale="log", floor=_RAREST, labels=labels, ax=_tall())
        return _marked(ax, rates)

    dashes = "alone, would allow all that lies below the dashes."
    more = "" if sole is None else f" Its one pair ε = {sole.text}, δ = {delta}, {dashes}"
    name = "Best attack: true positive rate against false positive rate, both logarithmic"
    return Picture("roc", name, f"What the best attack reaches. Dots: the rates of the table in part 2.{more}", draw)


def _tradeoff(document: Document) -> Picture:
    mu = document.of("mu")[0]

    def draw(guarantee: Guarantee) -> Axes:
        guarantee = _accused(guarantee)
        if mu.says_nothing:
            return _alone(plot.tradeoff(guarantee, ax=_laid_out()))
        return plot.tradeoff(guarantee, GDP(mu.value), labels=["this mechanism", f"Gaussian, μ = {mu.text}"])

    more = "" if mu.says_nothing else f" The Gaussian curve of μ = {mu.text} lies below it, down to the floor."
    name = "Trade-off curve: false negative rate of the best attack against its false positive rate"
    return Picture("tradeoff", name, f"What every attack must miss, at least.{more}", draw)


def _profile(document: Document) -> Picture:
    points = [(claim.value, _at(claim)) for claim in document.of("epsilon")]
    return Picture(
        "profile", "Privacy profile: delta against epsilon",
        "The privacy profile: δ at every ε. Dots: the pairs of the table in part 2.",
        lambda guarantee: _marked(_alone(plot.profile(guarantee, ax=_laid_out())), points),
    )  # fmt: skip


def _local_mu(document: Document) -> Picture | None:
    if document.of("mu")[0].says_nothing:
        return None
    return Picture(
        "local-mu", "Local mu against the false positive rate, with the floor",
        "The μ that each error rate would need by itself; the μ that is stated is the largest, from the floor up.",
        lambda guarantee: _alone(plot.local_mu(_accused(guarantee), floor=document.floor, ax=_laid_out())),
    )  # fmt: skip


def _difference(document: Document) -> Picture | None:
    if document.of("mu")[0].says_nothing:
        return None
    return Picture(
        "difference", "Difference between the trade-off curve and the Gaussian one, against the false positive rate",
        "What stating μ alone gives away, error rate by error rate.",
        lambda guarantee: _alone(plot.difference(_accused(guarantee), floor=document.floor, ax=_laid_out())),
    )  # fmt: skip


_MADE: tuple[Callable[[Document], Picture | None], ...] = (_roc, _tradeoff, _profile, _local_mu, _difference)
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
    from neyman.plot.drawing.figure import new_axes

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


def _marked(ax: Axes, points: list[tuple[float, float]]) -> Axes:
    """Dots at claimed points, of those that the axes show."""
    (left, right), (low, high) = sorted(ax.get_xlim()), sorted(ax.get_ylim())
    seen = [(x, y) for x, y in points if left <= x <= right and low <= y <= high]
    colour = plot.style.look(0).colour
    with plot.style.paper():
        ax.plot([x for x, _ in seen], [y for _, y in seen], "o", color=colour, markersize=3.6, zorder=4.0)
    return ax
