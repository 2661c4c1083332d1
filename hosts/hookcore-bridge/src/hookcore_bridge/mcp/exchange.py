"""One request that is judged on its way there, and its answer on the way back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol

from hookcore import HookAborted, HookManager
from hookcore.hosting import SplitCalls, denied_value

from . import rpc
from .rpc import MalformedError
from .sides import Side
from .tasks import Tasks

__all__ = ["Connection", "Exchange", "told"]


class Connection(Protocol):
    """The part of a session that exchanges need."""

    manager: HookManager
    calls: SplitCalls
    tasks: Tasks

    def fields(self) -> dict[str, Any]:
        """Return what every context of the session is told."""
        ...

    def judged_name(self, tool: str) -> str:
        """Return the name by which policies know a tool of the server."""
        ...

    def refuse_withheld(self, tool: str) -> None:
        """Raise HookAborted for a tool that nobody has accepted as it is now."""

    async def offered(self, tools: list[Any]) -> list[Any]:
        """Return those of a server's tools that the client may be told of."""
        ...

    async def asked(self, exchange: Exchange, answer: dict[str, Any]) -> dict[str, Any]:
        """Judge an answer by which the server asks for more before it goes on."""
        ...

    async def replied(self, exchange: Exchange) -> dict[str, Any]:
        """Judge what a request replies to that; return the request's params."""
        ...


class Exchange(ABC):
    """One request and its answer.

    Args:
        connection: whose policies judge it.
        request: the request, which stays as it is.
        call_id: by which policies know it; no other exchange of the connection has it.
        sender: who asks.
    """

    def __init__(
        self, connection: Connection, request: dict[str, Any], call_id: str, sender: Side
    ) -> None:
        self.connection, self.call_id, self.sender = connection, call_id, sender
        self.id: Any = request["id"]
        self.method: str = request["method"]
        params = request.get("params", {})
        if not isinstance(params, dict):
            raise MalformedError("the params are no object")
        self.params: dict[str, Any] = params
        self.is_forwarded = False
        """True once the other side has, or is about to get, the request."""
        self.is_abandoned = False
        """True once nobody waits for the answer any more."""

    @abstractmethod
    async def begin(self) -> dict[str, Any]:
        """Judge the request; return its params as they are to be sent.

        Raises:
            HookAborted: a policy denies it.
            Answered: a policy answers in its place.
            MalformedError: it cannot be judged.
        """

    @abstractmethod
    async def end(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Judge the answer; return what is to be passed on, the same object when unchanged.

        Raises:
            HookAborted: a policy withholds it.
            MalformedError: it cannot be judged.
        """

    def answered(self, value: Any) -> dict[str, Any]:
        """Return the answer for a value that a policy gave in the place of the other side."""
        raise MalformedError(f"a policy answered with {type(value).__name__}")

    def denied(self, denial: HookAborted) -> dict[str, Any]:
        """Return the answer that tells of a denial."""
        return rpc.error(self.id, rpc.REFUSED, told(denial))

    async def abandon(self) -> None:
        """End the exchange: nobody waits for an answer."""
        self.is_abandoned = True
        if self.call_id in self.connection.calls.open:
            await self.connection.calls.abandon(self.call_id)

    def text(self, name: str) -> str:
        """Return a param that is a text.

        Raises:
            MalformedError: it is none.
        """
        value = self.params.get(name)
        if not isinstance(value, str):
            raise MalformedError(f"params.{name} is no text")
        return value

    async def ended(self, value: Any, failure: Exception | None = None) -> Any:
        """Tell of the end of what :meth:`begin` began; return what policies left of its value."""
        return await self.connection.calls.end(self.call_id, value, error=failure)


def told(denial: HookAborted) -> str:
    """Return the text by which the other side learns of a denial."""
    return str(denied_value(denial, "mcp"))
