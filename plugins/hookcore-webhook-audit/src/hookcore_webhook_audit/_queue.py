"""Messages that wait in memory."""

from __future__ import annotations

import threading
from collections import deque
from typing import Final

from ._message import Message

__all__ = ["QUEUE_BOUND", "MessageQueue"]

QUEUE_BOUND: Final = 1000
"""The most messages that wait in memory."""
_BYTES_BOUND: Final = 16 * 1024 * 1024


class MessageQueue:
    """A queue with a bound on its messages and on their bytes; every method is atomic."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a signal's handler may call a tool, too
        self._messages: deque[Message] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._messages)

    def append(self, message: Message) -> list[Message]:
        """Take a message; return those, oldest first, that must go elsewhere to make room."""
        with self._lock:
            full = len(self._messages) >= QUEUE_BOUND
            full = full or self._bytes + len(message.body) > _BYTES_BOUND
            moved = self.clear() if full else []
            self._messages.append(message)
            self._bytes += len(message.body)
            return moved

    def put_back(self, messages: list[Message]) -> int:
        """Put messages back in front; return how many of the oldest had no room."""
        with self._lock:
            self._messages.extendleft(reversed(messages))
            self._bytes += sum(len(each.body) for each in messages)
            dropped = 0
            while len(self._messages) > QUEUE_BOUND or self._bytes > _BYTES_BOUND:
                self._bytes -= len(self._messages.popleft().body)
                dropped += 1
            return dropped

    def pop(self) -> Message | None:
        """Return the oldest message; None when there is none."""
        with self._lock:
            if not self._messages:
                return None
            message = self._messages.popleft()
            self._bytes -= len(message.body)
            return message

    def clear(self) -> list[Message]:
        """Return all messages, oldest first, and keep none."""
        with self._lock:
            messages = list(self._messages)
            self._messages.clear()
            self._bytes = 0
            return messages
