"""Package managers and their like: does a call of one connect?"""

from __future__ import annotations

from typing import Final

from ._managers import Manager
from ._names import names
from ._options import Arguments, texts
from .commands import Segment, Word

_MANAGER_VALUES: Final = names(
    "--proxy --prefix --index-url --extra-index-url --cache-dir --registry --cwd --dir --directory "
    "--project --manifest-path --working-dir --workspace --filter --root --log --timeout --retries "
    "--cert --python --gemfile --userconfig --loglevel --project-directory --project-name "
    "--context --namespace --kubeconfig --region --profile --chdir --config-file --store"
)


def manager_connects(manager: Manager, segment: Segment) -> bool:
    """Return True when a package manager or a like program is called in a way that connects.

    Args:
        manager: its subcommands.
        segment: its segment.
    """
    found = Arguments(segment.words, manager.short, _MANAGER_VALUES)
    program = segment.program
    if manager.online and found.has("H" if program == "docker" else "", *manager.online):
        return True
    offline = manager.offline and any(found.has("", option) for option in manager.offline)
    if offline or (program == "mvn" and found.has("o")):
        return False
    if program == "go":
        return _go_connects(found, manager)
    if program in ("mvn", "mvnw", "gradle", "gradlew"):
        return any(text in manager.connects for text in texts(found.operands))
    return _subcommand_connects(manager, segment, found)


def _subcommand_connects(manager: Manager, segment: Segment, found: Arguments) -> bool:
    operands = [word for word in found.operands if not (word.text or "").startswith("+")]
    if not operands:
        asks = found.has("vVh", "--version", "--help")
        return (manager.bare or segment.more) and not asks
    first = operands[0].text
    if first is None:
        return True
    pairs = {f"{first} {word.text}" for word in operands[1:3]}
    listed = first in manager.connects or bool(pairs & manager.connects)
    return listed != manager.local or _connects_by_words(first, segment, operands, found)


def _connects_by_words(
    first: str, segment: Segment, operands: list[Word], found: Arguments
) -> bool:
    """Tell that a subcommand connects with some words or options only."""
    program = segment.program
    if program in ("pip", "pip3"):
        return first == "list" and found.has("o")
    if program in ("npm", "pnpm", "yarn", "bun"):
        return first in ("init", "innit") and len(operands) > 1
    if program in ("yum", "dnf") and first == "list":
        return "--installed" not in texts(segment.words) and "installed" not in texts(operands)
    return False


def _go_connects(found: Arguments, manager: Manager) -> bool:
    names = [word.text or "" for word in found.operands]
    if not names:
        return False
    if names[0] in ("run", "install") and len(names) > 1:
        return (names[0] == "install" and not names[1].startswith(".")) or "@" in names[1]
    if names[0] == "list":
        return found.has("u")
    return names[0] in manager.connects or " ".join(names[:2]) in manager.connects
