"""The folder of a replay by parts: its plan, and what each partition came to."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..failure import UsageError
from .findings import Partial, is_complete
from .places import listed, opened, written

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Store"]

_PLAN, _SUMMARY = "plan.json", "summary.json"


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of results, on this machine or at a URL.

    A partition is done when its marker is there. The marker is written last, whole or not at all,
    and holds the digest of the findings, so that a partition counts once, however often it was
    tried.
    """

    folder: str
    durable: bool = True
    """True where results have to outlive a failure of the power."""

    def plan(self) -> dict[str, Any] | None:
        """Read the plan.

        Returns:
            The plan as it was written, or None.

        Raises:
            UsageError: it is no plan of a replay.
        """
        if _PLAN not in listed(self.folder):
            return None
        found = self._json(_PLAN)
        kinds = {"code": dict, "partitions": list, "size": int}
        if not isinstance(found, dict) or not all(
            isinstance(found.get(key), kind) for key, kind in kinds.items()
        ):
            raise self._broken(_PLAN)
        return found

    def put_plan(self, plan: dict[str, Any]) -> None:
        """Write the plan.

        Args:
            plan: a value for JSON.
        """
        written(self._path(_PLAN), [_bytes(plan)])

    def put_summary(self, summary: dict[str, object]) -> None:
        """Write the numbers of the whole replay.

        Args:
            summary: a value for JSON.
        """
        written(self._path(_SUMMARY), [_bytes(summary)])

    def put(self, number: int, partial: Partial) -> None:
        """Keep what a partition came to: its findings first, then the marker that makes it count.

        Args:
            number: of the partition in the plan.
            partial: what it came to; its findings are gone through.
        """
        hashed = hashlib.sha256()

        def lines() -> Iterator[bytes]:
            for line in partial.findings:
                data = line.encode() + b"\n"
                hashed.update(data)
                yield data

        written(self._path(_findings(number)), lines(), durable=self.durable)
        marker = {**partial.numbers, "sha256": hashed.hexdigest()}
        written(self._path(_marker(number)), [_bytes(marker)], durable=self.durable)

    def done(self) -> set[int]:
        """List the partitions that are done.

        Returns:
            Their numbers in the plan.
        """
        names = listed(self._path("done"))
        stems = (name.removesuffix(".json") for name in names if name.endswith(".json"))
        return {int(stem) for stem in stems if stem.isdecimal()}

    def partial(self, number: int) -> Partial:
        """Read what a partition came to.

        Args:
            number: of a partition that is done.

        Returns:
            The partial; its findings are read while they are gone through.

        Raises:
            UsageError: the findings are not those that the marker was written for.
        """
        name = _marker(number)
        numbers = self._json(name)
        if not isinstance(numbers, dict) or not is_complete(numbers) or "sha256" not in numbers:
            raise self._broken(name)
        return Partial(numbers, self._lines(number, numbers["sha256"]))

    def _lines(self, number: int, digest: str) -> Iterator[str]:
        hashed, name = hashlib.sha256(), _findings(number)
        with opened(self._path(name)) as stream:
            for line in stream:
                hashed.update(line)
                yield line.decode().removesuffix("\n")
        if hashed.hexdigest() != digest:
            raise self._broken(name)

    def _json(self, name: str) -> Any:
        with opened(self._path(name)) as stream:
            text = stream.read()
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise self._broken(name) from None

    def _path(self, name: str) -> str:
        return f"{self.folder.rstrip('/') or '/'}/{name}"

    def _broken(self, name: str) -> UsageError:
        return UsageError(
            f"{self._path(name)} is not what hookctl replay wrote: replay into another folder"
        )


def _findings(number: int) -> str:
    return f"findings/{number:06d}.jsonl"


def _marker(number: int) -> str:
    return f"done/{number:06d}.json"


def _bytes(value: object) -> bytes:
    return json.dumps(value, indent=1).encode() + b"\n"
