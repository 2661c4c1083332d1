"""Histories of objects: those that were read are known, and no change of one passes unseen."""

from __future__ import annotations

import copy
import datetime as dt
import gc
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, PrivateAttr

from hookcore import HookManager, ModelCallContext
from hookcore_redact import Redact
from hookcore_redact._text import TextRedactor

SECRET = "mia@example.com"


class Always:
    """Says that it equals everything."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


class Model(BaseModel):
    model_config = ConfigDict(extra="allow")

    text: Any = "hello there"
    parts: list[Any] = []
    args: dict[str, Any] = {}
    _own: Any = PrivateAttr(default=None)


class Plain:
    def __init__(self) -> None:
        self.text: Any = "hello there"
        self.parts: list[Any] = [Model(), ("a", "b")]
        self.args: dict[str, Any] = {"path": "a.txt", "count": 3}


@dataclass
class Data:
    text: Any = "hello there"
    raw: Any = field(default=None, compare=False)
    parts: list[Any] = field(default_factory=lambda: [Plain()])
    args: dict[str, Any] = field(default_factory=dict)


class Slotted:
    __slots__ = ("__own", "args", "parts", "text", "unset")
    unset: Any

    def __init__(self) -> None:
        self.text: Any = "hello there"
        self.parts: list[Any] = [SimpleNamespace(text="hello")]
        self.args: dict[str, Any] = {}
        self.__own: Any = None

    def keep(self, value: Any) -> None:
        self.__own = value


class Closed:
    """Reads its slots in a way of its own."""

    __slots__ = ("args", "parts", "text")

    def __init__(self) -> None:
        self.text: Any = "hello there"
        self.parts: list[Any] = []
        self.args: dict[str, Any] = {}

    def __getattribute__(self, name: str) -> Any:
        return "nothing" if name == "text" else object.__getattribute__(self, name)


KINDS: list[Callable[[], Any]] = [Model, Plain, Data, Slotted, Closed, SimpleNamespace]


def message(kind: Callable[[], Any]) -> Any:
    made = kind()
    if isinstance(made, SimpleNamespace):
        made.text, made.parts, made.args = "hello there", [], {}
    return made


@pytest.fixture(scope="module")
def manager() -> HookManager:
    host = HookManager()
    host.register(Redact, name="redact")
    return host


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts that were looked through."""
    texts: list[str] = []
    plain = TextRedactor._read

    def noted(self: TextRedactor, text: str, name: str | None) -> str:
        texts.append(text)
        return plain(self, text, name)

    monkeypatch.setattr(TextRedactor, "_read", noted)
    return texts


def asked(manager: HookManager, messages: list[Any]) -> list[Any]:
    ctx = ModelCallContext(messages=list(messages), run_id="r")
    result: list[Any] = manager.dispatch("pre_model_call", ctx).payload
    return result


@pytest.mark.parametrize("kind", KINDS)
def test_an_object_that_was_read_is_not_read_again(
    kind: Callable[[], Any], manager: HookManager, read: list[str]
) -> None:
    messages = [message(kind) for _ in range(10)]
    with manager.run({}, run_id="r"):
        asked(manager, messages)
        read.clear()
        assert asked(manager, messages) == messages
        assert read == []


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not Closed])
def test_a_copy_of_an_object_is_known(
    kind: Callable[[], Any], manager: HookManager, read: list[str]
) -> None:
    messages = [message(kind) for _ in range(10)]
    with manager.run({}, run_id="r"):
        asked(manager, messages)
        read.clear()
        copies = copy.deepcopy(messages)
        assert all(map(lambda one, other: one is other, asked(manager, copies), copies))
        assert read == []


def _text(made: Any) -> None:
    made.text = f"write to {SECRET}"


def _part(made: Any) -> None:
    made.parts.append(SECRET)


def _deep_part(made: Any) -> None:
    made.parts.append([{"a": Model(text=SECRET)}])


def _key(made: Any) -> None:
    made.args[SECRET] = 1


def _always(made: Any) -> None:
    made.text = Always(SECRET)


def _always_inside(made: Any) -> None:
    made.args["x"] = Always(SECRET)


