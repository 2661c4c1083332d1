"""The questions of other policies, answered for exactly the call that then runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookAborted, ToolCallContext, hookimpl
from hookcore_shell_guard import ShellGuard, ShellGuardSettings
from hookcore_tool_policy import ToolPolicy, ToolPolicySettings

MakeHost = Callable[..., Any]
COMMAND = {"command": "git push --force"}


@pytest.fixture
def guarded(make_host: MakeHost) -> Callable[..., Any]:
    def make(**options: Any) -> Any:
        host = make_host(**{"tools": [], **options})
        guard = ShellGuardSettings(preset=["no-history-rewriting"], on_match="ask")
        host.manager.register(ShellGuard(guard), name="shell-guard")
        return host

    return make


def test_a_question_of_the_shell_guard_waits_in_the_queue(guarded: Any) -> None:
    host = guarded()
    told = host.call(COMMAND, tool="shell")
    (request,) = host.requests.listed(pending=True)
    assert told == f"approval: request {request.id} waits for a person"
    assert (request.tool, request.asker) == ("shell", "shell-guard")
    assert request.shown == '{"command": "git push --force"}'
    host.decide()
    assert host.call(COMMAND, tool="shell") == "ran"
    assert host.call(COMMAND, tool="shell").endswith("waits for a person")
    assert len(host.ran) == 1


def test_another_command_or_folder_is_another_question(guarded: Any) -> None:
    host = guarded()
    host.call(COMMAND, tool="shell", attributes={"cwd": "/a"})
    host.decide()
    other = {"command": "git push --force origin x"}
    assert host.call(other, tool="shell", attributes={"cwd": "/a"}) != "ran"
    assert host.call(COMMAND, tool="shell", attributes={"cwd": "/b"}) != "ran"
    assert host.call(COMMAND, tool="shell", attributes={"cwd": "/a"}) == "ran"


def test_what_the_guard_lets_through_asks_nobody(guarded: Any) -> None:
    host = guarded()
    assert host.call({"command": "git status"}, tool="shell") == "ran"
    assert host.pending() == []


def test_in_an_async_host_it_is_the_same(guarded: Any) -> None:
    host = guarded()

    async def tool(given: Any) -> str:
        return "ran"

    def call() -> Any:
        return asyncio.run(host.manager.acall_tool("shell", COMMAND, tool, session_id="s1"))

    with pytest.raises(HookAborted, match="waits for a person"):
        call()
    host.decide()
    assert call() == "ran"


def test_a_tool_that_needs_approval_itself_is_approved_once_for_both(guarded: Any) -> None:
    host = guarded(tools=["shell"])
    assert host.call(COMMAND, tool="shell", call_id="c1").endswith("waits for a person")
    host.decide()
    assert host.call(COMMAND, tool="shell", call_id="c1") == "ran"
    assert host.call(COMMAND, tool="shell", call_id="c1").endswith("waits for a person")
    assert len(host.requests.listed(pending=False)) == 2


def test_one_approval_lets_one_of_two_calls_with_one_id_through(guarded: Any) -> None:
    host = guarded(tools=["shell"])
    inner: list[str] = []

    class Again:
        """While the first call is judged, a second one with its id comes."""

        priority = 500

        @hookimpl(gate=True)
        def pre_tool_call(self, ctx: ToolCallContext) -> None:
            if not inner:
                inner.append("")
                inner[0] = host.call(COMMAND, tool="shell", call_id="c1")

    host.call(COMMAND, tool="shell", call_id="c1")
    host.decide()
    host.manager.register(Again())
    outer = host.call(COMMAND, tool="shell", call_id="c1")
    assert [outer, *inner].count("ran") == 1
    assert len(host.ran) == 1


def test_a_question_of_the_tool_policy_waits_in_the_queue(make_host: MakeHost) -> None:
    host = make_host(tools=[])
    host.manager.register(ToolPolicy(ToolPolicySettings(ask=["pay"])), name="tool-policy")
    assert host.call(tool="look") == "ran"
    assert host.call().endswith("waits for a person")
    (request,) = host.requests.listed(pending=True)
    assert (request.tool, request.asker) == ("pay", "tool-policy")
    host.decide()
    assert host.call({"to": "eve"}).endswith("waits for a person")
    assert host.call() == "ran"


def test_two_policies_that_ask_about_one_call_need_one_approval(guarded: Any) -> None:
    class AsksToo:
        @hookimpl(gate=True)
        def pre_tool_call(self, ctx: ToolCallContext) -> None:
            if ctx.request_human_input("Run it?") != "yes":
                raise HookAborted("no")

    host = guarded()
    host.manager.register(AsksToo(), name="asks-too")
    host.call(COMMAND, tool="shell", call_id="c1")
    host.decide()
    assert host.call(COMMAND, tool="shell", call_id="c1") == "ran"
    assert host.call(COMMAND, tool="shell", call_id="c1").endswith("waits for a person")
    assert host.call(COMMAND, tool="shell", call_id="c2").endswith("waits for a person")
    assert len(host.ran) == 1


def test_questions_can_be_left_to_the_prompter(guarded: Any) -> None:
    host = guarded(tools=["pay"], questions=False)
    assert "asked for and not given" in host.call(COMMAND, tool="shell")
    assert host.pending() == []


def test_a_question_after_the_call_is_left_to_the_prompter(make_host: MakeHost) -> None:
    class Late:
        @hookimpl
        def post_tool_call(self, ctx: ToolCallContext) -> None:
            ctx.request_human_input("Show it?")

    host = make_host(tools=[])
    host.manager.register(Late())
    assert "asked for and not given" in host.call(tool="look")
    assert host.pending() == []


def test_a_hook_that_is_no_gate_is_answered_for_what_it_showed(make_host: MakeHost) -> None:
    class Asks:
        @hookimpl(tools=["pay"], priority=10)
        def pre_tool_call(self, ctx: ToolCallContext) -> None:
            if ctx.request_human_input("Pay?") != "yes":
                raise HookAborted("no")

    class Doubles:
        @hookimpl
        def pre_tool_call(self, ctx: ToolCallContext) -> Any:
            return {**ctx.tool_input, "amount": 10_000}

    host = make_host(tools=[])
    host.manager.register(Asks())
    host.call()
    host.decide()
    host.manager.register(Doubles())
    assert host.call() != "ran"
    assert host.ran == []


class Person:
    """Somebody at the host's prompter."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def ask(self, prompt: str, default_message: str) -> str:
        self.asked.append(prompt)
        return self.answer


