"""With the real client: it starts in seconds, so that each conversation is about many things."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hookcore import Abort, HookManager, hookimpl
from hookcore.hosting import PolicyDenied
from hookcore.hosting.checks import MESSAGE, REASON, Office, PolicyBrokenError, checked

pytestmark = pytest.mark.asyncio

CONFIG = """
[plugins.tool-policy]
enabled = true
[plugins.tool-policy.settings]
deny = ["danger*", "Write"]
[plugins.redact]
enabled = true
"""
KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 2


def own(name: str) -> str:
    """Return the name by which the client calls one of the program's tools."""
    return f"mcp__office__{name}"


class Shell:
    """Rewrites a command, denies another, and replaces a result."""

    @hookimpl(tools=["Bash"])
    def pre_tool_call(self, ctx: Any) -> Any:
        if "rm " in ctx.tool_input["command"]:
            return Abort(REASON, message=MESSAGE)
        return {**ctx.tool_input, "command": ctx.tool_input["command"].replace("one", "two")}

    @hookimpl(tools=["Bash"])
    def post_tool_call(self, ctx: Any) -> None:
        ctx.texts().replace(lambda text: text.replace("two", "2"))


async def test_tools_of_the_program_and_of_the_client_are_judged(
    api: Any, office: Office, options: Any, ask: Any
) -> None:
    manager, recorder = checked(Shell())
    api.steps = [
        [
            (own("danger"), {"x": "1"}),
            (own("add"), {"a": 1, "b": 2}),
            (own("lookup"), {"key": "k"}),
            (own("fails"), {"x": "1"}),
            ("Bash", {"command": "echo one"}),
            ("Bash", {"command": "rm -f nothing"}),
        ],
        "done",
    ]
    messages = await ask("go", options(manager))
    assert messages[-1].result == "done"
    danger, add, lookup, fails, echo, rm = api.results()
    assert MESSAGE in danger
    assert MESSAGE in rm
    assert REASON not in repr(api.seen)
    assert (add, lookup, echo.strip()) == ("13", "[replaced]", "2")
    assert "the tool broke" in fails
    assert ("add", 11, 2) in office.calls
    assert "danger" not in office.names()
    assert recorder.tools() == [
        ("Bash", "denied"),
        ("Bash", "ok"),
        (own("add"), "ok"),
        (own("danger"), "denied"),
        (own("fails"), "error"),
        (own("lookup"), "ok"),
    ]
    assert recorder.statuses("run_finished") == ["ok"]
    assert {end.run_id for end in recorder.endings} == {recorder.begun[0].run_id}
    assert {end.call_id for end in recorder.endings if end.name} == {
        f"toolu_1_{at}" for at in range(6)
    }


async def test_a_broken_policy_stops_the_run_and_is_told_to_the_program(
    api: Any, office: Office, options: Any, ask: Any
) -> None:
    manager, recorder = checked()
    api.steps = [[(own("broken"), {"x": "1"})], "went on"]
    with pytest.raises(PolicyBrokenError):
        await ask("go", options(manager))
    assert office.calls == []
    assert len(api.seen) == 1
    assert recorder.statuses("run_finished") == ["error"]


async def test_an_input_that_another_hook_changes_is_told_to_the_program(
    api: Any, office: Office, options: Any, ask: Any
) -> None:
    from claude_agent_sdk import HookMatcher

    from hookcore_claude_agent_sdk.session import UnjudgedInputError

    async def other(told: Any, call_id: Any, context: Any) -> Any:
        await asyncio.sleep(0.3)  # the answer that comes last is the one that counts
        answer = {"hookEventName": "PreToolUse", "updatedInput": {"key": "unjudged"}}
        return {"hookSpecificOutput": answer}

    manager, recorder = checked()
    api.steps = [[(own("lookup"), {"key": "judged"})], "done"]
    with pytest.raises(UnjudgedInputError, match="another PreToolUse hook has changed it"):
        await ask("go", options(manager, hooks={"PreToolUse": [HookMatcher(hooks=[other])]}))
    assert office.calls == [("lookup", "unjudged")]
    assert len(api.seen) == 1
    assert recorder.statuses("run_finished") == ["error"]


async def test_the_program_is_asked_about_what_the_policies_settled_on(
    api: Any, office: Office, options: Any
) -> None:
    from claude_agent_sdk import ClaudeSDKClient, PermissionResultAllow, PermissionResultDeny

    asked: list[Any] = []

    async def can_use_tool(name: str, given: Any, context: Any) -> Any:
        asked.append((name, given))
        if name == own("lookup"):
            return PermissionResultDeny(message="not now")
        return PermissionResultAllow()

    manager, recorder = checked()
    api.steps = [[(own("add"), {"a": 1, "b": 2}), (own("lookup"), {"key": "k"})], "done"]
    told = {"can_use_tool": can_use_tool, "permission_mode": "default", "allowed_tools": []}
    async with ClaudeSDKClient(options(manager, **told)) as client:
        await client.query("go")
        async for _ in client.receive_response():
            pass
    assert (own("add"), {"a": 11, "b": 2}) in asked
    assert office.calls == [("add", 11, 2)]
    assert recorder.tools() == [(own("add"), "ok"), (own("lookup"), "cancelled")]


