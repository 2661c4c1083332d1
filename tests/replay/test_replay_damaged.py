"""Files of every API and tracer, damaged anywhere: told, and never a crash."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookctl.replay.formats import NAMES
from hookctl.replay.walk import walk

DATA = Path(__file__).parent / "data"
FOLDERS = ("anthropic", "langsmith", "openai_agents", "responses")
FILES = sorted(path for folder in FOLDERS for path in (DATA / folder).iterdir())
ODD = st.sampled_from([None, True, 7, "x", [], {}, [1], {"a": 1}, ["a", "b"], "[", '{"a":'])


def values(path: Path) -> list[Any]:
    text = path.read_text(encoding="utf-8")
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container in a value with each of its keys."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys if isinstance(value, (dict, list)) else ():
        yield value, key
        yield from places(value[key]) if isinstance(value[key], (dict, list)) else ()


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
@settings(
    max_examples=settings().max_examples // 4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(draws=st.data())
def test_a_damaged_file_stops_nothing(
    path: Path,
    draws: st.DataObject,
    read_runs: Callable[..., Any],
    write_lines: Callable[..., Path],
) -> None:
    found = values(path)
    container, key = draws.draw(st.sampled_from(list(places(found))))
    if draws.draw(st.booleans()):
        container[key] = draws.draw(ODD)
    else:
        del container[key]
    written = write_lines(*(json.dumps(one) for one in found))
    forced = draws.draw(st.sampled_from([None, *NAMES]))
    runs, ledger = read_runs(written, forced=forced)
    for run in runs:
        assert all(moment.point for moment in walk(run))
    assert runs or ledger.malformed or ledger.unreadable or not found
