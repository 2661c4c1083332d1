"""The checks of ``hookctl doctor`` for clients that are connected."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from hookctl.doctor import Diagnosis, error, note, warning
from hookctl.failure import BrokenError
from hookctl.further import further_commands

from ..dialects import CLIENTS as DIALECTS
from . import files, hooks, script
from .calling import called
from .client import SCOPES, Client, Off
from .clients import CLIENTS
from .http import address
from .options import project_folder
from .places import Place, broken_place, place_of
from .ready import out_of_reach, replaceable
from .strict import complaint
from .trusting import at, check_trust, read_plain
from .variables import disarming_variables

__all__ = ["check", "check_switches"]


def check() -> Iterator[Diagnosis]:
    """Check every client that is connected here: whether its hooks are in force, and their limits.

    Yields:
        The findings; none for a client that is not connected.
    """
    for name, client in CLIENTS.items():
        try:
            project = project_folder(name)
        except FileNotFoundError:  # the working folder was removed
            project = Path("/")
        found = [place_of(name, scope, project) for scope in SCOPES]
        places = [place for place in found if place is not None]
        for scope in SCOPES:
            broken = broken_place(name, scope, project)
            if broken is not None:
                file, told = broken
                fix = f"correct it, and run hookctl connect {name} --{scope}"
                yield error("broken-client", file, f"{name} has no hook of ours: {told}", fix)
        for place in places:
            yield from _check_place(place)
            yield from check_switches(place, project)
        if places:
            yield from _check_client(client, places, project)


def _check_client(client: Client, places: list[Place], project: Path) -> Iterator[Diagnosis]:
    scopes = [place.scope for place in places]
    if len(scopes) > 1:
        yield warning(
            "connected-twice",
            client.name,
            f"each call is judged twice: it is connected by --{' and --'.join(scopes)}",
            f"hookctl disconnect {client.name} --{scopes[0]}",
        )
    for place in places:
        yield from check_trust(place, project)
    if "managed" not in scopes:
        for scope in scopes:
            if scope in client.loose:
                yield note("loose", client.name, client.loose[scope], _hold(client))
    for sentence in DIALECTS[client.name].unseen:
        yield note("unseen", client.name, sentence, _see())


def _hold(client: Client) -> str:
    if client.managed is None:
        return f"{client.name} is not known to have a file of the administrator's that holds"
    return f"sudo hookctl connect {client.name} --managed"


def _see() -> str:
    if "proxy" in further_commands():
        return "'hookctl proxy' shows policies every request to the model"
    return "judge the model's requests too, with a proxy before the model"


def _check_place(place: Place) -> Iterator[Diagnosis]:
    client, file = place.client, place.file
    again = f"hookctl connect {client.name} --{place.scope}"
    if hooks.is_json(client.shape_in(place.scope)):
        strange = complaint(client.accepts, place.data)
        if strange is not None:
            line, what = strange
            yield error(
                "skipped",
                file,
                f"line {line} has {what}, and {DIALECTS[client.name].title} reads no such file: no "
                "hook in it runs",
                f"take it out of {file}",
            )
    if client.shape_in(place.scope) != "script":
        missing = [event for event in DIALECTS[client.name].events if event not in place.commands]
        if missing:
            yield error("partial", file, f"it has no hook at {', '.join(missing)}", again)
    requests = [told for told in _commands(place) if told.startswith("http://")]
    if requests:
        yield from _check_requests(place, requests, again)
    for words in {tuple(_words(place, command)) for command in _programs(place)}:
        yield from _check_command(place, words, again)
    if place.scope == "managed":
        yield from _check_listed(place, again)
        other = replaceable(file)
        if other is not None:
            yield error(
                "writable", file, f"others than root may change {other}", f"sudo chown root {other}"
            )


def _check_listed(place: Place, again: str) -> Iterator[Diagnosis]:
    """Look whether the administrator's plugin is named where the client looks for plugins."""
    listing = place.client.list_file(place.file)
    if listing is None:
        return
    named = read_plain(listing).get("plugin")
    if not isinstance(named, list) or place.file.as_uri() not in named:
        yield error("partial", listing, f"it does not name {place.file} as a plugin", again)


def _commands(place: Place) -> list[str]:
    return [command for commands in place.commands.values() for command in commands]


def _programs(place: Place) -> list[str]:
    return [told for told in _commands(place) if not told.startswith("http://")]


