"""The description of a format: where its messages are, and how an answer is written anew."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from hookcore_specs import ModelResponse

from . import strict

__all__ = ["Event", "MalformedError", "Wire", "arguments_object", "arguments_text"]

Event = dict[str, Any]
"""An event of a stream, or an answer that came whole, as JSON."""


class MalformedError(Exception):
    """A request, or what policies left of it, is not what the format says."""


class Wire(ABC):
    """A format.

    Messages are given to policies as the request has them, with what stands beside them before
    them: a message each, whose ``role`` is ``"system"``.
    """

    name: ClassVar[str]
    provider: ClassVar[str]
    """The provider whose format it is."""
    messages_at: ClassVar[str]
    """The field that holds the messages."""
    prompt_at: ClassVar[tuple[str, ...]]
    """The fields that may hold the system prompt."""
    refusing_status: ClassVar[int] = 400
    """The status that makes clients give up, where others make them ask again."""
    numbers_events: ClassVar[bool] = False
    """True when each event of a stream has a number, ``sequence_number``."""
    ends_with: ClassVar[bytes | None] = None
    """The data that ends a stream and is no event."""

    def messages(self, body: dict[str, Any]) -> list[Any]:
        """Return the messages of a request, the system prompt before them.

        Raises:
            MalformedError: there are none.
        """
        given = body.get(self.messages_at)
        if not isinstance(given, list):
            raise MalformedError(f"{self.messages_at} is no list")
        return [*self._prompts(body), *given]

    def _prompts(self, body: dict[str, Any]) -> list[Any]:
        return [
            {"role": "system", "content": body[field]}
            for field in self.prompt_at
            if body.get(field) is not None
        ]

    def with_messages(self, body: dict[str, Any], messages: list[Any]) -> dict[str, Any]:
        """Return a request with the messages that policies left.

        Args:
            body: the request.
            messages: as :meth:`messages` gives them: system messages at the beginning are the
                system prompt again.

        Raises:
            MalformedError: they cannot be put into a request.
        """
        count = 0
        while count < len(messages) and is_system(messages[count]):
            count += 1
        changed = {**body, self.messages_at: messages[count:]}
        there = [field for field in self.prompt_at if body.get(field) is not None]
        field = there[0] if there else self.prompt_at[0]
        for old in there:
            del changed[old]
        if count:
            changed[field] = self._joined([message.get("content") for message in messages[:count]])
        return changed

    def _joined(self, contents: list[Any]) -> Any:
        """Return the contents of system messages as one prompt."""
        if len(contents) == 1:
            return contents[0]
        if not all(isinstance(content, str) for content in contents):
            raise MalformedError("policies left several system prompts that are no texts")
        return "\n\n".join(contents)

    def model(self, body: dict[str, Any], named: str | None) -> str | None:
        """Return the model that is asked.

        Args:
            body: the request.
            named: the model in the address, where that names it.
        """
        given = body.get("model") if named is None else named
        return given if isinstance(given, str) else None

    def streams(self, body: dict[str, Any]) -> bool:
        """Return whether a stream is asked for."""
        return body.get("stream") is True

    def known(self, event: Any) -> Event | None:
        """Return an event as codecs know it; None where it holds nothing of the response."""
        return event if isinstance(event, dict) else {"unknown": event}

    def piece(self, event: Event) -> Event:
        """Return an event that is a part of one that came, without what is empty in it now."""
        return event

    @abstractmethod
    def as_event(self, answer: Event) -> Event:
        """Return an answer that came whole as an event that tells all of it."""

    @abstractmethod
    def as_answer(self, event: Event) -> Event:
        """Return the answer that :meth:`as_event` was given."""

    @abstractmethod
    def stream_of(self, responses: Sequence[ModelResponse], original: Sequence[Event]) -> list[Any]:
        """Return the events of a stream that says what these responses do.

        Args:
            responses: one for each choice; formats without choices take the first.
            original: the events that they stand for, none when the model was not asked.
        """

    @abstractmethod
    def answer_of(self, responses: Sequence[ModelResponse], original: Event | None) -> Event:
        """Return the answer that says whole what these responses do.

        Args:
            responses: one for each choice; formats without choices take the first.
            original: the answer that they stand for, None when the model was not asked.
        """

    @abstractmethod
    def refusal(self, text: str, status: int) -> Event:
        """Return the body of an answer that refuses a request."""

    def broken(self, text: str) -> Event:
        """Return the event that tells in a stream that it ends too early."""
        return self.refusal(text, self.refusing_status)

    def written(self, event: Event) -> bytes:
        """Return an event as the bytes of a stream."""
        kind = event.get("type") if self._names_events else None
        name = (
            b"event: " + kind.encode("ascii", "replace") + b"\n" if isinstance(kind, str) else b""
        )
        return name + b"data: " + strict.write(event) + b"\n\n"

    _names_events: ClassVar[bool] = False


def is_system(message: Any) -> bool:
    """Return whether a message is a system prompt."""
    return isinstance(message, dict) and message.get("role") == "system"


def arguments_text(call: Any) -> str:
    """Return the arguments of a tool call as JSON text."""
    given = call.arguments
    return given if isinstance(given, str) else strict.write(given).decode("ascii")


def arguments_object(call: Any) -> dict[str, Any]:
    """Return the arguments of a tool call as an object.

    Raises:
        MalformedError: they are none.
    """
    given: Any = call.arguments
    if isinstance(given, str):
        try:
            given = strict.read(given.encode("utf-8", "surrogatepass") or b"{}")
        except strict.UnreadableError as error:
            raise MalformedError("policies left a tool call without arguments") from error
    if not isinstance(given, dict):
        raise MalformedError("policies left a tool call whose arguments are no object")
    return given
