"""Payloads of all types keep their form."""

from __future__ import annotations

import enum
import json
from collections import OrderedDict, UserDict, defaultdict, deque
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel, ConfigDict, SecretStr

from hookcore import ChannelMessage
from hookcore_redact import Redact, RedactSettings

MAIL = "alice@example.com"
KEY = "sk-" + "ant-api03-" + "a1B2c3D4e5" * 8
redact = Redact().redact


def test_a_payload_with_nothing_in_it_is_returned_itself() -> None:
    payload = {
        "a": ["x", 1, 2.5, None, True, b"x", ("y", {"z"})],
        "message": ChannelMessage(channel="c", sender="s", recipient="r", content="hi"),
    }
    assert redact(payload) is payload


def test_what_does_not_change_is_not_copied() -> None:
    payload: list[Any] = [{"content": "hi"}, {"content": MAIL}]
    redacted = redact(payload)
    assert redacted == [{"content": "hi"}, {"content": "[EMAIL_1]"}]
    assert redacted[0] is payload[0]


def test_the_payload_is_not_edited_in_place() -> None:
    payload = {"a": [MAIL, {"b": {MAIL: (MAIL,)}}]}
    before = json.dumps(payload)
    assert redact(payload) != payload
    assert json.dumps(payload) == before


def test_content_parts_and_tool_calls_of_a_message_are_redacted() -> None:
    arguments = json.dumps({"to": MAIL, "n": [1, 2.5]})
    messages = [
        {
            "role": "user",
            "content": [{"type": "text", "text": f"I am {MAIL}"}, {"type": "image_url"}],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "send", "arguments": arguments},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": f"sent to {MAIL}"},
    ]
    first, second, third = redact(messages)
    assert first["content"] == [{"type": "text", "text": "I am [EMAIL_1]"}, {"type": "image_url"}]
    redacted = second["tool_calls"][0]["function"]["arguments"]
    assert json.loads(redacted) == {"to": "[EMAIL_1]", "n": [1, 2.5]}
    assert third["content"] == "sent to [EMAIL_1]"


def test_a_json_text_stays_one_when_a_number_in_it_is_a_card() -> None:
    assert redact('{"card":4111111111111111,"n":1}') == '{"card":"[CARD_1]","n":1}'
    assert redact('{"card": 4111111111111111, "n": 1}') == '{"card": "[CARD_1]", "n": 1}'


def test_escapes_in_a_json_text_hide_nothing() -> None:
    text = '{"mail": "alice\\u0040example.com"}'
    assert json.loads(redact(text)) == {"mail": "[EMAIL_1]"}


def test_json_inside_json_is_opened_too() -> None:
    inner = json.dumps({"mail": f"Grüße\n{MAIL}"})
    redacted = redact(json.dumps({"result": inner}))
    assert json.loads(json.loads(redacted)["result"]) == {"mail": "Grüße\n[EMAIL_1]"}


def test_a_text_that_only_begins_like_json_is_redacted_as_a_text() -> None:
    assert redact("{'mail': '" + MAIL + "'}") == "{'mail': '[EMAIL_1]'}"


def test_keys_are_redacted_and_no_entry_is_lost() -> None:
    payload = {MAIL: 1, "bob@example.com": 2, "n": 3}
    assert redact(payload) == {"[EMAIL_1]": 1, "[EMAIL_2]": 2, "n": 3}
    fixed = Redact(RedactSettings(placeholders="fixed")).redact(payload)
    assert fixed == {"[EMAIL]": 1, "[EMAIL] (2)": 2, "n": 3}


def test_a_key_says_what_its_value_is() -> None:
    secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEX" + "AMPLEKEY"
    payload = {
        "SecretAccessKey": secret,
        "phoneNumber": "5550123456",
        "phone": 5550123456,
        "n": 5550123456,
    }
    assert redact(payload) == {
        "SecretAccessKey": "[AWS_SECRET_KEY_1]",
        "phoneNumber": "[PHONE_1]",
        "phone": "[PHONE_1]",
        "n": 5550123456,
    }


def test_numbers_that_are_cards_become_placeholders_and_others_stay() -> None:
    payload = {"card": 4111111111111111, "id": 4111111111111112, "n": 7, "f": 1.5, "big": 10**400}
    assert redact(payload) == {**payload, "card": "[CARD_1]"}


class Point(NamedTuple):
    x: str
    y: int


class Colour(enum.Enum):
    RED = MAIL


class Text(str):
    __slots__ = ()


CONTAINERS: list[tuple[Any, Any]] = [
    ((MAIL, 1), ("[EMAIL_1]", 1)),
    (Point(MAIL, 2), Point("[EMAIL_1]", 2)),
    ({MAIL, "x"}, {"[EMAIL_1]", "x"}),
    (frozenset({MAIL}), frozenset({"[EMAIL_1]"})),
    (deque([MAIL], maxlen=3), deque(["[EMAIL_1]"], maxlen=3)),
    (OrderedDict(a=MAIL, b=1), OrderedDict(a="[EMAIL_1]", b=1)),
    (defaultdict(list, a=[MAIL]), defaultdict(list, a=["[EMAIL_1]"])),
    (UserDict(a=MAIL), UserDict(a="[EMAIL_1]")),
    (MappingProxyType({"a": MAIL}), MappingProxyType({"a": "[EMAIL_1]"})),
    (bytearray(f"to {MAIL}", "ascii"), bytearray(b"to [EMAIL_1]")),
    (f"grüße an {MAIL}".encode(), "grüße an [EMAIL_1]".encode()),
    ({(MAIL, 1): 2}, {("[EMAIL_1]", 1): 2}),
    (SimpleNamespace(content=MAIL, other=1), SimpleNamespace(content="[EMAIL_1]", other=1)),
]


