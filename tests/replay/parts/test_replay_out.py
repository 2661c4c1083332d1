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

from ...running import Hookctl as Here
from ...running import Result
from ..killing import PLUGIN, Hookctl, finished, without_times, write

posix = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")


@pytest.fixture
def here(folder: Path) -> Here:
    """Run hookctl in this process, where none of it has to be killed; its parts have their own."""
    return Here(folder, folder.parent / "site", {"HOME": str(folder.parent)})


def kept(here: Here, *arguments: str) -> Result:
    return here("replay", *arguments, "--out", "out", "--json")


def alone(here: Here, *arguments: str) -> Any:
    done = here("replay", *arguments, "--json")
    assert done.code == 0
    return without_times(done.json)


def numbers(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "out" / "done").glob("*.json"))


def test_a_replay_that_is_kept_reports_what_one_process_reports(
    hookctl: Hookctl, here: Here, folder: Path
) -> None:
    files = write(folder, "delete", "read", "write")
    cut = ("--out", "out", "--partition-size", "100b", "--jobs", "2")
    code, report, stderr = finished(hookctl("replay", *files, *cut, "--json"))
    assert (code, stderr) == (0, "")
    assert without_times(report) == alone(here, *files)
    summary = json.loads((folder / "out" / "summary.json").read_text("utf-8"))
    assert without_times({"summary": summary}) == {"summary": report["summary"]}
    assert numbers(folder) == [f"00000{number}.json" for number in range(6)]


def test_a_replay_is_not_put_over_another_one(here: Here, folder: Path) -> None:
    files = write(folder, "delete")
    assert kept(here, *files).code == 0
    again = kept(here, *files)
    assert again.code == 2
    assert "out holds a replay already: --resume does what is missing" in again.err


def test_resuming_does_what_is_missing_and_nothing_else(here: Here, folder: Path) -> None:
    files = write(folder, "delete", "read", "delete")
    assert kept(here, *files).code == 0
    done = folder / "out" / "done" / "000000.json"
    before = done.stat().st_mtime_ns
    (folder / "out" / "done" / "000001.json").unlink()
    resumed = kept(here, *files, "--resume")
    assert resumed.code == 0
    assert without_times(resumed.json) == alone(here, *files)
    assert done.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("0.jsonl", "{}", "inputs are others or have changed: 0.jsonl"),
        ("hookcore.toml", '[plugins.demo]\nenabled = true\nmode = "monitor"\n', "the settings"),
        ("../site/killing_policy.py", PLUGIN + "# changed", "plugin demo was killing-policy 1.0"),
    ],
)
def test_resuming_with_something_else_is_refused(
    here: Here, folder: Path, name: str, text: str, told: str
) -> None:
    files = write(folder, "delete", "read")
    assert kept(here, *files).code == 0
    (folder / name).write_text(text, encoding="utf-8")
    resumed = kept(here, *files, "--resume")
    assert resumed.code == 2
    assert told in resumed.err
    assert "replay into another folder" in resumed.err


def test_resuming_keeps_the_size_of_the_parts(here: Here, folder: Path) -> None:
    files = write(folder, "delete", "read")
    assert kept(here, *files, "--partition-size", "100").code == 0
    (folder / "out" / "done" / "000003.json").unlink()
    resumed = kept(here, *files, "--resume")
    assert (resumed.code, resumed.json["summary"]["runs"]) == (0, 4)
    other = kept(here, *files, "--resume", "--partition-size", "1k")
    assert "--partition-size was 100" in other.err


@pytest.mark.parametrize("name", ["plan.json", "done/000000.json"])
def test_a_folder_that_was_damaged_is_told(here: Here, folder: Path, name: str) -> None:
    files = write(folder, "delete")
    assert kept(here, *files).code == 0
    for text in ("", "[]", "{}", '{"version": 1}', "[" * 100_000):
        (folder / "out" / name).write_text(text, encoding="utf-8")
        resumed = kept(here, *files, "--resume")
        assert resumed.code == 2, text
        told = f"{name} is not what hookctl replay wrote: replay into another folder\n"
        assert resumed.err.endswith(told), text


def test_findings_that_were_changed_are_not_counted(here: Here, folder: Path) -> None:
    files = write(folder, "delete")
    assert kept(here, *files).code == 0
    (folder / "out" / "findings" / "000000.jsonl").write_text("", encoding="utf-8")
    resumed = kept(here, *files, "--resume")
    assert (resumed.code, resumed.out) == (2, "")
    assert "findings/000000.jsonl is not what hookctl replay wrote" in resumed.err


def test_shares_of_a_replay_add_up_to_the_whole(here: Here, folder: Path) -> None:
    files = write(folder, "delete", "read", "delete", "write")
    first = here("replay", *files, "--out", "out", "--shard", "1/2")
    assert (first.out, first.err) == (
        "",
        "2 of all parts are still to be done; --resume without --shard sums up\n",
    )
    assert numbers(folder) == ["000000.json", "000002.json"]
    second = here("replay", *files, "--out", "out", "--shard", "2/2")
    assert second.err.startswith("all parts are done")
    resumed = kept(here, *files, "--resume")
    assert resumed.code == 0
    assert without_times(resumed.json) == alone(here, *files)


@posix
def test_a_replay_that_was_killed_goes_on_where_it_was(
    hookctl: Hookctl, here: Here, folder: Path
) -> None:
    files = write(folder, "delete", "read", "sleep", "delete")
    process = hookctl("replay", *files, "--out", "out", "--jobs", "2")
    until = time.monotonic() + 60
    while len(numbers(folder)) < 3:
        assert time.monotonic() < until
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    (folder / "asleep").write_text("awake", encoding="utf-8")
    resumed = kept(here, *files, "--resume")
    assert resumed.code == 0
    assert without_times(resumed.json) == alone(here, *files)


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


def test_a_pattern_means_the_files_that_match_it(here: Here, folder: Path) -> None:
    files = write(folder, "delete", "read")
    assert alone(here, "*.jsonl") == alone(here, *files)


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
def test_options_that_mean_nothing_are_refused(here: Here, arguments: list[str], told: str) -> None:
    refused = here("replay", "x.jsonl", *arguments)
    assert refused.code == 2
    assert told in " ".join(refused.err.split())


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


def test_standard_input_cannot_be_kept(here: Here) -> None:
    refused = here("replay", "-", "--out", "out")
    assert refused.code == 2
    assert "standard input cannot be read again" in refused.err
