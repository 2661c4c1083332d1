"""``hookctl set``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from hookcore.config.model import dotted

from ..completing import keys_to_set, plugins
from ..examples import examples
from ..failure import UsageError

if TYPE_CHECKING:
    from hookcore.config.model import KeyPath

    from ..settings.edits import Edit
    from ..settings.writing import Target


@click.command(
    "set",
    epilog=examples(
        "hookctl set tool-policy 'deny+=delete_*'",
        'hookctl set tool-policy default=deny \'allow=["read_*", "search"]\'',
        "hookctl set webhook-audit url",
    ),
)
@click.argument("name", shell_complete=plugins)
@click.argument(
    "changes", nargs=-1, required=True, metavar="KEY=VALUE...", shell_complete=keys_to_set
)
@click.option("--user", is_flag=True, help="Write your own configuration, not the project's.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def command(name: str, changes: tuple[str, ...], user: bool, as_json: bool) -> None:
    """Change the settings of a plugin.

    KEY=VALUE sets, KEY+=VALUE adds to a list and KEY-=VALUE takes out of one. A value is TOML, and
    what is no TOML is text. KEY alone asks for the value, or reads a line of standard input: so a
    secret comes into no shell's history. A list that is not configured yet begins as the plugin's
    own. What the plugin's schema forbids is refused; comments and order stay. No plugin's code is
    imported: 'hookctl info NAME' shows the settings, 'hookctl doctor' tries them.
    """
    from ..settings.edits import changed
    from ..settings.writing import Target, change_settings

    target = Target(name, user=user)
    edits = [_edit(target, text) for text in changes]

    def worked_out() -> dict[KeyPath, object]:
        try:
            return changed(target.before(), edits, target.schema)
        except UsageError as error:
            raise UsageError(f"{target.name} stays as it is: {error.message}") from error

    change_settings(target, worked_out, as_json=as_json)


def _edit(target: Target, text: str) -> Edit:
    from ..settings.edits import Edit, edit_of, node_at, path_of
    from ..settings.nodes import items_of

    if "=" in text:
        return edit_of(text)
    path = path_of(text)
    node = node_at(target.schema, path)
    secret = target.is_hidden(path)
    if sys.stdin.isatty():
        value = click.prompt(f"{target.name}: {dotted(path)}", hide_input=secret, err=True)
    else:
        value = sys.stdin.readline().rstrip("\r\n")
        if not value:
            raise UsageError(f"{dotted(path)} has no value: write it after a =, or pipe it in")
    is_list = node is not None and items_of(node, target.schema or {}) is not None
    return Edit(path, "+=" if is_list else "=", value)
