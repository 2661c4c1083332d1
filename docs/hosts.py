"""Write hosts.md, what each host of this repository fires and heeds, from their declarations.

Run it as `python docs/hosts.py`; it writes hosts.md beside this file.
"""
# ruff: noqa: INP001 - a script, no package

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hookcore.testing.conformance import CHECKS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from hookcore.hosting import Host

PAGE = Path(__file__).with_name("hosts.md")
HOSTS = Path(__file__).parents[1] / "hosts"

HEAD = """\
# Runtimes

Made by `python docs/hosts.py` from what each host declares in code. `hookctl hosts` shows it for
what is installed, `hookctl hosts NAME` point by point. Programs that are written for one of them
run [unchanged](operating.md#run-a-program-under-policies) under `hookctl run`.

| host | runtime | tested | install | modules that bring it into force |
|---|---|---|---|---|
"""
WORDS = """\
What a policy can do there: **c** change the payload in place, **r** replace it, **a** abort, **w**
wrap the operation, **told** be told. A required policy that needs more than a host gives [stops the
program](governance.md#starting-protected-or-not-at-all); for others there is a line in the log.
"""
SUPPORT = """\
## What holds

Each check of the [conformance kit](hosting.md#held-to-it-the-conformance-kit) was run on the real
runtime, in every way to start a conversation there, with a fake provider: in **s**ync ways,
**a**sync ways and **st**reams. "-" is for what the runtime does not have or the host does not
declare, a number for what does not hold, with the reason below. The programs that embed `agent` and
CrewAI are told of a denial with its reason (`HookAborted`), and let it out through
`denials_outside()`; so do the tests.
"""
_MODES = {"sync": "s", "async": "a", "stream": "st"}
_SHORT = {"change": "c", "replace": "r", "abort": "a", "wrap": "w", "answer": "answer"}


def hosts() -> list[tuple[str, Host]]:
    """Return the distributions of the repository that are hosts, and the hosts, sorted by name."""
    found = []
    for file in HOSTS.glob("*/pyproject.toml"):
        project: Any = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        for value in project.get("entry-points", {}).get("hookcore.hosts", {}).values():
            module, _, name = value.partition(":")
            found.append((project["name"], getattr(import_module(module), name)))
    return sorted(found, key=lambda pair: pair[1].name)


def page() -> str:
    """Return the text of the page."""
    found = hosts()
    lines = [HEAD.rstrip("\n"), *(_row(*pair) for pair in found), "", WORDS]
    lines += [SUPPORT, *_support([host.name for _, host in found])]
    for _, host in found:
        lines += [f"## {host.name}", "", *_table(host), ""]
    return "\n".join(lines)


def _support(names: list[str]) -> Iterator[str]:
    """Yield a table for each group of checks: what holds in which host."""
    reports: dict[str, Any] = {}
    for file in HOSTS.glob("*/tests/conformance.json"):
        reports.update(json.loads(file.read_text(encoding="utf-8")))
    tried = [name for name in names if name in reports]
    reasons: dict[str, int] = {}
    for group, checks in groupby(CHECKS, key=lambda check: check.group):
        yield f"| {group} | {' | '.join(tried)} |"
        yield f"|---|{'---|' * len(tried)}"
        for check in checks:
            cells = [_holds(reports[name], check.name, reasons) for name in tried]
            yield f"| {check.name} | {' | '.join(cells)} |"
        yield ""
    yield from (f"{number}. {reason}" for reason, number in reasons.items())
    yield ""


def _holds(report: Any, check: str, reasons: dict[str, int]) -> str:
    """Return the modes in which a check holds, and the numbers of the reasons why not."""
    found = report["checks"].get(check)
    if found is None:
        return "-"
    kept = {report["ways"][way] for way, known in found.items() if known is None}
    words = [short for mode, short in _MODES.items() if mode in kept]
    for known in found.values():
        if known is not None:
            number = str(reasons.setdefault(known, len(reasons) + 1))
            words += [] if number in words else [number]
    return " ".join(words)


def _row(distribution: str, host: Host) -> str:
    tested = "-" if host.tested is None else f">={host.tested[0]}, <{host.tested[1]}"
    modules = ", ".join(f"`{module}`" for module in host.modules) or "none: it is the runtime"
    cells = (f"[{host.name}](#{host.name})", host.runtime, tested, f"`{distribution}`", modules)
    return f"| {' | '.join(cells)} |"


def _table(host: Host) -> Iterator[str]:
    yield f"| points | {' | '.join(host.modes)} |"
    yield f"|---|{'---|' * len(host.modes)}"
    alike: dict[tuple[str, ...], list[str]] = {}
    for point, support in host.points.items():
        cells = tuple(_cell(support.get(mode)) for mode in host.modes)
        alike.setdefault(cells, []).append(f"`{point}`")
    for cells, points in alike.items():
        yield f"| {', '.join(points)} | {' | '.join(cells)} |"
    if host.without:
        yield ""
        absent = ", ".join(f"`{point}`" for point in map(str, host.without))
        yield f"The runtime has no operation for {absent}."


def _cell(answers: Any) -> str:
    if answers is None:
        return "-"
    return " ".join(_SHORT[answer] for answer in answers) or "told"


def main() -> None:
    """Write the page."""
    unfinished = PAGE.with_name(f"{PAGE.name}.part")
    unfinished.write_text(page(), encoding="utf-8")
    unfinished.replace(PAGE)


if __name__ == "__main__":
    main()
