"""However a response is cut and mixed, nothing leaves that was not judged, in any event."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookcore import HookManager, ModelResponse, ToolCall, hookimpl
from hookcore.streaming import Parts, PartsCodec, StreamCall, StreamEnd, StreamText

SECRET = re.compile(r"sk-[a-z0-9]{8}")
KEY = "sk-abcd1234"


class Codec(PartsCodec):
    """Reads dicts: a piece of a text, of a call, a repeated text, an end, or a ping."""

    def parts(self, event: Any) -> Parts | None:
        """Return what an event is made of."""
        kind, key = event["kind"], (event.get("key"),)
        if kind == "text":
            return [StreamText(event["text"], key)]
        if kind == "so far":
            return [StreamText(event["text"], key), StreamText(event["whole"], key, repeats=True)]
        if kind == "done":
            return [StreamEnd(key), StreamText(event["text"], key, repeats=True)]
        if kind == "call":
            return [StreamCall(key, event["id"], "tool", event["text"])]
        return [StreamEnd(("call", event["id"]))] if kind == "called" else []

    def with_parts(self, event: Any, parts: Parts) -> Any:
        """Return an event with other parts."""
        changed = dict(event)
        for part in parts:
            if isinstance(part, StreamCall):
                changed["text"] = part.arguments
            elif isinstance(part, StreamText):
                name = "whole" if part.repeats and event["kind"] == "so far" else "text"
                changed[name] = part.text
        return changed


def redacted(response: Any) -> Any:
    if isinstance(response, str):
        return SECRET.sub("[key]", response)
    calls = [replace(call, arguments=redacted(call.arguments)) for call in response.tool_calls]
    return ModelResponse(redacted(response.content), calls)


class Buffering:
    @hookimpl(on_error="deny")
    def post_model_call(self, ctx: Any) -> Any:
        """Redact all of it."""
        return redacted(ctx.response)


class Windowed:
    @hookimpl(stream="window", window=12, on_error="deny")
    def post_model_call(self, ctx: Any) -> Any:
        """Redact a piece of it."""
        return redacted(ctx.response)


class Observing:
    @hookimpl(stream="observe")
    def post_model_call(self, ctx: Any) -> Any:
        """Look at it."""
        return redacted(ctx.response)


def managed(policy: type) -> HookManager:
    manager = HookManager()
    manager.register(policy())
    return manager


def streamed(policy: type, events: list[Any]) -> list[Any]:
    """Return what leaves, which is the same for hosts that await and hosts that do not."""

    async def model(messages: Any) -> AsyncIterator[Any]:
        for event in events:
            yield event

    async def collected() -> list[Any]:
        stream = managed(policy).astream_model([], model, codec=Codec())
        return [event async for event in stream]

    plain = list(managed(policy).stream_model([], lambda sent: iter(events), codec=Codec()))
    assert asyncio.run(collected()) == plain
    return plain


WORDS = st.one_of(
    st.sampled_from([KEY, "sk-", "sk-abcd123", "4"]), st.text("xyz ", min_size=1, max_size=9)
)
TEXTS = st.lists(WORDS, max_size=8).map("".join)


@st.composite
def responses(draw: st.DrawFn) -> tuple[list[str], list[dict[str, Any]]]:
    """Draw texts and the events that stream them, in turns, with calls and pings between."""
    texts = draw(st.lists(TEXTS, min_size=1, max_size=3))
    sofar = draw(st.booleans())
    left: dict[int, str] = dict(enumerate(texts))
    events: list[dict[str, Any]] = []
    calls = 0
    while left:
        step = draw(st.sampled_from(["text"] * 6 + ["ping", "call"]))
        if step == "ping":
            events.append({"kind": "ping"})
        elif step == "call" and calls < 2:
            arguments = json.dumps({"a": draw(st.sampled_from([KEY, "b"]))})
            cut = draw(st.integers(0, len(arguments)))
            call = {"kind": "call", "key": f"call {calls}", "id": str(calls)}
            events += [{**call, "text": arguments[:cut]}, {**call, "text": arguments[cut:]}]
            calls += 1
        else:
            key = draw(st.sampled_from(sorted(left)))
            size = draw(st.integers(1, 7))
            text, left[key] = left[key][:size], left[key][size:]
            kind = "so far" if sofar else "text"
            if text:
                whole = texts[key][: len(texts[key]) - len(left[key])]
                events.append({"kind": kind, "key": key, "text": text, "whole": whole})
            if not left[key]:
                events.append({"kind": "done", "key": key, "text": texts[key]})
                del left[key]
    return texts, events


def joined(events: list[Any], key: Any) -> str:
    return "".join(
        event["text"]
        for event in events
        if event.get("key") == key and event["kind"] in ("text", "so far", "call")
    )


@given(responses())
def test_no_secret_leaves_in_any_event(drawn: Any) -> None:
    texts, events = drawn
    for policy in (Buffering, Windowed):
        left = streamed(policy, events)
        for key in {event["key"] for event in left if "key" in event}:
            assert not SECRET.search(joined(left, key))
        for event in left:
            if event["kind"] in ("so far", "done"):
                assert not SECRET.search(event["whole" if event["kind"] == "so far" else "text"])
        if policy is Windowed:
            for key, text in enumerate(texts):
                assert joined(left, key) == redacted(text)


@given(responses())
def test_what_repeats_a_text_says_what_has_left_of_it(drawn: Any) -> None:
    _, events = drawn
    said: dict[Any, str] = {}
    for event in streamed(Windowed, events):
        key = event.get("key")
        if event["kind"] in ("text", "so far"):
            said[key] = said.get(key, "") + event["text"]
        if event["kind"] == "so far":
            assert event["whole"] == said[key]
        elif event["kind"] == "done":
            assert event["text"] == said.get(key, "")


@given(responses())
def test_the_calls_leave_whole_and_judged(drawn: Any) -> None:
    _, events = drawn
    for policy in (Buffering, Windowed, Observing):
        left = streamed(policy, events)
        for key in {event["key"] for event in events if event["kind"] == "call"}:
            expected = joined(events, key)
            assert joined(left, key) == (expected if policy is Observing else redacted(expected))


@given(responses())
def test_who_only_observes_changes_nothing(drawn: Any) -> None:
    texts, events = drawn
    left = streamed(Observing, events)
    assert [e for e in left if e["kind"] != "call"] == [e for e in events if e["kind"] != "call"]
    for key, text in enumerate(texts):
        assert joined(left, key) == text


@given(responses())
def test_pings_and_ends_leave_in_their_order(drawn: Any) -> None:
    _, events = drawn

    def order(found: list[Any]) -> list[Any]:
        return [
            (event["kind"], event.get("key"))
            for event in found
            if event["kind"] in ("ping", "done")
        ]

    for policy in (Buffering, Windowed):
        assert order(streamed(policy, events)) == order(events)


@given(responses())
def test_a_text_ends_before_its_end_is_told(drawn: Any) -> None:
    _, events = drawn
    over: set[Any] = set()
    for event in streamed(Windowed, events):
        if event["kind"] == "done":
            over.add(event["key"])
        elif "key" in event:
            assert event["key"] not in over


def test_a_call_is_judged_as_the_call_that_it_is() -> None:
    seen: list[Any] = []

    class Watching:
        @hookimpl(stream="window")
        def post_model_call(self, ctx: Any) -> None:
            """Note it."""
            seen.append(ctx.response)

    pieces = [
        {"kind": "call", "key": "c", "id": "1", "text": '{"a": '},
        {"kind": "call", "key": "c", "id": None, "text": "1}"},
    ]
    assert streamed(Watching, pieces) == pieces
    assert seen == [ModelResponse("", [ToolCall("tool", '{"a": 1}', "1")])] * 2
