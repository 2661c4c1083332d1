"""Tool calls of every client: denied, changed, withheld, replaced, or let through."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import Abort, HookManager, hookimpl
from hookcore_bridge.dialects import CLIENTS, denying, read, rewriting
from hookcore_bridge.judging import Judge

from .telling import call_of

Ask = Callable[..., Any]
SHELLS = {"claude-code": "Bash", "codex": "Bash", "gemini-cli": "run_shell_command",
          "qwen-code": "run_shell_command", "copilot": "bash", "opencode": "bash"}  # fmt: skip


class Deny:
    @hookimpl(tools=["shell"], gate=True)
    def pre_tool_call(self, ctx: Any) -> Abort:
        return Abort("rule 7", message="No commands today.")


class Change:
    @hookimpl
    def pre_tool_call(self, ctx: Any) -> dict[str, Any]:
        return {**ctx.payload, "command": "echo changed"}


class Edit:
    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None:
        ctx.payload["command"] = "echo edited"


class Mask:
    @hookimpl
    def post_tool_call(self, ctx: Any) -> None:
        ctx.texts().replace(lambda text: text.replace("SECRET", "[gone]"))


class Withhold:
    @hookimpl
    def post_tool_call(self, ctx: Any) -> Abort:
        return Abort("rule 8", message="Not for you.")


class Told:
    """Keeps what hooks are told."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None:
        self.calls.append(("pre", ctx.call_id, ctx.run_id, ctx.parent_run_id, ctx.agent.role))

    @hookimpl
    def post_tool_call(self, ctx: Any) -> None:
        self.calls.append(("post", ctx.call_id, ctx.payload, type(ctx.error).__name__))

    @hookimpl
    def tool_finished(self, ctx: Any) -> None:
        self.calls.append(("finished", ctx.call_id, ctx.status, ctx.entered))


def shell(client: str, role: str = "tool_before", **facts: Any) -> tuple[dict[str, Any], str]:
    given = {"tool": SHELLS[client], "tool_input": {"command": "ls"}, "call_id": "c1", **facts}
    event, told = call_of(CLIENTS[client], role, **given)
    return told, event


@pytest.mark.parametrize("client", CLIENTS)
def test_one_rule_denies_the_shell_of_every_client_and_the_model_reads_the_message(
    client: str, ask: Ask
) -> None:
    told, event = shell(client)
    answer = ask(client, told, event, Deny())
    reason = "denied by policy-0.pre_tool_call: No commands today."
    assert answer == denying(CLIENTS[client].events[event], reason)
    assert "rule 7" not in json.dumps(answer)


@pytest.mark.parametrize("client", CLIENTS)
def test_what_nobody_minds_passes_with_an_empty_answer(client: str, ask: Ask) -> None:
    told, event = shell(client)
    assert ask(client, told, event) == {}
    told, event = shell(client, "tool_after", result="hi")
    assert ask(client, told, event) == {}


@pytest.mark.parametrize("policy", [Change, Edit])
@pytest.mark.parametrize("client", CLIENTS)
def test_changed_arguments_are_given_or_the_call_is_denied(
    client: str, policy: type[Any], ask: Ask
) -> None:
    told, event = shell(client)
    answer = ask(client, told, event, policy())
    word = "changed" if policy is Change else "edited"
    wanted = rewriting(CLIENTS[client].events[event], {"command": f"echo {word}"})
    if wanted is None:
        assert client == "qwen-code"
        assert "Qwen Code takes no changed ones" in json.dumps(answer)
        assert '"permissionDecision": "deny"' in json.dumps(answer)
    else:
        assert answer == wanted


@pytest.mark.parametrize("client", CLIENTS)
def test_a_secret_in_a_result_does_not_reach_the_model(client: str, ask: Ask) -> None:
    plugin = Mask()
    told, event = shell(client)
    ask(client, told, event, plugin)
    result: Any = "it is SECRET"
    if client == "claude-code":
        result = {"stdout": "it is SECRET", "stderr": "", "interrupted": False}
    told, event = shell(client, "tool_after", result=result)
    text = json.dumps(ask(client, told, event, plugin))
    assert "it is [gone]" in text
    assert "SECRET" not in text


@pytest.mark.parametrize("client", CLIENTS)
def test_a_result_is_withheld_and_the_model_reads_why(client: str, ask: Ask) -> None:
    told, event = shell(client, "tool_after", result={"stdout": "SECRET", "stderr": "SECRET"})
    if client != "claude-code":
        told, event = shell(client, "tool_after", result="SECRET")
    text = json.dumps(ask(client, told, event, Withhold()))
    assert "Not for you." in text
    assert "SECRET" not in text


@pytest.mark.parametrize("client", CLIENTS)
def test_both_ends_of_a_call_are_one(client: str, ask: Ask) -> None:
    told_hooks = Told()
    for role, facts in (("tool_before", {}), ("tool_after", {"result": "hi"})):
        told, event = shell(client, role, **facts)
        ask(client, told, event, told_hooks)
    (_, begun, run, parent, role_), (_, posted, value, _), finished = told_hooks.calls
    assert begun == posted == finished[1]
    assert (run, parent, role_, value) == (f"{client}:s1", None, None, "hi")
    assert finished[2:] == ("ok", True)


