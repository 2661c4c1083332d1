"""Mistakes in what boundaries are called with, where policies are loaded and where none is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookManager, ModelCallContext, hookimpl


class Watching:
    """A plugin at all points that the calls below pass."""

    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None:
        """Let pass."""

    @hookimpl
    def pre_model_call(self, ctx: Any) -> None:
        """Let pass."""

    @hookimpl
    def message_sending(self, ctx: Any) -> None:
        """Let pass."""


@pytest.fixture(params=["idle", "watched"])
def manager(request: pytest.FixtureRequest) -> HookManager:
    made = HookManager()
    if request.param == "watched":
        made.register(Watching())
    return made


def same(value: Any) -> Any:
    return value


Call = Callable[[HookManager], Any]
WRONG: list[tuple[Call, str]] = [
    (lambda m: m.call_tool("x", {}, same, agnet="a"), "call_tool() got an unexpected keyword "),
    (lambda m: m.call_tool("x", {}, same, agnet="a"), "'agnet'; did you mean \"agent\"?"),
    (lambda m: m.call_tool("x", {}, same, on_denid="raise"), 'did you mean "on_denied"?'),
    (lambda m: m.call_tool("x", {}, same, tool_name="y"), "takes tool_name before the keywords"),
    (lambda m: m.call_tool("x", {}, same, q=1), "and all else in attributes={...}"),
    (
        lambda m: asyncio.run(m.acall_tool("x", {}, same, run_di="a")),
        "acall_tool() got an unexpected keyword argument 'run_di'; did you mean \"run_id\"?",
    ),
    (lambda m: m.call_model([], same, modle="a"), "call_model() got an unexpected keyword"),
    (lambda m: asyncio.run(m.acall_model([], same, modle="a")), 'did you mean "model"?'),
    (lambda m: list(m.stream_model([], iter, codce="a")), 'did you mean "codec"?'),
    (lambda m: m.run({}, sesion_id="a"), "run() got an unexpected keyword argument 'sesion_id'"),
    (lambda m: m.turn([], indx=1), "turn() got an unexpected keyword argument 'indx'; did you"),
    (lambda m: m.step("a", knd="task"), "step() got an unexpected keyword argument 'knd'; did"),
    (lambda m: m.send_message("a", same, agnt="b"), "send_message() got an unexpected keyword"),
    (lambda m: m.settle("prompt_build", "a", agnt="b"), "settle() got an unexpected keyword"),
]


@pytest.mark.parametrize(("call", "words"), WRONG)
def test_a_misspelt_keyword_is_told_with_the_boundary_and_the_nearest_right_one(
    manager: HookManager, call: Call, words: str
) -> None:
    with pytest.raises(TypeError) as caught:
        call(manager)
    assert words in str(caught.value)
    assert "__init__" not in str(caught.value)


def test_a_wrong_value_keeps_its_own_error(manager: HookManager) -> None:
    with pytest.raises(TypeError, match="takes the function that runs the tool"):
        manager.call_tool("x", {}, None)


@pytest.mark.parametrize(
    "call",
    [
        lambda m, given: m.call_model(given, same),
        lambda m, given: asyncio.run(m.acall_model(given, same)),
        lambda m, given: list(m.stream_model(given, iter)),
    ],
)
@pytest.mark.parametrize(
    ("given", "what"),
    [
        ("hello", "a text"),
        (b"hello", "bytes"),
        ({"role": "user", "content": "hello"}, "one message"),
        (ModelCallContext(messages="hello"), "a text"),
    ],
)
def test_messages_that_are_no_list_are_refused_with_and_without_a_policy(
    manager: HookManager, call: Callable[..., Any], given: Any, what: str
) -> None:
    with pytest.raises(TypeError, match=rf"call_model|stream_model\(\) takes .* not {what}: write"):
        call(manager, given)


def test_other_sequences_of_messages_are_taken(manager: HookManager) -> None:
    assert manager.call_model([{"role": "user"}], len) == 1
