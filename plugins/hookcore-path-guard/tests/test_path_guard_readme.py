"""The README's settings, calls and code do what it says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hookcore_path_guard import PathGuard, PathGuardSettings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Place = Any

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```\s*```text\n(.*?)```", README, re.DOTALL)
CALLS = [(toml, line) for toml, lines in EXAMPLES for line in lines.splitlines()]
CODE = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_every_block_of_settings_is_followed_by_calls() -> None:
    assert len(EXAMPLES) == README.count("```toml") == 2


@pytest.mark.parametrize(("toml", "line"), CALLS, ids=[line for _, line in CALLS])
def test_a_call_in_the_readme_is_decided_as_it_says(place: Place, toml: str, line: str) -> None:
    place.link("proj/out", "../secret")
    call, expected = re.split(r"\s+-> ", line)
    name, arguments = call.split(" {", 1)
    settings = tomllib.loads(toml)["plugins"]["path-guard"]["settings"]
    guard = PathGuard(PathGuardSettings.model_validate(settings))
    denial = guard.judge(name, json.loads("{" + arguments))
    assert ("allowed" if denial is None else f"denied: {denial.message}") == expected


@pytest.mark.parametrize("code", CODE)
def test_the_code_in_the_readme_runs(code: str) -> None:
    exec(compile(code, "README.md", "exec"), {})


def test_the_readme_names_every_setting_and_no_other() -> None:
    table = README.split("## Settings")[1].split("###")[0]
    named = Counter(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    assert named == Counter(list(PathGuardSettings.model_fields))


TRANSCRIPTS = Path(__file__).parents[3] / "examples" / "transcripts"
REPLAYED = re.findall(r"^\| (`\S+jsonl?`(?:, `\S+`)*) \| (\d+) \| (\d+) \|", README, re.MULTILINE)


@pytest.mark.skipif(
    not TRANSCRIPTS.is_dir(), reason="the recorded runs lie in hookcore's repository"
)
@pytest.mark.parametrize(("files", "runs", "denied"), REPLAYED, ids=[row[0] for row in REPLAYED])
def test_the_recorded_runs_are_decided_as_the_table_says(
    place: Place, files: str, runs: str, denied: str
) -> None:
    (place.project / "hookcore.toml").write_text("[plugins.path-guard]\nenabled = true\n", "utf-8")
    folder = f"{Path(files.split('`')[1]).parent}/"
    names = [name if "/" in name else folder + name for name in re.findall(r"`(\S+)`", files)]
    hookctl = Path(sys.executable).with_name("hookctl")
    command = [str(hookctl), "replay", "--json", *(str(TRANSCRIPTS / name) for name in names)]
    replayed = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=place.project
    )
    summary = json.loads(replayed.stdout)["summary"]
    assert (summary["runs"], summary["aborted"], summary["errors"]) == (int(runs), int(denied), 0)


def test_every_recorded_run_is_in_the_table() -> None:
    assert len(REPLAYED) == 8