@pytest.mark.parametrize("client", ["claude-code", "codex", "qwen-code"])
def test_a_sub_agents_calls_are_a_run_below_the_sessions(client: str, ask: Ask) -> None:
    told_hooks = Told()
    told, event = shell(client)
    told |= {"agent_id": "a1", "agent_type": "Explore"}
    ask(client, told, event, told_hooks)
    assert told_hooks.calls == [("pre", "c1", f"{client}:s1/a1", f"{client}:s1", "Explore")]


@pytest.mark.parametrize("agents", [["claude-code"], ["Explore"]])
def test_a_filter_by_agent_knows_a_sub_agent_by_its_client_too(agents: list[str], ask: Ask) -> None:
    class Narrow:
        @hookimpl(agents=agents, gate=True)
        def pre_tool_call(self, ctx: Any) -> Abort:
            return Abort("no")

    told, event = shell("claude-code")
    told |= {"agent_id": "a1", "agent_type": "Explore"}
    assert ask("claude-code", told, event, Narrow()) != {}


def test_the_working_folder_and_the_other_names_are_told(ask: Ask) -> None:
    known: dict[str, Any] = {}

    class Look:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None:
            known.update(ctx.attributes)

    told, event = shell("gemini-cli")
    ask("gemini-cli", {**told, "transcript_path": "/t"}, event, Look())
    assert known == {"client": "gemini-cli", "cwd": "/project", "transcript_path": "/t",
                     "tool_aliases": ["Bash", "shell", "exec_command"]}  # fmt: skip


def test_a_failed_call_is_told_as_one_and_passes(ask: Ask) -> None:
    told_hooks = Told()
    for role, facts in (("tool_before", {}), ("tool_failed", {"error": "Exit code 3"})):
        told, event = shell("claude-code", role, **facts)
        assert ask("claude-code", told, event, told_hooks) == {}
    assert told_hooks.calls[1:] == [
        ("post", "c1", "Exit code 3", "ToolFailedError"), ("finished", "c1", "error", True),
    ]  # fmt: skip


def batch(client: str, *results: tuple[str, Any]) -> tuple[dict[str, Any], str]:
    keys = CLIENTS[client].keys
    calls = [
        {keys.tool: SHELLS[client], keys.tool_input: {"command": "ls"}, str(keys.call_id): call_id,
         "tool_response": result}
        for call_id, result in results
    ]  # fmt: skip
    event, told = call_of(CLIENTS[client], "tool_batch", tool_calls=calls)
    return told, event


@pytest.mark.parametrize("client", ["claude-code", "qwen-code"])
@pytest.mark.parametrize("policy", [Mask, Withhold])
def test_a_failed_calls_result_that_must_not_be_read_stops_its_batch(
    client: str, policy: type[Any], ask: Ask
) -> None:
    plugin = policy()
    for role, facts in (("tool_before", {}), ("tool_failed", {"error": "it is SECRET"})):
        told, event = shell(client, role, **facts)
        assert ask(client, told, event, plugin) == {}
    told, event = batch(client, ("c1", "it is SECRET"))
    answer = ask(client, told, event, plugin)
    assert "SECRET" not in json.dumps(answer)
    assert answer.get("decision") == "block" or answer["continue"] is False


def test_a_batch_whose_calls_were_judged_or_denied_passes(ask: Ask) -> None:
    plugin, denier = Mask(), Deny()
    for call_id, role, facts in (
        ("c1", "tool_before", {}),
        ("c1", "tool_after", {"result": {"stdout": "SECRET", "stderr": ""}}),
    ):
        told, event = shell("claude-code", role, call_id=call_id, **facts)
        ask("claude-code", told, event, plugin)
    told, event = batch("claude-code", ("c1", "SECRET"))
    assert ask("claude-code", told, event, plugin) == {}
    told, event = shell("claude-code")
    ask("claude-code", told, event, denier)
    told, event = batch("claude-code", ("c1", "denied by policy"))
    assert ask("claude-code", told, event, denier) == {}


def test_a_result_in_a_batch_that_nobody_has_judged_is_judged_there(ask: Ask) -> None:
    told, event = batch("claude-code", ("c1", "fine"), ("c2", "it is SECRET"))
    assert ask("claude-code", told, event, Mask())["continue"] is False
    told, event = batch("claude-code", ("c1", "fine"))
    assert ask("claude-code", told, event, Mask()) == {}


def test_a_result_without_its_call_is_judged_all_the_same(ask: Ask) -> None:
    told_hooks = Told()
    told, event = shell("codex", "tool_after", result="SECRET")
    assert ask("codex", told, event, told_hooks) == {}
    assert [call[0] for call in told_hooks.calls] == ["post", "finished"]
    told, event = shell("codex", "tool_after", result="SECRET", call_id="c9")
    assert ask("codex", told, event, Withhold())["decision"] == "block"


