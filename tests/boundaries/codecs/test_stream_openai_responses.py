"""The events of OpenAI's responses, most of which say again what others have said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookcore import HookAborted, ToolCall

from .policies import SECRET, Buffering, Passing, Windowed, clean, cut

responses = pytest.importorskip("openai.types.responses", reason="needs openai: pip install openai")

TEXT = f"Use {SECRET} for this, and nothing else, please."
THOUGHT = f"They want {SECRET}."
ARGUMENTS = json.dumps({"path": "a.txt", "key": SECRET})


def message(text: str, status: str = "completed") -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    content = [part] if text else []
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "status": status,
        "content": content,
    }


def call(arguments: str, status: str = "completed") -> dict[str, Any]:
    return {
        "id": "f",
        "call_id": "call_1",
        "type": "function_call",
        "name": "read",
        "arguments": arguments,
        "status": status,
    }


def thoughts(text: str) -> dict[str, Any]:
    summary = [{"type": "summary_text", "text": text}] if text else []
    return {"id": "r", "type": "reasoning", "summary": summary}


def response(*output: dict[str, Any], status: str = "completed") -> dict[str, Any]:
    return {
        "id": "resp",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "status": status,
    }


def wire(size: int) -> list[dict[str, Any]]:
    """Return the events as they come from the wire: thoughts, a message, a call."""
    thought = {"item_id": "r", "output_index": 0, "summary_index": 0}
    text = {"item_id": "m", "output_index": 1, "content_index": 0, "logprobs": []}
    function = {"item_id": "f", "output_index": 2}
    begun = {"type": "output_text", "text": "", "annotations": []}
    whole = {"type": "output_text", "text": TEXT, "annotations": []}
    summary = {"type": "summary_text", "text": ""}
    made: list[tuple[str, dict[str, Any]]] = [
        ("created", {"response": response(status="in_progress")}),
        ("in_progress", {"response": response(status="in_progress")}),
        ("output_item.added", {"output_index": 0, "item": thoughts("")}),
        ("reasoning_summary_part.added", {**thought, "part": summary}),
        *(
            ("reasoning_summary_text.delta", {**thought, "delta": part})
            for part in cut(THOUGHT, size)
        ),
        ("reasoning_summary_text.done", {**thought, "text": THOUGHT}),
        ("reasoning_summary_part.done", {**thought, "part": {**summary, "text": THOUGHT}}),
        ("output_item.done", {"output_index": 0, "item": thoughts(THOUGHT)}),
        ("output_item.added", {"output_index": 1, "item": message("", "in_progress")}),
        ("content_part.added", {**text, "part": begun}),
        *(("output_text.delta", {**text, "delta": part}) for part in cut(TEXT, size)),
        ("output_text.done", {**text, "text": TEXT}),
        ("content_part.done", {**text, "part": whole}),
        ("output_item.done", {"output_index": 1, "item": message(TEXT)}),
        ("output_item.added", {"output_index": 2, "item": call("", "in_progress")}),
        *(
            ("function_call_arguments.delta", {**function, "delta": part})
            for part in cut(ARGUMENTS, size)
        ),
        ("function_call_arguments.done", {**function, "arguments": ARGUMENTS, "name": "read"}),
        ("output_item.done", {"output_index": 2, "item": call(ARGUMENTS)}),
        ("completed", {"response": response(thoughts(THOUGHT), message(TEXT), call(ARGUMENTS))}),
    ]
    return [
        {"type": f"response.{kind}", "sequence_number": number, **fields}
        for number, (kind, fields) in enumerate(made)
    ]


def objects(events: list[dict[str, Any]]) -> list[Any]:
    """Return the events as the client gives them."""
    from pydantic import TypeAdapter

    adapter: Any = TypeAdapter(responses.ResponseStreamEvent)
    return [adapter.validate_python(event) for event in events]


FORMS = [list, objects]


def deltas(left: list[Any], kind: str) -> str:
    return "".join(
        event["delta"] if isinstance(event, dict) else event.delta
        for event in left
        if (event["type"] if isinstance(event, dict) else event.type) == f"response.{kind}.delta"
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("plugins", [[], [Passing()]])
def test_what_nobody_changes_leaves_as_it_came(through: Any, form: Any, plugins: Any) -> None:
    given = form(wire(7))
    assert through(given, *plugins) == given


@pytest.mark.parametrize("form", FORMS)
def test_a_policy_judges_the_whole_response_once(through: Any, form: Any) -> None:
    passing = Passing()
    through(form(wire(7)), passing)
    [judged] = passing.seen
    assert (judged.content, judged.thinking) == (TEXT, THOUGHT)
    assert judged.tool_calls == [ToolCall("read", ARGUMENTS, "call_1")]


@pytest.mark.parametrize("policy", [Buffering, Windowed])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1, 7, 40, 1000])
def test_no_secret_leaves_in_any_event(
    through: Any, said: Any, policy: Any, form: Any, size: int
) -> None:
    left = through(form(wire(size)), policy())
    assert not any(SECRET in text for text in said(left))


@pytest.mark.parametrize("policy", [Buffering, Windowed])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_what_repeats_says_what_was_let_through(
    through: Any, policy: Any, form: Any, size: int
) -> None:
    left = through(form(wire(size)), policy())
    assert deltas(left, "output_text") == clean(TEXT)
    assert deltas(left, "reasoning_summary_text") == clean(THOUGHT)
    assert deltas(left, "function_call_arguments") == clean(ARGUMENTS)
    last = left[-1] if isinstance(left[-1], dict) else left[-1].model_dump()
    thought, text, function = last["response"]["output"]
    assert thought["summary"][0]["text"] == clean(THOUGHT)
    assert text["content"][0]["text"] == clean(TEXT)
    assert function["arguments"] == clean(ARGUMENTS)


@pytest.mark.parametrize("policy", [Buffering, Windowed])
def test_no_event_overtakes_another(through: Any, policy: Any) -> None:
    def kinds(events: list[Any]) -> list[str]:
        found: list[str] = []
        for event in events:
            if not found or found[-1] != event["type"]:
                found.append(event["type"])
        return found

    assert kinds(through(wire(3), policy())) == kinds(wire(3))


@pytest.mark.parametrize("policy", [Buffering, Windowed])
def test_a_last_event_alone_is_judged_too(through: Any, said: Any, policy: Any) -> None:
    left = through(wire(7)[-1:], policy())
    assert not any(SECRET in text for text in said(left))


@pytest.mark.parametrize("policy", [Buffering, Windowed])
def test_the_items_of_hosted_tools_are_read_too(through: Any, said: Any, policy: Any) -> None:
    item = {
        "id": "x",
        "type": "mcp_call",
        "name": "ask",
        "server_label": "s",
        "arguments": "{}",
        "output": TEXT,
    }
    events = [
        {"type": "response.mcp_call.in_progress", "output_index": 0, "item_id": "x"},
        *(
            {"type": "response.mcp_call_arguments.delta", "output_index": 0, "delta": part}
            for part in cut(TEXT, 7)
        ),
        {"type": "response.output_item.done", "output_index": 0, "item": item},
    ]
    left = through(events, policy())
    assert not any(SECRET in text for text in said(left))
    assert left[-1]["item"]["output"] == clean(TEXT)


@pytest.mark.parametrize(
    "event",
    [
        {"type": "response.image_generation_call.partial_image", "partial_image_b64": "iVBORw"},
        {"type": "response.audio.delta", "delta": "UklGRg=="},
        {"type": "response.something.new", "delta": TEXT},
    ],
)
def test_what_cannot_be_read_is_denied(through: Any, event: dict[str, Any]) -> None:
    with pytest.raises(HookAborted, match="no codec can read"):
        through([event], Passing())


@pytest.mark.parametrize("policy", [Buffering, Windowed])
def test_arguments_that_are_told_twice_must_be_the_same(through: Any, policy: Any) -> None:
    events = wire(7)
    for event in events:
        if event["type"] == "response.function_call_arguments.done":
            event["arguments"] = '{"path": "other"}'
    with pytest.raises(HookAborted, match="twice"):
        through(events, policy())
