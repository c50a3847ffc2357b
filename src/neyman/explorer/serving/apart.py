"""A report, which takes seconds, is written by a process of its own: sliders are answered meanwhile."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from importlib.util import find_spec
from threading import Lock
from typing import Any, cast

from neyman.explorer.answers import Answers, refusal

__all__ = ["Apart", "main", "unreported"]

_CHILD = "from neyman.explorer.serving.apart import main; main()"
_PATIENCE = 600.0  # seconds
_NONE = "No report was written: the process that wrote it ended."


class Apart:
    """Answers as ``answers`` does, reports apart and one at a time.

    Parameters
    ----------
    answers : Answers
        All else it answers itself; and reports, too, where no other process can.
    """

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._turn = Lock()
        self._writing: subprocess.Popen[bytes] | None = None

    def __call__(self, question: object) -> dict[str, object]:
        """Return the answer, or a refusal."""
        if not isinstance(question, dict) or cast("dict[str, object]", question).get("ask") != "report":
            return self._answers(question)
        with self._turn:
            return self._elsewhere(question)

    def close(self) -> None:
        """Give up the report that is being written."""
        if self._writing is not None:
            self._writing.kill()

    def _elsewhere(self, question: object) -> dict[str, object]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        try:
            told = pickle.dumps((self._answers.given, question))
            self._writing = subprocess.Popen(  # noqa: S603 (this interpreter, and no shell)
                [sys.executable, "-P", "-c", _CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, env=environment,
            )  # fmt: skip
        except Exception:  # noqa: BLE001 what was handed over cannot be, or there are no processes: so be it here
            return self._answers(question)
        try:
            return json.loads(self._writing.communicate(told, _PATIENCE)[0])
        except subprocess.TimeoutExpired:
            return refusal("too_long", f"No report was written within {_PATIENCE:g} seconds.")
        except (OSError, ValueError):
            return refusal("not_certified", _NONE)
        finally:
            self._writing.kill()
            with self._writing:  # waits for it, and closes its pipes
                self._writing = None


def main() -> None:
    """Answer the question on the standard input."""
    given, question = cast("tuple[Any, object]", pickle.load(sys.stdin.buffer))  # noqa: S301 (of the process above)
    sys.stdout.write(json.dumps(Answers(given)(question), allow_nan=False))


def unreported() -> str:
    """Return why no report can be written here; empty where one can."""
    lacking = [name for name in ("jinja2", "matplotlib") if find_spec(name) is None]
    return f"A report needs {lacking[0]}: pip install 'neyman[report]'." if lacking else ""
