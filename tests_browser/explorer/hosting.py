"""A host of plain files, as anybody may have one; it can be told to hand out others, and keeps what was asked."""

from __future__ import annotations

import mimetypes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

__all__ = ["Host"]


class Host:
    """Serves a folder on a free port of this machine. ``instead`` holds, by path, what is handed out in turn."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[str] = []
        self.instead: dict[str, list[bytes | None]] = {}
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler(folder))
        self._http.daemon_threads = True
        self._thread = Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _content(self, folder: Path, path: str) -> bytes | None:
        """What is handed out; None where there is nothing."""
        turns = self.instead.get(path)
        if turns:
            return turns.pop(0) if len(turns) > 1 else turns[0]
        file = folder / (path.removeprefix("/") or "index.html")
        return file.read_bytes() if file.is_file() else None

    def _handler(self, folder: Path) -> type[BaseHTTPRequestHandler]:
        host = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                host.asked.append(self.path)
                content = host._content(folder, self.path)
                kind = mimetypes.guess_type(self.path)[0] or "application/octet-stream"
                self.send_response(404 if content is None else 200)
                self.send_header("Content-Type", "text/html; charset=utf-8" if self.path == "/" else kind)
                self.send_header("Content-Length", str(len(content or b"")))
                self.send_header("Cache-Control", "max-age=600")
                self.end_headers()
                self.wfile.write(content or b"")

            def log_message(self, *words: object) -> None:
                """Nothing: what was asked is kept."""

        return Handler
