"""The real coding agents, connected by ``hookctl connect``: what policies deny does not run."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys

import pytest

from .agents import Agent, Place
from .conftest import MESSAGE, Lab
from .model import Step

WITH_OTHER_SETTINGS = ("gemini-cli", "qwen-code")


def connect(lab: Lab, *arguments: str, break_it: bool = False) -> None:
    """Let the agent be told of its hooks by the command, and by nothing else."""
    agent: Agent = lab.agent

    def other_settings(place: Place, _: dict[str, list[str]]) -> None:
        if agent.client in WITH_OTHER_SETTINGS:
            agent.hooks(place, {})

    def set_up(place: Place) -> dict[str, str]:
        variables = agent.set_up(place)
        if "--project" in arguments:
            _trust(place, agent.client)
        subprocess.run(
            [sys.executable, "-m", "hookctl", "connect", agent.client, *arguments],
            cwd=place.work, env=lab.environment, check=True, stdin=subprocess.DEVNULL,
            capture_output=True,
        )  # fmt: skip
        if break_it:
            _point_nowhere(place)
        return variables

    lab.agent = dataclasses.replace(agent, hooks=other_settings, set_up=set_up)


def _trust(place: Place, client: str) -> None:
    """Write what the agent writes when somebody trusts the project."""
    if client == "copilot":
        told = {"trusted_folders": [str(place.work)]}
        place.write(place.home / ".copilot/config.json", told)
    elif client == "codex":
        with (place.home / ".codex/config.toml").open("a", encoding="utf-8") as config:
            config.write(f'[projects."{place.work}"]\ntrust_level = "trusted"\n')


def _point_nowhere(place: Place) -> None:
    """Let the hooks call a Python that is not there."""
    found = [path for name in ("*.json", "*.js") for path in place.home.rglob(name)]
    texts = {path: path.read_text("utf-8") for path in found if "state" not in path.parts}
    changed = {path: text for path, text in texts.items() if sys.executable in text}
    assert changed
    for path, text in changed.items():
        path.write_text(text.replace(sys.executable, "/nowhere/python"), "utf-8")


@pytest.mark.parametrize("scope", ["--user", "--project"])
def test_a_connected_agent_runs_nothing_that_is_denied_and_reads_why(lab: Lab, scope: str) -> None:
    connect(lab, scope)
    denied, fine = (lab.agent.call(f"echo ran >> {text}") for text in ("denied # DENY", "fine"))
    model = lab.run(Step((denied,)), Step((fine,)))
    assert not lab.ran("denied"), lab.done.stdout
    assert lab.ran("fine"), lab.done.stdout
    assert MESSAGE in model.read()


def test_a_connected_agent_runs_nothing_when_hookcore_is_gone(lab: Lab) -> None:
    connect(lab, break_it=True)
    lab.run(Step((lab.agent.call("echo ran >> gone"),)))
    assert not lab.ran("gone"), lab.done.stdout


@pytest.mark.parametrize("agent", ["claude-code"], indirect=True)
def test_claude_code_asks_by_http_when_it_is_told_to(lab: Lab) -> None:
    connect(lab, "--http")
    model = lab.run(Step((lab.agent.call("echo ran >> denied # DENY"),)))
    settings = json.loads((lab.place.home / ".claude/settings.json").read_text("utf-8"))
    assert settings["hooks"]["PreToolUse"][0]["hooks"][0]["type"] == "http"
    assert not lab.ran("denied"), lab.done.stdout
    assert MESSAGE in model.read()
