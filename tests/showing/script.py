"""What a user's script does, as type checkers see it."""

import sys

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


if __name__ == "__main__":
    main(sys.argv[1])
