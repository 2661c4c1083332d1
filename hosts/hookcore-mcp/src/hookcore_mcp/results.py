"""A tool's result on the wire, as hooks see it, and the result that stands for what they left."""

from __future__ import annotations

from typing import Any

from hookcore import Denied
from hookcore.hosting import BodyFailed

__all__ = ["NotYetError", "ToolFailedError", "denied", "restored", "shown", "text_result"]


class NotYetError(Exception):
    """A server asks for input before the call can go on: no result, and no failure.

    Args:
        result: what the server asks for.
    """

    def __init__(self, result: Any) -> None:
        super().__init__("the tool asks for input")
        self.result = result


class ToolFailedError(Exception):
    """The error that a tool failed with, which MCP only tells of in the tool's result."""


def shown(result: dict[str, Any]) -> Any:
    """Return what hooks see of a result: its text where that is all there is, else all of it.

    Args:
        result: the result as JSON.

    Raises:
        BodyFailed: the result tells of a failure.
    """
    value = _seen(result)
    if result.get("isError"):
        raise BodyFailed(value, ToolFailedError(_texts(result)))
    return value


def restored(value: Any, result: dict[str, Any] | None) -> dict[str, Any]:
    """Return the result for what the hooks left of it.

    Args:
        value: what they left.
        result: the result that was shown, None when the tool was not asked.
    """
    if result is None:
        if _is_result(value):
            return dict(value)
        # A tool with an output schema has to have one; it fits those that return a plain value.
        return {**text_result(value), "structuredContent": {"result": _text(value)}}
    if value == (seen := _seen(result)):
        return result
    if _is_result(value):
        return dict(value)
    changed = {**result, "content": [{"type": "text", "text": _text(value)}]}
    if "structuredContent" in result:
        # What a tool has that returns a plain value. Others' schemas refuse it, and nobody sees it.
        changed["structuredContent"] = {"result": value if isinstance(seen, str) else _text(value)}
    return changed


def denied(denial: Denied) -> dict[str, Any]:
    """Return the result by which a model reads a denial."""
    return {**text_result(str(denial)), "isError": True}


def text_result(value: Any) -> dict[str, Any]:
    """Return the result of a tool that says a text."""
    return {"content": [{"type": "text", "text": _text(value)}]}


def _seen(result: dict[str, Any]) -> Any:
    content = result.get("content") or []
    plain = len(content) == 1 and content[0].get("type") == "text"
    text = content[0].get("text") if plain else None
    structured = result.get("structuredContent")
    return text if plain and structured in (None, {"result": text}) else result


def _is_result(value: Any) -> bool:
    return isinstance(value, dict) and "content" in value


def _texts(result: dict[str, Any]) -> str:
    return "\n".join(str(part.get("text", "")) for part in result.get("content") or [])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)
