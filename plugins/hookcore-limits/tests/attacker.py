"""A process that calls as often as it can.

It says that it is ready, waits for a word, and tells what it was let do.
"""

from __future__ import annotations

import random
from multiprocessing.connection import Connection
from typing import Any

from hookcore import HookManager, ModelResponse
from hookcore_limits import Limits

RESERVE = 1000


def tools(manager: HookManager, calls: int, _pipe: Connection) -> dict[str, Any]:
    """Call a tool; return how often it was called."""
    entered: list[Any] = []
    for _ in range(calls):
        manager.call_tool(
            "send", {}, entered.append, on_denied="return", attributes={"tenant": "a"}
        )
    return {"allowed": len(entered)}


def models(manager: HookManager, calls: int, _pipe: Connection) -> dict[str, Any]:
    """Call a model; return how often it answered, and how many tokens it used."""
    used: list[int] = []

    def model(_messages: Any) -> ModelResponse:
        used.append(random.randint(100, RESERVE))
        return ModelResponse("x", usage={"input_tokens": used[-1] - 50, "output_tokens": 50})

    for _ in range(calls):
        manager.call_model(
            [], model, on_denied="return", session_id="s", attributes={"tenant": "a"}
        )
    return {"allowed": len(used), "used": sum(used)}


def hang(manager: HookManager, _calls: int, pipe: Connection) -> dict[str, Any]:
    """Begin one call of a model that never answers."""

    def model(_messages: Any) -> ModelResponse:
        pipe.send("calling")
        pipe.recv()
        raise AssertionError("nobody answers")

    manager.call_model([], model, session_id="s", attributes={"tenant": "a"})
    return {}


def attack(pipe: Connection, kind: str, calls: int, settings: dict[str, Any]) -> None:
    """Attack when it is told to.

    Args:
        pipe: whom it tells, and who tells it to begin.
        kind: the name of one of the functions above.
        calls: how many calls to try.
        settings: the plugin's settings.
    """
    manager = HookManager()
    manager.register(Limits, "limits", settings=settings)
    pipe.send("ready")
    pipe.recv()
    pipe.send({"tools": tools, "models": models, "hang": hang}[kind](manager, calls, pipe))
