"""Traffic that is recorded: a line for each dispatch, redacted, whole, bounded and private."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import hookcore.discovery
from hookcore import ConfigError, HookAborted, HookManager, hookimpl
from hookcore.discovery import discover
from hookcore.log.trafficfile import TrafficFile

from ..waiting import until
from .conftest import World

REDACTOR = """
from hookcore import hookimpl

def hidden(value):
    if isinstance(value, dict):
        return {key: hidden(item) for key, item in value.items()}
    if isinstance(value, list):
        return [hidden(item) for item in value]
    if value == "poison":
        raise ValueError("poison")
    return value.replace("hunter2", "[SECRET]") if isinstance(value, str) else value

class Plugin:
    redacts = True
    on_error = "deny"

    @hookimpl
    def post_tool_call(self, ctx):
        return hidden(ctx.payload)
"""
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "traffic.jsonl"


@pytest.fixture
def load(
    world: World, tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., HookManager]]:
    world.install("redactor", REDACTOR)
    catalog = discover(path=[str(world.site)])
    monkeypatch.setattr(hookcore.discovery, "discover", lambda: catalog)
    made: list[HookManager] = []

    def load(*, redacts: bool = True, **keys: Any) -> HookManager:
        record = {"enabled": True, "file": str(file), **keys}
        plugins = {"redactor": {"enabled": redacts}}
        made.append(HookManager.load(tmp_path, {"record": record, "plugins": plugins}))
        return made[-1]

    yield load
    for manager in made:
        manager.reload({"record": {"enabled": False}})


@pytest.fixture
def lines(file: Path) -> Callable[[HookManager], list[dict[str, Any]]]:
    """Return what ends the recording and returns its lines."""

    def lines(manager: HookManager) -> list[dict[str, Any]]:
        manager.reload({"record": {"enabled": False}, "plugins": {"redactor": {"enabled": True}}})
        return [json.loads(line) for line in file.read_text().splitlines()]

    return lines


def test_a_tool_call_is_told_by_a_line_for_each_of_its_points(load: Any, lines: Any) -> None:
    manager = load()
    arguments = {"path": "hunter2"}
    with manager.run(run_id="r1", session_id="s1"):
        result = manager.call_tool("read", arguments, lambda _: "the hunter2", call_id="c1")
    assert result == "the [SECRET]"
    told = [line for line in lines(manager) if line.get("call") == "c1"]
    before, after, finished = told
    assert [line["point"] for line in told] == ["pre_tool_call", "post_tool_call", "tool_finished"]
    assert {(line["run"], line["session"], line["tool"]) for line in told} == {("r1", "s1", "read")}
    assert before["before"] == {"path": "[SECRET]"}
    assert (after["before"], "after" in after) == ("the [SECRET]", True)
    assert [(v["plugin"], v["verdict"]) for v in after["verdicts"]] == [("redactor", "modify")]
    assert finished["status"] == "ok"


def test_lines_are_as_the_schema_says(load: Any, lines: Any) -> None:
    schema = json.loads((DOCS / "recording.schema.json").read_text())
    verdict = schema["properties"]["verdicts"]["items"]
    manager = load()
    with manager.run(agent="a", message="poison"):
        manager.call_model([{"role": "user", "content": "x"}], lambda _: "fine", model="m")
        manager.call_tool("read", {"path": "x"}, lambda _: "hunter2")
    told = lines(manager)
    assert {key for line in told for key in line} <= set(schema["properties"])
    for line in told:
        assert set(schema["required"]) <= set(line)
        assert all(set(item) == set(verdict["required"]) for item in line["verdicts"])


def test_a_denial_and_its_reason_are_recorded_redacted(load: Any, lines: Any) -> None:
    class Guard:
        @hookimpl(gate=True)
        def pre_tool_call(self, ctx: Any) -> None:
            raise HookAborted(reason="it said hunter2", source="guard")

    manager = load()
    manager.register(Guard(), "guard")
    manager.call_tool("delete", {"path": "x"}, lambda _: "gone", on_denied="return")
    denied = lines(manager)[0]
    assert (denied["outcome"], denied["source"]) == ("aborted", "guard")
    assert denied["reason"] == "it said [SECRET]"


def test_an_error_is_told_by_its_class(load: Any, lines: Any) -> None:
    def broken(_: Any) -> str:
        raise LookupError("hunter2")

    manager = load()
    with pytest.raises(LookupError):
        manager.call_tool("read", {}, broken)
    told = next(line for line in lines(manager) if line["point"] == "post_tool_call")
    assert told["error"].startswith("LookupError at ")
    assert "hunter2" not in json.dumps(told)


def test_what_cannot_be_redacted_is_withheld(load: Any, lines: Any) -> None:
    manager = load()
    manager.call_tool("read", {"path": "poison"}, lambda _: "ok")
    told = lines(manager)[0]
    assert "before" not in told
    assert told["withheld"].startswith("HookAborted")


def test_values_that_json_has_no_form_for_are_told_by_their_class(load: Any, lines: Any) -> None:
    manager = load()
    manager.call_model([object()], lambda _: "fine")
    assert lines(manager)[0]["before"] == [{"$type": "object"}]


def test_nothing_is_recorded_that_nobody_redacts(load: Any, file: Path) -> None:
    with pytest.raises(ConfigError, match=r"enable the plugin redact .* record\.raw = true"):
        load(redacts=False)
    assert not file.exists()


def test_raw_traffic_is_recorded_where_the_operator_says_so(load: Any, lines: Any) -> None:
    manager = load(redacts=False, raw=True)
    manager.call_tool("read", {"path": "hunter2"}, lambda _: "ok")
    assert lines(manager)[0]["before"] == {"path": "hunter2"}


def test_a_project_cannot_have_traffic_recorded(world: World, tmp_path: Path) -> None:
    (tmp_path / "hookcore.toml").write_text("[record]\nenabled = true\nraw = true\n")
    with pytest.raises(ConfigError, match=r"record.* counts only in the system's"):
        HookManager.load(tmp_path)


def test_a_reload_begins_and_ends_the_recording(load: Any, file: Path) -> None:
    manager = load(raw=True)
    manager.reload({"record": {"enabled": False}})
    manager.call_tool("read", {}, lambda _: "ok")
    assert not file.exists()
    manager.reload({"record": {"enabled": True, "raw": True, "file": str(file)}})
    manager.call_tool("read", {}, lambda _: "ok")
    manager.reload({"record": {"enabled": False}})
    assert len(file.read_text().splitlines()) == 3


def test_a_recording_without_its_redactor_ends(
    load: Any, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    manager = load()
    manager.reload({"record": {"enabled": True, "file": str(file)}})
    assert "traffic is not recorded any more" in caplog.text
    manager.call_tool("read", {"path": "hunter2"}, lambda _: "ok")
    assert not file.exists()


def test_threads_do_not_mix_their_payloads(load: Any, lines: Any) -> None:
    manager = load()

    def work(name: str) -> None:
        for number in range(20):
            manager.call_tool(name, {"of": f"{name}{number}"}, lambda given: given["of"])

    threads = [threading.Thread(target=work, args=(f"t{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = [line for line in lines(manager) if line["point"] == "pre_tool_call"]
    assert len(found) == 160
    assert all(line["before"]["of"].startswith(line["tool"]) for line in found)


class TestFile:
    """:class:`TrafficFile`."""

    @pytest.fixture
    def out(self, file: Path) -> Iterator[TrafficFile]:
        out = TrafficFile(file, max_bytes=1000, max_files=3)
        yield out
        out.close()

    @pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
    def test_it_is_its_owners_alone(self, out: TrafficFile, file: Path) -> None:
        out.put(lambda: "{}")
        assert out.flush(10)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600

    def test_it_and_the_older_ones_are_bounded(self, out: TrafficFile, file: Path) -> None:
        for number in range(100):
            line = json.dumps({"n": number, "x": "x" * 80})
            out.put(line.__str__)
            assert out.flush(10)
        names = sorted(path.name for path in file.parent.glob("traffic.jsonl*") if path.is_file())
        kept = [name for name in names if not name.endswith(".lock")]
        assert kept == ["traffic.jsonl", "traffic.jsonl.1", "traffic.jsonl.2"]
        assert all((file.parent / name).stat().st_size <= 1000 for name in kept)
        assert json.loads(file.read_text().splitlines()[-1])["n"] == 99

    def test_a_line_that_was_cut_is_ended_and_spoils_no_other(
        self, out: TrafficFile, file: Path
    ) -> None:
        file.write_text('{"cut')
        out.put(lambda: '{"whole": 1}')
        assert out.flush(10)
        assert file.read_text() == '{"cut\n{"whole": 1}\n'

    @pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="this system follows links")
    def test_a_link_in_its_place_is_not_followed(
        self, out: TrafficFile, file: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        victim = file.with_name("victim")
        victim.write_text("")
        file.symlink_to(victim)
        out.put(lambda: "{}")
        until(lambda: "traffic cannot be recorded" in caplog.text)
        file.unlink()
        assert out.flush(10)
        assert victim.read_text() == ""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_program_that_is_killed_leaves_whole_lines_but_for_the_last(
    tmp_path: Path, file: Path
) -> None:
    program = textwrap.dedent(f"""
        from hookcore import HookManager
        manager = HookManager.load(
            {str(tmp_path)!r},
            {{"record": {{"enabled": True, "raw": True, "file": {str(file)!r}}}}},
        )
        while True:
            manager.call_tool("read", {{"path": "x" * 200}}, lambda given: "y" * 200)
    """)
    process = subprocess.Popen([sys.executable, "-c", program])
    try:
        until(lambda: file.exists() and file.stat().st_size > 100_000)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    # A kill may meet a write in its middle.
    *whole, _ = file.read_text().split("\n")
    assert whole
    assert all(json.loads(line)["hookcore_record"] == 1 for line in whole)
