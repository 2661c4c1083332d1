"""A provider of models on the loopback, for tests of hosts and policies that reach for one."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from .answers import ANSWERS, Answer

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["FakeProvider"]


class FakeProvider:
    """Answers requests by a script, in the formats of OpenAI and Anthropic; notes what it was sent.

    ``with FakeProvider() as provider:`` serves at ``provider.url``: chat completions, responses and
    messages, plain and streamed. Other addresses are answered with an empty list.

    Args:
        answers: what it answers, in this order; the last is given again and again. A text; a list
            of tool calls, each as (name, arguments as JSON text, id); a status to fail with; or a
            function that gives one of these for the body of the request.
    """

    def __init__(self, *answers: Any) -> None:
        #: The answers still to be given.
        self.answers: list[Any] = list(answers) or ["all is well"]
        #: The bodies of the requests, and their paths.
        self.sent: list[Any] = []
        self.paths: list[str] = []
        #: A stream stops before the event of this number until it is set.
        self.holds: dict[int, threading.Event] = {}
        #: Set when a client has gone while it was answered.
        self.left = threading.Event()
        #: The bytes that a stream ends with, in the place of its last event; None for none.
        self.breaks: str | None = None
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                provider._answer(self)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=lambda: self._server.serve_forever(poll_interval=0.01), daemon=True
        )

    @property
    def url(self) -> str:
        """The address, without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def text(self) -> str:
        """All that was sent, as JSON."""
        return json.dumps(self.sent)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for event in self.holds.values():
            event.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, handler: Any) -> None:
        data = handler.rfile.read(int(handler.headers["Content-Length"] or 0))
        body, path = json.loads(data or b"null"), handler.path.partition("?")[0]
        self.sent.append(body)
        self.paths.append(path)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        answer = answer(body) if callable(answer) else answer
        made = next((make for end, make in ANSWERS.items() if path.endswith(end)), None)
        if isinstance(answer, int):
            self._plain(handler, {"error": {"message": "no", "type": "x"}}, answer)
        elif path.endswith("count_tokens"):
            self._plain(handler, {"input_tokens": 7})
        elif made is None:
            self._plain(handler, {"object": "list", "data": [], "model": "m"})
        else:
            self._told(handler, made(answer, body), body, ends=path.endswith("completions"))

    def _told(self, handler: Any, made: Answer, body: Any, *, ends: bool) -> None:
        whole, events = made
        if body.get("stream"):
            self._stream(handler, events, ends=ends)
        else:
            self._plain(handler, whole)

    def _plain(self, handler: Any, value: Any, status: int = 200) -> None:
        data = json.dumps(value).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(data)))
        handler.send_header("x-request-id", "req_1")
        handler.end_headers()
        handler.wfile.write(data)

    def _stream(self, handler: Any, events: list[Any], *, ends: bool) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.close_connection = True
        try:
            for piece in self._pieces(events, ends=ends):
                handler.wfile.write(piece)
                handler.wfile.flush()
        except OSError:
            self.left.set()

    def _pieces(self, events: list[Any], *, ends: bool) -> Iterator[bytes]:
        for at, event in enumerate(events):
            if at in self.holds:
                self.holds[at].wait(30)
                # Who has gone is noticed at the second write.
                yield b": waiting\n\n"
                yield b": waiting\n\n"
            if self.breaks is not None and at == len(events) - 1:
                yield self.breaks.encode()
                return
            name = f"event: {event['type']}\n" if "type" in event else ""
            yield f"{name}data: {json.dumps(event)}\n\n".encode()
        if ends:
            yield b"data: [DONE]\n\n"
