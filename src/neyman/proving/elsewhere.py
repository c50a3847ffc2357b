"""A proof looked for in a process of its own that can be ended: a file may ask for what takes days."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from neyman._errors import NeymanError
from neyman._progress import counting, progress_elsewhere
from neyman.proving.proof import proof_for
from neyman.reports import Report
from neyman.reports.verifying.reading import read

__all__ = ["Answers", "main", "prove_elsewhere"]

_LONGEST = 2e6  # seconds that a system call takes for a time limit
_MEMORY = 4 << 30  # bytes of address space that the other process may have
_CHILD = "from neyman.proving.elsewhere import main; main()"
Answers = list[tuple[str, str, str]]
"""Of each statement its id, the verdict and the reason."""


def prove_elsewhere(document: Mapping[str, Any], timeout: float, progress: bool | None = False) -> tuple[Answers, str]:
    """What is proved of a report in at most ``timeout`` seconds, and why there is no answer, if so.

    ``progress``: whether it is seen to go on, as of ``prove``.
    """
    with progress_elsewhere(progress, 2 * len(document["claims"]), "statements") as there:
        return _answered(document, timeout, there)


def _answered(document: Mapping[str, Any], timeout: float, there: tuple[int, ...]) -> tuple[Answers, str]:
    timeout = min(timeout, _LONGEST)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        done = subprocess.run(  # noqa: S603 (this interpreter, and no shell; the file goes through a pipe)
            [sys.executable, "-P", "-c", _CHILD],  # -P: nothing that lies in the working directory is imported
            input=json.dumps({"document": dict(document), "there": there}).encode(), capture_output=True,
            timeout=timeout, check=False, env=environment, pass_fds=there,
        )  # fmt: skip
        answer: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return [], f"it takes longer than {timeout:g} s; --timeout allows more"
    except (OSError, ValueError):
        return [], "it ended without an answer; it may need more memory than there is"
    return [(name, verdict, reason) for name, verdict, reason in answer["answers"]], answer["failure"]


def main() -> None:
    """Read a report from standard input, write what is proved to standard output."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    answers: Answers = []
    failure = ""
    try:
        order = json.load(sys.stdin)
        stated = Report(read(order["document"]).document())
        proof = proof_for(stated, None, counting(order["there"]))
        answers = [(one.id, one.verdict, one.reason) for one in proof.answers]
    except NeymanError as error:
        failure = str(error)
    sys.stdout.write(json.dumps({"answers": answers, "failure": failure}))
