"""Logs to append to, to change and to verify."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookcore_audit._chain import Chain
from hookcore_audit._record import Entry
from hookcore_audit._signing import SigningKey

Make = Callable[..., Chain]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "audit"


@pytest.fixture
def make_chain(folder: Path, request: pytest.FixtureRequest) -> Make:
    def make(**options: Any) -> Chain:
        chain = Chain(folder, **{"max_bytes": 1 << 20, "keep_files": 100, **options})
        request.addfinalizer(chain.close)
        return chain

    return make


@pytest.fixture
def chain(make_chain: Make) -> Chain:
    return make_chain()


@pytest.fixture(scope="session")
def key() -> SigningKey:
    return SigningKey()


@pytest.fixture
def entries() -> Callable[..., list[Entry]]:
    def made(count: int, start: int = 0) -> list[Entry]:
        return [
            Entry("decision", 1_000_000 + n, {"point": "pre_tool_call", "n": n, "verdict": "deny"})
            for n in range(start, start + count)
        ]

    return made
