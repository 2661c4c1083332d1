from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from typing import Any

import pytest
from pydantic import ValidationError

from hookcore_otel import OtelSettings


def shipped() -> dict[str, Any]:
    text = files("hookcore_otel").joinpath("settings.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def test_the_schema_knows_every_key() -> None:
    assert set(shipped()["properties"]) == set(OtelSettings.model_fields)


def test_the_shipped_schema_is_what_the_command_prints() -> None:
    command = [sys.executable, "-m", "hookctl", "schema", "otel"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    file = files("hookcore_otel").joinpath("settings.schema.json")
    assert file.read_text("utf-8") == printed


@pytest.mark.parametrize("decisions", ["event", "span"])
def test_decisions_in_spans_need_spans(decisions: Any) -> None:
    with pytest.raises(ValidationError, match=f'decisions = "{decisions}" needs traces = true'):
        OtelSettings(decisions=decisions, traces=False)


@pytest.mark.parametrize("key", ["known_tools", "trust_remote_parent"])
def test_a_pattern_that_is_none_is_refused(key: str) -> None:
    with pytest.raises(ValidationError, match="it is empty"):
        OtelSettings.model_validate({key: [""]})


@pytest.mark.parametrize("key", ["content", "traceparent"])
def test_there_is_no_such_setting(key: str) -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        OtelSettings.model_validate({key: True})
