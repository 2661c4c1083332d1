"""The JSON Schema of ``hookcore.toml`` with the settings of all installed plugins in it."""

from __future__ import annotations

import copy
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hookcore.config.files import PYPROJECT, parse
from hookcore.disk.atomic import alone, replace_file

from ..change import target_file
from ..failure import UsageError
from ..schemas import DIALECT, shipped_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookcore.discovery import PluginSource

__all__ = ["FILE_NAME", "composed", "written"]

FILE_NAME = "hookcore.schema.json"
_LINE = f"#:schema ./{FILE_NAME}"
_UNFIT = re.compile(r"[^A-Za-z0-9_.-]")


def composed(catalog: Mapping[str, PluginSource]) -> dict[str, Any]:
    """Put the schemas that packages ship into that of the configuration.

    Args:
        catalog: the installed plugins. One that ships no schema may have any settings.

    Returns:
        A schema that needs no other file.
    """
    from hookcore.config.bundle import PLUGIN, TABLE
    from hookcore.config.schema import ConfigTable

    whole = {"$schema": DIALECT, **ConfigTable.model_json_schema(), "title": "hookcore.toml"}
    definitions = whole["$defs"]
    tables = whole["properties"]["plugins"].setdefault("properties", {})
    for name, source in catalog.items():
        schema = shipped_schema(source)
        if schema is None or source.conflict is not None:
            continue
        prefix = _UNFIT.sub("_", name)
        own = _moved(schema, f"{prefix}.")
        definitions.update(
            {f"{prefix}.{inner}": body for inner, body in own.pop("$defs", {}).items()}
        )
        own.pop("$schema", None)
        definitions[f"{prefix}.settings"] = own
        table = copy.deepcopy(definitions["PluginTable"])
        table["title"] = f"The plugin {name} ({source.distribution} {source.version})"
        table["properties"]["settings"] = {"$ref": f"#/$defs/{prefix}.settings"}
        definitions[f"{prefix}.table"] = table
        tables[name] = {"$ref": f"#/$defs/{prefix}.table"}
    if PLUGIN in tables:
        whole["properties"][TABLE] = {"$ref": f"#/$defs/{PLUGIN}.settings"}
    return whole


def _moved(node: Any, prefix: str) -> Any:
    """Copy a schema whose definitions will stand among others, under longer names."""
    if isinstance(node, dict):
        return {
            key: f"#/$defs/{prefix}{value.removeprefix('#/$defs/')}"
            if key == "$ref" and isinstance(value, str) and value.startswith("#/$defs/")
            else _moved(value, prefix)
            for key, value in node.items()
        }
    return [_moved(item, prefix) for item in node] if isinstance(node, list) else node


def written(schema: Mapping[str, Any]) -> tuple[Path, Path]:
    """Put the schema beside the project's configuration, and the line there that editors follow.

    Args:
        schema: from :func:`composed`.

    Returns:
        The schema's file, and the configuration, which is made when it is not there.

    Raises:
        UsageError: the project is configured in a ``pyproject.toml``, which has another schema.
        ConfigError: the configuration cannot be read.
    """
    config = target_file(user=False)
    if config.name == PYPROJECT:
        raise UsageError(
            f"{config} is no file of hookcore's own, and can name one schema only: move "
            "[tool.hookcore] to a hookcore.toml, or print the schema"
        )
    file = config.with_name(FILE_NAME)
    target = Path(os.path.realpath(config))  # a link stays a link
    with alone(target):
        before = target.read_bytes() if target.exists() else b""
        after = _with_line(config, before)
        replace_file(file, (json.dumps(schema, indent=2) + "\n").encode())
        if after != before:
            replace_file(target, after)
    return file, config


def _with_line(config: Path, before: bytes) -> bytes:
    """Put the line first, or in the place of one that names another schema."""
    parse(config, before)
    text = before.decode("utf-8-sig")
    ends = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    rest = lines[1:] if lines and lines[0].startswith("#:schema") else lines
    mark = "\ufeff" if before.startswith(b"\xef\xbb\xbf") else ""
    return f"{mark}{_LINE}{ends}{''.join(rest)}".encode()
