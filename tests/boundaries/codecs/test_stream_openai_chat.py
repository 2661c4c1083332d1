"""The chunks of OpenAI's chat completions, as objects of its client and as dicts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookcore import HookAborted, ModelResponse, ToolCall

from .policies import SECRET, Buffering, Passing, Windowed, clean, cut

chat = pytest.importorskip("openai.types.chat", reason="needs openai: pip install openai")

TEXT = f"Use {SECRET} for this, and nothing else, please."
ARGUMENTS = json.dumps({"path": "a.txt", "key": SECRET})


def chunk(
    delta: dict[str, Any], finish: str | None = None, usage: Any = None, number: int = 0
) -> Any:
    choice = {"index": number, "delta": delta, "finish_reason": finish}
    return chat.ChatCompletionChunk.model_validate(
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [choice],
            "usage": usage,
        }
    )


def piece(arguments: str, index: int = 0, **first: Any) -> Any:
    function = {"arguments": arguments}
    call: dict[str, Any] = {"index": index, "function": function}
    if first:
        call |= {"id": first["id"], "type": "function"}
        function["name"] = first["name"]
    return chunk({"tool_calls": [call]})


USAGE = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}


def events(size: int) -> list[Any]:
    return [
        chunk({"role": "assistant", "content": ""}),
        *(chunk({"content": text}) for text in cut(TEXT, size)),
        piece("", id="call_1", name="read"),
        *(piece(text) for text in cut(ARGUMENTS, size)),
        chunk({}, "tool_calls"),
        chunk({}, usage=USAGE),
    ]


def as_dicts(chunks: list[Any]) -> list[Any]:
    return [item.model_dump(exclude_unset=True) for item in chunks]


FORMS = [list, as_dicts]


def text_of(left: list[Any]) -> str:
    return "".join(
        choice.delta.content or "" for item in left for choice in item.choices if not choice.index
    )


def arguments_of(left: list[Any]) -> str:
    return "".join(
        call.function.arguments or ""
        for item in left
        for choice in item.choices
        for call in choice.delta.tool_calls or ()
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("plugins", [[], [Passing()]])
def test_what_nobody_changes_leaves_as_it_came(through: Any, form: Any, plugins: Any) -> None:
    given = form(events(7))
    assert through(given, *plugins) == given


@pytest.mark.parametrize("form", FORMS)
def test_a_policy_judges_the_whole_response(through: Any, form: Any) -> None:
    passing = Passing()
    through(form(events(7)), passing)
    [response] = passing.seen
    assert (response.content, response.tool_calls) == (
        TEXT,
        [ToolCall("read", ARGUMENTS, "call_1")],
    )
    assert response.usage is not None


@pytest.mark.parametrize("policy", [Buffering, Windowed])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1, 2, 7, 40, 1000])
def test_no_secret_leaves(through: Any, said: Any, policy: Any, form: Any, size: int) -> None:
    left = through(form(events(size)), policy())
    assert not any(SECRET in text for text in said(left))


@pytest.mark.parametrize("policy", [Buffering, Windowed])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_rest_leaves(through: Any, policy: Any, size: int) -> None:
    left = through(events(size), policy())
    assert (text_of(left), arguments_of(left)) == (clean(TEXT), clean(ARGUMENTS))
    assert [item.choices[0].finish_reason for item in left if item.choices][-2:] == [
        "tool_calls",
        None,
    ]
    assert left[-1].usage.total_tokens == 3


@pytest.mark.parametrize("policy", [Buffering, Windowed])
def test_each_choice_has_a_text_of_its_own(through: Any, said: Any, policy: Any) -> None:
    given = []
    for one, other in zip(cut(TEXT, 5), cut(TEXT.upper(), 5), strict=True):
        given += [chunk({"content": one}), chunk({"content": other}, number=1)]
    left = through(given, policy())
    assert text_of(left) == clean(TEXT)
    assert not any(SECRET in text for text in said(left))


def test_a_policy_judges_all_choices(through: Any) -> None:
    passing = Passing()
    through([chunk({"content": "a"}), chunk({"content": "b"}, number=1)], passing)
    assert passing.seen == [[ModelResponse("a"), ModelResponse("b")]]


@pytest.mark.parametrize("policy", [Buffering, Windowed])
@pytest.mark.parametrize("name", ["refusal", "reasoning_content", "reasoning"])
def test_what_is_said_beside_the_content_is_read_too(
    through: Any, said: Any, policy: Any, name: str
) -> None:
    left = through([chunk({name: text}) for text in cut(TEXT, 6)], policy())
    joined = "".join(getattr(item.choices[0].delta, name, None) or "" for item in left)
    assert joined == clean(TEXT)


@pytest.mark.parametrize("policy", [Buffering, Windowed])
def test_a_chunk_with_everything_in_it_says_everything_once(through: Any, policy: Any) -> None:
    call = {
        "index": 0,
        "id": "1",
        "type": "function",
        "function": {"name": "read", "arguments": ARGUMENTS},
    }
    left = through(
        [chunk({"role": "assistant", "content": TEXT, "tool_calls": [call]}, "tool_calls", USAGE)],
        policy(),
    )
    assert (text_of(left), arguments_of(left)) == (clean(TEXT), clean(ARGUMENTS))
    assert [bool(item.usage) for item in left].count(True) == 1
    assert [item.choices[0].finish_reason for item in left].count("tool_calls") == 1
    assert left[-1].usage


def test_log_probabilities_do_not_tell_what_was_rewritten(through: Any, said: Any) -> None:
    given = events(7)
    for item in given:
        for choice in item.choices:
            if choice.delta.content:
                token = {"token": choice.delta.content, "logprob": 0.0, "top_logprobs": []}
                choice.logprobs = {"content": [token]}
    left = through(given, Buffering())
    assert not any(SECRET[:8] in text for text in said(left))


@pytest.mark.parametrize("delta", [{"audio": {"data": "UklGRg=="}}, {"content": [{"text": TEXT}]}])
def test_what_cannot_be_read_is_denied(through: Any, delta: dict[str, Any]) -> None:
    item = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}
    assert through([item]) == [item]
    with pytest.raises(HookAborted, match="no codec can read"):
        through([item], Passing())


@pytest.mark.parametrize("policy", [Passing, Windowed])
def test_arguments_that_do_not_parse_deny(through: Any, policy: Any) -> None:
    with pytest.raises(HookAborted, match="read"):
        through([piece('{"a', id="1", name="read"), chunk({}, "tool_calls")], policy())


@pytest.mark.parametrize("policy", [Buffering, Windowed])
def test_the_input_of_a_custom_tool_is_any_text(through: Any, policy: Any) -> None:
    call = {"index": 0, "id": "1", "type": "custom", "custom": {"name": "sh", "input": TEXT}}
    item = {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"tool_calls": [call]}}],
    }
    [left] = through([item], policy())
    assert left["choices"][0]["delta"]["tool_calls"][0]["custom"]["input"] == clean(TEXT)


def test_a_real_stream_of_the_client_is_read(through: Any) -> None:
    httpx = pytest.importorskip("httpx2", reason="needs a client that is on httpx2")
    from openai import OpenAI

    lines = [f"data: {item.model_dump_json(exclude_unset=True)}\n\n" for item in events(9)]
    body = "".join([*lines, "data: [DONE]\n\n"])

    def answer(request: Any) -> Any:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, text=body)

    client = OpenAI(api_key="x", http_client=httpx.Client(transport=httpx.MockTransport(answer)))
    with client.chat.completions.create(model="m", messages=[], stream=True) as stream:
        left = through(list(stream), Windowed())
    client.close()
    assert (text_of(left), arguments_of(left)) == (clean(TEXT), clean(ARGUMENTS))
