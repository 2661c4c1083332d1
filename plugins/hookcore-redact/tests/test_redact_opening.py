"""Values of every type: opened, known to hold no text, or refused."""

from __future__ import annotations

import datetime as dt
import enum
import ipaddress
import threading
import uuid
from array import array
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import pytest
from pydantic import BaseModel, PrivateAttr

from hookcore import HookAborted, HookManager, ToolCall, ToolCallChunk
from hookcore_redact import Redact

KEY = "sk-" + "ant-api03-" + "aB3dE5gH" * 6
GONE = "[ANTHROPIC_KEY_1]"


def redact(value: Any) -> Any:
    return Redact().redact(value, "post_tool_call")


class Slotted:
    __slots__ = ("__hidden", "content")

    def __init__(self, content: str) -> None:
        self.content = content
        self.__hidden = content

    def hidden(self) -> str:
        return self.__hidden


class Content:
    def __init__(self, text: str) -> None:
        self.text = text


class Message:
    def __init__(self, text: str) -> None:
        self.contents = [Content(text)]


class Model(BaseModel):
    _private: str = PrivateAttr(default="")


class Colour(enum.Enum):
    RED = KEY


def test_slots_are_opened_private_ones_too() -> None:
    after = redact(Slotted(KEY))
    assert (after.content, after.hidden()) == (GONE, GONE)


def test_text_below_an_attribute_of_any_name_is_found() -> None:
    before = Message(f"it is {KEY}")
    assert redact(before).contents[0].text == f"it is {GONE}"
    assert KEY in before.contents[0].text


def test_private_attributes_of_a_model_are_opened() -> None:
    model = Model()
    model._private = KEY
    assert redact(model)._private == GONE
    assert model._private == KEY


TEXTS: list[tuple[Any, Any]] = [
    ({"a": KEY}.values(), [GONE]),
    ({KEY: 1}.keys(), [GONE]),
    (PurePosixPath("/home") / KEY, PurePosixPath("/home") / GONE),
    (Decimal(4111111111111111), "[CARD_1]"),
    (ipaddress.ip_address("203.0.113.7"), "[IP_1]"),
    (array("B", KEY.encode()), array("B", GONE.encode())),
]


@pytest.mark.parametrize(("value", "expected"), TEXTS, ids=[type(v).__name__ for v, _ in TEXTS])
def test_what_is_no_plain_text_is_read_as_one(value: Any, expected: Any) -> None:
    assert redact(value) == expected


def test_a_memoryview_is_read_as_the_bytes_that_it_shows() -> None:
    assert bytes(redact(memoryview(KEY.encode()))) == GONE.encode()
    numbers = memoryview(array("d", [1.5]))
    assert redact(numbers) is numbers


def test_an_exception_keeps_its_class_and_where_it_came_from() -> None:
    with pytest.raises(FileNotFoundError) as caught:
        raise OSError(2, "missing", KEY) from ValueError(KEY)
    after = redact(caught.value)
    assert type(after) is FileNotFoundError
    assert (after.errno, after.filename, str(after.__cause__)) == (2, GONE, GONE)
    assert after.__traceback__ is caught.value.__traceback__


def test_an_exception_that_hides_what_it_says_is_refused() -> None:
    class OddError(Exception):
        def __str__(self) -> str:
            return f"no {KEY}"

    with pytest.raises(TypeError, match="cannot read a value"):
        redact(OddError())


NO_TEXT = [
    1.5,
    True,
    dt.datetime(2026, 5, 1, tzinfo=dt.timezone.utc),
    dt.timedelta(1),
    uuid.UUID(int=5),
    Colour.RED,
    Colour,
    range(3),
    print,
    partial(print, KEY),
    threading.Lock(),
    Fraction(1, 3),
    object(),
    array("d", [1.5]),
]


@pytest.mark.parametrize("value", NO_TEXT, ids=[type(v).__name__ for v in NO_TEXT])
def test_what_holds_no_text_passes_as_it_is(value: Any) -> None:
    assert redact([value])[0] is value


def generator() -> Iterator[str]:
    yield KEY


@pytest.mark.parametrize("value", [generator(), iter([KEY]), map(str, [KEY]), reversed([KEY])])
def test_what_cannot_be_read_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match=r"redact cannot read a value of the type \w+\.\w+"):
        redact({"a": [value]})


def test_in_a_manager_what_cannot_be_read_is_denied() -> None:
    manager = HookManager()
    manager.register(Redact, name="redact")
    with pytest.raises(HookAborted):
        manager.call_tool("t", {}, lambda _: {"a": iter([KEY])})


def test_an_object_that_holds_itself_passes_when_it_is_clean_and_is_refused_when_not() -> None:
    clean, dirty = Content("hello"), Content(KEY)
    clean.me, dirty.me = clean, dirty  # type: ignore[attr-defined]
    assert redact(clean) is clean
    with pytest.raises(ValueError, match="holds itself"):
        redact(dirty)


def test_what_is_shared_is_read_once_and_stays_shared() -> None:
    shared: Any = [KEY]
    for _ in range(40):
        shared = [shared, shared]
    after = redact(shared)
    assert after[0] is after[1]


@pytest.mark.parametrize(
    "call",
    [
        ToolCall("f", '{"to": "mia@example.com"}'),
        ToolCallChunk(0, None, "f", '{"to": "mia@example.com"}'),
    ],
)
def test_a_tool_call_s_arguments_are_a_tool_s_input(call: Any) -> None:
    plugin = Redact()
    assert plugin.redact(call, "post_model_call") is call
    call.arguments = f'{{"key": "{KEY}"}}'
    assert plugin.redact(call, "post_model_call").arguments == f'{{"key": "{GONE}"}}'