async def test_a_client_that_is_asked_twice_has_two_runs(
    api: Any, options: Any, office: Office
) -> None:
    from claude_agent_sdk import AssistantMessage, ClaudeSDKClient

    class Editing:
        @hookimpl
        def pre_run(self, ctx: Any) -> Any:
            if "no" in ctx.payload:
                return Abort(REASON, message=MESSAGE)
            return ctx.payload.replace("hunter", "[gone]")

        @hookimpl
        def output(self, ctx: Any) -> Any:
            ctx.texts().replace(lambda text: text.replace("first", "1st"))

    manager, recorder = checked(Editing())
    api.steps = [[(own("add"), {"a": 1, "b": 2})], "first", "second"]
    async with ClaudeSDKClient(options(manager)) as client:
        await client.query("a hunter asks")
        messages = [message async for message in client.receive_response()]
        with pytest.raises(PolicyDenied, match=MESSAGE):
            await client.query("no")
        await client.query("again")
        again = [message async for message in client.receive_response()]
    assert "a [gone] asks" in repr(api.seen[0]["messages"])
    assert "hunter" not in repr(api.seen)
    assert messages[-1].result == "1st"
    said = [message for message in messages if isinstance(message, AssistantMessage)]
    assert "first" not in repr(said)
    assert again[-1].result == "second"
    assert recorder.statuses("run_finished") == ["ok", "denied", "ok"]
    ends = [end for end in recorder.endings if end.name]
    assert [end.run_id for end in ends] == [recorder.begun[0].run_id]


async def test_a_denied_prompt_of_a_stream_never_reaches_the_model(
    api: Any, options: Any, ask: Any
) -> None:
    class NoSecrets:
        @hookimpl(gate=True)
        def pre_run(self, ctx: Any) -> Any:
            bad = "secret" in str(ctx.payload)
            return Abort(REASON, message=MESSAGE) if bad else None

    async def prompts() -> Any:
        yield {"type": "user", "message": {"role": "user", "content": "a secret"}}

    manager, _ = checked(NoSecrets())
    api.steps = ["done"]
    with pytest.raises(PolicyDenied, match=MESSAGE):
        await ask(prompts(), options(manager))
    assert api.seen == []


async def test_the_tools_of_a_sub_agent_are_judged(
    api: Any, office: Office, options: Any, ask: Any
) -> None:
    from claude_agent_sdk import AgentDefinition

    agents: list[Any] = []

    class Watch:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None:
            agents.append((ctx.tool_name, ctx.agent))

    manager, recorder = checked(Watch())
    told = {"description": "d", "prompt": "p", "subagent_type": "helper"}
    told["run_in_background"] = False  # type: ignore[assignment]
    api.steps = [[("Agent", told)], [(own("danger"), {"x": "1"})], "inner done", "done"]
    helper = AgentDefinition(description="h", prompt="p", tools=[own("danger")])
    await ask("go", options(manager, agents={"helper": helper}))
    assert agents == [("Agent", "claude"), (own("danger"), "helper")]
    assert office.calls == []
    assert recorder.tools() == [("Agent", "ok"), (own("danger"), "denied")]


async def test_what_is_cancelled_ends_once(
    api: Any, office: Office, options: Any, ask: Any
) -> None:
    manager, recorder = checked()
    api.steps = [[(own("slow"), {"n": 2})], "done"]
    task = asyncio.ensure_future(ask("go", options(manager)))
    await asyncio.wait_for(office.started.wait(), 60)
    task.cancel()
    await asyncio.wait([task])
    assert recorder.tools() == [(own("slow"), "cancelled")]
    assert recorder.statuses("run_finished") == ["cancelled"]


async def test_the_policies_that_are_installed_hold(
    api: Any, office: Office, options: Any, ask: Any, tmp_path: Path
) -> None:
    (tmp_path / "hookcore.toml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "notes.txt").write_text(f"the key is {KEY}\n", encoding="utf-8")
    manager = HookManager.load(start=tmp_path)
    api.steps = [
        [
            (own("danger"), {"x": "1"}),
            ("Write", {"file_path": str(tmp_path / "new.txt"), "content": "x"}),
            ("Bash", {"command": f"cat {tmp_path / 'notes.txt'}"}),
            ("Read", {"file_path": str(tmp_path / "notes.txt")}),
        ],
        "done",
    ]
    await ask(f"my key is {KEY}", options(manager))
    danger, write, cat, read = api.results()
    assert "not allowed by policy" in danger
    assert "not allowed by policy" in write
    assert "the key is" in cat
    assert "the key is" in read
    assert KEY not in repr(api.seen)
    assert office.calls == []
    assert not (tmp_path / "new.txt").exists()
