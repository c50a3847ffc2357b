"""A claim and an audit in one picture: what no attack can pass, and what an attack reached."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, inside, not_negative, unit_interval
from neyman.audit import Audit, Verdict
from neyman.guarantees import GDP, Guarantee, PessimisticGuarantee
from neyman.plot.drawing.columns import Columns, stacked
from neyman.plot.drawing.curves import Curve, Labels, curves, gaussian, least_mu
from neyman.plot.drawing.marks import band, curve, guide, legend, on_paper, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.span import Span, sampled
from neyman.plot.drawing.style import BAND, INK, look
from neyman.plot.drawing.words import rounded
from neyman.plot.roc_curve import FPR
from neyman.risk.attacked import membership

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["audit"]

_CAPTION = (
    "Solid: the claim, the certified upper bound of the true positive rate of every attack. Dashed: the claim "
    "summarised as μ-GDP. Points: what the attack reached, with its confidence band. An attack whose lower band passes "
    "the claim refutes it. Diamond, of a verdict: the certified rates that refute the claim, or come nearest to it."
)
_REACHED = "attack"
_LEAST = 1e-6  # rate that is drawn

Rates = Sequence[float] | FloatArray


def _data(
    claim: Guarantee | Verdict,
    fpr: Rates | Audit | None = None,
    tpr: Rates | None = None,
    lower: Rates | None = None,
    upper: Rates | None = None,
    mu_lower: float | None = None,
    floor: float | None = None,
    labels: Labels = None,
) -> Columns:
    """Return the points of `audit`: ``fpr``, ``tpr``, ``tpr_lower``, ``tpr_upper`` of claim, summary, attack and audit.

    ``tpr`` is drawn: of claim and summary the upper end, of the attack what was measured, of the audit the lower end.
    Among the ``facts``: ``mu`` of the claim at the floor 1e-10, ``mu_lower`` if given, and of a verdict the certified
    rates ``point_fpr`` and ``point_tpr`` at its operating point, which refute the claim if ``refuted`` is 1.
    """
    seen = _point(claim)
    floor = _floor(claim, fpr) if floor is None else floor
    claim, fpr, tpr, lower, upper, mu_lower = _spelt_out(claim, fpr, tpr, lower, upper, mu_lower)
    (one,) = curves((claim,), labels)
    span = Span(inside("floor", floor, 0.0, 0.5, "It is the smallest rate that is drawn."), 1.0, True)
    mu = least_mu(one.guarantee, 1e-10)
    summary = f"claim as {rounded(mu, True, 4)}-GDP" if math.isfinite(mu) else "claim: no finite μ"
    facts = {"mu": mu} | seen
    parts = {one.label: _curve(one.guarantee, span), summary: _curve(gaussian(mu), span)}
    parts[_REACHED] = _attack(fpr, tpr, lower, upper)
    if mu_lower is not None:
        facts["mu_lower"] = not_negative("mu_lower", mu_lower)
        reached = _curve(GDP(facts["mu_lower"]), span)
        parts[f"audit: at least {rounded(facts['mu_lower'], False, 4)}-GDP"] = reached | {"tpr": reached["tpr_lower"]}
    if one.label in list(parts)[1:] or len(parts) != 3 + (mu_lower is not None):
        raise InvalidParameter("labels", one.label, "another label than those of summary, attack and audit")
    return stacked(parts, facts, _CAPTION)


def _floor(claim: Guarantee | Verdict, fpr: Rates | Audit | None) -> float:
    """The smallest rate that is drawn, if none is named: far below one in all scores an audit sees nothing."""
    evidence = claim.evidence if isinstance(claim, Verdict) else fpr
    if not isinstance(evidence, Audit):
        return _LEAST
    return max(_LEAST, 10.0 ** math.floor(-math.log10(max(evidence.n_out, 10))))


def _point(claim: Guarantee | Verdict) -> dict[str, float]:
    if not isinstance(claim, Verdict):
        return {}
    at = claim.operating_point
    if at.alpha_upper is None or at.beta_upper is None:
        return {}
    refuted = float(claim.outcome == "violated")
    return {"point_fpr": at.alpha_upper, "point_tpr": 1.0 - at.beta_upper, "refuted": refuted}


_Spelt = tuple[Guarantee, Rates, Rates, Rates | None, Rates | None, float | None]


def _spelt_out(
    claim: Guarantee | Verdict,
    fpr: Rates | Audit | None,
    tpr: Rates | None,
    lower: Rates | None,
    upper: Rates | None,
    mu_lower: float | None,
) -> _Spelt:
    """A verdict is a claim with its audit, an audit its rates and their band, whose null is that the record is out."""
    if isinstance(claim, Verdict):
        evidence = claim.evidence
        if not isinstance(evidence, Audit):
            raise InvalidParameter("claim", evidence, "a Guarantee, or a Verdict on scores", "There is no ROC curve.")
        claim, fpr = claim.claim, evidence
    if isinstance(fpr, Audit):
        seen = fpr.roc()
        return membership(claim), seen.fpr, seen.tpr, np.minimum(seen.lower, seen.tpr), seen.upper, fpr.mu or None
    if fpr is None or tpr is None:
        name = "fpr" if fpr is None else "tpr"
        raise InvalidParameter(name, None, "an array of rates", "Only a Verdict, or an Audit as fpr, brings its own.")
    return claim, fpr, tpr, lower, upper, mu_lower


def _curve(g: PessimisticGuarantee, span: Span) -> dict[str, FloatArray]:
    f = Curve("", g).traced(0.01 * span.low)
    fpr, upper = sampled(f.roc, span, span)
    return {"fpr": fpr, "tpr": upper, "tpr_lower": f.optimistic.roc(fpr), "tpr_upper": upper}


def _attack(fpr: Rates, tpr: Rates, lower: Rates | None, upper: Rates | None) -> dict[str, FloatArray]:
    given: dict[str, Any] = {"fpr": fpr, "tpr": tpr, "lower": lower, "upper": upper}
    found = {
        name: np.atleast_1d(unit_interval(name, tpr if values is None else values)).ravel()
        for name, values in given.items()
    }
    for name, values in found.items():
        if len(values) != len(found["fpr"]):
            raise InvalidParameter(name, len(values), f"as many numbers as fpr has, {len(found['fpr'])}")
    for name, below, above in (("lower", "lower", "tpr"), ("upper", "tpr", "upper")):
        if not bool(np.all(found[below] <= found[above])):
            worst = int(np.argmax(found[below] - found[above]))
            raise InvalidParameter(name, float(found[name][worst]), f"on its side of tpr, {found['tpr'][worst]:g}")
    order = np.argsort(found["fpr"], kind="stable")
    names = {"fpr": "fpr", "tpr": "tpr", "tpr_lower": "lower", "tpr_upper": "upper"}
    return {column: found[name][order] for column, name in names.items()}


@picture(_data)
def audit(
    claim: Guarantee | Verdict,
    fpr: Rates | Audit | None = None,
    tpr: Rates | None = None,
    lower: Rates | None = None,
    upper: Rates | None = None,
    mu_lower: float | None = None,
    floor: float | None = None,
    labels: Labels = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a claim against an attack: the ROC curve that no attack passes, and the points that one reached.

    Parameters
    ----------
    claim : Guarantee or Verdict
        A finished one; or a verdict on scores, which brings everything else.
    fpr, tpr : array of shape (n,)
        The rates that the attack reached, in [0, 1]; or ``fpr`` is an ``Audit`` from scores, which brings the rest.
    lower, upper : array of shape (n,), optional
        Confidence band of ``tpr``.
    mu_lower : float, optional
        The mu that the audit proved from below; its ROC curve is drawn.
    floor : float, optional
        Smallest rate shown, in (0, 0.5). Left out: 1e-6; of an audit the power of ten below one in its scores that are
        out, since its band says nothing new below.
    labels : list of str, optional
        Of the claim.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if left out.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidParameter
        If the claim is not finished, or another argument lies outside its domain.
    MissingPackage
        If matplotlib is not installed.

    Examples
    --------
    >>> import neyman as ny
    >>> ax = ny.plot.audit(ny.GDP(1.0), [0.01, 0.1], [0.03, 0.2], lower=[0.02, 0.17], upper=[0.05, 0.23], mu_lower=0.3)
    >>> ny.plot.audit.data(ny.GDP(1.0), [0.01, 0.1], [0.03, 0.2]).curves
    ('1-GDP', 'claim as 1-GDP', 'attack')
    """
    data = _data(claim, fpr, tpr, lower, upper, mu_lower, floor, labels)
    span = Span(_floor(claim, fpr) if floor is None else floor, 1.0, True)
    with on_paper(ax) as axes:
        scales(axes, span, span, (FPR, "true positive rate"))
        guide(axes, [span.low, 1.0], [span.low, 1.0])
        entries: list[tuple[Any, str]] = []
        for number, label in enumerate(data.curves):
            part = data.of(label)
            if label == _REACHED:
                entries.append((_draw_attack(axes, part, number), label))
                entries.extend(_draw_point(axes, data.facts))
                continue
            entries.append((curve(axes, part["fpr"], part["tpr"], number, label), label))
            band(axes, part["fpr"], part["tpr_lower"], part["tpr_upper"], (span, span), number)
        legend(axes, entries, ("lower right", "upper left"))
    return axes


