"""``neyman-check report.proof.json``: 0 all proved, 1 something refuted, 3 something not proved, 2 unreadable.

The file is not trusted: it is checked in a process of its own, which is given so much time and memory and no more.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import platform
import resource
import sys
import threading
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path

import flint

from neyman_check.check import Answer, check
from neyman_check.errors import Unreadable
from neyman_check.reading import LARGEST, parsed

__all__ = ["main"]

PROVED, REFUTED, UNREADABLE, NOT_PROVED = 0, 1, 2, 3
_STACK = 64 << 20  # bytes: brackets may be nested
Said = tuple[int, str, list[tuple[str, str, str]]]


def main(arguments: list[str] | None = None) -> int:
    """Check one file."""
    parser = argparse.ArgumentParser(prog="neyman-check", description=__doc__)
    parser.add_argument("file", help="the proof; - reads standard input")
    parser.add_argument("--seconds", type=float, default=120.0, help="of processor time (120)")
    parser.add_argument("--megabytes", type=int, default=1000, help="of memory (1000)")
    parser.add_argument("--quiet", action="store_true", help="only what is not proved, and the verdict")
    options = parser.parse_args(arguments)
    if not (1.0 <= options.seconds <= 1e6 and 100 <= options.megabytes <= 10**6):
        return _refused("--seconds from 1 to 1e6 and --megabytes from 100 to 1e6 are allowed")
    try:
        with sys.stdin.buffer if options.file == "-" else Path(options.file).open("rb") as stream:
            text = stream.read(LARGEST + 1)
    except OSError as error:
        return _refused(f"{options.file}: {error.strerror or error}")
    code, word, answers = _elsewhere(text, options.seconds, options.megabytes)
    return _refused(word, code) if code else _told(answers, text, options.quiet)


def _told(answers: list[tuple[str, str, str]], text: bytes, quiet: bool) -> int:
    for name, verdict, reason in answers:
        if not quiet or verdict != "proved":
            print(f"  {_plain(name)}: {verdict}{f' ({_plain(reason)})' if reason else ''}")  # noqa: T201
    count = Counter(verdict for _, verdict, _ in answers)
    print(f"{count['proved']} of {len(answers)} statements are proved, {count['refuted']} refuted.")  # noqa: T201
    print(f"Proof {hashlib.sha256(text).hexdigest()[:16]}; trusted: {_trusted()}.")  # noqa: T201
    if count["refuted"]:
        return REFUTED
    return PROVED if answers and count["proved"] == len(answers) else NOT_PROVED


def _trusted() -> str:
    """What a proof rests on beside its lemmas."""
    own = hashlib.sha256(b"".join(p.read_bytes() for p in sorted(Path(__file__).parent.rglob("*.py")))).hexdigest()
    return f"this checker ({own[:16]}), Arb in python-flint {flint.__version__}, Python {platform.python_version()}"


def _elsewhere(text: bytes, seconds: float, megabytes: int) -> Said:
    here, there = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("spawn").Process(target=_limited, args=(there, text, seconds, megabytes))
    child.start()
    there.close()
    try:
        said: Said = here.recv() if here.poll(20.0 * seconds) else (NOT_PROVED, "given up", [])
    except EOFError:
        said = NOT_PROVED, f"given up: it takes more than {seconds:g} seconds or {megabytes} MB", []
    child.kill()
    child.join()
    return said


def _limited(there: Connection, text: bytes, seconds: float, megabytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    said: list[Said] = []
    threading.stack_size(_STACK)
    thread = threading.Thread(target=lambda: said.append(_checked(text)))
    thread.start()
    thread.join()
    there.send(said[0] if said else (NOT_PROVED, "given up: the checker failed", []))


def _checked(text: bytes) -> Said:
    try:
        answers: list[Answer] = check(parsed(text))
    except Unreadable as reason:
        return UNREADABLE, str(reason), []
    except MemoryError:
        return NOT_PROVED, "given up: it takes too much memory", []
    return PROVED, "", [(one.id, one.verdict, one.reason) for one in answers]


def _refused(reason: str, code: int = UNREADABLE) -> int:
    print(f"neyman-check: {_plain(reason)}", file=sys.stderr)  # noqa: T201
    return code


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)[:400]


if __name__ == "__main__":
    sys.exit(main())
