"""A replay by the workers of a Ray cluster, as one process would have done it."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from ..conftest import install_policy
from ..killing import Hookctl, finished, without_times, write
from .conftest import REASON, until

pytest.importorskip("ray", reason=REASON)


@dataclass(frozen=True)
class Cluster:
    """A node of Ray with two worker processes, which know nothing of the driver's folder."""

    folder: Path
    url: str


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    install_policy(folder / "site")
    # What lies there must not count.
    (folder / "hookcore.toml").write_text("[hooks]\nenabled = false\n", "utf-8")
    # The names of its sockets must be short.
    home = tempfile.mkdtemp(prefix="ray-")
    with pytest.MonkeyPatch.context() as patch:
        # It listens on all interfaces, whatever it is told.
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
        gcs, port = free_ports(2)
        command = [
            *(sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block"),
            *(f"--port={gcs}", f"--ray-client-server-port={port}", "--num-cpus=2"),
            *("--include-dashboard=false", "--disable-usage-stats", f"--temp-dir={home}"),
            f"--object-store-memory={80 << 20}",
        ]
        paths = [str(folder / "site"), *filter(None, sys.path)]
        environ = {"HOME": str(folder), "HOOKCORE_NO_PLUGINS": "1"}
        environ["PYTHONPATH"] = os.pathsep.join(paths)
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                command, cwd=folder, env={**os.environ, **environ}, stdout=log, stderr=log
            )
        try:
            until(lambda: answers(port))
            yield Cluster(folder, f"ray://127.0.0.1:{port}")
        finally:
            process.terminate()
            process.wait()
            kill_processes_of(home)
            shutil.rmtree(home, ignore_errors=True)


def free_ports(count: int) -> list[int]:
    """Return ports that nobody listens at, below those that Ray gives to its own workers."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def kill_processes_of(home: str) -> None:
    """Kill what the node has left, which has its folder among its arguments."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if home.encode() in path.read_bytes():
                os.kill(int(path.parent.name), signal.SIGKILL)


def test_a_worker_that_dies_costs_nothing_and_a_part_that_kills_each_is_named(
    hookctl: Hookctl, folder: Path, cluster: Cluster
) -> None:
    files = write(folder, "delete", "read", "sleep", "delete", "read", "die")
    on = ("--on", cluster.url, "--out", "out")
    process = hookctl("replay", *files, *on, "--json")
    asleep = cluster.folder / "asleep"
    os.kill(int(until(lambda: asleep.exists() and asleep.read_text("utf-8"))), signal.SIGKILL)
    code, report, stderr = finished(process)
    assert (code, stderr.count("1 nodes with 2 cores")) == (2, 1)
    assert report["summary"]["unreadable"] == [
        {"where": "5.jsonl", "reason": "the workers that replayed it died, again and again"}
    ]
    (folder / "asleep").write_text("awake", encoding="utf-8")
    _, alone, _ = finished(hookctl("replay", *files[:-1], "--json"))
    assert without_times(report)["findings"] == without_times(alone)["findings"]
    assert len(list((folder / "out" / "done").iterdir())) == 5


def test_a_worker_with_other_code_judges_nothing(
    hookctl: Hookctl, folder: Path, cluster: Cluster
) -> None:
    with (folder.parent / "site" / "killing_policy.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    process = hookctl("replay", *write(folder, "delete"), "--on", cluster.url, "--out", "out")
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "plugin demo is killing-policy 1.0 (sha256:" in stderr
    assert not (folder / "out" / "done").exists()
