"""Processes that end, fork and are replaced, at a real collector."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookcore_otel.testing import Collector, unused_port

from .told import Told

MakeTold = Callable[..., Told]
NAMES = ("Otel", "hookcore telemetry")
PROGRAM = """
import multiprocessing, os, sys
from hookcore import HookManager
from hookcore_otel import Otel

def work(name):
    manager.call_tool(name, {}, lambda _: 1)

manager = HookManager()
settings = {"setup": "otlp", "shutdown_ms": int(sys.argv[1])}
manager.register(Otel, name="otel", settings=settings)
others = [HookManager() for _ in range(int(os.environ.get("OTHERS", "0")))]
for other in others:
    other.register(Otel, name="otel", settings=settings)
    other.call_tool("read", {}, lambda _: 1)
work("parent")
if len(sys.argv) > 2:
    context = multiprocessing.get_context(sys.argv[2])
    child = context.Process(target=work, args=("child",))
    child.start()
    child.join()
    assert child.exitcode == 0
    work("later")
"""


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    file = folder / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-W", "ignore", str(file), *arguments],
        env={**os.environ, "OTEL_EXPORTER_OTLP_TIMEOUT": "60", **environment},
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_end_of_a_process_sends_what_waits(collector: Collector, tmp_path: Path) -> None:
    run(tmp_path, "60000")
    assert set(collector.spans()) == {"execute_tool parent"}
    assert collector.points("gen_ai.execute_tool.duration")


@pytest.mark.parametrize("protocol", ["http/protobuf", "grpc"])
def test_the_end_of_a_process_is_bounded_and_tells_what_was_lost(
    protocol: str, tmp_path: Path
) -> None:
    endpoint = f"http://127.0.0.1:{unused_port()}"
    started = time.monotonic()
    done = run(
        tmp_path,
        "200",
        OTEL_EXPORTER_OTLP_ENDPOINT=endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL=protocol,
    )
    assert time.monotonic() - started < 50  # an exporter alone tries for 60 seconds
    assert "no OpenTelemetry collector took 1 of 1 spans and log records" in done.stderr


def test_a_collector_that_hangs_does_not_keep_a_process(
    make_collector: Callable[..., Collector], tmp_path: Path
) -> None:
    collector = make_collector(hangs=True)
    done = run(tmp_path, "200", OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
    assert "no OpenTelemetry collector took 1 of 1" in done.stderr


def test_a_killed_process_loses_what_waited_and_harms_no_other(
    collector: Collector, tmp_path: Path
) -> None:
    file = tmp_path / "killed.py"
    file.write_text(f"{PROGRAM}\nos.kill(os.getpid(), 9)\n", encoding="utf-8")
    killed = subprocess.run([sys.executable, str(file), "60000"], check=False)
    assert killed.returncode == -9
    run(tmp_path, "60000")
    assert [span.name for span in collector.all_spans()] == ["execute_tool parent"]


def test_many_plugins_of_a_process_end_in_the_time_of_one(tmp_path: Path) -> None:
    away = f"http://127.0.0.1:{unused_port()}"
    started = time.monotonic()
    done = run(tmp_path, "1000", OTEL_EXPORTER_OTLP_ENDPOINT=away, OTHERS="30")
    assert time.monotonic() - started < 30
    assert done.stderr.count("no OpenTelemetry collector took 1 of 1") == 31


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_tells_its_own_and_nothing_twice(
    collector: Collector, tmp_path: Path
) -> None:
    run(tmp_path, "60000", "fork")
    names = sorted(span.name for span in collector.all_spans())
    assert names == ["execute_tool child", "execute_tool later", "execute_tool parent"]
    instances = {each["service.instance.id"] for each in collector.resources()}
    assert len(instances) == 2


def test_a_replaced_plugin_leaves_no_threads(collector: Collector, make_told: MakeTold) -> None:
    def ours() -> set[threading.Thread]:
        return {each for each in threading.enumerate() if each.name.startswith(NAMES)}

    before = ours()
    told: Any = Told()
    started = ours() - before
    assert started
    told.call("read")
    del told
    gc.collect()
    for thread in started:
        thread.join(60)
    assert not any(thread.is_alive() for thread in started)
