"""Transcript formats that other distributions bring."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hookctl.replay.formats.further import further_formats

from ..running import Hookctl

FORMAT = """
from hookctl.replay import Item, RecordedCall, RecordedRun, TranscriptSource, Turn

TITLE = "acme's notes"

def recognises(value):
    return isinstance(value, dict) and "acme" in value

def read(items, source):
    for item in items:
        call = RecordedCall(item.value["acme"], {"path": "x"})
        turn = Turn({"role": "assistant"}, source.where(item), "assistant", answer={}, calls=(call,))
        yield RecordedRun(source.run_id(item, item.value), source.where(item), [turn])
"""
POLICY = """
from hookcore import HookAborted, hookimpl

class Policy:
    @hookimpl(gate=True)
    def pre_tool_call(self, ctx):
        raise HookAborted("no")
"""
Install = Callable[..., Hookctl]


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Install]:
    """Yield what installs a format and a policy, and makes a hookctl that has them."""

    def install(code: str = FORMAT) -> Hookctl:
        site, work = tmp_path / "site", tmp_path / "work"
        metadata = site / "acme-1.5.dist-info"
        metadata.mkdir(parents=True)
        work.mkdir()
        (site / "acme_format.py").write_text(code)
        (site / "acme_policy.py").write_text(POLICY)
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.5\n")
        (metadata / "entry_points.txt").write_text(
            "[hookcore.transcripts]\nacme = acme_format\n"
            "[hookcore.plugins]\nno = acme_policy:Policy\n"
        )
        lines = [{"acme": "delete", "id": "one"}, {"acme": "read", "id": "two"}]
        (work / "notes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        (work / "hookcore.toml").write_text("[plugins.no]\nenabled = true\n")
        return Hookctl(work, site)

    further_formats.cache_clear()
    yield install
    further_formats.cache_clear()


@pytest.mark.parametrize("arguments", [[], ["--format", "acme"], ["--jobs", "2"]])
def test_its_runs_are_replayed(install: Install, arguments: list[str]) -> None:
    findings: list[dict[str, Any]] = install()("replay", "notes.jsonl", "--json", *arguments).json[
        "findings"
    ]
    assert [(one["run"], one["tool"], one["where"]) for one in findings] == [
        ("one", "delete", "notes.jsonl:1"),
        ("two", "read", "notes.jsonl:2"),
    ]


def test_a_misspelt_name_is_answered_with_those_that_there_are(install: Install) -> None:
    result = install()("replay", "notes.jsonl", "--format", "acne")
    assert result.code == 2
    assert 'did you mean "acme"?' in result.err


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import nothing_that_there_is", "cannot be imported: ModuleNotFoundError"),
        ("TITLE = 'x'", "has no recognises, read: mend or uninstall it"),
    ],
)
def test_a_broken_one_is_named_with_its_distribution(
    install: Install, code: str, message: str
) -> None:
    result = install(code)("replay", "notes.jsonl")
    assert result.code == 3
    assert "the transcript format acme (acme_format, From acme 1.5.)" in result.err
    assert message in result.err


def test_an_unknown_input_is_told_of_it_too(install: Install) -> None:
    hookctl = install()
    (hookctl.folder / "other.json").write_text('{"what": 1}')
    result = hookctl("replay", "other.json")
    assert result.code == 2
    assert "acme's notes" in result.err
