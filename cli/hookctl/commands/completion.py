"""``hookctl completion``."""

from __future__ import annotations

import click

from ..examples import examples
from ..failure import UsageError

_VARIABLE = "_HOOKCTL_COMPLETE"


@click.command(
    "completion",
    epilog=examples(
        'eval "$(hookctl completion bash)"',
        "hookctl completion zsh > ~/.zfunc/_hookctl",
        "hookctl completion fish > ~/.config/fish/completions/hookctl.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print what makes a shell complete commands, options, plugins, points and settings.

    No plugin's code is imported when the shell asks.
    """
    from click.shell_completion import get_completion_class

    from ..main import cli

    kind = get_completion_class(shell)
    if kind is None:
        raise UsageError(f"the installed click does not know {shell}")
    complete = kind(cli, {}, "hookctl", _VARIABLE)
    click.echo(complete.source_template % complete.source_vars())
