"""The policy where it works: in a manager, before real calls."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

import pytest
import tomlkit

from hookcore import (
    HookAborted,
    HookDispatchedEvent,
    HookManager,
    ToolCallContext,
    hookimpl,
    hookspec,
)
from hookcore.testing import recorded, register_configured
from hookcore_tool_policy import ToolPolicy, ToolPolicySettings


class Body:
    """A tool that remembers what it was called with."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def __call__(self, arguments: Any) -> str:
        self.calls.append(arguments)
        return "done"


def manager(**values: Any) -> HookManager:
    result = HookManager()
    plugin = ToolPolicy(ToolPolicySettings.model_validate(values))
    result.register(plugin, name="tool-policy")
    return result


def test_a_denied_tool_is_never_entered() -> None:
    body = Body()
    with pytest.raises(HookAborted) as caught:
        manager(deny=["delete_*"]).call_tool("delete_file", {"path": "a"}, body)
    assert caught.value.source == "tool-policy"
    assert body.calls == []


def test_an_allowed_tool_gets_its_arguments() -> None:
    body = Body()
    assert manager(deny=["delete_*"]).call_tool("read_file", {"path": "a"}, body) == "done"
    assert body.calls == [{"path": "a"}]


async def call_async(host: HookManager, name: str, body: Body) -> Any:
    async def entered(arguments: Any) -> str:
        return body(arguments)

    return await host.acall_tool(name, {"path": "a"}, entered)


@pytest.mark.asyncio
async def test_an_async_host_is_guarded_too() -> None:
    body = Body()
    host = manager(deny=["delete_*"])
    with pytest.raises(HookAborted):
        await call_async(host, "Delete File", body)
    assert await call_async(host, "read_file", body) == "done"
    assert len(body.calls) == 1


class Rewriter:
    """A hook that runs late and turns an innocent path into another."""

    @hookimpl(trylast=True)
    def pre_tool_call(self, ctx: ToolCallContext) -> dict[str, Any]:
        return {"path": "/etc/passwd"}


def test_the_arguments_that_the_tool_would_get_are_the_ones_judged() -> None:
    rule = {"effect": "allow", "tools": ["read_file"], "arguments": {"path": "^/srv/"}}
    host = manager(rules=[rule])
    host.register(Rewriter(), name="rewriter")
    body = Body()
    with pytest.raises(HookAborted):
        host.call_tool("read_file", {"path": "/srv/a"}, body)
    assert body.calls == []


class Renamer:
    """A hook that sends the call to another tool."""

    @hookimpl
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        ctx.tool_name = "delete_file"


def test_the_tool_that_would_really_be_called_is_the_one_judged() -> None:
    host = manager(deny=["delete_*"])
    host.register(Renamer(), name="renamer")
    body = Body()
    with pytest.raises(HookAborted):
        host.call_tool("read_file", {}, body, resolve=lambda _: body)
    assert body.calls == []


def test_a_model_that_is_told_of_the_denial_reads_the_message_only() -> None:
    denied = manager(deny=["delete_*"]).call_tool("delete_file", {}, Body(), on_denied="return")
    assert "the tool delete_file is not allowed by policy" in str(denied)
    assert "deny[0]" not in str(denied)


def test_the_event_names_the_policy_and_no_argument() -> None:
    host = manager(deny=["delete_*"])
    events: list[HookDispatchedEvent] = []
    host.subscribe(events.append)
    with pytest.raises(HookAborted):
        host.call_tool("delete_file", {"path": "secret-value"}, Body())
    event = next(event for event in events if event.interception_point == "pre_tool_call")
    assert (event.outcome, event.abort_source) == ("aborted", "tool-policy")
    assert [(record.plugin, record.verdict) for record in event.records] == [
        ("tool-policy", "deny")
    ]
    assert "secret-value" not in repr(event)


def test_a_failure_of_the_policy_denies_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    host = manager(deny=["delete_*"])
    monkeypatch.setattr(ToolPolicy, "judge", lambda *_: 1 / 0)
    body = Body()
    with pytest.raises(HookAborted) as caught:
        host.call_tool("read_file", {}, body)
    assert "tool-policy" in str(caught.value.source)
    assert body.calls == []


def test_the_manager_builds_the_policy_from_settings() -> None:
    toml = 'deny = ["delete_*"]\nrules = [{ effect = "deny", tools = ["rm"], arguments = { p = "^/" } }]'
    host = HookManager()
    host.register(ToolPolicy, name="tool-policy", settings=tomlkit.parse(toml).unwrap())
    with pytest.raises(HookAborted):
        host.call_tool("rm", {"p": "/"}, Body())
    assert host.call_tool("rm", {"p": "a"}, Body()) == "done"


