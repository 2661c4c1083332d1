"""A process that calls as often as it can: ``attacker.py KIND CALLS`` with settings on its input.

It says that it is ready, waits for a line, and prints what it was let do, as JSON.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

from hookcore import HookManager, ModelResponse
from hookcore_limits import Limits

RESERVE = 1000


def say(line: str) -> None:
    """Tell a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def tools(manager: HookManager, calls: int) -> dict[str, Any]:
    """Call a tool; return how often it was called."""
    entered: list[Any] = []
    for _ in range(calls):
        manager.call_tool(
            "send", {}, entered.append, on_denied="return", attributes={"tenant": "a"}
        )
    return {"allowed": len(entered)}


def models(manager: HookManager, calls: int) -> dict[str, Any]:
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


def hang(manager: HookManager, _calls: int) -> dict[str, Any]:
    """Begin one call of a model that never answers."""

    def model(_messages: Any) -> ModelResponse:
        say("calling")
        sys.stdin.read()
        raise AssertionError("nobody answers")

    manager.call_model([], model, session_id="s", attributes={"tenant": "a"})
    return {}


if __name__ == "__main__":
    manager = HookManager()
    manager.register(Limits, "limits", settings=json.loads(sys.stdin.readline()))
    say("ready")
    sys.stdin.readline()
    attack = {"tools": tools, "models": models, "hang": hang}[sys.argv[1]]
    say(json.dumps(attack(manager, int(sys.argv[2]))))
