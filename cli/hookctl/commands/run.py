"""``hookctl run``."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hookcore.naming.suggest import did_you_mean

from ..examples import examples
from ..failure import BrokenError, UsageError

if TYPE_CHECKING:
    from hookcore.hosting.auto import Wish

_WITH_A_VALUE = ("--require", "--record")


class _Command(click.Command):
    """A command whose own options end where the program begins, as those of ``python`` do."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own, program = _split(args)
        return super().parse_args(ctx, [*own, "--", *program])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return ["[OPTIONS]", "(PROGRAM | -m MODULE)", "[ARGUMENTS]..."]


def _split(args: list[str]) -> tuple[list[str], list[str]]:
    """Return the command's own arguments, and those from the program on."""
    at = 0
    while at < len(args):
        word = args[at]
        if word == "--":
            return args[:at], args[at + 1 :]
        if word == "-" or not word.startswith("-"):
            return args[:at], args[at:]
        if not word.startswith("--") and "m" in word:
            is_alone = not word.partition("m")[2]
            end = at + (2 if is_alone else 1)
            return args[:end], args[end:]
        at += 2 if word in _WITH_A_VALUE else 1
    return args, []


@click.command(
    "run",
    cls=_Command,
    epilog=examples(
        "hookctl run app.py --its-own arguments",
        "hookctl run -m my_package.main",
        "hookctl run --require langchain app.py",
        "hookctl run --record traffic.jsonl app.py",
        'eval "$(hookctl run --env)"; python app.py',
    ),
)
@click.option("-m", "module", metavar="MODULE", help="Run a module, as 'python -m' does.")
@click.option(
    "--require",
    multiple=True,
    metavar="HOST",
    help="Fail when this adapter has not come into force; 'hookctl hosts' lists them.",
)
@click.option(
    "--record",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Record what goes through the points, redacted, for 'hookctl replay'.",
)
@click.option("--accept-untested", is_flag=True, help="Govern untested versions of runtimes, too.")
@click.option("-q", "--quiet", is_flag=True, help="Do not say what came into force.")
@click.option(
    "--env", "as_environment", is_flag=True, help="Print the variables that govern any Python."
)
@click.argument("program", nargs=-1, type=click.UNPROCESSED)
def command(
    *,
    module: str | None,
    require: tuple[str, ...],
    record: Path | None,
    accept_untested: bool,
    quiet: bool,
    as_environment: bool,
    program: tuple[str, ...],
) -> None:
    """Run a Python program, not a line of which is changed, under the enabled policies.

    The adapter of each runtime is installed when the program imports that runtime. The program
    has the arguments, exit code, signals and tracebacks that it has under 'python'. The Pythons
    that it starts are governed as well, unless it takes HOOKCORE_AUTO or PYTHONPATH from them.

    Exits with 3 when a policy cannot be loaded, before the program begins, and with 1 when an
    adapter that --require names has not come into force by its end.
    """
    from hookcore.hosting.auto import RUN, Wish, environment_for

    wish = Wish(quiet=quiet, accept_untested=accept_untested, require=require)
    if as_environment:
        if module is not None or program or require or record:
            raise UsageError("--env prints variables and runs no program: give it no other")
        for name, value in environment_for(wish).items():
            if name != RUN:
                click.echo(f"export {name}={shlex.quote(value)}")
        return
    _check_python()
    _check_hosts(require)
    _execute([*_flags(), *_called(module, program)], wish, _recording(record))


def _recording(file: Path | None) -> dict[str, str]:
    """Return the variables that have traffic recorded in a file."""
    if file is None:
        return {}
    if not file.absolute().parent.is_dir():
        raise UsageError(f"{file}: there is no folder {file.absolute().parent}")
    return {"HOOKCORE_RECORD__ENABLED": "true", "HOOKCORE_RECORD__FILE": str(file.absolute())}


def _called(module: str | None, program: tuple[str, ...]) -> list[str]:
    """Return Python's arguments for the program."""
    if module is not None:
        return ["-m", module, *program]
    if not program:
        raise UsageError("name a program, or a module with -m")
    if program[0] != "-" and not Path(program[0]).exists():
        raise UsageError(f"{program[0]}: no such file; a module is run with -m")
    return [*(["--"] if program[0].startswith("-") and program[0] != "-" else []), *program]


def _check_python() -> None:
    flags = sys.flags
    if flags.ignore_environment or flags.no_site:
        raise UsageError(
            "with -E, -I or -S Python reads no environment or no site: it cannot be governed from "
            "its start"
        )


def _check_hosts(required: tuple[str, ...]) -> None:
    """Refuse what cannot come into force, before anything runs."""
    if not required:
        return
    from hookcore.hosting import installed_hosts

    found = {host.name: host for host in installed_hosts()}
    for name in required:
        if name not in found:
            raise UsageError(f"no host named {name} is installed{did_you_mean(name, found)}")
        host = found[name]
        if host.host is None:
            raise BrokenError(f"{name} is broken: {host.problem}")
        if host.installed is None:
            raise BrokenError(f"{name} governs {host.host.runtime}, which is not installed")


def _flags() -> list[str]:
    """Return the options of Python itself that this process was started with."""
    found: list[str] = []
    words = iter(sys.orig_argv[1:])
    for word in words:
        if not word.startswith("-"):
            break
        if word in {"-W", "-X", "--check-hash-based-pycs"}:
            found += [word, next(words, "")]
        elif word.startswith(("-W", "-X", "--")):
            found.append(word)
        else:
            letters = re.split("[cm]", word[1:], maxsplit=1)[0]
            found += [f"-{letters}"] if letters else []
            if letters != word[1:]:  # what follows names the program
                break
    return found


def _execute(arguments: list[str], wish: Wish, more: dict[str, str]) -> None:
    from hookcore.hosting.auto import environment_for

    environment = {**os.environ, **environment_for(wish), **more}
    sys.stdout.flush()
    sys.stderr.flush()
    called = [sys.executable, *arguments]
    if os.name == "nt":  # there a program that replaces this one is none that a shell waits for
        raise SystemExit(subprocess.call(called, env=environment))  # noqa: S603 - the user's program
    os.execve(sys.executable, called, environment)  # noqa: S606 - the user's program
