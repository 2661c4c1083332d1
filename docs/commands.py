"""Write commands.md, each command of hookctl with its options, from the commands themselves.

Run it as `python docs/commands.py`; it writes commands.md beside this file.
"""
# ruff: noqa: INP001 - a script, no package

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from hookctl.further import further_commands
from hookctl.main import cli

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PAGE = Path(__file__).with_name("commands.md")
ROOT = Path(__file__).parents[1]

HEAD = """\
# Commands

Made by `python docs/commands.py` from the commands of this repository. `hookctl --help` lists what
is installed where you are, and `hookctl COMMAND --help` shows all this of one command.
[Operating policies](operating.md) tells when one needs which.
"""
CODES = """\
## Exit codes

| code | meaning |
|---|---|
| 0 | done |
| 1 | what `--fail-on` asked about has happened |
| 2 | wrong usage, or input that cannot be read |
| 3 | a plugin or the configuration is broken |
| 130, 141 | it was interrupted, or nobody reads its output any more |
"""
_GROUP = "hookctl.commands"


def commands() -> list[tuple[str, click.Command, str]]:
    """Return each command with its name and its distribution, hookcore's own first."""
    found = [(name, own, "hookcore") for name, own in _own()]
    for file in sorted(ROOT.glob("[hp]*s/*/pyproject.toml")):
        project: Any = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        for name, value in sorted(project.get("entry-points", {}).get(_GROUP, {}).items()):
            module, _, attribute = value.partition(":")
            found.append((name, getattr(import_module(module), attribute), project["name"]))
    return found


def page() -> str:
    """Return the text of the page."""
    found = commands()
    lines = [HEAD, "| command | what it does | from |", "|---|---|---|"]
    for name, command, distribution in found:
        what = (command.get_short_help_str(200) or "").rstrip(".")
        lines.append(f"| [`{name}`](#hookctl-{name}) | {_cell(what)} | {distribution} |")
    lines += ["", CODES]
    for name, command, _ in found:
        lines += _chapter(f"hookctl {name}", command, 2)
    return "\n".join(lines).rstrip("\n") + "\n"


def _own() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = None if name in further_commands() else cli.get_command(context, name)
        if command is not None:
            yield name, command


def _chapter(path: str, command: click.Command, depth: int) -> Iterator[str]:
    yield f"{'#' * depth} {path}"
    yield ""
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    words = [path, *(["[OPTIONS]"] if options else []), *map(_argument, arguments)]
    yield f"`{' '.join([*words, *(['COMMAND'] if isinstance(command, click.Group) else [])])}`"
    yield ""
    yield _text(command.help or "")
    yield ""
    if options:
        yield "| option | meaning | default |"
        yield "|---|---|---|"
        yield from map(_option, options)
        yield ""
    examples = [line[2:] for line in (command.epilog or "").splitlines() if line[:2] == "  "]
    if examples:
        yield "```console"
        yield from (f"$ {line}" for line in examples)
        yield "```"
        yield ""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _chapter(f"{path} {name}", inner, depth + 1)


def _argument(argument: click.Argument) -> str:
    name = (argument.metavar or str(argument.name)).strip("[].").upper()
    many = "..." if argument.nargs != 1 else ""
    return f"{name}{many}" if argument.required else f"[{name}]{many}"


def _option(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    value = _value(option)
    meaning = _cell(option.help or "")
    if option.multiple and "repeat" not in meaning and "more than once" not in meaning:
        meaning += " Repeatable."
    return f"| {names}{value} | {meaning} | {_default(option)} |"


def _value(option: click.Option) -> str:
    if option.is_flag or option.count:
        return ""
    if isinstance(option.type, click.Choice):
        return " " + ", ".join(f"`{choice}`" for choice in option.type.choices)
    return f" `{_cell(option.metavar or option.type.name.upper())}`"


def _default(option: click.Option) -> str:
    default = option.default
    plain = isinstance(default, (int, float, str)) and not isinstance(default, bool)
    return f"`{default}`" if plain and default != "" and not option.is_flag else ""


def _text(text: str) -> str:
    """Write a help text as Markdown; what it shows line by line is a block."""
    paragraphs = []
    for paragraph in inspect.cleandoc(text.partition("\f")[0]).split("\n\n"):
        told = paragraph.replace("``", "`")
        if told.startswith("\b"):
            body = inspect.cleandoc(told.removeprefix("\b").strip("\n"))
            told = f"```text\n{body}\n```"
        paragraphs.append(told)
    return "\n\n".join(paragraphs)


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("``", "`").strip()


def main() -> None:
    """Write the page."""
    unfinished = PAGE.with_name(f"{PAGE.name}.part")
    unfinished.write_text(page(), encoding="utf-8")
    unfinished.replace(PAGE)


if __name__ == "__main__":
    main()
