"""The plugin: a gate at ``pre_tool_call``."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import ClassVar, Final, Literal

from hookcore import HookAborted, ToolCallContext, hookimpl, sanitize_tool_name

from ._calls import Call, parsed
from ._judge import PathJudge
from ._projects import Projects
from ._refusals import Denial, Refusal
from ._tools import ToolPlan, plan_for
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
        self._projects = Projects(settings)
        self._settings = settings
        self._tools = {sanitize_tool_name(name): table for name, table in settings.tools.items()}
        self._commands = {
            sanitize_tool_name(name): tuple(keys) for name, keys in settings.commands.items()
        }
        # Names come from a model, so what is remembered about them is bounded.
        self._plan = lru_cache(_PLANS_KEPT)(self._new_plan)

    @property
    def tool_patterns(self) -> list[str]:
        """The tools in the settings, which ``hookctl doctor`` compares with the tools it saw."""
        return [*self._settings.tools, *self._settings.commands]

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
            raise HookAborted(denial.reason, _NAME, denial.message, denial.rule)

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
        where = "the tool's name"
        try:
            names = self._names(tool_name, aliases)
            where = "the working folder"
            start = _start(cwd)
            judge = self._projects.judge_of(start)
            call = Call(judge, start)
            arguments = parsed(arguments)
            try:
                for name in names:
                    self._check(judge, call, name, arguments)
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
        for name in (tool_name, *given):
            if not isinstance(name, str) or not 0 < len(name) <= _MAX_NAME:
                raise Refusal("name")
        own = str(tool_name)
        plain = sanitize_tool_name(own) if given else ""
        return tuple(given) if given and plain not in {*self._tools, *self._commands} else (own,)

    def _new_plan(self, name: str) -> ToolPlan:
        # Importing the shell guard's package takes longer than anything else here.
        from hookcore_shell_guard.tools import command_arguments

        runs_commands = bool(command_arguments(name, self._commands))
        return plan_for(name, self._tools, runs_commands=runs_commands)

    def _check(self, judge: PathJudge, call: Call, tool_name: str, arguments: object) -> None:
        plan = self._plan(tool_name)
        if not plan.runs_commands:
            call.check(plan, arguments)
        elif self._settings.shell:
            # Only a command needs the grammar.
            from ._shell import check_commands

            start = call.folder(plan, arguments)
            unknown = self._settings.unknown == "allow"
            check_commands(
                judge, call, start, tool_name, arguments, more=self._commands, unknown=unknown
            )


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
