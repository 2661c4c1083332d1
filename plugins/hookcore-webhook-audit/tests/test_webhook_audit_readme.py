"""The README's settings, message and code do what it says."""

from __future__ import annotations

import json
import re
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook

from hookcore import ToolCallContext
from hookcore_webhook_audit import WebhookAudit, WebhookAuditSettings
from hookcore_webhook_audit._event import Events
from hookcore_webhook_audit._scrub import Scrubber

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def plugin_table() -> dict[str, Any]:
    (toml,) = blocks("toml")
    table: dict[str, Any] = tomllib.loads(toml)["plugins"]["webhook-audit"]
    return table


def test_the_settings_in_the_readme_are_valid() -> None:
    settings = plugin_table()["settings"]
    assert WebhookAuditSettings.model_validate(settings).model_fields_set == set(settings)


def test_the_message_in_the_readme_has_the_fields_of_a_real_one() -> None:
    (shown,) = map(json.loads, blocks("json"))
    args = {"path": "a.txt", "password": "hunter2"}
    context = ToolCallContext(
        tool_name="write_file", tool_input=args, point="tool_finished", status="ok"
    )
    real = json.loads(Events(Scrubber(["secrets"]), 4096).message(context).body)
    assert list(real) == list(shown)
    same = ("version", "event", "tool", "status", "success", "args", "args_bytes", "args_omitted")
    assert {key: real[key] for key in same} == {key: shown[key] for key in same}


def test_the_receiver_in_the_readme_verifies_a_message() -> None:
    names: dict[str, Any] = {}
    exec(compile(blocks("python")[0], "README.md", "exec"), names)
    now, body = datetime.now(timezone.utc), '{"version":1}'
    (secret,) = plugin_table()["settings"]["signing_secrets"]
    headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(secret).sign("msg_1", now, body),
    }
    assert names["receive"](body.encode(), headers) == {"version": 1}


def test_the_code_for_tests_in_the_readme_runs() -> None:
    names: dict[str, Any] = {}
    exec(compile(blocks("python")[1], "README.md", "exec"), names)
    assert isinstance(names["plugin"], WebhookAudit)


@pytest.mark.parametrize("key", WebhookAuditSettings.model_fields)
def test_the_readme_names_every_setting(key: str) -> None:
    assert f"| `{key}` |" in README
