"""Gaps that CrewAI's own seams leave open, and the adapter closes from outside."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from crewai import LLM
from crewai.flow.flow import Flow, start
from crewai.hooks import (
    InterceptionPoint,
    clear_all_hooks,
    on,
    register_after_llm_call_hook,
    register_before_llm_call_hook,
    register_hook,
)
from crewai.utilities import agent_utils
from pydantic import BaseModel

from hookcore import HookAborted, HookManager, hookimpl
from hookcore_crewai.hooks.dispatch import scoped_hooks

from .office import Failing, native, react


class Answer(BaseModel):
    text: str


class Printer:
    def __init__(self) -> None:
        self.said: list[str] = []

    def print(self, content: str, color: str) -> None:
        self.said.append(f"{color}: {content}")


def executor(**more: Any) -> Any:
    parts: dict[str, Any] = {"messages": [{"role": "user"}], "llm": None, "iterations": 0}
    parts |= {"before_llm_call_hooks": [], "after_llm_call_hooks": []}
    return SimpleNamespace(**{**parts, **more})


# Lists that executors keep


def test_a_hook_that_is_registered_between_two_kickoffs_runs_in_the_second(office: Any) -> None:
    ran: list[int] = []
    crew = office.crew()
    crew.kickoff()
    register_before_llm_call_hook(lambda ctx: ran.append(1))
    crew.kickoff()
    assert ran == [1]


def test_a_hook_that_is_put_into_a_scopes_dict_runs_beside_one_of_the_executor() -> None:
    ran: list[str] = []
    asked = executor(before_llm_call_hooks=[lambda ctx: ran.append("own")])
    with scoped_hooks() as hooks:
        hooks[InterceptionPoint.PRE_MODEL_CALL] = [lambda ctx: ran.append("scoped")]
        assert agent_utils._setup_before_llm_call_hooks(asked, Printer())
    assert ran == ["own", "scoped"]


def test_a_hook_that_is_cleared_between_two_kickoffs_runs_no_more(office: Any) -> None:
    ran: list[int] = []
    register_before_llm_call_hook(lambda ctx: ran.append(1))
    crew = office.crew()
    crew.kickoff()
    clear_all_hooks()
    crew.kickoff()
    assert ran == [1]


class Slotted:
    """A hook that nothing can refer to weakly."""

    __slots__ = ("ran",)

    def __init__(self, ran: list[int]) -> None:
        self.ran = ran

    def __call__(self, ctx: Any) -> None:
        self.ran.append(1)


class Unhashable(Slotted):
    """A hook that cannot be in a set."""

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("kind", [Slotted, Unhashable])
def test_a_cleared_hook_of_any_kind_runs_no_more(office: Any, kind: Any) -> None:
    ran: list[int] = []
    register_before_llm_call_hook(kind(ran))
    crew = office.crew()
    crew.kickoff()
    clear_all_hooks()
    crew.kickoff()
    assert ran == [1]


def test_a_hook_of_the_one_executor_runs_after_the_global_ones() -> None:
    order: list[str] = []
    register_before_llm_call_hook(lambda ctx: order.append("global"))
    own = executor(before_llm_call_hooks=[lambda ctx: order.append("own")])
    assert agent_utils._setup_before_llm_call_hooks(own, Printer()) is True
    assert order == ["global", "own"]


def test_a_hook_of_the_one_executor_can_replace_the_answer() -> None:
    own = executor(after_llm_call_hooks=[lambda ctx: ctx.response.upper()])
    assert agent_utils._setup_after_llm_call_hooks(own, "hi", Printer()) == "HI"


def test_without_an_executor_nothing_is_dispatched() -> None:
    register_hook("pre_model_call", lambda ctx: False)
    assert agent_utils._setup_before_llm_call_hooks(None, Printer()) is True
    assert agent_utils._setup_after_llm_call_hooks(None, "hi", Printer()) == "hi"


@pytest.mark.parametrize("verbose", [True, False])
def test_a_block_is_said_in_yellow(*, verbose: bool) -> None:
    printer = Printer()
    register_before_llm_call_hook(lambda ctx: False)
    assert agent_utils._setup_before_llm_call_hooks(executor(), printer, verbose) is False
    assert printer.said == (["yellow: A hook blocked the model call"] if verbose else [])


def test_messages_that_are_no_list_after_the_call_are_put_back() -> None:
    def spoil(ctx: Any) -> None:
        ctx.executor.messages = "gone"

    own, printer = executor(), Printer()
    messages = own.messages
    register_after_llm_call_hook(spoil)
    agent_utils._setup_after_llm_call_hooks(own, "hi", printer)
    assert own.messages is messages
    assert "put back" in printer.said[0]


# Structured answers


def test_a_structured_answer_is_hooked_as_json_and_validated_again() -> None:
    register_after_llm_call_hook(lambda ctx: ctx.response.replace("secret", "[redacted]"))
    answer = agent_utils._setup_after_llm_call_hooks(executor(), Answer(text="a secret"), Printer())
    assert answer == Answer(text="a [redacted]")


def test_json_that_does_not_fit_the_class_leaves_the_answer_as_it_was() -> None:
    printer, answer = Printer(), Answer(text="a")
    register_after_llm_call_hook(lambda ctx: "no json")
    assert agent_utils._setup_after_llm_call_hooks(executor(), answer, printer) is answer
    assert "no Answer" in printer.said[0]


def test_tool_calls_are_no_answer_to_hook() -> None:
    seen: list[Any] = []
    register_after_llm_call_hook(seen.append)
    calls = [object()]
    assert agent_utils._setup_after_llm_call_hooks(executor(), calls, Printer()) is calls
    assert seen == []


# Direct calls


class Completion(dict[str, Any]):
    """The answer of litellm."""


@pytest.fixture
def direct(monkeypatch: pytest.MonkeyPatch) -> Any:
    """CrewAI's own model class, whose provider answers "a secret" at once."""
    llm = LLM(model="gpt-4o", is_litellm=True)

    def answer(*args: Any, **kwargs: Any) -> str:
        return "a secret"

    async def aanswer(*args: Any, **kwargs: Any) -> str:
        return "a secret"

    monkeypatch.setattr(type(llm), "_handle_non_streaming_response", answer)
    monkeypatch.setattr(type(llm), "_ahandle_non_streaming_response", aanswer)
    return llm


