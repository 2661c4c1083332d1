"""The audit against a real HTTPS server that fails, stalls, redirects and comes back."""

from __future__ import annotations

import json
import logging
import os
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import trustme
from standardwebhooks import Webhook

from hookcore import GatewayContext, HookDispatchedEvent, HookManager, ToolCallContext, hookimpl
from hookcore_webhook_audit import WebhookAudit, WebhookAuditSettings

SECRET = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OLD_SECRET = "whsec_" + "b2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xk"
PATH = "/hooks/T0PS3CR3T?key=QU3RYS3CR3T"


class Receiver(ThreadingHTTPServer):
    """Answers as ``answer`` says, a status or what it does instead, and remembers all requests."""

    daemon_threads = False
    block_on_close = True

    def __init__(self, tls: ssl.SSLContext, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.tls = tls
        self.answer: int | Callable[[Handler], object] = 204
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.times: list[float] = []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.serve_forever, args=(0.01,))
        self.thread.start()

    @property
    def url(self) -> str:
        return f"https://localhost:{self.server_port}{PATH}"

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, _, body in self.requests]

    def stop(self) -> None:
        self.over.set()
        self.shutdown()
        self.thread.join()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what some tests are about."""


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def setup(self) -> None:
        self.request = self.server.tls.wrap_socket(self.request, server_side=True)
        super().setup()

    def finish(self) -> None:
        try:
            super().finish()
        finally:
            self.request.close()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.times.append(time.monotonic())
        self.server.requests.append((self.path, dict(self.headers), body))
        answer = self.server.answer
        if isinstance(answer, int):
            self.reply(answer)
        else:
            answer(self)

    def do_GET(self) -> None:
        self.do_POST()

    def reply(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        """Stay quiet."""


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def ca_file(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ca") / "ca.pem"
    authority.cert_pem.write_to_path(path)
    return path


def server_tls(authority: trustme.CA, name: str = "localhost") -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


@pytest.fixture
def receiver(authority: trustme.CA) -> Iterator[Receiver]:
    server = Receiver(server_tls(authority))
    yield server
    server.stop()


class Host:
    """A manager with the audit."""

    def __init__(self, **settings: Any) -> None:
        self.plugin = WebhookAudit(WebhookAuditSettings.model_validate(settings))
        self.manager = HookManager()
        self.manager.register(self.plugin, name="webhook-audit")

    def call(self, name: str = "shell", given: Any = None, **fields: Any) -> None:
        self.manager.call_tool(name, given or {}, lambda _: "done", **fields)


MakeHost = Callable[..., Host]


@pytest.fixture
def make_host(receiver: Receiver, ca_file: Path, tmp_path: Path) -> Iterator[MakeHost]:
    hosts: list[Host] = []

    def make(**settings: Any) -> Host:
        fixed = {
            "url": receiver.url,
            "tool_patterns": ["*"],
            "signing_secrets": [SECRET],
            "allow_networks": ["127.0.0.0/8", "::1/128"],
            "ca_file": ca_file,
            "spool_dir": tmp_path / "spool",
            "retry_seconds": 0.05,
            "max_retry_seconds": 0.2,
        }
        hosts.append(Host(**fixed | settings))
        return hosts[-1]

    yield make
    for host in hosts:
        host.plugin.close()


def until(true: Callable[[], Any], seconds: float = 50.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


# What arrives


def test_a_call_arrives_with_its_ids(receiver: Receiver, make_host: MakeHost) -> None:
    host = make_host(include_args=True)
    host.call(given={"a": 1}, session_id="s1", agent="writer", run_id="r1", call_id="c1")
    assert host.plugin.flush()
    (event,) = receiver.events()
    expected = {"event": "tool_call", "tool": "shell", "session_id": "s1", "agent": "writer"}
    expected |= {"run_id": "r1", "call_id": "c1", "status": "ok"}
    assert expected.items() <= event.items()
    assert (event["version"], event["args"]) == (1, {"a": 1})


def test_the_signature_is_that_of_standard_webhooks(
    receiver: Receiver, make_host: MakeHost
) -> None:
    host = make_host(signing_secrets=[SECRET, OLD_SECRET])
    host.call()
    host.plugin.flush()
    ((path, headers, body),) = receiver.requests
    for secret in (SECRET, OLD_SECRET):
        event = Webhook(secret).verify(body, headers)
        assert event["id"] == {k.lower(): v for k, v in headers.items()}["webhook-id"]
    assert path == PATH
    assert headers["Content-Type"] == "application/json"


def test_without_a_secret_there_is_no_signature_and_a_warning(
    receiver: Receiver, make_host: MakeHost, caplog: pytest.LogCaptureFixture
) -> None:
    host = make_host(signing_secrets=[])
    host.call()
    host.plugin.flush()
    assert "webhook-signature" not in receiver.requests[0][1]
    assert "not signed" in caplog.text


def test_a_denied_call_is_audited(receiver: Receiver, make_host: MakeHost) -> None:
    class Closed:
        @hookimpl
        def pre_tool_call(self, ctx: ToolCallContext) -> bool:
            return False

    host = make_host()
    host.manager.register(Closed())
    host.call(on_denied="return")
    host.plugin.flush()
    (event,) = receiver.events()
    assert (event["status"], event["success"], event["entered"]) == ("denied", False, False)


def test_a_tool_that_no_pattern_names_is_not_reported(
    receiver: Receiver, make_host: MakeHost
) -> None:
    host = make_host(tool_patterns=["delete_*", "mcp__[gh]*__merge"])
    for name in ("shell", "Delete File", "DeLeTe_FiLe", "mcp-github-merge", "undelete_x"):
        host.call(name)
    host.plugin.flush()
    assert [event["tool"] for event in receiver.events()] == [
        "Delete File",
        "DeLeTe_FiLe",
        "mcp-github-merge",
    ]


def test_what_is_remembered_of_tool_names_is_bounded(make_host: MakeHost) -> None:
    plugin = make_host(tool_patterns=["delete_*"]).plugin
    for number in range(5000):
        assert not plugin._is_audited(f"tool_{number}")
    assert plugin._is_audited("delete_" + "x" * 100_000)
    assert plugin._remembered.cache_info().currsize == 4096


def test_no_pattern_reports_nothing_and_says_so(
    receiver: Receiver, make_host: MakeHost, caplog: pytest.LogCaptureFixture
) -> None:
    host = make_host(tool_patterns=[])
    host.call()
    host.plugin.flush()
    assert receiver.requests == []
    assert "no tool_patterns" in caplog.text


def test_a_dry_run_sends_and_keeps_nothing(
    receiver: Receiver, make_host: MakeHost, tmp_path: Path
) -> None:
    host = make_host()
    context = ToolCallContext(tool_name="shell", status="ok", dry_run=True)
    host.manager.dispatch("tool_finished", context)
    host.manager.dispatch("gateway_stop", GatewayContext(dry_run=True))
    host.plugin.flush()
    assert receiver.requests == []
    assert not (tmp_path / "spool").exists()
    assert not any(thread.name == "webhook-audit" for thread in threading.enumerate())


def test_arguments_of_calls_that_end_in_another_order_stay_their_own(
    receiver: Receiver, make_host: MakeHost
) -> None:
    host, begun, over = make_host(include_args=True), threading.Event(), threading.Event()

    def slow(_: Any) -> None:
        begun.set()
        over.wait(10)

    first = threading.Thread(target=host.manager.call_tool, args=("shell", {"n": 1}, slow))
    first.start()
    begun.wait(10)
    host.call(given={"n": 2})
    over.set()
    first.join()
    host.plugin.flush()
    assert [event["args"] for event in receiver.events()] == [{"n": 2}, {"n": 1}]


# A receiver that fails, stalls, redirects and comes back


def test_a_failed_attempt_is_made_again_with_the_same_id(
    receiver: Receiver, make_host: MakeHost
) -> None:
    host = make_host()
    receiver.answer = 503
    host.call()
    until(lambda: len(receiver.requests) >= 2)
    receiver.answer = 204
    until(lambda: host.plugin.stats().delivered == 1)
    assert len({event["id"] for event in receiver.events()}) == 1
    until(lambda: host.plugin.stats().spooled == 0)


def test_all_messages_come_in_order_when_the_receiver_is_back(
    receiver: Receiver, make_host: MakeHost
) -> None:
    host = make_host()
    receiver.answer = 500
    for _ in range(5):
        host.call()
    until(lambda: host.plugin.stats().spooled == 5)
    receiver.answer = 204
    receiver.requests.clear()
    host.call()
    until(lambda: host.plugin.stats().delivered == 6)
    assert [event["sequence"] for event in receiver.events()][-6:] == [1, 2, 3, 4, 5, 6]


def test_a_receiver_that_is_not_there_is_waited_for(
    authority: trustme.CA, receiver: Receiver, make_host: MakeHost
) -> None:
    host, port = make_host(), receiver.server_port
    receiver.stop()
    host.call()
    until(lambda: host.plugin.stats().spooled == 1)
    again = Receiver(receiver.tls, port)
    try:
        until(lambda: host.plugin.stats().delivered == 1)
        assert len(again.requests) == 1
    finally:
        again.stop()
        receiver.thread = threading.Thread()
        receiver.__dict__["stop"] = lambda: None


def test_a_receiver_that_stalls_is_given_up_in_time(
    receiver: Receiver, make_host: MakeHost
) -> None:
    host = make_host(timeout_seconds=2)
    receiver.answer = lambda _: receiver.over.wait(60)
    host.call()
    assert host.plugin.stats().spooled == 0  # the call itself waits for nobody
    until(lambda: host.plugin.stats().spooled == 1)
    receiver.over.set()


def test_a_receiver_that_accepts_and_never_says_a_word_is_given_up(make_host: MakeHost) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://localhost:{silent.getsockname()[1]}/"
        host = make_host(url=url, timeout_seconds=0.3)
        host.call()
        until(lambda: host.plugin.stats().spooled == 1)
        host.plugin.close()


def test_a_receiver_that_trickles_gets_no_more_time(
    receiver: Receiver, make_host: MakeHost
) -> None:
    def trickle(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            if receiver.over.wait(0.05):
                break
            handler.wfile.write(b"x: y\r\n")

    host = make_host(timeout_seconds=0.4)
    receiver.answer = trickle
    host.call()
    until(lambda: host.plugin.stats().spooled == 1)
    receiver.over.set()


def test_a_redirect_is_a_failure_and_is_not_followed(
    receiver: Receiver, make_host: MakeHost
) -> None:
    host = make_host()
    elsewhere = f"https://localhost:{receiver.server_port}/elsewhere"
    receiver.answer = lambda handler: handler.reply(302, Location=elsewhere)
    host.call()
    until(lambda: len(receiver.requests) >= 2)
    assert {path for path, _, _ in receiver.requests} == {PATH}
    assert host.plugin.stats().delivered == 0


def test_an_answer_that_is_no_http_is_a_failure(receiver: Receiver, make_host: MakeHost) -> None:
    host = make_host()
    receiver.answer = lambda handler: handler.wfile.write(b"hello\r\n")
    host.call()
    until(lambda: host.plugin.stats().spooled == 1)
    receiver.answer = 200
    until(lambda: host.plugin.stats().delivered == 1)


def test_retry_after_is_respected_up_to_the_bound(receiver: Receiver, make_host: MakeHost) -> None:
    host = make_host(max_retry_seconds=0.6)
    receiver.answer = lambda handler: handler.reply(429, Retry_After="3600")
    host.call()
    until(lambda: len(receiver.requests) == 2)
    assert receiver.times[1] - receiver.times[0] > 0.5


def test_a_message_that_is_refused_again_and_again_is_given_up_and_counted(
    receiver: Receiver, make_host: MakeHost
) -> None:
    host = make_host()
    receiver.answer = 400
    host.call()
    until(lambda: host.plugin.stats().refused == 1)
    assert len(receiver.requests) == 5
    receiver.answer = 204
    host.call()
    until(lambda: host.plugin.stats().delivered == 1)
    assert host.plugin.stats().spooled == 0


def test_a_burst_beyond_the_queue_is_not_lost(receiver: Receiver, make_host: MakeHost) -> None:
    host, go = make_host(), threading.Event()

    def hold(handler: Handler) -> None:
        go.wait(10)
        handler.reply(204)

    receiver.answer = hold
    for _ in range(1100):
        host.call()
    stats = host.plugin.stats()
    assert stats.queued <= 1001
    assert stats.queued + stats.spooled == 1100
    receiver.answer = 500
    go.set()
    until(lambda: host.plugin.stats().queued == 0)
    assert host.plugin.stats().dropped == 0


# Trust


def test_a_certificate_that_nobody_vouches_for_gets_nothing(
    receiver: Receiver, make_host: MakeHost, caplog: pytest.LogCaptureFixture
) -> None:
    host = make_host(ca_file=None)
    host.call()
    until(lambda: host.plugin.stats().spooled == 1)
    assert receiver.requests == []
    assert "certificate is not trusted" in caplog.text


def test_a_certificate_for_another_name_gets_nothing(
    authority: trustme.CA, receiver: Receiver, make_host: MakeHost
) -> None:
    receiver.tls = server_tls(authority, "other.example")
    host = make_host()
    host.call()
    until(lambda: host.plugin.stats().spooled == 1)
    assert receiver.requests == []


def test_an_inside_address_gets_nothing_unless_it_is_allowed(
    receiver: Receiver,
    make_host: MakeHost,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *args, **more: real(
            "127.0.0.1" if host == "audit.example" else host, *args, **more
        ),
    )
    host = make_host(url=f"https://audit.example:{receiver.server_port}/", allow_networks=[])
    host.call()
    until(lambda: host.plugin.stats().spooled == 1)
    assert receiver.requests == []
    assert "audit.example resolves to 127.0.0.1, which is no public address" in caplog.text


def test_proxies_of_the_environment_are_not_used(
    receiver: Receiver, make_host: MakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    host = make_host()
    host.call()
    until(lambda: host.plugin.stats().delivered == 1)


def test_no_secret_is_told(
    receiver: Receiver, make_host: MakeHost, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    host, events = make_host(include_args=True), list[HookDispatchedEvent]()
    host.manager.subscribe(events.append)
    receiver.answer = 400
    host.call(given={"password": "hunter2-hunter2"})
    until(lambda: host.plugin.stats().refused == 1)
    receiver.answer = 302
    host.call()
    until(lambda: host.plugin.stats().spooled == 1)
    settings = WebhookAuditSettings.model_validate(
        {"url": receiver.url, "signing_secrets": [SECRET], "allow_networks": ["127.0.0.0/8"]}
    )
    names = [path.name for path in (tmp_path / "spool").iterdir()]
    told = f"{events!r} {caplog.text} {host.plugin!r} {host.manager.plugins()!r} {settings!r}"
    told += f"{settings.destination()!r} {names} {host.plugin.stats()!r}"
    assert f"https://localhost:{receiver.server_port}" in told
    for secret in ("S3CR3T", SECRET.removeprefix("whsec_"), "hunter2"):
        assert secret not in told
    assert b"hunter2" not in b"".join(body for _, _, body in receiver.requests)


# Shutdown


def test_what_waits_at_a_shutdown_goes_to_the_disk_and_the_next_process_sends_it(
    receiver: Receiver, make_host: MakeHost
) -> None:
    first = make_host(retry_seconds=60, max_retry_seconds=60)
    receiver.answer = 500
    for _ in range(3):
        first.call()
    assert first.plugin.flush()
    assert first.plugin.stats().spooled == 3
    receiver.answer = 204
    receiver.requests.clear()
    second = make_host()
    second.call()
    until(lambda: second.plugin.stats().delivered == 4)
    assert [event["sequence"] for event in receiver.events()] == [1, 2, 3, 1]


def test_a_flush_is_bounded_and_loses_nothing(receiver: Receiver, make_host: MakeHost) -> None:
    host = make_host(timeout_seconds=30)
    receiver.answer = lambda _: receiver.over.wait(60)
    for _ in range(3):
        host.call()
    until(lambda: len(receiver.requests) == 1)
    assert host.plugin.flush(0.3)
    assert host.plugin.stats().spooled == 3
    receiver.over.set()


def test_a_flush_gives_the_receiver_one_more_chance(
    receiver: Receiver, make_host: MakeHost
) -> None:
    host = make_host(retry_seconds=60, max_retry_seconds=60)
    receiver.answer = 500
    host.call()
    until(lambda: host.plugin.stats().spooled == 1)
    receiver.answer = 204
    host.plugin.flush()
    until(lambda: host.plugin.stats().delivered == 1)


def test_the_gateway_s_stop_lets_messages_leave(receiver: Receiver, make_host: MakeHost) -> None:
    host = make_host()

    def slowly(handler: Handler) -> None:
        time.sleep(0.1)
        handler.reply(204)

    receiver.answer = slowly
    for _ in range(3):
        host.call()
    host.manager.dispatch("gateway_stop", GatewayContext())
    assert len(receiver.requests) == 3
    host.manager.close()


SCRIPT = """
import json, sys
from hookcore import HookManager
from hookcore_webhook_audit import WebhookAudit
manager = HookManager()
manager.register(WebhookAudit, name="webhook-audit", settings=json.loads(sys.argv[1]))
for _ in range(3):
    manager.call_tool("shell", {}, lambda given: None)
