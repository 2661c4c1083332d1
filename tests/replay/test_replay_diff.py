from __future__ import annotations

import time
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookctl.replay.changes import leaf_changes
from hookctl.replay.diff import removed_values, render
from hookctl.replay.safetext import printable
from hookctl.replay.wording import text_hunks


def diff(before: Any, after: Any, root: str = "payload") -> str:
    return render(root, leaf_changes(before, after))


def test_a_replaced_word_is_shown_with_its_surroundings() -> None:
    before = [{"content": "please open the file /etc/passwd for me"}]
    after = [{"content": "please open the file /tmp/safe for me"}]
    assert diff(before, after, "messages").splitlines() == [
        "@@ messages[0].content",
        "- please open the file /etc/passwd for me",
        "+ please open the file /tmp/safe for me",
    ]


def test_a_changed_argument_shows_both_values() -> None:
    assert diff({"force": True, "n": 1}, {"force": False, "n": 1}, "tool_input") == (
        "@@ tool_input.force\n- true\n+ false"
    )


def test_a_value_behind_a_placeholder_is_not_shown() -> None:
    secret = "sk-live-4242424242424242"
    for placeholder in ("[SECRET_1]", "<API_KEY:ab12>", "****", "REDACTED", ""):
        text = diff(f"use {secret} now", f"use {placeholder} now")
        assert "4242" not in text
        assert "hidden" in text


def test_what_is_around_a_hidden_value_is_shown() -> None:
    assert diff('{"key": "abc123", "n": 1}', '{"key": "[KEY_1]", "n": 1}').splitlines() == [
        "@@ payload",
        '- {"key": "[6 characters hidden]", "n": 1}',
        '+ {"key": "[KEY_1]", "n": 1}',
    ]


def test_a_number_behind_a_placeholder_is_not_shown() -> None:
    assert "4111" not in diff({"card": 4111111111111111}, {"card": "[CARD_1]"})


def test_nothing_that_a_declared_redactor_replaced_is_shown() -> None:
    changes = leaf_changes({"a": "mia li", "n": 12345}, {"a": "ab12cd", "n": 0})
    text = render("tool_input", changes, secret=True)
    assert "mia" not in text
    assert "12345" not in text


def test_a_private_key_of_many_lines_is_not_shown() -> None:
    key = "-----BEGIN KEY-----\nMIIE vQIB ADAN\nabcd efgh\n-----END KEY-----"
    text = diff(f"here: {key} thanks", "here: [PRIVATE_KEY_1] thanks")
    assert not any(word in text for word in ("MIIE", "vQIB", "efgh", "BEGIN"))


def test_a_removed_message_is_shown_by_role_and_length() -> None:
    assert diff([{"role": "user", "content": "secret"}, 1], [1], "messages").startswith(
        "@@ messages[0]\n- user message ["
    )


def test_what_one_plugin_removed_is_hidden_in_the_diff_of_another() -> None:
    hidden = removed_values(leaf_changes("key=abc123,", "key=[KEY_1],"))
    assert hidden == {"abc123"}
    changes = leaf_changes({"u": "abc123 http://x"}, {"u": "abc123 https://x"})
    assert "abc123" not in render("tool_input", changes, hidden)


def test_a_long_value_is_cut() -> None:
    assert len(diff("x" * 100_000, "y" * 100_000)) < 1_000


def test_many_changes_are_counted_not_listed() -> None:
    text = diff(list(range(50)), list(range(1, 51)))
    assert text.splitlines()[-1] == "… 40 more changes"


def test_control_characters_and_surrogates_never_reach_the_terminal() -> None:
    text = diff({"a": "x"}, {"a": "\x1b[31m\r\u202e\ud800 \x9b"})
    assert all(line.isprintable() for line in text.split("\n"))


@given(st.text(st.characters(exclude_categories=()), max_size=30))
def test_printable_text_is_always_printable(text: str) -> None:
    assert printable(text).isprintable()


WORDS = st.lists(st.sampled_from(["a", "b", "secret", " ", "\n"]), max_size=12).map("".join)


@given(WORDS, WORDS)
def test_the_hunks_turn_the_old_text_into_the_new(before: str, after: str) -> None:
    hunks = text_hunks(before, after)
    rebuilt, old_at, new_at = "", 0, 0
    for hunk in hunks:
        kept = after[new_at : hunk.start]
        assert before[old_at:].startswith(kept + hunk.removed)
        rebuilt += kept + hunk.inserted
        old_at += len(kept) + len(hunk.removed)
        new_at = hunk.start + len(hunk.inserted)
    assert before[old_at:] == after[new_at:]
    assert rebuilt + after[new_at:] == after


def test_a_change_in_a_huge_text_is_found_quickly_and_shown_briefly() -> None:
    start = time.process_time()
    words = "word " * 1_000_000
    text = diff(f"{words}sk-secret{words}", f"{words}[SECRET_1]{words}")
    solid = "x" * 5_000_000
    text += diff(f"{solid}a{solid}", f"{solid}b{solid}")
    assert len(text) < 2_000
    assert "sk-secret" not in text
    assert time.process_time() - start < 10


def test_many_equal_words_are_no_burden() -> None:
    start = time.process_time()
    diff("a b " * 10_000 + "end", "b a " * 9_000 + "fin")
    assert time.process_time() - start < 10