def test_a_direct_call_is_hooked_once_before_and_after(direct: Any, manager: HookManager) -> None:
    seen: list[str] = []

    class Policy:
        @hookimpl
        def pre_model_call(self, ctx: Any) -> None:
            seen.append("pre")

        @hookimpl
        def post_model_call(self, ctx: Any) -> str:
            seen.append("post")
            return str(ctx.response).replace("secret", "[redacted]")

    manager.register(Policy())
    assert direct.call("hi") == "a [redacted]"
    assert asyncio.run(direct.acall("hi")) == "a [redacted]"
    assert seen == ["pre", "post", "pre", "post"]


def test_an_async_direct_call_can_be_stopped_after_it(direct: Any) -> None:
    def stop(ctx: Any) -> None:
        raise HookAborted("no")

    register_hook("post_model_call", stop)
    with pytest.raises(HookAborted):
        asyncio.run(direct.acall("hi"))


def test_a_structured_direct_answer_is_hooked_too(
    direct: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        type(direct), "_handle_non_streaming_response", lambda *a, **k: Answer(text="a secret")
    )
    register_hook("post_model_call", lambda ctx: ctx.response.replace("secret", "[redacted]"))
    assert direct.call("hi") == Answer(text="a [redacted]")


def test_the_hooks_of_an_executors_call_are_not_run_twice(office: Any) -> None:
    seen: list[str] = []
    register_hook("pre_model_call", lambda ctx: seen.append("pre"))
    register_hook("post_model_call", lambda ctx: seen.append("post"))
    office.crew().kickoff()
    assert seen == ["pre", "post"]


# Tools that the model layer runs


def failing(error: Exception) -> Any:
    def fail(**_arguments: Any) -> Any:
        raise error

    return fail


def handle(llm: Any, function: Any, **arguments: Any) -> Any:
    return llm._handle_tool_execution("delete_file", arguments, {"delete_file": function})


def test_a_tool_that_a_model_object_runs_can_be_denied(office: Any, manager: HookManager) -> None:
    ran: list[str] = []

    class Policy:
        @hookimpl(tools=["delete_*"], gate=True)
        def pre_tool_call(self, ctx: Any) -> None:
            raise HookAborted("no", message="Not that one.")

    manager.register(Policy())
    assert handle(office.model(), ran.append, path="x") == "Not that one."
    assert ran == []


def test_its_arguments_and_its_result_can_be_changed(office: Any) -> None:
    register_hook("pre_tool_call", lambda ctx: ctx.tool_input.update(path="safe"))
    register_hook("post_tool_call", lambda ctx: ctx.tool_result.upper())
    assert handle(office.model(), lambda path: f"read {path}", path="/etc") == "READ SAFE"


def test_an_abort_after_it_is_no_error_of_the_tool(office: Any) -> None:
    def stop(ctx: Any) -> None:
        raise HookAborted("enough")

    register_hook("post_tool_call", stop)
    with pytest.raises(HookAborted, match="enough"):
        handle(office.model(), lambda path: path, path="x")


def test_hooks_see_the_failure_of_a_tool_that_a_model_object_runs(office: Any) -> None:
    seen: list[Any] = []
    register_hook("post_tool_call", lambda ctx: seen.append((ctx.error, ctx.tool_result)))
    failure = OSError("disk full")
    assert handle(office.model(), failing(failure), path="x") is None
    assert seen == [(failure, "Error executing tool: disk full")]


def test_a_hook_may_answer_for_a_failed_tool_of_a_model_object(office: Any) -> None:
    register_hook("post_tool_call", lambda ctx: "try another file")
    assert handle(office.model(), failing(OSError("disk full")), path="x") == "try another file"


