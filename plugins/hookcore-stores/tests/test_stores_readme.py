"""The README's blocks run as they stand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hookcore_stores.testing import StartServer

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
FILE, SERVER, FIXTURE = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def run(block: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(block, "README.md", "exec"), names)
    return names


def test_the_file_of_the_readme_is_taken_from_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    store = run(FILE)["store"]
    assert tmp_path in store.file.parents


def test_the_server_of_the_readme_is_taken_from_once(
    redis_servers: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = redis_servers()
    monkeypatch.setenv("HOOKCORE_REDIS_URL", server.url)
    run(SERVER)
    assert server.command("EXISTS", "{my-policy}:a") == 1


def test_the_fixture_of_the_readme_is_there() -> None:
    assert "redis_servers" in run(FIXTURE)