def _subclass(made: Any) -> None:
    class Text(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 1

    made.text = Text(SECRET)


EDITS = [_text, _part, _deep_part, _key, _always, _always_inside, _subclass]


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_object_that_was_edited_in_place_is_read_again(
    kind: Callable[[], Any], edit: Callable[[Any], None], manager: HookManager
) -> None:
    messages = [message(kind) for _ in range(10)]
    with manager.run({}, run_id="r"):
        asked(manager, messages)
        edit(messages[7])
        after = asked(manager, messages)
    shown = after[7]
    assert shown is not messages[7]
    text = object.__getattribute__(shown, "text")
    told = f"{getattr(text, 'text', text)} {shown.parts!r} {list(shown.args)!r}"
    told += "".join(getattr(item, "text", "") for item in shown.args.values() if item != 1)
    assert SECRET not in told
    assert after[6] is messages[6]


@pytest.mark.parametrize(
    "edit",
    [
        lambda made: setattr(made, "further", SECRET),
        lambda made: setattr(made, "_own", SECRET),
        lambda made: made.__pydantic_extra__.update(more=SECRET),
        lambda made: made.__dict__.update(text=SECRET),
    ],
)
def test_what_pydantic_keeps_apart_is_looked_at(
    edit: Callable[[Any], None], manager: HookManager
) -> None:
    messages = [Model() for _ in range(10)]
    with manager.run({}, run_id="r"):
        asked(manager, messages)
        edit(messages[3])
        shown = asked(manager, messages)[3]
    assert SECRET not in f"{vars(shown)} {shown.__pydantic_extra__} {shown.__pydantic_private__}"


def test_a_field_that_does_not_count_in_a_comparison_is_looked_at(manager: HookManager) -> None:
    messages = [Data() for _ in range(10)]
    with manager.run({}, run_id="r"):
        asked(manager, messages)
        messages[2].raw = SECRET
        assert asked(manager, messages)[2].raw == "[EMAIL_1]"


def test_a_slot_that_is_private_or_was_never_set_is_looked_at(manager: HookManager) -> None:
    messages = [Slotted() for _ in range(10)]
    with manager.run({}, run_id="r"):
        asked(manager, messages)
        messages[1].keep(SECRET)
        messages[2].unset = SECRET
        after = asked(manager, messages)
    assert after[1]._Slotted__own == "[EMAIL_1]"
    assert after[2].unset == "[EMAIL_1]"


def test_an_object_of_another_class_in_its_place_is_read(manager: HookManager) -> None:
    messages: list[Any] = [Plain() for _ in range(10)]
    with manager.run({}, run_id="r"):
        asked(manager, messages)
        messages[5] = Always(SECRET)
        assert asked(manager, messages)[5].text == "[EMAIL_1]"


@pytest.mark.parametrize(
    "value", [Decimal("1.50"), PurePosixPath("/a/b"), dt.date(2024, 1, 2), 2.5]
)
def test_a_value_that_is_read_as_a_text_is_known_by_it(
    value: Any, manager: HookManager, read: list[str]
) -> None:
    messages = [SimpleNamespace(value=value) for _ in range(10)]
    with manager.run({}, run_id="r"):
        asked(manager, messages)
        read.clear()
        asked(manager, copy.deepcopy(messages))
        assert read == []


def test_a_number_in_the_place_of_another_is_read(manager: HookManager) -> None:
    messages = [SimpleNamespace(value=Decimal(1)) for _ in range(10)]
    with manager.run({}, run_id="r"):
        asked(manager, messages)
        messages[4].value = Decimal(4111111111111111)
        assert asked(manager, messages)[4].value == "[CARD_1]"


@pytest.mark.parametrize("value", [{1: "a"}, deque("a"), {"a"}, bytearray(b"a"), ValueError("a")])
def test_what_no_change_could_be_told_of_is_read_each_time(
    value: Any, manager: HookManager, read: list[str]
) -> None:
    messages = [SimpleNamespace(said="hello you", value=value) for _ in range(10)]
    with manager.run({}, run_id="r"):
        asked(manager, messages)
        read.clear()
        asked(manager, messages)
        assert read.count("hello you") == 10


def test_a_number_of_a_placeholder_in_an_object_is_not_given_again(manager: HookManager) -> None:
    messages: list[Any] = [Plain() for _ in range(10)]
    messages[0].text = "as [EMAIL_1] said"
    with manager.run({}, run_id="r"):
        asked(manager, messages)
        assert asked(manager, [*messages, SECRET])[-1] == "[EMAIL_2]"


def test_what_was_handed_on_is_known_when_the_host_keeps_it(
    manager: HookManager, read: list[str]
) -> None:
    messages: list[Any] = [Plain() for _ in range(10)]
    messages[4].text = SECRET
    with manager.run({}, run_id="r"):
        first = asked(manager, messages)
        read.clear()
        again = asked(manager, first)
        assert again[4] is first[4]
        assert read == []
        assert asked(manager, messages)[4].text == "[EMAIL_1]"


def test_no_message_of_the_hosts_is_kept_alive(manager: HookManager) -> None:
    messages: list[Any] = [Plain() for _ in range(10)]
    gone = weakref.ref(messages[3])
    with manager.run({}, run_id="r"):
        asked(manager, messages)
        messages.clear()
        gc.collect()
        assert gone() is None


def test_a_list_of_words_is_read_as_a_whole(manager: HookManager) -> None:
    words = [f"word{at}" for at in range(9)]
    with manager.run({}, run_id="r"):
        asked(manager, [*words, "--password"])
        assert asked(manager, [*words, "--password", "Xy7-hunter"])[-1] == "[PASSWORD_1]"


def test_a_list_of_pairs_is_read_as_a_whole(manager: HookManager) -> None:
    pairs = [["path", f"word{at}"] for at in range(9)]
    with manager.run({}, run_id="r"):
        asked(manager, pairs)
        last = asked(manager, [*pairs, ["password", "Xy7-hunter"]])[-1]
    assert last == ["password", "[PASSWORD_1]"]
