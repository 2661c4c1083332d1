"""Parquet files: a run in each row, whatever the columns hold."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, hookimpl
from hookctl.replay import Ledger, Partition, merge, plan
from hookctl.replay.columns import read_rows
from hookctl.replay.places import StoreError
from hookctl.replay.worker import replay_with

from ..killing import run
from .conftest import REASON

pa = pytest.importorskip("pyarrow", reason=REASON)
pq = pytest.importorskip("pyarrow.parquet", reason=REASON)

RUNS: list[Any] = [
    run(tool, f"{tool} {number}") for number in range(20) for tool in ("delete", "read")
]


class Policy:
    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: Any) -> None:
        if ctx.tool_name == "delete":
            raise HookAborted("no deletes")


@pytest.fixture
def manager() -> Iterator[HookManager]:
    manager = HookManager()
    manager.register(Policy(), "demo")
    yield manager
    manager.close()


def replayed(manager: HookManager, path: Path, size: int = 1 << 20) -> Ledger:
    return merge(replay_with(manager, part) for part in plan([str(path)], size=size))


def found(ledger: Ledger) -> list[Any]:
    with ledger:
        return [(one["run"], one["tool"], one["verdict"]) for one in ledger.findings()]


@pytest.fixture
def expected(manager: HookManager, tmp_path: Path) -> list[Any]:
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, RUNS)), encoding="utf-8")
    return found(replayed(manager, path))


def as_text() -> Any:
    return pa.Table.from_pylist(
        [{"id": one["id"], "messages": json.dumps(one["messages"])} for one in RUNS]
    )


def as_structs() -> Any:
    return pa.Table.from_pylist(RUNS)


@pytest.mark.parametrize("table", [as_text, as_structs])
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_rows_are_replayed_like_lines(
    table: Any, size: int, manager: HookManager, tmp_path: Path, expected: list[Any]
) -> None:
    path = tmp_path / "runs.parquet"
    pq.write_table(table(), path, row_group_size=7)
    with replayed(manager, path, size) as ledger:
        assert ledger.runs == len(RUNS)
        wheres = [str(one["where"]) for one in ledger.findings()]
    assert wheres[:2] == [f"{path}:1 messages[1]", f"{path}:3 messages[1]"]
    assert found(replayed(manager, path, size)) == expected
    assert len(plan([str(path)], size=size)) == (6 if size == 1 else 1)


def test_a_cell_that_is_no_json_is_malformed(manager: HookManager, tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    rows = [{"id": "a", "messages": "[{"}, {"id": "b", "messages": json.dumps(RUNS[0]["messages"])}]
    pq.write_table(pa.Table.from_pylist(rows), path)
    with replayed(manager, path) as ledger:
        assert (ledger.runs, ledger.malformed) == (1, 1)
        assert ledger.malformed_lines[0]["where"] == f"{path}:1"


@pytest.mark.parametrize("cut", [10, 200])
def test_a_file_that_is_cut_is_told(cut: int, manager: HookManager, tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    pq.write_table(as_text(), path)
    path.write_bytes(path.read_bytes()[:-cut])
    with replayed(manager, path) as ledger:
        assert (ledger.runs, len(ledger.unreadable)) == (0, 1)
    assert "cut off or damaged" in ledger.unreadable[0]["reason"]


def test_a_damaged_page_is_told_and_nothing_of_the_file_counts(
    manager: HookManager, tmp_path: Path
) -> None:
    path = tmp_path / "runs.parquet"
    pq.write_table(as_text(), path, compression="gzip", row_group_size=100)
    data = bytearray(path.read_bytes())
    data[60:100] = bytes(40)
    path.write_bytes(bytes(data))
    with replayed(manager, path) as ledger:
        assert (ledger.runs, len(ledger.unreadable)) == (0, 1)


def test_a_store_that_fails_is_not_taken_for_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    pq.write_table(as_text(), path, row_group_size=7)
    data = path.read_bytes()

    class Failing(io.BytesIO):
        reads = 0

        def read(self, size: int | None = -1) -> bytes:
            self.reads += 1
            if self.reads > 4:
                raise StoreError("the store failed")
            return super().read(size)

    with pytest.raises(StoreError):
        list(read_rows(Failing(data), Partition("x", "x")))
