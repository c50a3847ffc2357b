"""What a user's script does, as type checkers see it."""

import sys

import numpy as np
from dp_accounting import dp_event
from dp_accounting.pld import privacy_loss_distribution
from scipy import stats

import neyman as ny


def main(place: str) -> None:
    """Everything a user asks, one after the other."""
    run = ny.DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=100)
    g = run.account(adjacency="add_or_remove", tolerance=1e-6)
    h: ny.Guarantee = ny.GDP(1.0)
    mu: float = g.mu()
    eps: float = g.epsilon(1e-5)
    print(mu, eps, g, repr(g), g.summary().headline.number, g.summary(deltas=[1e-6], floor=1e-8).report)
    print(g.tpr(0.01).shown, g.posterior(0.5, 0.01).value, float(g.tpr(0.01)))
    print(
        float(ny.convert(mu=1.0, to="epsilon", at=1e-5)),
        ny.convert(g, "tpr", [0.01]).numbers,
        ny.convert(epsilon=1.0).note,
    )
    ax = ny.plot.tradeoff(g, h, labels=["run", "mu"])
    ax.figure.savefig("/dev/null", format="png")
    ny.plot.tradeoff(g, title="Run", label="run").figure.savefig("/dev/null", format="png")
    g.plot("profile", title="Run").figure.savefig("/dev/null", format="png")
    ny.report(g, title="Run").save(f"{place}/report.md")
    g.report(title="Run").save(f"{place}/report.md")
    c: ny.Comparison = ny.compare(g, h)
    print(c.divergence, c.order, c.bounds[0].upper)
    found: ny.Calibration = ny.noise_for_dpsgd(ny.targets.Epsilon(8.0, delta=1e-5), sample_rate=0.01, steps=100)
    print(found.parameter, found.guarantee.epsilon(1e-5), found.mechanism.account().mu())
    print(ny.calibrate(ny.Laplace, ny.targets.Mu(1.0), tolerance=1e-3).bracket)
    print(ny.risk.against_pair(g, 1e-5)["tpr"].whole.shown)
    audit = ny.audit.from_counts(true_positives=90, positives=100, false_positives=10, negatives=100)
    print(audit.mu, ny.audit.check(h, audit).outcome)
    print(ny.verify(g.report().to_json()).outcome)
    print((g * h).delta(1.0), (g**2).advantage, g.group(2).beta(0.1), ny.join(g, h).roc(0.1), ny.meet(g, h).auc)
    print(g == run.account(), {g: 1}[g], g.satisfies(h).outcome, g.regret(h), g.gdp().regret, g.curve(5).beta.sum())
    g.plot("ROC").savefig("/dev/null", format="png")
    print(g.cite()[:20], g.summary(), ny.__version__)


def mechanisms() -> None:
    """Every mechanism, and what is made of them."""
    query: ny.Mechanism = ny.compose(
        ny.Gaussian(2.0), ny.Laplace(3.0), ny.DiscreteGaussian(2.0), ny.DiscreteLaplace(3.0)
    )
    answers = ny.RandomizedResponse(1.0, k=3) * ny.PureMechanism(0.1) * ny.ApproximateMechanism(0.1, 1e-9)
    both = ny.compose([query, answers, ny.Tabulated(p=[0.75, 0.25], q=[0.25, 0.75])])
    print(both.to_dict()["schema"], ny.mechanism_from_dict(query.to_dict()) == query, (both**2).parts[0][1])
    custom = ny.CustomLoss(stats.laplace(0, 1).cdf, stats.laplace(1, 1).cdf, support=(-50.0, 51.0))
    print(custom.support, ny.account(ny.Opaque(ny.GDP(0.5)) ** 2).mu(), ny.Gaussian(1.0).poisson(0.1))
    made = ny.training(batch_size=512, dataset_size=60_000, epochs=1)
    print(ny.DPSGD(1.1, *made).dataset_size, made.sample_rate, made.steps)
    print(ny.from_dp_event(dp_event.GaussianDpEvent(1.0)) == ny.Gaussian(1.0))


