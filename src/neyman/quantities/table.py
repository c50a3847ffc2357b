"""The table: every quantity that may be asked of a guarantee by name. A new one is one entry here.

An entry with a ``meaning`` is asked in sweeps, one that is ``spoken`` by ``neyman convert``, one with a ``short`` name
may be limited by a target, and one with a ``label`` may be claimed by a report, which also says where (``build.py``).
"""

from __future__ import annotations

from neyman.quantities.places import FPR_TABLE
from neyman.quantities.points import POINTS
from neyman.quantities.quantity import Quantity

__all__ = ["QUANTITIES"]

_RATES = tuple((rate,) for rate in FPR_TABLE)
_OVERSTATES = "alone overstates what attackers can do by at most {text} in Bayes error."
_AT_FLOOR = "At error rates of {floor} and above, "

_OF_THE_CURVE = (
    Quantity(
        name="mu", places=("floor",), usual=((1e-10,),), ask=lambda g, at: g.mu(at),
        both=lambda a, _: (a.below.mu, a.above.mu), spoken=True,
        meaning="least mu of Gaussian DP above the floor", short="mu at floor {floor}", label="mu, floor {floor}",
        sentence=f"{_AT_FLOOR}every attack is at most as good as against a Gaussian mechanism with mu = {{text}}.",
        instead={"inf": f"{_AT_FLOOR}no finite mu holds."},
    ),
    Quantity(
        name="regret", places=("floor",), ask=lambda g, at: g.gdp(at).regret,
        both=lambda a, _: (a.below.regret, a.above.regret),
        meaning="regret of stating mu alone", short="regret at floor {floor}", label="regret of that mu",
        sentence=f"Stating the least mu {_OVERSTATES}", digits=3,
    ),
    Quantity(
        name="shortfall", places=("floor",), ask=lambda g, at: g.gdp(at).shortfall,
        both=lambda a, _: (0.0, a.above.shortfall),
        meaning="what the curve loses to mu below the floor", label="shortfall of mu below the floor",
        sentence="Below the floor, the curve falls short of that of mu by at most {text}.",
        instead={"0": "The same mu holds below the floor."}, digits=2, least=2,
    ),
    Quantity(
        name="tail_mu", ask=lambda g, _: g.tail_mu, both=lambda a, _: (a.below.mu, a.above.tail_mu),
        meaning="mu with no floor", label="mu with no floor", sentence="With no floor at all, mu = {text} holds.",
        instead={"inf": "With no floor at all, no finite mu holds."}, least=5,
    ),
    Quantity(
        name="epsilon", places=("delta",), usual=((1e-5,), (1e-6,), (1e-9,)), ask=lambda g, at: g.epsilon(at),
        whole=True, spoken=True,
        meaning="epsilon at delta", short="epsilon at delta {delta}", label="epsilon at delta {delta}",
        sentence="At delta = {delta}, epsilon is at most {text}.",
        instead={"inf": "At delta = {delta}, no finite epsilon holds."},
    ),
    Quantity(
        name="delta", places=("epsilon",), ask=lambda g, at: g.delta(at), whole=True, spoken=True,
        meaning="delta at epsilon", short="delta at epsilon {epsilon}",
    ),
    Quantity(
        name="beta", places=("alpha",), usual=_RATES, ask=lambda g, at: g.beta(at), from_below=True, whole=True,
        spoken=True, meaning="least false negative rate at a false positive rate",
    ),
    Quantity(
        name="tpr", places=("fpr",), usual=_RATES, ask=lambda g, at: g.roc(at), risk=True, both=lambda a, at: a.tpr(at),
        whole=True, spoken=True, meaning="largest true positive rate at a false positive rate",
        short="TPR at FPR {fpr}", label="true positive rate at false positive rate {fpr}",
    ),
    Quantity(
        name="advantage", ask=lambda g, _: g.advantage, risk=True, spoken=True,
        meaning="largest membership advantage, TPR - FPR", short="advantage", label="membership advantage",
    ),
    Quantity(
        name="auc", ask=lambda g, _: g.auc, spoken=True,
        meaning="area under the ROC curve", label="area under the ROC curve",
        sentence="The area under the ROC curve of an attack is at most {text}: an average over thresholds, no promise "
        "about any of them.",
    ),
    Quantity(
        name="fixed_point", ask=lambda g, _: g.fixed_point, from_below=True,
        meaning="error rate at which both kinds are equal", label="rate where both errors meet",
        sentence="An attack that errs equally often both ways errs with a chance of at least {text}.",
    ),
    Quantity(
        name="bayes_error", places=("prior",), usual=((0.5,),), ask=lambda g, at: g.bayes_error(at), risk=True,
        from_below=True, whole=True, spoken=True,
        meaning="least Bayes error at a prior", short="Bayes error at prior {prior}",
    ),
    Quantity(
        name="renyi", places=("order",), ask=lambda g, at: g.renyi(at), spoken=True,
        meaning="Renyi divergence of an order",
    ),
    Quantity(
        name="rho", ask=lambda g, _: g.zcdp(), both=lambda a, _: a.rho, spoken=True,
        meaning="rho of zero-concentrated DP", claimed="zcdp", label="rho of zCDP",
        sentence="zCDP holds with rho = {text}.", instead={"inf": "No finite rho of zCDP holds."},
    ),
    Quantity(
        name="zcdp_regret", both=lambda a, _: a.rho_regret,
        label="regret of that rho", sentence=f"Stating the least rho {_OVERSTATES}", digits=3,
    ),
    Quantity(
        name="epsilon_regret", both=lambda a, _: a.epsilon_regret,
        label="regret of epsilon at delta 0",
        sentence=f"Stating the least epsilon at delta = 0 {_OVERSTATES}", digits=3,
    ),
)  # fmt: skip

