"""Privacy loss distributions of dp_accounting, read as guarantees."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np

from neyman._errors import InvalidParameter
from neyman._remade import remembered
from neyman.engines.atoms.atoms import Atoms
from neyman.engines.atoms.profile import AtomsProfile
from neyman.guarantees.computed import ComposedGuarantee
from neyman.numerics.rounding import UNIT

__all__ = ["from_pld"]

_OFF = 1e-9  # by how much round-off may push the total of the losses above 0 above 1
_ASTRAY = 1e-2  # by how much the total may miss 1: dp_accounting's fine grids add up to 1.003 (1e-5, 1000 steps)
_METHOD = "privacy loss distribution, as sound as its source"


@remembered
def from_pld(pld: object) -> ComposedGuarantee:
    """Return the guarantee that a ``PrivacyLossDistribution`` of ``dp_accounting`` states, on its own grid.

    Parameters
    ----------
    pld : dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution
        Its probabilities are taken as they are, never renormalised: mass it has lost counts as revealed from above,
        and not at all from below. Of each direction only what lies at losses above 0 enters (delta at epsilon >= 0
        depends on nothing else, and Q follows from dQ = e^-L dP), because round-off gathers at very negative losses.

    Returns
    -------
    ComposedGuarantee
        Of adjacency "add_or_remove". As sound as its source: a bracket holds what the distribution states, and where
        that is too small (dp_accounting loses deltas below about 1e-10 to its Fourier transform) so is this. ``method``
        says so.

    Raises
    ------
    InvalidParameter
        If it is no such distribution, says of itself that it is an optimistic estimate (its deltas are too small), or
        holds what no distribution can: NaN, negative probabilities, more than 1 in total at positive losses, or a total
        that misses 1 by more than 0.01.
    ImportError
        If dp_accounting is not installed.

    Examples
    --------
    >>> from dp_accounting.pld import privacy_loss_distribution
    >>> from neyman import from_pld
    >>> g = from_pld(privacy_loss_distribution.from_laplace_mechanism(1.0))
    >>> round(g.delta(0.5), 4), g.method
    (0.2212, 'privacy loss distribution, as sound as its source')
    """
    library = import_module("dp_accounting.pld.privacy_loss_distribution")
    if not isinstance(pld, library.PrivacyLossDistribution):
        raise InvalidParameter("pld", pld, "a dp_accounting PrivacyLossDistribution")
    known: Any = pld
    remove = _profile("pld._pmf_remove", known._pmf_remove)
    add = remove if known._symmetric else _profile("pld._pmf_add", known._pmf_add)
    return ComposedGuarantee(remove, add, "add_or_remove", 1.0)  # its own accuracy is its source's affair


def _profile(name: str, pmf: Any) -> AtomsProfile:
    """delta for eps >= 0 of one direction."""
    dense = pmf.to_dense_pmf()
    if dense._pessimistic_estimate is not True:
        advice = "Make it with pessimistic_estimate=True: an optimistic one promises less loss than there is."
        raise InvalidParameter(name, "an optimistic estimate", "a pessimistic estimate", advice)
    mass = np.asarray(dense._probs, dtype=np.float64)
    infinite, unit, lowest = float(dense._infinity_mass), float(dense._discretization), int(dense._lower_loss)
    if not (0.0 < unit < math.inf and -_OFF <= infinite <= 1.0 + _OFF):
        raise InvalidParameter(name, (unit, infinite), "of a spacing > 0 and an infinite mass in [0, 1]")
    if not bool(np.all(mass >= -_OFF)):  # so that NaN fails
        raise InvalidParameter(name, float(np.min(mass)), "without negative probabilities")
    place = lowest + np.arange(len(mass))
    kept = (place > 0) & (mass > 0.0)
    above, total = math.fsum(mass[kept]), math.fsum(np.maximum(mass, 0.0)) + infinite
    if not above + infinite <= 1.0 + _OFF:
        raise InvalidParameter(name, above + infinite, "at most 1 in total at losses above 0")
    if not abs(total - 1.0) <= _ASTRAY:
        raise InvalidParameter(name, total, f"of a total mass within {_ASTRAY:g} of 1")
    stated = max(infinite, 0.0)
    revealed = stated + max(1.0 - total, 0.0)
    rest = max(1.0 - above - revealed, 0.0)  # at losses where delta(eps >= 0) does not see it
    loss = np.append(0.0, unit * place[kept])
    with np.errstate(divide="ignore"):
        log_w = np.append(math.log(max(rest, 5e-324)), np.log(mass[kept])) - 0.5 * loss
    atoms = Atoms(loss, log_w, 0.0, 2.0 * UNIT, 8.0 * UNIT, 0.0, None, 0.0, None)
    return AtomsProfile(atoms, True, math.inf, (stated, revealed), _METHOD)
