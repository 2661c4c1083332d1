"""Inputs and results in an object store."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..killing import Hookctl, finished, run, without_times
from .conftest import REASON, Cluster, client

pytest.importorskip("moto", reason=REASON)
pytest.importorskip("s3fs", reason=REASON)
pytest.importorskip("distributed", reason=REASON)

Upload = Callable[[str, bytes], str]


def lines(*tools: str) -> bytes:
    return "".join(json.dumps(run(tool, tool)) + "\n" for tool in tools).encode()


def report(hookctl: Hookctl, *arguments: str) -> Any:
    code, found, stderr = finished(hookctl("replay", *arguments, "--json"))
    assert code == 0, stderr
    return without_times(found)


def elsewhere(found: Any, here: str, there: str) -> Any:
    return json.loads(json.dumps(found).replace(here, there))


def test_a_pattern_of_objects_is_replayed_like_the_files(
    hookctl: Hookctl, folder: Path, upload: Upload
) -> None:
    contents = {
        "2026/a.jsonl": lines("delete", "read"),
        "2026/b/c.jsonl.gz": gzip.compress(lines("delete", "delete")),
    }
    for name, data in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
        upload(name, data)
    there = report(hookctl, "s3://lake/2026/**/*.jsonl*")
    here = report(hookctl, *contents)
    assert there["summary"]["runs"] == 4
    assert elsewhere(there, "s3://lake/", "") == here


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ranges_of_one_object_are_replayed_into_the_store(
    hookctl: Hookctl, folder: Path, upload: Upload, jobs: str
) -> None:
    data = lines(*["delete", "read"] * 40)
    (folder / "many.jsonl").write_bytes(data)
    url = upload("many.jsonl", data)
    out = ("--out", "s3://lake/out", "--partition-size", "2k", "--jobs", jobs)
    there = report(hookctl, url, *out)
    assert elsewhere(there, "s3://lake/", "") == report(hookctl, "many.jsonl")
    kept = client().get_object(Bucket="lake", Key="out/summary.json")["Body"].read()
    assert json.loads(kept)["runs"] == 80
    assert report(hookctl, url, *out, "--resume") == there


def test_an_object_that_changed_is_not_mixed_with_what_it_was(
    hookctl: Hookctl, upload: Upload
) -> None:
    url = upload("a.jsonl", lines("delete"))
    report(hookctl, url, "--out", "s3://lake/out")
    upload("a.jsonl", lines("delete", "read"))
    process = hookctl("replay", url, "--out", "s3://lake/out", "--resume")
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "inputs are others or have changed: s3://lake/a.jsonl" in stderr


def test_an_object_that_is_not_there_is_unreadable(hookctl: Hookctl, bucket: str) -> None:
    code, found, _ = finished(hookctl("replay", f"{bucket}/gone.jsonl", "--json"))
    assert code == 2
    assert found["summary"]["unreadable"] == [
        {"where": "s3://lake/gone.jsonl", "reason": "there is no such file"}
    ]


def test_a_store_that_fails_is_no_unreadable_input(
    hookctl: Hookctl, upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = upload("a.jsonl", lines("delete"))
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    process = hookctl("replay", url, "--json")
    stdout, stderr = process.communicate(timeout=120)
    assert (process.returncode, stdout) == (2, "")
    assert stderr.startswith("Error: s3://lake/a.jsonl: the store failed (")


def test_a_url_may_hold_a_signature_that_is_shown_nowhere(
    hookctl: Hookctl, folder: Path, bucket: str, upload: Upload
) -> None:
    upload("public.jsonl", lines("delete"))
    base = os.environ["AWS_ENDPOINT_URL"]
    wanted = {"Bucket": "lake", "Key": "public.jsonl"}
    url = client().generate_presigned_url("get_object", Params=wanted)
    signature = url.partition("Signature=")[2][:16]
    assert signature
    code, found, stderr = finished(hookctl("replay", url, "--out", "out", "--json"))
    assert code == 0, stderr
    [one] = found["findings"]
    assert one["where"] == f"{base}/lake/public.jsonl:1 messages[1]"
    kept = [path.read_text("utf-8") for path in (folder / "out").rglob("*.json*")]
    assert signature not in "".join([json.dumps(found), stderr, *kept])


def test_a_cluster_reads_and_writes_the_store(
    hookctl: Hookctl, folder: Path, upload: Upload, cluster: Cluster
) -> None:
    data = lines(*["delete", "read"] * 40)
    (folder / "many.jsonl").write_bytes(data)
    url = upload("many.jsonl", data)
    on = ("--on", cluster.url, "--out", "s3://lake/out", "--partition-size", "2k")
    there = report(hookctl, url, *on)
    assert elsewhere(there, "s3://lake/", "") == report(hookctl, "many.jsonl")
