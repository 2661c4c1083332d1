"""Payloads as they were recorded: hooks are shown copies, and what comes again is the same object."""

from __future__ import annotations

from typing import Any

from hookcore import ModelCallContext
from hookctl.replay.keeping import Changed, Keeper, Shown
from hookctl.replay.verdicts import Judgement

CTX = ModelCallContext(messages=[])


def message(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text, "parts": [text]}


def test_a_message_is_copied_once_however_often_it_is_shown() -> None:
    shown, history = Shown(), [message("a")]
    (first,) = shown.of(history)
    history.append(message("b"))
    again = shown.of(history)
    assert again == history
    assert again[0] is first
    assert first is not history[0]


def test_a_copy_that_a_hook_has_edited_is_not_shown_again() -> None:
    shown, history = Shown(), [message("a")]
    first: Any = shown.of(history)[0]
    first["parts"].append("edited")
    assert shown.of(history) == [message("a")]


def test_a_list_that_a_hook_has_edited_is_not_the_one_that_is_shown_next() -> None:
    shown, history = Shown(), [message("a")]
    shown.of(history).clear()
    assert shown.of(history) == [message("a")]


def test_a_payload_that_is_still_what_was_recorded_is_not_copied() -> None:
    keeper, recorded = Keeper(), [message("a")]
    keeper.show(CTX, recorded)
    assert keeper.before(CTX) is recorded
    assert keeper.after([message("a")], recorded) is recorded


def test_what_a_plugin_dispatches_itself_was_not_recorded() -> None:
    keeper, other = Keeper(), ModelCallContext(messages=[message("b")])
    keeper.show(CTX, [message("a")])
    kept = keeper.before(other)
    assert (kept, kept is other.payload) == ([message("b")], False)


def test_of_a_list_only_the_messages_that_changed_are_copied_and_only_once() -> None:
    before = [message("a"), message("b")]
    keeper = Keeper()
    left = [message("a"), message("c")]
    kept: Any = keeper.after(left, before)
    assert (kept, kept[0] is before[0], kept[1] is left[1]) == (left, True, False)
    again: Any = keeper.after([message("a"), message("c")], before)
    assert again[1] is kept[1]


def test_what_a_hook_edits_later_is_not_in_what_was_kept() -> None:
    keeper = Keeper()
    left: dict[str, Any] = {"parts": ["b"]}
    kept = keeper.after(left, {"parts": ["a"]})
    left["parts"].append("c")
    assert kept == {"parts": ["b"]}


def test_nothing_of_a_run_is_kept_for_the_next_one() -> None:
    keeper, recorded = Keeper(), [message("a")]
    keeper.show(CTX, recorded)
    first: Any = keeper.after([message("b")], recorded)
    keeper.forget()
    second: Any = keeper.after([message("b")], recorded)
    assert keeper.before(CTX) is not recorded
    assert second[0] is not first[0]


def judged(plugin: str, before: Any, after: Any) -> Judgement:
    return Judgement(plugin, "modify", "applied", None, stops=False, before=before, after=after)


def test_a_change_of_a_message_that_comes_again_is_the_same_object() -> None:
    changed = Changed()
    before, after = [message("a"), message("b")], [message("a"), message("c")]
    first = changed.by(judged("p", before, after))
    assert [change.path for change in first] == [(1, "content"), (1, "parts", 0)]
    again = changed.by(judged("p", [*before], [*after]))
    assert all(one is other for one, other in zip(first, again, strict=True))
    other = changed.by(judged("q", before, [message("a"), message("d")]))
    assert [change.after for change in other] == ["d", "d"]


def test_a_message_that_changed_in_another_way_is_compared_anew() -> None:
    changed = Changed()
    before = [message("a")]
    changed.by(judged("p", before, [message("b")]))
    assert [one.after for one in changed.by(judged("p", before, [message("c")]))] == ["c", "c"]