def test_the_distribution_offers_the_policy_as_an_entry_point() -> None:
    (entry,) = entry_points(group="hookcore.plugins", name="tool-policy")
    assert entry.load() is ToolPolicy


class Offering:
    """A host's own point, at which tools are offered."""

    @hookspec(context=ToolCallContext)
    def tool_offered(self, ctx: ToolCallContext) -> Any:
        """A tool is offered."""


@pytest.mark.parametrize(
    ("values", "offered"),
    [
        ({"deny": ["delete_*"]}, False),
        ({"allow": ["read"], "default": "deny"}, False),
        ({"allow": ["delete_file"], "default": "deny"}, True),
        ({"rules": [{"effect": "deny", "tools": ["*"], "arguments": {"path": "^/etc"}}]}, True),
        (
            {
                "default": "deny",
                "rules": [{"effect": "allow", "tools": ["*"], "arguments": {"path": "^/tmp"}}],
            },
            True,
        ),
    ],
)
def test_a_tool_is_offered_unless_every_call_of_it_is_denied(
    values: dict[str, Any], *, offered: bool
) -> None:
    made = HookManager()
    made.add_hookspecs(Offering)
    made.register(ToolPolicy(ToolPolicySettings.model_validate(values)), name="tool-policy")
    ctx = ToolCallContext(tool_name="delete_file", payload={})
    if offered:
        made.dispatch("tool_offered", ctx)
    else:
        with pytest.raises(HookAborted):
            made.dispatch("tool_offered", ctx)


def test_a_host_that_offers_no_tools_misses_nothing() -> None:
    made = manager(deny=["delete_*"])
    made.declare(["pre_tool_call"])
    assert [hook.plugin for hook in made.hooks("pre_tool_call")] == ["tool-policy"]


ETC = {"effect": "deny", "tools": ["read"], "arguments": {"path": "^/etc"}, "name": "no-etc"}


@pytest.mark.parametrize(
    ("settings", "rule", "tool", "path", "then"),
    [
        ({"deny": ["read", "rm"], "rules": []}, "deny:read", "read", "a", "done"),
        ({"rules": [ETC]}, "no-etc", "read", "/etc", "done"),
        ({"allow": ["ls"]}, "default", "read", "a", "done"),
        ({"allow": ["ls"], "rules": [ETC]}, "no-etc", "read", "/etc", "default"),
        ({"deny": ["read"], "ask": ["re*"]}, "deny:read", "read", "a", "ask:re*"),
        ({"ask": ["read"]}, "ask:read", "read", "a", "done"),
    ],
)
def test_a_rule_that_is_only_monitored_leaves_a_call_to_the_others(
    settings: dict[str, Any], rule: str, tool: str, path: str, then: str
) -> None:
    host = HookManager()
    policy = ToolPolicy(ToolPolicySettings.model_validate(settings))
    assert rule in policy.rule_names
    register_configured(host, policy, rules={rule: {"mode": "monitor"}})
    with recorded(host) as events:
        answer = host.call_tool(tool, {"path": path}, Body(), on_denied="return")
    first, last = events[0].records
    assert (first.verdict, first.effect, first.rule) == ("deny", "observed", rule)
    assert (answer if last.verdict == "allow" else last.rule) == then


def test_a_monitored_rule_keeps_no_tool_from_being_offered() -> None:
    policy = ToolPolicy(ToolPolicySettings(deny=["rm"]))
    host = HookManager()
    host.add_hookspecs(Offering)
    register_configured(host, policy, rules={"deny:rm": {"mode": "monitor"}})
    host.dispatch("tool_offered", ToolCallContext(tool_name="rm"))


def test_a_call_whose_tool_has_no_name_is_denied_whatever_is_monitored() -> None:
    host = HookManager()
    policy = ToolPolicy(ToolPolicySettings(default="deny"))
    register_configured(host, policy, rules={"default": {"mode": "monitor"}})
    assert host.call_tool("read", {}, Body()) == "done"
    with pytest.raises(HookAborted) as caught:
        host.call_tool("x" * 300, {}, Body())
    assert caught.value.rule == "name"


@pytest.mark.parametrize("name", ["default", "name"])
def test_no_rule_is_called_like_what_no_rule_decides(name: str) -> None:
    with pytest.raises(ValueError, match="which stands for what no rule decides"):
        ToolPolicySettings.model_validate({"rules": [{**ETC, "name": name}]})
