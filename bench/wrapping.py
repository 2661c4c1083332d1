"""Wraps against bare onions, and the policies on real calls."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Awaitable, Callable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from hookcore import HookAborted, HookManager, ToolCallContext, hookimpl

from .clocks import CLOCK
from .dispatching import awaiting
from .race import Burst, Claim

__all__ = ["claims", "contestants"]

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
POLICIES = {"tool-policy": "hookcore_tool_policy:ToolPolicy", "redact": "hookcore_redact:Redact"}


class Around:
    """A wrap that awaits what is inside it."""

    @hookimpl
    async def wrap_tool_call(self, ctx: Any, call_next: Callable[..., Any]) -> Any:
        """Call on."""
        return await call_next()


class NoOps:
    """A plugin whose hooks at both points of a tool call do nothing."""

    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None:
        """Continue."""

    @hookimpl
    def post_tool_call(self, ctx: Any) -> None:
        """Continue."""


def _filled(*plugins: object) -> HookManager:
    manager = HookManager()
    for plugin in plugins:
        manager.register(plugin)
    return manager


async def _body(given: Any) -> Any:
    return given


def _onion(depth: int) -> Callable[[Any], Awaitable[Any]]:
    call: Callable[[Any], Awaitable[Any]] = _body
    for _ in range(depth):

        async def layer(given: Any, call_next: Callable[[Any], Awaitable[Any]] = call) -> Any:
            return await call_next(given)

        call = layer
    return call


def _wrapped(depth: int) -> Burst:
    manager = _filled(*(Around() for _ in range(depth)))
    ctx = ToolCallContext(tool_name="read_file", payload={"path": "a.txt"})
    return awaiting(lambda: manager.awrap("wrap_tool_call", ctx, _body))


def _bare(depth: int) -> Burst:
    onion, given = _onion(depth), {"path": "a.txt"}
    return awaiting(lambda: onion(given))


def _airline_calls() -> list[tuple[str, dict[str, Any], Any]]:
    """Return the recorded calls: tool, arguments, result."""
    calls = []
    file = EXAMPLES / "transcripts" / "tau_airline_gpt4o_40.jsonl"
    for line in file.read_text(encoding="utf-8").splitlines():
        messages = json.loads(line)["messages"]
        results = {
            message.get("tool_call_id"): message["content"]
            for message in messages
            if message["role"] == "tool"
        }
        for message in messages:
            for call in message.get("tool_calls") or ():
                function = call["function"]
                arguments = json.loads(function["arguments"])
                calls.append((function["name"], arguments, results.get(call["id"])))
    return calls


def _on_airline_calls(manager: HookManager, calls: list[tuple[str, dict[str, Any], Any]]) -> Burst:
    def burst(count: int) -> float:
        started = CLOCK()
        for tool, arguments, result in islice(cycle(calls), count):
            ctx = ToolCallContext(tool_name=tool, payload=arguments)
            try:
                manager.dispatch("pre_tool_call", ctx)
            except HookAborted:
                continue
            ctx.settle(result)
            manager.dispatch("post_tool_call", ctx)
        return CLOCK() - started

    return burst


def _policy(name: str) -> HookManager | None:
    """Return a manager with one shipped policy as the demo sets it; None if not installed."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    module, _, attribute = POLICIES[name].partition(":")
    try:
        plugin = getattr(importlib.import_module(module), attribute)
    except ImportError:
        return None
    demo = tomllib.loads((EXAMPLES / "demo" / "hookcore.toml").read_text(encoding="utf-8"))
    manager = HookManager()
    manager.register(plugin, name, settings=demo["plugins"][name].get("settings", {}))
    return manager


def contestants(notes: list[str]) -> dict[str, Burst]:
    """Return the bursts by name.

    Args:
        notes: takes a line for each policy that is not installed and therefore left out.
    """
    calls = _airline_calls()
    found: dict[str, Burst] = {
        "bare onion of 1": _bare(1),
        "async wrap, 1 deep": _wrapped(1),
        "bare onion of 5": _bare(5),
        "async wrap, 5 deep": _wrapped(5),
        "airline call, no hooks": _on_airline_calls(HookManager(), calls),
        "airline call, no-op hooks": _on_airline_calls(_filled(NoOps()), calls),
    }
    for name in POLICIES:
        manager = _policy(name)
        if manager is None:
            notes.append(f"{name} is not installed: its rows are left out")
        else:
            found[f"airline call, {name}"] = _on_airline_calls(manager, calls)
    return found


def claims(names: list[str]) -> list[Claim]:
    """Return the ratios that are told, and have no limit.

    Args:
        names: the contestants that there are.
    """
    pairs = [
        ("async wrap, 1 deep", "bare onion of 1"),
        ("async wrap, 5 deep", "bare onion of 5"),
        ("airline call, no-op hooks", "airline call, no hooks"),
        *((f"airline call, {name}", "airline call, no-op hooks") for name in POLICIES),
    ]
    return [_claim(top, bottom) for top, bottom in pairs if top in names]


def _claim(top: str, bottom: str) -> Claim:
    name = f"{top} / {bottom.removeprefix('airline call, ')}"
    return Claim(name, lambda times: times[top] / times[bottom])
