from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

from hookcore import HookManager, Replace
from hookcore.hosting import current_run, run_stream


def three_sync(run: Any) -> Iterator[str]:
    yield from ("a", "b", "c")
    run.result = "abc"


def test_sync_items_pass_as_they_come(manager: HookManager, ends: Any) -> None:
    stream = run_stream(manager, three_sync, run_id="r1")
    assert next(stream) == "a"
    assert current_run().run_id is None
    assert list(stream) == ["b", "c"]
    assert ends.runs == [("r1", "ok")]


def test_a_sync_stream_that_is_left_early_ends_its_run(manager: HookManager, ends: Any) -> None:
    with closing(run_stream(manager, three_sync, run_id="r1")) as stream:
        next(stream)
    assert ends.runs == [("r1", "cancelled")]


def test_sync_items_are_held_for_a_judge(manager: HookManager, add: Callable[..., str]) -> None:
    add("output", lambda ctx: Replace("X"))
    assert list(run_stream(manager, three_sync)) == ["X"]


def test_a_sync_iterator_is_closed(manager: HookManager) -> None:
    class Source:
        closed = False

        def __iter__(self) -> Source:
            return self

        def __next__(self) -> int:
            return 1

        def close(self) -> None:
            self.closed = True

    source = Source()
    with closing(run_stream(manager, lambda run: source)) as stream:
        next(stream)
    assert source.closed
