"""A report examined in a process of its own that can be ended: a file may ask for what takes days."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from neyman._errors import InvalidParameter, NeymanError
from neyman._progress import counting, progress_elsewhere
from neyman.guarantees import Guarantee
from neyman.quantities.asked import Asked, Bracket
from neyman.reports.said.asked import guarantee_of
from neyman.reports.said.claims import Claim
from neyman.reports.said.document import Document
from neyman.reports.said.quantities import QUANTITIES
from neyman.reports.verifying.checks import Check, Recomputed, claim_checks, labelled, word_checks
from neyman.reports.verifying.page_checks import page_checks
from neyman.reports.verifying.reading import Found, read
from neyman.reports.verifying.seal import seal_check
from neyman.reports.verifying.told import Told, retold, stated

__all__ = ["Examined", "drawn", "elsewhere", "examine", "examine_elsewhere", "limited", "main", "recomputed"]

_LONGEST = 2e6  # seconds that a system call takes for a time limit
_MEMORY = 8 << 30  # bytes of address space that the other process may have
_CHILD = "from neyman.reports.verifying.recompute import main; main()"


@dataclass(frozen=True, slots=True)
class Examined:
    """The checks of a report's claims and of its words, and what it is about; ``failure`` says why there is nothing
    behind them, if so.
    """

    told: Told
    checks: tuple[Check, ...]
    words: tuple[Check, ...] = ()
    failure: str = ""


def examine_elsewhere(
    found: Found,
    limits: tuple[float, float],
    timeout: float,
    proof: bytes | None = None,
    progress: bool | None = False,
) -> Examined:
    """Examine a report in another process, for at most ``timeout`` seconds; the ``limits`` are tolerance and effort,
    ``proof`` the file of the proof that it names, ``progress`` whether it is seen to go on.

    Raises
    ------
    InvalidParameter
        If its mechanism is none.
    """
    order = {
        "data": found.data, "page": found.page, "limits": limits, "timeout": min(timeout, _LONGEST),
        "proof": None if proof is None else proof.decode("latin-1"),
    }  # fmt: skip
    with progress_elsewhere(progress, len(found.claims), "claims") as there:
        answer = elsewhere(_CHILD, order, timeout, there)
    if "failure" in answer:
        return _unanswered(found, answer["failure"])
    checks, words = (tuple(Check(**check) for check in answer[name]) for name in ("checks", "words"))
    return Examined(Told(**answer["told"]), checks, words)


def elsewhere(program: str, order: dict[str, Any], timeout: float, there: tuple[int, ...] = ()) -> dict[str, Any]:
    """Have ``program`` answer an order in another process, for at most ``timeout`` seconds: see ``limited``; it
    inherits ``there``, to tell how far it has come.

    Returns
    -------
    dict
        The answer; ``{"failure": why}`` where there is none.

    Raises
    ------
    InvalidParameter
        If what was ordered is refused there.
    """
    timeout = min(timeout, _LONGEST)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        done = subprocess.run(  # noqa: S603 (this interpreter, and no shell; the file goes through a pipe)
            [sys.executable, "-P", "-c", program],  # -P: nothing that lies in the working directory is imported
            input=json.dumps({**order, "timeout": timeout, "there": there}).encode(), capture_output=True,
            timeout=timeout, check=False, env=environment, pass_fds=there,
        )  # fmt: skip
        answer: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return {"failure": f"it takes longer than {timeout:g} s; --timeout allows more"}
    except OSError as error:
        return {"failure": f"no process could be started for it: {error.strerror}"}
    except ValueError:
        return {"failure": "it ended without an answer; it may need more memory than there is"}
    if "refused" in answer:
        name, value, allowed, advice = answer["refused"]
        raise InvalidParameter(name, _Shown(value), allowed, advice)
    return answer


def limited(timeout: float, answer: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return an answer as ``elsewhere`` takes it, from a process that ends itself where it takes too much."""
    _limit(timeout)
    try:
        return answer()
    except InvalidParameter as error:
        return {"refused": [error.name, repr(error.value), error.allowed, error.advice]}
    except (NeymanError, ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as error:
        return {"failure": " ".join(str(error).split()) or type(error).__name__}


def examine(
    found: Found,
    tolerance: float,
    ask: Callable[[Document, float], Recomputed],
    draw: Callable[[Document], tuple[str, ...]],
    proof: bytes | None = None,
) -> Examined:
    """Examine a report here and now; ``ask`` finds the numbers again, ``draw`` draws the pictures again.

    Raises
    ------
    InvalidParameter
        If its mechanism is none.
    """
    document = found.document()
    numbers = ask(document, tolerance)
    words = word_checks(document, numbers)
    if document.proof is not None:
        words = (*words, seal_check(found.data, document.proof, proof))
    if found.page:
        words = (*words, *page_checks(document, found.page, draw))
    return Examined(retold(document), claim_checks(document, numbers), words)


def recomputed(
    document: Document, tolerance: float, effort: float | None = None, told: Callable[[int], None] = lambda _: None
) -> Recomputed:
    """Ask the engines about every claim, to this tolerance, and for the method they take to the one that is stated.

    ``told`` hears of each claim that is done.
    """
    stated = (document.certificate.tolerance, document.certificate.effort)
    asked = (tolerance, stated[1] if effort is None else effort)
    guarantee = guarantee_of(document.mechanism, document.adjacency, *asked)
    same = asked == stated
    method = (guarantee if same else guarantee_of(document.mechanism, document.adjacency, *stated)).method
    return Recomputed(brackets_of(guarantee, document.claims, told), method)  # the method before anything is asked


def drawn(document: Document) -> tuple[str, ...]:
    """Draw the pictures of a page again."""
    from neyman.reports.forms.pictures import svgs

    return svgs(document)


def main() -> None:
    """Read an order from standard input, write the answer to standard output."""
    order = json.load(sys.stdin)
    # to another of these, which reads infinity and NaN
    json.dump(limited(order["timeout"], lambda: _answered(order)), sys.stdout)


def _answered(order: dict[str, Any]) -> dict[str, Any]:
    found = read(order["data"])
    tolerance, effort = order["limits"]
    proof = None if order["proof"] is None else order["proof"].encode("latin-1")
    ask = partial(recomputed, effort=effort, told=counting(order["there"]))
    examined = examine(replace(found, page=order["page"]), tolerance, ask, drawn, proof)
    lists = {name: [asdict(check) for check in getattr(examined, name)] for name in ("checks", "words")}
    return {**lists, "told": asdict(examined.told)}


def brackets_of(
    guarantee: Guarantee, claims: tuple[Claim, ...], told: Callable[[int], None] = lambda _: None
) -> tuple[Bracket | None, ...]:
    """Return what is certified of each claim; None where it is not certified to the tolerance."""
    floor = next(float(dict(claim.given)["floor"]) for claim in claims if claim.quantity == "mu")
    asked = Asked(guarantee, floor)
    found: list[Bracket | None] = []
    for claim in claims:
        try:
            found.append(QUANTITIES[claim.quantity].certified(asked, tuple(value for _, value in claim.given)))
        except NeymanError:
            found.append(None)
        told(1)
    return tuple(found)


def _unanswered(found: Found, why: str) -> Examined:
    checks = (
        labelled(Check(claim.id, "cannot tell", f"{claim.side} {claim.text}", reason=why), claim)
        for claim in found.claims
    )
    return Examined(stated(found.model, found.claims), tuple(checks), (), why)


class _Shown:
    """Stands in an error for what was received elsewhere."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _limit(timeout: float) -> None:
    """Where the system lets a process limit itself: in time too, if who waits for it is ended before it is."""
    if hasattr(signal, "alarm"):
        signal.alarm(math.ceil(timeout) + 5)
    try:
        import resource
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
