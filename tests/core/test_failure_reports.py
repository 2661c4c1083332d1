"""The report of a failing hook: records and log lines, never the exception's text (rule 4)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookAborted, HookDispatchedEvent, HookManager, ToolCallContext
from hookcore.testing import register_configured

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]
Events = list[HookDispatchedEvent]


def broken(ctx: Any) -> None:
    raise ZeroDivisionError("the secret is 42")


async def broken_async(ctx: Any) -> None:
    await asyncio.sleep(0)
    raise ZeroDivisionError("the secret is 42")


@pytest.mark.parametrize(
    ("on_error", "effect", "outcome"),
    [("allow", "ignored", "proceeded"), ("deny", "applied", "aborted")],
)
def test_a_failure_is_recorded(
    manager: HookManager,
    add: Add,
    call: Call,
    events: Events,
    *,
    on_error: str,
    effect: str,
    outcome: str,
) -> None:
    add("pre_tool_call", broken, name="p", on_error=on_error)

    with contextlib.suppress(HookAborted):
        manager.dispatch("pre_tool_call", call())

    (event,) = events
    (record,) = event.records
    assert (record.plugin, record.hook) == ("p", "broken")
    assert (record.verdict, record.effect) == ("error", effect)
    assert (event.outcome, event.error_count, event.hook_count) == (outcome, 1, 1)


@pytest.mark.parametrize("function", [broken, broken_async])
def test_a_record_has_the_exceptions_class_and_place_and_not_its_text(
    manager: HookManager, add: Add, call: Call, events: Events, function: Any
) -> None:
    add("pre_tool_call", function)

    manager.dispatch("pre_tool_call", call())

    error = events[0].records[0].error
    assert error is not None
    assert error.startswith("ZeroDivisionError at ")
    assert "test_failure_reports:" in error
    assert "secret" not in error


def test_a_failure_is_logged_with_plugin_distribution_and_version(
    manager: HookManager,
    one_hook: Callable[..., Any],
    call: Call,
    caplog: pytest.LogCaptureFixture,
) -> None:
    plugin = one_hook("pre_tool_call", broken)
    register_configured(manager, plugin, "guard", distribution="acme-guard", version="1.2")

    with caplog.at_level(logging.WARNING, "hookcore"):
        manager.dispatch("pre_tool_call", call())

    (record,) = caplog.records
    text = record.getMessage()
    assert "plugin guard (acme-guard 1.2): hook broken at pre_tool_call failed" in text
    assert "ZeroDivisionError" in text


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_the_log_never_has_the_exceptions_text(
    manager: HookManager,
    add: Add,
    call: Call,
    caplog: pytest.LogCaptureFixture,
    on_error: str,
) -> None:
    add("pre_tool_call", broken, on_error=on_error)

    with contextlib.suppress(HookAborted):
        manager.dispatch("pre_tool_call", call())

    assert len(caplog.records) == 1
    assert "secret" not in caplog.text


def test_an_abort_is_not_logged_as_a_failure(
    manager: HookManager, add: Add, call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    add("pre_tool_call", lambda ctx: False)

    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", call())
    assert caplog.records == []


def test_a_failing_hook_hides_no_later_abort(manager: HookManager, add: Add, call: Call) -> None:
    add("pre_tool_call", broken)
    add("pre_tool_call", lambda ctx: False, name="guard")

    with pytest.raises(HookAborted, match="guard"):
        manager.dispatch("pre_tool_call", call())
