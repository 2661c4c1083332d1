"""The policy where it works: in a manager, at its points."""

from __future__ import annotations

import copy
import json
import logging
from importlib.metadata import entry_points
from types import SimpleNamespace
from typing import Any

import pytest

from hookcore import (
    ChannelMessage,
    HookAborted,
    HookContext,
    HookDispatchedEvent,
    HookManager,
    MessageContext,
    ModelCallContext,
    ModelResponse,
    RunContext,
    ToolCall,
    ToolCallContext,
    hookimpl,
)
from hookcore_redact import Redact, RedactSettings

MAIL = "alice@example.com"
KEY = "sk-" + "ant-api03-" + "a1B2c3D4e5" * 8


def manager(**settings: Any) -> HookManager:
    result = HookManager()
    result.register(Redact, name="redact", settings=settings)
    return result


def test_a_tool_gets_its_address_but_no_key() -> None:
    seen: list[Any] = []
    manager().call_tool("send", {"to": MAIL, "body": f"key {KEY}"}, seen.append)
    assert seen == [{"to": MAIL, "body": "key [ANTHROPIC_KEY_1]"}]


def test_a_tool_s_result_comes_back_redacted() -> None:
    result = manager().call_tool("get", {}, lambda _: {"mail": MAIL, "rows": (MAIL, 7)})
    assert result == {"mail": "[EMAIL_1]", "rows": ("[EMAIL_1]", 7)}


def test_the_host_s_message_list_is_rewritten_and_its_messages_are_not() -> None:
    message = {"role": "user", "content": MAIL}
    messages: list[Any] = [{"role": "system", "content": "hi"}, message]
    sent: list[Any] = []
    manager().call_model(messages, lambda given: sent.append(copy.deepcopy(given)))
    assert sent[0][1] == messages[1] == {"role": "user", "content": "[EMAIL_1]"}
    assert message["content"] == MAIL


def test_a_response_is_redacted_in_the_openai_shape_too() -> None:
    calls = [{"id": "1", "function": {"name": "f", "arguments": json.dumps({"k": KEY})}}]
    response = {
        "choices": [{"index": 0, "message": {"content": f"it is {KEY}", "tool_calls": calls}}]
    }
    message = manager().call_model([], lambda _: response)["choices"][0]["message"]
    assert message["content"] == "it is [ANTHROPIC_KEY_1]"
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {
        "k": "[ANTHROPIC_KEY_1]"
    }


@pytest.mark.parametrize(
    "response",
    [
        ModelResponse("", [ToolCall("send", {"to": MAIL, "key": KEY})]),
        {
            "content": "",
            "tool_calls": [{"function": {"arguments": json.dumps({"to": MAIL, "key": KEY})}}],
        },
        {"content": [{"type": "tool_use", "name": "send", "input": {"to": MAIL, "key": KEY}}]},
        SimpleNamespace(content=[SimpleNamespace(type="tool_use", input={"to": MAIL, "key": KEY})]),
    ],
    ids=["ours", "openai", "anthropic", "objects"],
)
def test_tool_calls_that_a_response_asks_for_are_tool_inputs(response: Any) -> None:
    after = repr(manager().call_model([], lambda _: response))
    assert MAIL in after
    assert KEY not in after


def test_tool_calls_in_the_history_are_messages() -> None:
    messages = [{"role": "assistant", "tool_calls": [{"function": {"arguments": MAIL}}]}]
    manager().call_model(messages, lambda _: "ok")
    assert MAIL not in repr(messages)


def test_channel_messages_inputs_and_outputs_are_redacted() -> None:
    host = manager()
    mail = ChannelMessage(channel="c", sender=MAIL, recipient="bot", content=f"I am {MAIL}")
    for point in ("message_received", "message_sending"):
        after = host.dispatch(point, MessageContext(payload=mail)).payload
        assert (after.sender, after.content) == ("[EMAIL_1]", "I am [EMAIL_1]")
    for point in ("execution_start", "input", "output", "execution_end"):
        assert host.dispatch(point, RunContext(payload={"input": MAIL})).payload == {
            "input": "[EMAIL_1]"
        }


