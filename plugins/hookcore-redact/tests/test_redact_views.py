"""Text that is written in another way: escapes, wide letters, base64."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore_redact import Redact, RedactSettings
from hookcore_redact._views import resolved

TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


def redact(text: Any, **settings: Any) -> Any:
    return Redact(RedactSettings(placeholders="fixed", **settings)).redact(text, "post_tool_call")


ESCAPED = '{"phone":"\\u002B49 170 1234567"}'
WAYS = [
    (ESCAPED, '{"phone":"[PHONE]"}'),
    (ESCAPED + "\n", '{"phone":"[PHONE]"}\n'),
    (f"event: x\ndata: {ESCAPED}\n\n", 'event: x\ndata: {"phone":"[PHONE]"}\n\n'),
    (f'{{"a": 1}}\n{ESCAPED}\n', '{"a": 1}\n{"phone":"[PHONE]"}\n'),
    (json.dumps({"x": ESCAPED}), json.dumps({"x": '{"phone":"[PHONE]"}'})),
    ("to mia%40example.com&x=1", "to [EMAIL]&x=1"),
    ("<b>mia&#64;example.com</b>", "<b>[EMAIL]</b>"),
    ("mia\uff20example.com", "[EMAIL]"),
    ("card 4111\u00a01111\u00a01111\u00a01111!", "card [CARD]!"),
    ("card 4111\u20131111\u20131111\u20131111!", "card [CARD]!"),
    ("パスワード\uff1aXy7hunter", "パスワード\uff1a[PASSWORD]"),
    (
        '{"url":"https:\\/\\/u:Xy7hunter@a.example.com"}',
        '{"url":"https:\\/\\/u:[URL_PASSWORD]@a.example.com"}',
    ),
    ("mia [at] example [dot] com", "[EMAIL]"),
]


@pytest.mark.parametrize(("text", "expected"), WAYS)
def test_what_is_written_in_another_way_is_found_where_it_stands(text: str, expected: str) -> None:
    assert redact(text) == expected


@pytest.mark.parametrize(
    "text", ["mia%40example.com", "mia&#64;example.com", "mia\uff20example.com"]
)
def test_without_decoding_only_what_stands_there_is_read(text: str) -> None:
    assert redact(text, decode=False) is text


def test_a_text_in_base64_is_opened_and_goes_as_a_whole() -> None:
    hidden = base64.b64encode(json.dumps({"t": TOKEN}).encode()).decode()
    assert redact(f"payload: {hidden}!") == "payload: [GITHUB_TOKEN]!"
    assert redact(TOKEN.encode().hex()) == "[GITHUB_TOKEN]"
    harmless = base64.b64encode(b"nothing of interest is in here").decode()
    assert redact(harmless) is harmless


def test_the_layout_of_a_json_text_stays_to_the_byte() -> None:
    text = '{ "a" : 1.0,\t"mail":"mia@example.com" ,\n"z":[1, 2 ,3], "ü":"\\u00fc\\/" }'
    assert redact(text) == text.replace("mia@example.com", "[EMAIL]")


def test_a_number_in_a_json_text_becomes_a_text_at_its_depth() -> None:
    inner = json.dumps({"card": 4111111111111111})
    after = redact(json.dumps({"x": inner, "y": [4111111111111111, 2]}))
    assert json.loads(after)["y"] == ["[CARD]", 2]
    assert json.loads(json.loads(after)["x"]) == {"card": "[CARD]"}


@given(st.text(max_size=60))
def test_a_view_of_json_reads_as_the_text_that_was_written(text: str) -> None:
    data = json.dumps(text).encode()
    view = resolved(data)
    plain = view.data if view is not None else data
    assert plain.decode("utf-8", "replace").count("\\u0041") == 0


@given(
    st.lists(
        st.sampled_from(["a", "\\u0040", "%41", "&#65;", "\\\\", "ü", "\u200b", "\uff21"]),
        max_size=12,
    )
)
def test_every_place_of_a_view_stands_somewhere_in_the_text(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    view = resolved(data)
    if view is None:
        return
    places = [view.origin(at, at + 1) for at in range(len(view.data))]
    assert all(0 <= start < end <= len(data) for start, end in places)
    assert places == sorted(places)
