"""What a single (epsilon, delta) pair would have said of each risk, beside what the whole guarantee says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from neyman._errors import InvalidParameter
from neyman._upward import Carded
from neyman._validate import probability, whole
from neyman.guarantees import BLATANT, ApproximateDP, Guarantee
from neyman.guarantees.given.pure import LARGEST_EPSILON
from neyman.numerics.exact.decimals import exactly, outward
from neyman.risk.attacked import checked, promised
from neyman.risk.membership import accuracy, advantage, bayes_error, posterior, tpr
from neyman.risk.target import attribute_inference, reconstruction, relative_risk, singling_out
from neyman.risk.value import Risk

__all__ = ["AgainstPair", "Beside", "against_pair"]


@dataclass(frozen=True, slots=True)
class Beside:
    """One risk twice: from the ``whole`` guarantee, and from its ``pair`` alone."""

    whole: Risk
    pair: Risk


@dataclass(frozen=True, slots=True)
class AgainstPair(Carded):
    """Every risk of a guarantee beside that of its own pair (``epsilon``, ``delta``) alone; ``str()`` is the table.

    ``rows`` holds one ``Beside`` for each risk; ``found["tpr"]`` is that of the name.
    """

    epsilon: float
    delta: float
    rows: tuple[Beside, ...]

    def __getitem__(self, name: str) -> Beside:
        """Return the row of the risk called ``name``."""
        known = {row.whole.name: row for row in self.rows}
        if name not in known:
            raise InvalidParameter("name", name, "one of " + ", ".join(repr(one) for one in known))
        return known[name]

    def __iter__(self) -> Iterator[Beside]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        """One line for each risk, after one that says what is compared."""
        head = (
            f"What the whole guarantee promises, and what its pair (epsilon = {outward(self.epsilon, 6)}, delta = "
            f"{exactly(self.delta)}) alone would:"
        )
        lines = [f"  {_asked(row.whole)}: {row.whole.shown}; the pair alone: {row.pair.shown}" for row in self.rows]
        return "\n".join([head, *lines])


def against_pair(
    guarantee: Guarantee,
    delta: float,
    *,
    fpr: float = 0.1,
    membership_prior: float = 0.5,
    baseline: float = 0.1,
    records: int = 1,
) -> AgainstPair:
    """Return every risk of a guarantee beside what its own pair (epsilon(delta), delta) alone would have said.

    Parameters
    ----------
    guarantee : Guarantee
        Of any kind, but not the ``optimistic`` twin of one.
    delta : float
        In [0, 1]. Where no finite epsilon holds at it, or one above 700, the pair promises nothing.
    fpr : float
        For ``tpr`` and ``posterior``, in [0, 1].
    membership_prior : float
        P(record PRESENT), in [0, 1]: for ``posterior``; 1 - membership_prior is the prior of ``bayes_error`` and
        ``accuracy``.
    baseline : float
        For ``reconstruction``, ``attribute_inference``, ``singling_out`` and ``relative_risk``, in (0, 1].
    records : int
        For ``singling_out``.

    Returns
    -------
    AgainstPair
        Both numbers of every row lie on the safe side.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    Notes
    -----
    Gomez et al., Gaussian DP for reporting, Figure 1b. A pair is stated for both orders: of a guarantee for "add" or
    "remove" alone its epsilon is the larger one.

    Examples
    --------
    >>> import neyman as ny
    >>> g = ny.account(ny.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000))
    >>> row = ny.risk.against_pair(g, 1e-5)["tpr"]
    >>> row.whole.shown, row.pair.shown
    ('at most 61 %', 'at most 99.947 %')
    """
    g = checked(guarantee)
    if not promised(g):
        raise InvalidParameter("guarantee", guarantee, "a promise", "This is the optimistic twin of one.")
    mass, rate = probability("delta", delta), probability("fpr", fpr)
    present, chance = probability("membership_prior", membership_prior), probability("baseline", baseline)
    many = whole("records", records, 1, 10**18)
    one_order = g.adjacency in ("add", "remove")
    epsilon = (g.symmetrized() if one_order else g).epsilon(mass)
    pair = ApproximateDP(epsilon, mass) if epsilon <= LARGEST_EPSILON else BLATANT

    def risks(of: Guarantee) -> tuple[Risk, ...]:
        return (
            tpr(of, rate),
            advantage(of),
            posterior(of, present, rate),
            bayes_error(of, 1.0 - present),
            accuracy(of, 1.0 - present),
            reconstruction(of, chance),
            attribute_inference(of, chance),
            singling_out(of, chance, many),
            relative_risk(of, chance),
        )

    alone = (replace(risk, adjacency=g.adjacency) for risk in risks(pair))
    rows = tuple(map(Beside, risks(g), alone))
    return AgainstPair(epsilon, mass, rows)


def _asked(risk: Risk) -> str:
    asked = ", ".join(f"{name}={number:.6g}" for name, number in risk.given)
    return f"{risk.name}({asked})" if asked else risk.name
