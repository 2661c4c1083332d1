"""The order of a request: barriers, priorities, turns, setup."""

from __future__ import annotations

from typing import Any

import pytest

from hookcore import hookimpl
from hookcore_agent import Agent, ScriptedModel, Session, ToolCall
from hookcore_agent.lifecycle import (
    AgentProtocolError,
    EventHooks,
    Extension,
    MessageAppendedEvent,
    ModelHooks,
    RunHooks,
    SetupHooks,
    SystemMessage,
    ToolHooks,
    TurnHooks,
    UserMessage,
)

pytestmark = pytest.mark.asyncio

EVENTS = {"MessageAppendedEvent", "ready", "generating", "running_tool", "completed"}
WHOLE_REQUEST = [
    "on_tool",
    "on_state",
    "on_message",
    "before_run",
    "before_turn",
    "before_model",
    "after_model",
    "before_tool",
    "after_tool",
    "after_turn",
    "before_turn",
    "before_model",
    "after_model",
    "after_turn",
    "after_run",
    "on_success",
]


def methods(log: list[str]) -> list[str]:
    return [entry for entry in log if entry.split(".")[-1] not in EVENTS]


async def test_a_tool_turn_and_an_answer_turn_call_the_methods_in_order(
    make_agent: Any, journal: Any
) -> None:
    log: list[str] = []
    await make_agent(journal(log)).run("hi")
    assert methods(log) == WHOLE_REQUEST


async def test_every_extension_finishes_a_method_before_any_starts_the_next(
    make_agent: Any, journal: Any
) -> None:
    log: list[str] = []
    late, early = journal(log, "late", 200), journal(log, "early", 0)
    await make_agent(late, early).run("hi")
    assert methods(log) == [f"{who}.{name}" for name in WHOLE_REQUEST for who in ("early", "late")]


async def test_equal_priorities_keep_the_order_in_which_they_were_given(
    make_agent: Any, journal: Any
) -> None:
    log: list[str] = []
    await make_agent(journal(log, "b"), journal(log, "a")).run("hi")
    assert methods(log)[:2] == ["b.on_tool", "a.on_tool"]


@pytest.mark.parametrize("priority", [0, 200])
async def test_setup_comes_before_the_input_is_stored_whatever_the_priority(
    make_agent: Any, priority: int
) -> None:
    log: list[str] = []

    class Setup(Extension):
        async def on_tool(self, context: Any) -> None:
            log.append(f"tool {len(context.messages)}")

        async def on_state(self, context: Any) -> None:
            log.append(f"state {len(context.messages)}")

        async def on_message(self, context: Any) -> None:
            log.append(f"message {len(context.messages)}")

        async def on_event(self, context: Any, event: Any) -> None:
            if isinstance(event, MessageAppendedEvent) and event.message.role == "user":
                log.append("append")

        async def before_run(self, context: Any) -> None:
            log.append(f"before_run {len(context.messages)}")

        async def before_model(self, context: Any, request: Any) -> None:
            log.append("model")

    await make_agent(Setup(priority=priority), turns=["hello"]).run("hi")
    assert log == ["tool 0", "state 0", "message 0", "append", "before_run 1", "model"]


async def test_the_input_is_stored_once_as_on_message_left_it(make_agent: Any) -> None:
    originals: list[Any] = []

    class Shout(Extension):
        async def on_message(self, context: Any) -> None:
            originals.append(context.input_message)
            context.input_message = UserMessage(context.input_message.content.upper())

    result = await make_agent(Shout(), turns=["hello"]).run("hi")
    assert [message.content for message in result.messages] == ["HI", "hello"]
    assert originals[0].content == "hi"


@pytest.mark.parametrize("left", [None, "text", SystemMessage("no"), UserMessage(None)])
async def test_anything_but_a_user_message_is_refused_and_nothing_is_stored(
    make_agent: Any, left: Any
) -> None:
    class Wrong(Extension):
        async def on_message(self, context: Any) -> None:
            context.input_message = left

    agent = make_agent(Wrong(), turns=["hello"])
    with pytest.raises(AgentProtocolError, match="UserMessage"):
        await agent.run("hi", "s")
    assert agent.session("s").messages == []


async def test_on_state_restores_history_and_inserts_system_messages(make_agent: Any) -> None:
    announced: list[str] = []

    class Restore(Extension):
        async def on_state(self, context: Any) -> None:
            old = [{"role": "user", "content": "before"}, {"role": "assistant", "content": "ok"}]
            context.state.replace_messages(old, emit_new=False)
            context.state.add_message(SystemMessage("be kind"), index=0)

        async def on_event(self, context: Any, event: Any) -> None:
            if isinstance(event, MessageAppendedEvent):
                announced.append(event.message.content)

    agent = make_agent(Restore(), turns=["hello"])
    result = await agent.run("hi")
    assert [message.content for message in result.messages] == [
        "be kind",
        "before",
        "ok",
        "hi",
        "hello",
    ]
    assert announced == ["be kind", "hi", "hello"]


