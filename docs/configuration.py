"""Write configuration.md, each key of hookcore.toml and each setting of a plugin, from schemas.

Run it as `python docs/configuration.py`; it writes configuration.md beside this file.
"""
# ruff: noqa: INP001 - a script, no package

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hookcore.config import schema
from hookcore.discovery import discover
from hookctl.schemas import shipped_schema
from hookctl.settings.described import Setting, settings_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PAGE = Path(__file__).with_name("configuration.md")
ROOT = Path(__file__).parents[1]

HEAD = """\
# Configuration, key by key

Made by `python docs/configuration.py` from the schemas that check the file. What the keys are for,
and which file counts, stands in [Operating policies](operating.md#the-configuration). `hookctl
config show` shows what is in force where you are, and `hookctl config schema --write` gives the
same to your editor.
"""
PLUGINS = """\
## Settings of policies

The table `[plugins.NAME.settings]` is a plugin's own. `hookctl info NAME` shows it for what is
installed, and `hookctl set NAME KEY=VALUE` changes it. In the keys below, `rules[].effect` stands
in each table of a list, `tools.*.kind` in each table of a table.
"""
TABLES = (
    ("hooks", schema.HooksTable),
    ("plugins.NAME", schema.PluginTable),
    ("telemetry", schema.TelemetryTable),
    ("log", schema.LogTable),
    ("record", schema.RecordTable),
    ("trust", schema.TrustTable),
)


def plugins() -> Iterator[tuple[str, str, list[Setting]]]:
    """Yield each plugin of the repository: its name, its distribution and its settings."""
    installed = discover()
    for file in sorted(ROOT.glob("plugins/*/pyproject.toml")):
        project: Any = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        for name in project.get("entry-points", {}).get("hookcore.plugins", {}):
            shipped = shipped_schema(installed.get(name))
            yield name, project["name"], settings_of(shipped) if shipped else []


def page() -> str:
    """Return the text of the page."""
    lines = [HEAD]
    for name, table in TABLES:
        doc = inspect.cleandoc(table.__doc__ or "").partition("\n\n")[0]
        what = doc.partition(": ")[2].rstrip(".")
        lines += [f"## `[{name}]`", "", f"{what[:1].upper()}{what[1:]}.", ""]
        lines += _table(settings_of(table.model_json_schema()))
        lines.append("")
    lines.append(PLUGINS)
    for name, distribution, settings in plugins():
        lines += [f"### {name}", "", f"From {distribution}.", ""]
        lines += _table(settings) if settings else ["It has no settings."]
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _table(settings: list[Setting]) -> Iterator[str]:
    yield "| key | type | default | meaning |"
    yield "|---|---|---|---|"
    for one in settings:
        default = "required" if one.required else _value(one.default)
        yield f"| `{_cell(one.key)}` | {_cell(_type(one))} | {default} | {_meaning(one)} |"


def _type(one: Setting) -> str:
    if one.choices and len(one.choices) <= _MOST_CHOICES and one.type != "list of text":
        return ", ".join(f"`{json.dumps(choice)}`" for choice in one.choices)
    return one.type


def _meaning(one: Setting) -> str:
    parts = [one.description or "", f"({one.bounds})" if one.bounds else ""]
    parts += ["A secret."] if one.secret else []
    return _cell(" ".join(part for part in parts if part))


def _value(value: Any) -> str:
    if value in (None, [], {}):
        return ""
    text = json.dumps(value, ensure_ascii=False)
    return f"`{_cell(text)}`" if len(text) <= _LONGEST else "see `hookctl info`"


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("``", "`").strip()


_LONGEST = 60
_MOST_CHOICES = 8


def main() -> None:
    """Write the page."""
    unfinished = PAGE.with_name(f"{PAGE.name}.part")
    unfinished.write_text(page(), encoding="utf-8")
    unfinished.replace(PAGE)


if __name__ == "__main__":
    main()
