"""The real agents, offline: what a policy denies does not run, and the model reads why."""

from __future__ import annotations

import json

import pytest

from .conftest import MESSAGE, Lab
from .model import Call, Step

TASK = {"description": "a task", "prompt": "SUBTASK: go on"}
SUB_AGENTS = {
    "claude-code": Call("Agent", {**TASK, "subagent_type": "general-purpose"}),
    "codex": Call("spawn_agent", {"message": TASK["prompt"]}, "multi_agent_v1"),
    "qwen-code": Call("agent", {**TASK, "subagent_type": "general-purpose"}),
    "copilot": Call("task", {**TASK, "agent_type": "general-purpose", "name": "helper"}),
    "opencode": Call("task", {**TASK, "subagent_type": "general"}),
    "gemini-cli": Call("invoke_agent", {"agent_name": "generalist", "prompt": TASK["prompt"]}),
}
UNTIL_FINE = "for i in $(seq 300); do [ -e fine ] && break; sleep 0.1; done"
"""The command of an agent whose sub-agents work beside it."""


def ran(name: str) -> str:
    return f"echo ran >> {name}"


def test_calls_are_denied_and_changed_and_results_are_replaced(lab: Lab) -> None:
    call = lab.agent.call
    model = lab.run(
        Step((call(f"{ran('denied')} # DENY"),)),
        Step((call(f"{ran('before')} # CHANGE"),)),
        Step((call(f"{ran('fine')}; printf 'it is SEC'; echo RET"),)),
    )
    read = model.read()
    assert not lab.ran("denied"), lab.done.stdout
    assert MESSAGE in read
    assert "rule 7" not in read
    assert not lab.ran("before")
    changes = lab.agent.dialect.with_role("tool_before")
    assert changes is not None
    assert lab.ran("changed.txt") is (changes.rewrite is not None)
    assert lab.ran("fine")
    assert "it is [gone]" in read
    assert "SECRET" not in read
    prompt = lab.agent.dialect.with_role("prompt")
    assert ("HINT-OF-THE-LAB" in read) is (prompt is not None and prompt.context is not None)


def test_the_result_of_a_failed_command_does_not_reach_the_model(lab: Lab) -> None:
    model = lab.run(Step((lab.agent.call("printf 'it is SEC'; echo RET; exit 3"),)))
    assert "SECRET" not in model.read()
    assert len(model.requests) > 0


def test_a_prompt_that_is_denied_does_not_reach_the_model(lab: Lab) -> None:
    model = lab.run(Step(), prompt="FORBIDDEN things")
    has_prompts = lab.agent.dialect.with_role("prompt") is not None
    assert ("FORBIDDEN" in model.read()) is not has_prompts


def test_policies_that_crash_or_hang_deny(lab: Lab) -> None:
    call = lab.agent.call
    model = lab.run(
        Step((call(f"{ran('crashed')} # CRASH"),)), Step((call(f"{ran('hung')} # HANG"),))
    )
    assert not lab.ran("crashed"), lab.done.stdout
    assert not lab.ran("hung"), lab.done.stdout
    assert "the policies have not answered in time" in model.read()
    assert "hunter2" not in model.read()


def test_a_daemon_that_is_killed_in_the_middle_denies(lab: Lab) -> None:
    model = lab.run(Step((lab.agent.call(f"{ran('killed')} # KILL"),)))
    assert lab.daemon.wait(30) == -9
    assert not lab.ran("killed"), lab.done.stdout
    # The next daemon does not know the lab's policy; where there are batches, it stops this one.
    if lab.agent.dialect.with_role("tool_batch") is None:
        read = model.read()
        assert "cannot be loaded" in read or "could not judge" in read, lab.done.stdout


def test_of_twenty_calls_at_once_the_denied_ones_do_not_run(lab: Lab) -> None:
    commands = [f"{ran(f'f{number}')}{' # DENY' if number % 2 else ''}" for number in range(20)]
    model = lab.run(Step(tuple(map(lab.agent.call, commands))))
    assert {number for number in range(20) if lab.ran(f"f{number}")} == set(range(0, 20, 2))
    assert json.dumps(model.requests[-1]).count(MESSAGE) >= 10


def test_another_hook_that_lets_pass_does_not_lift_a_denial(lab: Lab) -> None:
    lab.run(Step((lab.agent.call(f"{ran('denied')} # DENY"),)), others=("echo '{}'",))
    assert not lab.ran("denied"), lab.done.stdout


@pytest.mark.parametrize("agent", SUB_AGENTS, indirect=True)
def test_a_sub_agents_call_is_denied(lab: Lab) -> None:
    denied = lab.agent.call(f"{ran('denied')} # DENY")
    fine = lab.agent.call(ran("fine"))
    model = lab.run(
        Step((SUB_AGENTS[lab.agent.client],)),
        Step((lab.agent.call(UNTIL_FINE),)),
        Step(text="done"),
        elsewhere={"SUBTASK": [Step((denied,)), Step((fine,)), Step(text="it is done")]},
    )
    assert lab.ran("fine"), lab.done.stdout
    assert not lab.ran("denied"), lab.done.stdout
    assert MESSAGE in model.read()


@pytest.mark.parametrize("agent", ["claude-code"], indirect=True)
def test_hooks_that_ask_by_http_deny_and_do_so_when_the_daemon_is_gone(lab: Lab) -> None:
    (file,) = (lab.place.home / ".local/state/hookcore").glob("bridge-*.json")
    known = json.loads(file.read_text(encoding="utf-8"))
    hook = {
        "type": "http", "url": f"http://127.0.0.1:{known['port']}/v1/hooks/claude-code",
        "headers": {"Authorization": f"Bearer {known['token']}"}, "timeout": 10,
        "onFailure": "block",
    }  # fmt: skip
    hooks = {event: [{"hooks": [hook]}] for event in lab.agent.dialect.events}
    lab.place.write(lab.place.home / ".claude/settings.json", {"hooks": hooks})
    denied = lab.agent.call(f"{ran('denied')} # DENY")
    model = lab.run(
        Step((denied,)), Step((lab.agent.call(f"{ran('killed')} # KILL"),)), hooks=False
    )
    assert MESSAGE in model.read()
    assert not lab.ran("denied"), lab.done.stdout
    assert not lab.ran("killed"), lab.done.stdout
    assert lab.daemon.wait(30) == -9
    lab.run(Step((lab.agent.call(ran("gone")),)), hooks=False)
    assert not lab.ran("gone"), lab.done.stdout
