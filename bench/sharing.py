"""Policies that keep state, on tool and model calls, beside a gate that keeps none."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hookcore import HookManager, ModelResponse, hookimpl

from .clocks import CLOCK
from .race import Burst, Claim, ratio

__all__ = ["claims", "contestants"]

NEEDED = ("hookcore_limits", "hookcore_loop_guard")
ARGUMENTS = {"path": "/tmp/file.txt", "content": "hello" * 20}
MESSAGES = [{"role": "user", "content": "hello" * 20}]
RATE = {"per": ["tool"], "limit": "1000000000/day"}
RATES = [RATE, *({"per": [scope], "limit": "1000000000/day"} for scope in ("agent", "session"))]
BUDGETS = [{"per": ["session"], "tokens": 10**12}]
LIMITS = {"memory": 1.5, "sqlite": 3.0, "redis": 6.0}


class Gate:
    """A gate that lets everything pass."""

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: Any) -> None:
        """Let pass."""

    @hookimpl(gate=True)
    def pre_model_call(self, ctx: Any) -> None:
        """Let pass."""


def _filled(plugin: object, settings: dict[str, Any] | None = None) -> HookManager:
    manager = HookManager()
    manager.register(plugin, "policy", settings=settings)
    return manager


def _answer(_messages: Any) -> ModelResponse:
    return ModelResponse("x", usage={"input_tokens": 1, "output_tokens": 1})


def _tools(manager: HookManager) -> Burst:
    def burst(count: int) -> float:
        started = CLOCK()
        for _ in range(count):
            manager.call_tool("write_file", ARGUMENTS, _content)
        return CLOCK() - started

    return burst


def _content(given: dict[str, Any]) -> Any:
    return given["content"]


def _models(manager: HookManager) -> Burst:
    def burst(count: int) -> float:
        started = CLOCK()
        for _ in range(count):
            manager.call_model(MESSAGES, _answer, session_id="s")
        return CLOCK() - started

    return burst


def _guarded(plugin: object) -> Burst:
    manager = _filled(plugin, {})

    def burst(count: int) -> float:
        started = CLOCK()
        with manager.run():
            for number in range(count):
                manager.call_tool("write_file", {**ARGUMENTS, "number": number}, _content)
        return CLOCK() - started

    return burst


@contextmanager
def contestants(folder: Path, notes: list[str]) -> Iterator[dict[str, Burst]]:
    """Give the bursts by name, as long as the stores that they ask are there.

    Args:
        folder: an empty folder for stores.
        notes: takes a line for what is not installed and therefore left out.
    """
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        notes.append(f"{', '.join(missing)}: not installed, so policies with state are left out")
        yield {}
        return
    from hookcore_limits import Limits
    from hookcore_loop_guard import LoopGuard

    with _server(folder, notes) as url:
        if url:
            os.environ["HOOKCORE_REDIS_URL"] = url
        found = {
            "tool call, a gate": _tools(_filled(Gate())),
            "tool call, loop guard": _guarded(LoopGuard),
            "model call, a gate": _models(_filled(Gate())),
        }
        stores: dict[str, dict[str, Any]] = {
            "memory": {},
            "sqlite": {"store": "sqlite", "path": str(folder / "limits" / "limits.sqlite3")},
            **({"redis": {"store": "redis", "timeout_ms": 10_000}} if url else {}),
        }
        made: list[Limits] = []

        def limited(calls: Callable[[HookManager], Burst], **settings: Any) -> Burst:
            manager = _filled(Limits, settings)
            made.extend(info.plugin for info in manager.plugins())
            return calls(manager)

        for store, place in stores.items():
            found[f"tool call, a rate in {store}"] = limited(_tools, rates=[RATE], **place)
            found[f"tool call, 3 rates in {store}"] = limited(_tools, rates=RATES, **place)
            found[f"model call, a budget in {store}"] = limited(_models, budgets=BUDGETS, **place)
        try:
            yield found
        finally:
            for limits in made:
                limits.close()


@contextmanager
def _server(folder: Path, notes: list[str]) -> Iterator[str]:
    """Run a Redis server and give its URL; nothing where there is none."""
    # The server is started by what starts it for tests, which needs pytest.
    missing = [name for name in ("redis", "pytest") if importlib.util.find_spec(name) is None]
    if shutil.which("redis-server") is None or missing:
        notes.append("redis-server, redis-py or pytest is not installed: its rows are left out")
        yield ""
        return
    from hookcore_stores.testing import RedisServer

    server = RedisServer(folder / "redis")
    try:
        yield server.url
    finally:
        server.kill()


def claims(names: list[str]) -> list[Claim]:
    """Return what is claimed of these contestants; the seconds of a server do not count.

    Args:
        names: the contestants that there are.
    """
    pairs: list[tuple[str, str, float | None]] = [
        ("tool call, loop guard", "tool call, a gate", None)
    ]
    for store, limit in LIMITS.items():
        pairs += [
            (f"tool call, a rate in {store}", "tool call, a gate", limit),
            (f"tool call, 3 rates in {store}", "tool call, a gate", None),
            (f"model call, a budget in {store}", "model call, a gate", None),
        ]
    return [ratio(top, bottom, limit) for top, bottom, limit in pairs if top in names]
