"""The view by itself, and through contexts, wherever a policy meets it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import pytest

from hookcore import (
    ChannelMessage,
    HookAborted,
    HookManager,
    MessageContext,
    ModelCallContext,
    ModelResponse,
    Texts,
    ToolCall,
    ToolCallContext,
    UnreadableError,
)
from hookcore.hosting import MessageCodec, TextPart, register_message_codec


def told(texts: Texts) -> list[tuple[Any, ...]]:
    return [(text.text, text.role, text.kind, text.tool) for text in texts]


class Opaque:
    """A runtime's message, of which nothing can be read without its adapter."""

    __slots__ = ("_words",)

    def __init__(self, *words: str) -> None:
        self._words = words


class Codec:
    def texts(self, value: Opaque) -> Iterator[TextPart]:
        return (TextPart(word, role="user") for word in value._words)

    def with_texts(self, value: Opaque, texts: Sequence[str]) -> Opaque:
        return Opaque(*texts)


@pytest.fixture
def codec() -> Iterator[MessageCodec]:
    """Register a codec for the runtime's message, until the test ends."""
    made = Codec()
    unregister = register_message_codec(Opaque, made)
    yield made
    unregister()


def test_a_policy_reads_and_assigns_texts(manager: HookManager, add: Callable[..., str]) -> None:
    def scrub(ctx: Any) -> None:
        for text in ctx.texts():
            if text.role == "user":
                text.text = text.text.replace("hunter2", "[gone]")

    add("pre_model_call", scrub)
    kept = {"role": "system", "content": "never say hunter2"}
    messages = [kept, {"role": "user", "content": "it is hunter2"}]
    user = messages[1]
    sent = manager.call_model(messages, list)
    assert sent == [kept, {"role": "user", "content": "it is [gone]"}]
    assert (user["content"], sent[0] is kept) == ("it is hunter2", True)


def test_replacing_edits_nothing_of_the_hosts() -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": "one"}]}]
    texts = Texts(messages)
    assert texts.replace(str.upper)
    assert texts.value == [{"role": "user", "content": [{"type": "text", "text": "ONE"}]}]
    assert messages == [{"role": "user", "content": [{"type": "text", "text": "one"}]}]


def test_what_stays_as_it_is_is_no_replacement() -> None:
    messages = [{"role": "user", "content": "one"}]
    ctx = ModelCallContext(messages=messages)
    assert not ctx.texts().replace(lambda text: None)
    assert not ctx.texts().replace(lambda text: text)
    for text in ctx.texts():
        text.text = "one"
    assert ctx.payload is messages


def test_several_assignments_add_up() -> None:
    ctx = ToolCallContext(tool_name="mail", payload={"to": "a", "body": ["b", "c"]})
    for text in ctx.texts():
        text.text = text.text.upper()
        assert text.text.isupper()
    assert ctx.tool_input == {"to": "A", "body": ["B", "C"]}


@pytest.mark.parametrize(
    ("ctx", "role", "kind", "tool"),
    [
        (ToolCallContext(tool_name="t", payload={"a": "x"}), "assistant", "arguments", "t"),
        (ToolCallContext(tool_name="t", tool_result="x"), "tool", "text", "t"),
        (ModelCallContext(messages=["x"]), None, "text", None),
        (ModelCallContext(response="x"), "assistant", "text", None),
        (MessageContext(payload="x"), None, "text", None),
    ],
    ids=["input", "result", "messages", "response", "message"],
)
def test_the_point_tells_whose_texts_they_are_where_they_do_not(
    ctx: Any, role: str | None, kind: str, tool: str | None
) -> None:
    assert told(ctx.texts()) == [("x", role, kind, tool)]


def test_a_text_by_itself_is_replaced() -> None:
    ctx = ModelCallContext(response="hello")
    ctx.texts().replace(str.upper)
    assert ctx.response == "HELLO"


def test_hookcores_own_responses_are_read() -> None:
    response = ModelResponse("hi", [ToolCall("add", '{"a": "x"}', "c1")], {"input": 3})
    texts = Texts(response, role="assistant")
    assert told(texts) == [
        ("hi", "assistant", "text", None),
        ("x", "assistant", "arguments", "add"),
    ]
    texts.replace(str.upper)
    assert texts.value == ModelResponse("HI", [ToolCall("add", '{"a": "X"}', "c1")], {"input": 3})
    assert response.tool_calls[0].arguments == '{"a": "x"}'


@pytest.mark.parametrize("text", ["{not json", '{"a": "x", "a": "y"}', "[" * 100_000])
def test_arguments_that_could_be_read_in_two_ways_are_one_text(text: str) -> None:
    texts = Texts(ToolCall("add", text))
    assert [item.text for item in texts] == [text]


def test_in_a_tools_data_a_name_means_what_the_tool_says() -> None:
    given = {"type": "secret", "id": "x1", "name": "ana", "model": "m", "usage": {"role": "r"}}
    assert sorted(text.text for text in Texts(given, kind="arguments")) == [
        "ana", "m", "r", "secret", "x1",
    ]  # fmt: skip


def test_a_result_hides_nothing_in_what_looks_like_a_part_of_a_message() -> None:
    result = [{"type": "text", "text": "a", "status": "b", "name": "c", "data": "d e"}]
    assert [text.text for text in Texts(result, role="tool")] == ["a", "b", "c", "d e"]


