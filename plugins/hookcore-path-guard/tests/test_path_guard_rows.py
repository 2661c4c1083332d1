"""Labelled calls: shares that must be met on each set, with all misses named."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from hookcore_path_guard import PathGuard, PathGuardSettings

HERE = Path(__file__).parent
DENIED, ALLOWED = 0.985, 0.97
BASE = [
    ["dir", "proj/src"],
    ["dir", "proj/docs"],
    ["dir", "home/.ssh"],
    ["dir", "secret/sub"],
    ["file", "proj/README.md", "hello\n"],
    ["file", "proj/src/app.py", "a\n"],
    ["file", "proj/docs/x.md", "x\n"],
    ["file", "lib/ro.txt", "lib\n"],
    ["file", "secret/key.txt", "SECRET-KEY\n"],
    ["file", "secret/x.py", "print('SECRET-PY')\n"],
    ["file", "secret/x.sh", "echo SECRET-SH\n"],
    ["file", "secret/app.py", "SECRET-APP\n"],
    ["file", "proj-other/s.txt", "SECRET-O\n"],
    ["file", "home/.ssh/id_rsa", "SECRET-RSA\n"],
    ["file", "home/.bashrc", "# rc\n"],
    ["file", "home/README.md", "SECRET-H\n"],
    ["file", "secret/README.md", "SECRET-R\n"],
]


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


def filled(value: Any, root: str) -> Any:
    if isinstance(value, str):
        return value.replace("{root}", root)
    if isinstance(value, list):
        return [filled(inner, root) for inner in value]
    if isinstance(value, dict):
        return {key: filled(inner, root) for key, inner in value.items()}
    return value


def build(layout: list[Any], root: Path) -> None:
    for kind, name, *rest in [
        entry for item in layout for entry in (BASE if item == "base" else [item])
    ]:
        path = root / name
        (path if kind == "dir" else path.parent).mkdir(parents=True, exist_ok=True)
        if kind == "file":
            path.write_text(rest[0], "utf-8")
        elif kind == "link":
            path.symlink_to(filled(rest[0], str(root)))
        elif kind == "hard":
            path.hardlink_to(root / rest[0])


def verdict(row: dict[str, Any], root: Path) -> str:
    values = {key: row[key] for key in ("protected",) if key in row}
    settings = PathGuardSettings(
        read=[str(root / name) for name in row["read_roots"]],
        write=[str(root / name) for name in row["write_roots"]],
        **values,
    )
    cwd = str(root / row.get("cwd", "proj"))
    denial = PathGuard(settings).judge(row["tool"], filled(row["input"], str(root)), cwd)
    return "allow" if denial is None else "deny"


@pytest.mark.parametrize(
    "name", ["dev_rows.jsonl", "own_rows.jsonl", "more_rows.jsonl", "late_rows.jsonl"]
)
def test_labelled_calls_are_decided_as_labelled(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = {"allow": 0, "deny": 0}
    missed: dict[str, list[str]] = {"allow": [], "deny": []}
    root = Path(os.path.realpath(tmp_path)) / "layout"
    monkeypatch.setenv("HOME", str(root / "home"))
    standing = ""
    # A judgement changes nothing on the disk, so rows with one layout can share it.
    for row in sorted(rows(name), key=lambda row: json.dumps(row["layout"])):
        if standing != (standing := json.dumps(row["layout"])):
            shutil.rmtree(root, ignore_errors=True)
            build(row["layout"], root)
        got = verdict(row, root)
        if got == row["expect"]:
            right[got] += 1
        else:
            missed[row["expect"]].append(row["id"])
    assert right["deny"] >= DENIED * (right["deny"] + len(missed["deny"])), missed
    assert right["allow"] >= ALLOWED * (right["allow"] + len(missed["allow"])), missed