_BESIDE_A_POINT = (
    Quantity(
        name="divergence", places=("reference",), both=lambda a, at: a.to(POINTS[at].guarantee), from_below=True,
        label="more private than {stated}, in Bayes error, by",
        sentence="At some prior, an attacker's Bayes error here is higher than against {reference} by at least {text}.",
        instead={"0": "Nothing is claimed of how much higher an attacker's Bayes error here is than against "
                 "{reference}."}, digits=3,
    ),
    Quantity(
        name="reverse", places=("reference",), both=lambda a, at: a.back(POINTS[at].guarantee),
        label="less private than {stated}, in Bayes error, by",
        sentence="An attacker's Bayes error here is lower than against {reference} by at most {text}.", digits=3,
    ),
)  # fmt: skip

_OF_ATTACKS = (
    Quantity(
        name="accuracy", places=("prior",), usual=((0.5,),), risk=True, label="accuracy of a guess, prior {prior}"
    ),
    Quantity(
        name="posterior", places=("membership_prior", "fpr"), usual=((0.1, 0.01),), risk=True,
        short="posterior from prior {membership_prior} at FPR {fpr}",
        label="belief after an accusation, prior {membership_prior}, rate {fpr}",
    ),
    Quantity(
        name="attribute_inference", places=("baseline",), usual=((0.1,),), risk=True, both=lambda a, at: a.tpr(at),
        label="attribute inference, baseline {baseline}",
    ),
    Quantity(
        name="reconstruction", places=("baseline",), usual=((1e-3,),), risk=True, both=lambda a, at: a.tpr(at),
        short="reconstruction from baseline {baseline}", label="reconstruction, baseline {baseline}",
    ),
    Quantity(
        name="singling_out", places=("baseline",), usual=((1e-6,),), risk=True, both=lambda a, at: a.tpr(at),
        label="singling out, weight {baseline}",
    ),
    Quantity(
        name="relative_risk", places=("baseline",), usual=((0.01,),), risk=True,
        label="relative risk, baseline {baseline}",
    ),
)  # fmt: skip

QUANTITIES = {one.name: one for one in (*_OF_THE_CURVE, *_BESIDE_A_POINT, *_OF_ATTACKS)}
