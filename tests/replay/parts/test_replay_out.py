from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hookctl.replay.places import written

from ..killing import PLUGIN, Hookctl, finished, without_times, write

posix = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")


def alone(hookctl: Hookctl, *arguments: str) -> Any:
    code, report, _ = finished(hookctl("replay", *arguments, "--json"))
    assert code == 0
    return without_times(report)


def numbers(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "out" / "done").glob("*.json"))


def test_a_replay_that_is_kept_reports_what_one_process_reports(
    hookctl: Hookctl, folder: Path
) -> None:
    files = write(folder, "delete", "read", "write")
    cut = ("--out", "out", "--partition-size", "100b", "--jobs", "2")
    code, report, stderr = finished(hookctl("replay", *files, *cut, "--json"))
    assert (code, stderr) == (0, "")
    assert without_times(report) == alone(hookctl, *files)
    kept = json.loads((folder / "out" / "summary.json").read_text("utf-8"))
    assert without_times({"summary": kept}) == {"summary": report["summary"]}
    assert numbers(folder) == [f"00000{number}.json" for number in range(6)]


def test_a_replay_is_not_put_over_another_one(hookctl: Hookctl, folder: Path) -> None:
    files = write(folder, "delete")
    finished(hookctl("replay", *files, "--out", "out", "--json"))
    again = hookctl("replay", *files, "--out", "out")
    _, stderr = again.communicate(timeout=60)
    assert again.returncode == 2
    assert "out holds a replay already: --resume does what is missing" in stderr


def test_resuming_does_what_is_missing_and_nothing_else(hookctl: Hookctl, folder: Path) -> None:
    files = write(folder, "delete", "read", "delete")
    finished(hookctl("replay", *files, "--out", "out", "--json"))
    kept = folder / "out" / "done" / "000000.json"
    before = kept.stat().st_mtime_ns
    (folder / "out" / "done" / "000001.json").unlink()
    code, report, _ = finished(hookctl("replay", *files, "--out", "out", "--resume", "--json"))
    assert code == 0
    assert without_times(report) == alone(hookctl, *files)
    assert kept.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("0.jsonl", "{}", "inputs are others or have changed: 0.jsonl"),
        ("hookcore.toml", '[plugins.demo]\nenabled = true\nmode = "monitor"\n', "the settings"),
        ("../site/killing_policy.py", PLUGIN + "# changed", "plugin demo was killing-policy 1.0"),
    ],
)
def test_resuming_with_something_else_is_refused(
    hookctl: Hookctl, folder: Path, name: str, text: str, told: str
) -> None:
    files = write(folder, "delete", "read")
    finished(hookctl("replay", *files, "--out", "out", "--json"))
    (folder / name).write_text(text, encoding="utf-8")
    process = hookctl("replay", *files, "--out", "out", "--resume")
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 2
    assert told in stderr
    assert "replay into another folder" in stderr


def test_resuming_keeps_the_size_of_the_parts(hookctl: Hookctl, folder: Path) -> None:
    files = write(folder, "delete", "read")
    finished(hookctl("replay", *files, "--out", "out", "--partition-size", "100", "--json"))
    (folder / "out" / "done" / "000003.json").unlink()
    code, report, _ = finished(hookctl("replay", *files, "--out", "out", "--resume", "--json"))
    assert (code, report["summary"]["runs"]) == (0, 4)
    other = ("--partition-size", "1k")
    process = hookctl("replay", *files, "--out", "out", "--resume", *other)
    assert "--partition-size was 100" in process.communicate(timeout=60)[1]


@pytest.mark.parametrize("name", ["plan.json", "done/000000.json"])
@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 1}', "[" * 100_000])
def test_a_folder_that_was_damaged_is_told(
    hookctl: Hookctl, folder: Path, name: str, text: str
) -> None:
    files = write(folder, "delete")
    finished(hookctl("replay", *files, "--out", "out", "--json"))
    (folder / "out" / name).write_text(text, encoding="utf-8")
    process = hookctl("replay", *files, "--out", "out", "--resume")
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 2
    assert stderr.endswith(f"{name} is not what hookctl replay wrote: replay into another folder\n")


