"""``hookctl set``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from hookcore.config.model import dotted

from ..completing import keys_to_set, names_to_set
from ..examples import examples
from ..failure import UsageError

if TYPE_CHECKING:
    from ..settings.edits import Edit
    from ..settings.target import Place, Target
    from ..settings.writing import Asked


@click.command(
    "set",
    epilog=examples(
        "hookctl set tool-policy 'deny+=delete_*'",
        'hookctl set tool-policy default=deny \'allow=["read_*", "search"]\'',
        "hookctl set webhook-audit url",
        "hookctl set tool-policy mode=monitor rollout=10",
        "hookctl set tool-policy --rule 'deny:delete_*' mode=monitor",
        "hookctl set hooks.verify=enforce log.enabled=true --user",
    ),
)
@click.argument("name", shell_complete=names_to_set)
@click.argument("changes", nargs=-1, metavar="KEY=VALUE...", shell_complete=keys_to_set)
@click.option("--rule", metavar="RULE", help="Change what holds for one rule of the plugin.")
@click.option("--user", is_flag=True, help="Write your own configuration, not the project's.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def command(
    name: str, changes: tuple[str, ...], rule: str | None, user: bool, as_json: bool
) -> None:
    """Change the settings of a plugin, or hookcore's options.

    KEY=VALUE sets, KEY+=VALUE adds to a list and KEY-=VALUE takes out of one. A value is TOML, and
    what is no TOML is text. KEY alone asks for the value, or reads a line of standard input: so a
    secret comes into no shell's history. A list that is not configured yet begins as the plugin's
    own. What the plugin's schema forbids is refused; comments and order stay. No plugin's code is
    imported: 'hookctl info NAME' shows the settings, 'hookctl doctor' tries them.

    A KEY is a setting of the plugin, else one of hookcore's options for it: enabled, required,
    mode, rollout, expires, on_error, priority, timeout, points, tools, agents. With --rule it is
    mode, rollout or expires of that rule. With its whole path, such as plugins.redact.points or
    hooks.verify, it needs no NAME, and is what it says.
    """
    from ..settings.target import Target, is_whole
    from ..settings.writing import change_keys

    whole = is_whole(name)
    if not whole and "=" in name:
        key = name.partition("=")[0].rstrip("+-")
        raise UsageError(
            f"{key} of which plugin? Write its name before the key, or the whole path of the key, "
            "such as hooks.verify"
        )
    if not whole and not changes:
        raise UsageError(
            f"what is to be changed? Write KEY=VALUE after {name}: 'hookctl info {name}' shows the "
            "keys"
        )
    if whole and rule is not None:
        raise UsageError(
            "--rule is for the keys of a plugin: hookctl set NAME --rule RULE KEY=VALUE"
        )
    target = None if whole else Target(name, user=user)
    asked: Asked = []
    for text in (name, *changes) if whole else changes:
        asked.append(_asked(target, text, rule=rule, user=user))
    targets = list({one.name: one for one, _, _ in asked}.values())
    change_keys(lambda: asked, targets, as_json=as_json)


def _asked(
    target: Target | None, text: str, *, rule: str | None, user: bool
) -> tuple[Target, Place, Edit]:
    from ..settings.edits import Edit, edit_of, node_at, path_of
    from ..settings.nodes import items_of
    from ..settings.target import place_of

    edit = edit_of(text) if "=" in text else None
    path = path_of(text) if edit is None else edit.path
    if target is None:
        if not user and path[0] in {"record", "trust"}:
            raise UsageError(
                f"{dotted(path)} counts only in the system's and the user's own file: add --user"
            )
        target, place = place_of(path, user=user)
    else:
        place = target.place(path, rule)
    if edit is not None:
        return target, place, edit
    node = node_at(place.schema, place.path)
    if sys.stdin.isatty():
        ask = f"{target.name}: {dotted(path)}" if target.name else dotted(path)
        value = click.prompt(ask, hide_input=target.is_hidden(place), err=True)
    else:
        value = sys.stdin.readline().rstrip("\r\n")
        if not value:
            raise UsageError(f"{dotted(path)} has no value: write it after a =, or pipe it in")
    is_list = node is not None and items_of(node, place.schema or {}) is not None
    return target, place, Edit(path, "+=" if is_list else "=", value)