"""


@pytest.fixture
def process_settings(receiver: Receiver, ca_file: Path, tmp_path: Path) -> dict[str, Any]:
    return {
        "url": receiver.url,
        "tool_patterns": ["*"],
        "allow_networks": ["127.0.0.0/8", "::1/128"],
        "ca_file": str(ca_file),
        "spool_dir": str(tmp_path / "spool"),
    }


def run(script: str, settings: dict[str, Any]) -> None:
    subprocess.run([sys.executable, "-c", script, json.dumps(settings)], check=True, timeout=60)


@pytest.mark.parametrize("answer", [204, 500])
def test_a_process_that_ends_sends_or_keeps_all(
    answer: int, receiver: Receiver, process_settings: dict[str, Any], make_host: MakeHost
) -> None:
    receiver.answer = answer
    run(SCRIPT, process_settings)
    arrived = len(receiver.requests) if answer == 204 else 0
    assert arrived + make_host().plugin.stats().spooled == 3
    assert arrived in (0, 3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_sends_its_own_calls(
    receiver: Receiver, process_settings: dict[str, Any]
) -> None:
    # Its thread runs, but is in the middle of nothing: what OpenSSL does then is its own affair.
    call = (
        'manager.call_tool("shell", {}, lambda given: None)\nmanager.plugins()[0].plugin.flush()\n'
    )
    script = SCRIPT.replace("for _ in", f"{call}import os\npid = os.fork()\nfor _ in")
    script += "if pid:\n    os.waitpid(pid, 0)\n"
    run(script, process_settings)
    told = {(event["stream"], event["sequence"]) for event in receiver.events()}
    assert len(told) == 7
    assert len({stream for stream, _ in told}) == 2


def test_the_distribution_offers_the_plugin_as_an_entry_point() -> None:
    (entry,) = entry_points(group="hookcore.plugins", name="webhook-audit")
    assert entry.load() is WebhookAudit
