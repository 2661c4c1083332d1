"""A cache of a model's answers: a plugin that stands innermost around the agent's model calls."""

from __future__ import annotations

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from hookcore.hosting import copy_payload
from hookcore_specs import ModelCallContext, ModelChoice, ModelResponse, hookimpl

from .context import SERVING
from .errors import AgentProtocolError
from .models import CODEC, Model
from .tools import ServerTool, Tool

if TYPE_CHECKING:
    from .context import RequestContext

__all__ = ["ResponseCache"]

_POINT = "wrap_model_call"
_Key = tuple[int, bytes]


class ResponseCache:
    """Answers a request as it was answered before, without asking the model again.

    The same request is what would be sent to the same model object with the same tools, after all
    hooks. Answers that ask for tools are not kept, nor are those whose stream did not come to its
    end. Where another hook stands nearer to the model, the cache lets everything pass.

    Args:
        entries: how many answers are kept; the one that was not used for longest goes first.
        ttl: for how many seconds an answer is good.
        clock: tells the time in seconds.

    Raises:
        ValueError: there is no room for an answer, or no time in which it is good.
    """

    def __init__(
        self,
        entries: int = 256,
        ttl: float = 3600.0,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if entries < 1:
            raise ValueError(f"a cache has room for 1 answer or more, not for {entries}")
        if not ttl > 0:
            raise ValueError(f"an answer is good for more than 0 seconds, not for {ttl}")
        self._most = entries
        self._ttl = ttl
        self._clock = clock
        self._lock = Lock()
        self._entries: OrderedDict[_Key, _CachedResponse] = OrderedDict()

    @hookimpl(trylast=True)
    async def wrap_model_call(
        self, ctx: ModelCallContext, call_next: Callable[..., Any]
    ) -> AsyncGenerator[Any, None]:
        """Yield the answer that is kept, or the model's, which is kept when it has ended well.

        Args:
            ctx: the model call.
            call_next: asks the model.
        """
        asked = self._asked(ctx)
        kept = None if asked is None else self._find(asked[1])
        if kept is not None:
            for event in CODEC.events(kept, ()):
                yield event
            return
        answer = _Answer()
        async for event in call_next():
            answer.take(event)
            yield event
        if asked is not None and answer.can_be_kept:
            self._keep(*asked, answer.response)

    def clear(self) -> None:
        """Forget all answers."""
        with self._lock:
            self._entries.clear()

    def __len__(self) -> int:
        return len(self._entries)

    def _asked(self, ctx: ModelCallContext) -> tuple[Model, _Key] | None:
        """Return the model and the key of a request, None for one that is let pass."""
        context = SERVING.get()
        if context is None or context.agent is not ctx.executor or not self._is_last(context, ctx):
            return None
        try:
            model = context.agent._model_for(ModelChoice(str(ctx.provider), str(ctx.model)))
        except AgentProtocolError:
            return None  # the call is going to say so
        digest = _digest(ctx)
        return None if digest is None else (model, (id(model), digest))

    def _is_last(self, context: RequestContext, ctx: ModelCallContext) -> bool:
        # A scope's hook, or one whose order an operator set, may stand nearer to the model: what
        # it makes of a request is not known before it is asked.
        plans = context.manager.parts.plans
        chain = plans.resolve(plans.wraps[_POINT], ctx)
        return chain is not None and chain.hooks[-1].call == self.wrap_model_call

    def _find(self, key: _Key) -> ModelResponse | None:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            if self._clock() >= entry.good_until:
                del self._entries[key]
                return None
            self._entries.move_to_end(key)
        return _copied(entry.response)

    def _keep(self, model: Model, key: _Key, response: ModelResponse) -> None:
        with self._lock:
            self._entries[key] = _CachedResponse(model, response, self._clock() + self._ttl)
            self._entries.move_to_end(key)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)


@dataclass(frozen=True)
class _CachedResponse:
    """An answer; it holds its model, so that no other object can get that one's ``id``."""

    model: Model
    response: ModelResponse
    good_until: float


class _Answer:
    """The events of a whole stream, in copies: others may change its events later."""

    def __init__(self) -> None:
        self.response = ModelResponse()
        self._ended = False
        self._texts: list[str] = []
        self._is_plain = True

    def take(self, event: Any) -> None:
        """Note an event."""
        if isinstance(event, ModelResponse):
            # What was paid for once is not paid for again.
            self.response, self._ended = _copied(replace(event, usage=None)), True
            return
        text = CODEC.text(event)
        if text is None:
            self._is_plain = False
        else:
            self._texts.append(text)

    @property
    def can_be_kept(self) -> bool:
        """True when the response, given as one text, is all that the stream was."""
        if not self._ended or not self._is_plain or self.response.tool_calls:
            return False
        return "".join(self._texts) in ("", self.response.content)


def _copied(response: ModelResponse) -> ModelResponse:
    copy: ModelResponse = copy_payload(response)
    return copy


def _digest(ctx: ModelCallContext) -> bytes | None:
    """Return a digest of all that would be sent; None when it is no JSON."""
    try:
        text = json.dumps(_sent(ctx), sort_keys=True, ensure_ascii=False)
    except Exception:  # noqa: BLE001 - messages are anybody's, and so are the types in a schema
        return None
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass")).digest()


def _sent(ctx: ModelCallContext) -> list[Any]:
    local = [item for item in ctx.tools if isinstance(item, Tool)]
    hosted = [item for item in ctx.tools if isinstance(item, ServerTool)]
    return [
        str(ctx.provider),
        str(ctx.model),
        ctx.messages,
        [[tool.name, tool.description, tool.parameters] for tool in local],
        [[tool.type, dict(tool.options)] for tool in hosted],
    ]
