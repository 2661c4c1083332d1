"""The provider on the loopback answers by its script, in each format, and notes what it was sent."""

from __future__ import annotations

import json
import threading
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from hookcore.testing.answers import ANSWERS
from hookcore.testing.provider import FakeProvider
from hookcore.wires import WireCodec, find_operation

CALLS = [("add", '{"a": 1}', "c1")]


def post(provider: FakeProvider, path: str, **body: Any) -> bytes:
    data = json.dumps({"model": "m", **body}).encode()
    request = Request(provider.url + path, data)
    with urlopen(request, timeout=30) as answer:
        return bytes(answer.read())


def said(path: str, answer: Any, *, streams: bool) -> Any:
    """Return what the codec of a format reads of an answer."""
    operation = find_operation(path)
    assert operation is not None
    codec = WireCodec(operation.wire)
    whole, events = ANSWERS[path.removeprefix("/v1")](answer, {"model": "m"})
    read = codec.assemble(events if streams else [operation.wire.as_event(whole)])
    return read[0] if isinstance(read, list) else read


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("path", ANSWERS)
def test_an_answer_says_in_each_format_what_the_script_does(path: str, *, streams: bool) -> None:
    assert said(f"/v1{path}", "all is well", streams=streams).content == "all is well"
    (call,) = said(f"/v1{path}", CALLS, streams=streams).tool_calls
    assert (call.name, call.id) == ("add", "c1")


def test_answers_come_in_their_order_and_the_last_again() -> None:
    with FakeProvider("one", lambda body: body["say"], "last") as provider:
        texts = [
            json.loads(post(provider, "/v1/chat/completions", say=f"number {at}"))["choices"][0]
            for at in range(4)
        ]
    assert [each["message"]["content"] for each in texts] == ["one", "number 1", "last", "last"]
    assert provider.sent[0] == {"model": "m", "say": "number 0"}
    assert provider.paths == ["/v1/chat/completions"] * 4
    assert "number 3" in provider.text


def test_a_status_is_a_failure_and_other_addresses_have_an_empty_answer() -> None:
    with FakeProvider(503) as provider:
        with pytest.raises(HTTPError, match="503"):
            post(provider, "/v1/messages")
        provider.answers = ["hi"]
        assert json.loads(post(provider, "/v1/files"))["data"] == []
        assert json.loads(post(provider, "/v1/messages/count_tokens"))["input_tokens"] == 7


def test_a_stream_comes_in_pieces_waits_and_may_break() -> None:
    with FakeProvider("one two") as provider:
        provider.holds = {1: threading.Event()}
        provider.holds[1].set()
        provider.breaks = "data: broken\n\n"
        sent = post(provider, "/v1/chat/completions", stream=True).decode()
        assert ": waiting" in sent
        assert sent.endswith("data: broken\n\n")
        provider.breaks = None
        sent = post(provider, "/v1/chat/completions", stream=True).decode()
        assert sent.endswith("data: [DONE]\n\n")
        assert "event: message_stop" in post(provider, "/v1/messages", stream=True).decode()
