from __future__ import annotations

import pytest

from hookcore_path_guard._readings import readings
from hookcore_path_guard._refusals import Refusal


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/dev")


@pytest.mark.parametrize(
    "path",
    ["a", "src/app.py", "/x/y", "..", "a~b", "50%.txt", "...x", "日本/a", "a b", "-rf", "$", "a$b"],
)
def test_a_plain_path_has_one_reading(path: str) -> None:
    assert readings(path) == (path,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" /etc/x", {" /etc/x", "/etc/x"}),
        ("~/x", {"/home/dev/x"}),
        ("~", {"/home/dev"}),
        ("a\\b", {"a\\b", "a/b"}),
        ("file:///a/b", {"/a/b"}),
        ("FILE://localhost/a%20b", {"/a b"}),
        ("file:/a", {"/a"}),
        ("file:///a/%2e%2e/b", {"/a/../b"}),
        ("file:///a/%252e", {"/a/%2e"}),
    ],
)
def test_every_way_to_take_a_text_is_a_reading(text: str, expected: set[str]) -> None:
    assert set(readings(text)) == expected


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (None, "text"),
        (7, "text"),
        (b"x", "text"),
        (["x"], "text"),
        ("\udc80", "text"),
        ("", "empty"),
        ("   ", "empty"),
        ("a\0b", "control"),
        ("a\nb", "control"),
        ("a\u2028b", "control"),
        ("a\x7f", "control"),
        ("a/" * 2001, "long"),
        ("n" * 256, "long"),
        ("ü" * 128, "long"),
        ("https://x/y", "scheme"),
        ("file://host/x", "scheme"),
        ("file:x", "scheme"),
        ("file:///a?b", "scheme"),
        ("file:///a#b", "scheme"),
        ("file:///%ff", "scheme"),
        ("file:///a%00b", "control"),
        ("C:\\x", "windows"),
        ("c:x", "windows"),
        ("\\\\host\\share", "windows"),
        ("..\\x", "windows"),
        ("a\\..\\b", "windows"),
        ("file:///C:/x", ""),
        ("$HOME/x", "variable"),
        ("${HOME}/x", "variable"),
        ("%USERPROFILE%\\x", "variable"),
        ("~root/x", "user"),
        ("~+/x", "user"),
    ],
)
def test_what_is_no_plain_path_is_refused(text: object, rule: str) -> None:
    if not rule:
        assert readings(text) == ("/C:/x",)
        return
    with pytest.raises(Refusal) as caught:
        readings(text)
    assert caught.value.rule == rule


def test_a_home_that_is_not_known_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "relative")
    with pytest.raises(Refusal):
        readings("~/x")
