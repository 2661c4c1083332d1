"""A provider on loopback that speaks the formats of OpenAI and Anthropic, by a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from typing_extensions import Self

Answer = Any
"""A text, a list of (tool, arguments, id), a status to fail with, or a function for one of them."""


def pieces(text: str) -> list[str]:
    return [f" {word}" if at else word for at, word in enumerate(text.split(" "))]


def chat(answer: Answer, body: Any) -> tuple[Any, list[Any]]:
    """Return a completion, and the chunks that stream it."""
    base = {"id": "x", "created": 1, "model": body["model"]}
    used = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    if isinstance(answer, str):
        said: dict[str, Any] = {"role": "assistant", "content": answer}
        reason = "stop"
        deltas: list[Any] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": piece} for piece in pieces(answer)]
    else:
        calls = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": given}}
            for name, given, call_id in answer
        ]
        said = {"role": "assistant", "content": None, "tool_calls": calls}
        reason = "tool_calls"
        deltas = [{"tool_calls": [{"index": at, **call}]} for at, call in enumerate(calls)]
    choice = {"index": 0, "message": said, "finish_reason": reason}
    ends: list[Any] = [(delta, None) for delta in deltas] + [({}, reason)]
    chunk = {**base, "object": "chat.completion.chunk"}
    chunks = [
        {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
        for delta, end in ends
    ]
    return {**base, "object": "chat.completion", "choices": [choice], "usage": used}, chunks


def responses(answer: Answer, body: Any) -> tuple[Any, list[Any]]:
    """Return a response, and the events that stream it."""
    base = {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "model": body.get("model"),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    items: list[Any] = []
    events: list[Any] = []
    if isinstance(answer, str):
        part = {"type": "output_text", "text": answer, "annotations": []}
        said = {"id": "m", "type": "message", "role": "assistant", "status": "completed"}
        items.append({**said, "content": [part]})
        here = {"item_id": "m", "output_index": 0, "content_index": 0}
        begun = {**said, "content": [], "status": "in_progress"}
        events += [
            {"type": "response.output_item.added", "output_index": 0, "item": begun},
            {"type": "response.content_part.added", **here, "part": {**part, "text": ""}},
            *(
                {"type": "response.output_text.delta", **here, "delta": piece, "logprobs": []}
                for piece in pieces(answer)
            ),
            {"type": "response.output_text.done", **here, "text": answer, "logprobs": []},
            {"type": "response.content_part.done", **here, "part": part},
            {"type": "response.output_item.done", "output_index": 0, "item": items[0]},
        ]
    else:
        for at, (name, given, call_id) in enumerate(answer):
            item = {"type": "function_call", "id": f"f{at}", "call_id": call_id, "name": name}
            items.append({**item, "arguments": given, "status": "completed"})
            place, call = {"output_index": at}, "response.function_call_arguments"
            events += [
                {"type": "response.output_item.added", **place, "item": {**item, "arguments": ""}},
                {"type": f"{call}.delta", **place, "item_id": f"f{at}", "delta": given},
                {
                    "type": f"{call}.done",
                    **place,
                    "item_id": f"f{at}",
                    "arguments": given,
                    "name": name,
                },
                {"type": "response.output_item.done", **place, "item": items[-1]},
            ]
    whole = {**base, "status": "completed", "output": items}
    begun = {**base, "status": "in_progress", "output": []}
    events = [
        {"type": "response.created", "response": begun},
        *events,
        {"type": "response.completed", "response": whole},
    ]
    return whole, [{**event, "sequence_number": at} for at, event in enumerate(events)]


def messages(answer: Answer, body: Any) -> tuple[Any, list[Any]]:
    """Return a message, and the events that stream it."""
    if isinstance(answer, str):
        blocks: list[Any] = [{"type": "text", "text": answer}]
        reason = "end_turn"
    else:
        blocks = [
            {"type": "tool_use", "id": call_id, "name": name, "input": json.loads(given)}
            for name, given, call_id in answer
        ]
        reason = "tool_use"
    stop = {"stop_reason": reason, "stop_sequence": None}
    used = {"input_tokens": 1, "output_tokens": 1}
    base = {"id": "m", "type": "message", "role": "assistant", "model": body["model"]}
    whole = {**base, "content": blocks, **stop, "usage": used}
    events: list[Any] = [{"type": "message_start", "message": {**whole, "content": []}}]
    for at, block in enumerate(blocks):
        text = block["type"] == "text"
        empty = {**block, "text": ""} if text else {**block, "input": {}}
        events.append({"type": "content_block_start", "index": at, "content_block": empty})
        deltas = (
            [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
            if text
            else [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        )
        events += [{"type": "content_block_delta", "index": at, "delta": d} for d in deltas]
        events.append({"type": "content_block_stop", "index": at})
    events += [{"type": "message_delta", "delta": stop, "usage": used}, {"type": "message_stop"}]
    return whole, events


class Provider:
    """Answers by a script, and notes what it was sent."""

    formats: ClassVar[dict[str, Callable[..., Any]]] = {
        "/v1/chat/completions": chat,
        "/v1/responses": responses,
        "/v1/messages": messages,
    }

    def __init__(self) -> None:
        #: The answers still to be given; the last one is given again and again.
        self.answers: list[Answer] = ["all is well"]
        #: The bodies of the requests, and their paths.
        self.sent: list[Any] = []
        self.paths: list[str] = []
        #: A stream stops before the event of this number until it is set.
        self.holds: dict[int, threading.Event] = {}
        #: True when a client has gone while it was answered.
        self.left = threading.Event()
        #: The data that the provider ends a stream with, in the place of its last event.
        self.breaks: str | None = None
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                provider.answer(self)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=lambda: self._server.serve_forever(poll_interval=0.01), daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def text(self) -> str:
        """All that was sent."""
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

    def answer(self, handler: Any) -> None:
        data = handler.rfile.read(int(handler.headers["Content-Length"]))
        body, path = json.loads(data or b"null"), handler.path.partition("?")[0]
        self.sent.append(body)
        self.paths.append(path)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        answer = answer(body) if callable(answer) else answer
        if isinstance(answer, int):
            self._plain(handler, {"error": {"message": "no", "type": "x"}}, answer)
        elif path.endswith("count_tokens"):
            self._plain(handler, {"input_tokens": 7})
        elif path not in self.formats:
            self._plain(handler, {"object": "list", "data": [], "model": "m"})
        else:
            whole, events = self.formats[path](answer, body)
            if body.get("stream"):
                self._stream(handler, events, ends=path.endswith("completions"))
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
