from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookcore import HookManager, hookimpl
from hookctl.replay.engine import Engine
from hookctl.replay.findings import Ledger, merge
from hookctl.replay.formats.source import Names
from hookctl.replay.inputs import Inputs
from hookctl.replay.partitions import Partition, plan, suiting, whole
from hookctl.replay.worker import replay_with

WriteLines = Callable[..., Path]


class Clean:
    @hookimpl
    def post_tool_call(self, ctx: Any) -> str | None:
        return "cleaned" if ctx.payload == "dirty" else None


def run(content: str, **more: object) -> dict[str, object]:
    call = {"id": "1", "function": {"name": "read", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": content},
    ]
    return {"messages": messages, **more}


@pytest.fixture
def manager() -> Iterator[HookManager]:
    manager = HookManager()
    manager.register(Clean(), "clean")
    yield manager
    manager.close()


def at_once(manager: HookManager, files: list[Path]) -> tuple[dict[str, object], list[Any]]:
    with Ledger() as ledger:
        engine, inputs = Engine(manager, ledger), Inputs(ledger)
        with engine.listening():
            for path in files:
                for one in inputs.runs(str(path)):
                    engine.replay(one)
        return without_times(ledger), list(ledger.findings())


def in_parts(
    manager: HookManager, files: list[Path], size: int
) -> tuple[dict[str, object], list[Any]]:
    parts = plan([str(path) for path in files], size=size)
    with merge(replay_with(manager, part) for part in parts) as ledger:
        return without_times(ledger), list(ledger.findings())


def without_times(ledger: Ledger) -> dict[str, object]:
    summary = ledger.summary()
    plugins: Any = summary["plugins"]
    for stats in plugins.values():
        for key in [key for key in stats if key.endswith("_ms")]:
            del stats[key]
    return summary


LINES = st.lists(
    st.one_of(
        st.builds(
            run,
            st.sampled_from(["dirty", "clean", "\u2028 dirty"]),
            id=st.sampled_from(["a", "b", "a#2", "", None]),
        ),
        st.sampled_from(["", "   ", "{", "[", "not json", "{}", "[]", "null", '{"messages": [1]}']),
    ),
    max_size=12,
)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=settings().max_examples // 2,
)
@given(lines=LINES, size=st.integers(min_value=1, max_value=2000))
def test_parts_that_are_put_together_tell_what_the_whole_tells(
    lines: list[Any], size: int, manager: HookManager, write_lines: WriteLines
) -> None:
    files = [write_lines(*lines, name="one.jsonl"), write_lines(run("dirty"), *lines)]
    assert in_parts(manager, files, size) == at_once(manager, files)


def test_lines_that_hold_a_run_each_are_cut_where_a_line_ends(write_lines: WriteLines) -> None:
    path = write_lines(*[run("clean")] * 5)
    length = len(json.dumps(run("clean"))) + 1
    parts = plan([str(path)], size=length + 1)
    assert [(one.start, one.length, one.line) for one in parts] == [
        (0, 2 * length, 1),
        (2 * length, 2 * length, 3),
        (4 * length, length - 1, 5),
    ]


@pytest.mark.parametrize("folder", ["claude_code_sessions", "swe_agent"])
def test_what_belongs_together_is_not_cut(data: Path, folder: str) -> None:
    files = [str(path) for path in sorted((data / folder).iterdir())]
    assert [(one.path, one.start, one.length) for one in plan(files, size=1)] == [
        (file, 0, None) for file in files
    ]


def test_an_input_that_cannot_be_opened_is_left_to_whoever_reads_it(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    assert plan([gone]) == [Partition(gone, gone)]


def test_parts_suit_what_there_is_and_who_does_it(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(64 << 20)
    assert suiting([whole(str(path))], 2) == 4 << 20
    assert suiting([whole(str(path))] * 100, 2) == 8 << 20
    assert suiting([], 2) == 256 << 10


def test_a_part_of_a_session_keeps_its_parents_name_where_that_is_another() -> None:
    names = Names()
    names.unique("s")
    asked: list[tuple[str | None, str]] = [(None, "s"), ("s", "helper")]
    assert names.renamed(asked) == {"s": "s#2", "s/helper": "s#2/helper"}