@pytest.mark.parametrize(
    ("payload", "expected"), CONTAINERS, ids=[type(p).__name__ for p, _ in CONTAINERS]
)
def test_a_container_keeps_its_type(payload: Any, expected: Any) -> None:
    redacted = redact(payload)
    assert redacted == expected
    assert type(redacted) is type(payload)


def test_a_deque_and_a_defaultdict_keep_what_is_special_about_them() -> None:
    assert redact(deque([MAIL], maxlen=3)).maxlen == 3
    assert redact(defaultdict(list, a=[MAIL]))["new"] == []


def test_a_text_of_a_class_of_its_own_becomes_a_plain_one_only_when_it_changes() -> None:
    clean = Text("hello there, all of you")
    assert redact(clean) is clean
    assert redact(Text(f"to {MAIL}")) == "to [EMAIL_1]"


@dataclass(frozen=True, slots=True)
class Frozen:
    name: str
    items: list[Any] = field(default_factory=list)


@dataclass
class Checked:
    mail: str
    length: int = field(init=False)

    def __post_init__(self) -> None:
        if "@" not in self.mail:
            raise ValueError("no address")
        self.length = len(self.mail)


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")
    mail: str
    key: SecretStr = SecretStr("hidden")
    nested: list[Frozen] = []

    @cached_property
    def greeting(self) -> str:
        return f"Dear {self.mail}"


def test_a_frozen_dataclass_is_replaced() -> None:
    before = Frozen("n", [MAIL, {"k": KEY}])
    assert redact(before) == Frozen("n", ["[EMAIL_1]", {"k": "[ANTHROPIC_KEY_1]"}])
    assert before.items[0] == MAIL


def test_a_dataclass_is_not_constructed_anew() -> None:
    redacted = redact(Checked(MAIL))
    assert (type(redacted), redacted.mail, redacted.length) == (Checked, "[EMAIL_1]", len(MAIL))


def test_a_pydantic_model_is_copied_with_extras_and_what_it_remembers() -> None:
    before = Record.model_validate({"mail": MAIL, "nested": [Frozen(MAIL)], "more": {"to": MAIL}})
    assert MAIL in before.greeting
    after = redact(before)
    assert type(after) is Record
    assert (after.mail, after.nested, after.model_extra) == (
        "[EMAIL_1]",
        [Frozen("[EMAIL_1]")],
        {"more": {"to": "[EMAIL_1]"}},
    )
    assert after.greeting == "Dear [EMAIL_1]"
    assert MAIL in before.greeting


def test_a_channel_message_is_replaced() -> None:
    message = ChannelMessage(
        channel="mail", sender=MAIL, recipient="bot", content=f"key {KEY}", metadata={"a": MAIL}
    )
    redacted = redact(message)
    assert redacted == ChannelMessage(
        channel="mail",
        sender="[EMAIL_1]",
        recipient="bot",
        content="key [ANTHROPIC_KEY_1]",
        metadata={"a": "[EMAIL_1]"},
    )
    assert message.sender == MAIL


def test_a_channel_message_still_reaches_its_recipient() -> None:
    message = ChannelMessage(
        channel="mail", sender="bot", recipient=MAIL, content=f"to {MAIL}", id=MAIL, thread=MAIL
    )
    redacted = redact(message)
    assert redacted.content == "to [EMAIL_1]"
    assert (redacted.recipient, redacted.id, redacted.thread) == (MAIL, MAIL, MAIL)


class Client:
    """A host's object: what it keeps for itself is no payload."""

    def __init__(self) -> None:
        self.api_key = KEY


class Response:
    def __init__(self) -> None:
        self.content = f"mail {MAIL}"
        self.client = Client()


def test_of_an_unknown_object_only_what_carries_text_is_replaced() -> None:
    before = Response()
    after = redact(before)
    assert (after.content, before.content) == ("mail [EMAIL_1]", f"mail {MAIL}")
    assert after.client is before.client
    assert after.client.api_key == KEY


def test_members_of_an_enumeration_stay() -> None:
    assert redact([Colour.RED, Colour]) == [Colour.RED, Colour]


def test_bytes_that_are_no_text_lose_their_secrets_only() -> None:
    data = b"\xff\xfe" + MAIL.encode() + b" \x00" + KEY.encode() + b"\xff"
    assert redact(data) == b"\xff\xfe" + MAIL.encode() + b" \x00[ANTHROPIC_KEY_1]\xff"


def test_lone_surrogates_do_no_harm() -> None:
    assert redact(f"\ud800 {MAIL} \udfff") == "\ud800 [EMAIL_1] \udfff"


def test_what_is_nested_too_deeply_or_holds_itself_is_refused() -> None:
    deep: list[Any] = [MAIL]
    for _ in range(200):
        deep = [deep]
    endless: list[Any] = [MAIL]
    endless.append(endless)
    for payload in (deep, endless):
        with pytest.raises(ValueError, match="more than 100 levels"):
            redact(payload)


def test_a_json_text_that_is_nested_too_deeply_is_redacted_as_a_text() -> None:
    text = "[" * 100_000 + f'"{MAIL}"' + "]" * 100_000
    assert "[EMAIL_1]" in redact(text)
    assert MAIL not in redact(text)