def test_arguments_hide_nothing_in_what_looks_like_a_picture() -> None:
    given = {"type": "image", "mimeType": "a", "data": "b"}
    assert [text.text for text in Texts(given, kind="arguments")] == ["image", "a", "b"]


def test_a_result_of_a_class_of_the_hosts_is_read_whole() -> None:
    @dataclass
    class Person:
        name: str
        status: str

    assert [text.text for text in Texts(Person("ana", "away"))] == ["ana", "away"]
    assert [text.text for text in Texts(Person("ana", "away"), role="tool")] == ["ana", "away"]


def test_of_a_channels_message_the_envelope_is_no_text() -> None:
    message = ChannelMessage(
        channel="mail", sender="ana", recipient="bot", content="hi", subject="re"
    )
    assert [text.text for text in MessageContext(payload=message).texts()] == ["hi", "re"]


def test_binary_data_and_other_values_are_no_texts() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    data = {"type": "image", "source": {"media_type": "image/png", "data": "AAAA" * 50}}
    payload = [{"role": "user", "content": [picture, data, b"x", 1, None, True, len, str]}]
    assert list(Texts(payload)) == []


def test_a_path_is_a_text() -> None:
    texts = Texts({"path": PurePosixPath("/etc/passwd")}, kind="arguments")
    texts.replace(lambda text: text.replace("etc", "tmp"))
    assert texts.value == {"path": PurePosixPath("/tmp/passwd")}


def test_tuples_stay_tuples() -> None:
    class Pair(NamedTuple):
        left: str
        right: Any

    texts = Texts([("a", 1), Pair("b", ("c",))])
    texts.replace(str.upper)
    assert texts.value == [("A", 1), Pair("B", ("C",))]
    assert isinstance(texts.value[1], Pair)


def test_a_value_that_holds_itself_is_read_once() -> None:
    message: dict[str, Any] = {"role": "user", "content": "x"}
    message["extra"] = message
    assert [text.text for text in Texts([message])] == ["x"]


@pytest.mark.parametrize(
    "value",
    [Opaque("x"), {"x"}, iter("x"), memoryview],
    ids=["an object", "a set", "an iterator", "a class"],
)
def test_what_nobody_can_read_is_an_error_or_holds_no_text(value: Any) -> None:
    if value is memoryview:
        assert list(Texts([value])) == []
        return
    with pytest.raises(UnreadableError):
        list(Texts([{"role": "user", "content": value}]))


def test_what_lies_too_deep_is_an_error() -> None:
    value: Any = "x"
    for _ in range(200):
        value = [value]
    with pytest.raises(UnreadableError, match="levels deep"):
        list(Texts(value))


def test_a_gate_that_cannot_read_denies(manager: HookManager, add: Callable[..., str]) -> None:
    add("pre_model_call", lambda ctx: ctx.texts().replace(str), gate=True)
    with pytest.raises(HookAborted, match="UnreadableError"):
        manager.call_model([Opaque("hi")], lambda given: "never")


def test_a_replacement_is_a_text() -> None:
    texts = Texts(["a"])
    with pytest.raises(TypeError, match="not by bytes"):
        texts.replace(lambda text: text.encode())  # type: ignore[return-value,arg-type]
    assert texts.value == ["a"]


def test_all_texts_are_one_string() -> None:
    assert str(Texts([{"role": "user", "content": "a"}, "b"])) == "a\nb"


def test_an_object_of_unknown_class_is_read_by_its_public_names() -> None:
    class Part:
        def __init__(self, text: str) -> None:
            self.type = "text"
            self.text = text
            self._raw = text

    class Message:
        def __init__(self, *parts: Part) -> None:
            self.role = "user"
            self.contents = list(parts)

    message = Message(Part("secret"), Part("more"))
    texts = Texts([message])
    assert told(texts)[0] == ("secret", "user", "text", None)
    texts.replace(lambda text: "[gone]" if text == "secret" else None)
    assert [part.text for part in texts.value[0].contents] == ["[gone]", "more"]
    assert texts.value[0].contents[1] is message.contents[1]
    assert message.contents[0].text == "secret"


def test_a_codec_reads_and_writes_its_class(codec: MessageCodec) -> None:
    message = Opaque("one", "two")
    texts = Texts(["zero", message])
    assert told(texts)[1] == ("one", "user", "text", None)
    texts.replace(str.upper)
    assert (texts.value[1]._words, message._words) == (("ONE", "TWO"), ("one", "two"))


def test_a_codec_holds_for_derived_classes(codec: MessageCodec) -> None:
    class Derived(Opaque):
        __slots__ = ()

    assert [text.text for text in Texts([Derived("x")])] == ["x"]


def test_a_codec_can_be_taken_out_again(codec: MessageCodec) -> None:
    unregister = register_message_codec(Opaque, Codec())
    unregister()
    with pytest.raises(UnreadableError):
        list(Texts([Opaque("x")]))


@pytest.mark.parametrize(
    ("kind", "given", "problem"),
    [("Opaque", Codec(), "for a class"), (Opaque, object(), r"no method texts\(\)")],
)
def test_a_wrong_codec_is_refused(kind: Any, given: Any, problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        register_message_codec(kind, given)
