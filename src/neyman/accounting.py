"""``account``: from what was run to what it promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from neyman._errors import InvalidParameter
from neyman._validate import choice, inside, positive
from neyman.guarantees.algebra.composition import composition
from neyman.guarantees.computed import ComposedGuarantee
from neyman.guarantees.opaque import check_adjacency
from neyman.mechanisms import Mechanism
from neyman.profiles.effort import EFFORT, Effort

if TYPE_CHECKING:
    from neyman.witnesses.guarantee import ProvedGuarantee

__all__ = ["ADJACENCIES", "account"]

ADJACENCIES = ("add_or_remove", "add", "remove", "replace")


@overload
def account(
    mechanism: Mechanism, adjacency: str = ..., tolerance: float = ..., effort: float = ..., *, proved: Literal[True]
) -> ProvedGuarantee: ...
@overload
def account(
    mechanism: Mechanism,
    adjacency: str = ...,
    tolerance: float = ...,
    effort: float = ...,
    *,
    proved: Literal[False] = False,
) -> ComposedGuarantee: ...
def account(
    mechanism: Mechanism,
    adjacency: str = "add_or_remove",
    tolerance: float = 1e-6,
    effort: float = EFFORT,
    *,
    proved: bool = False,
) -> ComposedGuarantee | ProvedGuarantee:
    """Return the certified guarantee of ``mechanism``.

    Parameters
    ----------
    mechanism : Mechanism
        What was run: see ``DPSGD``, ``Gaussian``, ``compose``.
    adjacency : str
        Which data sets count as neighbours. "add_or_remove" (one record more or less; both directions are computed
        and the larger delta is taken), "add", "remove" (one direction alone), or "replace" (one record exchanged:
        additive noise then sees up to twice the sensitivity; black boxes promise what they promise, but cannot be
        sampled).
    tolerance : float
        Relative width aimed for of the certified bracket of delta(epsilon), wherever delta >= 1e-30; in [1e-12, 1).
        Compositions of which zCDP or Renyi DP is stated are not held to it: their curve is known by its upper bound.
    effort : float
        How much work the answer to one question may take, in nominal seconds of one core: counted from the plans,
        before it is done, not by a clock; finite, > 0. What would take more is ``NotCertified``, with the best
        bracket known.

    proved : bool, default False
        Hand out only numbers that ``neyman_check`` accepted in ball arithmetic before (extra ``prove``): what it does
        not accept is ``NotCertified`` with the reason. Slower.

    Returns
    -------
    ComposedGuarantee
        Values on the safe side; ``.optimistic`` holds the certified bounds from the other side. Where ``proved`` a
        ``ProvedGuarantee``: delta, epsilon, beta, roc, bayes_error, mu, zcdp, advantage, auc, fixed_point.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, "replace" is asked of a sampled black box, or an ``Opaque`` promises
        nothing for this adjacency; if ``proved`` is asked for and python-flint is not installed.

    Notes
    -----
    delta(eps) = max over directions of E_P[(1 - e^{eps - L})_+], L = log dP/dQ the sum of the steps' privacy losses
    (Dong, Roth and Su 2022, f-DP; Zhu, Dong and Wang 2022, dominating pairs, which compose, and Poisson sampling).
    Closed forms where there are any; exact sums over the outcomes of discrete laws; otherwise a contour integral with
    bounds on aliasing, truncation, quadrature and rounding, or two lattice laws that enclose the true one.

    Examples
    --------
    >>> import neyman as ny
    >>> g = ny.account(ny.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000))
    >>> round(g.epsilon(1e-5), 5), round(g.mu(), 6)
    (7.42438, 1.566948)
    >>> round(ny.account(ny.Laplace(1.0) ** 10, proved=True).delta(2.0), 6)
    0.612842
    """
    if not isinstance(mechanism, Mechanism):
        raise InvalidParameter("mechanism", mechanism, "a Mechanism", "Build one with DPSGD(...) or Gaussian(...).")
    kind = choice("adjacency", adjacency, ADJACENCIES)
    width = inside("tolerance", tolerance, 0.99e-12, 1.0)
    allowed = Effort(positive("effort", effort))
    check_adjacency(mechanism, kind)
    computed = composition(mechanism.losses(replace=kind == "replace"), kind, width, allowed, mechanism=mechanism)
    computed.remember((account, (mechanism, kind, width, allowed.seconds)))
    return _proved(computed) if proved else computed


def _proved(computed: ComposedGuarantee) -> ProvedGuarantee:
    try:
        from neyman.witnesses.guarantee import ProvedGuarantee
    except ImportError:
        raise InvalidParameter("proved", True, "False without python-flint", "pip install -e '.[prove]'") from None
    return ProvedGuarantee(computed)
