"""The logger where it works: in a manager, told of tool calls."""

from __future__ import annotations

import json
import logging
import re
import stat
import sys
import threading
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hookcore import HookDispatchedEvent, HookManager, ToolCallContext, hookimpl
from hookcore_command_logger import CommandLogger, CommandLoggerSettings

SECRET = "hunter2-hunter2"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "commands.jsonl"


class Host:
    """A manager with the logger, and what was written so far."""

    def __init__(self, **settings: Any) -> None:
        self.plugin = CommandLogger(CommandLoggerSettings(**settings))
        self.manager = HookManager()
        self.manager.register(self.plugin, name="command-logger")
        self.file: Path | None = settings.get("file")

    def call(self, name: str = "shell", result: Any = "done", **fields: Any) -> None:
        self.manager.call_tool(name, {"password": SECRET}, lambda _: result, **fields)

    def lines(self) -> list[dict[str, Any]]:
        assert self.file is not None
        return [json.loads(line) for line in self.file.read_text("utf-8").splitlines()]


@pytest.fixture
def host(file: Path) -> Iterator[Host]:
    made = Host(file=file)
    yield made
    made.plugin.close()


def test_a_call_becomes_one_line_with_all_that_is_known_of_it(host: Host) -> None:
    host.call(session_id="s1", agent=SimpleNamespace(role="researcher"), run_id="r1", call_id="c1")
    (line,) = host.lines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line.pop("time"))
    assert 0 <= line.pop("duration_ms") < 60_000
    assert line == {
        "tool": "shell",
        "status": "ok",
        "success": True,
        "session_id": "s1",
        "agent": "researcher",
        "run_id": "r1",
        "call_id": "c1",
        "error": None,
    }


def test_a_failed_call_is_told_with_the_error_s_class_and_not_its_text(host: Host) -> None:
    def tool(_: Any) -> None:
        raise KeyError(SECRET)

    with pytest.raises(KeyError):
        host.manager.call_tool("shell", {}, tool)
    (line,) = host.lines()
    assert (line["status"], line["success"], line["error"]) == ("error", False, "KeyError")
    assert SECRET not in json.dumps(line)


def test_a_denied_call_is_told_and_has_no_duration(host: Host) -> None:
    class Closed:
        @hookimpl
        def pre_tool_call(self, ctx: ToolCallContext) -> bool:
            return False

    host.manager.register(Closed())
    host.call(on_denied="return")
    (line,) = host.lines()
    assert (line["status"], line["success"], line["duration_ms"]) == ("denied", False, None)


def test_neither_arguments_nor_results_are_written(host: Host) -> None:
    host.call(result=SECRET)
    assert SECRET not in json.dumps(host.lines())


def test_a_dry_run_leaves_no_line_and_no_file(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    other = Host()
    for one in (host, other):
        one.manager.dispatch(
            "tool_finished", ToolCallContext(tool_name="t", status="ok", dry_run=True)
        )
    assert host.file is not None
    assert not host.file.exists()
    assert caplog.records == []


def test_a_name_that_a_model_made_long_is_cut(host: Host) -> None:
    host.call("x" * 100_000)
    assert len(host.lines()[0]["tool"]) == 256


def test_a_name_with_line_breaks_stays_on_one_line(host: Host) -> None:
    host.call("a\nb\u2028c\ud800")
    assert host.lines()[0]["tool"] == "a\nb\u2028c\ud800"


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        (None, None),
        ("writer", "writer"),
        (SimpleNamespace(name="writer"), "writer"),
        (object(), "object"),
    ],
)
def test_an_agent_is_told_by_role_or_name_or_class(
    host: Host, agent: Any, told: str | None
) -> None:
    host.call(agent=agent)
    assert host.lines()[0]["agent"] == told


def test_the_file_is_rotated_and_the_oldest_lines_go(file: Path) -> None:
    host = Host(file=file, max_bytes=4096, backups=2)
    for number in range(100):
        host.call(call_id=str(number))
    host.plugin.close()
    kept = sorted(file.parent.iterdir())
    assert [path.name for path in kept] == [file.name, f"{file.name}.1", f"{file.name}.2"]
    assert all(path.stat().st_size <= 4096 for path in kept)
    numbers = [
        int(json.loads(line)["call_id"])
        for path in (kept[2], kept[1], kept[0])
        for line in path.read_text("utf-8").splitlines()
    ]
    assert numbers == list(range(numbers[0], 100))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_owner_can_read_the_files(file: Path) -> None:
    host = Host(file=file, max_bytes=4096, backups=1)
    for _ in range(40):
        host.call()
    host.plugin.close()
    assert {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()} == {0o600}


def test_a_file_from_before_is_continued(file: Path) -> None:
    for number in range(2):
        host = Host(file=file)
        host.call(call_id=str(number))
        host.plugin.close()
    assert [line["call_id"] for line in host.lines()] == ["0", "1"]


def test_lines_of_many_threads_do_not_mix(host: Host) -> None:
    def work(name: str) -> None:
        for number in range(50):
            host.call(name, call_id=str(number))

    threads = [threading.Thread(target=work, args=(f"tool{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = {(line["tool"], line["call_id"]) for line in host.lines()}
    assert len(told) == len(host.lines()) == 400


def test_nothing_is_kept_in_memory(host: Host) -> None:
    import tracemalloc

    host.call()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(2000):
            host.call(session_id="s" * 100)
        assert tracemalloc.get_traced_memory()[0] - before < 100_000
    finally:
        tracemalloc.stop()


def test_a_line_that_cannot_be_written_is_a_recorded_failure_and_the_call_stands(
    file: Path,
) -> None:
    host, events = Host(file=file, max_bytes=4096, backups=1), list[HookDispatchedEvent]()
    file.with_name("commands.jsonl.1").mkdir()  # stands where the file is to be rotated to
    host.manager.subscribe(events.append)
    for _ in range(40):
        host.call()
    host.plugin.close()
    assert events[0].error_count == 0
    assert (events[-1].error_count, events[-1].records[0].verdict) == (1, "error")


def test_without_a_file_the_line_goes_to_standard_logging(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    ctx = ToolCallContext(tool_name="shell", status="ok", duration_ms=42.3, session_id="s 1")
    Host().manager.dispatch("tool_finished", ctx)
    (record,) = caplog.records
    assert record.name == "hookcore.commands"
    assert record.getMessage() == 'shell (42ms) success=true status=ok session="s 1"'


def test_a_standard_logger_gets_the_fields_too(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING", logger="my.tools")
    Host(logger="my.tools", level="WARNING").call(call_id="c1")
    (record,) = caplog.records
    entry: Any = record.__dict__["command"]
    assert (record.name, record.levelno, entry.call_id) == ("my.tools", logging.WARNING, "c1")


def test_a_model_cannot_forge_a_line_of_the_standard_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    Host().call("x (1ms) success=true\nshell")
    (record,) = caplog.records
    assert record.getMessage().startswith('"x (1ms) success=true\\nshell" (')


def test_the_distribution_offers_the_plugin_as_an_entry_point() -> None:
    (entry,) = entry_points(group="hookcore.plugins", name="command-logger")
    assert entry.load() is CommandLogger
