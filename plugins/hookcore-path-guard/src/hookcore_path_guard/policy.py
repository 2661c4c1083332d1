"""The plugin: a gate at ``pre_tool_call``."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import ClassVar, Final, Literal

from hookcore import HookAborted, ToolCallContext, hookimpl, sanitize_tool_name
from hookcore_shell_guard.tools import UnreadableCommandError, command_arguments, commands_of

from ._calls import Call
from ._judge import PathJudge
from ._project import absolute, project_folder
from ._protected import Protected
from ._refusals import Denial, Refusal
from ._roots import Root, RootError
from ._tools import plan_for
from ._walk import walk
from .settings import PathGuardSettings

__all__ = ["PathGuard"]

_NAME: Final = "path-guard"
_PLANS_KEPT: Final = 4096
_MAX_NAME: Final = 256


class PathGuard:
    """Lets a tool call through only if every path in it stays where the settings say.

    Args:
        settings: where tools may read and write.

    Raises:
        ValueError: a folder in the settings is missing or holds far more than a project, or this
            system's paths are not POSIX paths.
    """

    Settings: ClassVar[type[PathGuardSettings]] = PathGuardSettings
    on_error: ClassVar[Literal["deny"]] = "deny"

    def __init__(self, settings: PathGuardSettings) -> None:
        if os.name != "posix":
            raise ValueError("path-guard reads POSIX paths only, and this system has others")
        working = os.getcwd()  # noqa: PTH109 - a string, as every path here
        project = absolute(settings.project or project_folder(working), working)
        read = _roots(settings.read, "read", project)
        write = _roots(settings.write, "write", project)
        self._judge = PathJudge(read, write, Protected(settings.protected))
        self._settings = settings
        tools = {sanitize_tool_name(name): table for name, table in settings.tools.items()}
        # Names come from a model, so what is remembered about them is bounded.
        commands = {sanitize_tool_name(name): (key,) for name, key in settings.commands.items()}
        self._commands = commands
        self._named = frozenset(tools) | frozenset(commands)
        self._plan = lru_cache(_PLANS_KEPT)(
            lambda name: plan_for(
                name, tools, runs_commands=bool(command_arguments(name, commands))
            )
        )

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        """Let the call through, or abort it.

        Args:
            ctx: the call; its tool name, its arguments, ``attributes["cwd"]`` and
                ``attributes["tool_aliases"]`` are judged.

        Raises:
            HookAborted: a path of the call leads where it may not.
        """
        known = ctx.attributes
        denial = self.judge(
            ctx.tool_name, ctx.tool_input, known.get("cwd"), aliases=known.get("tool_aliases")
        )
        if denial is not None:
            raise HookAborted(reason=denial.reason, source=_NAME, message=denial.message)

    def judge(
        self,
        tool_name: str | None,
        arguments: object,
        cwd: object = None,
        *,
        aliases: object = None,
    ) -> Denial | None:
        """Judge one call without a host, for example in a test of your settings.

        Args:
            tool_name: the tool's name as the model wrote it.
            arguments: the call's arguments, a dict.
            cwd: the call's working folder, absolute; None for the process's.
            aliases: the name or names that the tool has where it is better known, as a bridge
                between two runtimes gives them; None for none.

        Returns:
            Why the call is denied, or None if it is let through.
        """
        self._judge.refresh()
        where = "the tool's name"
        try:
            names = self._names(tool_name, aliases)
            where = "the working folder"
            call = Call(self._judge, _start(cwd))
            try:
                for name in names:
                    self._check(call, name, arguments)
            except Refusal:
                where = call.where
                raise
        except Refusal as refusal:
            return refusal.denial(where)
        return None

    def _names(self, tool_name: str | None, aliases: object) -> tuple[str, ...]:
        """Return the names to judge a call by: those of a bridge, unless the operator named it."""
        given = (aliases,) if isinstance(aliases, str) else aliases or ()
        if not isinstance(given, list | tuple | set | frozenset):
            raise Refusal("name")
        names = (tool_name, *given)
        for name in names:
            if not isinstance(name, str) or not 0 < len(name) <= _MAX_NAME:
                raise Refusal("name")
        own = names[:1]
        is_named = not self._named.isdisjoint(map(sanitize_tool_name, own))
        return own if is_named or len(names) == 1 else names[1:]

    def _check(self, call: Call, tool_name: str, arguments: object) -> None:
        plan = self._plan(tool_name)
        if not plan.runs_commands:
            call.check(plan, arguments)
        elif self._settings.shell:
            # Only a command needs the grammar, and only a judgement needs either.
            from ._shell import ShellCall

            unknown = self._settings.unknown == "allow"
            start = call.folder(plan, arguments)
            call.where = "the command"
            try:
                commands = commands_of(tool_name, arguments, self._commands)
            except UnreadableCommandError as error:
                raise Refusal("opaque") from error
            for command in commands:
                if not command.foreign:
                    ShellCall(self._judge, call, start, unknown=unknown).check(command.text)
                elif not unknown:
                    raise Refusal("opaque")


def _roots(paths: list[str], key: str, project: str) -> list[Root]:
    """Return the roots of one setting; all that are wrong are named in one error."""
    roots: list[Root] = []
    problems: list[str] = []
    for path in paths:
        try:
            roots.append(Root(absolute(path, project), key))
        except RootError as error:
            problems.append(str(error))
    if problems:
        raise ValueError("; ".join(problems))
    return roots


def _start(cwd: object) -> str:
    """Return the place of a call's working folder.

    Raises:
        Refusal: the host gave something that is no absolute path.
    """
    if cwd is None:
        return walk(os.getcwd())  # noqa: PTH109 - a string, as every path here
    if not isinstance(cwd, str | os.PathLike):
        raise Refusal("folder")
    text = os.fspath(cwd)
    if not isinstance(text, str) or text[:1] != "/" or "\0" in text:
        raise Refusal("folder")
    return walk(text)
