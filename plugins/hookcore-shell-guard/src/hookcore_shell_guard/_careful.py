"""The preset ``careful``: nothing that cannot be undone, nothing that leaves the project."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ._careful_git import loses_work
from ._careful_paths import (
    removes_too_much,
    sensitive,
    spreads_too_far,
    sweeps_too_much,
)
from ._code import INTERPRETERS
from ._data import DATABASES, drops_data, drops_in_code
from ._findings import Finding, Place
from ._git import git_of
from ._names import names
from ._options import Arguments, texts
from ._published import leaves_project
from ._versions import asks_version
from ._writes import in_place, written_paths
from .commands import Segment

_PERSON: Final = "Leave it to a person, or choose a step that can be undone."
_RIGHTS: Final = names("sudo su doas pkexec run0 runuser sg gosu su-exec sudoedit visudo")
_STOPS: Final = names("shutdown reboot halt poweroff telinit killall killall5 pkill skill xkill")
_DISKS: Final = names("""
    wipefs fdisk sfdisk cfdisk gdisk sgdisk parted partprobe blkdiscard mkswap hdparm cryptsetup
    lvremove vgremove pvremove zpool zfs mdadm diskutil badblocks shred srm wipe format diskpart
    deltree dmsetup nvme
    """)
_DISK_READS: Final = frozenset(
    {
        "-l",
        "--list",
        "list",
        "status",
        "info",
        "print",
        "get",
        "--help",
        "-h",
        "--version",
        "id-ctrl",
    }
)
_ACCOUNTS: Final = names("userdel deluser groupdel delgroup")
_DEVICES: Final = re.compile(
    r"/dev/(?!null$|std(?:in|out|err)$|tty$|fd/|zero$|full$|shm/|tcp/|udp/|random$|urandom$|pts/)"
)


def forbids(segment: Segment, place: Place) -> Finding | None:
    """Return why the preset forbids a segment; None when it can be undone.

    Args:
        segment: a segment that is not opaque.
        place: the surroundings of the call.
    """
    program = segment.program or ""
    if asks_version(segment):
        return None
    git = git_of(segment)
    if git is not None:
        return Finding(*_GIT) if loses_work(git, segment) else None
    rule = _RULES.get(program) or _RULES.get(program.removesuffix(".exe"))
    return (
        (rule(segment, place) if rule is not None else None)
        or _by_name(program, segment)
        or _by_data(program, segment)
        or _writes_badly(segment, place)
    )


def _by_name(program: str, segment: Segment) -> Finding | None:
    if program in _RIGHTS:
        return Finding("raises rights", "Run it without, or leave it to a person.")
    if program in _STOPS or program in _ACCOUNTS:
        return Finding("stops or removes more than one named thing", _ONE_PROCESS)
    if program in _DISKS or program.startswith(("mkfs", "mke2fs", "newfs")):
        if not _DISK_READS.intersection(texts(segment.words[:2])):
            return Finding("destroys what cannot be brought back", _PERSON)
    elif leaves_project(program, segment):
        return Finding("publishes, deploys or deletes what lies outside the project", _PERSON)
    return None


def _by_data(program: str, segment: Segment) -> Finding | None:
    client = program in DATABASES and drops_data(segment)
    if client or (INTERPRETERS.fullmatch(program) and drops_in_code(segment)):
        return Finding(*_DATA)
    return None


def forbids_around(segment: Segment, place: Place) -> Finding | None:
    """Return why the preset forbids a segment's redirections; None when it does not.

    Args:
        segment: any segment.
        place: the surroundings of the call.
    """
    for redirection in segment.redirections:
        word = redirection.target
        if not redirection.writes:
            continue
        for text in word.values or (word.head,):
            if _DEVICES.match(text) or sensitive(text, word, segment, place):
                return Finding(*_SENSITIVE)
    return None


_ONE_PROCESS: Final = "Stop one process by its number: kill PID."
_DATA: Final = ("drops or empties data", "Select first, and leave the removal to a person.")
_GIT: Final = (
    "loses work or changes a remote in a way that cannot be undone",
    "Keep a way back: git stash, a new branch, a plain push; name single files.",
)
_SENSITIVE: Final = (
    "writes to a device or to settings that lie outside the project",
    "Write below the project folder.",
)


def _rm(segment: Segment, place: Place) -> Finding | None:
    if removes_too_much(segment, place):
        return Finding(
            "removes more than named files inside the project",
            "Name the folders to remove, inside the project.",
        )
    return None


def _rmdir(segment: Segment, _: Place) -> Finding | None:
    if any(text.lower() in ("/s", "/q", "/f") for text in texts(segment.words)):
        return Finding(
            "removes a folder with all that is below",
            "Name the folders to remove, inside the project.",
        )
    return None


def _find(segment: Segment, place: Place) -> Finding | None:
    if any(text == "-delete" for text in texts(segment.words)) and sweeps_too_much(segment, place):
        return Finding(
            "deletes what a find without a narrow test finds, or outside the project",
            "Add -name or a like test before -delete, and start inside the project.",
        )
    return None


def _chmod(segment: Segment, place: Place) -> Finding | None:
    if spreads_too_far(segment, place):
        return Finding(
            "changes the rights of everything below",
            "Name the files or folders inside the project.",
        )
    return None


def _kill(segment: Segment, _: Place) -> Finding | None:
    given = texts(segment.words)
    everything = given in (["-1"], ["--", "-1"]) or "-1" in given[1:] or given[-1:] == ["1"]
    if everything and not (len(given) > 1 and given[0] == "-l"):
        return Finding("ends every process", _ONE_PROCESS)
    return None


def _systemctl(segment: Segment, _: Place) -> Finding | None:
    stops = {"poweroff", "reboot", "halt", "kexec", "suspend", "hibernate", "rescue", "emergency"}
    if stops.intersection(texts(Arguments(segment.words).operands[:1])):
        return Finding("stops the machine", _PERSON)
    return None


def _init(segment: Segment, _: Place) -> Finding | None:
    if texts(segment.words[:1])[:1] in (["0"], ["6"], ["1"]):
        return Finding("stops the machine", _PERSON)
    return None


def _crontab(segment: Segment, _: Place) -> Finding | None:
    if Arguments(segment.words, "u").has("r"):
        return Finding("removes all scheduled commands", _PERSON)
    return None


def _dropdb(segment: Segment, _: Place) -> Finding | None:
    if segment.program == "mysqladmin" and "drop" not in texts(segment.words):
        return None
    return Finding(*_DATA)


def _dd(segment: Segment, _: Place) -> Finding | None:
    for word in segment.words:
        head = word.text if word.text is not None else word.head
        if head.startswith("of=") and (word.text is None or _DEVICES.match(head[3:])):
            return Finding(
                "writes to a device, or to a target that is only known when it runs",
                "Name a file inside the project.",
            )
    return None


def _mv(segment: Segment, _: Place) -> Finding | None:
    if texts(segment.words[-1:]) == ["/dev/null"]:
        return Finding("destroys what it moves", "Name the files to remove, inside the project.")
    return None


def _frameworks(segment: Segment, _: Place) -> Finding | None:
    if any(
        re.fullmatch(
            r"db:(?:drop|reset|purge|wipe)(?::.*)?|migrate:(?:fresh|reset)|flush|reset_db", text
        )
        for text in texts(segment.words[:3])
    ):
        return Finding(*_DATA)
    return None


Rule = Callable[[Segment, Place], "Finding | None"]
_RULES: Final[dict[str, Rule]] = {
    "rm": _rm,
    "unlink": _rm,
    "trash": _rm,
    "rimraf": _rm,
    "del": _rmdir,
    "erase": _rmdir,
    "rmdir": _rmdir,
    "rd": _rmdir,
    "find": _find,
    "chmod": _chmod,
    "chown": _chmod,
    "chgrp": _chmod,
    "kill": _kill,
    "systemctl": _systemctl,
    "loginctl": _systemctl,
    "init": _init,
    "crontab": _crontab,
    "dropdb": _dropdb,
    "dropuser": _dropdb,
    "mysqladmin": _dropdb,
    "dd": _dd,
    "dcfldd": _dd,
    "mv": _mv,
    "rails": _frameworks,
    "rake": _frameworks,
    "php": _frameworks,
    "artisan": _frameworks,
    "python": _frameworks,
    "python3": _frameworks,
    "manage.py": _frameworks,
    "django-admin": _frameworks,
}


def _writes_badly(segment: Segment, place: Place) -> Finding | None:
    if segment.program in ("chmod", "chown", "chgrp", "mkdir") or not segment.program:
        return None
    if segment.program in ("sed", "gsed", "perl") and not in_place(segment):
        return None
    for text, word in written_paths(segment):
        copies = segment.program in ("tee", "cp", "sponge")
        if sensitive(text, word, segment, place) or (copies and _DEVICES.match(text)):
            return Finding(*_SENSITIVE)
    return None
