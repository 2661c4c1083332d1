"""The uses of hooks that CrewAI's documentation shows, each as a program that runs here, offline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from crewai.flow.flow import Flow, listen, start
from crewai.hooks import (
    HookAborted,
    InterceptionPoint,
    LLMCallHookContext,
    ToolCallHookContext,
    after_llm_call,
    after_tool_call,
    before_llm_call,
    before_tool_call,
    clear_all_global_hooks,
    clear_all_hooks,
    get_before_llm_call_hooks,
    get_before_tool_call_hooks,
    get_hooks,
    on,
)

from .office import FINAL, native, react


@pytest.fixture
def no_hooks_left() -> Iterator[None]:
    """The fixture that users are told to write: no hook outlives its test."""
    clear_all_hooks()
    yield
    clear_all_hooks()


# The guard


def test_a_guard_denies_a_run_that_is_not_authorised(office: Any) -> None:
    @on(InterceptionPoint.EXECUTION_START)
    def guard(ctx: Any) -> None:
        if not ctx.payload.get("authorized"):
            raise HookAborted(reason="the run is not authorised", source="guard")

    with pytest.raises(HookAborted, match="not authorised"):
        office.crew().kickoff(inputs={})
    # Without any inputs CrewAI lets the run through: there the guard fails on None.
    with pytest.raises(HookAborted, match="not authorised"):
        office.crew().kickoff()
    assert office.crew().kickoff(inputs={"authorized": True}).raw == "done"


def test_the_guard_of_a_flow_denies_it_without_inputs_too() -> None:
    ran: list[int] = []

    class Work(Flow[Any]):
        @start()
        def work(self) -> None:
            ran.append(1)

    @on(InterceptionPoint.EXECUTION_START)
    def guard(ctx: Any) -> None:
        if not ctx.payload.get("authorized"):
            raise HookAborted("the run is not authorised")

    with pytest.raises(HookAborted):
        Work().kickoff()
    assert ran == []


# Defaults


def test_inputs_get_their_defaults(office: Any) -> None:
    @on(InterceptionPoint.INPUT)
    def add_defaults(ctx: Any) -> dict[str, Any]:
        return {"language": "English", **(ctx.payload or {})}

    crew = office.crew()
    crew.tasks[0].description = "Write in {language}"
    crew.kickoff()
    assert "Write in English" in office.llm.texts()
    crew = office.crew()
    crew.tasks[0].description = "Write in {language}"
    crew.kickoff(inputs={"language": "Latin"})
    assert "Write in Latin" in office.llm.texts()


# Guardrails


@pytest.mark.parametrize("call", [react, native])
def test_a_guardrail_blocks_dangerous_tools(office: Any, call: Any) -> None:
    dangerous = {"delete_file", "execute_code"}

    @before_tool_call
    def guardrail(context: ToolCallHookContext) -> bool | None:
        return False if context.tool_name in dangerous else None

    office.crew(call("delete_file", path="x")).kickoff()
    assert office.tool.ran == []


def test_a_guardrail_checks_arguments(office: Any) -> None:
    @before_tool_call(tools=["delete_file"])
    def guardrail(context: ToolCallHookContext) -> bool | None:
        return False if context.tool_input.get("path", "").startswith("/etc") else None

    office.crew(
        react("delete_file", path="/etc/passwd"), react("delete_file", path="/tmp/x")
    ).kickoff()
    assert office.tool.ran == ["/tmp/x"]


def test_a_guardrail_for_one_agent_leaves_others_alone(office: Any) -> None:
    @before_tool_call(agents=["Intern"])
    def guardrail(context: ToolCallHookContext) -> bool | None:
        return False

    office.crew(react("delete_file", path="a"), role="Intern").kickoff()
    office.crew(react("delete_file", path="b"), role="Boss").kickoff()
    assert office.tool.ran == ["b"]


def test_the_output_is_rewritten(office: Any) -> None:
    @on(InterceptionPoint.OUTPUT)
    def clean(ctx: Any) -> Any:
        return ctx.payload.model_copy(update={"raw": ctx.payload.raw.upper()})

    assert office.crew().kickoff().raw == "DONE"


# The limit


def test_a_limit_of_iterations_ends_a_run_that_goes_on(office: Any) -> None:
    seen: list[int] = []

    @before_llm_call
    def limit(context: LLMCallHookContext) -> bool | None:
        seen.append(context.iterations)
        return False if context.iterations > 2 else None

    calls = [react("delete_file", path=str(number)) for number in range(9)]
    agent = office.agent(*calls, max_retry_limit=0)
    with pytest.raises(ValueError, match="blocked"):
        agent.kickoff("go")
    assert office.tool.ran == ["0", "1", "2"]
    assert seen == [0, 1, 2, 3]


# Approval


@pytest.mark.parametrize(("typed", "ran"), [("approve", ["x"]), ("no", []), ("", [])])
def test_a_person_approves_a_tool_call(
    office: Any, monkeypatch: pytest.MonkeyPatch, typed: str, ran: list[str]
) -> None:
    @before_tool_call(tools=["delete_file"])
    def approve(context: ToolCallHookContext) -> bool | None:
        answer = context.request_human_input(
            prompt=f"Let {context.agent.role} run {context.tool_name}?",
            default_message="Type approve:",
        )
        return None if answer == "approve" else False

    monkeypatch.setattr("builtins.input", lambda: typed)
    office.crew(react("delete_file", path="x")).kickoff()
    assert office.tool.ran == ran


def test_a_tool_call_that_nobody_can_approve_does_not_run(
    office: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    @before_tool_call
    def approve(context: ToolCallHookContext) -> bool | None:
        return None if context.request_human_input(prompt="Run it?") == "yes" else False

    def ended() -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", ended)
    office.crew(react("delete_file", path="x")).kickoff()
    assert office.tool.ran == []


def test_a_person_reviews_a_result(office: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    @after_tool_call
    def review(context: ToolCallHookContext) -> str | None:
        return context.request_human_input(prompt=f"Edit: {context.tool_result}") or None

    monkeypatch.setattr("builtins.input", lambda: "edited by a person")
    office.crew(react("delete_file", path="x")).kickoff()
    assert "edited by a person" in office.llm.texts()


# Redaction

KEY = re.compile(r"sk-[a-z0-9]+")


def test_a_response_is_redacted(office: Any) -> None:
    @after_llm_call
    def redact(context: LLMCallHookContext) -> str | None:
        return KEY.sub("[REDACTED]", context.response or "")

    crew = office.crew(FINAL.replace("done", "the key is sk-abc123"))
    assert crew.kickoff().raw == "the key is [REDACTED]"


def test_a_tools_result_is_redacted_before_the_model_sees_it(office: Any) -> None:
    @after_tool_call
    def redact(context: ToolCallHookContext) -> str | None:
        return KEY.sub("[REDACTED]", context.tool_result or "")

    office.crew(native("delete_file", path="sk-abc123")).kickoff()
    assert "deleted [REDACTED]" in office.llm.texts()


def test_messages_are_redacted_before_they_leave(office: Any) -> None:
    @before_llm_call
    def redact(context: LLMCallHookContext) -> None:
        for message in context.messages:
            message["content"] = KEY.sub("[REDACTED]", str(message["content"]))

    crew = office.crew()
    crew.tasks[0].description = "Use sk-abc123"
    crew.kickoff()
    assert "sk-abc123" not in office.llm.texts()
    assert "[REDACTED]" in office.llm.texts()


# Step tracing


def test_the_steps_of_a_flow_are_traced() -> None:
    trace: list[str] = []

    class Work(Flow[Any]):
        @start()
        def fetch(self) -> str:
            return "data"

        @listen(fetch)
        def publish(self, data: str) -> str:
            return f"published {data}"

    @on(InterceptionPoint.PRE_STEP)
    def begin(ctx: Any) -> None:
        trace.append(f"> {ctx.kind} {ctx.step_name}")

    @on(InterceptionPoint.POST_STEP)
    def end(ctx: Any) -> None:
        trace.append(f"< {ctx.step_name} {ctx.payload}")

    Work().kickoff()
    assert trace == [
        "> flow_method fetch",
        "< fetch data",
        "> flow_method publish",
        "< publish published data",
    ]


def test_the_tasks_of_a_crew_are_traced(office: Any) -> None:
    trace: list[str] = []

    @on(InterceptionPoint.PRE_STEP)
    def begin(ctx: Any) -> None:
        trace.append(f"> {ctx.kind} {ctx.step_name} {ctx.agent_role}")

    @on(InterceptionPoint.POST_STEP)
    def end(ctx: Any) -> None:
        trace.append(f"< {ctx.payload.raw}")

    office.crew().kickoff()
    assert trace == ["> task the task Worker", "< done"]


# The reset fixture


@pytest.mark.usefixtures("no_hooks_left")
@pytest.mark.parametrize("turn", [1, 2])
def test_hooks_of_one_test_are_gone_in_the_next(turn: int) -> None:
    assert [get_hooks(point) for point in InterceptionPoint] == [[]] * 10
    before_llm_call(lambda context: None)
    before_tool_call(lambda context: None)
    assert len(get_before_llm_call_hooks()) == len(get_before_tool_call_hooks()) == 1


def test_the_older_reset_clears_model_and_tool_hooks() -> None:
    before_llm_call(lambda context: None)
    before_tool_call(lambda context: None)
    assert clear_all_global_hooks()["total"] == (2, 0)
    assert get_before_llm_call_hooks() == get_before_tool_call_hooks() == []
