"""Questions within answers: before it goes on, a server wants to know something of the client.

Since the revision 2026-07-28 a server asks for sampling, elicitation and roots in the answer to a
request, and the client sends that again with the replies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from hookcore.hosting import Answered

from .exchange import Connection, Exchange
from .rpc import MalformedError
from .sides import Side

__all__ = ["Inputs", "asks_for_input"]

_MOST: Final = 1_000

_Key = tuple[str, str, str]


def asks_for_input(result: Any) -> bool:
    """Return whether a result is none, but asks for more."""
    return isinstance(result, dict) and result.get("resultType") == "input_required"


class Inputs:
    """The questions of a connection that wait for a reply.

    Args:
        connection: whose they are.
        kinds: the kinds of questions that are judged, by method.
    """

    def __init__(self, connection: Connection, kinds: Mapping[str, type[Exchange]]) -> None:
        self._connection, self._kinds = connection, kinds
        self._open: dict[_Key, list[Exchange | None]] = {}
        self._count = 0

    async def asked(self, exchange: Exchange, answer: dict[str, Any]) -> dict[str, Any]:
        """Judge the questions in an answer; return it as it goes on.

        The call has no result yet and is over: the client will make it anew.

        Raises:
            HookAborted: a policy denies a question.
            MalformedError: a question cannot be judged.
        """
        await exchange.abandon()
        requests = answer["result"].get("inputRequests") or {}
        if not isinstance(requests, dict) or sum(map(len, self._open.values())) > _MOST:
            raise MalformedError("the questions are no object, or too many are open")
        begun: dict[str, Exchange | None] = {}
        changed: dict[str, Any] = {}
        try:
            for name, request in requests.items():
                question = begun[name] = self._question(name, request)
                if (
                    question is not None
                    and (params := await question.begin()) is not question.params
                ):
                    changed[name] = {**request, "params": params}
        except BaseException as error:
            await self._dropped(begun.values())
            if isinstance(error, Answered):
                raise MalformedError("a policy answered a question of the server") from error
            raise
        for name, question in begun.items():
            self._open.setdefault(_key(exchange, name), []).append(question)
        if not changed:
            return answer
        result = {**answer["result"], "inputRequests": {**requests, **changed}}
        return {**answer, "result": result}

    async def _dropped(self, questions: Iterable[Exchange | None]) -> None:
        for question in questions:
            if question is not None:
                await question.abandon()

    def _question(self, name: str, request: Any) -> Exchange | None:
        method = request.get("method") if isinstance(request, dict) else None
        if not isinstance(method, str):
            raise MalformedError("a question of the server has no method")
        kind = self._kinds.get(method)
        if kind is None:
            return None
        self._count += 1
        return kind(self._connection, {**request, "id": name}, f"input-{self._count}", Side.SERVER)

    async def replied(self, exchange: Exchange) -> dict[str, Any]:
        """Judge the replies in the params of a request; return the params as they go on.

        Raises:
            HookAborted: a policy withholds a reply.
            MalformedError: a reply cannot be judged.
        """
        params = exchange.params
        replies = params.get("inputResponses")
        if replies is None:
            return params
        if not isinstance(replies, dict):
            raise MalformedError("params.inputResponses is no object")
        changed: dict[str, Any] = {}
        for name, reply in replies.items():
            waiting = self._open.get(_key(exchange, name))
            if not waiting:
                raise MalformedError(f"params.inputResponses.{name} replies to nothing")
            question = waiting.pop(0)
            if question is None:
                continue
            answer = {"id": name, "result": reply}
            judged = await question.end(answer)
            if judged is not answer:
                changed[name] = judged["result"]
        return {**params, "inputResponses": {**replies, **changed}} if changed else params


def _key(exchange: Exchange, name: str) -> _Key:
    about = exchange.params.get("name", exchange.params.get("uri"))
    return exchange.method, str(about), name