def test_where_nothing_is_found_the_dispatch_proceeds_unmodified() -> None:
    host, events = manager(), list[HookDispatchedEvent]()
    host.subscribe(events.append)
    payload = {"flight": "HAT001"}
    assert host.dispatch("output", RunContext(payload=payload)).payload is payload
    assert [event.outcome for event in events] == ["proceeded"]


def test_within_a_run_a_value_keeps_its_placeholder_from_point_to_point() -> None:
    host = manager()
    with host.run({"input": f"{MAIL} and bob@example.com"}) as run:
        assert host.call_tool("t", {}, lambda _: ["bob@example.com", "eve@example.com"]) == [
            "[EMAIL_2]",
            "[EMAIL_3]",
        ]
        run.result = MAIL
    assert run.result == "[EMAIL_1]"


def test_runs_do_not_know_each_other_s_values() -> None:
    host = manager()
    for mail in (MAIL, "bob@example.com"):
        ctx = ToolCallContext(tool_name="t", tool_result=mail, run_id=mail, point="post_tool_call")
        assert host.dispatch("post_tool_call", ctx).payload == "[EMAIL_1]"


def test_other_plugins_see_what_comes_in_redacted_and_may_not_add_to_what_goes_out() -> None:
    seen: list[Any] = []

    class Other:
        @hookimpl
        def post_tool_call(self, ctx: ToolCallContext) -> None:
            seen.append(ctx.payload)

        @hookimpl
        def pre_model_call(self, ctx: ModelCallContext) -> list[Any]:
            return [*ctx.payload, {"role": "user", "content": MAIL}]

    host = HookManager()
    host.register(Other())
    host.register(Redact, name="redact")
    host.call_tool("t", {}, lambda _: MAIL)
    assert seen == ["[EMAIL_1]"]
    messages: list[Any] = []
    host.call_model(messages, lambda _: "ok")
    assert messages == [{"role": "user", "content": "[EMAIL_1]"}]


def test_no_event_log_or_repr_holds_a_value(caplog: pytest.LogCaptureFixture) -> None:
    host, events = manager(restore=True), list[HookDispatchedEvent]()
    host.subscribe(events.append)
    caplog.set_level(logging.DEBUG)
    with host.run({"input": f"{MAIL} {KEY}"}):
        host.call_tool("t", {"a": KEY}, lambda _: MAIL)
    told = f"{events!r} {caplog.text} {host.plugins()!r} {host.hooks('output')!r}"
    assert len(events) >= 4
    assert MAIL not in told
    assert KEY not in told


def test_a_payload_that_cannot_be_redacted_is_denied_and_its_value_not_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Stubborn(dict[str, str]):
        def __copy__(self) -> Stubborn:
            raise RuntimeError(f"no copies of {self['to']}")

    host, events = manager(), list[HookDispatchedEvent]()
    host.subscribe(events.append)
    with pytest.raises(HookAborted) as caught:
        host.dispatch("output", RunContext(payload=Stubborn(to=MAIL)))
    assert "redact" in str(caught.value.source)
    assert events[0].outcome == "aborted"
    assert MAIL not in f"{caught.value} {events!r} {caplog.text}"


# Restoring


def test_restored_a_tool_gets_the_value_and_nobody_else_does() -> None:
    host, seen = manager(restore=True), list[Any]()

    def tool(given: dict[str, Any]) -> dict[str, Any]:
        seen.append(given)
        return given

    with host.run({"input": f"write to {MAIL}"}) as run:
        messages: list[Any] = [{"role": "user", "content": f"write to {MAIL}"}]
        host.call_model(messages, lambda _: "ok")
        assert messages[0]["content"] == "write to [EMAIL_1]"
        run.result = host.call_tool("send", {"to": ["[EMAIL_1]"]}, tool)
    assert seen == [{"to": [MAIL]}]
    assert run.result == {"to": ["[EMAIL_1]"]}


