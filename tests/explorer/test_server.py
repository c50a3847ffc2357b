"""Who may ask, and what they are told who may not: never a traceback, never another's answer."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from neyman.explorer import Answers
from neyman.explorer.page.document import page
from neyman.explorer.serving import server as serving
from neyman.explorer.serving.guarded import LARGEST, Guard, Refused
from neyman.explorer.serving.server import Server

QUESTION: dict[str, Any] = {
    "v": 1, "ask": "promise", "brackets": False, "settings": {"kind": "laplace", "scale": 1}
}  # fmt: skip
JSON = "application/json"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(page({"engine": "server"}, asks=True), Answers())
    yield made
    made.close()


class Client:
    """Asks as a page does, but for what is said otherwise."""

    def __init__(self, server: Server) -> None:
        self.port, self.token = server.guard.port, server.guard.token
        self.origin = f"http://127.0.0.1:{self.port}"

    def ask(
        self, verb: str, path: str, body: bytes | None = None, **headers: str | None
    ) -> tuple[int, dict[str, str], bytes]:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        line.putrequest(verb, path, skip_host=True, skip_accept_encoding=True)
        said: dict[str, str | None] = {"Host": f"127.0.0.1:{self.port}"}
        if body is not None:
            said |= {"Origin": self.origin, "Content-Type": JSON, "Content-Length": str(len(body))}
        for name, value in (said | {name.replace("_", "-"): value for name, value in headers.items()}).items():
            if value is not None:
                line.putheader(name, value)
        line.endheaders(body)
        reply = line.getresponse()
        found = reply.status, dict(reply.headers), reply.read()
        line.close()
        return found

    def post(self, question: object = QUESTION, **headers: str | None) -> tuple[int, Any]:
        body = question if isinstance(question, bytes) else json.dumps(question).encode()
        status, told, said = self.ask("POST", f"/{self.token}/answer", body, **headers)
        assert told["Content-Type"] == JSON
        return status, json.loads(said)


def refused(reply: tuple[int, dict[str, str], bytes], status: int) -> None:
    code, headers, body = reply
    assert code == status, body
    assert json.loads(body)["ok"] is False
    assert b"Traceback" not in body
    assert "neyman/" not in headers.get("Server", "")
    safe(headers)


def safe(headers: dict[str, str]) -> None:
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert policy.endswith("frame-ancestors 'none'")
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_the_page_and_an_answer(server: Server) -> None:
    client = Client(server)
    assert server.url == f"{client.origin}/{client.token}/"
    assert len(client.token) >= 43
    status, headers, body = client.ask("GET", f"/{client.token}/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert body.startswith(b"<!DOCTYPE html>")
    safe(headers)
    assert client.ask("HEAD", f"/{client.token}/")[2] == b""
    status, found = client.post()
    assert (status, found["ok"], found["numbers"]["mu"]["text"]) == (200, True, "1.031")
    assert client.post(Host=f"localhost:{client.port}", Origin=f"http://localhost:{client.port}")[0] == 200
    assert client.post(Content_Type="application/json; charset=utf-8")[0] == 200


def test_a_refusal_of_the_engine_is_an_answer(server: Server) -> None:
    for bad in ({**QUESTION, "settings": {}}, [], None, 1, "x", {**QUESTION, "v": 3}):
        status, found = Client(server).post(bad)
        assert (status, found["ok"]) == (200, False)


def test_wrong_tokens_are_told_nothing(server: Server) -> None:
    client = Client(server)
    for path in ("/", "/x/", f"/{client.token[:-1]}/", f"/{client.token}x/", f"/{client.token}", f"/{client.token}/x",
                 f"/{client.token}/../{client.token}/", "/%2e%2e/etc/passwd", "/é/", "*",
                 f"/{client.token}/answer/", f"http://127.0.0.1/{client.token}/"):  # fmt: skip
        refused(client.ask("GET", path.encode("latin-1").decode("latin-1") if path.isascii() else "/%E9/"), 404)
    refused(client.ask("POST", "/x/answer", b"{}"), 404)


def test_foreign_names_and_pages_are_refused(server: Server) -> None:
    client = Client(server)
    home = f"/{client.token}/"
    for host in ("evil.example", "127.0.0.1", f"evil.example:{client.port}", f"127.0.0.1:{client.port + 1}", "", None):
        refused(client.ask("GET", home, Host=host), 403)
        refused(client.ask("POST", f"{home}answer", b"{}", Host=host), 403)
    for origin in ("http://evil.example", "null", "", f"https://127.0.0.1:{client.port}", "http://127.0.0.1", None):
        refused(client.ask("POST", f"{home}answer", json.dumps(QUESTION).encode(), Origin=origin), 403)
    refused(client.ask("GET", home, Origin="http://evil.example"), 403)


@pytest.mark.parametrize("verb", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"])
def test_other_verbs_are_refused(server: Server, verb: str) -> None:
    client = Client(server)
    reply = client.ask(verb, f"/{client.token}/")
    refused(reply, 405)
    assert reply[1]["Allow"] == "GET, HEAD, POST"
    refused(client.ask(verb, "/x/"), 404)  # who has no token learns no verb


def test_verbs_at_the_wrong_place(server: Server) -> None:
    client = Client(server)
    refused(client.ask("GET", f"/{client.token}/answer"), 405)
    refused(client.ask("POST", f"/{client.token}/", b"{}"), 405)


def test_lengths_and_kinds(server: Server) -> None:
    client = Client(server)
    path, body = f"/{client.token}/answer", json.dumps(QUESTION).encode()
    refused(client.ask("POST", path, body, Content_Length=None), 411)
    refused(client.ask("POST", path, body, Transfer_Encoding="chunked"), 411)
    refused(client.ask("POST", path, body, Transfer_Encoding="chunked", Content_Length=None), 411)
    for length in ("-1", "1e3", "x", "", "٣".encode().decode("latin-1"), "+5"):
        refused(client.ask("POST", path, body, Content_Length=length), 400)
    for length in ("0", str(LARGEST + 1), "9" * 4000):
        refused(client.ask("POST", path, b"", Content_Length=length), 413)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "", None):
        refused(client.ask("POST", path, body, Content_Type=kind), 415)


HOSTILE = (
    b"{", b"\xff\xfe", b"[" * 60_000, b'{"a":' * 12_000, b"nul", b"\0", b"NaN", b"'" * LARGEST, b"9" * 60_000,
    b'"\\ud800"', b'{"v":1,"v":2}', b"[1e999]",
)  # fmt: skip


@pytest.mark.parametrize("body", HOSTILE, ids=lambda body: repr(body[:12]))
def test_hostile_bodies(server: Server, body: bytes) -> None:
    status, found = Client(server).post(body)
    assert status in (200, 400)
    assert found["ok"] is False
    assert Client(server).post()[1]["ok"] is True


def raw(server: Server, said: bytes, wait: float = 5.0) -> bytes:
    with socket.create_connection(("127.0.0.1", server.guard.port), timeout=wait) as line:
        line.sendall(said)
        line.shutdown(socket.SHUT_WR)
        found = b""
        while more := line.recv(65536):
            found += more
        return found


@pytest.mark.parametrize(
    "said",
    [b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00",
     b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 500 + b"\r\n",
     b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: " + b"y" * 70_000 + b"\r\n\r\n",
     b"GET / HTTP/1.0\r\n\r\n"],
    ids=range(8),
)  # fmt: skip
def test_what_is_no_request(server: Server, said: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    found = raw(server, said)
    assert b"Traceback" not in found
    assert b"HTTP/1.1 200" not in found
    assert Client(server).post()[0] == 200
    assert capfd.readouterr().err == ""


def test_a_body_that_ends_early(server: Server) -> None:
    client = Client(server)
    head = (
        f"POST /{client.token}/answer HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nOrigin: {client.origin}\r\n"
        f"Content-Type: {JSON}\r\nContent-Length: 500\r\n\r\n{{"
    )
    assert b" 400 " in raw(server, head.encode()).partition(b"\r\n")[0]


def test_who_is_slow_is_hung_up_on_and_keeps_nobody_waiting(
    server: Server, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(serving._Handler, "timeout", 0.5)
    client = Client(server)
    lines = [socket.create_connection(("127.0.0.1", client.port), timeout=20) for _ in range(20)]
    head = (
        f"POST /{client.token}/answer HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nOrigin: {client.origin}\r\n"
        f"Content-Type: {JSON}\r\nContent-Length: 500\r\n\r\n"
    )
    for i, line in enumerate(lines):
        line.sendall(head.encode() if i % 2 else b"GET / HT")
    assert client.post()[0] == 200
    for line in lines:
        while line.recv(65536):  # until the server has hung up
            pass
        line.close()
    assert capfd.readouterr().err == ""


def test_more_connections_than_there_are_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_CONNECTIONS", 4)
    monkeypatch.setattr(serving._Handler, "timeout", 1.0)
    made = Server("page", Answers())
    try:
        lines = [socket.create_connection(("127.0.0.1", made.guard.port), timeout=20) for _ in range(8)]
        for line in lines:
            while line.recv(65536):
                pass
            line.close()
        deadline = time.monotonic() + 20.0
        while time.monotonic() < deadline:
            try:
                assert Client(made).post()[0] == 200
                return
            except OSError:  # until the threads of those are back
                time.sleep(0.05)
        raise AssertionError("nobody is answered any more")
    finally:
        made.close()


def asked_at_once(server: Server, count: int) -> list[Any]:
    """The answers that so many get who ask at once, and again where they are told to wait."""
    client, until = Client(server), time.monotonic() + 300.0

    def one(i: int) -> Any:
        said = {**QUESTION, "settings": {"kind": "gaussian", "noise_multiplier": 1.0 + i / 64.0}}
        while time.monotonic() < until:
            try:
                status, found = client.post(said)
                if status == 200:
                    return found
                assert (status, found["ok"], found["kind"]) == (503, False, "busy")
            except (OSError, http.client.HTTPException):  # more connections than threads: come back
                pass
            time.sleep(0.02)
        raise AssertionError("never answered")

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


def test_a_hundred_at_once_each_get_their_own_or_are_told_to_wait() -> None:
    turn = threading.Lock()

    def echo(question: Any) -> dict[str, object]:
        with turn:
            time.sleep(0.002)
            return {"ok": True, "settings": question["settings"]}

    made = Server("page", echo)
    try:
        for i, found in enumerate(asked_at_once(made, 100)):
            assert found["settings"]["noise_multiplier"] == 1.0 + i / 64.0
    finally:
        made.close()


def test_those_who_wait_for_the_engine_get_their_own(server: Server) -> None:
    for i, found in enumerate(asked_at_once(server, 12)):
        noise = 1.0 + i / 64.0
        assert found["settings"]["noise_multiplier"] == noise
        assert found["numbers"]["mu"]["value"] == pytest.approx(1.0 / noise, rel=1e-9)


def test_busy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_ASKERS", 1)
    going, done = threading.Event(), threading.Event()

    def slow(_: object) -> dict[str, object]:
        going.set()
        assert done.wait(30.0)
        return {"ok": True}

    made = Server("page", slow)
    try:
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(Client(made).post)
            assert going.wait(30.0)
            status, found = Client(made).post()
            assert (status, found["kind"]) == (503, "busy")
            done.set()
            assert first.result()[0] == 200
    finally:
        done.set()
        made.close()


def test_an_answer_that_fails_is_a_word_and_no_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    def fail(_: object) -> dict[str, object]:
        raise RuntimeError("secret")

    made = Server("page", fail)
    try:
        with pytest.raises((http.client.HTTPException, OSError)):
            Client(made).post()
        err = capfd.readouterr().err
        assert err == "neyman explore: a request failed: RuntimeError (please report it)\n"
    finally:
        made.close()


def test_a_guard_does_not_show_its_token() -> None:
    guard = Guard(80)
    assert guard.token not in repr(guard)
    assert guard.token != Guard(80).token
    with pytest.raises(Refused):
        guard.path("/", "127.0.0.1:80", None)


def test_closed_twice_and_gone(server: Server) -> None:
    server.close()
    server.close()
    with pytest.raises(OSError, match="refused"):
        Client(server).post()


@pytest.mark.parametrize("sign", [signal.SIGINT])
def test_ctrl_c_ends_it(sign: signal.Signals, tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    env = {**os.environ, "PYTHONPATH": str(root / "src")}
    command = [sys.executable, "-m", "neyman", "explore", "laplace:1", "--no-open"]
    heard = lambda: signal.signal(sign, signal.SIG_DFL) and None  # noqa: E731 (who runs the tests may ignore it)
    with (
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=tmp_path, preexec_fn=heard
        ) as child,
        contextlib.ExitStack() as stack,
    ):
        stack.callback(child.kill)  # or a failure would wait for it
        assert child.stdout is not None
        url = child.stdout.readline().decode().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([\w-]+)/", url)
        assert found is not None
        line = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=30)
        line.request("GET", f"/{found[2]}/")
        reply = line.getresponse()
        assert reply.status == 200
        assert reply.read().startswith(b"<!DOCTYPE html>")
        line.close()
        child.send_signal(sign)
        out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (0, b"")
    assert b"Traceback" not in err
    assert err.decode().split() == ["Ctrl-C", "ends", "it."]
    assert [*tmp_path.iterdir()] == []


def test_an_answer_leaves_in_one_piece_and_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two, the second would wait up to 40 ms for a receipt of the first."""
    server, sent = Server("", lambda _: {"ok": True}), list[tuple[int, int]]()

    def counted(name: str) -> Any:
        own = getattr(socket.socket, name)

        def send(self: socket.socket, *told: Any) -> Any:
            if self.getsockname()[1] == server.guard.port:
                sent.append((len(told[0]), self.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
            return own(self, *told)

        return send

    for name in ("send", "sendall"):
        monkeypatch.setattr(socket.socket, name, counted(name))
    client = Client(server)
    assert client.ask("POST", f"/{client.token}/answer", b"{}")[2] == b'{"ok":true}'
    server.close()
    assert [size > 300 and bool(at_once) for size, at_once in sent] == [True]
