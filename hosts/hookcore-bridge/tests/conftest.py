"""The events that each client was seen to tell its hooks, one line an event."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).parent / "dialects" / "samples"
# Copilot tells no event's name: the hook is registered with it.
COPILOT = {
    "initialPrompt": "sessionStart",
    "prompt": "userPromptSubmitted",
    "toolResult": "postToolUse",
    "toolArgs": "preToolUse",
    "reason": "sessionEnd",
}

Told = tuple[str | None, dict[str, Any]]


def recorded(client: str) -> list[Told]:
    """Return the events that policies are asked about, each with the name it is registered by."""
    lines = (SAMPLES / f"{client}.jsonl").read_text(encoding="utf-8").splitlines()
    told = [json.loads(line) for line in lines]
    if client == "copilot":
        return [
            (next(name for key, name in COPILOT.items() if key in one), one)
            for one in told
            if "hookName" not in one and "stopReason" not in one
        ]
    return [(None, one) for one in told]


@pytest.fixture
def sample() -> Callable[..., dict[str, Any]]:
    """Return a function that gives a client's first event with these facts."""

    def find(client: str, event: str | None = None, **facts: Any) -> dict[str, Any]:
        return next(
            told
            for registered, told in recorded(client)
            if event in {None, registered, told.get("hook_event_name"), told.get("event")}
            and all(told.get(key) == value for key, value in facts.items())
        )

    return find
