"""The base of the readers of all formats: the input's name, its complaints, its run names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..stream import Item

_ID_KEYS = ("run_id", "id", "instance_id", "session_id", "conversation_id", "thread_id", "trace_id")
_NUMBER_KEYS = ("task_id", "trial")


class Malformed(Protocol):
    """Told about each line or message that cannot be read."""

    def __call__(self, where: str, reason: str, /) -> None:
        """Record one complaint.

        Args:
            where: file, line and position.
            reason: why it cannot be read; never a quotation.
        """


@dataclass(slots=True)
class Names:
    """Makes the names of runs unique across all inputs."""

    asked: list[tuple[str | None, str]] | None = None
    """The names that `unique` was asked for, in order, where somebody has to ask again."""
    _seen: dict[str, int] = field(default_factory=dict)

    def unique(self, wanted: str, parent: str | None = None) -> str:
        """Reserve a name.

        Args:
            wanted: the name that the transcript suggests.
            parent: the name of the run that it is a part of.

        Returns:
            The same name, below its parent's, or with `#2`, `#3` and so on when it is taken.
        """
        if self.asked is not None:
            self.asked.append((parent, wanted))
        return self._free(wanted if parent is None else f"{parent}/{wanted}")

    def renamed(self, asked: Iterable[tuple[str | None, str]]) -> dict[str, str]:
        """Reserve what another one was asked for.

        Args:
            asked: what that was, in order.

        Returns:
            The names that are others here, by those that were given there.
        """
        there, names = Names(), dict[str, str]()
        for parent, wanted in asked:
            given = there.unique(wanted, parent)
            names[given] = self.unique(wanted, parent and names.get(parent, parent))
        return {given: name for given, name in names.items() if given != name}

    def _free(self, wanted: str) -> str:
        count = self._seen.get(wanted, 0) + 1
        self._seen[wanted] = count
        return wanted if count == 1 else self._free(f"{wanted}#{count}")


@dataclass(frozen=True, slots=True)
class TranscriptSource:
    """One input that is being read."""

    name: str
    malformed: Malformed
    names: Names

    def where(self, item: Item, rest: str = "") -> str:
        """Say where a value stands.

        Args:
            item: the value.
            rest: a position inside it.

        Returns:
            For example `runs.jsonl:3 messages[2]`.
        """
        line = "" if item.line is None else f":{item.line}"
        index = "" if item.index is None else f"[{item.index}]"
        return f"{self.name}{line}{index}{' ' if rest else ''}{rest}"

    def run_id(self, item: Item, record: Mapping[str, object]) -> str:
        """Name a run after its own identifier, or after its place.

        Args:
            item: the value that the run comes from.
            record: the object that may hold an identifier.

        Returns:
            A name that no other run of this replay has.
        """
        for key in _ID_KEYS:
            value = record.get(key)
            if isinstance(value, str) and value.strip():
                return self.names.unique(value[:_LABEL])
        numbers = [f"{key}={record[key]}" for key in _NUMBER_KEYS if _is_label(record.get(key))]
        return self.names.unique(",".join(numbers) or self._place(item))

    def _place(self, item: Item) -> str:
        stem = self.name.rsplit("/", 1)[-1].split(".", 1)[0] or self.name
        line = "" if item.line is None else f":{item.line}"
        return f"{stem}{line}" + ("" if item.index is None else f"[{item.index}]")


def scalars(record: Mapping[str, object]) -> dict[str, object]:
    """Pick what a host would put into a context's attributes.

    Args:
        record: a run's own object.

    Returns:
        Its entries that are text, numbers or booleans; long text is left out.
    """
    return {key: value for key, value in record.items() if _is_label(value)}


def _is_label(value: object) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, str) and len(value) <= _LABEL)


def text_or_none(value: object) -> str | None:
    """Keep a value that is non-empty text.

    Args:
        value: any value of a transcript.

    Returns:
        The text, or None.
    """
    return value if isinstance(value, str) and value else None


def objects(values: object) -> list[dict[str, object]]:
    """Keep the objects of a list.

    Args:
        values: any value of a transcript.

    Returns:
        The objects, or an empty list when it is not a list.
    """
    return (
        [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []
    )


_LABEL = 200
