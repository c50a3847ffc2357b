"""The page behind an address of this machine, and its questions answered by the native engine."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Thread
from typing import Any

from neyman.explorer.answers import refusal
from neyman.explorer.page.document import policy
from neyman.explorer.serving.guarded import Guard, Refused

__all__ = ["Server"]

_ASKERS = 16  # who may be answered, or wait for it, at once
_CONNECTIONS = 64  # and who may be connected
_PATIENCE = 10.0  # seconds for which a silent connection is kept
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}


class Server:
    """Serves until it is closed, in threads of its own.

    Parameters
    ----------
    page : str
        The page.
    answers : callable
        From a question to its answer, both of JSON; it raises nothing.
    port : int
        0: any that is free.
    """

    def __init__(self, page: str, answers: Callable[[object], dict[str, object]], port: int = 0) -> None:
        self._http = _Listener(("127.0.0.1", port), _Handler)
        self.guard = Guard(self._http.server_address[1])
        self._http.guard, self._http.page, self._http.answers = self.guard, page.encode(), answers
        self._thread = Thread(target=self._http.serve_forever, args=(0.1,), name="neyman-explorer", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where the page is."""
        return self.guard.url

    def wait(self) -> None:
        """Wait until it is closed."""
        while self._thread.is_alive():
            self._thread.join(0.5)

    def close(self) -> None:
        """Answer nobody any more; twice is once."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    guard: Guard
    page: bytes
    answers: Callable[[object], dict[str, object]]

    def __init__(self, *args: Any) -> None:
        self.askers = BoundedSemaphore(_ASKERS)
        self._connections = BoundedSemaphore(_CONNECTIONS)
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Take a thread for it, where one is left."""
        if not self._connections.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and give the thread back."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._connections.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say a word about what nobody foresaw; who hung up is not worth one."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            sys.stderr.write(f"neyman explore: a request failed: {type(error).__name__} (please report it)\n")


class _Handler(BaseHTTPRequestHandler):
    server: _Listener  # pyright: ignore[reportIncompatibleVariableOverride]
    server_version, sys_version = "neyman", ""
    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE
    wbufsize = -1  # an answer leaves as one piece: in two, the second waits 40 ms for a receipt of the first
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Hand out the page."""
        with self._refusing():
            if self._path() != "":
                raise Refused(405, "Questions are posted.")
            self._send(200, "text/html; charset=utf-8", self.server.page)

    do_HEAD = do_GET  # noqa: N815 (the name that is called)

    def do_POST(self) -> None:
        """Answer a question."""
        with self._refusing():
            if self._path() != "answer":
                raise Refused(405, "The page is read, not written.")
            length = self.server.guard.length(dict(self.headers.items()), self.headers.get("Origin"))
            question = self._question(length)
            if not self.server.askers.acquire(blocking=False):
                raise Refused(503, "Too many questions at once: ask again in a moment.")
            try:
                found = self.server.answers(question)
            finally:
                self.server.askers.release()
            self._send(200, "application/json", json.dumps(found, allow_nan=False, separators=(",", ":")).encode())

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Any other verb is refused."""
        if name.startswith("do_"):
            return self._no_verb
        raise AttributeError(name)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name that is called)
        """Log nothing: addresses hold the token."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no HTTP."""
        self.refuse(Refused(code, message or "That is no request."))

    def _path(self) -> str:
        return self.server.guard.path(self.path, self.headers.get("Host"), self.headers.get("Origin"))

    def _question(self, length: int) -> object:
        raw = self.rfile.read(length)
        if len(raw) < length:
            raise Refused(400, "The question is shorter than its length.")
        try:
            return json.loads(raw.decode())
        except (ValueError, RecursionError):
            raise Refused(400, "The question is not JSON.") from None

    def _no_verb(self) -> None:
        with self._refusing():
            self._path()
            raise Refused(405, "The page is read, and questions are posted.")

    def _refusing(self) -> contextlib.AbstractContextManager[None]:
        return _Refusing(self)

    def refuse(self, refused: Refused) -> None:
        """Say why it is not answered, and hang up."""
        kind = "busy" if refused.status == 503 else "invalid"
        self.close_connection = True  # what is left of the request is not read
        body = json.dumps(refusal(kind, str(refused))).encode()
        self._send(refused.status, "application/json", body, {"Connection": "close"})

    def _send(self, status: int, kind: str, body: bytes, more: dict[str, str] | None = None) -> None:
        allowed = {"Allow": "GET, HEAD, POST"} if status == 405 else {}
        frames = {"Content-Security-Policy": f"{policy(asks=True)}; frame-ancestors 'none'"}
        self.send_response_only(status)
        for name, value in {"Content-Type": kind, **_HEADERS, **frames, **allowed, **(more or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class _Refusing(contextlib.AbstractContextManager[None]):
    """Turns what is refused inside into an answer that says so."""

    def __init__(self, handler: _Handler) -> None:
        self._handler = handler

    def __exit__(self, kind: object, error: BaseException | None, at: object) -> bool:
        if not isinstance(error, Refused):
            return False
        self._handler.refuse(error)
        return True
