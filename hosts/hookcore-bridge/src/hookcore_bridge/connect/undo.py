"""A client's file without anything of ours: as it was, or as it looks without us."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import files, hooks, jsonedit, records, servers, tomledit
from .client import Shape
from .records import Record, Switch
from .target import Target, encoded

__all__ = ["without_ours"]

_OWN: tuple[Shape, ...] = ("handlers", "script")


def without_ours(target: Target, now: bytes | None) -> tuple[bytes | None, list[Switch]]:
    """Return a file's content without anything of ours, and the values that we had set in it.

    Args:
        target: the file.
        now: its content; None when there is no file.

    Raises:
        JsonError: it is no JSON.
        TomlError: it is no TOML.
        EditError: its form cannot be edited.
    """
    record = records.recall(target.file)
    if record is not None:
        known, old = records.undone(record, now)
        if known:
            return old, record.switches
    if now is None:
        return None, []
    text = files.text_of(target.file, now)
    edited = _without_switches(target, record, text)
    if target.hooks:
        edited = hooks.stripped(target.client, target.client.shape_in(target.scope), edited)
    if target.servers and edited:
        edited = servers.without_proxy(target.client.servers, edited, toml=target.toml)
    if target.named is not None:
        edited = _without_name(edited, target.named)
    if edited == text:
        return now, []
    switches = record.switches if record is not None else []
    # A file that only we write goes with us; others may have been there before.
    made = record is not None and record.before is None
    own = target.hooks and target.client.shape_in(target.scope) in _OWN
    if not edited.strip() and (made or own):
        return None, switches
    return encoded(edited or ("" if target.toml else "{}\n"), now), switches


def _without_name(text: str, named: str) -> str:
    listed = hooks.plain("groups", text).get("plugin")
    places = [
        at for at, one in enumerate(listed if isinstance(listed, list) else ()) if one == named
    ]
    for at in reversed(places):
        text = jsonedit.remove_with_empty(text, ("plugin", at))
    return text if hooks.plain("groups", text) else ""


def _without_switches(target: Target, record: Record | None, text: str) -> str:
    for switch in record.switches if record is not None else []:
        data: Any = hooks.plain("tables" if target.toml else "groups", text)
        for key in switch.path:
            data = data.get(key) if isinstance(data, dict) else None
        if data != switch.value:  # somebody has set it since
            continue
        edit: Callable[..., str]
        if switch.there:
            edit = tomledit.replace if target.toml else jsonedit.replace
            text = edit(text, switch.path, switch.was)
        else:
            edit = tomledit.remove if target.toml else jsonedit.remove_with_empty
            text = edit(text, switch.path)
    return text
