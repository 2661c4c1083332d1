"""Properties of any payload."""

from __future__ import annotations

import json
import string
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookcore_redact import Redact, RedactSettings
from hookcore_redact._checks import luhn, mod97

ALNUM = string.ascii_letters + string.digits
PLUGIN = Redact()
FIXED = Redact(RedactSettings(placeholders="fixed"))


def token(alphabet: str, least: int, most: int | None = None) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=least, max_size=most or least)


def cards() -> st.SearchStrategy[str]:
    def with_check_digit(body: str) -> str:
        return next(body + digit for digit in "0123456789" if luhn(body + digit))

    body = st.tuples(st.sampled_from(["4", "51", "2221", "6011"]), token(string.digits, 15))
    number = body.map(lambda parts: with_check_digit("".join(parts)[:15]))
    groups = number.map(lambda digits: [digits[at : at + 4] for at in range(0, 16, 4)])
    return st.builds(lambda parts, glue: glue.join(parts), groups, st.sampled_from(["", " ", "-"]))


def ibans() -> st.SearchStrategy[str]:
    def with_check_digits(account: str) -> str:
        pairs = (f"{number:02}" for number in range(2, 99))
        return next("DE" + pair + account for pair in pairs if mod97("DE" + pair + account))

    return token(string.digits, 18).map(with_check_digits)


SECRETS = st.one_of(
    token(ALNUM, 48).map(lambda t: "sk-" + t),
    token(ALNUM + "-_", 40, 90).map(lambda t: "sk-" + "ant-api03-" + t),
    token(string.ascii_uppercase + string.digits, 16).map(lambda t: "AKIA" + t),
    token(ALNUM, 36).map(lambda t: "ghp_" + t),
    token(ALNUM + "-_", 35).map(lambda t: "AIza" + t),
    token(ALNUM, 24).map(lambda t: "sk_" + "live_" + t),
    token(ALNUM + "-", 20, 40).map(lambda t: "xoxb-" + t),
    st.tuples(token(ALNUM, 20), token(ALNUM, 60), token(ALNUM + "-_", 43)).map(
        lambda t: f"eyJ{t[0]}.eyJ{t[1]}.{t[2]}"
    ),
    token(ALNUM + "+/", 64, 300).map(
        lambda t: f"-----BEGIN PRIVATE KEY-----\n{t}\n-----END PRIVATE KEY-----"
    ),
)
PERSONAL = st.one_of(
    st.tuples(token(ALNUM, 1, 12), token(string.ascii_lowercase, 1, 10)).map(
        lambda t: f"{t[0]}@{t[1]}.example.com"
    ),
    cards(),
    ibans(),
    token(string.digits, 7).map(lambda t: f"+49 30 {t}"),
    st.tuples(*[st.integers(1, 254)] * 4)
    .filter(lambda t: t[0] not in (127, 255))
    .map(lambda t: ".".join(map(str, t))),
)
VALUES = st.one_of(SECRETS, PERSONAL)
# Nothing but words, some of them with marks and digits that values have too.
WORDS = st.lists(
    st.sampled_from(
        [
            "hello",
            "Grüße",
            "日本語",
            "\n",
            "12:30",
            "2024-05-15",
            "HAT001",
            "sk-",
            "@home",
            "7,5",
            "…",
        ]
    ),
    max_size=6,
).map(" ".join)


def text_with(value: str) -> st.SearchStrategy[str]:
    return st.tuples(WORDS, WORDS).map(lambda around: f"{around[0]} {value} {around[1]}")


def payloads(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keys = st.one_of(
        st.sampled_from(["content", "role", "n", "rows"]),
        leaves.filter(lambda v: isinstance(v, str)),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=4),
            st.dictionaries(keys, inner, max_size=4),
            st.tuples(inner, inner),
            st.dictionaries(st.sampled_from("ab"), inner.filter(is_json)).map(json.dumps),
        ),
        max_leaves=12,
    )


def is_json(value: Any) -> bool:
    try:
        json.dumps(value)
    except TypeError:
        return False
    return True


ATOMS = st.one_of(
    st.none(), st.booleans(), st.integers(-999, 999), st.floats(allow_nan=False, width=16)
)
CLEAN = payloads(st.one_of(WORDS, ATOMS))


def shape(value: Any) -> Any:
    """Return what a payload is made of, without its texts."""
    if isinstance(value, dict):
        return [dict, [shape(item) for item in value.values()]]
    if isinstance(value, list | tuple):
        return [type(value), [shape(item) for item in value]]
    return type(value) if isinstance(value, str) else value


@given(st.data(), st.lists(VALUES, min_size=1, max_size=4))
def test_no_planted_value_survives(data: st.DataObject, values: list[str]) -> None:
    leaves = st.one_of(st.sampled_from(values).flatmap(text_with), WORDS, ATOMS)
    payload = data.draw(payloads(leaves))
    redacted = FIXED.redact(payload)
    plain = json.dumps(redacted, default=str, ensure_ascii=False) + repr(redacted)
    assert not any(value in plain or json.dumps(value)[1:-1] in plain for value in values)


@given(CLEAN)
def test_a_payload_without_values_is_returned_itself(payload: Any) -> None:
    assert PLUGIN.redact(payload) is payload


@given(st.data(), st.lists(VALUES, min_size=1, max_size=3))
def test_redacting_again_changes_nothing(data: st.DataObject, values: list[str]) -> None:
    payload = data.draw(payloads(st.one_of(st.sampled_from(values).flatmap(text_with), WORDS)))
    once = PLUGIN.redact(payload)
    assert PLUGIN.redact(once) is once


@given(st.lists(st.one_of(VALUES, st.text("ab1-@. :/\\n[]_", max_size=4)), max_size=8).map("".join))
def test_redacting_again_changes_nothing_however_values_are_glued_together(text: str) -> None:
    once = PLUGIN.redact(text)
    assert PLUGIN.redact(once) is once


@given(st.data(), st.lists(VALUES, min_size=1, max_size=3))
def test_structure_and_types_stay(data: st.DataObject, values: list[str]) -> None:
    payload = data.draw(payloads(st.one_of(st.sampled_from(values).flatmap(text_with), ATOMS)))
    assert shape(PLUGIN.redact(payload)) == shape(payload)


@given(st.lists(SECRETS, min_size=1, max_size=6))
def test_the_same_value_gets_the_same_placeholder_and_another_gets_another(
    values: list[str],
) -> None:
    redacted = PLUGIN.redact([f"it is {value} there" for value in values])
    made = [text.split()[2] for text in redacted]
    assert [made.index(one) for one in made] == [values.index(one) for one in values]


@given(st.binary(max_size=300))
def test_any_bytes_can_be_read(data: bytes) -> None:
    assert isinstance(PLUGIN.redact(data), bytes)


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(PLUGIN.redact(text), str)