def test_without_hooks_its_result_is_as_it_was(office: Any) -> None:
    assert handle(office.model(), lambda path: path, path="x") == "x"


def test_a_tool_call_of_litellm_is_hooked(direct: Any) -> None:
    ran: list[str] = []
    function = SimpleNamespace(name="delete_file", arguments='{"path": "x"}')
    register_hook("pre_tool_call", lambda ctx: False)
    result = direct._handle_tool_call(
        [SimpleNamespace(function=function)], {"delete_file": ran.append}
    )
    assert (result, ran) == ("Tool execution blocked by hook. Tool: delete_file", [])


# Arguments


def test_arguments_that_a_hook_adds_to_none_reach_the_tool(office: Any) -> None:
    @on(InterceptionPoint.PRE_TOOL_CALL)
    def add(ctx: Any) -> None:
        ctx.tool_input["path"] = "added"

    office.crew(react("delete_file")).kickoff()
    assert office.tool.ran == ["added"]


def test_a_tool_without_arguments_runs_with_its_defaults(office: Any) -> None:
    office.crew(react("delete_file")).kickoff()
    assert office.tool.ran == ["default"]


# Cancelled runs


def ends() -> list[Any]:
    seen: list[Any] = []
    register_hook("execution_end", lambda ctx: seen.append((ctx.status, type(ctx.error).__name__)))
    return seen


async def cancelled(running: Any) -> None:
    task = asyncio.ensure_future(running)
    await asyncio.sleep(0.2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_cancelled_flow_ends_once() -> None:
    class Waiting(Flow[Any]):
        @start()
        async def wait(self) -> None:
            await asyncio.sleep(30)

    seen = ends()
    asyncio.run(cancelled(Waiting().kickoff_async()))
    assert seen == [("failed", "CancelledError")]


def test_a_cancelled_crew_ends_once(office: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    crew = office.crew()

    async def wait(*args: Any, **kwargs: Any) -> str:
        await asyncio.sleep(30)
        return ""

    monkeypatch.setattr(type(crew.agents[0]), "aexecute_task", wait)
    seen = ends()
    asyncio.run(cancelled(crew.akickoff()))
    assert seen == [("failed", "CancelledError")]


def test_an_interrupted_agent_ends_once(office: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = office.agent()

    def interrupt(*args: Any, **kwargs: Any) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(type(office.llm), "call", interrupt)
    seen = ends()
    with pytest.raises(KeyboardInterrupt):
        agent.kickoff("go")
    assert seen == [("failed", "KeyboardInterrupt")]


def test_a_cancelled_agent_ends_once(office: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    agent, released = office.agent(), threading.Event()

    def wait(*args: Any, **kwargs: Any) -> str:
        released.wait(30)
        return "too late"

    async def cancel() -> None:
        try:
            await cancelled(agent.kickoff_async("go"))
        finally:
            released.set()

    monkeypatch.setattr(type(office.llm), "call", wait)
    seen = ends()
    asyncio.run(cancel())
    assert seen == [("failed", "CancelledError")]


def test_a_run_that_ends_by_itself_is_not_ended_twice(office: Any) -> None:
    seen = ends()
    office.crew().kickoff()
    assert seen == [("completed", "NoneType")]


# A judge that calls a model


def test_a_hook_that_asks_a_model_is_not_asked_about_that(office: Any) -> None:
    judge, asked = office.model(*["fine"] * 9, direct=True), []

    def ask(ctx: Any) -> None:
        asked.append(judge.call("is this fine?"))

    register_before_llm_call_hook(ask)
    office.crew().kickoff()
    assert asked == ["fine"]


def test_a_model_that_tries_again_by_calling_itself_is_hooked_once(
    direct: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    tries = iter([RuntimeError("Unsupported parameter: 'stop'"), "answer"])

    def answer(*args: Any, **kwargs: Any) -> str:
        found = next(tries)
        if isinstance(found, Exception):
            raise found
        return str(found)

    monkeypatch.setattr(type(direct), "_handle_non_streaming_response", answer)
    register_hook("post_model_call", lambda ctx: seen.append(ctx.response))
    assert direct.call("hi") == "answer"
    assert seen == ["answer"]


# Failures


@pytest.mark.parametrize("call", [react, native])
def test_a_tools_exception_is_the_error_after_the_call(office: Any, call: Any) -> None:
    seen: list[Any] = []
    register_hook("post_tool_call", lambda ctx: seen.append(ctx.error))
    failure = OSError("disk full")
    office.tool = Failing(failure=failure)
    office.crew(call("delete_file", path="x")).kickoff()
    assert seen == [failure]


@pytest.mark.parametrize("call", [react, native])
def test_the_failure_of_one_call_is_not_the_next_ones(office: Any, call: Any) -> None:
    seen: list[Any] = []
    register_hook("post_tool_call", lambda ctx: seen.append(type(ctx.error)))
    office.tool = Failing(failure=OSError("disk full"), only="a")
    office.crew(call("delete_file", path="a"), call("delete_file", path="b")).kickoff()
    assert seen == [OSError, type(None)]
