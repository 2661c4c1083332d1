"""A model without a service: it answers from a script, for tests and demonstrations."""

from __future__ import annotations

import inspect
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import aclosing
from typing import Any

from hookcore.hosting import closing
from hookcore_specs import ModelResponse, TextChunk, ToolCall

from .errors import ModelError
from .models import ModelRequest

__all__ = ["ScriptedModel"]

_WORDS = re.compile(r"\s*\S+\s*")


class ScriptedModel:
    """Answers with one turn of a script after the other.

    A turn is a text, a list of :class:`ToolCall` (and texts), a :class:`ModelResponse`, an
    exception to raise, or a function: an async generator of events, or one that gives a turn.
    Functions are called with the :class:`ModelRequest`. Texts come word by word.

    Args:
        turns: the script; or a function that gives the turn for each request, which serves any
            number of sessions at once.
        name: the model's name.
        provider: the provider's name.
    """

    def __init__(
        self,
        turns: Iterable[Any] | Callable[[ModelRequest], Any],
        *,
        name: str = "scripted",
        provider: str = "script",
    ) -> None:
        self.name = name
        self.provider = provider
        self._choose = turns if callable(turns) else None
        self._turns: list[Any] = [] if callable(turns) else list(turns)
        #: What the script was asked, one request for each turn of it.
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        """Yield the events of the script's next turn.

        Args:
            request: what is asked.

        Raises:
            ModelError: the script has ended.
            Exception: the one that the script says.
        """
        async with aclosing(_played(self._next(request), request)) as events:
            async for event in events:
                yield event

    def _next(self, request: ModelRequest) -> Any:
        if self._choose is not None:
            return self._choose
        self.requests.append(request)
        if not self._turns:
            raise ModelError(f"the script of the model {self.name} has no further turn")
        return self._turns.pop(0)


async def _played(turn: Any, request: ModelRequest) -> AsyncGenerator[Any, None]:
    while callable(turn):
        turn = turn(request) if inspect.signature(turn).parameters else turn()
        if inspect.isawaitable(turn):
            turn = await turn
    if isinstance(turn, BaseException):
        raise turn
    if hasattr(turn, "__aiter__"):
        async with closing(turn) as events:
            async for event in events:
                yield event
        return
    if not isinstance(turn, ModelResponse):
        items = [turn] if isinstance(turn, (str, ToolCall)) else list(turn)
        text = "".join(item for item in items if isinstance(item, str))
        turn = ModelResponse(text, [item for item in items if isinstance(item, ToolCall)])
    for word in _WORDS.findall(turn.content) or [turn.content]:
        if word:
            yield TextChunk(word)
    yield turn
