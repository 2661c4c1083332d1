"""The README's settings, commands, code and figures are what they say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tomlkit

from hookcore_shell_guard import ShellGuard, ShellGuardSettings, ShellRule

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
(TOML,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
(CALLS,) = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
CODE = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
TRANSCRIPTS = Path(__file__).parents[3] / "examples" / "transcripts"
REPLAYED = re.findall(r"^\| `([\w-]+)` \| (\d+) \|", README, re.MULTILINE)


@pytest.mark.parametrize("line", CALLS.splitlines())
def test_a_command_in_the_readme_is_decided_as_it_says(line: str) -> None:
    command, expected = re.split(r"\s+-> ", line)
    values: dict[str, Any] = tomlkit.parse(TOML).unwrap()["plugins"]["shell-guard"]["settings"]
    guard = ShellGuard(ShellGuardSettings.model_validate(values))
    verdict = guard.judge("Bash", {"command": command})
    said = "allowed" if verdict is None else f"denied: {verdict.message}"
    assert said.startswith(expected)
    assert (said == "allowed") == (expected == "allowed")


@pytest.mark.parametrize("code", CODE)
def test_the_code_in_the_readme_runs(code: str) -> None:
    exec(compile(code, "README.md", "exec"), {})


def test_the_readme_names_every_setting() -> None:
    keys = {*ShellGuardSettings.model_fields, *ShellRule.model_fields}
    assert all(f"| `{key}` |" in README for key in keys)


@pytest.mark.parametrize(("preset", "denied"), REPLAYED)
def test_the_replay_denies_as_many_commands_as_the_readme_says(
    preset: str, denied: str, tmp_path: Path
) -> None:
    settings = f'[plugins.shell-guard]\nenabled = true\nsettings.preset = "{preset}"\n'
    (tmp_path / "hookcore.toml").write_text(settings, encoding="utf-8")
    files = [*TRANSCRIPTS.glob("swe_agent/*"), *TRANSCRIPTS.glob("claude_code_sessions/*")]
    command = [sys.executable, "-m", "hookctl", "replay", "--json", *map(str, sorted(files))]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    findings = json.loads(result.stdout)["findings"]
    assert sum(finding["verdict"] == "deny" for finding in findings) == int(denied)


def test_the_replay_covers_every_preset() -> None:
    assert len(REPLAYED) == 4
