"""The command's way in: what goes wrong before there is a command must not leave with the code of a verdict."""

from __future__ import annotations

import sys

__all__ = ["main"]

_NO_ANSWER = 70  # ``exits.UNFORESEEN``, which may be what cannot be imported


def main() -> None:
    """Run ``neyman``; where it cannot even be loaded, say so in a line and leave with 70.

    Python itself would leave with 1 then, which means that a claim does not hold.
    """
    try:
        from neyman.cli.main import main as run
    except Exception as error:  # noqa: BLE001 whatever it is, nothing was decided
        said = " ".join(str(error).split())
        sys.stderr.write(f"neyman: no answer: it could not be loaded: {type(error).__name__}: {said}\n")
        sys.exit(_NO_ANSWER)
    run()
