"""Write api.md, each public name of hookcore with what its docstring says.

Run it as `python docs/api.py`; it writes api.md beside this file.
"""
# ruff: noqa: INP001 - a script, no package

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

PAGE = Path(__file__).with_name("api.md")

HEAD = """\
# Python, name by name

Made by `python docs/api.py` from the docstrings. Only what stands here is public; types stand in
the code, which is typed.

| module | for whom |
|---|---|
"""
MODULES = {
    "hookcore": "authors of policies and of hosts",
    "hookcore.hosting": "authors of hosts",
    "hookcore.streaming": "authors of hosts whose models stream",
    "hookcore.testing": "the tests of both; as fixtures in `hookcore.pytest_plugin`",
    "hookcore.testing.conformance": "the tests of hosts",
    "hookcore.events": "those who keep telemetry",
    "hookcore.config": "tools that read or change the configuration",
    "hookctl.replay": "engines and transcript formats of one's own",
}
_ROLE = re.compile(r":\w+:`~?\.?([^`]+)`")
_SECTION = re.compile(r"^(Args|Returns|Raises|Yields):$", re.MULTILINE)
_PLAIN = (bool, int, float, str, type(None))


def public(module: str) -> Iterator[tuple[str, Any]]:
    """Yield the public names of a module, sorted, with what they are."""
    loaded = import_module(module)
    for name in sorted(loaded.__all__, key=str.lower):
        yield name, getattr(loaded, name)


def methods(cls: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties of a class that it or our base classes define."""
    seen: dict[str, Any] = {}
    for base in cls.__mro__:
        if base.__module__.partition(".")[0] in ("hookcore", "hookcore_specs", "hookctl"):
            for name, value in vars(base).items():
                seen.setdefault(name, value)
    for name in sorted(seen):
        value = inspect.unwrap(getattr(seen[name], "__func__", seen[name]))
        is_property = isinstance(value, property)
        if not name.startswith("_") and (is_property or inspect.isfunction(value)):
            yield name, value


def is_class(value: Any) -> bool:
    """Tell a class from an alias such as ``tuple[int, ...]``, which some Pythons call one, too."""
    return inspect.isclass(value) and get_origin(value) is None


def page() -> str:
    """Return the text of the page."""
    lines = [HEAD.rstrip("\n")]
    lines += [f"| [`{name}`](#{_anchor(name)}) | {who} |" for name, who in MODULES.items()]
    lines.append("")
    told: dict[int, str] = {}
    for module in MODULES:
        lines += [f"## {module}", ""]
        for name, value in public(module):
            lines += [f"### {name}", ""] if module == "hookcore" else [f"### {module}.{name}", ""]
            lines += _told(name, value, told, module)
    return "\n".join(lines).rstrip("\n") + "\n"


def _told(name: str, value: Any, told: dict[int, str], module: str) -> Iterator[str]:
    is_code = is_class(value) or inspect.isfunction(value)
    if is_code and id(value) in told:
        yield f"The same as [`{told[id(value)]}`](#{_anchor(told[id(value)])})."
        yield ""
        return
    if is_code:
        told[id(value)] = name if module == "hookcore" else f"{module}.{name}"
    if is_class(value):
        yield from _class(value)
    elif inspect.isfunction(value):
        yield f"`{name}{_signature(value)}`"
        yield ""
        yield from _doc(value)
    else:
        yield f"{_kind(value)}."
        yield ""


def _kind(value: Any) -> str:
    if get_origin(value) is Literal:
        return f"One of the texts {', '.join(f'`{one}`' for one in get_args(value))}"
    if isinstance(value, str):
        return f"The text `{value}`"
    if isinstance(value, (tuple, frozenset, list)):
        return "A collection"
    return "A type, for annotations" if get_origin(value) else "A value"


def _class(cls: type) -> Iterator[str]:
    yield from _doc(cls)
    if issubclass(cls, Enum):
        yield "Members: " + ", ".join(f"`{member.name}`" for member in cls) + "."
        yield ""
        return
    fields = list(_fields(cls))
    if fields:
        yield from (f"- `{name}`: {text}" for name, text in fields)
        yield ""
    for name, value in methods(cls):
        if isinstance(value, property):
            yield f"**`{name}`** (property)"
        else:
            yield f"**`{name}{_signature(value)}`**"
        yield ""
        yield from _doc(value.fget if isinstance(value, property) else value)


def _fields(cls: type) -> Iterator[tuple[str, str]]:
    """Yield the fields of a class that a text stands below."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError):
        return
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    for node, below in pairwise(body):
        match node, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(str(text))):
                if not name.startswith("_"):
                    yield name, _plain(inspect.cleandoc(text))


def _signature(function: Any) -> str:
    """Return the parameters with their defaults, as any version of Python writes them."""
    words: list[str] = []
    star = False
    for one in inspect.signature(function).parameters.values():
        if one.name in ("self", "cls"):
            continue
        if one.kind is one.KEYWORD_ONLY and not star:
            words.append("*")
            star = True
        star = star or one.kind is one.VAR_POSITIONAL
        prefix = "*" if one.kind is one.VAR_POSITIONAL else ""
        prefix = "**" if one.kind is one.VAR_KEYWORD else prefix
        default = "" if one.default is one.empty else f"={_default(one.default)}"
        words.append(f"{prefix}{one.name}{default}")
    return f"({', '.join(words)})"


def _default(value: Any) -> str:
    if isinstance(value, Enum) or not isinstance(value, _PLAIN):
        return "()" if value == () else "..."
    return repr(value)


def _doc(value: Any) -> Iterator[str]:
    doc = inspect.cleandoc(value.__doc__ or "") if value is not None else ""
    parts = _SECTION.split(doc)
    if parts[0].strip():
        yield _prose(parts[0])
        yield ""
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        text, _, after = textwrap.dedent(body.strip("\n")).partition("\n\n")
        yield f"{title}:"
        yield ""
        if title in ("Args", "Raises"):
            entries = re.split(r"\n(?=\S)", text)
            for entry in entries:
                name, _, what = entry.partition(": ")
                yield f"- `{name.strip()}`: {_plain(what)}"
        else:
            yield f"- {_plain(text)}"
        yield ""
        if after.strip():
            yield _prose(textwrap.dedent(after))
            yield ""


def _prose(text: str) -> str:
    """Write a docstring's text as Markdown; an indented example is a block."""
    paragraphs: list[str] = []
    for paragraph in text.strip().split("\n\n"):
        if paragraph.startswith("    "):
            block = textwrap.dedent(paragraph)
            if paragraphs and paragraphs[-1].endswith("\n```"):
                paragraphs[-1] = f"{paragraphs[-1][:-4]}\n\n{block}\n```"
            else:
                paragraphs.append(f"```text\n{block}\n```")
        else:
            paragraphs.append(_plain(paragraph))
    return "\n\n".join(paragraphs)


def _plain(text: str) -> str:
    text = _ROLE.sub(r"`\1`", text).replace("``", "`").replace("::", ":")
    return re.sub(r"\s*\n\s*", " ", text).strip()


def _anchor(heading: str) -> str:
    return heading.lower().replace(".", "")


def main() -> None:
    """Write the page."""
    unfinished = PAGE.with_name(f"{PAGE.name}.part")
    unfinished.write_text(page(), encoding="utf-8")
    unfinished.replace(PAGE)


if __name__ == "__main__":
    main()
