"""The request of a client, as policies see it and as it is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hookcore import ModelCallContext
from hookcore.wires import MalformedError, Operation, strict

__all__ = ["ModelRequest"]

_SESSIONS: Final = ("X-Claude-Code-Session-Id", "Session_id", "Session-Id", "X-Session-Id")
"""The headers in which clients tell their session."""


class ModelRequest:
    """A request to a model.

    Args:
        operation: what is asked for.
        data: the body.
        headers: the headers, found in any spelling.

    Raises:
        MalformedError: the body cannot be judged.
    """

    def __init__(self, operation: Operation, data: bytes, headers: Mapping[str, str]) -> None:
        self.operation, self._data = operation, data
        wire = operation.wire
        self._body = self._read()
        #: Policies may edit what they are given: what came is read once more, to compare with it.
        self._given = self._read()
        self._model = wire.model(self._body, operation.model)
        session = next((headers[name] for name in _SESSIONS if name in headers), None)
        self.ctx = ModelCallContext(
            messages=wire.messages(self._body),
            model=self._model,
            provider=wire.provider,
            tools=self._body.get("tools"),
            session_id=session,
            attributes={"wire": wire.name, "counts_tokens": operation.counts},
        )

    def _read(self) -> dict[str, Any]:
        try:
            body = strict.read(self._data)
        except strict.UnreadableError as error:
            raise MalformedError(f"the request cannot be judged: {error}") from error
        if not isinstance(body, dict):
            raise MalformedError("the request cannot be judged: it is no object")
        return body

    @property
    def streams(self) -> bool:
        """True when a stream is asked for."""
        told = self.operation.streams
        return self.operation.wire.streams(self._given) if told is None else told

    def body(self, messages: list[Any]) -> bytes:
        """Return the body as it is sent.

        Args:
            messages: the messages as policies left them.

        Raises:
            MalformedError: they cannot be sent.
        """
        wire, ctx, given = self.operation.wire, self.ctx, self._given
        changed = given
        if not strict.same(messages, wire.messages(given)):
            changed = wire.with_messages(given, messages)
        if not strict.same(ctx.tools, given.get("tools")):
            changed = {key: value for key, value in changed.items() if key != "tools"}
            if ctx.tools:
                changed["tools"] = ctx.tools
        if ctx.model != self._model and self.operation.model is None:
            changed = {**changed, "model": ctx.model}
        if changed is given:
            return self._data
        try:
            return strict.write(changed)
        except (TypeError, ValueError) as error:
            raise MalformedError("policies left what is no JSON") from error

    def path(self, path: str) -> str:
        """Return the path at which the model is that policies left.

        Args:
            path: the path as it came.
        """
        model = self.operation.model
        if model is None or self.ctx.model == model:
            return path
        before, _, method = path.rpartition(":")
        return f"{before.rpartition('/')[0]}/{self.ctx.model}:{method}"
