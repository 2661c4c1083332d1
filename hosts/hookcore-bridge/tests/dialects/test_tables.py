"""The dialects' tables fit each other, the hosts that are made of them, and the README."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

import hookcore_bridge
from hookcore import HookManager
from hookcore.hosting import HOSTS_GROUP
from hookcore_bridge.dialects import CLIENTS, FAMILIES, Dialect
from hookcore_bridge.hosts import BRIDGE

README = Path(__file__).parents[2] / "README.md"


@pytest.mark.parametrize("client", CLIENTS)
def test_every_tool_of_a_dialect_belongs_to_a_family(client: str) -> None:
    assert set(CLIENTS[client].tools.values()) <= set(FAMILIES)


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_is_a_host_that_is_offered(client: str) -> None:
    (entry,) = entry_points(group=HOSTS_GROUP, name=client)
    host: Any = entry.load()
    dialect = CLIENTS[client]
    assert host.name == client
    assert {"pre_tool_call", "post_tool_call", "tool_finished"} <= set(host.points)
    before = dialect.with_role("tool_before")
    assert before is not None
    heeded = host.points["pre_tool_call"]["sync"]
    assert ("replace" in heeded) is (before.rewrite is not None)
    assert "abort" in heeded
    assert ("message_received" in host.points) is (dialect.with_role("prompt") is not None)
    host.declare(HookManager())


def test_all_clients_together_fire_what_each_fires() -> None:
    fired = {point for entry in entry_points(group=HOSTS_GROUP) if entry.name in CLIENTS
             for point in entry.load().points}  # fmt: skip
    assert set(BRIDGE.points) == fired
    BRIDGE.declare(HookManager())


def test_the_dialects_need_the_standard_library_only() -> None:
    source = Path(hookcore_bridge.__file__).parents[1]
    program = f"import sys; sys.path.insert(0, {str(source)!r}); import hookcore_bridge.dialects"
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)


def support(dialect: Dialect) -> str:
    """Return the line about a client in the README."""
    before, after = dialect.with_role("tool_before"), dialect.with_role("tool_after")
    prompt = dialect.with_role("prompt")
    assert before is not None
    assert after is not None
    assert before.deny is not None
    assert after.deny is not None
    changed = "yes" if after.keeps_shape else "as text"
    cells = [
        f"`{dialect.client}`",
        dialect.tested[0],
        f"yes, {'no' if before.rewrite is None else 'yes'}",
        f"yes, {'no' if after.replace is None else changed}",
        "no, no" if prompt is None else f"yes, {'no' if prompt.context is None else 'yes'}",
    ]
    return f"| {' | '.join(cells)} |"


@pytest.mark.parametrize("client", CLIENTS)
def test_the_readme_says_what_the_table_says(client: str) -> None:
    assert support(CLIENTS[client]) in README.read_text(encoding="utf-8").splitlines()
