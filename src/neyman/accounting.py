"""``account``: from what was run to what it promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Never, overload

from neyman._answering import refuse_missing, refuse_unknown
from neyman._errors import InvalidParameter
from neyman.guarantees.computed import ComposedGuarantee
from neyman.mechanisms import Mechanism
from neyman.profiles.effort import EFFORT
from neyman.understanding.promise import ADJACENCIES, USUAL_ADJACENCY, promise_of

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from neyman.guarantees.twins import PessimisticGuarantee
    from neyman.witnesses.guarantee import ProvedGuarantee

    Understood = Mechanism | PessimisticGuarantee | str | os.PathLike[str] | Sequence[Any]

__all__ = ["ADJACENCIES", "account"]


@overload
def account(
    mechanism: Understood,
    adjacency: str | None = ...,
    tolerance: float = ...,
    effort: float = ...,
    *,
    proved: Literal[True],
) -> ProvedGuarantee: ...
@overload
def account(
    mechanism: Mechanism | ComposedGuarantee,
    adjacency: str | None = ...,
    tolerance: float = ...,
    effort: float = ...,
    *,
    proved: Literal[False] = False,
) -> ComposedGuarantee: ...
@overload
def account(
    mechanism: Understood,
    adjacency: str | None = ...,
    tolerance: float = ...,
    effort: float = ...,
    *,
    proved: Literal[False] = False,
) -> PessimisticGuarantee: ...
def account(
    mechanism: Understood | None = None,
    adjacency: str | None = None,
    tolerance: float = 1e-6,
    effort: float = EFFORT,
    *,
    proved: bool = False,
    **unknown: Never,
) -> PessimisticGuarantee | ProvedGuarantee:
    """Return the certified guarantee of ``mechanism``.

    Parameters
    ----------
    mechanism : Mechanism, Guarantee, list, path or str
        What was run: see ``DPSGD``, ``Gaussian``, ``compose``. A guarantee is handed back; a list of mechanisms or
        guarantees is composed; of a report's file its mechanism is accounted for again, under its own neighbours; a
        file may hold a mechanism (.json, .yaml, .yml). Short forms: "gaussian:1", "laplace:1", "mu:1",
        "epsilon:1,1e-5", "rho:.5", "dpsgd:1,.01,1000".
    adjacency : str, optional
        Which data sets count as neighbours; "add_or_remove" unless a guarantee or a report brings its own.
        "add_or_remove" (one record more or less; both directions are computed
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
        If an argument lies outside its domain, ``mechanism`` is nothing of the kind, "replace" is asked of a sampled
        black box, or an ``Opaque`` promises nothing for this adjacency; if ``proved`` is asked for and python-flint is
        not installed.

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
    >>> ny.account("dpsgd:9.4,0.32768,2000").epsilon(1e-5) == g.epsilon(1e-5)
    True
    >>> round(ny.account(ny.Laplace(1.0) ** 10, proved=True).delta(2.0), 6)
    0.612842
    """
    if mechanism is None or unknown:
        refuse_unknown("ny.account", unknown, mechanism=mechanism, adjacency=adjacency)
        refuse_missing("ny.account", {"mechanism": mechanism})
    if isinstance(mechanism, Mechanism):
        asked = USUAL_ADJACENCY if adjacency is None else adjacency
        found: PessimisticGuarantee = promise_of(mechanism, asked, tolerance, effort)
    else:
        from neyman.understanding.subject import Subject

        found = Subject.of("mechanism", mechanism).guarantee(adjacency, tolerance, effort)
    return _proved(found) if proved else found


def _proved(found: PessimisticGuarantee) -> ProvedGuarantee:
    if isinstance(found, ComposedGuarantee):
        computed = found
    else:
        from neyman.guarantees.opaque import Opaque

        computed = promise_of(Opaque(found), found.adjacency)
    try:
        from neyman.witnesses.guarantee import ProvedGuarantee
    except ImportError:
        raise InvalidParameter("proved", True, "False without python-flint", "pip install 'neyman[prove]'") from None
    return ProvedGuarantee(computed)
