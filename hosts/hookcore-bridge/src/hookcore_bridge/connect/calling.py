"""The commands that clients run: how they are written, and how they are known again."""

from __future__ import annotations

import itertools
import os
import shlex
import sys
from pathlib import Path, PurePath
from typing import Any

from ..dialects import CLIENTS as DIALECTS
from ..hook.thin import PLACES, surroundings
from .client import Scope

__all__ = [
    "called",
    "hook_command",
    "hook_words",
    "is_our_hook",
    "proxied",
    "thin_client",
    "unproxied",
]

_PACKAGE = "hookcore_bridge"
_DENYING = ("prompt", "tool_before", "tool_after")
# Most clients let pass what a missing or killed program did not judge, so that must end with 2.
# The program stands in a shell of our own, since some clients use the user's, such as fish.
_OR_DENIED = (
    '"$@" || { code=$?; [ $code -lt 126 ] && exit $code; '
    'echo "hookctl could not be run, so this is denied: reinstall hookcore-bridge" >&2; exit 2; }'
)


def thin_client() -> Path:
    """Return the program that clients run: one file, for a Python without any packages."""
    return Path(__file__).resolve().parents[1] / "hook" / "thin.py"


def hook_words(client: str, scope: Scope) -> list[str]:
    """Return the words that run the thin client, without the event.

    Args:
        client: the client's name.
        scope: whose hooks they are. All users' files are where they usually are; where yours are
            elsewhere, the words say so, since a project can set the variables of its client.
    """
    places = _unusual_places() if scope != "managed" else []
    return [sys.executable, "-I", "-S", str(thin_client()), *places, client]


def _unusual_places() -> list[str]:
    known = surroundings({name: os.environ[name] for name in PLACES if os.environ.get(name)})
    usual = surroundings({})
    return [f"{name}={place}" for name, place in known.items() if usual.get(name) != place]


def hook_command(client: str, event: str, scope: Scope) -> str:
    """Return the command line for one event, which denies also when its program is gone.

    Args:
        client: the client's name.
        event: its name for the event.
        scope: whose hooks they are.
    """
    words = [*hook_words(client, scope), event]
    if DIALECTS[client].events[event].role in _DENYING:
        words = ["/bin/sh", "-c", _OR_DENIED, "hookctl", *words]
    return shlex.join(words)


def called(command: str) -> list[str]:
    """Return the words of a command of ours that run the thin client, up to its path."""
    words = shlex.split(command)
    ends = [at for at, word in enumerate(words) if _is_thin(word)]
    return words[max(0, ends[0] - 3) : ends[0] + 1] if ends else words[:1]


def _is_thin(word: str) -> bool:
    parts = PurePath(word).parts
    return _PACKAGE in parts[:-1] and parts[-1:] == ("thin.py",)


def is_our_hook(command: Any) -> bool:
    """Tell whether a command of a hook is one of ours, of this installation or of another.

    Args:
        command: what a file holds where a command belongs.
    """
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    thin = any(map(_is_thin, words))
    by_name = any(
        PurePath(first).name == "hookctl" and second == "hook"
        for first, second in itertools.pairwise(words)
    )
    return thin or by_name


def hookctl() -> list[str]:
    """Return the words that run ``hookctl`` of this installation, from any folder."""
    script = Path(sys.executable).with_name("hookctl")
    # Without -P or -I, "-m" would look for modules in the project first.
    return [str(script)] if script.is_file() else [sys.executable, "-I", "-m", "hookctl"]


def proxied(name: str, words: list[str]) -> list[str]:
    """Return the command of an MCP server with the proxy before it.

    Args:
        name: the server's name in the client's configuration.
        words: its own command.
    """
    return [*hookctl(), "mcp", f"--name={name}", "--", *words]


def unproxied(words: list[str]) -> list[str] | None:
    """Return the command of an MCP server without the proxy before it.

    Args:
        words: the command.

    Returns:
        The server's own command; None when there is no proxy of ours before it.
    """
    if "mcp" not in words or "--" not in words:
        return None
    at, end = words.index("mcp"), words.index("--")
    front, options, inner = words[:at], words[at + 1 : end], words[end + 1 :]
    named = options == [] or (len(options) == 1 and options[0].startswith("--name="))
    names = [PurePath(word).name for word in front]
    is_ours = names == ["hookctl"] or front[1:] == ["-I", "-m", "hookctl"]
    return inner if is_ours and named and inner else None
