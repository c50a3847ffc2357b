"""``Accountant``: what a run whose schedule was fixed in advance has spent so far."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Never, Self

import numpy as np

from neyman._answering import refused_step
from neyman._errors import InvalidParameter, NeymanError
from neyman._validate import MAX_COUNT, flag, whole
from neyman.accountants.answers import Answers
from neyman.accountants.contents import VERSION, Contents, Terms, look, pack, read_state, starts, terms
from neyman.accountants.files import file_path, replace_whole
from neyman.accountants.growth import Growth
from neyman.accountants.journal import Journal
from neyman.accountants.ledger import Entry, Ledger
from neyman.accountants.records import JOURNAL
from neyman.accountants.recovered import Recovered
from neyman.accounting import account
from neyman.guarantees.computed import ComposedGuarantee
from neyman.mechanisms import DPSGD, Mechanism

__all__ = ["Accountant", "Recovered"]

_PLAIN = frozenset({float, int, np.float64})  # types whose equal values are the same setting (True == 1.0 is not)


class Accountant(Answers):
    """A tally of the steps of a run, and the guarantee of all of them together.

    It is for FIXED SCHEDULES: how many steps there are, and the noise and the rate of each, must not depend on what the
    steps released. Stopping early because the loss looks good, or turning the noise down because it looks bad, voids
    the guarantee; for that there is ``Filter``, which stays valid whatever is decided on the way, and charges more for
    it. Accounting for a fixed schedule is the tight way: sampled steps are amplified, and the whole curve is kept. (The
    steps themselves may look at everything released before them; only the schedule may not.)

    Count a step before it runs, and use one accountant from one thread.

    Parameters
    ----------
    adjacency : str, default "add_or_remove"
        Which data sets count as neighbours: see ``account``.
    tolerance : float, default 1e-6
        Relative width aimed for of the certified bracket of delta: see ``account``.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    Notes
    -----
    Steps are kept run-length encoded: a step costs the same however many there are, and the guarantee is computed when
    it is asked for, and kept until the next step. It equals ``account(compose(...))`` of everything that was run.

    Examples
    --------
    >>> import neyman as ny
    >>> accountant = ny.Accountant()
    >>> for _ in range(2000):
    ...     accountant.step(noise_multiplier=9.4, sample_rate=0.32768)
    >>> len(accountant), round(accountant.get_epsilon(1e-5), 5)
    (2000, 7.42438)
    >>> accountant.history
    ((Gaussian(sigma=9.4, sensitivity=1.0).poisson(0.32768), 2000),)
    """

    def __init__(self, *, adjacency: str = "add_or_remove", tolerance: float = 1e-6) -> None:
        self._begin(terms(adjacency, tolerance), Ledger())

    @classmethod
    def journalled(
        cls, path: str | os.PathLike[str], *, adjacency: str | None = None, tolerance: float | None = None,
        durable: bool = True,
    ) -> Self:  # fmt: skip
        """Open the journal ``path``, or begin it: an accountant whose steps outlive the process.

        ``step`` and ``add`` return when the record is on the disk. Killed at any moment, the journal loads again, with
        every step whose call returned, none of them twice; a record that was being written is dropped (see
        ``dropped``) or, if it is whole, counted. If an append fails, further use is refused until the journal is
        opened again. While it is open no other accountant can open it: the second is refused; the lock ends with the
        process, even by ``kill -9``, and a forked child has no part in it.

        Parameters
        ----------
        path : path
            The file; the directory must exist.
        adjacency, tolerance : optional
            Of a new journal (default "add_or_remove", 1e-6). An existing one has its own, and others are refused.
        durable : bool, default True
            Whether every step waits for the disk (``fsync``: from 0.1 ms to 10 ms). With ``False`` a step survives the
            death of the process but NOT of the machine: after a power cut or a crash of the system steps that HAD
            RETURNED may be missing, and the guarantee read from the journal would be too good to be true.

        Raises
        ------
        FileInUse
            If another accountant has it open.
        UnreadableState
            If the file is damaged; the error says how much is intact, and ``recover`` returns that much.
        NeymanError
            Where the system cannot lock files (no ``fcntl``, as on Windows): use ``save`` there.

        Examples
        --------
        >>> import tempfile, pathlib, neyman as ny
        >>> path = pathlib.Path(tempfile.mkdtemp(), "run.journal")
        >>> with ny.Accountant.journalled(path) as accountant:
        ...     accountant.step(noise_multiplier=1.0, sample_rate=0.01)
        >>> with ny.Accountant.journalled(path) as accountant:
        ...     len(accountant)
        1
        """
        wanted = terms(
            Terms().adjacency if adjacency is None else adjacency, Terms().tolerance if tolerance is None else tolerance
        )
        journal = Journal(file_path(path), wanted, flag("durable", durable))
        self = cls._of(journal.found, journal.path)
        for name, asked in (("adjacency", adjacency), ("tolerance", tolerance)):
            kept = getattr(self, name)
            if asked is not None and asked != kept:
                journal.close()
                raise InvalidParameter(name, asked, repr(kept), f"That is what {path} was begun with.")
        self._journal = journal
        return self

    def step(
        self, *more: Never, noise_multiplier: float | None = None, sample_rate: float | None = None, **unknown: Never
    ) -> None:
        """Count one step of DP-SGD: ``add(DPSGD(noise_multiplier, sample_rate, 1))``.

        Parameters
        ----------
        noise_multiplier : float
            Standard deviation of the noise over the clipping norm; from 1e-100 to 1e+100.
        sample_rate : float
            Probability with which each record enters the batch (Poisson sampling), in [0, 1].

        Raises
        ------
        InvalidParameter
            If a number lies outside its domain; nothing is counted.
        """
        if noise_multiplier is None or sample_rate is None or more or unknown:
            raise refused_step(more, {"noise_multiplier": noise_multiplier, "sample_rate": sample_rate}, unknown)
        plain = type(noise_multiplier) in _PLAIN and type(sample_rate) in _PLAIN
        number = self._known.get((noise_multiplier, sample_rate), -1) if plain else -1
        if number < 0:
            number = self._count(DPSGD(noise_multiplier, sample_rate, 1), 1)
            self._known[(float(noise_multiplier), float(sample_rate))] = number
        elif self._journal is None and self._ledger.total < MAX_COUNT:
            with self._lock:
                self._guarantee = None
                self._ledger.note(number, 1)
        else:
            self._count(self._ledger.settings[number], 1)

    def add(self, mechanism: Mechanism, count: int = 1) -> None:
        """Count ``count`` runs of a mechanism.

        Parameters
        ----------
        mechanism : Mechanism
            What was run.
        count : int, default 1
            How often, a whole number from 0 to 1e18. In a journal they are one record: all count, or none.

        Raises
        ------
        InvalidParameter
            If an argument lies outside its domain, or no guarantee is known of the mechanism for this adjacency;
            nothing is counted.
        """
        self._count(mechanism, whole("count", count, 0, MAX_COUNT))

    def guarantee(self) -> ComposedGuarantee:
        """Return the guarantee of everything counted so far, ``account`` of its composition; kept until the next step.

        It holds for a schedule that was fixed in advance.

        Raises
        ------
        InvalidParameter
            If equal steps add up to more than 1e18.
        """
        if self._journal is not None:
            self._journal.check(reading=True)
        with self._lock:
            if self._guarantee is None:
                self._guarantee = account(self._ledger.mechanism(), *self._terms)
            return self._guarantee

    def _going_on(self, delta: float) -> float | None:
        with self._lock:
            if self._guarantee is not None or not len(self):
                return None
            if self._journal is not None:
                self._journal.check(reading=True)
            losses = self._ledger.mechanism().losses(replace=False)
            return self._growth.epsilon(losses, self._terms.adjacency, self._terms.tolerance, delta)

    @property
    def adjacency(self) -> str:
        """Which data sets count as neighbours."""
        return self._terms.adjacency

    @property
    def tolerance(self) -> float:
        """Relative width aimed for of the certified bracket of delta."""
        return self._terms.tolerance

    @property
    def history(self) -> tuple[tuple[Mechanism, int], ...]:
        """What was run, in order: runs of the same mechanism, each with its length."""
        return self._ledger.history

    @property
    def dropped(self) -> int:
        """Bytes of a last record, cut short by a crash before its step returned, that opening the journal took away."""
        return 0 if self._journal is None else self._journal.dropped

    def __len__(self) -> int:
        """Return how many steps were counted (``add(m, count)`` counts ``count``, whatever m is made of)."""
        return self._ledger.total

    def __repr__(self) -> str:
        kept = "" if self._journal is None else f", journal {str(self._journal.path)!r}"
        return f"<Accountant: {len(self)} steps of {len(self._ledger.settings)} settings, {self.adjacency}{kept}>"

    def state_dict(self) -> dict[str, Any]:
        """Return everything as a dict ready for JSON; ``load_state_dict`` takes it back.

        Raises
        ------
        InvalidParameter
            If a mechanism has no dict form: a ``CustomLoss``, or an ``Opaque`` of a computed guarantee.
        """
        settings = [setting.to_dict() for setting in self._ledger.settings]
        return {"schema": VERSION, **self._terms._asdict(), "settings": settings, "runs": self._ledger.runs}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Become the accountant that ``state_dict`` was asked of: what was counted here is forgotten.

        Raises
        ------
        InvalidParameter
            If the dict is malformed or of another schema; the accountant stays as it was.
        NeymanError
            If this accountant keeps a journal, which can only be added to.

        Examples
        --------
        >>> import neyman as ny
        >>> one, two = ny.Accountant(), ny.Accountant()
        >>> one.step(noise_multiplier=1.0, sample_rate=0.01)
        >>> two.load_state_dict(one.state_dict())
        >>> two.history == one.history
        True
        """
        if self._journal is not None:
            raise NeymanError("A journal can only be added to: load the state into an Accountant without one.")
        self._begin(*read_state(state))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a file, atomically: after a crash it holds what it held before, or all of this.

        Raises
        ------
        InvalidParameter
            If ``path`` holds a journal, which may be in use, or a mechanism has no dict form.
        """
        target = file_path(path)
        if target.exists() and starts(target, JOURNAL):
            raise InvalidParameter("path", str(path), "another file", "This one is a journal.")
        replace_whole(target, pack(self._terms, self._ledger, journal=False)[0])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what ``save`` wrote, or a journal (without going on with it: see ``journalled``).

        Raises
        ------
        UnreadableState
            If the file is damaged, cut short or of another version; the error says how much is intact.
        FileInUse
            If it is a journal that is open.
        """
        return cls._of(look(file_path(path)), file_path(path))

    @classmethod
    def recover(cls, path: str | os.PathLike[str]) -> Recovered:
        """Read a damaged file up to the damage: what was run is AT LEAST this.

        Steps beyond the damage are missing, so the guarantee of what is recovered is too good to be true until they are
        added by hand. Save the result under another name.

        Raises
        ------
        UnreadableState
            If not even its beginning is intact.
        """
        found = look(file_path(path))
        if found.terms is None:
            raise found.refusal(file_path(path))
        self = cls()
        self._begin(found.terms, found.ledger)
        return Recovered(self, found.records, found.damage)

    def compact(self) -> None:
        """Write the journal anew with equal steps together, in one atomic move; without a journal do nothing."""
        if self._journal is not None:
            self._journal.replace(*pack(self._terms, self._ledger, journal=True))

    def close(self) -> None:
        """Give back the journal, if there is one; what was counted can still be read."""
        if self._journal is not None:
            self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        if self._journal is not None:
            raise NeymanError("An accountant that keeps a journal cannot be copied: both would write to one file.")
        with self._lock:
            return {
                **vars(self),
                "_ledger": deepcopy(self._ledger),
                "_guarantee": None,
                "_growth": Growth(),
                "_lock": None,
            }

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.RLock()

    def _begin(self, of: Terms, ledger: Ledger) -> None:
        self._lock = threading.RLock()
        self._terms = of
        self._ledger = ledger
        self._journal: Journal | None = None
        self._known: dict[tuple[float, float], int] = {}
        self._guarantee: ComposedGuarantee | None = None
        self._growth = Growth()

    @classmethod
    def _of(cls, found: Contents, path: Path) -> Self:
        if found.terms is None or found.damage:
            raise found.refusal(path)
        self = cls()
        self._begin(found.terms, found.ledger)
        return self

    def _count(self, mechanism: Mechanism, count: int) -> int:
        """Check a mechanism, write it down, then count it; return the number of its setting."""
        with self._lock:
            return self._counted(mechanism, count)

    def _counted(self, mechanism: Mechanism, count: int) -> int:
        ledger, journal = self._ledger, self._journal
        if journal is not None:
            journal.check()
        if not isinstance(mechanism, Mechanism):
            raise InvalidParameter("mechanism", mechanism, "a Mechanism", "Build one with DPSGD(...) or Gaussian(...).")
        ledger.room(count)
        number = ledger.find(mechanism)
        if number < 0:
            mechanism.check_adjacency(self.adjacency)
            mechanism.losses(replace=self.adjacency == "replace")
        if count == 0:
            return number
        self._guarantee = None
        if journal is None:
            number = ledger.learn(mechanism)
            ledger.note(number, count)
        else:
            number = self._append(journal, mechanism, number, count)
        return number

    def _append(self, journal: Journal, mechanism: Mechanism, number: int, count: int) -> int:
        entry: Entry = {"define": mechanism.to_dict()} if number < 0 else {}
        place = len(self._ledger.settings) if number < 0 else number
        try:
            journal.append({**entry, "runs": [[place, count]]})
            place = self._ledger.learn(mechanism)
            self._ledger.note(place, count)
        except BaseException:
            journal.refuse("a step failed or was interrupted")  # file and memory may differ
            raise
        return place