async def test_calls_left_open_in_a_restored_history_are_answered(make_agent: Any) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": "{}"}}

    class Restore(Extension):
        async def on_state(self, context: Any) -> None:
            lost = {"role": "assistant", "content": "", "tool_calls": [call]}
            context.state.replace_messages([lost], emit_new=False)

    result = await make_agent(Restore(), turns=["hello"]).run("hi")
    assert [message.role for message in result.messages] == [
        "assistant",
        "tool",
        "user",
        "assistant",
    ]


async def test_on_tool_registers_tools_that_the_model_is_offered(make_agent: Any) -> None:
    def subtract(a: int, b: int) -> int:
        """Subtract."""
        return a - b

    class More(Extension):
        async def on_tool(self, context: Any) -> None:
            context.register_tool(subtract)
            context.register_server_tool("web_search")

    turns = [[ToolCall("subtract", {"a": 3, "b": 1})], "two"]
    agent = make_agent(More(), turns=turns)
    result = await agent.run("hi")
    request = agent.model.requests[0]
    assert [tool.name for tool in request.tools] == ["add", "subtract"]
    assert [tool.type for tool in request.server_tools] == ["web_search"]
    assert result.messages[2].content == "2"


@pytest.mark.parametrize("name", ["add", "web_search"])
async def test_registering_a_name_twice_fails_the_request(make_agent: Any, name: str) -> None:
    class Twice(Extension):
        async def on_tool(self, context: Any) -> None:
            context.register_server_tool("web_search")
            context.register_server_tool(name)

    with pytest.raises(ValueError, match=f"a tool {name} already"):
        await make_agent(Twice()).run("hi")


async def test_a_failed_tool_still_ends_its_turn(make_agent: Any, journal: Any) -> None:
    log: list[str] = []

    def add(a: int, b: int) -> int:
        """Fail."""
        raise OSError("broken")

    await make_agent(journal(log), tools=[add]).run("hi")
    assert methods(log) == WHOLE_REQUEST


async def test_after_turn_gets_the_opening_message_with_all_answers_stored(
    make_agent: Any,
) -> None:
    seen: list[tuple[Any, list[str]]] = []

    class Turns(Extension):
        async def after_turn(self, context: Any, message: Any) -> None:
            roles = [item.role for item in context.session.messages]
            seen.append((len(message.tool_calls), roles))

    await make_agent(Turns()).run("hi")
    assert seen == [
        (1, ["user", "assistant", "tool"]),
        (0, ["user", "assistant", "tool", "assistant"]),
    ]


async def test_steering_gives_two_turns_inside_one_run(make_agent: Any, journal: Any) -> None:
    log: list[str] = []
    agent: Agent

    def first(request: Any) -> str:
        agent.steer("more", "s")
        return "one"

    agent = make_agent(journal(log), turns=[first, "two"])
    await agent.run("hi", "s")
    names = methods(log)
    assert [names.count(n) for n in ("on_message", "before_run", "before_turn", "after_run")] == [
        1,
        1,
        2,
        1,
    ]


async def test_a_skipped_batch_fires_no_tool_method_but_after_turn_once(
    make_agent: Any, journal: Any
) -> None:
    log: list[str] = []
    agent: Agent

    def first(request: Any) -> list[ToolCall]:
        agent.steer("stop", "s")
        return [ToolCall("add", {"a": 1, "b": 1})]

    agent = make_agent(journal(log), turns=[first, "two"])
    await agent.run("hi", "s")
    first_turn = methods(log)[methods(log).index("before_turn") :]
    assert first_turn[:4] == ["before_turn", "before_model", "after_model", "after_turn"]


async def test_a_failing_model_means_no_after_turn(make_agent: Any, journal: Any) -> None:
    log: list[str] = []
    with pytest.raises(ConnectionError):
        await make_agent(journal(log), turns=[ConnectionError("gone")]).run("hi")
    assert "after_turn" not in log
    assert methods(log)[-1] == "on_error"


async def test_edits_of_before_turn_last_for_that_turn(make_agent: Any) -> None:
    class Hint(Extension):
        async def before_turn(self, context: Any) -> None:
            context.state.add_message(SystemMessage("hint"))

    agent = make_agent(Hint())
    result = await agent.run("hi")
    hints = [
        [message.content for message in request.messages].count("hint")
        for request in agent.model.requests
    ]
    assert hints == [1, 1]
    assert "hint" not in [message.content for message in result.messages]


