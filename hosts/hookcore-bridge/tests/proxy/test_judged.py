from __future__ import annotations

import json
from typing import Any

import pytest

from hookcore import Abort, HookManager, ModelResponse, ToolCall, hookimpl
from hookcore.hosting.checks import MESSAGE, REASON, SECRET, checked

from . import made_up_models as models

web: Any = pytest.importorskip("aiohttp.web", reason="aiohttp is not installed")

pytestmark = pytest.mark.asyncio
WIRES = pytest.mark.parametrize("wire", models.WIRES)
STREAMED = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])


def answer(wire: str, text: str, *, streamed: bool, call: Any = None) -> Any:
    if streamed:
        body = models.as_stream(wire, models.events(wire, text, call=call))
        return web.Response(body=body, content_type="text/event-stream", headers={"X-Id": "1"})
    told = json.dumps(models.whole(wire, text, call=call), indent=1)
    return web.Response(text=told, content_type="application/json", headers={"X-Id": "1"})


def path(wire: str, *, streamed: bool) -> str:
    return str((models.STREAM_PATHS if streamed else models.PATHS)[wire])


async def ask(
    room: Any, wire: str, text: str, *, streamed: bool, **options: Any
) -> tuple[int, str]:
    body = models.request(wire, text, stream=streamed, **options)
    told: tuple[int, str] = await room.post(path(wire, streamed=streamed), body)
    return told


@WIRES
@STREAMED
@pytest.mark.parametrize("call", [None, models.CALL])
@pytest.mark.parametrize("governed", [False, True])
async def test_what_policies_leave_alone_passes_byte_for_byte(
    lab: Any, wire: str, *, streamed: bool, call: Any, governed: bool
) -> None:
    manager, recorder = checked()
    body = json.dumps(models.request(wire, "hi", stream=streamed), indent=2).encode()
    async with lab(manager if governed else None) as room:
        given = answer(wire, "hello", streamed=streamed, call=call)
        room.answers = [given]
        status, told = await room.post(path(wire, streamed=streamed), body)
        if wire == "gemini" and streamed and call:
            # A reason to finish leaves after the calls that had to be held.
            assert calls(wire, restored(wire, told)) == [models.CALL]
            assert "null" not in told
        else:
            assert (status, told) == (200, given.body.decode())
        assert room.requests[0][1] == body
    if governed:
        assert recorder.statuses("model_finished") == ["ok"]


@WIRES
@STREAMED
async def test_the_model_gets_what_policies_left_of_the_request(
    lab: Any, wire: str, *, streamed: bool
) -> None:
    manager, _ = checked()
    async with lab(manager) as room:
        room.answers = [answer(wire, "hello", streamed=streamed)]
        await ask(room, wire, f"it is {SECRET}", streamed=streamed, system=f"hide {SECRET}")
        expected = models.request(wire, "it is [gone]", system="hide [gone]", stream=streamed)
        assert room.sent == expected


@WIRES
@STREAMED
async def test_a_denied_request_never_reaches_the_model(
    lab: Any, wire: str, *, streamed: bool
) -> None:
    manager, recorder = checked()
    async with lab(manager) as room:
        status, told = await ask(room, wire, "STOP", streamed=streamed)
        assert room.requests == []
    assert status == (403 if wire == "anthropic" else 400)
    assert MESSAGE in json.loads(told)["error"]["message"]
    assert REASON not in told
    assert recorder.statuses("model_finished") == ["denied"]


@WIRES
@STREAMED
async def test_of_a_withheld_answer_no_byte_leaves(lab: Any, wire: str, *, streamed: bool) -> None:
    manager, recorder = checked()
    async with lab(manager) as room:
        room.answers = [answer(wire, "this is a LEAK of things", streamed=streamed)]
        status, told = await ask(room, wire, "hi", streamed=streamed)
    assert status == (403 if wire == "anthropic" else 400)
    assert json.loads(told)["error"]["message"].endswith(MESSAGE)
    assert recorder.statuses("model_finished") == ["denied"]


class Replacing:
    """Puts a response in the place of the model's."""

    def __init__(self, value: Any) -> None:
        self.value = value

    @hookimpl
    def post_model_call(self, ctx: Any) -> Any:
        return self.value


