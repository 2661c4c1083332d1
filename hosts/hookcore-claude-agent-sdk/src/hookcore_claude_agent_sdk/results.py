"""The results of tools and runs, in the shapes that the client and the SDK know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from claude_agent_sdk import AssistantMessage, ResultMessage, StreamEvent, TextBlock

__all__ = ["leaving", "like"]


def like(new: Any, old: Any) -> Any:
    """Return a tool's result that took another's place, in the shape of that.

    Args:
        new: what hooks gave: the tool's own shape, or a text.
        old: the tool's own result.

    Raises:
        TypeError: it is a text, and of this tool's shape it is not known where a text stands.
    """
    if not isinstance(new, str) or isinstance(old, str):
        return new
    if isinstance(old, list):
        return [{"type": "text", "text": new}]
    if isinstance(old, dict) and "stdout" in old:
        return {**old, "stdout": new, "stderr": ""}
    if isinstance(old, dict) and isinstance(old.get("content"), list):
        return {**old, "content": [{"type": "text", "text": new}]}
    if isinstance(old, dict) and isinstance(old.get("file"), dict) and "content" in old["file"]:
        return {**old, "file": {**old["file"], "content": new}}
    raise TypeError(
        "a hook gave a text for a tool's result, and the client takes only the tool's own shape: "
        f"give a {type(old).__name__} like the tool's, or change its texts with ctx.texts()"
    )


def leaving(result: Any, items: Iterable[Any]) -> list[Any]:
    """Return the messages of a run whose result has been changed: without the text that it had.

    Args:
        result: what hooks gave: a ``ResultMessage``, or anything that is shown by its text.
        items: the run's messages.
    """
    held = list(items)
    finals = [item for item in held if isinstance(item, ResultMessage)]
    if not finals:
        return [*held, result]
    final = finals[-1]
    if not isinstance(result, ResultMessage):
        result = replace(final, result=str(result), structured_output=None)
    before = final.result or ""
    messages = [item for item in held if not isinstance(item, StreamEvent)]
    return [
        result
        if item is final
        else _without(item, before, result.result or "")
        if isinstance(item, AssistantMessage)
        else item
        for item in messages
    ]


def _without(message: Any, before: str, after: str) -> Any:
    """Return a message of the model's that says what the result says."""
    content = [
        TextBlock(text=after) if isinstance(block, TextBlock) and block.text in before else block
        for block in message.content
    ]
    return message if content == message.content else replace(message, content=content)
