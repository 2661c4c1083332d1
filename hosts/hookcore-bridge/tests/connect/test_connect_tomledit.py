"""TOML is edited so that comments and order stay."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore_bridge.connect import tomledit
from hookcore_bridge.connect.jsonedit import EditError
from hookcore_bridge.connect.tomledit import TomlError

KEPT = """\
# top
model = "large" # the large one

[features] # switches
hooks = false # off
web = true

[[hooks.PreToolUse]] # theirs
matcher = "#no comment"
"""


def test_a_value_is_replaced_in_its_place_with_its_comment() -> None:
    after = tomledit.replace(KEPT, ("features", "hooks"), value=True)
    assert after == KEPT.replace("hooks = false", "hooks = true")


def test_a_value_that_is_missing_is_added_to_its_table() -> None:
    after = tomledit.replace(KEPT, ("features", "new"), "x")
    assert tomledit.parse(after)["features"] == {"hooks": False, "web": True, "new": "x"}
    assert tomledit.remove(after, ("features", "new")) == KEPT


@pytest.mark.parametrize("text", ["", "a = 1\n", "a = 1", "# only a comment\n", "a.b = 1\n"])
def test_a_table_that_is_missing_is_made(text: str) -> None:
    after = tomledit.replace(text, ("features", "hooks"), value=True)
    assert tomledit.parse(after) == {**tomledit.parse(text), "features": {"hooks": True}}


def test_a_value_that_says_so_already_is_left_alone() -> None:
    assert tomledit.replace(KEPT, ("features", "web"), value=True) == KEPT


@pytest.mark.parametrize("text", ["", KEPT, "a = 1", "a = 1\r\n# c\r\n"])
def test_tables_between_marks_come_and_go(text: str) -> None:
    item = {"hooks": [{"type": "command", "command": 'it\'s "x"', "timeout": 10}]}
    after = tomledit.add_tables(text, [(("hooks", "PreToolUse"), item)] * 2)
    assert tomledit.parse(after)["hooks"]["PreToolUse"][-2:] == [item, item]
    assert tomledit.cut_tables(after).rstrip() == text.rstrip()


def test_tables_are_cut_out_of_what_stands_around_them() -> None:
    after = tomledit.add_tables(KEPT, [(("hooks", "Stop"), {"a": 1})]) + "\n[last]\nb = 2\n"
    assert tomledit.cut_tables(after) == KEPT + "\n[last]\nb = 2\n"


@pytest.mark.parametrize("text", ["hooks = 1\n", "hooks = {}\n", "[hooks]\nStop = 3\n"])
def test_a_form_that_tables_cannot_be_added_to_is_refused(text: str) -> None:
    with pytest.raises(EditError):
        tomledit.add_tables(text, [(("hooks", "Stop"), {"a": 1})])


def test_a_value_in_the_place_of_a_table_is_refused() -> None:
    with pytest.raises(EditError, match="features is no table"):
        tomledit.replace("features = 1\n", ("features", "hooks"), value=True)


def test_what_is_not_there_cannot_be_taken_away() -> None:
    with pytest.raises(EditError, match=r"there is no features\.none"):
        tomledit.remove(KEPT, ("features", "none"))


@given(st.text(alphabet="ab=[]{}.,\"'#\n \t1-:TZ\\\x00", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        before = tomledit.parse(text)
    except TomlError:
        return
    with contextlib.suppress(EditError):
        after = tomledit.replace(text, ("new", "key"), value=True)
        assert tomledit.parse(after) == {**before, "new": {"key": True}}


@pytest.mark.parametrize(("text", "line"), [("a = \n", 1), ("a = 1\nb = ?\n", 2), ("[a\n", 1)])
def test_broken_text_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(TomlError) as caught:
        tomledit.parse(text)
    assert caught.value.line == line
