"""Verbs of values that rooms above them answer: the one file that looks upward.

Each opens its room by name, on first use, so that imports still run downward and a value brings nothing with it. For
type checkers alone the rooms' types are named here, and nowhere below them.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Never, overload

from neyman._answering import refuse_wrong
from neyman._errors import InvalidParameter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neyman.guarantees.computed import ComposedGuarantee
    from neyman.plot.drawing.picture import DrawnAxes
    from neyman.reports.reporting import Report
    from neyman.risk.value import Risk
    from neyman.showing.summary import Summary
    from neyman.witnesses.guarantee import ProvedGuarantee

    Numbers = float | Sequence[Any] | NDArray[Any]

__all__ = ["Accountable", "Carded", "Shown", "opened"]

PICTURES = (
    "tradeoff", "roc", "profile", "bayes_error", "privacy_loss", "local_mu", "regret", "envelope", "roc_tangent",
)  # fmt: skip


def opened(room: str, name: str) -> Any:
    """Return what a room above calls ``name``.

    Examples
    --------
    >>> opened("risk", "tpr").__name__
    'tpr'
    """
    return getattr(import_module(f"neyman.{room}"), name)


def _no_picture(kind: object) -> InvalidParameter:
    from neyman._guessed_names import OF_PLOTS  # read where something went wrong

    word = kind.replace("_", "").replace("-", "").lower() if isinstance(kind, str) else ""
    meant = OF_PLOTS.get(word, "").removeprefix("ny.plot.").partition("(")[0]
    advice = f"Write: g.plot({meant!r})" if meant in PICTURES else ""
    return InvalidParameter("kind", kind, "one of " + ", ".join(map(repr, PICTURES)), advice)


class Carded:
    """A value that notebooks show as a card."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """What a notebook shows: never an error, and never for long."""
        return opened("showing.cards", "card_of")(self)


class Accountable(Carded):
    """A mechanism, as far as it is accounted for."""

    __slots__ = ()

    @overload
    def account(
        self, adjacency: str | None = ..., tolerance: float = ..., effort: float = ..., *, proved: Literal[True]
    ) -> ProvedGuarantee: ...
    @overload
    def account(
        self,
        adjacency: str | None = ...,
        tolerance: float = ...,
        effort: float = ...,
        *,
        proved: Literal[False] = False,
    ) -> ComposedGuarantee: ...
    def account(
        self,
        adjacency: str | None = None,
        tolerance: float = 1e-6,
        effort: float = 10.0,
        *,
        proved: bool = False,
    ) -> ComposedGuarantee | ProvedGuarantee:
        """Return the certified guarantee: ``ny.account`` of this mechanism, with the same arguments.

        Examples
        --------
        >>> import neyman as ny
        >>> ny.Gaussian(2.0).account().mu() == ny.account(ny.Gaussian(2.0)).mu()
        True
        """
        return opened("accounting", "account")(self, adjacency, tolerance, effort, proved=proved)


class Shown(Carded):
    """A guarantee, as far as people look at it. ``print`` shows the table of the command line."""

    __slots__ = ()

    def summary(self, deltas: Sequence[float] | None = None, floor: float = 1e-10) -> Summary:
        """Return everything that is said of a guarantee at first sight: which number to report and why, and a table.

        Parameters
        ----------
        deltas : sequence of float, optional
            Where epsilon is asked for, each in (0, 1); unless given 1e-5, 1e-6, 1e-9 and 1/dataset_size where known.
        floor : float
            Least error rate at which mu is promised, in (0, 0.5).

        Raises
        ------
        InvalidParameter
            If a delta or the floor lies outside its domain.

        Examples
        --------
        >>> import neyman as ny
        >>> ny.account(ny.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000)).summary().headline.number
        '1.567-GDP at error rates of 1e-10 and above'
        """
        return opened("showing.summary", "Summary").of(self, deltas, floor)

    def tpr(self, fpr: Numbers | None = None, **unknown: Never) -> Risk:
        """Return the largest true positive rate of a membership attack at a false positive rate: ``ny.risk.tpr``.

        Examples
        --------
        >>> import neyman as ny
        >>> ny.GDP(1.0).tpr(0.01).shown
        'at most 9.24 %'
        """
        refuse_wrong("g.tpr", unknown, fpr=fpr)
        return opened("risk", "tpr")(self, fpr)

    def posterior(self, membership_prior: Numbers | None = None, fpr: Numbers | None = None, **unknown: Never) -> Risk:
        """Return how sure an attack can be that a record it accuses was used: ``ny.risk.posterior``.

        Examples
        --------
        >>> import neyman as ny
        >>> ny.GDP(1.0).posterior(membership_prior=0.5, fpr=0.01).shown
        'at most 90.3 %'
        """
        refuse_wrong("g.posterior", unknown, membership_prior=membership_prior, fpr=fpr)
        return opened("risk", "posterior")(self, membership_prior, fpr)

    def plot(self, kind: str = "tradeoff", *more: Any, **options: Any) -> DrawnAxes:
        """Draw a picture of this guarantee, beside others if there are any: ``ny.plot`` (extra ``plot``).

        Parameters
        ----------
        kind : str
            "tradeoff", "roc", "profile", "bayes_error", "privacy_loss", "local_mu", "regret", "envelope" or
            "roc_tangent", in whichever case and joined as one likes ("ROC", "Bayes-error").
        *more : object
            What else the picture takes: other guarantees, or the place of a tangent.
        **options : object
            As of that picture: ``label``, ``title``, ``ax``.

        Raises
        ------
        InvalidParameter
            If there is no such picture.
        MissingPackage
            If matplotlib is not installed.

        Examples
        --------
        >>> import neyman as ny
        >>> ny.GDP(1.0).plot("profile").get_ylabel()
        'δ(ε)'
        """
        if isinstance(kind, str) and kind not in PICTURES:
            word = kind.strip().replace("-", "").replace("_", "").replace(" ", "").lower()
            kind = next((one for one in PICTURES if one.replace("_", "") == word), kind)
        if kind not in PICTURES:
            raise _no_picture(kind)
        return opened("plot", kind)(self, *more, **options)

    def cite(self, deltas: Sequence[float] | None = None, floor: float = 1e-10) -> str:
        r"""Return a sentence or two for a paper, with the BibTeX of what they cite; arguments as of ``summary``.

        Examples
        --------
        >>> import neyman as ny
        >>> print(ny.GDP(1.0).cite()[:56])
        The mechanism satisfies 1-GDP \citep{dong2022gaussian},
        """
        return opened("showing.cite", "citation")(self.summary(deltas, floor))

    def report(self, **options: Any) -> Report:
        """Return a report to hand over: ``ny.report`` of this guarantee, with its options (extra ``report``).

        Examples
        --------
        >>> import neyman as ny
        >>> ny.GDP(1.0).report(title="Mean salary").document.verdict.headline
        'Report mu = 1, valid at error rates of 1e-10 and above.'
        """
        return opened("reports", "report")(self, **options)

    def __str__(self) -> str:
        return str(self.summary())
