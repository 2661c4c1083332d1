"""The content of a message about a call, and what it leaves out."""

from __future__ import annotations

import copy
import hashlib
import json
import math
import re
import time
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore import ToolCallContext
from hookcore_webhook_audit._event import Events
from hookcore_webhook_audit._fit import fit
from hookcore_webhook_audit._plain import compact, plain, size
from hookcore_webhook_audit._scrub import Scrubber

KEY = "sk-" + "ant-api03-" + "a1B2c3D4e5" * 8
SCRUBBER = Scrubber(["secrets", "pii"])


def event(args: Any = None, limit: int = 4096, **fields: Any) -> dict[str, Any]:
    fields = {"tool_name": "shell", "status": "ok"} | fields
    context = ToolCallContext(tool_input=args, point="tool_finished", **fields)
    told: dict[str, Any] = json.loads(Events(SCRUBBER, limit).message(context).body)
    return told


# Fields


def test_the_fields_of_version_1() -> None:
    told = event({"a": 1}, duration_ms=42.34567, agent=SimpleNamespace(role="writer"))
    assert re.fullmatch(r"msg_[0-9a-f]{32}", told.pop("id"))
    assert datetime.fromisoformat(told.pop("timestamp")).tzinfo == timezone.utc
    assert re.fullmatch(r"[0-9a-f]{16}", told.pop("stream"))
    assert told == {
        "version": 1,
        "event": "tool_call",
        "sequence": 1,
        "tool": "shell",
        "status": "ok",
        "success": True,
        "entered": False,
        "duration_ms": 42.346,
        "error": None,
        "agent": "writer",
        "session_id": None,
        "run_id": None,
        "parent_run_id": None,
        "call_id": None,
        "args": {"a": 1},
        "args_omitted": None,
        "args_truncated": False,
        "args_bytes": 7,
        "args_digest": None,
    }


def test_an_error_is_told_by_its_class_and_not_its_text() -> None:
    told = event(status="error", error=ValueError(KEY))
    assert (told["error"], told["success"]) == ("ValueError", False)
    assert KEY not in json.dumps(told)


def test_messages_of_one_stream_are_numbered() -> None:
    events, context = Events(None, 10), ToolCallContext(tool_name="t")
    told = [json.loads(events.message(context).body) for _ in range(3)]
    assert [each["sequence"] for each in told] == [1, 2, 3]
    assert len({each["stream"] for each in told}) == 1
    assert len({each["id"] for each in told}) == 3


def test_arguments_are_left_out_unless_they_are_asked_for() -> None:
    context = ToolCallContext(tool_name="t", tool_input={"a": KEY}, point="tool_finished")
    told = json.loads(Events(None, 4096).message(context).body)
    assert (told["args"], told["args_omitted"]) == (None, "not asked for")


def test_a_name_that_a_model_made_long_or_broken_is_told_all_the_same() -> None:
    told = event(tool_name="x\ud800" * 5000, session_id="s" * 1000)
    assert told["tool"].startswith("x?x?")
    assert (len(told["tool"]), len(told["session_id"])) == (256, 256)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (b"bytes", "<bytes>"),
        (object(), "<object>"),
        (math.nan, "nan"),
        (10**400, "<int>"),
        ((1, {2}), [1, [2]]),
        ({1: None, None: True}, {"1": None, "None": True}),
        ("a\ud800b", "a?b"),
    ],
)
def test_what_is_no_json_becomes_json(value: Any, told: Any) -> None:
    assert event({"v": value})["args"] == {"v": told}


@pytest.mark.parametrize("what", ["long", "endless"])
def test_arguments_too_large_to_read_are_left_out_and_it_says_so(what: str) -> None:
    value: list[Any] = [0] * 200_000
    if what == "endless":
        value = [value]
        value[0] = value
    told = event({"v": value})
    assert (told["args"], told["args_omitted"]) == (None, "too large to read")


# Redaction


def test_arguments_are_redacted_before_they_are_cut() -> None:
    for limit in range(20, 200):
        told = json.dumps(event({"text": f"a key: {KEY} and more {KEY}"}, limit))
        assert KEY[:14] not in told


def test_the_digest_is_of_the_redacted_arguments() -> None:
    told = event({"text": f"{KEY} " + "x" * 5000})
    whole = '{"text":"[ANTHROPIC_KEY] ' + "x" * 5000 + '"}'
    assert told["args_digest"] == f"sha256:{hashlib.sha256(whole.encode()).hexdigest()}"
    assert told["args_bytes"] == len(whole)


