"""What the command says on standard error: the message in one line, and in a second the page that says more."""

from __future__ import annotations

from neyman.cli.printing.helping.topics import topics

__all__ = ["message"]

_MORE = "More: neyman help "
_WITHOUT = ("neyman: interrupted", "neyman: no answer", "neyman: memory", "neyman: failed")  # no page is of these


def message(error: str) -> str:
    """Return standard error without its last line, which names a page that exists wherever something was refused."""
    lines = error.splitlines(keepends=True)
    refused = [line for line in lines if line.startswith("neyman: ") and not line.startswith(_WITHOUT)]
    if not refused:
        assert not any(line.startswith(_MORE) for line in lines)
        return error
    assert lines[-1].startswith(_MORE), error
    assert lines[-1].removeprefix(_MORE).rstrip("\n") in topics()
    return "".join(lines[:-1])
