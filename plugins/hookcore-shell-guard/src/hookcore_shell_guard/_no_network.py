"""The preset ``no-network``: no program that connects to another machine."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Final

from ._code import INTERPRETERS
from ._fetching import manager_connects
from ._findings import Finding, Place
from ._git import Git, git_of
from ._hosts import CLIENTS, connects_away, is_loopback
from ._managers import ALWAYS, MANAGERS
from ._names import names
from ._options import Arguments, texts
from ._scripts import awk_outputs
from ._skim import connects, names_network
from ._versions import asks_version
from .commands import Segment, Word

_ADVICE: Final = (
    "This workspace has no network: work with what is here (localhost, local git, builds and "
    "tests are fine), and leave fetching and publishing to a person."
)
_REMOTE: Final = re.compile(r"(?:[\w.@-]*[\w.-]|\[[^\]]*\]|[\w.@-]*\[[^\]]*\]):", re.DOTALL)
_SOCAT_LOCAL: Final = re.compile(
    r"(?i)(?:-|stdio|stdin|stdout|stderr|pipe|fifo|pty|file:|open:|gopen|create|creat|exec:|system:|shell:|fd:|unix|abstract"
    r"|[\w-]*(?:-listen|-l):|(?:udp|ip)\d?-recv)"
)
_SOCAT_HOST: Final = re.compile(
    r"(?i)(?:tcp|udp|ssl|openssl|sctp|dccp)\d?(?:-connect|-datagram|-sendto)?:(.*)"
)
_GIT_FIRST: Final = {
    "submodule": ("update", "add"),
    "lfs": ("fetch", "pull", "push", "clone", "lock", "unlock", "locks"),
    "annex": ("get", "copy", "sync", "move", "assist"),
}
_GIT_CONNECTS: Final = names(
    "fetch-pack send-pack http-fetch http-push svn p4 cvsimport send-email imap-send request-pull "
    "remote-http remote-https upload-archive credential-manager credential-manager-core"
)


def forbids(segment: Segment, _: Place) -> Finding | None:
    """Return why the preset forbids a segment; None when it connects nowhere else.

    Args:
        segment: a segment that is not opaque.
        _: the surroundings of the call, which do not matter here.
    """
    program = segment.program or ""
    if not asks_version(segment) and _connects(program, segment):
        return Finding("connects to a network, or may", _ADVICE)
    return None


def forbids_around(segment: Segment, _: Place) -> Finding | None:
    """Return why the preset forbids a segment's redirections; None when it does not.

    Args:
        segment: any segment.
        _: the surroundings of the call, which do not matter here.
    """
    for redirection in segment.redirections:
        word = redirection.target
        for text in word.values or (word.head,):
            found = re.match(r"/dev/(?:tcp|udp)/([^/]*)", text)
            if found and not is_loopback(Word("", (found[1],))):
                return Finding("opens a network connection by redirection", _ADVICE)
    return None


def _connects(program: str, segment: Segment) -> bool:
    git = git_of(segment)
    if git is not None:
        return _git_connects(git)
    if program in ALWAYS:
        return True
    rule = _RULES.get(program)
    if rule is not None:
        return rule(segment)
    if program in CLIENTS:
        return connects_away(segment, CLIENTS[program]) or _database_away(segment)
    if INTERPRETERS.fullmatch(program):
        return connects(segment) or _runs_url(segment)
    return program in MANAGERS and manager_connects(MANAGERS[program], segment)


def _socat(segment: Segment) -> bool:
    operands = Arguments(segment.words, "bltTWLo").operands
    return not all(_socat_local(text) for text in texts(operands))


def _awk(segment: Segment) -> bool:
    return any("connect" in awk_outputs(text) for text in texts(segment.words))


def _pacman(segment: Segment) -> bool:
    return any(re.match(r"-S|--sync", text) for text in texts(segment.words))


def _gradle(segment: Segment) -> bool:
    return manager_connects(MANAGERS["gradle"], segment)


def _maven(segment: Segment) -> bool:
    return manager_connects(MANAGERS["mvn"], segment)


def _looks_up(segment: Segment) -> bool:
    if segment.program == "getent":
        return texts(segment.words[:1]) in (["hosts"], ["ahosts"], ["ahostsv4"], ["ahostsv6"])
    found = Arguments(segment.words)
    return found.has(
        "", "--recv-keys", "--receive-keys", "--search-keys", "--send-keys", "--refresh-keys",
        "--keyserver", "--fetch-keys", "--locate-keys", "--locate-external-keys",
    )  # fmt: skip


def _runs_url(segment: Segment) -> bool:
    """Tell that deno or bun runs a program from a URL, or is a package manager here."""
    if segment.program in ("deno", "bun"):
        return manager_connects(MANAGERS[segment.program], segment) or any(
            re.match(r"(?:https?://|npm:|jsr:)", text) for text in texts(segment.words[:4])
        )
    return segment.program == "php" and any(
        names_network(text) for text in texts(segment.words[:1])
    )


def _openssl(segment: Segment) -> bool:
    words = segment.words
    name = words[0].text if words else ""
    if name is None:
        return True
    if name in ("s_client", "s_time", "ocsp", "cmp"):
        hosts = [
            after
            for before, after in pairwise(words)
            if before.text in ("-connect", "-host", "-url", "-server", "-proxy")
        ]
        return not hosts or not all(is_loopback(word) for word in hosts)
    return False


def _database_away(segment: Segment) -> bool:
    """Tell that a variable before a database's client names another machine."""
    return any(
        name
        in ("PGHOST", "PGHOSTADDR", "PGSERVICE", "MYSQL_HOST", "DATABASE_URL", "REDISCLI_AUTH_HOST")
        and not is_loopback(value)
        and not (value.text or "").startswith("/")
        for name, value in segment.environment.items()
    )