@pytest.mark.parametrize(
    "key",
    ["password", "PASSWD", "db_password", "client-secret", "apiKey", "X-Api-Key", "authorization",
     "Set-Cookie", "accessToken", "token", "private_key", "credentials", "aws_secret_access_key"],
)  # fmt: skip
def test_the_value_of_a_key_that_tells_of_a_credential_is_hidden(key: str) -> None:
    told = event({"outer": [{key: "hunter2", "n": {key: ["a", None, True]}}]})["args"]
    hidden = "[REDACTED]"
    assert told == {"outer": [{key: hidden, "n": {key: [hidden, None, True]}}]}


@pytest.mark.parametrize("key", ["tokenizer", "author", "keyboard", "compass", "path", "sort_key"])
def test_a_key_that_only_looks_alike_is_left_alone(key: str) -> None:
    assert event({key: "plain text"})["args"] == {key: "plain text"}


def test_a_credential_inside_a_json_text_is_hidden() -> None:
    told = event({"body": '{"password": "hunter2", "n": 1}'})["args"]
    assert json.loads(told["body"]) == {"password": "[REDACTED]", "n": 1}


def test_an_inline_image_keeps_its_type_and_loses_its_data() -> None:
    url = "data:image/png;base64," + "iVBORw0KGgo" * 1000
    assert event({"image": f"see {url}!"})["args"] == {
        "image": "see data:image/png;base64,[11000 CHARACTERS]!"
    }


def test_personal_data_are_redacted_too_and_the_structure_stays() -> None:
    args = {"to": ["mia@example.com"], "body": {"text": "write to liam@example.com", "n": 1}}
    assert event(args)["args"] == {
        "to": ["[EMAIL]"],
        "body": {"text": "write to [EMAIL]", "n": 1},
    }


def test_the_call_s_own_arguments_are_not_touched() -> None:
    args = {"password": "hunter2", "to": ["mia@example.com"], "text": "x" * 9000}
    before = copy.deepcopy(args)
    event(args, 100)
    assert args == before


def test_arguments_that_cannot_be_redacted_are_left_out_and_the_call_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(_: Any) -> Any:
        raise RuntimeError(KEY)

    monkeypatch.setattr(SCRUBBER, "scrub", broken)
    told = event({"a": KEY})
    assert (told["args"], told["args_omitted"]) == (None, "cannot be redacted: RuntimeError")
    assert KEY not in json.dumps(told)


# Cutting

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


def is_part_of(cut: Any, value: Any) -> bool:
    if isinstance(value, dict):
        return isinstance(cut, dict) and all(
            key in value and is_part_of(item, value[key]) for key, item in cut.items()
        )
    if isinstance(value, list):
        rest = iter(value)
        return isinstance(cut, list) and all(
            any(is_part_of(item, each) for each in rest) for item in cut
        )
    if isinstance(value, str):
        return isinstance(cut, str) and (
            cut == value or (cut.endswith("…") and value.startswith(cut[:-1]))
        )
    return type(cut) is type(value) and bool(cut == value)


@settings(max_examples=3 * settings().max_examples)
@given(st.dictionaries(st.text(), JSON), st.integers(2, 400))
def test_what_is_cut_fits_and_is_a_part_of_the_same_shape(
    value: dict[str, Any], limit: int
) -> None:
    value = plain(value)
    cut = fit(value, limit)
    assert size(cut) <= limit
    assert is_part_of(json.loads(compact(cut)), value)
    assert cut == value or size(value) > limit


def test_small_parts_survive_beside_a_large_one() -> None:
    cut = fit({"content": "x" * 10_000, "path": "a.txt", "mode": "w"}, 200)
    assert (cut["path"], cut["mode"]) == ("a.txt", "w")
    assert 100 < len(cut["content"]) < 200


def test_a_long_list_keeps_as_much_as_there_is_room_for() -> None:
    cut = fit([f"item {number}" for number in range(10_000)], 1000)
    assert 70 < len(cut) < 120


def test_a_zero_limit_is_one_of_a_mebibyte() -> None:
    from hookcore_webhook_audit.settings import MAX_ARGS_BYTES

    told = event({"text": "x" * 2 * MAX_ARGS_BYTES}, MAX_ARGS_BYTES)
    assert told["args_truncated"] is True
    assert MAX_ARGS_BYTES - 100 < size(told["args"]) <= MAX_ARGS_BYTES


def test_cutting_deep_arguments_is_not_slow() -> None:
    value: Any = "x" * 500_000
    for _ in range(60):
        value = {"a": value, "b": [1, 2, 3]}
    started = time.process_time()
    assert event(value)["args_truncated"] is True
    assert time.process_time() - started < 10
