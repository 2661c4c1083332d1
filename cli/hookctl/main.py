"""The command itself: finds a subcommand without importing the others, and ends every mistake well.

Exit codes: 0 done, 1 a gate that the caller asked for failed, 2 usage or unreadable input, 3 broken
plugin or configuration.
"""

from __future__ import annotations

import errno
import importlib
import io
import os
import sys
from pathlib import Path
from typing import Any

import click

from hookcore.config.warn import warning_once
from hookcore.disk.state import StateError, not_recording
from hookcore.errors import ConfigError, HookcoreError, PluginLoadError, RegistrationError
from hookcore.naming.suggest import did_you_mean

from .failure import BrokenError, UsageError
from .further import further_commands, load_command, origin

__all__ = ["cli", "main"]

_COMMANDS = {
    "list": ("hookctl.commands.list", "List the plugins that are installed or configured."),
    "enable": ("hookctl.commands.enable", "Switch plugins on."),
    "disable": ("hookctl.commands.disable", "Switch plugins off."),
    "set": ("hookctl.commands.set", "Change the settings of a plugin."),
    "unset": ("hookctl.commands.unset", "Take settings of a plugin away."),
    "info": ("hookctl.commands.info", "Show all that is known of one plugin."),
    "schema": ("hookctl.commands.schema", "Print the JSON Schema of a plugin's settings."),
    "points": ("hookctl.commands.points", "Show the interception points, or one point's chain."),
    "hosts": ("hookctl.commands.hosts", "List the installed hosts and what they heed where."),
    "run": ("hookctl.commands.run", "Run a Python program under the enabled policies."),
    "fire": ("hookctl.commands.fire", "Send one payload through the enabled plugins."),
    "replay": ("hookctl.replay.command", "Show what plugins would have done to transcripts."),
    "new": ("hookctl.commands.new", "Make the distribution of a new policy."),
    "check": ("hookctl.commands.check", "Check a plugin's code for common mistakes."),
    "test": ("hookctl.commands.test", "Run the cases that a plugin ships."),
    "log": ("hookctl.commands.log", "Show what hooks decided, from the log of decisions."),
    "doctor": ("hookctl.commands.doctor", "Say what is wrong, and which command mends it."),
    "config": ("hookctl.commands.config", "Show the configuration, its files and its schema."),
    "completion": ("hookctl.commands.completion", "Print the completion for a shell."),
    "trust": ("hookctl.commands.trust", "Let this project's configuration count."),
    "lock": ("hookctl.commands.lock", "Record the installed code that may be loaded."),
}
_ELSEWHERE = {
    "approvals": "hookcore-approval",
    "audit": "hookcore-audit",
    "bundle": "hookcore-bundle",
    "connect": "hookcore-bridge",
    "demo": "hookcore-agent",
    "disconnect": "hookcore-bridge",
    "hook": "hookcore-bridge",
    "mcp": "hookcore-bridge",
    "proxy": "hookcore-bridge",
    "serve": "hookcore-bridge",
}
"""Commands that the documentation speaks of, by the distribution that brings them."""
# What a shell says of a command that a signal ended; 1 would be a gate that failed.
_INTERRUPTED, _NOBODY_READS = 130, 141
_ERRORS_OF_CONFIGURATION = (ConfigError, PluginLoadError, RegistrationError, StateError)


class _Commands(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return [*_COMMANDS, *further_commands()]

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> click.Command | None:
        if cmd_name in _COMMANDS:
            command: click.Command = importlib.import_module(_COMMANDS[cmd_name][0]).command
            return command
        further = further_commands().get(cmd_name)
        return None if further is None else load_command(further)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            known = self.list_commands(ctx)
            if args[0] not in known and args[0] in _ELSEWHERE:
                brings = _ELSEWHERE[args[0]]
                ctx.fail(f"the command {args[0]} comes with {brings}: 'pip install {brings}'")
            if args[0] not in known:
                ctx.fail(f"there is no command {args[0]}{did_you_mean(args[0], known)}")
        return super().resolve_command(ctx, args)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in _COMMANDS.items()])
        further = further_commands()
        if further:
            with formatter.section("Commands of other distributions"):
                formatter.write_dl([(name, origin(entry)) for name, entry in further.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with not_recording(), warning_once():
                return super().invoke(ctx)
        except _ERRORS_OF_CONFIGURATION as error:
            raise BrokenError(str(error)) from error
        except HookcoreError as error:
            raise UsageError(str(error)) from error
        except (KeyboardInterrupt, click.Abort):
            click.echo(err=True)
            raise SystemExit(_INTERRUPTED) from None
        except BrokenPipeError:
            _drop_output()
            raise SystemExit(_NOBODY_READS) from None
        except OSError as error:
            if error.errno == errno.ENOSPC:
                _drop_output()
            raise UsageError(str(error)) from error


def _drop_output() -> None:
    # What is still in the buffer cannot be written either, and the interpreter tries at its end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if not asked or ctx.resilient_parsing:
        return
    from importlib_metadata import PackageNotFoundError, version

    try:
        click.echo(f"hookctl {version('hookcore')}")
    except PackageNotFoundError:
        click.echo("hookctl (not installed, run from its source)")
    ctx.exit()


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Run 'hookctl COMMAND --help' for a command's options and examples.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Operate the policy plugins that watch, change or stop what an AI agent does."""


def main() -> None:
    """Run ``hookctl`` with the arguments of the process, and exit."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed before the start
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - as long as the process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a narrow encoding is no reason to fail
    cli(prog_name="hookctl")