def restored(wire: str, told: str) -> Any:
    """Return the whole answer that a stream amounts to."""
    events = [
        json.loads(line.removeprefix("data: "))
        for line in told.splitlines()
        if line.startswith("data: {")
    ]
    if wire == "responses":
        assert [event["sequence_number"] for event in events] == list(range(len(events)))
        return events[-1]["response"]
    if wire == "gemini":
        parts = [part for e in events for part in e["candidates"][0]["content"]["parts"]]
        return {**events[-1], "candidates": [{"content": {"parts": parts}}]}
    if wire == "chat":
        deltas = [choice["delta"] for event in events for choice in event["choices"]]
        message: dict[str, Any] = {"content": "".join(d.get("content") or "" for d in deltas)}
        calls = [call for delta in deltas for call in delta.get("tool_calls", ())]
        if calls:
            arguments = "".join(call["function"]["arguments"] for call in calls)
            function = {**calls[0]["function"], "arguments": arguments}
            message["tool_calls"] = [{**calls[0], "function": function}]
        reasons = [c["finish_reason"] for e in events for c in e["choices"] if c["finish_reason"]]
        return {"choices": [{"message": message, "finish_reason": reasons[-1]}]}
    blocks: dict[int, Any] = {}
    for event in events:
        if event["type"] == "content_block_start":
            blocks[event["index"]] = {**event["content_block"], "json": ""}
        elif event["type"] == "content_block_delta":
            delta = event["delta"]
            blocks[event["index"]]["text"] = blocks[event["index"]].get("text", "") + delta.get(
                "text", ""
            )
            blocks[event["index"]]["json"] += delta.get("partial_json", "")
    kinds = [event["type"] for event in events if event["type"] != "ping"]
    assert (kinds[0], kinds[-2:]) == ("message_start", ["message_delta", "message_stop"])
    assert kinds.count("content_block_start") == kinds.count("content_block_stop")
    for block in blocks.values():
        if block["type"] == "tool_use":
            block["input"] = json.loads(block["json"])
    return {"content": list(blocks.values()), "stop_reason": events[-2]["delta"]["stop_reason"]}


def calls(wire: str, told: Any) -> list[tuple[str, Any]]:
    """Return the tool calls of a whole answer."""
    if wire == "anthropic":
        found = [block for block in told["content"] if block["type"] == "tool_use"]
        return [(block["name"], block["input"]) for block in found]
    if wire == "chat":
        found = told["choices"][0]["message"].get("tool_calls", [])
        named = [call["function"] for call in found]
        return [(call["name"], json.loads(call["arguments"])) for call in named]
    if wire == "responses":
        found = [item for item in told["output"] if item["type"] == "function_call"]
        return [(item["name"], json.loads(item["arguments"])) for item in found]
    parts = told["candidates"][0]["content"]["parts"]
    found = [part["functionCall"] for part in parts if "functionCall" in part]
    return [(call["name"], call["args"]) for call in found]


@WIRES
@STREAMED
@pytest.mark.parametrize("given", [None, models.CALL])
@pytest.mark.parametrize(
    ("value", "text", "call"),
    [
        ("another text", "another text", []),
        (ModelResponse("both", [ToolCall("look", {"q": 1}, "i")]), "both", [("look", {"q": 1})]),
        (ModelResponse("", [ToolCall("other", '{"z": []}')]), "", [("other", {"z": []})]),
        (ModelResponse(""), "", []),
    ],
)
async def test_a_replaced_answer_is_written_in_the_formats_own_events(
    lab: Any, wire: str, *, streamed: bool, given: Any, value: Any, text: str, call: Any
) -> None:
    manager = HookManager()
    manager.register(Replacing(value))
    async with lab(manager) as room:
        room.answers = [answer(wire, "as it was", streamed=streamed, call=given)]
        status, told = await ask(room, wire, "hi", streamed=streamed)
    assert status == 200
    made = restored(wire, told) if streamed else json.loads(told)
    assert (models.said(wire, made), calls(wire, made)) == (text, call)
    assert "as it was" not in told
    if streamed and wire == "chat":
        assert told.endswith("data: [DONE]\n\n")


@WIRES
@STREAMED
async def test_a_changed_text_stands_in_the_events_that_it_came_in(
    lab: Any, wire: str, *, streamed: bool
) -> None:
    class Redacting:
        @hookimpl
        def post_model_call(self, ctx: Any) -> None:
            ctx.texts().replace(lambda text: text.replace(SECRET, "[gone]"))

    manager = HookManager()
    manager.register(Redacting())
    async with lab(manager) as room:
        given = answer(wire, f"it is {SECRET}, yes", streamed=streamed, call=models.CALL)
        room.answers = [given]
        _, told = await ask(room, wire, "hi", streamed=streamed)
    assert SECRET not in told
    made = restored(wire, told) if streamed else json.loads(told)
    assert models.said(wire, made) == "it is [gone], yes"
    assert calls(wire, made) == [models.CALL]
    if not streamed:
        expected = models.whole(wire, "it is [gone], yes", call=models.CALL)
        assert made == expected


@WIRES
@STREAMED
async def test_a_policy_may_answer_in_the_models_place(
    lab: Any, wire: str, *, streamed: bool
) -> None:
    class Whole:
        @hookimpl
        async def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
            return ModelResponse("from the cache")

    class Pieces:
        @hookimpl
        async def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
            yield "from "
            yield "the cache"

    manager = HookManager()
    manager.register(Pieces() if streamed else Whole())
    async with lab(manager) as room:
        status, told = await ask(room, wire, "hi", streamed=streamed)
        assert room.requests == []
    assert status == 200
    made = restored(wire, told) if streamed else json.loads(told)
    assert models.said(wire, made) == "from the cache"


