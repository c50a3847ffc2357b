"""The sentence to copy: which number is reported, why, and that it is never on the wrong side."""

from __future__ import annotations

import math
import re

import pytest

import neyman as ny
from neyman._errors import NotCertified
from neyman.guarantees import GDPReport
from neyman.showing.cite import citation
from neyman.showing.headline import Headline, brief, headline
from neyman.showing.interval import Interval, Refusals
from neyman.showing.summary import Summary


def report(mu: float, regret: float, shortfall: float = 0.0) -> GDPReport:
    return GDPReport(mu, regret, 1e-10, mu if shortfall == 0.0 else 9.0 * mu, shortfall)


WITH = "so report this epsilon, and with it the profile."
PROFILE = "so report the profile (epsilon at several deltas)."
PAIRS = ((1e-5, 1e-6), (Interval(1.8282, 1.8283), Interval(2.1, 2.125)))


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (headline(report(1.5660001, 0.001021, 1e-12), *PAIRS),
         "1.567-GDP at error rates of 1e-10 and above; its regret, 0.00103, is below 0.01, so mu is the whole story."),
        (headline(report(1.0, 0.0), *PAIRS), "1-GDP; its regret, 0, is below 0.01, so mu is the whole story."),
        (headline(report(0.5, 0.0225001), *PAIRS),
         "(epsilon <= 1.829, delta = 1e-5)-DP; the regret of mu, 0.0226, is above 0.01, " + PROFILE),
        (headline(report(0.5, 0.01), *PAIRS),
         "(epsilon <= 1.829, delta = 1e-5)-DP; the regret of mu, 0.01, is not below 0.01, " + PROFILE),
        (headline(report(1.03, 0.0371), *PAIRS, pure=(1.0, 0.0344)),
         "(epsilon <= 1, delta = 0)-DP; its regret, 0.0344, is less than that of mu, 0.0371, " + WITH),
        (headline(report(1.03, 0.0371), *PAIRS, pure=(1.0, 0.04)),
         "(epsilon <= 1.829, delta = 1e-5)-DP; the regret of mu, 0.0371, is above 0.01, " + PROFILE),
        (headline(report(math.inf, 0.4), *PAIRS),
         "(epsilon <= 1.829, delta = 1e-5)-DP; no finite mu holds, " + PROFILE),
        (headline(report(math.inf, 0.4), *PAIRS, pure=(3.0, 0.1)),
         "(epsilon <= 3, delta = 0)-DP; no finite mu holds, " + WITH),
        (headline(report(math.inf, 0.5), (1e-5,), (Interval(math.inf, math.inf),)),
         "No finite epsilon is certified at delta = 1e-5; no finite mu holds, " + PROFILE),
        (headline(GDPReport(0.0, 0.0, 1e-10, 0.0, 0.0), *PAIRS), "0-GDP; nothing is learnt of any record."),
        (headline(None, *PAIRS),
         "(epsilon <= 1.829, delta = 1e-5)-DP; mu is not certified to the tolerance, " + PROFILE),
    ],
)  # fmt: skip
def test_which_number_and_why(found: Headline, shown: str) -> None:
    assert str(found) == shown


def test_a_certified_pair_comes_before_one_that_is_not() -> None:
    wide = Interval(1.0, 3.0, "wider than asked")
    assert headline(None, (1e-5, 1e-6), (wide, Interval(4.0, 4.0))).number == "(epsilon <= 4, delta = 1e-6)-DP"
    assert headline(None, (1e-5, 1e-6), (wide, wide)).number == "(epsilon <= 3, delta = 1e-5)-DP"


@pytest.mark.parametrize("mechanism", [
    ny.DPSGD(9.4, 0.32768, 2000), ny.DPSGD(1.0, 0.01, 1000), ny.Laplace(1.0), ny.RandomizedResponse(2.0),
    ny.ApproximateMechanism(0.5, 1e-6),
])  # fmt: skip
def test_the_number_is_true_and_that_of_the_report(mechanism: ny.Mechanism) -> None:
    """What is printed is at least what is certified, and the report of the same mechanism recommends the same."""
    g = mechanism.account()
    head = g.summary().headline
    number = float(re.findall(r"[\d.]+", head.number)[0])
    if head.report == "mu":
        assert g.mu() <= number <= 1.001 * g.mu()
    else:
        delta = float(head.number.split("delta = ")[1].split(")")[0])
        assert g.epsilon(delta) <= number <= 1.001 * g.epsilon(delta)
    recommended = ny.report(mechanism).document.verdict.recommended
    assert head.report == (recommended if recommended in ("mu", "epsilon") else "profile")


def test_brief_numbers_are_exact() -> None:
    for value in (1e-5, 1e-10, 0.25, 1 / 60000, 1e-300, 123456.789):
        assert float(brief(value)) == value


