"""The configuration of each client, as data: files, their shapes, and what switches hooks off."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from .files import ClientFileError
from .strict import Leniency

__all__ = ["CLIENTS", "NAME", "SCOPES", "SECONDS", "Client", "Off", "Scope", "Servers", "Shape"]

Scope = Literal["user", "project", "managed"]
Shape = Literal["groups", "named groups", "handlers", "tables", "script"]
"""The ways in which files hold hooks.

``groups`` are lists of groups of handlers, ``named groups`` have a matcher and names besides,
``handlers`` are plain lists, ``tables`` are the same as groups in TOML, and a ``script`` is a
program of ours.
"""

SCOPES: Final[tuple[Scope, ...]] = ("user", "project", "managed")
SECONDS: Final = 10
"""A client's own limit for one hook; what answers stays below it."""
NAME: Final = "hookctl-"
"""The beginning of our hooks' name in clients that name them.

A project can switch a hook off by its name, an administrator's too, so the rest is made by chance.
"""


@dataclass(frozen=True, kw_only=True)
class Off:
    """A switch in a file that keeps hooks from running.

    Args:
        files: the files below a project that may hold it.
        user: the same below the client's own folder.
        path: where it stands in a file.
        value: the value that switches off; where it is None, a list that holds our name does.
    """

    files: tuple[str, ...]
    user: tuple[str, ...] = ()
    path: tuple[str, ...]
    value: bool | None


@dataclass(frozen=True, kw_only=True)
class Servers:
    """The places where a client names MCP servers.

    Args:
        user: the file below the home folder or, where it has one, the client's own folder.
        project: the file below a project.
        paths: the tables of servers in the file; a ``*`` stands for any name.
        instead: a name that the file may have instead.
        joined: the command and its arguments are one list, as in opencode.
    """

    user: str
    project: str
    paths: tuple[tuple[str, ...], ...] = (("mcpServers",),)
    instead: str | None = None
    joined: bool = False


@dataclass(frozen=True, kw_only=True)
class Client:
    """A coding agent, and where and how it is told of hooks.

    Args:
        name: the name of its dialect.
        variable: the environment variable that moves its own folder.
        below: where its own folder is below what that variable names.
        folder: its own folder below the home folder.
        user: the file below that folder.
        project: the file below a project.
        from_root: a project begins where its repository does, not in the working folder.
        managed: the administrator's file; None where the client is not known to have one.
        shape: how files hold hooks.
        accepts: what of JSON that is more than JSON it reads; else it skips the file.
        managed_shape: the same for the administrator's file, where it differs.
        handler: what each handler has besides the command; a name is added where groups are named.
        command_key: the key of the command in a handler.
        timeout: the key of the limit, and how many of its units are a second.
        limits: the seconds of events for which it grants fewer.
        unmatched: what each group has besides the handlers.
        frame: what a new file has besides the hooks.
        managed_switches: values that keep hooks on in the administrator's file.
        off: the switches that keep hooks from running.
        managed_off: values in the administrator's file that keep all others' hooks from running.
        servers: where MCP servers are named.
        trust: for a scope, what has to be pressed before the client runs the hooks.
        loose: what starts the client without hooks of that scope, by scope.
    """

    name: str
    variable: str | None = None
    below: str = ""
    folder: str
    user: str
    project: str
    from_root: bool = False
    managed: Path | None = None
    shape: Shape
    accepts: frozenset[Leniency] = frozenset()
    managed_shape: Shape | None = None
    handler: Mapping[str, Any] = field(default_factory=dict)
    command_key: str = "command"
    timeout: tuple[str, int] = ("timeout", 1)
    limits: Mapping[str, int] = field(default_factory=dict)
    unmatched: Mapping[str, Any] = field(default_factory=dict)
    frame: Mapping[str, Any] = field(default_factory=dict)
    managed_switches: tuple[tuple[tuple[str, ...], Any], ...] = ()
    off: tuple[Off, ...] = ()
    managed_off: tuple[tuple[tuple[str, ...], bool], ...] = ()
    servers: Servers
    trust: Mapping[Scope, str] = field(default_factory=dict)
    loose: Mapping[Scope, str] = field(default_factory=dict)

    def home(self) -> Path:
        """Return the client's own folder."""
        moved = os.environ.get(self.variable) if self.variable else None
        folder = Path(moved).expanduser() / self.below if moved else _home() / self.folder
        return folder.absolute()

    def shape_in(self, scope: Scope) -> Shape:
        """Return how the file of a scope holds hooks."""
        return (self.managed_shape or self.shape) if scope == "managed" else self.shape

    def file(self, scope: Scope, project: Path) -> Path | None:
        """Return the file of a scope; None where the client has none.

        Args:
            scope: whose file.
            project: the project's folder.
        """
        if scope == "managed":
            return self.managed
        return self.home() / self.user if scope == "user" else project / self.project

    def servers_file(self, scope: Scope, project: Path) -> Path | None:
        """Return the file of a scope that names MCP servers; None where there is none."""
        if scope == "managed":
            return None
        if scope == "project":
            return self._or_instead(project / self.servers.project)
        below_home = self.servers.user.startswith("~/") and not self._is_moved()
        home = _home() if below_home else self.home()
        return self._or_instead(home / self.servers.user.removeprefix("~/"))

    def _or_instead(self, file: Path) -> Path:
        other = file.with_name(self.servers.instead) if self.servers.instead else file
        return other if other.exists() and not file.exists() else file

    def _is_moved(self) -> bool:
        return bool(self.variable and os.environ.get(self.variable))


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise ClientFileError("there is no home folder with a client's files: set HOME") from error


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
