"""The parts of a replay that an engine of one's own is made of."""

from __future__ import annotations

import json
import logging
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from hookcore.config import Config, PluginConfig
from hookcore.testing import as_new_process
from hookctl.replay import (
    Configuration,
    Ledger,
    Partial,
    Partition,
    configured,
    merge,
    plan,
    replay_partition,
)

from ..killing import run, without_times

WriteLines = Callable[..., Path]


@pytest.fixture
def configuration(folder: Path) -> Any:
    """The policy that forbids deletions, in this process."""
    with as_new_process(folder.parent / "site"):
        yield Configuration(Config(plugins=MappingProxyType({"demo": PluginConfig(enabled=True)})))


def report(partials: list[Partial]) -> Any:
    with merge(partials) as ledger:
        found = {"summary": ledger.summary(), "findings": list(ledger.findings())}
    return without_times(found)


def test_partitions_replayed_one_by_one_come_to_one_report(
    configuration: Configuration, write_lines: WriteLines
) -> None:
    path = write_lines(*[run("delete", "again")] * 3)
    parts = plan([str(path)], size=1)
    found = report([replay_partition(part, configuration) for part in parts])
    assert [one["run"] for one in found["findings"]] == ["again", "again#2", "again#3"]
    assert found["summary"]["aborted"] == len(parts) == 3


def test_all_of_it_can_be_pickled(configuration: Configuration, write_lines: WriteLines) -> None:
    part, *_ = plan([str(write_lines(run("delete", "a")))])
    there = pickle.loads(pickle.dumps((part, configuration)))
    assert there == (part, configuration)
    partial = replay_partition(*there).read()
    assert report([pickle.loads(pickle.dumps(partial))])["summary"]["aborted"] == 1


def test_each_thread_has_a_manager_of_its_own(
    configuration: Configuration, write_lines: WriteLines
) -> None:
    path = write_lines(*[run(tool, tool) for tool in ["delete", "read"] * 60])
    parts = plan([str(path)], size=500)
    alone = report([replay_partition(part, configuration) for part in parts])
    before = sys.stdout, logging.getLogger("hookcore").level
    with ThreadPoolExecutor(4) as pool:
        found = [pool.submit(replay_partition, part, configuration) for part in parts]
        together = report([future.result() for future in found])
    assert together == alone
    assert (sys.stdout, logging.getLogger("hookcore").level) == before


def test_a_partition_goes_through_json(write_lines: WriteLines) -> None:
    parts = plan([str(write_lines(*[run("read", "a")] * 3))], size=1, pinned=True)
    data = json.loads(json.dumps([part.to_data() for part in parts]))
    assert [Partition.from_data(one) for one in data] == parts


def test_a_pinned_input_that_changed_is_not_replayed(
    configuration: Configuration, write_lines: WriteLines
) -> None:
    path = write_lines(run("delete", "a"))
    part, *_ = plan([str(path)], pinned=True)
    path.write_text("{}\n", encoding="utf-8")
    with pytest.raises(OSError, match="has changed since it was planned"):
        replay_partition(part, configuration)


def test_nobody_writes_to_the_log_of_decisions(
    configuration: Configuration, write_lines: WriteLines, bare_machine: Path
) -> None:
    from hookcore.config import LogConfig

    config = Config(plugins=configuration.config.plugins, log=LogConfig(enabled=True))
    part, *_ = plan([str(write_lines(run("delete", "a")))])
    replay_partition(part, Configuration(config))
    assert not list(bare_machine.rglob("*.sqlite*"))


def test_numbers_of_a_ledger_add_up(ledger: Ledger) -> None:
    ledger.runs, ledger.malformed = 2, 1
    ledger.stats("demo").times.add(1.5)
    total = merge([Partial(ledger.numbers(), []), Partial(ledger.numbers(), [])])
    assert (total.runs, total.malformed, total.stats("demo").times.count) == (4, 2, 2)
    total.close()


def test_the_configuration_of_a_folder_is_read_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, bare_machine: Path
) -> None:
    monkeypatch.chdir(folder)
    with as_new_process(folder.parent / "site"):
        found = configured(monitor=True)
    assert found.config.plugins["demo"].mode == "monitor"
    assert Configuration.from_json(found.to_json()) == found