def test_a_refusal_costs_nothing_but_its_own_row() -> None:
    s = ny.account(ny.DPSGD(1.0, 0.01, 1000), tolerance=1e-12).summary(deltas=(1e-5,))
    assert s.refused
    assert s.advantage.refused
    assert not s.epsilons[0].refused
    other = ny.account(ny.DPSGD(1.0, 0.01, 1000))
    assert s.advantage.lower <= other.advantage
    assert other.optimistic.advantage <= s.advantage.upper
    assert "not certified" in str(s)
    assert "1.828237" in str(s)


def test_a_refusal_of_something_else_tells_nothing_of_the_number() -> None:
    def read() -> tuple[float, float]:
        raise NotCertified("delta(3)", 0.1, 0.2, "too wide")

    ask = Refusals()
    assert ask.bracket("delta", 1.0, read) == Interval(0.1, 0.2, "too wide")
    assert ask.bracket("epsilon", math.inf, read) == Interval(0.0, math.inf, "too wide")
    assert len(ask.found) == 2


@pytest.mark.parametrize(("deltas", "floor"), [((0.0,), 1e-10), ((1e-5, 1.0), 1e-10), ((1e-5,), 0.5)])
def test_where_it_is_asked_is_checked(deltas: tuple[float, ...], floor: float) -> None:
    with pytest.raises(ny.InvalidParameter, match="must be"):
        Summary.of(ny.GDP(1.0), deltas, floor)


def test_a_citation_names_what_it_states() -> None:
    whole = citation(ny.account(ny.DPSGD(9.4, 0.32768, 2000)).summary())
    assert whole.startswith(
        "DP-SGD with noise multiplier $9.4$, sample rate $0.32768$ and $2000$ steps satisfies 1.567-GDP at error rates "
        "of 1e-10 and above \\citep{dong2022gaussian}, with a regret "
        "\\citep{kaissis2024beyond,gomez2025gaussian} of at most 0.00103, and "
        "$(\\varepsilon \\le 7.425, \\delta = 10^{-5})$-DP, for neighbouring data sets that differ by one record "
        "added or removed. Batches are Poisson samples."
    )
    part = citation(ny.account(ny.DPSGD(0.7, 0.01, 1000), adjacency="replace").summary(deltas=(1e-5,)))
    assert part.startswith(
        "DP-SGD with noise multiplier $0.7$, sample rate $0.01$ and $1000$ steps satisfies $(\\varepsilon \\le "
    )
    assert "would have a regret" in part
    assert "exchanged for another" in part
    for text in (whole, part):
        said, entries = text.split("\n\n", 1)
        named = {key for group in said.split("\\citep{")[1:] for key in group.split("}")[0].split(",")}
        assert named == {line.split("{")[1].strip(",") for line in entries.splitlines() if line.startswith("@")}


def test_nothing_finite_is_cited_as_nothing() -> None:
    assert citation(ny.BLATANT.summary()).startswith("No finite promise of the mechanism is certified.")


def test_a_delta_below_one_record_comes_first() -> None:
    """Whoever publishes one record whole keeps a promise at delta = 1/n."""
    run = ny.DPSGD(noise_multiplier=1.1, epochs=10, batch_size=512, dataset_size=60_000)
    summary = ny.account(run).summary()
    assert summary.deltas[1:] == (1e-5, 1e-6, 1e-9)
    assert summary.headline.number == "(epsilon <= 1.38, delta = 1e-5)-DP"
    few = ny.account(run.with_dataset_size(100)).summary(deltas=(0.01, 0.1))
    assert few.headline.number.endswith("delta = 0.01)-DP")


@pytest.mark.parametrize(
    ("given", "number"),
    [
        (ny.ZCDP(0.5), "ZCDP(rho=0.5)"),
        (ny.account(ny.Opaque(ny.ZCDP(0.5))), "ZCDP(rho=0.5)"),
        (ny.ApproximateDP(1.0, 1e-5), "ApproximateDP(epsilon=1.0, delta=1e-05)"),
    ],
    ids=repr,
)
def test_what_was_stated_is_reported_as_it_was_stated(given: ny.Guarantee, number: str) -> None:
    """As the report says it."""
    found = given.summary().headline
    assert (found.report, found.number) == ("stated", number)
    assert citation(given.summary()).startswith("The mechanism satisfies the guarantee that was stated, \\texttt{")


def test_an_epsilon_that_no_guarantee_states_is_not_reported() -> None:
    """Above 700 epsilon-DP promises nothing: that is no reason to refuse the rest."""
    found = ny.account(ny.Laplace(0.1) ** 1000).summary()
    assert found.pure is None
    assert found.headline.report != "epsilon"
