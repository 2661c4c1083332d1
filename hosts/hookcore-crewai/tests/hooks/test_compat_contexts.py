"""The contexts: CrewAI's constructors and attributes, and hookcore's besides."""

from __future__ import annotations

import copy
import dataclasses
import io
import pickle
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from hookcore import (
    HookAborted,
    HookContext,
    HookManager,
    ModelCallContext,
    NobodyAnsweredError,
    Question,
    ToolCallContext,
    hookimpl,
)
from hookcore_crewai.hooks import (
    InterceptionPoint,
    LLMCallHookContext,
    ToolCallHookContext,
    contexts,
    dispatch,
    register_hook,
)
from hookcore_crewai.hooks import llm_hooks as llm_module
from hookcore_crewai.hooks import tool_hooks as tool_module
from hookcore_crewai.hooks.llm_hooks import before_llm_call_reducer
from hookcore_crewai.hooks.tool_hooks import run_before_tool_call_hooks

P = InterceptionPoint


def _pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


BASE = ["payload", "agent", "agent_role", "task", "crew", "flow"]


def executor(**more: Any) -> Any:
    parts = {"messages": [{"role": "user"}], "llm": "llm", "iterations": 3}
    return SimpleNamespace(**{**parts, **more})


def before_model(ctx: Any) -> Any:
    return dispatch(P.PRE_MODEL_CALL, ctx, reducer=before_llm_call_reducer, verbose=False)


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("InterceptionContext", []),
        ("ExecutionStartContext", ["inputs"]),
        ("InputContext", ["inputs"]),
        ("OutputContext", ["output"]),
        ("ExecutionEndContext", ["output", "status", "error"]),
        ("StepContext", ["kind", "step_name", "output"]),
    ],
)
def test_the_boundary_contexts_are_dataclasses_with_defaults(name: str, more: list[str]) -> None:
    context = getattr(contexts, name)
    assert [field.name for field in dataclasses.fields(context)] == [*BASE, *more]
    assert isinstance(context(), HookContext)


def test_an_end_is_completed_unless_it_says_otherwise() -> None:
    assert contexts.ExecutionEndContext().status == "completed"


def test_two_starts_do_not_share_their_inputs() -> None:
    one, two = contexts.ExecutionStartContext(), contexts.ExecutionStartContext()
    assert one.inputs is not two.inputs


def test_a_context_with_an_executor_reads_from_it() -> None:
    whole = executor(agent="agent", task="task", crew="crew")
    ctx: Any = LLMCallHookContext(whole, response="r")
    assert ctx.messages is whole.messages
    assert (ctx.agent, ctx.task, ctx.crew, ctx.llm) == ("agent", "task", "crew", "llm")
    assert (ctx.iterations, ctx.response, ctx.executor) == (3, "r", whole)


def test_a_lite_agent_is_its_own_agent() -> None:
    lite = executor()
    original = executor(original_agent="original")
    assert LLMCallHookContext(lite).agent is lite
    assert LLMCallHookContext(original).agent == "original"
    assert (LLMCallHookContext(lite).task, LLMCallHookContext(lite).crew) == (None, None)


def test_a_direct_call_gives_the_parts_itself() -> None:
    messages: list[Any] = []
    ctx: Any = LLMCallHookContext(messages=messages, llm="llm", agent="a", task="t", crew="c")
    assert ctx.messages is messages
    assert (ctx.executor, ctx.iterations, ctx.agent, ctx.task, ctx.crew) == (None, 0, "a", "t", "c")
    assert LLMCallHookContext().messages == []


def test_the_call_contexts_are_hookcores_own_as_well() -> None:
    tool: Any = ToolCallHookContext("t", {"a": 1}, "tool")
    model: Any = LLMCallHookContext(messages=["m"])
    assert isinstance(tool, ToolCallContext)
    assert isinstance(model, ModelCallContext)
    assert (tool.payload, model.payload) == ({"a": 1}, ["m"])


def test_who_is_at_work_is_in_the_attributes() -> None:
    ctx = ToolCallHookContext("t", {}, None, agent="agent", task="task", crew="crew")
    assert ctx.attributes == {"agent": "agent", "task": "task", "crew": "crew"}


def test_a_context_may_be_dispatched_before_and_after_a_call() -> None:
    seen: list[Any] = []
    register_hook(P.PRE_TOOL_CALL, lambda ctx: seen.append((ctx.payload, ctx.tool_input)))
    register_hook(P.POST_TOOL_CALL, lambda ctx: seen.append((ctx.payload, ctx.tool_input)))
    ctx = ToolCallHookContext("t", {"a": 1}, None, tool_result="r")
    run_before_tool_call_hooks(ctx)
    tool_module.run_after_tool_call_hooks(ctx)
    run_before_tool_call_hooks(ctx)
    assert seen == [({"a": 1}, {"a": 1}), ("r", {"a": 1}), ({"a": 1}, {"a": 1})]
    assert ctx.tool_result == "r"


