"""The events of Anthropic's messages, as objects of its client and as dicts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookcore import HookAborted, ToolCall

from .policies import SECRET, Buffering, Passing, Windowed, clean, cut

types = pytest.importorskip("anthropic.types", reason="needs anthropic: pip install anthropic")

TEXT = f"Use {SECRET} for this, and nothing else, please."
THOUGHT = f"They want {SECRET}."
ARGUMENTS = json.dumps({"path": "a.txt", "key": SECRET})
USAGE = {"input_tokens": 1, "output_tokens": 2}


def block(index: int, begun: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": begun},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def wire(size: int) -> list[dict[str, Any]]:
    message: dict[str, Any] = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": USAGE,
    }
    thoughts = [{"type": "thinking_delta", "thinking": part} for part in cut(THOUGHT, size)]
    thoughts.append({"type": "signature_delta", "signature": "c2ln"})
    texts = [{"type": "text_delta", "text": part} for part in cut(TEXT, size)]
    calls = [{"type": "input_json_delta", "partial_json": part} for part in cut(ARGUMENTS, size)]
    tool = {"type": "tool_use", "id": "call_1", "name": "read", "input": {}}
    return [
        {"type": "message_start", "message": message},
        *block(0, {"type": "thinking", "thinking": "", "signature": ""}, *thoughts),
        {"type": "ping"},
        *block(1, {"type": "text", "text": "", "citations": None}, *texts),
        *block(2, tool, *calls),
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 9},
        },
        {"type": "message_stop"},
    ]


def objects(events: list[dict[str, Any]]) -> list[Any]:
    """Return the events as the client gives them."""
    from pydantic import TypeAdapter

    adapter: Any = TypeAdapter(types.RawMessageStreamEvent)
    return [adapter.validate_python(event) for event in events if event["type"] != "ping"]


FORMS = [list, objects]


def deltas(left: list[Any], name: str) -> str:
    found = [event if isinstance(event, dict) else event.model_dump() for event in left]
    return "".join(
        event["delta"].get(name) or "" for event in found if event["type"] == "content_block_delta"
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("plugins", [[], [Passing()]])
def test_what_nobody_changes_leaves_as_it_came(through: Any, form: Any, plugins: Any) -> None:
    given = form(wire(7))
    assert through(given, *plugins) == given


@pytest.mark.parametrize("form", FORMS)
def test_a_policy_judges_the_whole_response(through: Any, form: Any) -> None:
    passing = Passing()
    through(form(wire(7)), passing)
    [judged] = passing.seen
    assert (judged.content, judged.thinking) == (TEXT, THOUGHT)
    assert judged.tool_calls == [ToolCall("read", ARGUMENTS, "call_1")]


@pytest.mark.parametrize("policy", [Buffering, Windowed])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1, 7, 40, 1000])
def test_no_secret_leaves_and_the_rest_does(
    through: Any, said: Any, policy: Any, form: Any, size: int
) -> None:
    left = through(form(wire(size)), policy())
    assert not any(SECRET in text for text in said(left))
    assert deltas(left, "text") == clean(TEXT)
    assert deltas(left, "thinking") == clean(THOUGHT)
    assert deltas(left, "partial_json") == clean(ARGUMENTS)


@pytest.mark.parametrize("policy", [Buffering, Windowed])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_blocks_begin_before_their_deltas_and_end_after_them(
    through: Any, policy: Any, size: int
) -> None:
    def order(events: list[Any]) -> list[Any]:
        found: list[Any] = []
        for event in events:
            step = (event["type"], event.get("index"))
            if event["type"] != "ping" and (not found or found[-1] != step):
                found.append(step)
        return found

    assert order(through(wire(size), policy())) == order(wire(size))


@pytest.mark.parametrize("policy", [Buffering, Windowed])
def test_an_input_that_stands_in_the_beginning_of_its_block_is_read(
    through: Any, said: Any, policy: Any
) -> None:
    begun = {"type": "tool_use", "id": "1", "name": "read", "input": {"key": SECRET}}
    left = through(block(0, begun), policy())
    assert left[0]["content_block"]["input"] == {"key": "[key]"}


@pytest.mark.parametrize("policy", [Buffering, Windowed])
def test_what_hosted_tools_return_is_read(through: Any, said: Any, policy: Any) -> None:
    begun = {"type": "web_fetch_tool_result", "tool_use_id": "1", "content": {"text": TEXT}}
    left = through(block(0, begun), policy())
    assert left[0]["content_block"]["content"]["text"] == clean(TEXT)


def test_a_delta_of_a_new_kind_is_denied(through: Any) -> None:
    event = {"type": "content_block_delta", "index": 0, "delta": {"type": "new", "said": TEXT}}
    with pytest.raises(HookAborted, match="no codec can read"):
        through([event], Passing())


def test_the_events_of_the_clients_helper_are_not_taken_for_those_of_the_wire(
    through: Any,
) -> None:
    helper = pytest.importorskip("anthropic.lib.streaming", reason="needs anthropic")
    event = helper.TextEvent(type="text", text=TEXT, snapshot=TEXT)
    with pytest.raises(HookAborted, match="no codec can read"):
        through([event], Passing())
    stop = helper.ContentBlockStopEvent.model_construct(
        type="content_block_stop", index=0, content_block={"type": "text", "text": TEXT}
    )
    with pytest.raises(HookAborted, match="no codec can read"):
        through([stop], Passing())


def test_a_real_stream_of_the_client_is_read(through: Any) -> None:
    httpx = pytest.importorskip("httpx2", reason="needs a client that is on httpx2")
    from anthropic import Anthropic

    body = "".join(f"event: {item['type']}\ndata: {json.dumps(item)}\n\n" for item in wire(9))

    def answer(request: Any) -> Any:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, text=body)

    client = Anthropic(api_key="x", http_client=httpx.Client(transport=httpx.MockTransport(answer)))
    with client.messages.create(model="m", max_tokens=9, messages=[], stream=True) as stream:
        left = through(list(stream), Windowed())
    client.close()
    assert deltas(left, "text") == clean(TEXT)
