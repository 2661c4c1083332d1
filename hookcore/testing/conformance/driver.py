"""The part that the author of a host writes: how a conversation is led in that runtime."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from hookcore_specs import ToolCall

from ...hosting import Host, Mode
from ...manager import HookManager

__all__ = [
    "FEATURES",
    "Driver",
    "Job",
    "Left",
    "Provider",
    "ProviderFailedError",
    "Request",
    "Step",
]

FEATURES: Final[Mapping[str, str]] = {
    "async-wraps": "wraps of tools may be async: no way is without an event loop",
    "call-ids": "calls of tools have the ids that the model gave them",
    "defaults": "gates see the defaults of a tool's arguments",
    "hand-off": "one agent can hand the conversation to another",
    "offers": "hooks may take tools away from what the model is offered",
    "parallel": "tools that are called in one response run at once",
    "pause": "a tool can wait for a person's approval, and the run can be resumed",
    "pieces": "an unjudged stream reaches the program in pieces",
    "raw-arguments": "the model's arguments are a text, which may not parse",
    "sub-agent": "a tool can be another agent",
    "system": "there is a system prompt",
    "whole-answers": "a wrap may answer in the model's place with a whole response",
}
"""The things that a runtime has or has not; a driver names those that its runtime has."""


class ProviderFailedError(Exception):
    """The error of a provider that has no answer any more."""


class Left(Exception):  # noqa: N818 - the program's own going away, and no error
    """Raised by :meth:`Job.shows` where the program stops reading a stream."""


@dataclass(frozen=True)
class Step:
    """One answer of the provider: a text, or calls of tools."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()

    @property
    def pieces(self) -> list[str]:
        """The text as a provider streams it, word by word."""
        return [f" {word}" if at else word for at, word in enumerate(self.text.split(" "))]


@dataclass(frozen=True)
class Request:
    """One request as it reached the provider."""

    text: str
    """All that was sent."""
    results: Mapping[str, str]
    """The tools' results by the calls' ids."""
    offered: tuple[str, ...] | None
    """The names of the tools that the model may call; None where the driver cannot tell."""


class Provider:
    """The model's provider: it answers by a script, and notes what it was sent.

    Args:
        steps: the answers; a step is a text, a list of :class:`ToolCall`, or an exception to raise.
    """

    def __init__(self, *steps: Any) -> None:
        self._steps = list(steps)
        #: The requests so far.
        self.requests: list[Request] = []

    def ask(
        self,
        sent: object,
        results: Mapping[str, Any] | None = None,
        offered: Iterable[str] | None = None,
    ) -> Step:
        """Take a request and return the answer.

        Args:
            sent: all that reached the provider; its ``repr`` has to show every text.
            results: the tools' results in it, by the calls' ids.
            offered: the names of the tools in it.

        Raises:
            ProviderFailedError: the script is at its end.
            Exception: the one that the script says.
        """
        told = {name: str(result) for name, result in (results or {}).items()}
        names = None if offered is None else tuple(offered)
        self.requests.append(Request(repr(sent), told, names))
        if not self._steps:
            raise ProviderFailedError("the provider has no more answers")
        step = self._steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return Step(text=step) if isinstance(step, str) else Step(calls=tuple(step))


@dataclass
class Job:
    """One conversation that a driver leads."""

    provider: Provider
    tools: Mapping[str, Callable[..., Any]]
    """The functions that are the agent's tools, by name; ``slow`` is async, where a way is."""
    text: str = "hi"
    """The thing that the user says."""
    system: str | None = None
    """The system prompt, for runtimes with the feature "system"."""
    inner: Job | None = None
    """The job of another agent that this one calls; ``None`` for one agent."""
    by: str = "sub-agent"
    """The relation: "sub-agent", the tool ``delegate(text)``; "hand-off", by the call ``other``."""
    leaves: bool = False
    """True when the program stops reading at the first item."""
    shown: list[str] = field(default_factory=list)
    """All that the program was shown before the end, each as its ``repr``."""

    def shows(self, item: object) -> None:
        """Take an item that has left the runtime: an event, a piece of a stream, a callback's text.

        Raises:
            Left: the program goes away; the driver closes what it reads, and lets this pass.
        """
        self.shown.append(repr(item))
        if self.leaves:
            raise Left


class Driver(ABC):
    """Leads conversations in a runtime; one is made for each check.

    Args:
        manager: the hooks that govern the runtime from now on; None for none, where the check
            compares with the runtime as it is.
    """

    host: ClassVar[Host]
    """The declaration that the runtime is held to."""
    ways: ClassVar[Mapping[str, Mode]]
    """The ways to start a conversation, each with its mode. The first is the usual one."""
    threads: ClassVar[frozenset[str]] = frozenset()
    """The ways that run in a thread, beside the sync ones."""
    features: ClassVar[frozenset[str]] = frozenset()
    """The names of :data:`FEATURES` that the runtime has."""
    known: ClassVar[Mapping[str, str]] = {}
    """The checks that do not hold, each with the reason; one that holds after all fails."""

    def __init__(self, manager: HookManager | None) -> None:
        self.manager = manager

    @abstractmethod
    async def run(self, way: str, job: Job) -> Any:
        """Lead a conversation to its end and return the answer that the program has.

        What the runtime raises passes. A way without a loop runs in ``asyncio.to_thread``.
        """

    async def pause(self, way: str, job: Job) -> Any:
        """Run until the tool ``pay`` waits for a person, and return what :meth:`resume` needs.

        For runtimes with the feature "pause".
        """
        del way, job
        raise TypeError(f"{type(self).__name__} has the feature pause and no pause()")

    async def resume(self, way: str, job: Job, token: Any) -> Any:
        """Go on with the person's approval and return the answer."""
        del way, job, token
        raise TypeError(f"{type(self).__name__} has the feature pause and no resume()")

    def close(self) -> None:
        """Undo what the driver did to the process."""
        return
