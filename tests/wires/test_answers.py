from __future__ import annotations

import json
from typing import Any

import pytest

from hookcore import ModelResponse, ToolCall
from hookcore.wires import (
    ANTHROPIC,
    CHAT,
    GEMINI,
    RESPONSES,
    MalformedError,
    Wire,
    WireCodec,
    as_responses,
)

WIRES = pytest.mark.parametrize(
    "wire", [ANTHROPIC, CHAT, GEMINI, RESPONSES], ids=lambda wire: wire.name
)
CALLS = [ToolCall("add", {"a": 1}, "c1"), ToolCall("sub", '{"b": 2}', "c2")]
SAID = [ModelResponse("hi"), ModelResponse("", CALLS), ModelResponse("hi", CALLS)]


def told(response: Any) -> Any:
    """Return what a response says, however its arguments are kept."""
    (one,) = as_responses(response)
    calls = [
        (
            call.name,
            json.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments,
        )
        for call in one.tool_calls
    ]
    return one.content, calls


@WIRES
@pytest.mark.parametrize("said", SAID, ids=["text", "calls", "both"])
def test_a_stream_says_what_the_response_does(wire: Wire, said: ModelResponse) -> None:
    codec = WireCodec(wire)
    events = wire.stream_of([said], [])
    assert told(codec.assemble(events)) == told(said)
    assert all(wire.written(event).endswith(b"\n\n") for event in events)


@WIRES
@pytest.mark.parametrize("said", SAID, ids=["text", "calls", "both"])
def test_an_answer_says_what_the_response_does(wire: Wire, said: ModelResponse) -> None:
    answer = wire.answer_of([said], None)
    event = wire.as_event(answer)
    assert told(WireCodec(wire).assemble([event])) == told(said)
    assert wire.as_answer(event) == answer


@WIRES
def test_another_text_is_written_where_the_old_one_was(wire: Wire) -> None:
    codec = WireCodec(wire)
    answer = {**wire.answer_of([ModelResponse("one two")], None), "custom": 1}
    changed = codec.answer("one 2", wire.as_event(answer))
    assert json.loads(json.dumps(answer).replace("one two", "one 2")) == changed


@pytest.mark.parametrize("wire", [ANTHROPIC, CHAT, RESPONSES])
def test_another_text_is_streamed_where_the_old_one_was(wire: Wire) -> None:
    events = wire.stream_of([ModelResponse("one two")], [])
    made = list(WireCodec(wire).events("one 2", events))
    assert json.loads(json.dumps(events).replace("one two", "one 2")) == made


@WIRES
def test_an_answer_with_other_calls_is_made_anew(wire: Wire) -> None:
    codec = WireCodec(wire)
    answer = {**wire.answer_of([ModelResponse("", CALLS)], None), "custom": 1}
    changed = codec.answer("no", wire.as_event(answer))
    assert told(codec.assemble([wire.as_event(changed)])) == ("no", [])
    assert changed["custom"] == 1
    events = wire.stream_of([ModelResponse("", CALLS)], [])
    made = list(codec.events(ModelResponse("no"), events))
    assert told(codec.assemble(made)) == ("no", [])
    assert '"add"' not in json.dumps(made)


@WIRES
def test_refusals_hold_their_text(wire: Wire) -> None:
    for status in (403, 413, 502):
        assert "no" in json.dumps(wire.refusal("no", status))
    assert "no" in json.dumps(wire.broken("no"))


@WIRES
def test_the_model_is_the_one_in_the_body_or_in_the_address(wire: Wire) -> None:
    assert wire.model({"model": "m"}, None) == "m"
    assert wire.model({"model": 1}, None) is None
    assert wire.model({}, "n") == "n"


@pytest.mark.parametrize("wire", [ANTHROPIC, GEMINI])
@pytest.mark.parametrize("arguments", ["{", "[]", 5])
def test_arguments_that_are_no_object_cannot_be_written(wire: Wire, arguments: Any) -> None:
    with pytest.raises(MalformedError, match="policies left a tool call"):
        wire.answer_of([ModelResponse("", [ToolCall("add", arguments, "c1")])], None)


@WIRES
def test_an_event_that_is_no_object_is_not_known(wire: Wire) -> None:
    assert WireCodec(wire).parts(wire.known("x")) is None


def test_choices_have_a_response_each() -> None:
    codec = WireCodec(CHAT)
    events = CHAT.stream_of([ModelResponse("one"), ModelResponse("two")], [])
    assert [response.content for response in codec.assemble(events)] == ["one", "two"]
    with pytest.raises(TypeError, match="one for each choice"):
        as_responses([1])