def test_findings_that_were_changed_are_not_counted(hookctl: Hookctl, folder: Path) -> None:
    files = write(folder, "delete")
    finished(hookctl("replay", *files, "--out", "out", "--json"))
    (folder / "out" / "findings" / "000000.jsonl").write_text("", encoding="utf-8")
    process = hookctl("replay", *files, "--out", "out", "--resume", "--json")
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (2, "")
    assert "findings/000000.jsonl is not what hookctl replay wrote" in stderr


def test_shares_of_a_replay_add_up_to_the_whole(hookctl: Hookctl, folder: Path) -> None:
    files = write(folder, "delete", "read", "delete", "write")
    first = hookctl("replay", *files, "--out", "out", "--shard", "1/2")
    assert first.communicate(timeout=60) == (
        "",
        "2 of all parts are still to be done; --resume without --shard sums up\n",
    )
    assert numbers(folder) == ["000000.json", "000002.json"]
    second = hookctl("replay", *files, "--out", "out", "--shard", "2/2")
    assert second.communicate(timeout=60)[1].startswith("all parts are done")
    code, report, _ = finished(hookctl("replay", *files, "--out", "out", "--resume", "--json"))
    assert code == 0
    assert without_times(report) == alone(hookctl, *files)


@posix
def test_a_replay_that_was_killed_goes_on_where_it_was(hookctl: Hookctl, folder: Path) -> None:
    files = write(folder, "delete", "read", "sleep", "delete")
    process = hookctl("replay", *files, "--out", "out", "--jobs", "2")
    until = time.monotonic() + 60
    while len(numbers(folder)) < 3:
        assert time.monotonic() < until
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    (folder / "asleep").write_text("awake", encoding="utf-8")
    code, report, _ = finished(hookctl("replay", *files, "--out", "out", "--resume", "--json"))
    assert code == 0
    assert without_times(report) == alone(hookctl, *files)


@posix
def test_a_part_that_cannot_be_done_is_named_and_tried_again_by_the_next(
    hookctl: Hookctl, folder: Path
) -> None:
    files = write(folder, "read", "die")
    code, report, _ = finished(hookctl("replay", *files, "--out", "out", "--json"))
    assert (code, report["summary"]["runs"]) == (2, 2)
    assert [one["where"] for one in report["summary"]["unreadable"]] == ["1.jsonl"]
    (folder / "spared").touch()
    code, report, _ = finished(hookctl("replay", *files, "--out", "out", "--resume", "--json"))
    assert (code, report["summary"]["runs"], report["summary"]["unreadable"]) == (0, 4, [])


def test_a_pattern_means_the_files_that_match_it(hookctl: Hookctl, folder: Path) -> None:
    files = write(folder, "delete", "read")
    assert alone(hookctl, "*.jsonl") == alone(hookctl, *files)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--resume"], "need --out DIR"),
        (["--on", "dask://127.0.0.1:9"], "need --out DIR"),
        (["--out", "out", "--on", "dask://127.0.0.1:9", "--jobs", "2"], "leave one out"),
        (["--out", "out", "--on", "dusk://127.0.0.1:9"], "names no engine"),
        (["--out", "out", "--shard", "0/4"], "is no share"),
        (["--out", "out", "--shard", "5/4"], "is no share"),
        (["--out", "out", "--partition-size", "0"], "is no size"),
    ],
)
def test_options_that_mean_nothing_are_refused(
    hookctl: Hookctl, arguments: list[str], told: str
) -> None:
    process = hookctl("replay", "x.jsonl", *arguments)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 2
    assert told in " ".join(stderr.split())


def test_a_file_in_the_making_does_not_stay(folder: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise OSError("the disk is full")

    target = folder / "new" / "file"
    with pytest.raises(OSError, match="full"):
        written(str(target), pieces())
    assert list((folder / "new").iterdir()) == []
    before = os.umask(0o027)
    written(str(target), [b"whole"])
    os.umask(before)
    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"whole", 0o640)


def test_standard_input_cannot_be_kept(hookctl: Hookctl) -> None:
    process = hookctl("replay", "-", "--out", "out")
    _, stderr = process.communicate("", timeout=60)
    assert process.returncode == 2
    assert "standard input cannot be read again" in stderr
