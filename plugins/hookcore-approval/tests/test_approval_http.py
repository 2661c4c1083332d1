"""Signed decisions over real sockets, and signed messages about new requests."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from standardwebhooks import Webhook

from hookcore_approval import call_digest
from hookcore_approval._notifier import Notifier
from hookcore_approval._server import DecisionServer
from hookcore_approval._signatures import SecretError, Signatures

KEY = b"k" * 32
SECRET = f"whsec_{base64.b64encode(KEY).decode()}"
VARIABLE = "HOOKCORE_APPROVAL_SECRET"
ARGUMENTS = {"to": "bob", "amount": 10}
DIGEST = call_digest("pay", ARGUMENTS)


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, SECRET)


class Approver:
    """The other side: it signs by itself, as the standard says."""

    def __init__(self, host: Any, server: DecisionServer) -> None:
        self.host = host
        self.address = ("127.0.0.1", server.server_port)
        host.call()
        (self.ident,) = host.pending()

    def body(self, **changes: Any) -> bytes:
        body = {"id": self.ident, "digest": DIGEST, "verdict": "approve", "by": "ann", **changes}
        return json.dumps(body).encode()

    def post(
        self, body: bytes, *, key: bytes = KEY, ago: float = 0, signed: bytes | None = None
    ) -> int:
        at = str(int(time.time() - ago))
        data = b"m1." + at.encode() + b"." + (body if signed is None else signed)
        signature = base64.b64encode(hmac.new(key, data, hashlib.sha256).digest()).decode()
        headers = {
            "webhook-id": "m1",
            "webhook-timestamp": at,
            "webhook-signature": f"v1,{signature}",
        }
        return self.send(body, headers)

    def send(self, body: bytes, headers: dict[str, str], method: str = "POST") -> int:
        connection = http.client.HTTPConnection(*self.address, timeout=30)
        try:
            connection.request(method, "/", body, headers)
            answer = connection.getresponse()
            json.loads(answer.read())
            return answer.status
        finally:
            connection.close()


@pytest.fixture
def approver(host: Any) -> Iterator[Approver]:
    yield from serving(host)


def serving(host: Any) -> Iterator[Approver]:
    settings = host.plugin._settings
    with DecisionServer(("127.0.0.1", 0), host.requests, Signatures(VARIABLE), settings) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield Approver(host, server)
        server.shutdown()
        thread.join()


@pytest.mark.usefixtures("store")
def test_a_signed_approval_lets_the_call_through_once(host: Any, approver: Approver) -> None:
    assert approver.post(approver.body()) == 200
    assert host.call() == "ran"
    assert approver.post(approver.body()) == 409  # replayed
    assert host.call() != "ran"


def test_a_signed_denial_denies(host: Any, approver: Approver) -> None:
    assert approver.post(approver.body(verdict="deny", by="bob")) == 200
    assert host.call().endswith("was denied by bob")
    assert approver.post(approver.body()) == 409


def test_a_wrong_signature_decides_nothing(host: Any, approver: Approver) -> None:
    body = approver.body()
    assert approver.post(body, key=b"x" * 32) == 401
    assert approver.post(body, ago=900) == 401
    assert approver.post(body, ago=-900) == 401
    assert approver.post(body, signed=b"{}") == 401
    assert approver.send(body, {}) == 401
    odd = {"webhook-id": "m1", "webhook-timestamp": "nan", "webhook-signature": "v1,x v1 ,,"}
    assert approver.send(body, odd) == 401
    assert approver.post(b"\xff") == 401
    assert host.call().endswith("waits for a person")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"digest": call_digest("pay", {"to": "bob", "amount": 10_000})}, 409),
        ({"id": "none"}, 404),
        ({"verdict": "approved"}, 400),
        ({"by": ""}, 400),
        ({"by": "ann\nbob"}, 400),
        ({"by": "x" * 200}, 400),
        ({"by": None}, 400),
        ({"more": 1}, 400),
        ({"id": ["x"]}, 400),
    ],
)
def test_a_decision_about_something_else_does_not_count(
    host: Any, approver: Approver, changes: dict[str, Any], status: int
) -> None:
    assert approver.post(approver.body(**changes)) == status
    assert host.call().endswith("waits for a person")


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 10_000, b'"x"'])
def test_a_signed_body_that_is_no_decision_is_refused(approver: Approver, body: bytes) -> None:
    assert approver.post(body) == 400


def test_a_message_about_a_request_is_no_decision(host: Any, approver: Approver) -> None:
    body = json.dumps({"type": "approval.requested", "data": {"id": approver.ident}}).encode()
    assert approver.post(body) == 400


def test_who_is_none_of_the_approvers_decides_nothing(make_host: Callable[..., Any]) -> None:
    for approver in serving(make_host(approvers=["ann", "bob"])):
        assert approver.post(approver.body(by="eve")) == 403
        assert approver.post(approver.body(by="ann")) == 200


def test_bodies_have_bounds(approver: Approver) -> None:
    assert approver.post(b"x" * 20_000) == 413
    assert approver.send(b"", {"content-length": "9" * 30}) == 413
    assert approver.send(b"", {"content-length": "-1"}) == 411
    assert approver.send(b"x", {"transfer-encoding": "chunked"}) == 411


def test_a_client_that_breaks_off_hurts_nobody(host: Any, approver: Approver) -> None:
    with socket.create_connection(approver.address) as broken:
        broken.sendall(b"POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\nx")
    assert approver.post(approver.body()) == 200


def test_a_store_that_is_away_is_told(host: Any, approver: Approver, tmp_path: Any) -> None:
    host.requests.close()
    (tmp_path / "own").chmod(0o777)
    assert approver.post(approver.body()) == 503
    (tmp_path / "own").chmod(0o700)


def test_secrets_can_be_changed_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    other = f"whsec_{base64.b64encode(b'o' * 32).decode()}"
    monkeypatch.setenv(VARIABLE, f"{SECRET} {other}")
    both = Signatures(VARIABLE)
    monkeypatch.setenv(VARIABLE, other)
    new = Signatures(VARIABLE)
    assert both.verify(b"x", new.headers("m", "x"))
    assert not new.verify(b"x", both.headers("m", "x"))


@pytest.mark.parametrize("value", ["", "whsec_hunter2!", "c2hvcnQ="])
def test_a_secret_that_is_none_is_told_and_not_shown(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, value)
    with pytest.raises(SecretError, match=VARIABLE) as wrong:
        Signatures(VARIABLE)
    assert not value or value not in str(wrong.value)


class Receiver:
    """A receiver of messages, which answers as it is told."""

    def __init__(self) -> None:
        self.status = 204
        self.messages: list[Any] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                message = Webhook(SECRET).verify(body, dict(self.headers))
                outer.messages.append((self.path, self.headers["webhook-id"], message))
                self.send_response(outer.status)
                self.send_header("location", "/elsewhere")
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook?key=hunter2"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def close(self) -> None:
        if self.thread.is_alive():
            self.server.shutdown()
            self.thread.join()
            self.server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


def test_a_new_request_is_told_once_with_a_signature(host: Any, receiver: Receiver) -> None:
    notifier = Notifier(receiver.url, host.requests, Signatures(VARIABLE))
    host.call()
    (ident,) = host.pending()
    assert [notifier.turn(), notifier.turn()] == [1, 0]
    ((path, message_id, message),) = receiver.messages
    assert (path, message_id, message["type"]) == ("/hook?key=hunter2", ident, "approval.requested")
    data = message["data"]
    assert (data["id"], data["digest"], data["tool"]) == (ident, DIGEST, "pay")
    assert (data["arguments"], data["by"], data["needed"]) == (ARGUMENTS, [], 1)


@pytest.mark.parametrize("status", [500, 302, 404])
def test_a_request_that_was_not_taken_is_told_again_after_a_pause(
    host: Any, receiver: Receiver, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    seconds = [0.0]
    notifier = Notifier(receiver.url, host.requests, Signatures(VARIABLE), lambda: seconds[0])
    host.call()
    receiver.status = status
    assert [notifier.turn(), notifier.turn()] == [0, 0]
    assert len(receiver.messages) == 1  # no redirect is followed, and nothing is hurried
    seconds[0], receiver.status = 1.0, 200
    assert notifier.turn() == 1
    assert "hunter2" not in caplog.text


def test_a_receiver_that_is_away_is_tried_again(
    host: Any, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    seconds = [0.0]
    url = receiver.url
    receiver.close()
    notifier = Notifier(url, host.requests, Signatures(VARIABLE), lambda: seconds[0])
    host.call()
    pauses = []
    for _ in range(8):
        assert notifier.turn() == 0
        ((at, _),) = notifier._next.values()
        pauses.append(at - seconds[0])
        seconds[0] = at
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]
    assert "hunter2" not in caplog.text
    host.decide()
    assert (notifier.turn(), notifier._next) == (0, {})


def test_hookctl_serves_decisions_and_tells_of_requests(
    make_host: Callable[..., Any], receiver: Receiver, tmp_path: Any
) -> None:
    host = make_host()
    (tmp_path / "hookcore.toml").write_text(
        "[plugins.approval.settings]\n"
        f'tools = ["pay"]\npath = "{tmp_path}/own/approvals.sqlite3"\n'
        f'notify_url = "{receiver.url}"\n',
        "utf-8",
    )
    served = subprocess.Popen(
        [sys.executable, "-m", "hookctl", "approvals", "serve", "--port", "0"],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert served.stdout is not None
        line = served.stdout.readline()
        port = int(line.rsplit(":", 1)[1].strip("/\n"))
        host.call()
        (ident,) = host.pending()
        while not receiver.messages:
            threading.Event().wait(0.01)
        assert receiver.messages[0][2]["data"]["id"] == ident
        approver = Approver.__new__(Approver)
        approver.host, approver.ident, approver.address = host, ident, ("127.0.0.1", port)
        assert approver.post(approver.body()) == 200
        assert host.call() == "ran"
    finally:
        served.terminate()
        served.communicate()
