"""The responses that Google's genai client streams, as its objects and as dicts."""

from __future__ import annotations

from typing import Any

import pytest

from hookcore import HookAborted, ToolCall

from .policies import SECRET, Buffering, Passing, Windowed, clean, cut

types = pytest.importorskip(
    "google.genai.types", reason="needs google-genai: pip install google-genai"
)

TEXT = f"Use {SECRET} for this, and nothing else, please."
THOUGHT = f"They want {SECRET}."


def response(*parts: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    candidate = {"index": 0, "content": {"role": "model", "parts": list(parts)}}
    if finish is not None:
        candidate["finish_reason"] = finish
    return {"candidates": [candidate], "usage_metadata": {"total_token_count": 3}}


def wire(size: int) -> list[dict[str, Any]]:
    call = {"function_call": {"name": "read", "id": "call_1", "args": {"key": SECRET}}}
    return [
        *(response({"text": part, "thought": True}) for part in cut(THOUGHT, size)),
        *(response({"text": part}) for part in cut(TEXT, size)),
        response(call),
        response({"text": ""}, finish="STOP"),
    ]


def objects(events: list[dict[str, Any]]) -> list[Any]:
    return [types.GenerateContentResponse.model_validate(event) for event in events]


FORMS = [list, objects]


def parts_of(left: list[Any]) -> list[dict[str, Any]]:
    found = [
        event if isinstance(event, dict) else event.model_dump(exclude_none=True) for event in left
    ]
    return [part for event in found for part in event["candidates"][0]["content"].get("parts", ())]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("plugins", [[], [Passing()]])
def test_what_nobody_changes_leaves_as_it_came(through: Any, form: Any, plugins: Any) -> None:
    given = form(wire(7))
    assert through(given, *plugins) == given


@pytest.mark.parametrize("form", FORMS)
def test_a_policy_judges_the_whole_response(through: Any, form: Any) -> None:
    passing = Passing()
    through(form(wire(7)), passing)
    [judged] = passing.seen
    assert (judged.content, judged.thinking) == (TEXT, THOUGHT)
    assert judged.tool_calls == [ToolCall("read", f'{{"key": "{SECRET}"}}', "call_1")]


@pytest.mark.parametrize("policy", [Buffering, Windowed])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1, 7, 40, 1000])
def test_no_secret_leaves_and_the_rest_does(
    through: Any, said: Any, policy: Any, form: Any, size: int
) -> None:
    left = through(form(wire(size)), policy())
    assert not any(SECRET in text for text in said(left))
    parts = parts_of(left)
    assert "".join(p.get("text", "") for p in parts if not p.get("thought")) == clean(TEXT)
    assert "".join(p.get("text", "") for p in parts if p.get("thought")) == clean(THOUGHT)
    [call] = [part["function_call"] for part in parts if "function_call" in part]
    assert call["args"] == {"key": "[key]"}


@pytest.mark.parametrize("policy", [Buffering, Windowed])
def test_one_response_with_everything_in_it(through: Any, said: Any, policy: Any) -> None:
    calls = [{"function_call": {"name": "read", "args": {"key": SECRET}}}] * 2
    given = [response({"text": THOUGHT, "thought": True}, {"text": TEXT}, *calls, finish="STOP")]
    left = through(given, policy())
    assert not any(SECRET in text for text in said(left))
    assert [event["candidates"][0].get("finish_reason") for event in left].count("STOP") == 1
    called = [part for part in parts_of(left) if "function_call" in part]
    assert len(called) == 2


@pytest.mark.parametrize(
    "part",
    [
        {"inline_data": {"mime_type": "image/png", "data": "iVBORw"}},
        {"function_call": {"name": "read", "partial_args": [{"json_path": "$.a"}]}},
    ],
)
def test_what_cannot_be_read_is_denied(through: Any, part: dict[str, Any]) -> None:
    with pytest.raises(HookAborted, match="no codec can read"):
        through([response(part)], Passing())
