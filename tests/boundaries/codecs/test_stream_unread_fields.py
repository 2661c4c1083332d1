"""A known event says nothing unseen: not in a field that its codec does not know either."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator, Iterator
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore import HookAborted, HookManager, ModelResponse

from .policies import SECRET, Buffering, Passing, Windowed, leaves

CHUNK = {"object": "chat.completion.chunk"}
CHAT: list[dict[str, Any]] = [
    {**CHUNK, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hello"}}]},
    {**CHUNK, "choices": [{"index": 0, "delta": {"content": " you."}, "finish_reason": "stop"}]},
    {**CHUNK, "choices": [], "usage": {"total_tokens": 3}},
]
PLAIN = [{"object": "text_completion", "choices": [{"index": 0, "text": "Hello"}]}]
BLOCK = {"type": "text", "text": ""}
MESSAGES: list[dict[str, Any]] = [
    {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}},
    {"type": "content_block_start", "index": 0, "content_block": BLOCK},
    {"type": "ping"},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
    {"type": "message_stop"},
]
TEXT = {"type": "output_text", "text": "Hello", "annotations": []}
ITEM = {"type": "message", "id": "i", "role": "assistant", "content": [TEXT]}
RESPONSES: list[dict[str, Any]] = [
    {"type": "response.created", "response": {"id": "r", "output": []}},
    {"type": "response.web_search_call.completed", "item_id": "w", "output_index": 9},
    {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Hello"},
    {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "Hello"},
    {"type": "response.output_item.done", "output_index": 0, "item": ITEM},
    {"type": "response.completed", "response": {"id": "r", "output": [ITEM]}},
]
GENAI: list[dict[str, Any]] = [
    {"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": "Hello"}]}}]},
    {"candidates": [{"index": 0, "finishReason": "STOP"}], "modelVersion": "m"},
]
STREAMS = {
    "chat": CHAT,
    "plain": PLAIN,
    "messages": MESSAGES,
    "responses": RESPONSES,
    "genai": GENAI,
}


def dicts(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all dicts in a tree, but for the counts of what was used, which are no text."""
    if isinstance(value, dict):
        yield value
        for name, item in value.items():
            if name != "usage":
                yield from dicts(item)
    elif isinstance(value, list):
        for item in value:
            yield from dicts(item)


def left_of(events: list[Any], *plugins: object, sync: bool) -> list[Any]:
    """Return what leaves of a stream, up to where it is denied."""
    manager, left = HookManager(), list[Any]()
    for plugin in plugins:
        manager.register(plugin)

    async def model(messages: Any) -> AsyncIterator[Any]:
        for event in events:
            yield event

    async def read() -> None:
        async for event in manager.astream_model([], model):
            left.append(event)

    try:
        if sync:
            left += manager.stream_model([], lambda sent: iter(events))
        else:
            asyncio.run(read())
    except HookAborted:
        return left
    return left


NAMES = st.text(st.characters(min_codepoint=97, max_codepoint=122), min_size=9, max_size=12)
WRAPPED = st.sampled_from(
    [
        lambda secret: secret,
        lambda secret: [secret],
        lambda secret: {"label": [{"title": secret}]},
        lambda secret: (1, None, secret),
        lambda secret: secret.encode(),
        lambda secret: {secret},
        ValueError,
        lambda secret: MappingProxyType({"note": f"before {secret} after"}),
    ]
)


@settings(max_examples=150)
@given(
    data=st.data(),
    stream=st.sampled_from(sorted(STREAMS)),
    name=NAMES,
    wrapped=WRAPPED,
    policy=st.sampled_from([Buffering, Windowed]),
    sync=st.booleans(),
)
def test_a_secret_in_any_new_field_of_any_event_does_not_leave(
    data: Any, stream: str, name: str, wrapped: Any, policy: Any, *, sync: bool
) -> None:
    events = copy.deepcopy(STREAMS[stream])
    holder = data.draw(st.sampled_from(list(dicts(events))), label="holder")
    holder[name] = wrapped(SECRET)
    left = left_of(events, policy(), sync=sync)
    assert SECRET not in repr(left)


@pytest.mark.parametrize(
    "event",
    [
        {"choices": [{"text": SECRET}]},
        {"choices": [{"delta": {"content": SECRET}, "message": {"content": "Hello"}}]},
        {"choices": [{"delta": {"annotations": [{"url_citation": {"title": SECRET}}]}}]},
        {"choices": [{"delta": {"content": "Hello"}}], "citations": [f"https://{SECRET}"]},
        {"choices": [{"delta": {}, "error": {"message": SECRET}}]},
        {"choices": [], "error": {"message": SECRET}},
        {"choices": [{"delta": SECRET}]},
        {"choices": [SECRET]},
        {"type": "error", "error": {"type": "overloaded_error", "message": SECRET}},
        {"type": "error", "message": SECRET},
        {"type": "ping", "data": SECRET},
        {"type": "content_block_stop", "content_block": {"type": "text", "text": SECRET}},
        {"type": "message_stop", "message": {"content": [{"type": "text", "text": SECRET}]}},
        {"type": "content_block_start", "content_block": {**BLOCK, "citations": [{"a": SECRET}]}},
        {"type": "response.failed", "response": {"output": [], "error": {"message": SECRET}}},
        {"type": "response.mcp_call.completed", "output": SECRET},
        {"type": "response.audio.transcript.done", "transcript": SECRET},
        {"type": "response.incomplete", "response": {"incomplete_details": {"reason": SECRET}}},
        {"candidates": [{"output": SECRET}]},
        {"candidates": [{"content": SECRET}]},
        {"candidates": [{"finishReason": "STOP", "finishMessage": SECRET}]},
        {"candidates": [{"groundingMetadata": {"webSearchQueries": [SECRET]}}]},
        {"candidates": [], "promptFeedback": {"blockReasonMessage": SECRET}},
    ],
)
@pytest.mark.parametrize("policy", [Buffering, Windowed])
@pytest.mark.parametrize("sync", [True, False])
def test_a_secret_in_a_field_of_another_purpose_does_not_leave(
    event: Any, policy: Any, *, sync: bool
) -> None:
    assert SECRET not in repr(left_of([event], policy(), sync=sync))


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("sync", [True, False])
def test_what_tells_of_the_service_alone_is_no_part_of_the_response(
    stream: str, *, sync: bool
) -> None:
    passing = Passing()
    events = STREAMS[stream]
    assert left_of(events, passing, sync=sync) == events
    [response] = passing.seen
    assert response.content in ("Hello", "Hello you.")


def test_what_is_told_beside_a_text_stands_on_a_line_of_its_own() -> None:
    passing = Passing()
    event = {"choices": [{"delta": {"content": "Hello"}}], "citations": ["a.example"]}
    left_of([event], passing, sync=True)
    assert passing.seen == [ModelResponse("Hello\na.example")]


def test_a_rewritten_answer_leaves_what_stands_beside_it_where_it_was() -> None:
    secret = {"content": f"Use {SECRET}."}
    event = {"choices": [{"delta": secret}], "citations": ["a.example", f"b.example/{SECRET}"]}
    [left] = left_of([event], Buffering(), sync=True)
    assert left["choices"][0]["delta"]["content"] == "Use [key]."
    assert left["citations"] == ["a.example", "b.example/[key]"]
    assert SECRET not in {text for _, text in leaves(left)}
