"""Stores and clusters: an S3 of moto's, a Dask cluster of two worker processes.

They are installed in an environment of their own, which ``.ci/lake`` makes.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

REASON = "it is not installed: run .ci/lake"


def until(answers: Callable[[], Any]) -> Any:
    end = time.monotonic() + 60
    while not (found := answers()):
        assert time.monotonic() < end, "nothing happened for a minute"
        time.sleep(0.02)
    return found


class Started:
    """Processes that end with the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []

    def __call__(self, name: str, *command: str, cwd: Path, **environ: str) -> Path:
        log = self.folder / f"{name}.log"
        with log.open("wb") as file:
            process = subprocess.Popen(
                [sys.executable, *command],
                cwd=cwd,
                env={**os.environ, **environ},
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.processes.append(process)
        return log

    def end(self) -> None:
        for process in self.processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    started = Started(tmp_path)
    yield started
    started.end()


@pytest.fixture
def bucket(started: Started, monkeypatch: pytest.MonkeyPatch, folder: Path) -> str:
    """An empty bucket of a fake S3; processes that are started later find it."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    log = started("moto", "-m", "moto.server", "-H", "127.0.0.1", "-p", "0", cwd=folder)
    port = until(lambda: re.search(r"http://127.0.0.1:(\d+)", log.read_text("utf-8")))[1]
    url = f"http://127.0.0.1:{port}"
    monkeypatch.setenv("AWS_ENDPOINT_URL", url)
    client().create_bucket(Bucket="lake")
    return "s3://lake"


def client() -> Any:
    """Return a client of the fake S3, beside the one that is tested."""
    import boto3

    return boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"])


@pytest.fixture
def upload(bucket: str) -> Callable[[str, bytes], str]:
    """Put an object into the bucket, and return its URL."""

    def upload(key: str, data: bytes) -> str:
        client().put_object(Bucket="lake", Key=key, Body=data)
        return f"{bucket}/{key}"

    return upload


class Cluster:
    """A scheduler, and workers that know nothing of the folder that a replay is started in."""

    def __init__(self, started: Started, folder: Path) -> None:
        self.folder = folder / "cluster"
        self.folder.mkdir()
        # What lies there must not count.
        (self.folder / "hookcore.toml").write_text("[hooks]\nenabled = false\n", "utf-8")
        self._started = started
        self._file = self.folder / "scheduler.json"
        scheduler = ("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        started(
            "scheduler", "-m", "dask", *scheduler, "--scheduler-file", str(self._file), cwd=folder
        )
        self._scheduler = started.processes[-1]
        until(lambda: self._file.exists() and self._file.read_text("utf-8"))
        address = json.loads(self._file.read_text("utf-8"))["address"]
        self.url = address.replace("tcp://", "dask://")

    def kill_scheduler(self) -> None:
        self._scheduler.kill()

    def worker(self, name: str, site: Path, *, threads: int = 1) -> None:
        log = self._started(
            name,
            *("-m", "dask", "worker", "--scheduler-file", str(self._file), "--no-dashboard"),
            *("--nthreads", str(threads), "--local-directory", str(self.folder / name)),
            cwd=self.folder,
            HOME=str(self.folder),
            HOOKCORE_NO_PLUGINS="1",
            PYTHONPATH=os.pathsep.join([str(site), *filter(None, sys.path)]),
        )
        until(lambda: "Registered to" in log.read_text("utf-8"))


@pytest.fixture
def cluster(started: Started, folder: Path) -> Cluster:
    """A cluster of two worker processes, with the policy installed."""
    cluster = Cluster(started, folder)
    for name in ("one", "two"):
        cluster.worker(name, folder.parent / "site")
    return cluster
