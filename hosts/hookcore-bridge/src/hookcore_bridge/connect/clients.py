"""The clients that can be connected, and where and how each is told of hooks."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from .client import Client, Off, Servers

__all__ = ["CLIENTS"]


def _etc(name: str, mac: str) -> Path:
    """Return a file of the administrator, who keeps such files elsewhere on macOS."""
    return Path("/Library/Application Support", mac) if sys.platform == "darwin" else Path(name)


_DISABLE_ALL: Final = ("disableAllHooks",)

_CLAUDE: Final = Client(
    name="claude-code",
    variable="CLAUDE_CONFIG_DIR",
    folder=".claude",
    user="settings.json",
    project=".claude/settings.json",
    managed=_etc("/etc/claude-code/managed-settings.json", "ClaudeCode/managed-settings.json"),
    shape="groups",
    accepts=frozenset({"byte order mark", "repeated names"}),
    handler=MappingProxyType({"onFailure": "block"}),
    off=(
        Off(
            files=(".claude/settings.json", ".claude/settings.local.json"),
            user=("settings.json",),
            path=_DISABLE_ALL,
            value=True,
        ),
    ),
    variables=(".claude/settings.json", ".claude/settings.local.json"),
    managed_off=((("allowManagedHooksOnly",), True), (_DISABLE_ALL, True)),
    servers=Servers(
        user="~/.claude.json",
        project=".mcp.json",
        paths=(("mcpServers",), ("projects", "*", "mcpServers")),
    ),
    loose=MappingProxyType(
        {
            "user": "claude --bare and --safe-mode start without these hooks, and so does a "
            'project whose settings say "disableAllHooks": true',
            "project": "claude --bare, --safe-mode and --setting-sources user start without them",
        }
    ),
)

_CODEX: Final = Client(
    name="codex",
    variable="CODEX_HOME",
    folder=".codex",
    user="hooks.json",
    project=".codex/hooks.json",
    from_root=True,
    managed=Path("/etc/codex/requirements.toml"),
    shape="groups",
    managed_shape="tables",
    limits=MappingProxyType({"SessionEnd": 3}),
    managed_switches=((("features", "hooks"), True),),
    off=(
        Off(
            files=(".codex/config.toml",),
            user=("config.toml",),
            path=("features", "hooks"),
            value=False,
        ),
    ),
    managed_off=((("allow_managed_hooks_only",), True), (("features", "hooks"), False)),
    servers=Servers(user="config.toml", project=".codex/config.toml", paths=(("mcp_servers",),)),
    trust=MappingProxyType(
        {
            "user": 'start codex; where it says "Hooks need review", look at them and choose '
            '"Trust all and continue": until then it skips them, in codex exec without a word. It '
            "asks again when a hook has changed",
            "project": 'start codex and trust the project; where it says "Hooks need review", look '
            'at them and choose "Trust all and continue": until then it skips them, in codex '
            "exec without a word",
        }
    ),
    loose=MappingProxyType(
        {
            "user": "codex --disable hooks starts without them, and so does a trusted project "
            "whose .codex/config.toml says [features] hooks = false",
            "project": "codex --disable hooks starts without them",
        }
    ),
)

_GEMINI: Final = Client(
    name="gemini-cli",
    folder=".gemini",
    user="settings.json",
    project=".gemini/settings.json",
    managed=_etc("/etc/gemini-cli/settings.json", "GeminiCli/settings.json"),
    shape="named groups",
    accepts=frozenset({"comments", "repeated names"}),
    timeout=("timeout", 1000),
    unmatched=MappingProxyType({"matcher": "*"}),
    managed_switches=((("hooksConfig", "enabled"), True),),
    off=(
        Off(
            files=(".gemini/settings.json",),
            user=("settings.json",),
            path=("hooksConfig", "enabled"),
            value=False,
        ),
        Off(
            files=(".gemini/settings.json",),
            user=("settings.json",),
            path=("hooksConfig", "disabled"),
            value=None,
        ),
    ),
    variables=(".env", ".gemini/.env"),
    managed_off=((("hooksConfig", "enabled"), False),),
    servers=Servers(user="settings.json", project=".gemini/settings.json"),
    trust=MappingProxyType(
        {"project": "trust the folder when gemini asks: it reads no settings of others"}
    ),
    loose=MappingProxyType(
        {
            "user": 'a project whose .gemini/settings.json says "hooksConfig": {"enabled": false} '
            "starts without them",
        }
    ),
)

_QWEN: Final = Client(
    name="qwen-code",
    folder=".qwen",
    user="settings.json",
    project=".qwen/settings.json",
    managed=_etc("/etc/qwen-code/settings.json", "QwenCode/settings.json"),
    shape="named groups",
    accepts=frozenset({"byte order mark", "comments", "repeated names"}),
    timeout=("timeout", 1000),
    unmatched=MappingProxyType({"matcher": "*"}),
    managed_switches=((_DISABLE_ALL, False),),
    off=(
        Off(files=(".qwen/settings.json",), user=("settings.json",), path=_DISABLE_ALL, value=True),
    ),
    variables=(".env", ".qwen/.env"),
    managed_off=((_DISABLE_ALL, True),),
    servers=Servers(user="settings.json", project=".qwen/settings.json"),
    loose=MappingProxyType(
        {
            "user": 'a project whose .qwen/settings.json says "disableAllHooks": true starts '
            "without them",
        }
    ),
)

_COPILOT: Final = Client(
    name="copilot",
    variable="COPILOT_HOME",
    folder=".copilot",
    user="hooks/hookcore.json",
    project=".github/hooks/hookcore.json",
    from_root=True,
    shape="handlers",
    command_key="bash",
    timeout=("timeoutSec", 1),
    frame=MappingProxyType({"version": 1}),
    off=(
        Off(
            files=(".github/copilot/settings.json",),
            path=_DISABLE_ALL,
            value=True,
        ),
    ),
    servers=Servers(user="mcp-config.json", project=".mcp.json"),
    trust=MappingProxyType(
        {
            "project": "trust the folder when copilot asks: until it stands under trusted_folders "
            "in ~/.copilot/config.json, Copilot skips the hooks without a word",
        }
    ),
    loose=MappingProxyType(
        {
            "user": 'a trusted project whose files say "disableAllHooks": true starts without them',
        }
    ),
)

_OPENCODE: Final = Client(
    name="opencode",
    variable="XDG_CONFIG_HOME",
    below="opencode",
    folder=".config/opencode",
    user="plugin/hookcore.js",
    project=".opencode/plugin/hookcore.js",
    from_root=True,
    managed=_etc("/etc/opencode/hookcore.js", "opencode/hookcore.js"),
    managed_list="opencode.json",
    shape="script",
    accepts=frozenset({"comments", "repeated names", "trailing commas"}),
    servers=Servers(
        user="opencode.json",
        project="opencode.json",
        paths=(("mcp",),),
        instead="opencode.jsonc",
        joined=True,
    ),
)

CLIENTS: Final[Mapping[str, Client]] = MappingProxyType(
    {client.name: client for client in (_CLAUDE, _CODEX, _GEMINI, _QWEN, _COPILOT, _OPENCODE)}
)
"""The clients by the names of their dialects."""
