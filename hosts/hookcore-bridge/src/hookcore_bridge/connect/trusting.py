"""Checks of whether a client was told to trust our hooks, as far as its own files show."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hookctl.doctor import Diagnosis, error, note, warning

from . import files, hooks
from .jsonc import JsonError
from .places import Place
from .tomledit import TomlError

__all__ = ["at", "check_trust", "codex_digest", "read_plain"]

_INNER = re.compile(r"(?<!^)(?=[A-Z])")


def check_trust(place: Place, project: Path) -> Iterator[Diagnosis]:
    """Tell what has to be pressed before a client runs the hooks of a place, and was not yet.

    Args:
        place: a file with hooks of ours.
        project: the project's folder.

    Yields:
        An error where it can be seen that nobody has pressed it, a note where nothing can be seen.
    """
    client = place.client
    press = client.trust.get(place.scope)
    if press is None:
        return
    if client.name == "codex":
        yield from _codex(place, project, press)
    elif client.name == "copilot":
        told = read_plain(client.home() / "config.json")
        folders = [*_texts(told.get("trusted_folders")), *_texts(told.get("trustedFolders"))]
        if not any(project.is_relative_to(folder) for folder in folders):
            yield _untrusted(place, "its folder is not trusted", press)
    else:
        told_where = f"whether {client.name} trusts {place.file} cannot be seen"
        yield note("untrusted", client.name, told_where, press)


def _codex(place: Place, project: Path, press: str) -> Iterator[Diagnosis]:
    """Look each hook up where Codex keeps what it was told of them."""
    file = place.client.home() / "config.toml"
    told = read_plain(file)
    level = at(told, ("projects", str(project), "trust_level"))
    if place.scope == "project" and level != "trusted":
        yield _untrusted(place, "the project is not trusted", press)
        return
    states = at(told, ("hooks", "state"))
    states = states if isinstance(states, dict) else {}
    new, off, other = [], [], []
    data = hooks.plain("groups", place.text)
    for path, _ in hooks.ours(place.client, data):
        event, group, handler = str(path[1]), path[2], path[-1]
        label = _INNER.sub("_", event).lower()
        state = states.get(f"{place.file}:{label}:{group}:{handler}")
        if not isinstance(state, dict) or "trusted_hash" not in state:
            new.append(event)
        elif state.get("enabled") is False:
            off.append(event)
        elif state["trusted_hash"] != codex_digest(label, data["hooks"][event][group], handler):
            other.append(event)
    if off:
        why = f"it was told to leave out our hooks at {', '.join(off)}"
        yield error("off", file, why, "start codex, type /hooks, and switch them on")
    if other:  # a warning, since another version may know hooks by another digest
        why = f"what it was told to trust is not what stands in {place.file} at {', '.join(other)}"
        yield warning("untrusted", place.client.name, why, press)
    if new:
        yield _untrusted(place, f"nobody has trusted those at {', '.join(new)}", press)


def codex_digest(label: str, group: Mapping[str, Any], handler: Any) -> str:
    """Return the digest by which Codex CLI knows a hook that it was told to trust.

    Args:
        label: its name for the event, in small letters.
        group: the group of the hook.
        handler: the hook's place in the group.
    """
    one = {"async": False, "timeout": 600, **group["hooks"][handler]}
    told = {**group, "event_name": label, "hooks": [one]}
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _untrusted(place: Place, why: str, press: str) -> Diagnosis:
    told = f"{place.client.name} does not run all hooks of {place.file}: {why}"
    return error("untrusted", place.client.name, told, press)


def read_plain(file: Path) -> Mapping[str, Any]:
    """Return what a client's file says; nothing for one that is missing or broken."""
    with contextlib.suppress(files.ClientFileError, JsonError, TomlError):
        text = files.text_of(file, files.read(file))
        return hooks.plain("tables" if file.suffix == ".toml" else "groups", text)
    return {}


def at(data: Any, path: tuple[str, ...]) -> Any:
    """Return the value at a path of keys; None where there is none."""
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