def test_what_a_policy_adds_to_a_failed_call_is_shown_besides(ask: Ask) -> None:
    class Hint:
        @hookimpl
        def post_tool_call(self, ctx: Any) -> str:
            return f"{ctx.payload}\nTry make."

    hint = Hint()
    told, event = shell("claude-code", "tool_failed", error="Exit code 3")
    answer = ask("claude-code", told, event, hint)
    assert answer["hookSpecificOutput"]["additionalContext"] == "\nTry make."
    told, event = batch("claude-code", ("c1", "Exit code 3"))
    assert ask("claude-code", told, event, hint) == {}


@pytest.mark.parametrize("payload", ["{broken", "[1]", '"x"'])
def test_arguments_that_are_no_object_are_denied(payload: str, ask: Ask) -> None:
    told, event = shell("copilot", tool_input=payload)
    assert ask("copilot", told, event, Told())["permissionDecision"] == "deny"


@pytest.mark.parametrize("value", [float("nan"), b"x", object()])
def test_changed_arguments_that_no_json_can_say_are_a_denial(value: Any, ask: Ask) -> None:
    class Odd:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> dict[str, Any]:
            return {"command": value}

    told, event = shell("copilot")
    assert ask("copilot", told, event, Odd())["permissionDecision"] == "deny"


@pytest.mark.parametrize("failure", [RuntimeError("the password is hunter2"), SystemExit(0)])
@pytest.mark.parametrize("client", CLIENTS)
def test_a_policy_that_crashes_or_exits_denies(
    client: str, failure: BaseException, ask: Ask, caplog: pytest.LogCaptureFixture
) -> None:
    class Crash:
        @hookimpl(on_error="raise")
        def pre_tool_call(self, ctx: Any) -> None:
            raise failure

    told, event = shell(client)
    answer = ask(client, told, event, Crash())
    assert answer == denying(
        CLIENTS[client].events[event],
        "the policies could not judge this: the log of 'hookctl serve' says why",
    )
    assert type(failure).__name__ in caplog.text
    assert "hunter2" not in caplog.text


def test_a_wrap_that_answers_in_the_tools_place_keeps_the_tool_from_running(ask: Ask) -> None:
    class Cache:
        @hookimpl
        def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
            if ctx.tool_name == "never":
                yield
            return "from the cache"

    told, event = shell("claude-code")
    answer = ask("claude-code", told, event, Cache())
    assert "from the cache" in answer["hookSpecificOutput"]["permissionDecisionReason"]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_policy_that_hangs_denies_in_time(client: str) -> None:
    waits = threading.Event()

    class Hang:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None:
            waits.wait(60)

    manager = HookManager()
    manager.register(Hang())
    judge = Judge(manager)
    told, event = shell(client)
    answer = judge.answer(read(CLIENTS[client], told, event), 0.05)
    waits.set()
    reason = "the policies have not answered in time"
    assert answer == denying(CLIENTS[client].events[event], reason)
    judge.close()


def test_calls_without_ids_that_are_alike_end_in_their_order(ask: Ask) -> None:
    told_hooks = Told()
    for _ in range(2):
        told, event = shell("gemini-cli")
        ask("gemini-cli", told, event, told_hooks)
    for result in ("one", "two"):
        told, event = shell("gemini-cli", "tool_after", result=result)
        ask("gemini-cli", told, event, told_hooks)
    begun = [call[1] for call in told_hooks.calls if call[0] == "pre"]
    assert [call[1:3] for call in told_hooks.calls if call[0] == "post"] == [
        (begun[0], "one"), (begun[1], "two"),
    ]  # fmt: skip


def test_a_call_that_was_changed_is_found_again_by_its_new_arguments(ask: Ask) -> None:
    told_hooks, change = Told(), Change()
    told, event = shell("gemini-cli")
    ask("gemini-cli", told, event, change, told_hooks)
    told, event = shell(
        "gemini-cli", "tool_after", result="x", tool_input={"command": "echo changed"}
    )
    ask("gemini-cli", told, event, change, told_hooks)
    assert [call[0] for call in told_hooks.calls] == ["pre", "post", "finished"]


def test_twenty_calls_at_once_have_each_their_own_answer(ask: Ask) -> None:
    class Odd:
        @hookimpl(gate=True)
        def pre_tool_call(self, ctx: Any) -> Abort | None:
            return Abort("odd") if int(ctx.tool_input["n"]) % 2 else None

    plugin, answers = Odd(), {}

    def one(number: int) -> None:
        told, event = shell("claude-code", call_id=f"c{number}", tool_input={"n": number})
        answers[number] = ask("claude-code", told, event, plugin)

    one(0)
    threads = [threading.Thread(target=one, args=(number,)) for number in range(1, 21)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    passed = {number for number, answer in answers.items() if answer == {}}
    assert passed == set(range(0, 21, 2))
    assert len(answers) == 21
