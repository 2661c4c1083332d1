"""Killed processes, full disks, read-only homes, two at once, and files that are no configuration."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookcore.config.files import read_table
from hookcore.trust.lockfile import read_lock

KILLING = Path(__file__).with_name("killing.py")
ON = "[plugins.guard]\nenabled = true\n"
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@posix
@pytest.mark.parametrize("kind", ["files", "log"])
def test_two_hundred_killed_writers_leave_nothing_half_written(machine: Any, kind: str) -> None:
    folder = machine.root / "written"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, str(KILLING), kind, str(folder), "200"],
        env=machine.environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "200"), done.stderr


def run_with_little_space(machine: Any, bytes_allowed: int, program: str) -> str:
    """Run a program in which no file may grow beyond some bytes, as on a full disk."""
    limited = f"""
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def full():
    resource.setrlimit(resource.RLIMIT_FSIZE, ({bytes_allowed}, {bytes_allowed}))
"""
    done = subprocess.run(
        [sys.executable, "-c", limited + textwrap.dedent(program)],
        env=machine.environment(),
        cwd=machine.project.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@posix
def test_a_full_disk_leaves_configuration_and_lock_as_they_were(machine: Any) -> None:
    machine.project.write_text(ON)
    told = run_with_little_space(
        machine,
        30,
        """
        from pathlib import Path
        from hookcore.config import set_plugin
        from hookcore.errors import HookcoreError
        from hookcore.trust.lockfile import LockEntry, change_lock
        from hookcore.trust.projects import trust
        config, lock = Path("hookcore.toml"), Path("hookcore.lock")
        change_lock(lock, lambda old: {"guard": LockEntry("a", "1")})
        before = config.read_bytes(), lock.read_bytes()
        full()
        for change in (
            lambda: set_plugin(config, "guard", {"priority": 1234567890}),
            lambda: change_lock(lock, lambda old: {**old, "other": LockEntry("b", "2")}),
            lambda: trust(config, {}, lock),
        ):
            try:
                change()
            except HookcoreError as error:
                print("cannot be written" in str(error))
        print((config.read_bytes(), lock.read_bytes()) == before)
        print(sorted(path.name for path in Path().iterdir()))
        """,
    )
    assert told.splitlines() == ["True"] * 4 + ["['hookcore.lock', 'hookcore.toml']"]


@posix
def test_a_full_disk_drops_decisions_and_fails_no_dispatch(machine: Any) -> None:
    machine.user.write_text("[log]\nenabled = true\n")
    told = run_with_little_space(
        machine,
        40_000,
        """
        import logging
        from hookcore import HookManager, ToolCallContext, hookimpl
        from hookcore.log import writer as writers
        from hookcore.log.writer import writer_of
        logging.disable()
        writers._EXIT_SECONDS = 0.1
        class Watch:
            @hookimpl
            def pre_tool_call(self, ctx): ...
        manager = HookManager.load()
        manager.register(Watch())
        full()
        def work(times):
            for _ in range(times):
                manager.dispatch("pre_tool_call", ToolCallContext(tool_name="t", payload={}))
        writer = writer_of(manager)
        work(30_000)
        print(writer.flush(0.5), 0 < writer.dropped < 30_000)
        """,
    )
    assert told == "False True\n"


@posix
def test_two_processes_that_enable_at_once_lose_neither_change(machine: Any) -> None:
    names = [f"p{number}" for number in range(6)]
    for name in names:
        machine.install(name)
    machine.user.write_text("[trust]\nproject = 'trusted'\n")
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "hookctl", "enable", name],
            env=machine.environment(),
            cwd=machine.project.parent,
            stdout=subprocess.DEVNULL,
        )
        for name in names
    ]
    assert [process.wait(60) for process in running] == [0] * 6
    table = read_table(machine.project)
    assert table is not None
    assert sorted(table["plugins"]) == names
    assert sorted(read_lock(machine.project.with_name("hookcore.lock"))) == names
    assert [info.name for info in machine.load().plugins()] == names


@pytest.fixture(params=["a file is in the way", "no permission"])
def homeless(machine: Any, monkeypatch: pytest.MonkeyPatch, request: Any) -> Any:
    """A machine whose user can write neither configuration nor state."""
    machine.install("guard")
    blocker = machine.root / "read-only"
    if request.param == "no permission":
        blocker.mkdir(mode=0o500)
        if os.access(blocker, os.W_OK):
            pytest.skip("this user may write everywhere")
    else:
        blocker.write_text("")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(blocker))
    monkeypatch.setenv("XDG_STATE_HOME", str(blocker))
    from hookcore.config import files

    monkeypatch.setattr(files, "user_file", lambda: blocker / "hookcore" / "hookcore.toml")
    return machine


def test_a_read_only_home_is_told_when_one_writes_there(homeless: Any) -> None:
    result = homeless.hookctl("enable", "guard", "--user")
    assert result.code == 3
    assert "cannot be written" in result.err


def test_a_read_only_home_does_not_keep_one_from_configuring_a_project(homeless: Any) -> None:
    assert homeless.hookctl("enable", "guard").code == 0
    assert [info.name for info in homeless.load().plugins()] == ["guard"]
    assert homeless.hookctl("disable", "guard").code == 0


def test_a_read_only_home_cannot_trust_and_says_so(homeless: Any) -> None:
    homeless.system.write_text("[trust]\nproject = 'trusted'\n")
    result = homeless.hookctl("enable", "guard")
    assert result.code == 3
    assert "does not count" in result.err
    assert homeless.hookctl("trust").code == 3


@pytest.mark.parametrize("command", [("list",), ("log",), ("doctor",), ("config", "show")])
def test_a_read_only_home_keeps_nobody_from_looking(homeless: Any, command: Any) -> None:
    assert homeless.hookctl(*command).code == 0


MEGABYTE = 1 << 20
JUNK: dict[str, Callable[[Path], object]] = {
    "duplicate keys": lambda file: file.write_text(
        "[plugins.guard]\nenabled = true\nenabled = 1\n"
    ),
    "duplicate tables": lambda file: file.write_text(ON + ON),
    "zeros": lambda file: file.write_bytes(b"\0" * MEGABYTE),
    "brackets": lambda file: file.write_bytes(b"[" * MEGABYTE),
    "deep arrays": lambda file: file.write_bytes(b"a = " + b"[" * MEGABYTE),
    "one long word": lambda file: file.write_bytes(b"x" * MEGABYTE),
    "bytes of all kinds": lambda file: file.write_bytes(bytes(range(256)) * 4096),
    "many unknown keys": lambda file: file.write_text(
        "".join(f"key{number} = 1\n" for number in range(70_000))
    ),
    "ten megabytes": lambda file: file.write_bytes(b"#" * (10 * MEGABYTE)),
    "utf-16": lambda file: file.write_text(ON, encoding="utf-16"),
    "a loop of links": lambda file: file.symlink_to(file),
    "a broken link": lambda file: file.symlink_to(file.with_name("nowhere")),
    "a folder": lambda file: file.mkdir(),
    "an endless device": lambda file: file.symlink_to("/dev/zero"),
}
if hasattr(os, "mkfifo"):
    JUNK["a pipe"] = os.mkfifo


@pytest.mark.parametrize("make", JUNK.values(), ids=JUNK)
@pytest.mark.parametrize("layer", ["system", "user", "project"])
def test_what_is_no_configuration_is_exit_code_3_that_names_it(
    machine: Any, layer: str, make: Callable[[Path], object]
) -> None:
    machine.install("guard")
    file = getattr(machine, layer)
    make(file)
    started = time.process_time()
    for command in (("enable", "guard"), ("doctor",), ("config", "show")):
        result = machine.hookctl(*command)
        assert result.code == 3
        assert str(file) in result.err + result.out
    assert time.process_time() - started < 30


@pytest.mark.parametrize("text", ["\ufeff" + ON, ON.replace("\n", "\r\n")], ids=["BOM", "CRLF"])
def test_a_byte_order_mark_and_windows_line_ends_are_fine(machine: Any, text: str) -> None:
    machine.install("guard")
    machine.project.write_bytes(text.encode())
    assert [info.name for info in machine.load().plugins()] == ["guard"]
    assert machine.hookctl("disable", "guard").code == 0
    expected = text.replace("true", "false").encode()
    assert machine.project.read_bytes() == expected
