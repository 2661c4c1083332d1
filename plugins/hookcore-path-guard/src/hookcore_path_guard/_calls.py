"""One tool call: its path arguments, found and judged."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ._judge import READ, REMOVE, WRITE, Access, PathJudge
from ._patches import patched_files
from ._patterns import PatternJudge
from ._refusals import Refusal
from ._tools import Role, ToolPlan, plain_argument

__all__ = ["Call", "Use", "parsed", "uses_of"]

MAX_DEPTH: Final = 64
"""The deepest that arguments may be nested."""

_WRAPPERS: Final = frozenset({"toolArgs", "tool_args", "arguments"})
_ACCESS: Final[Mapping[str, Access]] = {
    "read": READ,
    "base": READ,
    "write": WRITE,
    "edit": WRITE,
    "remove": REMOVE,
}


@dataclass(frozen=True, slots=True)
class Use:
    """An argument that is a path, or holds some.

    Args:
        role: the part that it plays.
        argument: the argument's plain name, which a table names.
        value: one value of it.
        certain: whether it is a path for certain; else it is judged only if it looks like one.
    """

    role: Role
    argument: str
    value: Any
    certain: bool


def uses_of(plan: ToolPlan, arguments: object) -> list[Use]:
    """Return the arguments of a call that are paths, at any depth, in order.

    Raises:
        Refusal: the arguments are nested too deeply.
    """
    return list(_uses(plan, arguments, 0))


def parsed(arguments: object) -> object:
    """Return arguments that a host passed on as JSON in a text as what they are.

    Raises:
        Refusal: the text is no JSON.
    """
    if isinstance(arguments, dict) and len(arguments) == 1:
        [(key, inner)] = arguments.items()
        if key in _WRAPPERS and isinstance(inner, str):
            return parsed(inner)
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError) as error:
        raise Refusal("deep") from error


def _uses(plan: ToolPlan, value: object, depth: int) -> Iterator[Use]:
    if depth > MAX_DEPTH:
        raise Refusal("deep")
    if isinstance(value, dict):
        for key, inner in value.items():
            name = plain_argument(key) if isinstance(key, str) and len(key) <= MAX_DEPTH else ""
            found = plan.role(name)
            if found is None:
                if isinstance(inner, dict | list | tuple):
                    yield from _uses(plan, inner, depth + 1)
            elif inner is not None:
                yield from _values(plan, Use(found[0], name, inner, found[1]), depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            if isinstance(inner, dict | list | tuple):
                yield from _uses(plan, inner, depth + 1)


def _values(plan: ToolPlan, use: Use, depth: int) -> Iterator[Use]:
    if depth > MAX_DEPTH:
        raise Refusal("deep")
    if isinstance(use.value, list | tuple):
        for inner in use.value:
            yield from _values(plan, Use(use.role, use.argument, inner, use.certain), depth + 1)
    elif isinstance(use.value, dict):
        yield from _uses(plan, use.value, depth + 1)
    else:
        yield use


class Call:
    """Judges the path arguments of one call.

    Args:
        judge: what judges each path.
        start: the place of the call's working folder.
    """

    __slots__ = ("_judge", "_patterns", "_start", "where")

    def __init__(self, judge: PathJudge, start: str) -> None:
        self._judge = judge
        self._patterns = PatternJudge(judge)
        self._start = start
        self.where = "the call"
        """The part of the call that is being judged, for operators."""

    def check(self, plan: ToolPlan, arguments: object) -> None:
        """Check every path among the arguments.

        Raises:
            Refusal: one of them may not be used so.
        """
        uses = uses_of(plan, arguments)
        if not uses and plan.needs_path:
            raise Refusal("missing")
        start = self._base(plan, uses)
        view = plan.has_view and isinstance(arguments, dict) and arguments.get("command") == "view"
        for use in uses:
            self.where = f'argument "{use.argument}"'
            self._check(use, start, view=view)

    def folder(self, plan: ToolPlan, arguments: object) -> str:
        """Return the place where a call's command runs: a folder among the arguments, or its own.

        Raises:
            Refusal: the folder is below no root.
        """
        for use in uses_of(plan, arguments):
            if use.role == "folder":
                self.where = f'argument "{use.argument}"'
                return self._judge.folder(use.value, self._start)
        return self._start

    def _base(self, plan: ToolPlan, uses: list[Use]) -> str:
        """Return the place that patterns begin in: a folder among the arguments, or the call's."""
        for use in uses:
            if use.role == "base":
                self.where = f'argument "{use.argument}"'
                self._judge.check(use.value, READ, self._start)
                return self._judge.place(use.value, self._start)
        if plan.searches:
            self.where = "the working folder"
            return self._judge.folder(self._start, "/")
        return self._start

    def _check(self, use: Use, start: str, *, view: bool) -> None:
        if not use.certain and not _looks_like_a_path(use.value):
            return
        if use.role in _ACCESS:
            access = READ if view and use.role == "edit" else _ACCESS[use.role]
            try:
                self._judge.check(use.value, access, self._start)
            except Refusal as refusal:
                # What no file system takes is no path, where it need not be one.
                if use.certain or refusal.rule != "long":
                    raise
        elif use.role == "pattern":
            self._patterns.check_text(use.value, READ, start)
        elif use.role == "filter":
            if _leads_elsewhere(use.value):
                self._patterns.check_text(use.value.lstrip("!"), READ, start)
        elif use.role == "target":
            self.check_target(use.value, start)
        elif use.role == "patch":
            self.check_patch(use.value, start)

    def check_target(self, value: object, start: str) -> None:
        """Check what a new link leads to: later calls write through it.

        Raises:
            Refusal: it would lead out of the write roots.
        """
        try:
            self._judge.check(value, WRITE, start)
        except Refusal as refusal:
            rule = "target" if refusal.rule in {"write", "readonly"} else refusal.rule
            raise Refusal(rule, value) from refusal

    def check_patch(self, text: object, start: str, strip: int | None = None) -> None:
        """Check the files that a patch names.

        Args:
            text: the patch.
            start: the place that its names begin in.
            strip: how many components are taken off them; None when nobody said.

        Raises:
            Refusal: one of them may not be changed.
        """
        if not isinstance(text, str):
            raise Refusal("text")
        for kind, path in patched_files(text, strip):
            if kind == "target":
                self.check_target(path, start)
            else:
                self._judge.check(path, _ACCESS[kind], start)


def _looks_like_a_path(value: object) -> bool:
    """Tell whether the value of an argument that need not be a path is one."""
    if not isinstance(value, str) or not value or "\n" in value:
        return False
    text = value.strip()
    if text[:5].lower() == "file:" or text.startswith(("/", "~/", "../")):
        return True
    # Prose has spaces, and what names a scheme is not on this machine.
    return " " not in text and "://" not in text


def _leads_elsewhere(value: object) -> bool:
    """Tell whether a pattern that narrows a search could be taken for one that widens it."""
    if not isinstance(value, str):
        raise Refusal("text")
    return ".." in value or value.lstrip("! ")[:1] in {"/", "~", "\\", "$"}