def test_a_placeholder_that_nobody_gave_out_stays() -> None:
    host, seen = manager(restore=True), list[Any]()
    with host.run({"input": MAIL}):
        host.call_tool("send", {"to": "[EMAIL_7] [CARD_1] [NAME_1]"}, seen.append)
    assert seen == [{"to": "[EMAIL_7] [CARD_1] [NAME_1]"}]


def test_a_kind_that_is_redacted_in_tool_inputs_is_never_restored() -> None:
    host, seen = manager(restore=True), list[Any]()
    with host.run({"input": KEY}):
        host.call_tool("send", {"a": "[ANTHROPIC_KEY_1]", "b": KEY}, seen.append)
    assert seen == [{"a": "[ANTHROPIC_KEY_1]", "b": "[ANTHROPIC_KEY_1]"}]


def test_only_the_named_tools_get_values_back() -> None:
    host, seen = manager(restore=True, restore_tools=["send_*"]), list[Any]()
    with host.run({"input": MAIL}):
        host.call_tool("send_mail", {"to": "[EMAIL_1]"}, seen.append)
        host.call_tool("post", {"to": "[EMAIL_1]"}, seen.append)
        host.call_tool("Send_Mail", {"to": "[EMAIL_1]"}, seen.append)
    assert seen == [{"to": MAIL}, {"to": "[EMAIL_1]"}, {"to": "[EMAIL_1]"}]


def test_values_are_restored_inside_a_json_text() -> None:
    host, seen = manager(restore=True, tool_input_kinds=[]), list[Any]()
    pem = "-----BEGIN PRIVATE KEY-----\n" + "a1B2c3D4" * 8 + "\n-----END PRIVATE KEY-----"
    with host.run({"input": f"{MAIL} {pem}"}):
        host.call_tool(
            "send", {"body": '{"to": "[EMAIL_1]", "key": "[PRIVATE_KEY_1]"}'}, seen.append
        )
    assert json.loads(seen[0]["body"]) == {"to": MAIL, "key": pem}


class Curious(Redact):
    """Shows what the plugin keeps for a run."""

    kept: dict[str, Any]

    def _vault(self, ctx: HookContext) -> Any:
        self.kept = ctx.state
        return super()._vault(ctx)


def test_by_default_nothing_is_restored_and_no_value_is_kept() -> None:
    host, seen, plugin = HookManager(), list[Any](), Curious()
    host.register(plugin, name="redact")
    with host.run({"input": MAIL}):
        host.call_tool("send", {"to": "[EMAIL_1]"}, seen.append)
    assert seen == [{"to": "[EMAIL_1]"}]
    vault = plugin.kept["vault"]
    assert MAIL not in repr([getattr(vault, name) for name in vault.__slots__])


def test_what_is_kept_for_restoring_is_not_shown() -> None:
    host, plugin = HookManager(), Curious(RedactSettings(restore=True))
    host.register(plugin, name="redact")
    with host.run({"input": MAIL}):
        assert plugin.kept["vault"].value("[EMAIL_1]") == ("email", MAIL)
        assert MAIL not in repr(plugin.kept)


def test_hash_placeholders_can_be_restored_as_well() -> None:
    host, seen = manager(restore=True, placeholders="hash"), list[Any]()
    with host.run({"input": MAIL}) as run:
        host.call_tool("send", {"to": run.inputs["input"]}, seen.append)
    assert seen == [{"to": MAIL}]


def test_the_distribution_offers_the_policy_as_an_entry_point() -> None:
    (entry,) = entry_points(group="hookcore.plugins", name="redact")
    assert entry.load() is Redact