# Messages


def test_messages_are_edited_in_place() -> None:
    whole = executor()
    register_hook(P.PRE_MODEL_CALL, lambda ctx: ctx.messages.append("more"))
    before_model(LLMCallHookContext(whole))
    assert whole.messages == [{"role": "user"}, "more"]


def test_what_hooks_add_to_an_empty_list_reaches_the_caller() -> None:
    messages: list[Any] = []
    register_hook(P.PRE_MODEL_CALL, lambda ctx: ctx.messages.append("more"))
    before_model(LLMCallHookContext(messages=messages))
    assert messages == ["more"]


@pytest.mark.parametrize("where", ["ctx", "executor"])
def test_a_new_list_is_written_into_the_executors_own(where: str) -> None:
    def replace(ctx: Any) -> None:
        target = ctx if where == "ctx" else ctx.executor
        target.messages = ["new"]

    seen: list[Any] = []
    register_hook(P.PRE_MODEL_CALL, replace)
    register_hook(P.PRE_MODEL_CALL, lambda ctx: seen.append(list(ctx.messages)))
    whole = executor()
    own = whole.messages
    before_model(LLMCallHookContext(whole))
    assert whole.messages is own
    assert (own, seen) == (["new"], [["new"]])


@pytest.mark.parametrize("where", ["ctx", "executor"])
@pytest.mark.parametrize("value", ["text", None, {"role": "user"}])
def test_messages_that_are_no_list_are_put_back(where: str, value: Any) -> None:
    def replace(ctx: Any) -> None:
        target = ctx if where == "ctx" else ctx.executor
        target.messages = value

    register_hook(P.PRE_MODEL_CALL, replace)
    whole = executor()
    own = whole.messages
    before_model(LLMCallHookContext(whole))
    assert whole.messages is own
    assert own == [{"role": "user"}]


def test_a_gate_judges_the_executors_messages_and_cannot_change_them(manager: HookManager) -> None:
    judged: list[Any] = []

    class Policy:
        @hookimpl(gate=True)
        def pre_model_call(self, ctx: ModelCallContext) -> None:
            judged.append(list(ctx.messages))
            ctx.messages.append("smuggled")

    manager.register(Policy())
    whole = executor()
    own = whole.messages
    before_model(LLMCallHookContext(whole))
    assert judged == [[{"role": "user"}]]
    assert whole.messages is own
    assert own == [{"role": "user"}]


def test_a_policy_replaces_messages_in_the_executors_list(manager: HookManager) -> None:
    class Policy:
        @hookimpl
        def pre_model_call(self, ctx: ModelCallContext) -> list[Any]:
            return [*ctx.messages, "policy"]

    manager.register(Policy())
    whole = executor()
    own = whole.messages
    before_model(LLMCallHookContext(whole))
    assert own == [{"role": "user"}, "policy"]


# Asking a person


class Formatter:
    def __init__(self) -> None:
        self.calls: list[str] = []

    def pause_live_updates(self) -> None:
        self.calls.append("pause")

    def resume_live_updates(self) -> None:
        self.calls.append("resume")


@pytest.fixture
def formatter(monkeypatch: pytest.MonkeyPatch) -> Formatter:
    found = Formatter()
    for module in (llm_module, tool_module):
        listener = SimpleNamespace(formatter=found)
        monkeypatch.setattr(module, "event_listener", listener, raising=False)
    return found


@pytest.fixture(params=["tool", "model"])
def asking(request: pytest.FixtureRequest) -> Any:
    if request.param == "tool":
        return ToolCallHookContext("t", {}, None)
    return LLMCallHookContext(messages=[])