def guarantees() -> None:
    """Every guarantee that is given, and what is asked of them."""
    given: list[ny.Guarantee] = [
        ny.GDP(1.0), ny.PureDP(1.0), ny.ApproximateDP(1.0, 1e-5), ny.ZCDP(0.5), ny.RDP([2.0, 4.0], [1.0, 2.0]),
        ny.Profile([0.0, 1.0], [0.4, 0.1]), ny.Tradeoff([0.0, 0.25, 1.0], [1.0, 0.25, 0.0]), ny.PERFECT, ny.BLATANT,
        ny.from_pld(privacy_loss_distribution.from_laplace_mechanism(1.0)),
        ny.tradeoff_between(stats.norm(0), stats.norm(1)),
        ny.compose_tradeoffs(ny.GDP(0.3), ny.GDP(0.4)),
    ]  # fmt: skip
    advantages: list[float] = [g.advantage for g in given]
    answer: ny.Satisfaction = given[0].satisfies(given[1])
    loss: ny.PrivacyLoss = ny.account(ny.Gaussian(1.0)).loss
    mean: ny.Bounds = loss.under_p.mean
    curve = given[0].beta(np.linspace(0.0, 1.0, 5))
    print(sum(advantages), bool(answer), mean.lower, curve.sum(), ny.conversions.classical_sigma(0.5, 1e-5))
    print(ny.comparison.pareto.__name__, ny.census.NAMES[0])


def accountants(place: str) -> None:
    """What is followed while it is spent."""
    accountant = ny.Accountant()
    accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    budget, everyone, odometer = ny.Filter(mu=1.0), ny.IndividualFilter(mu=1.0, records=3), ny.Odometer(delta=1e-6)
    budget.spend(ny.Gaussian(2.0))
    odometer.spend(ny.Gaussian(10.0))
    print(accountant.get_epsilon(1e-5), budget.remaining, everyone.spend(np.array([0.1, 0.2, 0.3])), odometer.epsilon)
    try:
        budget.spend(ny.Gaussian(0.1))
    except ny.BudgetExceeded as refused:
        print(refused.remaining, refused.topic)
    kinds: list[type[ny.NeymanError]] = [
        ny.InvalidParameter, ny.UnknownArgument, ny.NotCertified, ny.UnreadableState, ny.FileInUse, ny.MissingPackage
    ]  # fmt: skip
    print([kind.topic for kind in kinds], place)


def searches(place: str) -> None:
    """What is looked for, of one run and of many."""
    target = ny.targets.Epsilon(8.0, delta=1e-5) & ny.targets.Mu(2.0) & ny.targets.Advantage(0.9)
    steps = ny.steps_for_dpsgd(target, noise_multiplier=2.0, sample_rate=1.0)
    rate = ny.rate_for_dpsgd(epsilon=8.0, delta=1e-5, noise_multiplier=1.0, steps=10)
    print(steps.parameter, float(rate), ny.calibrate(ny.Gaussian, mu=0.5).mechanism)
    grid = ny.sweep(
        noise_multiplier=[1.0, 2.0], sample_rate=0.5, steps=2, quantities=["mu", "epsilon(1e-5)"], workers=1
    )
    print(float(grid.mu.max()), ny.sweep(ny.Laplace, axes={"scale": [1.0]}, quantities="advantage", workers=1).sizes)
    runs: ny.Table = ny.table([{"name": "a", "noise_multiplier": 2.0, "sample_rate": 0.5, "steps": 4}])
    print(runs["mu"], runs.latex()[:5], len(runs))
    said: ny.Conversion = ny.convert(rho=0.5, to="epsilon")
    shown: ny.Summary = ny.account("gaussian:1").summary()
    print(said.numbers, shown.headline.why, ny.prove(ny.Gaussian(1.0), claims=["epsilon@1e-05"]))
    ny.report(ny.Gaussian(1.0)).save(f"{place}/run.json")
    page: ny.Explorer = ny.explore(ny.Laplace(1.0))
    print(page)


if __name__ == "__main__":
    main(sys.argv[1])
    mechanisms()
    guarantees()
    accountants(sys.argv[1])
    searches(sys.argv[1])
