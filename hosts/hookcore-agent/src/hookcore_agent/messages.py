"""The messages of a conversation: dicts in the shape of OpenAI's API, with attributes on top.

They are dicts so that every policy reads them as it reads those of any other host, and so that a
session is saved with ``json.dumps``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hookcore_specs import ToolCall

__all__ = [
    "AssistantMessage",
    "MalformedArguments",
    "Message",
    "SystemMessage",
    "ToolMessage",
    "UserMessage",
    "as_message",
    "close_open_calls",
    "text_of",
]


@dataclass(frozen=True)
class MalformedArguments:
    """Stands in a tool call for arguments that are no JSON object; they never become ``{}``."""

    text: str


_FLAT = frozenset({str, bool, type(None)})


class Message(dict[str, Any]):
    """A message; ``message["content"]`` and ``message.content`` are the same."""

    @property
    def role(self) -> str:
        """The speaker: system, user, assistant or tool."""
        return str(self["role"])

    @property
    def content(self) -> Any:
        """The text, or a list of parts."""
        return self.get("content")

    @content.setter
    def content(self, value: Any) -> None:
        self["content"] = value

    def __deepcopy__(self, memo: dict[int, Any]) -> Message:
        from hookcore.hosting import copy_payload

        twin = type(self).__new__(type(self))
        dict.update(
            twin,
            {
                key: value if type(value) in _FLAT else copy_payload(value)
                for key, value in self.items()
            },
        )
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return (as_message, (dict(self),))


class SystemMessage(Message):
    """Instructions to the model."""

    def __init__(self, content: Any) -> None:
        super().__init__(role="system", content=content)


class UserMessage(Message):
    """An input."""

    def __init__(self, content: Any) -> None:
        super().__init__(role="user", content=content)


class AssistantMessage(Message):
    """An answer of the model: a text, tool calls, or both."""

    def __init__(self, content: Any = "", tool_calls: list[dict[str, Any]] | None = None) -> None:
        super().__init__(role="assistant", content=content)
        if tool_calls:
            self["tool_calls"] = tool_calls

    @property
    def tool_calls(self) -> list[dict[str, Any]]:
        """The calls: dicts with ``id`` and ``function``, the arguments as JSON text."""
        calls: list[dict[str, Any]] = self.get("tool_calls") or []
        return calls


class ToolMessage(Message):
    """The answer to one tool call.

    Args:
        content: the text that the model sees.
        tool_call_id: the call that it answers.
        name: the tool.
        is_error: whether the call failed or was denied.
        denied_by: the policy that denied it.
    """

    def __init__(
        self,
        content: Any,
        tool_call_id: str,
        name: str,
        *,
        is_error: bool = False,
        denied_by: str | None = None,
    ) -> None:
        super().__init__(role="tool", content=content, tool_call_id=tool_call_id, name=name)
        if is_error:
            self["is_error"] = True
        if denied_by is not None:
            self["denied_by"] = denied_by

    @property
    def tool_call_id(self) -> str:
        """The call that this answers."""
        return str(self["tool_call_id"])

    @property
    def name(self) -> str:
        """The tool."""
        return str(self.get("name", ""))

    @property
    def is_error(self) -> bool:
        """True when the call failed or was denied."""
        return bool(self.get("is_error"))

    @is_error.setter
    def is_error(self, value: bool) -> None:
        self["is_error"] = value

    @property
    def denied_by(self) -> str | None:
        """The policy that denied the call, None for any other."""
        value: str | None = self.get("denied_by")
        return value


_CLASSES: dict[str, type[Message]] = {
    "system": SystemMessage,
    "developer": SystemMessage,
    "user": UserMessage,
    "assistant": AssistantMessage,
    "tool": ToolMessage,
}


def as_message(value: Any) -> Message:
    """Return a message, a dict or the text of an assistant as a message of its class.

    Raises:
        TypeError: it is nothing of the kind, or has no role.
    """
    if isinstance(value, str):
        return AssistantMessage(value)
    if type(value) in _CLASSES.values():
        message: Message = value
        return message
    role = value.get("role") if isinstance(value, Mapping) else None
    if role is None:
        raise TypeError(f"a message is a dict with a role, not {type(value).__name__}")
    cls = _CLASSES.get(str(role), Message)
    message = cls.__new__(cls)
    message.update(value)
    return message


def text_of(value: Any) -> str:
    """Return a tool's result as the text that the model reads: itself, or JSON.

    What has no such form, say because it holds itself, is named and does not fail the request.
    """
    if isinstance(value, str):
        return value
    try:
        dump = getattr(type(value), "model_dump_json", None)
        if dump is not None:
            return str(dump(value))
        return json.dumps(value, default=str, ensure_ascii=False)
    except Exception as error:  # noqa: BLE001 - a tool's result is whatever its author makes it
        return f"<a {type(value).__name__} that is no JSON: {type(error).__name__}>"


def wire_call(call: ToolCall) -> dict[str, Any]:
    """Return a tool call in the shape in which an assistant message holds it."""
    arguments: Any = call.arguments
    if isinstance(arguments, MalformedArguments):
        arguments = arguments.text
    elif not isinstance(arguments, str):
        arguments = json.dumps(arguments, default=str, ensure_ascii=False)
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def close_open_calls(messages: list[Any], text: str) -> list[ToolMessage]:
    """Answer the tool calls that have no answer, each behind the message that asks for it.

    Args:
        messages: the conversation, which is changed.
        text: what the answers say.

    Returns:
        The answers that were added.
    """
    open_calls: dict[int, list[dict[str, Any]]] = {}
    answered = set[Any]()
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            answered.add(message.get("tool_call_id"))
        elif calls := message.get("tool_calls"):
            open_calls[index] = calls
    added: list[ToolMessage] = []
    for index, calls in reversed(open_calls.items()):
        answers = [
            ToolMessage(text, call["id"], call["function"]["name"], is_error=True)
            for call in calls
            if call["id"] not in answered
        ]
        end = index + 1
        while end < len(messages) and messages[end]["role"] == "tool":
            end += 1
        messages[end:end] = answers
        added[:0] = answers
    return added
