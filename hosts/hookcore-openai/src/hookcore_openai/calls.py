"""A request of a client library's as the model call that hooks see."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from hookcore import HookAborted, HookManager
from hookcore.hosting import Handle, is_inside_model
from hookcore.hosting.wirecalls import WireCall
from hookcore.wires import Operation, strict

from .answers import remade
from .events import Event, Writer, read

__all__ = ["Call"]

_RAW = "X-Stainless-Raw-Response"
"""The header by which the clients know that the HTTP response itself is asked for."""
_SOURCE = "hookcore-openai"


class Call(WireCall):
    """One request: its context, and what came of it.

    Args:
        manager: the hooks.
        provider: the library's name.
        operation: the operation that is asked for.
        client: the client.
        options: the request, with all of its body in ``json_data``.

    Raises:
        HookAborted: hooks could not read it.
    """

    def __init__(
        self, manager: HookManager, provider: str, operation: Operation, client: Any, options: Any
    ) -> None:
        body = options.json_data
        is_other = getattr(options, "content", None) is not None
        if is_other or not isinstance(body, (Mapping, type(None))):
            reason = f"{options.url} cannot be judged: its body is no JSON object"
            raise HookAborted(reason, source=_SOURCE, message=reason)
        super().__init__(
            manager,
            operation.wire,
            dict(body or {}),
            asked=options.url,
            source=_SOURCE,
            counts=operation.counts,
            llm=Handle(client),
            provider=provider,
            attributes={"wire": operation.wire.name, "counts_tokens": operation.counts},
        )
        #: The hooks.
        self.manager = manager
        #: The client, and its request.
        self.client, self.options = client, options
        self._headers = dict(options.headers) if isinstance(options.headers, Mapping) else {}
        #: The form in which the program wants the response: None, "raw", "true" or "stream".
        self.raw = self._headers.get(_RAW)
        self.is_inside = is_inside_model(manager, self.ctx.messages, model=self.ctx.model)
        self.writer = Writer(operation.wire, self.codec)
        #: What the client made of the response: its own object that has the HTTP response.
        self.came: Any = None
        #: The bytes with which the provider ended its stream.
        self.end = b""

    def request(self, messages: list[Any]) -> Any:
        """Return the request as the hooks left it, which asks for the HTTP response itself."""
        headers = {_RAW: "raw", **self._headers}
        changed = {"json_data": self.settled(messages), "headers": headers}
        return self.options.model_copy(update=changed)

    @property
    def http(self) -> Any:
        """The HTTP response; None where there is none."""
        http = getattr(self.came, "http_response", self.came)
        return http if hasattr(http, "status_code") else None

    def abandon(self) -> Any:
        """Close the HTTP response under who reads it; a coroutine for async clients."""
        awaits = hasattr(self.client, "__aenter__")
        return self.http.aclose() if awaits else self.http.close()

    def seen(self) -> Any:
        """Return what hooks see of a response that was read."""
        if self.http is None:  # a middleware of the program's has answered
            return self.shown(self.came)
        try:
            return self.shown(json.loads(self.http.content))
        except ValueError:
            return self.shown(self.http.text)

    def event(self, sent: Any) -> Event | None:
        """Return an event of the wire's, None for one that hooks need not see."""
        event = read(sent)
        if isinstance(event, bytes):
            self.end = event
            return None
        return event

    def answered(self, value: Any) -> Any:
        """Return the HTTP response for what the hooks left of an answer; None for a middleware's.

        Raises:
            TypeError: it is no answer.
        """
        made = self.left(value)
        if made is None:
            return None if self.http is None else self.made(self.http.content)
        return self.made(made.encode() if isinstance(made, str) else strict.write(made))

    def made(self, content: Any) -> Any:
        """Return the HTTP response that the client goes on with.

        Args:
            content: the bytes or the body of the response.
        """
        http = remade(self.client, self.options, self.http, content)
        http.request.headers.pop(_RAW, None)
        if self.raw is not None:
            http.request.headers[_RAW] = self.raw
        return http

    def processed(
        self, cast_to: Any, http: Any, *, stream: bool = False, stream_cls: Any = None, **_: Any
    ) -> Any:
        """Return what the client makes of a response, in the form that the program wants."""
        return _reader(self.client)._process_response(
            cast_to=cast_to,
            options=self.options,
            response=http,
            stream=stream,
            stream_cls=stream_cls,
            retries_taken=getattr(self.came, "retries_taken", 0),
        )


def _reader(client: Any) -> Any:
    """Return a client that reads what was made for it: server-sent events, whatever came.

    Clients of other clouds get their events in other forms.
    """
    for kind in type(client).__mro__:
        first = vars(kind).get("_make_sse_decoder")
        if first is not None and kind.__module__.endswith("._base_client"):
            if first is type(client)._make_sse_decoder:
                break
            twin = copy.copy(client)
            twin._make_sse_decoder = partial(first, twin)
            return twin
    return client
