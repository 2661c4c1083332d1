"""Compressed inputs: read whole, or told."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import json
import lzma
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore import HookManager
from hookctl.replay import Ledger, merge, plan
from hookctl.replay.packed import is_packed, unpacked
from hookctl.replay.stream import DamagedInputError
from hookctl.replay.worker import replay_with

from ..killing import run

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}
for name in ("compression.zstd", "backports.zstd"):
    try:
        PACKERS["zstd"] = importlib.import_module(name).compress
    except ImportError:
        continue
KINDS = st.sampled_from(list(PACKERS))


@pytest.fixture
def manager() -> Iterator[HookManager]:
    manager = HookManager()
    yield manager
    manager.close()


def read(data: bytes) -> bytes:
    with unpacked(io.BytesIO(data), data[:6]) as stream:
        return stream.read()


def replayed(manager: HookManager, path: Path) -> Ledger:
    return merge(replay_with(manager, part) for part in plan([str(path)]))


@given(KINDS, st.lists(st.binary(max_size=2000), min_size=1, max_size=4))
def test_all_members_of_a_file_are_read(kind: str, members: list[bytes]) -> None:
    packed = b"".join(map(PACKERS[kind], members))
    assert is_packed(packed[:6])
    assert read(packed) == b"".join(members)


@settings(max_examples=3 * settings().max_examples)
@given(KINDS, st.binary(max_size=300), st.binary(max_size=300), st.data())
def test_a_file_that_is_cut_anywhere_but_between_members_is_never_read_short(
    kind: str, first: bytes, second: bytes, data: st.DataObject
) -> None:
    head, whole = PACKERS[kind](first), PACKERS[kind](first) + PACKERS[kind](second)
    at = data.draw(st.integers(6, len(whole) - 1))
    if at == len(head):
        assert read(whole[:at]) == first
        return
    with pytest.raises(DamagedInputError, match=r"cut off|damaged"):
        read(whole[:at])


@pytest.mark.parametrize("kind", PACKERS)
def test_what_follows_the_last_member_is_no_silence(kind: str) -> None:
    with pytest.raises(DamagedInputError, match="damaged"):
        read(PACKERS[kind](b"a" * 100) + b"garbage that is no member")


@pytest.mark.parametrize("kind", ["gzip", "xz"])
def test_zeros_up_to_the_end_of_a_block_are_padding(kind: str) -> None:
    assert read(PACKERS[kind](b"abc") + b"\0" * 512) == b"abc"


def test_a_large_content_comes_in_pieces() -> None:
    told: list[int] = []
    packed = gzip.compress(bytes(50_000_000))
    with unpacked(io.BytesIO(packed), packed[:6], told.append) as stream:
        assert sum(len(piece) for piece in iter(lambda: stream.read(1 << 20), b"")) == 50_000_000
    assert sum(told) == len(packed)


@pytest.mark.parametrize("kind", PACKERS)
def test_runs_in_a_compressed_file_are_replayed(
    kind: str, manager: HookManager, tmp_path: Path
) -> None:
    path = tmp_path / "runs.jsonl"
    text = "".join(json.dumps(run("read", name)) + "\n" for name in "abc").encode()
    path.write_bytes(PACKERS[kind](text))
    with replayed(manager, path) as ledger:
        assert (ledger.runs, ledger.unreadable) == (3, [])


@pytest.mark.parametrize("kind", PACKERS)
def test_of_a_damaged_file_nothing_counts_but_that(
    kind: str, manager: HookManager, tmp_path: Path
) -> None:
    path = tmp_path / "runs.jsonl"
    lines = [json.dumps(run("read", str(number)) | {"pad": "x" * 5000}) for number in range(400)]
    path.write_bytes(PACKERS[kind](("\n".join(lines)).encode())[:-5])
    with replayed(manager, path) as ledger:
        assert (ledger.runs, ledger.events) == (0, 0)
        [refused] = ledger.unreadable
    assert refused["where"] == str(path)
    assert refused["reason"].startswith((f"it is cut off: its {kind}", f"its {kind} data is"))


def test_a_zstd_file_that_nothing_here_reads_says_what_to_install(
    manager: HookManager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hookctl.replay.packed._zstd", lambda: None)
    path = tmp_path / "runs.jsonl.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + b"rest")
    with replayed(manager, path) as ledger:
        [refused] = ledger.unreadable
    assert "pip install 'hookcore[zstd]'" in refused["reason"]


def test_the_command_reads_a_compressed_file_from_a_pipe(folder: Path) -> None:
    import os
    import subprocess
    import sys

    packed = gzip.compress(json.dumps(run("read", "a")).encode())
    done = subprocess.run(
        [sys.executable, "-m", "hookctl", "replay", "-", "--json"],
        input=packed,
        capture_output=True,
        check=True,
        cwd=folder.parent,
        env={**os.environ, "HOME": str(folder.parent)},
    )
    found: Any = json.loads(done.stdout)
    assert found["summary"]["runs"] == 1
