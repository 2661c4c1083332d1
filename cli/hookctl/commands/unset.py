"""``hookctl unset``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hookcore.config import read_tables
from hookcore.config.model import dotted
from hookcore.naming.suggest import did_you_mean

from ..change import target_file
from ..completing import keys_to_unset, names_to_set
from ..examples import examples
from ..failure import UsageError

if TYPE_CHECKING:
    from hookcore.config.model import KeyPath

    from ..settings.target import Place, Target
    from ..settings.writing import Asked


@click.command(
    "unset",
    epilog=examples(
        "hookctl unset tool-policy default",
        "hookctl unset redact allow kinds --user",
        "hookctl unset tool-policy --rule 'deny:delete_*'",
        "hookctl unset hooks.verify",
    ),
)
@click.argument("name", shell_complete=names_to_set)
@click.argument("keys", nargs=-1, metavar="KEY...", shell_complete=keys_to_unset)
@click.option("--rule", metavar="RULE", help="Take out what holds for one rule of the plugin.")
@click.option("--user", is_flag=True, help="Change your own configuration, not the project's.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def command(name: str, keys: tuple[str, ...], rule: str | None, user: bool, as_json: bool) -> None:
    """Take settings of a plugin, or hookcore's options, out of the configuration.

    Their own defaults hold then. What another layer sets stays, and is told. Comments and order
    stay; no code is imported. A KEY means what it means to 'hookctl set'; --rule without a KEY
    takes out all that holds for that rule.
    """
    from ..settings.edits import path_of
    from ..settings.target import Place, Target, is_whole, place_of
    from ..settings.writing import change_keys

    if is_whole(name):
        if rule is not None:
            raise UsageError("--rule is for the keys of a plugin: hookctl unset NAME --rule RULE")
        places = [place_of(path_of(key), user=user) for key in (name, *keys)]
    else:
        target = Target(name, user=user)
        if not keys and rule is None:
            raise UsageError(f"what is to be taken out? 'hookctl info {name}' shows what is set")
        there = target.in_file()
        found = [_place(target, there, path_of(key), rule) for key in keys]
        if not keys:
            found = [Place((str(rule),), ("rules",))]
        places = [(target, place) for place in found]

    def asked() -> Asked:
        for target, place in places:
            there = target.in_file()
            if not _has(there, place.full):
                raise UsageError(_not_there(target, there, place))
        return [(target, place, None) for target, place in places]

    change_keys(asked, list({one.name: one for one, _ in places}.values()), as_json=as_json)


def _place(target: Target, there: dict[str, Any], path: KeyPath, rule: str | None) -> Place:
    """Find what is meant, also where no schema tells: what is there."""
    from ..settings.target import OPTIONS, Place

    if rule is None and target.schema is None:
        is_option = path[0] in OPTIONS and not _has(there, ("settings", *path))
        return Place(path, () if is_option else ("settings",))
    return target.place(path, rule)


def _has(table: Any, path: KeyPath) -> bool:
    for key in path:
        if not isinstance(table, dict) or key not in table:
            return False
        table = table[key]
    return True


def _not_there(target: Target, there: dict[str, Any], place: Place) -> str:
    from ..settings.target import table_at

    file, key = target_file(user=target.user), dotted(place.path)
    known = table_at(there, place.within)
    whose = f" of {target.name}" if target.name else ""
    if place.within[:1] == ("rules",) and len(place.within) > 1:
        whose = f" of the rule {place.within[1]}{whose}"
    elif place.within == ("rules",):
        key = f"the rule {key}"
    merged, _ = read_tables()
    at = merged.origins.get((*target.base, *place.full))
    if at is not None:
        return f"{file} does not set {key}{whose}: {at} does"
    return f"{file} does not set {key}{whose}{did_you_mean(place.path[-1], map(str, known))}"