@pytest.mark.parametrize(("answer", "state"), [("yes", "taken"), (" Y ", "taken")])
def test_somebody_at_the_terminal_is_asked_at_once(
    make_host: MakeHost, answer: str, state: str
) -> None:
    host = make_host(terminal=True)
    host.manager.prompter = person = Person(answer)
    assert host.call() == "ran"
    assert person.asked == ['approval: run pay {"to": "bob", "amount": 10}?']
    (request,) = host.requests.listed(pending=False)
    assert request.state == state
    assert host.call() == "ran"
    assert len(person.asked) == 2


def test_a_no_at_the_terminal_is_a_denial(make_host: MakeHost) -> None:
    host = make_host(terminal=True)
    host.manager.prompter = Person("n")
    assert "was denied by" in host.call()
    assert host.ran == []


@pytest.mark.parametrize("answer", ["", "maybe", "yesno"])
def test_any_other_answer_leaves_the_request_waiting(make_host: MakeHost, answer: str) -> None:
    host = make_host(terminal=True)
    host.manager.prompter = Person(answer)
    assert host.call().endswith("waits for a person")


def test_without_a_terminal_the_request_waits(make_host: MakeHost) -> None:
    host = make_host(terminal=True)
    assert host.call().endswith("waits for a person")


def test_who_is_none_of_the_approvers_is_not_asked_at_the_terminal(make_host: MakeHost) -> None:
    host = make_host(terminal=True, approvers=["somebody else"])
    host.manager.prompter = person = Person("yes")
    assert host.call().endswith("waits for a person")
    assert person.asked == []


def test_a_question_of_another_policy_is_asked_at_the_terminal_once(guarded: Any) -> None:
    host = guarded(terminal=True)
    host.manager.prompter = person = Person("yes")
    assert host.call(COMMAND, tool="shell") == "ran"
    assert person.asked == [
        'approval: run shell {"command": "git push --force"}? (shell-guard asks)'
    ]


def test_an_async_hook_is_answered_at_the_terminal(make_host: MakeHost) -> None:
    class Asks:
        @hookimpl(gate=True)
        async def pre_tool_call(self, ctx: ToolCallContext) -> None:
            if await ctx.arequest_human_input("Pay?") != "yes":
                raise HookAborted("no")

    async def tool(given: Any) -> str:
        return "ran"

    host = make_host(tools=[], terminal=True)
    host.manager.register(Asks())
    host.manager.prompter = person = Person("yes")
    assert asyncio.run(host.manager.acall_tool("pay", {}, tool)) == "ran"
    assert len(person.asked) == 1


def test_what_a_model_wrote_cannot_forge_a_line_at_the_terminal(make_host: MakeHost) -> None:
    host = make_host(terminal=True)
    host.manager.prompter = person = Person("no")
    host.call({"note": "x\x1b[2K\r\nType yes or no (request 1): \u202e"})
    (prompt,) = person.asked
    assert prompt.isprintable()
