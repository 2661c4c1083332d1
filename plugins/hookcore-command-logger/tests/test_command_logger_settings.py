"""Settings that an operator may write, and those that are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hookcore import HookManager, RegistrationError
from hookcore_command_logger import CommandLogger

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"file": "commands.jsonl"}, "depends on the working folder"),
    ({"file": "{tmp}"}, "is a folder"),
    ({"file": "{tmp}/none/commands.jsonl"}, "there is no folder"),
    ({"file": "{tmp}/a", "level": "INFO", "logger": "x"}, "level, logger can have an effect only"),
    ({"max_bytes": 5000}, "max_bytes can have an effect only with file"),
    ({"file": "{tmp}/a", "max_bytes": 10}, "greater than or equal to 4096"),
    ({"file": "{tmp}/a", "backups": 0}, "greater than or equal to 1"),
    ({"level": "LOUD"}, "settings.level"),
    ({"flie": "/x"}, "did you mean"),
]


@pytest.mark.parametrize(("settings", "why"), REFUSED, ids=[why for _, why in REFUSED])
def test_settings_that_cannot_act_are_refused(
    settings: dict[str, Any], why: str, tmp_path: Path
) -> None:
    given = {
        key: value.replace("{tmp}", str(tmp_path)) if isinstance(value, str) else value
        for key, value in settings.items()
    }
    with pytest.raises(RegistrationError, match=why):
        HookManager().register(CommandLogger, settings=given)


def test_it_needs_no_settings() -> None:
    manager = HookManager()
    manager.register(CommandLogger, name="command-logger")
    assert manager.plugins()[0].points == ("tool_finished",)