def _draw_point(axes: Axes, facts: Mapping[str, float]) -> list[tuple[Any, str]]:
    """The certified rates of a verdict, in ink: the one mark that says what became of the claim."""
    if "point_fpr" not in facts:
        return []
    (mark,) = axes.plot(
        [facts["point_fpr"]], [facts["point_tpr"]], linestyle="none", marker="D", markersize=3.6, color=INK,
        markerfacecolor=INK if facts["refuted"] else "white", markeredgewidth=0.8, zorder=5.0,
    )  # fmt: skip
    return [(mark, "certified: refutes the claim" if facts["refuted"] else "certified: nearest to the claim")]


def _draw_attack(axes: Axes, part: Columns, number: int) -> Any:
    own = look(number)
    if bool(np.any(part["tpr_upper"] > part["tpr_lower"])):
        axes.fill_between(
            part["fpr"], part["tpr_lower"], part["tpr_upper"], color=own.colour, alpha=BAND, linewidth=0.0, zorder=2.2
        )
        for edge in ("tpr_lower", "tpr_upper"):  # seen in grey too
            axes.plot(part["fpr"], part[edge], color=own.colour, linewidth=0.5, zorder=2.3)
    few = len(part["fpr"]) <= 60
    return curve(
        axes, part["fpr"], part["tpr"], number, linewidth=0.6 if few else 1.0, marker="o" if few else "",
        markersize=2.8, markevery=1, zorder=4.0,
    )  # fmt: skip
