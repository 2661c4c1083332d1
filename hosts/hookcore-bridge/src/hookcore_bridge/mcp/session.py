"""One client and one server with the policies between them, whatever carries the messages."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from hookcore import HookAborted, HookManager
from hookcore.hosting import Answered, SplitCalls

from . import rpc
from .exchange import Exchange
from .inputs import Inputs
from .judged import JUDGED
from .rpc import MalformedError
from .sides import Side, Verdict
from .tasks import Tasks, holds_result
from .tools import Offers

__all__ = ["Session"]

_log = logging.getLogger(__name__)


_DROPPED: Final = Verdict()
_EITHER: Final = ("method", "result", "error")
_ODD: Final = "this could not be judged"
_TASKS: Final = "notifications/tasks"
_CANCELLED: Final = "notifications/cancelled"


class _Gone:
    """Stands for a request that was cancelled: its answer, if one comes, is dropped."""


_GONE: Final = _Gone()


class Session:
    """The state of one connection.

    Args:
        manager: the hooks.
        offers: which tools may be offered, and called.
        note: tells the operator something, a line.
        attributes: what policies are told of the connection.
    """

    def __init__(
        self,
        manager: HookManager,
        offers: Offers,
        note: Callable[[str], None],
        attributes: dict[str, Any],
    ) -> None:
        self.manager = manager
        self._offers, self._note = offers, note
        self._attributes = attributes
        self._id = uuid4().hex
        #: Tells the calls of a session's parts apart.
        self._part = ""
        self.calls = SplitCalls(manager)
        self.tasks = Tasks()
        self._inputs = Inputs(self, JUDGED[Side.SERVER])
        self._waiting = _nothing()

    def part(self) -> Session:
        """Return a part of the session, in which ids of requests may be used once more.

        Its calls are its own, and end with it. What policies keep, tasks and open questions are the
        session's.
        """
        part = copy(self)
        part._part, part.calls, part._waiting = uuid4().hex, SplitCalls(self.manager), _nothing()
        return part

    def fields(self) -> dict[str, Any]:
        """Return what every context of this session is told."""
        # MCP has no runs; as one, a session gives policies a state that lasts for it.
        attributes = dict(self._attributes)
        return {"run_id": self._id, "session_id": self._id, "attributes": attributes}

    def judged_name(self, tool: str) -> str:
        """Return the name by which policies know a tool of the server."""
        return self._offers.judged_name(tool)

    def refuse_withheld(self, tool: str) -> None:
        """Raise HookAborted for a tool that nobody has accepted as it is now."""
        self._offers.refuse_withheld(tool)

    async def offered(self, tools: list[Any]) -> list[Any]:
        """Return those of a server's tools that the client may be told of."""
        return await self._offers.offered(tools, self.fields())

    async def asked(self, exchange: Exchange, answer: dict[str, Any]) -> dict[str, Any]:
        """Judge an answer by which the server asks for more before it goes on."""
        return await self._inputs.asked(exchange, answer)

    async def replied(self, exchange: Exchange) -> dict[str, Any]:
        """Judge what a request replies to that; return the request's params."""
        return await self._inputs.replied(exchange)

    @property
    def is_idle(self) -> bool:
        """True when the client waits for no answer."""
        return not self._waiting[Side.CLIENT]

    async def close(self) -> None:
        """End what is still open, and let go of the state that policies kept."""
        try:
            await self.calls.close()
        finally:
            if not self._part:
                self.manager.parts.services.states.drop(self._id)

    async def give_up(self, message: dict[str, Any]) -> None:
        """End a request of the client, to which no answer will come."""
        if "method" not in message:
            return
        exchange = self._waiting[Side.CLIENT].pop(rpc.id_key(message.get("id")), None)
        if isinstance(exchange, Exchange):
            await exchange.abandon()

    def take(self, message: Any, sender: Side) -> Verdict | Awaitable[Verdict]:
        """Decide on a message; at once, unless policies have to be asked.

        Args:
            message: the message, which stays as it is.
            sender: who sent it.
        """
        if not isinstance(message, dict) or sum(name in message for name in _EITHER) != 1:
            return self.unusable(message, sender, "what is neither a request nor an answer")
        if "method" not in message:
            return self._answer(message, sender)
        if not isinstance(message["method"], str):
            return self._odd("a method that is no text", sender)
        if "id" not in message:
            return self._notification(message, sender)
        if not rpc.is_id(message["id"]):
            self._odd("a request whose id is neither a text nor a whole number", sender)
            return Verdict(answer=rpc.error(None, rpc.INVALID_REQUEST, "the id is no id"))
        return self._request(message, sender)

    def unusable(self, message: Any, sender: Side, what: str) -> Verdict | Awaitable[Verdict]:
        """Refuse what cannot be judged, and tell whoever waits for it.

        Args:
            message: the message, as far as it could be read; None when it could not.
            sender: who sent it.
            what: what it is, for the operator.
        """
        self._odd(what, sender)
        given = message.get("id") if isinstance(message, dict) else None
        key = rpc.id_key(given) if rpc.is_id(given) else None
        if key not in self._waiting[sender.other]:
            if sender is Side.SERVER:  # it may print what it reads, and read what it prints
                return _DROPPED
            return Verdict(answer=rpc.error(given if key else None, rpc.INVALID_REQUEST, _ODD))
        exchange = self._waiting[sender.other].pop(key)
        answer = rpc.error(given, rpc.INTERNAL_ERROR, "the answer could not be judged")
        if isinstance(exchange, Exchange):
            return self._abandoned(exchange, answer)
        return Verdict(forward=answer)

    def _odd(self, what: str, sender: Side) -> Verdict:
        self._note(f"dropped {what}, from the {sender.value}")
        return _DROPPED

    def _notification(self, message: dict[str, Any], sender: Side) -> Verdict | Awaitable[Verdict]:
        method = message["method"]
        if method in JUDGED[sender]:
            return self._odd(f"{method} without an id", sender)
        if method.startswith(_TASKS) and holds_result(message.get("params")):
            return self._odd(f"{method} with a result, which the task will be asked for", sender)
        if method == _CANCELLED:
            return self._cancelled(message, sender)
        return Verdict(forward=message)

    def _cancelled(self, message: dict[str, Any], sender: Side) -> Verdict | Awaitable[Verdict]:
        params, waiting = message.get("params"), self._waiting[sender]
        given = params.get("requestId") if isinstance(params, dict) else None
        if not rpc.is_id(given):
            return self._odd("a cancellation of nothing", sender)
        exchange = waiting.get(rpc.id_key(given))
        if not isinstance(exchange, Exchange):
            return Verdict(forward=message)
        if exchange.is_forwarded:
            waiting[rpc.id_key(given)] = _GONE
        else:
            del waiting[rpc.id_key(given)]
        return self._abandoned(exchange, message)

    async def _abandoned(self, exchange: Exchange, message: dict[str, Any]) -> Verdict:
        forwarded = exchange.is_forwarded
        await exchange.abandon()
        return Verdict(forward=message) if forwarded else _DROPPED

    def _request(self, message: dict[str, Any], sender: Side) -> Verdict | Awaitable[Verdict]:
        waiting, key = self._waiting[sender], rpc.id_key(message["id"])
        if key in waiting:
            text = "a request with this id is under way"
            return Verdict(answer=rpc.error(message["id"], rpc.INVALID_REQUEST, text))
        kind = JUDGED[sender].get(message["method"])
        if kind is None:
            waiting[key] = None
            return Verdict(forward=message)
        call_id = f"{sender.value}{self._part}-{json.dumps(message['id'])}"
        try:
            exchange = kind(self, message, call_id, sender)
        except MalformedError as problem:
            return Verdict(answer=rpc.error(message["id"], rpc.INVALID_PARAMS, str(problem)))
        waiting[key] = exchange
        return self._begin(exchange, message, sender)

    async def _begin(self, exchange: Exchange, message: dict[str, Any], sender: Side) -> Verdict:
        try:
            answer = await self._begun(exchange)
        except BaseException:
            if exchange.is_abandoned:  # by a cancellation, which takes nothing else along
                return _DROPPED
            self._waiting[sender].pop(rpc.id_key(exchange.id), None)
            raise
        if exchange.is_abandoned:
            return _DROPPED
        if isinstance(answer, _Params):
            exchange.is_forwarded = True
            params = answer.params
            unchanged = params is exchange.params
            return Verdict(forward=message if unchanged else {**message, "params": params})
        self._waiting[sender].pop(rpc.id_key(exchange.id), None)
        return Verdict(answer=answer)

    async def _begun(self, exchange: Exchange) -> _Params | dict[str, Any]:
        try:
            return _Params(await exchange.begin())
        except Answered as instead:
            value = instead.value
            return await self._guarded(exchange, lambda: _now(exchange.answered(value)))
        except HookAborted as denial:
            return exchange.denied(denial)
        except MalformedError as problem:
            return rpc.error(exchange.id, rpc.INVALID_PARAMS, str(problem))
        except Exception as problem:  # noqa: BLE001 - a policy's, and an answer there must be
            return self._unjudged(exchange, problem)

    def _answer(self, message: dict[str, Any], sender: Side) -> Verdict | Awaitable[Verdict]:
        if message.get("id") is None and "error" in message:
            return Verdict(forward=message)  # of what could not be read: it answers no request
        waiting = self._waiting[sender.other]
        key = rpc.id_key(message.get("id"))
        if not rpc.is_id(message.get("id")) or key not in waiting:
            return self._odd("an answer to nothing", sender)
        exchange = waiting[key]
        if isinstance(exchange, Exchange) and not exchange.is_forwarded:
            return self._odd("an answer to what was not asked yet", sender)
        del waiting[key]
        if exchange is None:
            return Verdict(forward=message)
        return _DROPPED if isinstance(exchange, _Gone) else self._end(exchange, message)

    async def _end(self, exchange: Exchange, message: dict[str, Any]) -> Verdict:
        return Verdict(forward=await self._guarded(exchange, lambda: exchange.end(message)))

    async def _guarded(
        self, exchange: Exchange, judge: Callable[[], Awaitable[dict[str, Any]]]
    ) -> dict[str, Any]:
        """Return an answer as policies leave it, or one that says that it is withheld."""
        try:
            return await judge()
        except HookAborted as denial:
            return exchange.denied(denial)
        except MalformedError as problem:
            await exchange.abandon()
            self._note(f"withheld an answer: {problem}")
            return rpc.error(exchange.id, rpc.INTERNAL_ERROR, f"the answer is withheld: {problem}")
        except Exception as problem:  # noqa: BLE001 - a policy's, and an answer there must be
            return self._unjudged(exchange, problem)

    def _unjudged(self, exchange: Exchange, problem: Exception) -> dict[str, Any]:
        # A model may read what the error says: the details are the operator's.
        _log.error("a policy failed", exc_info=problem)
        return rpc.error(exchange.id, rpc.INTERNAL_ERROR, "the request could not be judged")


def _nothing() -> dict[Side, dict[rpc.IdKey, Exchange | _Gone | None]]:
    return {side: {} for side in Side}


@dataclass(frozen=True, slots=True)
class _Params:
    """The params with which a request goes on."""

    params: dict[str, Any]


async def _now(value: dict[str, Any]) -> dict[str, Any]:
    return value