async def test_persist_keeps_the_edits_of_a_turn(make_agent: Any) -> None:
    class Hint(Extension):
        async def before_turn(self, context: Any) -> None:
            context.state.add_message(SystemMessage("hint"))
            context.persist()

    agent = make_agent(Hint(), instructions="You add.")
    result = await agent.run("hi")
    assert [message.content for message in result.messages].count("hint") == 2
    hints = [
        [message.content for message in request.messages].count("hint")
        for request in agent.model.requests
    ]
    assert hints == [1, 2]


async def test_tools_of_before_turn_last_for_that_turn(make_agent: Any) -> None:
    class Once(Extension):
        def __init__(self) -> None:
            super().__init__()
            self.turns = 0

        async def before_turn(self, context: Any) -> None:
            self.turns += 1
            if self.turns == 1:
                context.register_server_tool("web_search")

    agent = make_agent(Once())
    await agent.run("hi")
    assert [len(request.server_tools) for request in agent.model.requests] == [1, 0]


async def test_the_groups_are_disjoint_and_make_up_an_extension() -> None:
    groups = (SetupHooks, RunHooks, TurnHooks, ModelHooks, ToolHooks, EventHooks)
    names = [{name for name in vars(group) if not name.startswith("_")} for group in groups]
    assert sum(map(len, names)) == len(set().union(*names)) == 17
    assert all(Extension.__mro__.count(group) == 1 for group in groups)


async def test_an_extension_has_the_priority_100_and_its_class_s_name() -> None:
    class Named(Extension):
        name = "given"

    class Child(Named):
        pass

    class Plain(Extension):
        pass

    assert (Plain().name, Plain().priority, Named().name, Child().name) == (
        "Plain",
        100,
        "given",
        "given",
    )


@pytest.mark.parametrize("name", ["", "  "])
async def test_a_blank_name_is_refused(make_agent: Any, name: str) -> None:
    class Blank(Extension):
        pass

    Blank.name = name
    with pytest.raises(ValueError, match="blank name"):
        make_agent(Blank())


async def test_two_extensions_of_one_name_are_refused(make_agent: Any, journal: Any) -> None:
    with pytest.raises(ValueError, match="two extensions are named 'x'"):
        make_agent(journal([], "x"), journal([], "x"))


async def test_an_extension_does_not_hear_of_a_sub_agents_request(
    manager: Any, make_agent: Any, journal: Any
) -> None:
    log: list[str] = []
    child = Agent("child", ScriptedModel(["inner"]))
    turns = [[ToolCall("child", {"text": "go"})], "three"]
    await make_agent(journal(log), tools=[child], turns=turns).run("hi")
    assert methods(log) == WHOLE_REQUEST


async def test_a_session_of_the_caller_s_own_is_used(make_agent: Any) -> None:
    session = Session("mine")
    await make_agent(turns=["hello"]).run("hi", session)
    assert len(session.messages) == 2


async def test_an_agent_that_asks_itself_keeps_both_requests_apart(make_agent: Any) -> None:
    log: list[str] = []

    class Watch(Extension):
        async def before_tool(self, context: Any, call: Any) -> None:
            log.append(f"{context.messages[0].content}: {call.name}")

    def script(request: Any) -> Any:
        text, last = request.messages[0].content, request.messages[-1]
        if last.role == "tool":
            return f"{text} done"
        inner = ToolCall("ask_itself", {"text": "inner"})
        return [inner] if text == "outer" else [ToolCall("add", {"a": 1, "b": 1})]

    agent = make_agent(Watch(), model=ScriptedModel(script))
    agent._add_tool(agent.as_tool("ask_itself"))
    result = await agent.run("outer")
    assert log == ["outer: ask_itself", "inner: add"]
    assert result.messages[2].content == "inner done"


async def test_an_extension_serves_several_agents(make_agent: Any, journal: Any) -> None:
    log: list[str] = []
    shared = journal(log)
    child = Agent("child", ScriptedModel(["inner"]), extensions=[shared])
    turns = [[ToolCall("child", {"text": "go"})], "three"]
    await make_agent(shared, tools=[child], turns=turns).run("hi")
    assert [log.count(name) for name in ("before_run", "before_tool", "on_success")] == [2, 1, 2]


async def test_a_request_in_a_scope_of_its_callers_has_both_plugins(
    manager: Any, make_agent: Any, journal: Any
) -> None:
    log: list[str] = []

    class Scoped:
        @hookimpl
        def pre_run(self, ctx: Any) -> None:
            log.append("scoped")

    agent = make_agent(journal(log), turns=["one", "two"])
    with manager.scope(Scoped()):
        await agent.run("hi")
    await agent.run("hi")
    assert [log.count(name) for name in ("scoped", "before_run")] == [1, 2]
