"""The order of all points of each boundary, and what each of them is given."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import HookManager, ModelCallContext

Add = Callable[..., str]

MODEL = ("pre_model_call", "model_input", "post_model_call", "model_output", "model_finished")
TOOL = ("pre_tool_call", "post_tool_call", "tool_finished")
RUN = ("execution_start", "input", "pre_run", "post_run", "output", "execution_end", "run_finished")
TURN = ("pre_turn", "post_turn", "turn_finished")
STEP = ("pre_step", "post_step", "step_finished")
WRAPS = ("wrap_model_call", "wrap_tool_call")


@pytest.fixture
def told(manager: HookManager, add: Add) -> list[str]:
    """Return the list that each point adds its name to, wraps before and after."""
    seen: list[str] = []

    def noting(point: str) -> Callable[[Any], None]:
        def note(ctx: Any) -> None:
            seen.append(point)

        return note

    def around(point: str) -> Callable[[Any, Any], Iterator[Any]]:
        def wrap(ctx: Any, call_next: Any) -> Iterator[Any]:
            seen.append(f"{point} in")
            yield
            seen.append(f"{point} out")

        return wrap

    for point in (*MODEL, *TOOL, *RUN, *TURN, *STEP):
        add(point, noting(point))
    for point in WRAPS:
        add(point, around(point))
    return seen


MODEL_STEPS = [
    "pre_model_call",
    "wrap_model_call in",
    "model_input",
    "body",
    "wrap_model_call out",
    "post_model_call",
    "model_output",
    "model_finished",
]


def test_the_points_of_a_tool_call(manager: HookManager, told: list[str]) -> None:
    manager.call_tool("x", {}, lambda given: told.append("body"))
    assert told == [
        "pre_tool_call",
        "wrap_tool_call in",
        "body",
        "wrap_tool_call out",
        "post_tool_call",
        "tool_finished",
    ]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_the_points_of_a_model_call(
    manager: HookManager, told: list[str], asynchronous: Any
) -> None:
    def model(messages: Any) -> str:
        told.append("body")
        return "hello"

    if asynchronous:
        asyncio.run(manager.acall_model([], model))
    else:
        manager.call_model([], model)
    assert told == MODEL_STEPS


def test_the_points_of_a_streamed_model_call(
    manager: HookManager, told: list[str], drain: Any
) -> None:
    async def model(messages: Any) -> Any:
        told.append("body")
        yield "hello"

    assert asyncio.run(drain(manager.astream_model([], model))) == ["hello"]
    assert told == MODEL_STEPS


def test_the_points_of_a_run(manager: HookManager, told: list[str]) -> None:
    with manager.run({"city": "Oslo"}):
        told.append("body")
    assert told == [*RUN[:3], "body", *RUN[3:]]


def test_the_points_of_a_turn_and_of_a_step(manager: HookManager, told: list[str]) -> None:
    with manager.turn([]), manager.step("in"):
        told.append("body")
    assert told == ["pre_turn", "pre_step", "body", *STEP[1:], *TURN[1:]]


def test_async_with_gives_the_same_order(manager: HookManager, told: list[str]) -> None:
    async def main() -> None:
        async with manager.run(), manager.turn(), manager.step():
            told.append("body")

    asyncio.run(main())
    assert told == [*RUN[:3], "pre_turn", "pre_step", "body", *STEP[1:], *TURN[1:], *RUN[3:]]


# What the points are given


def test_model_input_is_what_is_sent_after_all_wraps(manager: HookManager, add: Add) -> None:
    def wrap(ctx: Any, call_next: Any) -> Iterator[Any]:
        yield [*ctx.messages, "added"]

    seen: list[Any] = []
    add("wrap_model_call", wrap)
    add("model_input", lambda ctx: seen.append(list(ctx.messages)))
    manager.call_model(["hi"], lambda messages: "hello")
    assert seen == [["hi", "added"]]


def test_model_input_is_told_once_for_each_sending(manager: HookManager, add: Add) -> None:
    async def retry(ctx: Any, call_next: Any) -> Any:
        try:
            return await call_next()
        except ConnectionError:
            return await call_next(["again"])

    answers: list[Any] = [ConnectionError(), "hello"]

    def model(messages: Any) -> Any:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    seen: list[Any] = []
    add("wrap_model_call", retry)
    add("model_input", lambda ctx: seen.append(list(ctx.messages)))
    asyncio.run(manager.acall_model(["hi"], model))
    assert seen == [["hi"], ["again"]]


def test_model_output_is_the_response_as_it_is_used(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []
    add("post_model_call", lambda ctx: ctx.response.upper())
    add("model_output", lambda ctx: seen.append(ctx.response))
    assert manager.call_model([], lambda messages: "hello") == "HELLO"
    assert seen == ["HELLO"]


def test_the_messages_stay_readable_after_the_call(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []
    for point in ("post_model_call", "model_output", "model_finished"):
        add(point, lambda ctx: seen.append(list(ctx.messages)))
    manager.call_model(["hi"], lambda messages: "hello")
    assert seen == [["hi"]] * 3


def test_the_messages_stay_readable_after_a_stream(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    seen: list[Any] = []
    for point in ("post_model_call", "model_output", "model_finished"):
        add(point, lambda ctx: seen.append(list(ctx.messages)))
    asyncio.run(drain(manager.astream_model(["hi"], streaming("hello"))))
    assert seen == [["hi"]] * 3


def test_a_replacement_of_the_messages_is_written_into_the_hosts_list(
    manager: HookManager, add: Add
) -> None:
    add("pre_model_call", lambda ctx: [*ctx.messages, "added"])
    messages, sent = ["hi"], list[Any]()
    manager.call_model(messages, lambda given: sent.append(list(given)))
    assert (messages, sent) == (["hi", "added"], [["hi", "added"]])


def test_the_fields_of_a_model_call_reach_the_hooks(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []
    add("pre_model_call", lambda ctx: seen.append((ctx.model, ctx.provider, ctx.iterations)))
    manager.call_model([], lambda messages: 1, model="small", provider="local", iterations=3)
    assert seen == [("small", "local", 3)]


def test_what_the_host_puts_on_its_context_is_there_at_the_end(
    manager: HookManager, add: Add
) -> None:
    seen: list[Any] = []
    ctx = ModelCallContext(messages=[], model="small")

    def model(messages: Any) -> str:
        ctx.usage = {"total_tokens": 7}
        return "hello"

    add("model_finished", lambda ctx: seen.append((ctx.usage, ctx.payload)))
    manager.call_model(ctx, model)
    assert seen == [({"total_tokens": 7}, None)]


def test_a_run_hands_its_inputs_and_message_through(manager: HookManager, add: Add) -> None:
    add("input", lambda ctx: {**ctx.payload, "unit": "C"})
    add("pre_run", lambda ctx: ctx.payload.strip())
    add("post_run", lambda ctx: f"{ctx.payload}!")
    add("output", lambda ctx: [ctx.payload])
    add("execution_end", lambda ctx: (ctx.status, *ctx.payload))
    with manager.run({"city": "Oslo"}, message=" hi ") as run:
        run.result = (run.inputs, run.message)
    assert run.result == ("completed", "({'city': 'Oslo', 'unit': 'C'}, 'hi')!")


def test_a_turn_hands_its_messages_and_opening_through(manager: HookManager, add: Add) -> None:
    add("pre_turn", lambda ctx: [*ctx.payload, "more"])
    add("post_turn", lambda ctx: ctx.payload.upper())
    with manager.turn(["hi"], index=2) as turn:
        turn.opening = " ".join(turn.messages)
    assert turn.opening == "HI MORE"


def test_a_step_hands_its_input_and_output_through(manager: HookManager, add: Add) -> None:
    add("pre_step", lambda ctx: (ctx.kind, ctx.step_name, ctx.payload))
    add("post_step", lambda ctx: [ctx.payload])
    with manager.step("in", kind="task", step_name="research") as step:
        step.output = step.input
    assert step.output == [("task", "research", "in")]


def test_a_run_is_finished_with_its_result(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []
    add("run_finished", lambda ctx: seen.append((ctx.payload, ctx.status, ctx.error)))
    with manager.run() as run:
        run.result = "done"
    assert seen == [("done", "ok", None)]
