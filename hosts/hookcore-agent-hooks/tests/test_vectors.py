"""The conformance vectors of AGENT-HOOKS, over hookcore's boundaries."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("agent_hooks", reason="agent-hooks-sdk is not installed: agent-hooks.txt")

from agent_hooks.ctk.runner import load_vectors, run_vector

from hookcore_agent_hooks import Harness, IncrementalHarness

VECTORS = {vector["id"]: vector for vector in load_vectors()}
INCREMENTAL = [name for name, its in VECTORS.items() if its.get("part") == "streaming/incremental"]


def outcome(harness: Any, name: str) -> tuple[str, list[str]]:
    result = asyncio.run(run_vector(harness, VECTORS[name]))
    return result.status, result.failures


def test_there_are_75_vectors_of_which_4_are_incremental() -> None:
    assert (len(VECTORS), len(INCREMENTAL)) == (75, 4)


@pytest.mark.parametrize("name", VECTORS)
def test_a_vector_holds_or_is_skipped_as_by_the_reference(name: str) -> None:
    wanted = "skip" if name in INCREMENTAL else "pass"
    assert outcome(Harness(), name) == (wanted, [])


@pytest.mark.parametrize("name", INCREMENTAL)
def test_an_incremental_vector_holds_with_what_is_released_and_kept(name: str) -> None:
    harness, expected = IncrementalHarness(), VECTORS[name]["expect"]
    assert outcome(harness, name) == ("pass", [])
    assert harness.released == expected["released_output"]
    assert not [
        text for text in expected.get("persisted_must_not_contain", ()) if _has(harness, text)
    ]


@pytest.mark.parametrize("name", [name for name in VECTORS if name not in INCREMENTAL])
def test_a_vector_holds_where_answers_are_let_out_piece_by_piece(name: str) -> None:
    status, failures = outcome(IncrementalHarness(), name)
    if name == "AH-CTK-135":
        # Its document leaves the capabilities to the host, and says that output is buffered.
        assert "incremental_output requires buffered_output: false" in failures[0]
    else:
        assert (status, failures) == ("pass", [])


def _has(harness: IncrementalHarness, text: str) -> bool:
    return text in repr(harness.kept)
