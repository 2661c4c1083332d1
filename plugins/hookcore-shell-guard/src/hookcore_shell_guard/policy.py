"""The plugin: a gate at ``pre_tool_call``."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar, Final, Literal

from hookcore import HookAborted, ToolCallContext, hookimpl, sanitize_tool_name

from ._judge import OPAQUE, Policy, Verdict, foreign, preset_rule
from ._rules import compile_rules
from .commands import Segment, segments
from .presets import Place, preset_named
from .settings import ShellGuardSettings
from .tools import SHELL_TOOLS, ShellCommand, UnreadableCommandError, commands_of

__all__ = ["ShellGuard", "Verdict"]

_NAME: Final = "shell-guard"


class ShellGuard:
    """Lets a shell command through, stops it or asks, by what each of its segments runs.

    Args:
        settings: which commands are let through.

    Raises:
        ValueError: a rule does not compile, when the settings were made without validation.
    """

    Settings: ClassVar[type[ShellGuardSettings]] = ShellGuardSettings
    on_error: ClassVar[Literal["deny"]] = "deny"

    def __init__(self, settings: ShellGuardSettings) -> None:
        rules, problems = compile_rules(settings.rules)
        if problems:
            raise ValueError("; ".join(problems))
        for name in settings.preset:
            preset_named(name)  # a host waits for it at its start, not at the first call
        self._settings = settings
        self._policy = Policy(settings.preset, rules, settings.on_match, settings.opaque)
        self._tools = {
            sanitize_tool_name(name): tuple(arguments) for name, arguments in settings.tools.items()
        }
        self._home = str(Path.home())
        roots = (posixpath.normpath(Path(path).expanduser()) for path in settings.project)
        # The nearest root is the longest one that fits.
        self._roots = sorted(roots, key=len, reverse=True)
        self.pre_tool_call = self._hook(waits=_asks(settings))

    @property
    def tool_patterns(self) -> list[str]:
        """The tools that it judges, which ``hookctl doctor`` compares with the tools it saw."""
        return [*SHELL_TOOLS, *self._settings.tools]

    @property
    def rule_names(self) -> list[str]:
        """The rules that deny or ask, which the operator may have monitored one by one."""
        ruled = [rule.where for rule in self._policy.rules if rule.effect != "allow"]
        return [*map(preset_rule, self._policy.presets), *ruled, OPAQUE]

    def _hook(self, *, waits: bool) -> Callable[[ToolCallContext], None]:
        """Return the gate; what may wait for a person does so beside an event loop, not in it."""

        def pre_tool_call(ctx: ToolCallContext) -> None:
            self._check(ctx)

        # A hook's options are fixed where it is marked, and the settings choose this one.
        marked: Callable[[ToolCallContext], None] = hookimpl(gate=True, offload=waits)(
            pre_tool_call
        )
        return marked

    def _check(self, ctx: ToolCallContext) -> None:
        """Let the call through, or abort it; ask a person first where the settings say so.

        Args:
            ctx: the call; its tool name, its arguments and its ``cwd`` attribute are judged.

        Raises:
            HookAborted: the policy denies the call, or asked and got no yes.
        """
        given = ctx.attributes.get("cwd")
        cwd = given if isinstance(given, str) else None
        verdict = self.judge(ctx.tool_name, ctx.tool_input, cwd)
        policy = self._policy
        while verdict is not None and not ctx.enforces(_abort(verdict)):
            policy = policy._replace(passed=policy.passed | {verdict.rule})
            verdict = self._judge(policy, ctx.tool_name, ctx.tool_input, cwd)
        if verdict is None:
            return
        if verdict.effect == "ask":
            try:
                answer = ctx.request_human_input(
                    f"{_NAME}: {verdict.message} ({verdict.reason}) Run it? [y/N]", "n"
                )
            except HookAborted as unanswered:
                unanswered.rule = unanswered.rule or verdict.rule
                raise
            if answer.strip().lower() in ("y", "yes"):
                return
        raise _abort(verdict)

    def judge(
        self, tool_name: str | None, arguments: object, cwd: str | None = None
    ) -> Verdict | None:
        """Judge one call without a host, for example in a test of your settings.

        Args:
            tool_name: the tool's name as the model wrote it.
            arguments: the call's arguments, a dict.
            cwd: the folder that the command runs in, absolute; the process's own when left out.

        Returns:
            What is to happen and why, or None if the call is let through.
        """
        return self._judge(self._policy, tool_name, arguments, cwd)

    def _judge(
        self, policy: Policy, tool_name: str | None, arguments: object, cwd: str | None
    ) -> Verdict | None:
        if not isinstance(tool_name, str) or not tool_name:
            return None
        try:
            commands = commands_of(tool_name, arguments, self._tools)
        except UnreadableCommandError as error:
            if OPAQUE in policy.passed:
                return None
            return Verdict(
                self._settings.opaque,
                f"opaque: {error}",
                f"the command could not be read: {error}. Give it as one text.",
            )
        asked: Verdict | None = None
        for command in commands:
            verdict = self._command(policy, command, tool_name, self._place(arguments, cwd))
            if verdict is not None and verdict.effect == "deny":
                return verdict
            asked = asked or verdict
        return asked

    def judge_command(self, command: str, cwd: str | None = None) -> Verdict | None:
        """Judge the text of one command.

        Args:
            command: a command for bash.
            cwd: the folder that it runs in, absolute; the process's own when left out.

        Returns:
            What is to happen and why, or None if the command is let through.
        """
        return self._policy.judge(segments(command), self._place({}, cwd))

    def _command(
        self, policy: Policy, command: ShellCommand, tool: str, place: Place
    ) -> Verdict | None:
        if not command.foreign:
            return policy.judge(segments(command.text), place)
        if OPAQUE in policy.passed:
            return None
        # A rule may be about the shell by its name; nothing else is known of the command.
        name = sanitize_tool_name(re.split(r"__|[.:/]", tool)[-1])
        segment = Segment(name, opaque="a command for another shell", via=())
        if any(rule.effect == "allow" and rule.matches(segment) for rule in policy.rules):
            return None
        return foreign(self._settings.opaque)

    def _place(self, arguments: object, cwd: str | None) -> Place:
        start = posixpath.normpath(cwd or str(Path.cwd()))
        folder = start
        given = _folder_of(arguments)
        if given is not None:
            folder = posixpath.normpath(posixpath.join(start, Path(given).expanduser()))
        if not self._roots:
            return Place(folder, start, self._home)
        for root in self._roots:
            if folder == root or folder.startswith(root.rstrip("/") + "/"):
                return Place(folder, root, self._home)
        return Place(folder, None, self._home)


def _abort(verdict: Verdict) -> HookAborted:
    return HookAborted(verdict.reason, _NAME, verdict.message, verdict.rule)


def _asks(settings: ShellGuardSettings) -> bool:
    """Tell whether the settings can have a person asked."""
    rules = any(rule.effect == "ask" for rule in settings.rules)
    return rules or "ask" in (settings.on_match, settings.opaque)


def _folder_of(arguments: object) -> str | None:
    """Return the folder that a call's own arguments name."""
    if isinstance(arguments, Mapping):
        for name in ("workdir", "dir_path", "directory", "cwd"):
            given = arguments.get(name)
            if isinstance(given, str) and given:
                return given
    return None