def _check_requests(place: Place, requests: list[str], again: str) -> Iterator[Diagnosis]:
    """Check that hooks that are HTTP requests find the daemon, and keep its token."""
    try:
        known = address(dry_run=True)
    except BrokenError as problem:
        yield error("gone", place.file, problem.message, again)
        return
    bearer = f"Bearer {known.token}"
    if any(not told.startswith(f"{known.url}/") for told in requests) or bearer not in place.text:
        told = f"it asks where no daemon of yours answers, which is {known.url}"
        yield error("gone", place.file, told, again)
    mode = files.mode_of(place.file)
    if mode is not None and mode & 0o077:
        told = "others can read the daemon's token in it"
        yield warning("readable", place.file, told, f"chmod 600 {place.file}")


def _words(place: Place, command: str) -> list[str]:
    if place.client.shape_in(place.scope) == "script":
        return script.command_in(command)
    return called(command)


def _check_command(place: Place, words: tuple[str, ...], again: str) -> Iterator[Diagnosis]:
    paths = [Path(word) for word in words if Path(word).is_absolute()]
    # Unlike Path.is_file, this also answers for a folder that is closed to us.
    gone = [path for path in paths if not os.path.isfile(path)]  # noqa: PTH113
    if gone or not words:
        told = f"it calls {gone[0]}, which is not there" if gone else "it calls nothing"
        yield error("gone", place.file, told, again)
        return
    if not os.access(words[0], os.X_OK):
        yield error("gone", place.file, f"it calls {words[0]}, which cannot be run", again)
    for path in paths if place.scope == "managed" else ():
        blocked, other = out_of_reach(path), replaceable(path)
        if blocked is not None:
            told = f"other users cannot run {path}: {blocked} is closed to them"
            yield error("out-of-reach", place.file, told, f"sudo chmod o+rx {blocked}")
        elif other is not None:
            told = f"it runs {path}, and others than root may change {other}"
            yield error("writable", place.file, told, f"sudo chown root {other}")


def check_switches(place: Place, project: Path) -> Iterator[Diagnosis]:
    """Look for files that switch the hooks of a place off.

    Args:
        place: a file with hooks of ours.
        project: the project's folder.

    Yields:
        An error for each file that does.
    """
    client = place.client
    for file, variable in disarming_variables(client, project):
        yield error(
            "variable",
            file,
            f"it sets {variable} for the programs that {client.name} starts, the hooks of "
            f"{place.file} among them: they may do nothing, or what the file's author likes",
            f"take it out of {file}, and ask why it is there",
        )
    if place.scope == "managed":
        yield from _check_managed(place)
    elif client.managed is not None:
        yield from _check_administrators(place)
    for off in client.off:
        # By their names an administrator's hooks can be switched off as well.
        if place.scope == "managed" and off.value is not None:
            continue
        for file in _files_of(off, client, project):
            told = _switched_off(off, file, place)
            if told is not None:
                yield error(
                    "off",
                    file,
                    f"{told} there keeps {client.name} from running the hooks of {place.file}",
                    f"take it out of {file}"
                    + (f", or {_hold(client)}" if client.managed and off.value is not None else ""),
                )


def _check_managed(place: Place) -> Iterator[Diagnosis]:
    shape = place.client.shape_in("managed")
    data = hooks.plain(shape, place.text)
    for path, value in place.client.managed_switches:
        if at(data, path) != value:
            yield error(
                "loose",
                place.file,
                f"without {'.'.join(path)} = {str(value).lower()} a project or an option of the "
                "command switches its hooks off",
                f"sudo hookctl connect {place.client.name} --managed",
            )


def _check_administrators(place: Place) -> Iterator[Diagnosis]:
    """Look whether the administrator lets no hooks run but those of the managed file."""
    file = place.client.file("managed", Path())
    data = {} if file is None else read_plain(file)
    for path, value in place.client.managed_off:
        if at(data, path) is value:
            yield error(
                "off",
                file,
                f"{'.'.join(path)} = {str(value).lower()} there keeps {place.client.name} from "
                f"running the hooks of {place.file}",
                _hold(place.client),
            )


def _files_of(off: Off, client: Client, project: Path) -> Iterator[Path]:
    yield from (project / name for name in off.files)
    yield from (client.home() / name for name in off.user)


def _switched_off(off: Off, file: Path, place: Place) -> str | None:
    """Return the switch as text when a file has it in the position that switches off."""
    client, value = place.client, at(read_plain(file), off.path)
    if off.value is None:
        name = hooks.name_in(client, client.shape_in(place.scope), place.text)
        is_named = isinstance(value, list) and (
            name in value or bool({*_commands(place)} & {*map(str, value)})
        )
        return f"{name} in {'.'.join(off.path)}" if is_named else None
    return f"{'.'.join(off.path)} = {str(value).lower()}" if value is off.value else None
