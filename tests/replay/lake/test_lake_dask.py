"""A replay by the workers of a Dask cluster, as one process would have done it."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..killing import Hookctl, finished, run, without_times, write
from .conftest import REASON, Cluster, Started, until

pytest.importorskip("distributed", reason=REASON)


def alone(hookctl: Hookctl, *files: str) -> Any:
    code, report, _ = finished(hookctl("replay", *files, "--json"))
    assert code == 0
    return without_times(report)


def test_a_cluster_finds_what_one_process_finds(
    hookctl: Hookctl, folder: Path, cluster: Cluster
) -> None:
    files = write(folder, "delete", "read", "delete", "write")
    on = ("--on", cluster.url, "--out", "out", "--partition-size", "100")
    code, report, stderr = finished(hookctl("replay", *files, *on, "--json"))
    assert (code, stderr.count("2 workers with 2 threads")) == (0, 1)
    assert without_times(report) == alone(hookctl, *files)
    kept = sorted(path.name for path in (folder / "out" / "done").iterdir())
    assert kept == [f"00000{number}.json" for number in range(8)]


def test_a_worker_that_is_killed_costs_nothing(
    hookctl: Hookctl, folder: Path, cluster: Cluster
) -> None:
    files = write(folder, *["delete", "read"] * 4, "sleep", *["delete", "read"] * 4)
    process = hookctl("replay", *files, "--on", cluster.url, "--out", "out", "--json")
    asleep = cluster.folder / "asleep"
    number = until(lambda: asleep.exists() and asleep.read_text("utf-8"))
    os.kill(int(number), signal.SIGKILL)
    code, report, _ = finished(process)
    (folder / "asleep").write_text("awake", encoding="utf-8")
    assert code == 0
    assert without_times(report) == alone(hookctl, *files)


def test_a_part_that_kills_every_worker_is_named_and_the_others_are_replayed(
    hookctl: Hookctl, folder: Path, cluster: Cluster
) -> None:
    files = write(folder, "delete", "die", "read", "delete")
    process = hookctl("replay", *files, "--on", cluster.url, "--out", "out", "--json")
    code, report, _ = finished(process)
    assert (code, report["summary"]["runs"]) == (2, 6)
    assert report["summary"]["unreadable"] == [
        {
            "where": "1.jsonl",
            "reason": "the workers that replayed it died, again and again",
        }
    ]


def test_a_scheduler_that_is_gone_ends_the_replay_which_can_go_on_elsewhere(
    hookctl: Hookctl, folder: Path, cluster: Cluster
) -> None:
    files = write(folder, "delete", "sleep", "read")
    process = hookctl("replay", *files, "--on", cluster.url, "--out", "out", "--json")
    until((cluster.folder / "asleep").exists)
    cluster.kill_scheduler()
    stdout, stderr = process.communicate(timeout=120)
    assert (process.returncode, stdout) == (2, "")
    assert "is gone: --resume does what it has left" in stderr
    (folder / "asleep").write_text("awake", encoding="utf-8")
    code, report, _ = finished(hookctl("replay", *files, "--out", "out", "--resume", "--json"))
    assert code == 0
    assert without_times(report) == alone(hookctl, *files)


def test_threads_of_one_worker_do_not_count_what_the_others_find(
    hookctl: Hookctl, folder: Path, started: Started
) -> None:
    cluster = Cluster(started, folder)
    cluster.worker("threads", folder.parent / "site", threads=4)
    lines = [json.dumps(run(tool, tool)) for tool in ["delete", "read"] * 100]
    (folder / "many.jsonl").write_text("\n".join(lines), encoding="utf-8")
    on = ("--on", cluster.url, "--out", "out", "--partition-size", "1k")
    code, report, _ = finished(hookctl("replay", "many.jsonl", *on, "--json"))
    assert code == 0
    assert without_times(report) == alone(hookctl, "many.jsonl")


def test_a_worker_with_other_code_judges_nothing(
    hookctl: Hookctl, folder: Path, started: Started
) -> None:
    other = folder.parent / "other"
    shutil.copytree(folder.parent / "site", other)
    with (other / "killing_policy.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    cluster = Cluster(started, folder)
    cluster.worker("other", other)
    process = hookctl("replay", *write(folder, "delete"), "--on", cluster.url, "--out", "out")
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "plugin demo is killing-policy 1.0 (sha256:" in stderr
    assert "Install the same wheels in both places" in stderr
    assert not (folder / "out" / "done").exists()


def test_a_secret_is_read_where_the_work_is_done_and_sent_nowhere(
    hookctl: Hookctl, folder: Path, cluster: Cluster
) -> None:
    (folder.parent / "site" / "secretive.py").write_text(
        "from hookcore import HookAborted, hookimpl\n"
        "from pydantic import BaseModel, SecretStr\n\n\n"
        "class Policy:\n"
        "    class Settings(BaseModel):\n"
        "        token: SecretStr\n\n"
        "    def __init__(self, settings):\n"
        "        self._token = settings.token.get_secret_value()\n\n"
        "    @hookimpl(gate=True)\n"
        "    def pre_tool_call(self, ctx):\n"
        "        raise HookAborted('home' if 'cluster' in self._token else self._token[:1])\n",
        encoding="utf-8",
    )
    points = folder.parent / "site" / "killing_policy-1.0.dist-info" / "entry_points.txt"
    points.write_text("[hookcore.plugins]\nsecretive = secretive:Policy\n", encoding="utf-8")
    config = folder / "hookcore.toml"
    config.write_text(
        '[plugins.secretive]\nenabled = true\nsettings = { token = "env:HOME" }\n',
        encoding="utf-8",
    )
    files = write(folder, "delete")
    on = ("--on", cluster.url, "--out", "out")
    code, report, stderr = finished(hookctl("replay", *files, *on, "--json"))
    assert code == 0, stderr
    assert {one["reason"] for one in report["findings"]} == {"home"}


def test_a_secret_is_not_sent_to_another_machine_in_the_clear(
    hookctl: Hookctl, folder: Path
) -> None:
    config = folder / "hookcore.toml"
    config.write_text(
        '[plugins.demo]\nenabled = true\nsettings = { token = "abc123" }\n', encoding="utf-8"
    )
    process = hookctl("replay", "x.jsonl", "--on", "dask://192.0.2.1:1", "--out", "out")
    _, stderr = process.communicate(timeout=60)
    assert "abc123" not in stderr
    assert process.returncode in {2, 3}


def test_an_address_that_nobody_answers_at_is_told(
    hookctl: Hookctl, folder: Path, write_lines: Callable[..., Path]
) -> None:
    process = hookctl("replay", "x.jsonl", "--on", "dask://127.0.0.1:9", "--out", "out")
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 2
    assert stderr == "Error: no Dask scheduler answers at tcp://127.0.0.1:9\n"
