"""Values that are encoded as a whole, once or a few times."""

from __future__ import annotations

import base64
import gzip
import json
import threading
from collections.abc import Callable
from urllib.parse import quote

import pytest

from hookcore_redact import Redact, RedactSettings

MAIL = "mia.vogel42@mail.example.org"
PLUGIN = Redact(RedactSettings(placeholders="fixed"))


def b64(text: str | bytes) -> str:
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def pairs(text: str, mark: str) -> str:
    return mark.join(f"{byte:02x}" for byte in text.encode())


ENCODINGS: list[Callable[[str], str]] = [
    lambda text: b64(b64(text)),
    lambda text: b64(b64(b64(text))),
    lambda text: b64(text.encode().hex()),
    lambda text: b64(text).encode().hex(),
    lambda text: b64(json.dumps({"blob": b64(text)})),
    lambda text: b64("v=" + quote(text, safe="")),
    lambda text: base64.b32encode(text.encode()).decode(),
    lambda text: b64(text.encode("utf-16-le")),
    lambda text: text.encode("utf-16-le").hex(),
    lambda text: b64(gzip.compress(text.encode(), mtime=0)),
    lambda text: "0x" + text.encode().hex(),
    lambda text: pairs(text, " "),
    lambda text: pairs(text, ":"),
    lambda text: base64.encodebytes(("nothing at all, see below. " * 3 + text).encode()).decode()[
        :-1
    ],
]


@pytest.mark.parametrize("encode", ENCODINGS)
@pytest.mark.parametrize("around", ["{}", "state={}&x=1", '{{"data": "{}"}}'])
def test_what_is_encoded_is_replaced_as_a_whole(encode: Callable[[str], str], around: str) -> None:
    text = around.format(encode(MAIL))
    assert PLUGIN.redact(text) == around.format("[EMAIL]")


def test_escapes_are_read_in_place() -> None:
    octal = "".join(f"\\{ord(letter):03o}" for letter in MAIL)
    assert PLUGIN.redact(f"to {octal} now") == "to [EMAIL] now"
    assert PLUGIN.redact("to mia=40example.com now") == "to [EMAIL] now"


@pytest.mark.parametrize(
    "text",
    [
        b64(b64("nothing to see here, move on please")),
        pairs("hello world, all is well", " "),
        base64.b32encode(b"hello world, all is well").decode(),
        b64(gzip.compress(b"hello world, all is well", mtime=0)),
        b64(b"\x1f\x8b\x08" + bytes(30)),
        b64(b"\x1f\x8b\x08" + b"x" * 30),
        "x" * 3 + b64("a" * 40),
    ],
)
def test_what_holds_nothing_stays(text: str) -> None:
    assert PLUGIN.redact(text) == text


def test_what_is_encoded_too_often_is_not_opened() -> None:
    text = MAIL
    for _ in range(5):
        text = b64(text)
    assert PLUGIN.redact(text) == text


def test_threads_open_texts_at_the_same_time() -> None:
    found: list[str] = []

    def read(at: int) -> None:
        found.extend(PLUGIN.redact(b64(b64(f"u{at}.{step}@example.org"))) for step in range(50))

    threads = [threading.Thread(target=read, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["[EMAIL]"] * 200


def test_nothing_is_opened_without_decode() -> None:
    text = b64(b64(MAIL))
    assert Redact(RedactSettings(decode=False)).redact(text) == text
