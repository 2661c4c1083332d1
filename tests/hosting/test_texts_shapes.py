"""The messages and responses of the runtimes that people use, by the shapes of their SDKs."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from hookcore import Texts

CASES: dict[str, tuple[Any, list[tuple[str, Any, str, Any]]]] = {
    "openai chat": (
        [
            {"role": "developer", "content": "be kind"},
            {"role": "user", "name": "ana", "content": [{"type": "text", "text": "hello"}]},
            {
                "role": "assistant",
                "content": None,
                "reasoning_content": "hm",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "add", "arguments": '{"a": "x"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "three"},
        ],
        [
            ("be kind", "system", "text", None),
            ("hello", "user", "text", None),
            ("hm", "assistant", "thinking", None),
            ("x", "assistant", "arguments", "add"),
            ("three", "tool", "text", None),
        ],
    ),
    "openai chat response": (
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": "gpt",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": "hi", "refusal": "no"},
                }
            ],
            "usage": {"prompt_tokens": 1},
        },
        [("hi", "assistant", "text", None), ("no", "assistant", "text", None)],
    ),
    "openai responses": (
        [
            {"role": "user", "content": [{"type": "input_text", "text": "hello"}]},
            {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "function_call", "call_id": "c", "name": "add", "arguments": '{"a": "x"}'},
            {"type": "function_call_output", "call_id": "c", "output": "three"},
            {
                "type": "message",
                "role": "assistant",
                "id": "m",
                "status": "completed",
                "content": [{"type": "output_text", "text": "hi", "annotations": []}],
            },
        ],
        [
            ("hello", "user", "text", None),
            ("hm", None, "thinking", None),
            ("x", "assistant", "arguments", "add"),
            ("three", "tool", "text", None),
            ("hi", "assistant", "text", None),
        ],
    ),
    "anthropic": (
        [
            {"role": "user", "content": "hello"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "s"},
                    {"type": "tool_use", "id": "t", "name": "add", "input": {"a": ["x"]}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "t",
                        "content": [{"type": "text", "text": "three"}],
                    }
                ],
            },
        ],
        [
            ("hello", "user", "text", None),
            ("hm", "assistant", "thinking", None),
            ("x", "assistant", "arguments", "add"),
            ("three", "tool", "text", None),
        ],
    ),
    "google": (
        [
            {"role": "user", "parts": [{"text": "hello"}]},
            {
                "role": "model",
                "parts": [
                    {"text": "hm", "thought": True, "thought_signature": "s"},
                    {"function_call": {"id": "c", "name": "add", "args": {"a": "x"}}},
                ],
            },
            {
                "role": "user",
                "parts": [{"function_response": {"name": "add", "response": {"result": "three"}}}],
            },
        ],
        [
            ("hello", "user", "text", None),
            ("hm", "assistant", "thinking", None),
            ("x", "assistant", "arguments", "add"),
            ("three", "tool", "text", "add"),
        ],
    ),
    "bedrock": (
        [
            {"role": "user", "content": [{"text": "hello"}]},
            {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
                    {"toolUse": {"toolUseId": "t", "name": "add", "input": {"a": "x"}}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "t",
                            "status": "success",
                            "content": [{"text": "three"}, {"json": {"sum": "four"}}],
                        }
                    }
                ],
            },
        ],
        [
            ("hello", "user", "text", None),
            ("hm", "assistant", "thinking", None),
            ("x", "assistant", "arguments", "add"),
            ("three", "tool", "text", None),
            ("four", "tool", "text", None),
        ],
    ),
    "mcp result": (
        {
            "role": "tool",
            "content": [{"type": "text", "text": "three"}],
            "structuredContent": {"result": "three"},
        },
        [("three", "tool", "text", None), ("three", "tool", "text", None)],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_each_text_is_found_with_its_place(case: str) -> None:
    messages, expected = CASES[case]
    found = [(text.text, text.role, text.kind, text.tool) for text in Texts(messages)]
    assert found == expected


@pytest.mark.parametrize("case", CASES)
def test_each_text_can_be_replaced_and_nothing_else_changes(case: str) -> None:
    messages, expected = CASES[case]
    before = copy.deepcopy(messages)
    texts = Texts(messages)
    texts.replace(lambda text: f"<{text}>")
    assert messages == before
    assert [text.text for text in Texts(texts.value)] == [f"<{text}>" for text, *_ in expected]
    texts.replace(lambda text: text[1:-1])
    assert texts.value == before


class AIMessage(BaseModel):
    """Like LangChain's: pydantic, its role in ``type``, calls beside the content."""

    model_config = ConfigDict(extra="allow")
    type: str = "ai"
    content: str | list[Any] = ""
    tool_calls: list[dict[str, Any]] = []


class Role(Enum):
    ASSISTANT = "assistant"


@dataclass
class Block:
    """Like llama-index's and pydantic-ai's parts."""

    content: str
    part_kind: str = "text"


@dataclass(frozen=True)
class Message:
    role: Role
    blocks: list[Block] = field(default_factory=list)


def test_pydantic_messages_are_read_and_copied() -> None:
    call = {"name": "add", "args": {"a": "x"}, "id": "c", "type": "tool_call"}
    message = AIMessage.model_validate({"content": "hi", "tool_calls": [call], "note": "more"})
    texts = Texts([message])
    assert [(text.text, text.role, text.kind) for text in texts] == [
        ("hi", "assistant", "text"),
        ("x", "assistant", "arguments"),
        ("more", "assistant", "text"),
    ]
    texts.replace(str.upper)
    new = texts.value[0]
    assert isinstance(new, AIMessage)
    assert (new.content, new.tool_calls[0]["args"], new.note) == ("HI", {"a": "X"}, "MORE")  # type: ignore[attr-defined]
    assert (message.content, message.tool_calls[0]["args"]) == ("hi", {"a": "x"})


def test_frozen_dataclasses_with_an_enum_for_a_role_are_read_and_copied() -> None:
    message = Message(Role.ASSISTANT, [Block("hi"), Block("hm", "thinking")])
    texts = Texts(message)
    assert [(text.text, text.role, text.kind) for text in texts] == [
        ("hi", "assistant", "text"),
        ("hm", "assistant", "thinking"),
    ]
    texts.replace(str.upper)
    assert texts.value == Message(Role.ASSISTANT, [Block("HI"), Block("HM", "thinking")])
    assert message.blocks[0].content == "hi"


def test_parts_say_whose_they_are_where_the_message_does_not() -> None:
    parts = [Block("s", "system-prompt"), Block("u", "user-prompt"), Block("t", "tool-return")]
    assert [text.role for text in Texts({"kind": "request", "parts": parts})] == [
        "system",
        "user",
        "tool",
    ]
