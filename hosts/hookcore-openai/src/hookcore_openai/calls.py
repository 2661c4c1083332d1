"""A request of a client library's as the model call that hooks see."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from hookcore import HookAborted, HookManager, ModelCallContext, ModelResponse
from hookcore.hosting import Handle, current_run, digest, is_inside_model
from hookcore.wires import MalformedError, Operation, WireCodec, as_responses, strict

from .answers import remade
from .events import Event, Writer, read

__all__ = ["Call"]

_RAW = "X-Stainless-Raw-Response"
"""The header by which the clients know that the HTTP response itself is asked for."""
_OF_TOOLS = ("tools", "tool_choice", "parallel_tool_calls")
"""The fields that mean nothing without tools."""
_LOOKING = ("wrap_model_call", "post_model_call", "model_output")
"""The points at which hooks are shown an answer."""


class Call:
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
        #: The hooks.
        self.manager = manager
        #: The client, and its request.
        self.client, self.options = client, options
        self._wire, self._counts = operation.wire, operation.counts
        self._headers = dict(options.headers) if isinstance(options.headers, Mapping) else {}
        #: The form in which the program wants the response: None, "raw", "true" or "stream".
        self.raw = self._headers.get(_RAW)
        self._body = _body_of(options)
        self._model, self._tools = self._body.get("model"), self._body.get("tools")
        try:
            messages = self._wire.messages(self._body)
        except MalformedError as error:
            raise HookAborted(
                f"{options.url} cannot be judged: {error}", source="hookcore-openai"
            ) from error
        self.is_inside = is_inside_model(manager, messages, model=self._model)
        told: dict[str, Any] = {"llm": Handle(client), "model": self._model, "provider": provider}
        told["tools"] = None if self._tools is None else list(self._tools)
        told["attributes"] = {"wire": self._wire.name, "counts_tokens": self._counts}
        self.ctx = ModelCallContext(messages=messages, **current_run().fill(told))
        self.codec = WireCodec(self._wire)
        self.writer = Writer(self._wire, self.codec)
        #: What the client made of the response: its own object that has the HTTP response.
        self.came: Any = None
        self._answer: Any = None
        self._shown: tuple[Any, bytes | None] = (None, None)
        #: The bytes with which the provider ended its stream.
        self.end = b""

    def settled(self, messages: list[Any]) -> Any:
        """Return the request as the hooks left it, which asks for the HTTP response itself."""
        body = self._body
        if messages != self._wire.messages(body):
            body = self._wire.with_messages(body, messages)
        if self.ctx.model != self._model:
            body = {**body, "model": self.ctx.model}
        if self.ctx.tools != self._tools:
            body = {name: value for name, value in body.items() if name not in _OF_TOOLS[:1]}
            if self.ctx.tools:
                body["tools"] = list(self.ctx.tools)
            else:
                body = {name: value for name, value in body.items() if name not in _OF_TOOLS}
        headers = {_RAW: "raw", **self._headers}
        return self.options.model_copy(update={"json_data": body, "headers": headers})

    @property
    def http(self) -> Any:
        """The HTTP response; None where there is none."""
        http = getattr(self.came, "http_response", self.came)
        return http if hasattr(http, "status_code") else None

    def abandon(self) -> Any:
        """Close the HTTP response under who reads it; a coroutine for async clients."""
        awaits = hasattr(self.client, "__aenter__")
        return self.http.aclose() if awaits else self.http.close()

    def shown(self) -> Any:
        """Return what hooks see of a response that was read: a neutral one, where it can be."""
        if self.http is None:  # a middleware of the program's has answered
            value = self.came
        elif self._counts:
            value = ModelResponse()
        else:
            value = self._answer = _loaded(self.http)
            if not any(map(self.manager.has_hooks, _LOOKING)):
                self._shown = (value, None)  # nobody looks at it
                return value
            if isinstance(value, dict):
                event = self._wire.as_event(value)
                value = value if self.codec.parts(event) is None else self.codec.assemble([event])
        self._shown = (value, digest(value))
        return value

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
        if self.came is not None and (self._counts or self._is_as_shown(value)):
            return None if self.http is None else self.made(self.http.content)
        if isinstance(value, str) and isinstance(self._answer, str):
            return self.made(value.encode())
        if isinstance(value, dict):
            return self.made(json.dumps(value).encode())
        if isinstance(self._answer, dict):
            made = self.codec.answer(value, self._wire.as_event(self._answer))
        else:
            made = self._wire.answer_of(as_responses(value), None)
        return self.made(strict.write(made))

    def _is_as_shown(self, value: Any) -> bool:
        shown, before = self._shown
        return value is shown if before is None else digest(value) == before

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


def _loaded(http: Any) -> Any:
    try:
        return json.loads(http.content)
    except ValueError:
        return http.text


def _body_of(options: Any) -> dict[str, Any]:
    body = options.json_data
    if getattr(options, "content", None) is not None or not isinstance(body, (Mapping, type(None))):
        raise HookAborted(
            f"{options.url} cannot be judged: its body is no JSON object", source="hookcore-openai"
        )
    return dict(body or {})


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
