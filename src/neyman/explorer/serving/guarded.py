"""Who may ask: only the page that was served here, of this port, with the token of this run."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["LARGEST", "Guard", "Refused"]

LARGEST = 64 * 1024  # bytes of a question
_KIND = "application/json"


class Refused(Exception):
    """A request that is not answered: its status, and the sentence."""

    def __init__(self, status: int, said: str) -> None:
        self.status = status
        super().__init__(said)


@dataclass(frozen=True)
class Guard:
    """The rules of one server.

    Attributes
    ----------
    port : int
        On which it listens, on 127.0.0.1 alone.
    token : str
        In every address: who cannot guess it is told nothing.
    """

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.port}/{self.token}/"

    @property
    def _hosts(self) -> tuple[str, str]:
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    def path(self, target: str, host: str | None, origin: str | None) -> str:
        """Return what is asked for behind the token.

        Raises
        ------
        Refused
            403 where host or origin is another's (a name that leads here, a page of elsewhere); 404 for any other path.
        """
        if host not in self._hosts:
            raise Refused(403, "This address is not served under that name.")
        if origin is not None and origin not in {f"http://{name}" for name in self._hosts}:
            raise Refused(403, "Pages from elsewhere are not answered.")
        token, _, rest = target.removeprefix("/").partition("?")[0].partition("/")
        if not target.startswith("/") or not hmac.compare_digest(token.encode(), self.token.encode()):
            raise Refused(404, "Nothing is here.")
        if rest not in ("", "answer") or not target.startswith(f"/{self.token}/"):
            raise Refused(404, "Nothing is here.")
        return rest

    @staticmethod
    def length(headers: Mapping[str, str], origin: str | None) -> int:
        """Return how many bytes the question has.

        Raises
        ------
        Refused
            403 where no origin is told, 415 where it is no JSON, 411 or 400 where no length is told, 413 where it is
            too long.
        """
        if origin is None:
            raise Refused(403, "A question must say from which page it comes.")
        if headers.get("Content-Type", "").partition(";")[0].strip().lower() != _KIND:
            raise Refused(415, f"A question must be of {_KIND}.")
        told = headers.get("Content-Length")
        if told is None or headers.get("Transfer-Encoding") is not None:
            raise Refused(411, "A question must say its length.")
        if not (told.isascii() and told.isdigit()):
            raise Refused(400, "The length of a question must be a whole number.")
        if len(told) > len(str(LARGEST)) or not 0 < int(told) <= LARGEST:
            raise Refused(413, f"A question must be 1 to {LARGEST} bytes long.")
        return int(told)
