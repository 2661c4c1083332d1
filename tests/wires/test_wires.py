from __future__ import annotations

import json
from typing import Any

import pytest

from hookcore.wires import (
    ANTHROPIC,
    CHAT,
    GEMINI,
    RESPONSES,
    MalformedError,
    Wire,
    find_operation,
)


@pytest.mark.parametrize(
    ("path", "wire"),
    [
        ("/v1/messages", ANTHROPIC),
        ("/v1//messages/", ANTHROPIC),
        ("/v1/%6Dessages", ANTHROPIC),
        ("/v1/./MESSAGES", ANTHROPIC),
        ("/v1/messages;x=1", ANTHROPIC),
        ("/v1/messages%20", ANTHROPIC),
        ("/messages/count_tokens", ANTHROPIC),
        ("/v1/chat/completions", CHAT),
        ("/openai/deployments/x/chat/completions", CHAT),
        ("/v1/responses", RESPONSES),
        ("/v1/responses/compact", RESPONSES),
        ("/v1beta/models/m:generateContent", GEMINI),
        ("/v1/projects/p/models/m:streamGenerateContent", GEMINI),
        ("/v1beta/models/m%3AgenerateContent", GEMINI),
    ],
)
def test_an_operation_is_found_however_its_address_is_spelt(path: str, wire: Wire) -> None:
    found = find_operation(path)
    assert found is not None
    assert found.wire is wire


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/v1/models",
        "/v1/messages/batches",
        "/v1/threads/t/messages",
        "/v1/embeddings",
        "/v1/completions",
        "/v1/responses/resp_1",
        "/v1beta/models/m:embedContent",
    ],
)
def test_other_addresses_are_no_operation(path: str) -> None:
    assert find_operation(path) is None


def sent(wire: Wire, body: Any, change: Any) -> Any:
    """Return the body that is sent when policies change the messages."""
    return wire.with_messages(body, change(wire.messages(body)))


@pytest.mark.parametrize(
    ("wire", "body", "roles"),
    [
        (ANTHROPIC, {"system": "s", "messages": [{"role": "user", "content": "u"}]}, "system user"),
        (ANTHROPIC, {"messages": []}, ""),
        (CHAT, {"messages": [{"role": "developer"}, {"role": "user"}]}, "developer user"),
        (RESPONSES, {"instructions": "s", "input": "u"}, "system user"),
        (RESPONSES, {"input": [{"role": "user"}]}, "user"),
        (RESPONSES, {"instructions": "s"}, "system"),
        (
            GEMINI,
            {"system_instruction": {"parts": []}, "contents": [{"role": "user"}]},
            "system user",
        ),
        (GEMINI, {"contents": {"role": "user"}}, "user"),
        (GEMINI, {"generateContentRequest": {"contents": [{"role": "user"}]}}, "user"),
    ],
)
def test_the_system_prompt_stands_before_the_messages(wire: Wire, body: Any, roles: str) -> None:
    assert [message["role"] for message in wire.messages(body)] == roles.split()


@pytest.mark.parametrize(
    ("wire", "body", "expected"),
    [
        (
            ANTHROPIC,
            {"system": [{"type": "text", "text": "s"}], "messages": []},
            {"system": [{"type": "text", "text": "S"}], "messages": []},
        ),
        (
            RESPONSES,
            {"instructions": "s", "input": "s"},
            {"instructions": "S", "input": "S"},
        ),
        (
            GEMINI,
            {"systemInstruction": {"parts": [{"text": "s"}]}, "contents": []},
            {"systemInstruction": {"parts": [{"text": "S"}]}, "contents": []},
        ),
    ],
)
def test_a_changed_prompt_is_where_it_was(wire: Wire, body: Any, expected: Any) -> None:
    def change(messages: Any) -> Any:
        return json.loads(json.dumps(messages).replace('"s"', '"S"'))

    assert sent(wire, body, change) == expected


@pytest.mark.parametrize(
    ("wire", "field", "message", "expected"),
    [
        (ANTHROPIC, "messages", {"role": "system", "content": "new"}, {"system": "new"}),
        (RESPONSES, "input", {"role": "system", "content": "new"}, {"instructions": "new"}),
        (
            GEMINI,
            "contents",
            {"role": "system", "parts": [{"text": "new"}]},
            {"systemInstruction": {"parts": [{"text": "new"}]}},
        ),
    ],
)
def test_a_prompt_that_policies_add_is_sent(
    wire: Wire, field: str, message: Any, expected: Any
) -> None:
    def change(messages: Any) -> Any:
        return [message, *messages]

    assert sent(wire, {field: [{"role": "user"}]}, change) == {
        field: [{"role": "user"}],
        **expected,
    }


@pytest.mark.parametrize("wire", [ANTHROPIC, RESPONSES])
def test_a_prompt_that_policies_remove_is_gone(wire: Wire) -> None:
    field = wire.prompt_at[0]
    body = {field: "s", wire.messages_at: [{"role": "user"}]}
    assert sent(wire, body, lambda messages: messages[1:]) == {wire.messages_at: [{"role": "user"}]}


def test_several_prompts_become_one() -> None:
    body = {"system": "a", "messages": []}
    more = {"role": "system", "content": "b"}
    assert sent(ANTHROPIC, body, lambda messages: [*messages, more])["system"] == "a\n\nb"
    blocks = {"system": [{"type": "text", "text": "a"}], "messages": []}
    assert sent(ANTHROPIC, blocks, lambda messages: [*messages, more])["system"] == [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ]


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        (ANTHROPIC, {}),
        (ANTHROPIC, {"messages": {}}),
        (CHAT, {"messages": None}),
        (CHAT, {"messages": [], "prediction": {"content": "x"}}),
        (RESPONSES, {"input": 5}),
        (RESPONSES, {"input": "x", "prompt": {"id": "p"}}),
        (RESPONSES, {"input": "x", "background": True}),
        (GEMINI, {"contents": "x"}),
        (GEMINI, {"contents": [], "cachedContent": "c"}),
        (GEMINI, {"contents": [], "generateContentRequest": {"contents": []}}),
    ],
)
def test_what_cannot_be_judged_is_refused(wire: Wire, body: Any) -> None:
    with pytest.raises(MalformedError):
        wire.messages(body)