def _copies_away(segment: Segment) -> bool:
    short = "eBfTM" if segment.program == "rsync" else "cDFiJloPSX"
    found = Arguments(
        segment.words, short,
        ("--rsh", "--exclude", "--include", "--filter", "--exclude-from", "--include-from",
         "--files-from", "--backup-dir", "--suffix", "--compare-dest", "--link-dest", "--temp-dir",
         "--log-file", "--max-size", "--min-size", "--bwlimit", "--timeout", "--chmod", "--port"),
    )  # fmt: skip
    if segment.more:
        return True
    for word in found.operands:
        if not word.values and not word.head.startswith(("/", "./", "../")):
            return True
        for text in word.values:
            host = _REMOTE.match(text)
            if "://" in text or (
                host and not is_loopback(Word("", (host[0][:-1].rsplit("@", 1)[-1],)))
            ):
                return True
    return False


def _socat_local(text: str) -> bool:
    host = _SOCAT_HOST.match(text)
    if _SOCAT_LOCAL.match(text):
        return True
    if host:
        return is_loopback(Word("", (host[1].split(",")[0],)))
    return "/" in text and ":" not in text


def _git_connects(git: Git) -> bool:
    name = git.name
    if name is None:
        return True
    if name in ("push", "pull", "fetch", "clone", "ls-remote"):
        return _git_transfers(name, git)
    if name == "remote":
        return _git_remote(git, git.arguments())
    if name in _GIT_FIRST:
        return git.first() in _GIT_FIRST[name] and not git.arguments().has("N", "--no-fetch")
    fetches = name == "maintenance" and any("prefetch" in text for text in texts(git.words))
    remote = name == "archive" and git.arguments().has("", "--remote")
    return fetches or remote or name in _GIT_CONNECTS


def _git_remote(git: Git, found: Arguments) -> bool:
    first = git.first()
    if first == "show":
        return not found.has("n") and len(found.operands) > 1
    return (
        first in ("update", "prune")
        or (first == "add" and found.has("f", "--fetch"))
        or (first == "set-head" and found.has("a", "--auto"))
    )


def _git_transfers(name: str, git: Git) -> bool:
    """Tell that a transfer goes to another machine; a path is a repository here."""
    found = git.arguments()
    if found.has("", "--help"):
        return False
    repositories = found.values("", "--repo") or found.operands[:1]
    if name == "fetch" and found.has("", "--all", "--multiple"):
        return True
    if not repositories:
        return True
    return not all(_is_local_path(word) for word in repositories)


def _is_local_path(word: Word) -> bool:
    given = word.values or (word.head,)
    return all(re.match(r"(?:/|\.{1,2}(?:/|$)|~/|file://)", text) for text in given)


_RULES: Final[dict[str, Callable[[Segment], bool]]] = {
    "openssl": _openssl,
    "socat": _socat,
    **dict.fromkeys(("gpg", "gpg2", "getent"), _looks_up),
    **dict.fromkeys(("rsync", "scp"), _copies_away),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
    **dict.fromkeys(("pacman", "yay", "paru"), _pacman),
    "gradlew": _gradle,
    "mvnw": _maven,
}
