"""The conversation as extensions see and change it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from .messages import Message, as_message
from .session import Session

__all__ = ["State"]


class _Holder(Protocol):
    """The holder of the messages, which is the request."""

    session: Session
    _unannounced: list[Message]

    @property
    def messages(self) -> list[Message]: ...


class State:
    """The messages in force: the session's, and within a turn that turn's own copy of them."""

    def __init__(self, context: _Holder) -> None:
        self._context = context

    @property
    def messages(self) -> list[Message]:
        """The messages; edits in a turn are that turn's unless ``context.persist()`` keeps them."""
        return self._context.messages

    @property
    def data(self) -> dict[str, Any]:
        """The other data that the session keeps."""
        return self._context.session.data

    def add_message(self, message: Mapping[str, Any], index: int | None = None) -> None:
        """Add a message.

        Args:
            message: a message, or a dict with a role.
            index: where; at the end when None.
        """
        made = as_message(message)
        self.messages.insert(len(self.messages) if index is None else index, made)
        self._context._unannounced.append(made)

    def replace_messages(
        self, messages: Iterable[Mapping[str, Any]], *, emit_new: bool = True
    ) -> None:
        """Put other messages in the place of all.

        Args:
            messages: the messages.
            emit_new: whether those that were not there before are announced as appended.
        """
        known = {id(message) for message in self.messages}
        made = [as_message(message) for message in messages]
        self.messages[:] = made
        if emit_new:
            self._context._unannounced += [item for item in made if id(item) not in known]