def test_the_answer_comes_stripped_and_live_output_pauses_meanwhile(
    asking: Any,
    formatter: Formatter,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def typed() -> str:
        formatter.calls.append("input")
        return "  yes "

    monkeypatch.setattr("builtins.input", typed)
    assert asking.request_human_input("Really?", "Type yes:") == "yes"
    assert formatter.calls == ["pause", "input", "resume"]
    out = capsys.readouterr().out
    assert "Really?" in out
    assert "Type yes:" in out


def test_live_output_goes_on_when_asking_fails(
    asking: Any, formatter: Formatter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    with pytest.raises(KeyboardInterrupt):
        asking.request_human_input("Really?")
    assert formatter.calls == ["pause", "resume"]


def test_at_the_end_of_input_the_call_is_aborted(
    asking: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    with pytest.raises(HookAborted):
        asking.request_human_input("Really?")


def test_a_tool_that_nobody_approved_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def approve(ctx: Any) -> bool | None:
        return None if ctx.request_human_input("Really?") == "yes" else False

    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    register_hook(P.PRE_TOOL_CALL, approve)
    assert run_before_tool_call_hooks(ToolCallHookContext("t", {}, None)) is True


def test_the_managers_prompter_is_asked_when_it_has_one(
    asking: Any, formatter: Formatter, manager: HookManager
) -> None:
    class Prompter:
        def ask(self, prompt: str, default_message: str) -> str:
            formatter.calls.append(prompt)
            return "approved"

    manager.prompter = Prompter()
    assert asking.request_human_input("Really?") == "approved"
    assert formatter.calls == ["pause", "Really?", "resume"]


def test_a_prompter_that_nobody_answers_denies(asking: Any, manager: HookManager) -> None:
    class Prompter:
        def ask(self, prompt: str, default_message: str) -> str:
            raise NobodyAnsweredError("asleep")

    manager.prompter = Prompter()
    with pytest.raises(HookAborted):
        asking.request_human_input("Really?")


def test_an_async_hook_can_ask(manager: HookManager) -> None:
    class Prompter:
        def ask(self, prompt: str, default_message: str) -> str:
            return "no"

    async def approve(ctx: Any) -> bool | None:
        return None if await ctx.arequest_human_input("Really?") == "yes" else False

    manager.prompter = Prompter()
    register_hook(P.PRE_TOOL_CALL, approve)
    assert run_before_tool_call_hooks(ToolCallHookContext("t", {}, None)) is True


@pytest.mark.parametrize("answer", ["yes", "no"])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_plugin_that_answers_is_asked_before_anybody_else(
    manager: HookManager, answer: str, *, asynchronous: bool
) -> None:
    questions: list[Question] = []

    class Answers:
        def answer_question(self, question: Question) -> str | None:
            questions.append(question)
            return answer

    def approve(ctx: Any) -> bool | None:
        return None if ctx.request_human_input("Really?") == "yes" else False

    async def aapprove(ctx: Any) -> bool | None:
        return None if await ctx.arequest_human_input("Really?") == "yes" else False

    manager.register(Answers(), name="answers")
    register_hook(P.PRE_TOOL_CALL, aapprove if asynchronous else approve)
    denied = run_before_tool_call_hooks(ToolCallHookContext("t", {"a": 1}, None))
    assert denied is (answer != "yes")
    (question,) = questions
    assert isinstance(question.context, ToolCallContext)
    assert (question.context.point, question.context.tool_name) == ("pre_tool_call", "t")
    assert question.context.tool_input == {"a": 1}


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, _pickled])
def test_a_context_can_be_copied_and_pickled(copied: Any) -> None:
    tool = copied(ToolCallHookContext("t", {"a": 1}, None, tool_result="r"))
    assert (tool.tool_name, tool.tool_input, tool.tool_result) == ("t", {"a": 1}, "r")
    model = copied(LLMCallHookContext(messages=["m"], response="r"))
    assert (model.messages, model.response, model.model) == (["m"], "r", None)


def test_a_copy_of_an_executors_context_has_the_executors_messages() -> None:
    given = executor()
    assert copy.copy(LLMCallHookContext(given)).messages is given.messages


def test_a_models_name_can_be_assigned() -> None:
    ctx = LLMCallHookContext(llm=SimpleNamespace(model="gpt"))
    assert ctx.model == "gpt"
    ctx.model = "other"
    assert ctx.model == "other"


def test_a_subclass_need_not_call_the_constructor() -> None:
    class Bare(ToolCallHookContext):
        def __init__(self) -> None:
            self.tool_name = "t"
            self.tool_input = {"a": 1}

    register_hook(P.PRE_TOOL_CALL, lambda ctx: ctx.tool_input.update(b=ctx.tool_result))
    ctx: Any = Bare()
    assert run_before_tool_call_hooks(ctx) is False
    assert ctx.tool_input == {"a": 1, "b": None}
    with pytest.raises(AttributeError, match="no attribute 'unheard_of'"):
        ctx.unheard_of  # noqa: B018


def test_a_mock_of_a_context_is_read_like_any_object() -> None:
    register_hook(P.POST_TOOL_CALL, lambda ctx: "new")
    mock = Mock(spec=ToolCallHookContext, tool_name="t", tool_input={}, agent=None, tool_result="r")
    assert tool_module.run_after_tool_call_hooks(mock) == "new"


def test_a_context_that_was_made_with_a_result_is_one_after_the_call(manager: HookManager) -> None:
    register_hook(P.POST_TOOL_CALL, lambda ctx: f"{ctx.tool_result}!")
    register_hook(P.POST_MODEL_CALL, lambda ctx: f"{ctx.response}!")
    tool = ToolCallHookContext("t", {"a": 1}, None, tool_result="r")
    model = LLMCallHookContext(messages=["m"], response="r")
    manager.dispatch("post_tool_call", tool)
    manager.dispatch("post_model_call", model)
    assert (tool.tool_input, tool.tool_result) == ({"a": 1}, "r!")
    assert (model.messages, model.response) == (["m"], "r!")
