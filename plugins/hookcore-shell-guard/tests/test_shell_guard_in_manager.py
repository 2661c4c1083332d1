"""The policy where it works: in a manager, before real calls."""

from __future__ import annotations

import asyncio
import threading
from importlib.metadata import entry_points
from typing import Any

import pytest

from hookcore import HookAborted, HookManager
from hookcore.testing import recorded, register_configured
from hookcore_shell_guard import ShellGuard, ShellGuardSettings


class Answers:
    """A prompter that gives one answer."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def ask(self, prompt: str, default_message: str) -> str:
        self.asked.append(prompt)
        return self.answer


def manager(prompter: Answers | None = None, **values: Any) -> HookManager:
    result = HookManager(prompter=prompter)
    plugin = ShellGuard(ShellGuardSettings.model_validate(values))
    result.register(plugin, name="shell-guard")
    return result


def run(host: HookManager, command: str) -> Any:
    return host.call_tool("Bash", {"command": command}, lambda arguments: arguments["command"])


def test_a_denied_command_never_runs() -> None:
    with pytest.raises(HookAborted) as caught:
        run(manager(), "sudo ls")
    assert caught.value.source == "shell-guard"


def test_an_allowed_command_runs() -> None:
    assert run(manager(), "ls") == "ls"


def test_a_command_that_another_hook_puts_in_is_judged() -> None:
    from hookcore import hookimpl

    class Rewrites:
        @hookimpl(trylast=True)
        def pre_tool_call(self, ctx: Any) -> Any:
            return {"command": "sudo ls"}

    host = manager()
    host.register(Rewrites())
    with pytest.raises(HookAborted):
        run(host, "ls")


def test_a_yes_lets_the_command_run() -> None:
    prompter = Answers("y")
    assert run(manager(prompter, on_match="ask"), "sudo ls") == "sudo ls"
    (asked,) = prompter.asked
    assert "`sudo`, raises rights" in asked


@pytest.mark.parametrize("answer", ["n", "", "perhaps"])
def test_any_other_answer_aborts(answer: str) -> None:
    with pytest.raises(HookAborted):
        run(manager(Answers(answer), on_match="ask"), "sudo ls")


def test_what_is_opaque_is_asked_about_on_its_own() -> None:
    host = manager(Answers("y"), opaque="ask")
    assert run(host, "$X") == "$X"
    with pytest.raises(HookAborted):
        run(host, "sudo ls")


def test_a_denied_segment_is_not_asked_about() -> None:
    rule = {"effect": "ask", "program": "make"}
    with pytest.raises(HookAborted):
        run(manager(Answers("y"), rules=[rule]), "make && sudo ls")


def test_asking_aborts_when_nobody_answers() -> None:
    with pytest.raises(HookAborted):
        run(manager(on_match="ask"), "sudo ls")


@pytest.mark.parametrize(
    "settings",
    [{"on_match": "ask"}, {"rules": [{"effect": "ask", "program": "sudo"}]}],
)
def test_the_event_loop_goes_on_while_a_person_is_asked(settings: dict[str, Any]) -> None:
    ticked = threading.Event()

    class Waits(Answers):
        def ask(self, prompt: str, default_message: str) -> str:
            return "y" if ticked.wait(30) else "n"

    async def call() -> Any:
        asyncio.get_running_loop().call_soon(ticked.set)
        host = manager(Waits(""), **settings)
        return await host.acall_tool("Bash", {"command": "sudo ls"}, lambda arguments: arguments)

    assert asyncio.run(call()) == {"command": "sudo ls"}


def test_what_never_asks_stays_in_the_thread_of_the_event_loop() -> None:
    threads: list[threading.Thread] = []

    class Guard(ShellGuard):
        def judge(self, *args: Any) -> None:
            threads.append(threading.current_thread())

    host = HookManager()
    host.register(Guard(ShellGuardSettings()), name="shell-guard")
    asyncio.run(host.acall_tool("Bash", {"command": "ls"}, lambda arguments: arguments))
    assert threads == [threading.current_thread()]


def test_a_failure_denies() -> None:
    host = HookManager()
    plugin = ShellGuard(ShellGuardSettings())
    plugin.judge = None  # type: ignore[assignment,method-assign]
    host.register(plugin, name="shell-guard")
    with pytest.raises(HookAborted) as caught:
        run(host, "ls")
    assert caught.value.source == "shell-guard"


def test_the_entry_point_is_found() -> None:
    (found,) = entry_points(group="hookcore.plugins", name="shell-guard")
    assert found.load() is ShellGuard


@pytest.mark.parametrize(
    ("values", "command", "rule", "then"),
    [
        ({}, "sudo ls", "preset careful", None),
        ({}, "sudo ls && $X", "preset careful", "opaque"),
        ({}, "$X a", "opaque", None),
        (
            {"rules": [{"effect": "deny", "program": "sudo"}]},
            "sudo ls",
            "rules[0]",
            "preset careful",
        ),
        ({"on_match": "ask"}, "sudo ls", "preset careful", None),
    ],
)
def test_a_rule_that_is_only_monitored_leaves_a_command_to_the_others(
    values: dict[str, Any], command: str, rule: str, then: str | None
) -> None:
    host = HookManager()
    guard = ShellGuard(ShellGuardSettings.model_validate(values))
    assert rule in guard.rule_names
    register_configured(host, guard, rules={rule: {"mode": "monitor"}})
    with recorded(host) as events:
        host.call_tool("Bash", {"command": command}, lambda _: "done", on_denied="return")
    first, last = events[0].records
    assert (first.verdict, first.effect, first.rule) == ("deny", "observed", rule)
    assert last.rule == then