@WIRES
async def test_an_edit_in_place_around_the_call_is_written(lab: Any, wire: str) -> None:
    class Editing:
        @hookimpl
        async def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
            async for event in call_next():
                text = json.dumps(event).replace('"he', '"HE').replace('llo"', 'LLO"')
                event.clear()
                event.update(json.loads(text))
                yield event

    manager = HookManager()
    manager.register(Editing())
    async with lab(manager) as room:
        room.answers = [answer(wire, "hello", streamed=True)]
        _, told = await ask(room, wire, "hi", streamed=True)
    assert models.said(wire, restored(wire, told)) == "HELLO"


@WIRES
@STREAMED
async def test_policies_may_change_the_model_and_the_tools(
    lab: Any, wire: str, *, streamed: bool
) -> None:
    class Thrifty:
        @hookimpl
        def pre_model_call(self, ctx: Any) -> None:
            ctx.model = "small"
            ctx.tools = [tool for tool in ctx.tools if "buy" not in json.dumps(tool)]

    manager = HookManager()
    manager.register(Thrifty())
    body = {**models.request(wire, "hi", stream=streamed), "tools": [{"n": "buy"}, {"n": "look"}]}
    async with lab(manager) as room:
        room.answers = [answer(wire, "hello", streamed=streamed)]
        await room.post(path(wire, streamed=streamed), body)
        assert room.sent["tools"] == [{"n": "look"}]
        if wire == "gemini":
            assert "/models/small:" in room.requests[0][0].path
        else:
            assert room.sent["model"] == "small"


@WIRES
async def test_what_policies_are_told_of_a_call(lab: Any, wire: str) -> None:
    class Seen:
        told: list[Any] = []  # noqa: RUF012 - one test's

        @hookimpl
        def pre_model_call(self, ctx: Any) -> None:
            self.told.append((ctx.model, ctx.session_id, ctx.streamed))

        @hookimpl
        def model_finished(self, ctx: Any) -> None:
            self.told.append((ctx.status, bool(ctx.usage)))

    manager = HookManager()
    manager.register(Seen())
    Seen.told.clear()
    async with lab(manager) as room:
        for streamed in (False, True):
            room.answers = [answer(wire, "hello", streamed=streamed)]
            body = models.request(wire, "hi", stream=streamed)
            await room.post(path(wire, streamed=streamed), body, **{"X-Session-Id": "s"})
    assert Seen.told == [("m", "s", False), ("ok", True), ("m", "s", True), ("ok", True)]


@WIRES
@STREAMED
async def test_a_policy_that_breaks_is_told_to_nobody_outside(
    lab: Any, wire: str, *, streamed: bool
) -> None:
    class Broken:
        @hookimpl(on_error="raise")
        def pre_model_call(self, ctx: Any) -> None:
            raise ValueError(SECRET)

    manager = HookManager()
    manager.register(Broken())
    async with lab(manager) as room:
        status, told = await ask(room, wire, "hi", streamed=streamed)
        assert room.requests == []
    assert status == (403 if wire == "anthropic" else 400)
    assert "could not be judged" in told
    assert SECRET not in told


@WIRES
async def test_a_text_goes_through_a_window_while_it_streams(lab: Any, wire: str) -> None:
    class Window:
        @hookimpl(stream="window", window=4)
        def post_model_call(self, ctx: Any) -> Any:
            if "LEAK" in str(ctx.texts()):
                return Abort(REASON, message=MESSAGE)
            return None

    manager = HookManager()
    manager.register(Window())
    async with lab(manager) as room:
        room.answers = [
            answer(wire, "all is well and good here", streamed=True),
            answer(wire, "all is well and good here, but a LEAK", streamed=True),
        ]
        _, told = await ask(room, wire, "hi", streamed=True)
        assert models.said(wire, restored(wire, told)) == "all is well and good here"
        status, told = await ask(room, wire, "hi", streamed=True)
    assert "LEAK" not in told
    if status == 200:
        assert MESSAGE in told.rpartition("data: ")[2]


@pytest.mark.parametrize(
    ("wire", "path"),
    [
        ("anthropic", "/v1/messages/count_tokens"),
        ("responses", "/v1/responses/input_tokens"),
        ("gemini", "/v1beta/models/m:countTokens"),
    ],
)
async def test_counting_tokens_sends_what_policies_left(lab: Any, wire: str, path: str) -> None:
    manager, _ = checked()
    async with lab(manager) as room:
        room.answers = [web.Response(text='{"tokens":  7}', content_type="application/json")]
        told = await room.post(path, models.request(wire, SECRET))
        assert told == (200, '{"tokens":  7}')
        assert room.sent == models.request(wire, "[gone]")
