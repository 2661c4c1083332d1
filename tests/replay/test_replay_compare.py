"""Replays under two configurations, held against each other, and counted."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from ..running import Hookctl

RUN = {
    "run_id": "r1",
    "messages": [
        {"role": "user", "content": "hi"},
        *(
            message
            for name in ("read", "delete", "send")
            for message in (
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": name, "function": {"name": name, "arguments": "{}"}}],
                },
                {"role": "tool", "tool_call_id": name, "content": "done"},
            )
        ),
    ],
}
POLICY = """
from pydantic import BaseModel
from hookcore import HookAborted, hookimpl


class Policy:
    rule_names = ("listed",)

    class Settings(BaseModel):
        deny: list[str] = []
        word: str = "not allowed"

    def __init__(self, settings):
        self.settings = settings

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx):
        if ctx.tool_name in self.settings.deny:
            denial = HookAborted(f"{ctx.tool_name} is {self.settings.word}", rule="listed")
            if ctx.enforces(denial):
                raise denial
"""
Replay = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    metadata = site / "rules-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "rules_policy.py").write_text(POLICY)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: rules\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[hookcore.plugins]\nrules = rules_policy:Policy\n")
    work = tmp_path / "work"
    work.mkdir()
    (work / "runs.jsonl").write_text(json.dumps(RUN) + "\n")
    return work


def write(file: Path, deny: list[str], **settings: str) -> None:
    lines = [f"deny = {json.dumps(deny)}", *(f'{key} = "{text}"' for key, text in settings.items())]
    text = "[plugins.rules]\nenabled = true\n[plugins.rules.settings]\n" + "\n".join(lines)
    file.write_text(text + "\n")


@pytest.fixture
def replay(folder: Path, tmp_path: Path) -> Replay:
    hookctl = Hookctl(folder, tmp_path / "site")
    return lambda *arguments: hookctl("replay", "runs.jsonl", *arguments)


@pytest.fixture
def other(folder: Path) -> Path:
    """A configuration under which one more call, one less and one for another reason is stopped."""
    write(folder / "hookcore.toml", ["delete", "send"], word="forbidden")
    file = folder / "other.toml"
    write(file, ["read", "delete"])
    return file


def test_what_is_newly_stopped_not_stopped_any_more_and_changed_is_told_by_rule(
    replay: Replay, other: Path
) -> None:
    told = replay("--against", other.name, "--json").json["comparison"]
    assert told["counts"] == {"newly-aborted": 1, "no-longer-aborted": 1, "changed": 1}
    found = {one["kind"]: one for one in told["differences"]}
    assert found["newly-aborted"]["after"]["tool"] == "send"
    assert found["newly-aborted"]["before"] is None
    assert found["no-longer-aborted"]["before"]["tool"] == "read"
    assert found["changed"]["before"]["reason"] == "delete is not allowed"
    assert found["changed"]["after"]["reason"] == "delete is forbidden"
    rules = {(row["kind"], row["reason"]): row["count"] for row in told["by_rule"]}
    assert rules["newly-aborted", "send is forbidden"] == 1


def test_people_read_the_places_and_then_the_totals(replay: Replay, other: Path) -> None:
    out = replay("--against", other.name).out
    assert "newly stopped\n  run r1\n+ step 6 pre_tool_call send stopped by rules" in out
    assert "    at runs.jsonl:1 messages[5]" in out
    assert out.endswith("newly stopped 1  no longer stopped 1  changed otherwise 1\n")


@pytest.mark.parametrize(
    ("gate", "code"), [("newly-aborted", 1), ("no-longer-aborted", 1), ("changed", 1)]
)
def test_a_difference_may_fail_a_pipeline(
    replay: Replay, other: Path, gate: str, code: int
) -> None:
    assert replay("--against", other.name, "--fail-on", gate).code == code
    assert replay("--against", "hookcore.toml", "--fail-on", gate).code == 0


def test_a_revision_of_a_checkout_is_a_configuration(
    replay: Replay, other: Path, folder: Path
) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "before"]):
        subprocess.run([*git, *command], cwd=folder, check=True)
    write(folder / "hookcore.toml", ["delete"], word="forbidden")
    told = replay("--against", "HEAD:hookcore.toml", "--json").json["comparison"]
    assert told["counts"] == {"newly-aborted": 0, "no-longer-aborted": 1, "changed": 0}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("nothing.toml", "nothing.toml: No such file"),
        ("HEAD:nothing.toml", "neither a file nor a file of a revision"),
        ("--output=x:hookcore.toml", "neither a file nor a file of a revision"),
    ],
)
def test_what_is_no_configuration_is_refused(
    replay: Replay, other: Path, given: str, message: str
) -> None:
    result = replay(f"--against={given}")
    assert result.code == 2
    assert message in result.err


def test_a_wrong_configuration_is_named_as_it_was_given(replay: Replay, other: Path) -> None:
    other.write_text("[plugins.rules]\nenabled = 3\n")
    result = replay("--against", other.name)
    assert result.code == 2
    assert "--against: other.toml: plugins.rules.enabled must be true or false" in result.err


def test_gates_of_a_comparison_need_one(replay: Replay, other: Path) -> None:
    result = replay("--fail-on", "newly-aborted")
    assert (result.code, "needs --against" in result.err) == (2, True)


def test_statistics_count_by_plugin_rule_and_tool(replay: Replay, other: Path) -> None:
    rows = replay("--statistics", "--json").json["statistics"]
    assert [(row["count"], row["tool"], row["rule"], row["reason"]) for row in rows] == [
        (1, "delete", "listed", "delete is forbidden"),
        (1, "send", "listed", "send is forbidden"),
    ]
    out = replay("--statistics").out
    assert "    1  rules   deny     pre_tool_call  delete  listed  delete is forbidden\n" in out
    assert "run r1" not in out


def test_github_annotates_the_line_of_a_run(replay: Replay, other: Path) -> None:
    first, second = replay("--output-format", "github").out.splitlines()
    assert first == (
        "::error file=runs.jsonl,line=1,title=rules/listed::stopped by rules at step 4 "
        "pre_tool_call delete: delete is forbidden"
    )
    assert "send" in second


def test_sarif_has_a_result_for_each_finding(replay: Replay, other: Path) -> None:
    log = json.loads(replay("--output-format", "sarif").out)
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["rules/listed"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "runs.jsonl"}, "region": {"startLine": 1}}
    assert [result["level"] for result in run["results"]] == ["error", "error"]


def test_a_file_whose_name_is_no_uri_is_escaped_in_sarif(replay: Replay, folder: Path) -> None:
    write(folder / "hookcore.toml", ["delete"])
    (folder / "my runs#1.jsonl").write_text((folder / "runs.jsonl").read_text())
    log = json.loads(replay("my runs#1.jsonl", "--output-format", "sarif").out)
    uris = {
        place["physicalLocation"]["artifactLocation"]["uri"]
        for result in log["runs"][0]["results"]
        for place in result["locations"]
    }
    assert uris == {"runs.jsonl", "my%20runs%231.jsonl"}


def test_junit_has_a_case_for_each_run_and_stays_well_formed(
    replay: Replay, other: Path, folder: Path
) -> None:
    write(folder / "hookcore.toml", ["delete"], word="<forbidden> \\u0007")
    suite = ET.fromstring(replay("--output-format", "junit").out)
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert "delete is <forbidden>" in str(failure.get("message"))


def test_differences_are_written_as_notes_too(replay: Replay, other: Path) -> None:
    out = replay("--against", other.name, "--output-format", "github").out
    assert "::newly stopped: stopped by rules at step 6 pre_tool_call send" in out


def test_a_rule_that_is_monitored_in_one_configuration_stops_nothing_there(
    replay: Replay, folder: Path
) -> None:
    file = folder / "hookcore.toml"
    write(file, ["delete"])
    (folder / "other.toml").write_text(file.read_text())
    file.write_text(f"{file.read_text()}[plugins.rules.rules.listed]\nmode = 'monitor'\n")
    told = replay("--against", "other.toml", "--json").json["comparison"]
    assert told["counts"] == {"newly-aborted": 0, "no-longer-aborted": 1, "changed": 0}
    (found,) = replay("--json").json["findings"]
    assert (found["verdict"], found["effect"], found["rule"]) == ("deny", "observed", "listed")
    note = replay("--output-format", "github").out
    assert note.startswith("::warning file=runs.jsonl,line=1,title=rules/listed::would be stopped")
