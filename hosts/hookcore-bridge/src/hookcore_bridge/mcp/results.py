"""A tool's result on the wire, as hooks see it, and the result that stands for what they left."""

from __future__ import annotations

from typing import Any

from . import rpc

__all__ = ["RpcError", "ToolFailedError", "refusal", "restored", "restored_error", "seen"]


class ToolFailedError(Exception):
    """The error that a tool failed with, which MCP only tells of in the tool's result."""


class RpcError(Exception):
    """The error that was the answer to a request."""


def seen(result: dict[str, Any]) -> Any:
    """Return what hooks see of a result: its text where that is all there is, else all of it.

    Args:
        result: the result as JSON.
    """
    content = result.get("content")
    beside = result.keys() - {"content", "structuredContent", "isError", "resultType"}
    if beside or not (isinstance(content, list) and len(content) == 1):
        return result
    (part,) = content
    if not isinstance(part, dict) or part.keys() != {"type", "text"}:
        return result
    text = part["text"]
    plain = part["type"] == "text" and isinstance(text, str)
    structured = result.get("structuredContent")
    return text if plain and structured in (None, {"result": text}) else result


def restored(value: Any, result: dict[str, Any] | None) -> dict[str, Any]:
    """Return the result for what hooks left of it.

    Args:
        value: what they left.
        result: the result that came; None when the tool was not asked.
    """
    if isinstance(value, dict) and "content" in value:
        return value
    text = value if isinstance(value, str) else rpc.write(value).decode("ascii")
    if result is None:
        return {"content": [{"type": "text", "text": text}]}
    made: dict[str, Any] = {"content": [{"type": "text", "text": text}]}
    for name in ("isError", "resultType"):
        if name in result:
            made[name] = result[name]
    if "structuredContent" in result:
        # What a tool has that returns a plain value. Others' schemas refuse it, and nobody sees it.
        made["structuredContent"] = {"result": text}
    return made


def restored_error(value: Any, error: Any) -> Any:
    """Return the JSON-RPC error for what hooks left of its text, or of all of it.

    Args:
        value: what they left.
        error: the error that came.
    """
    if isinstance(value, dict) and "code" in value and "message" in value:
        return value
    code = error.get("code") if isinstance(error, dict) else rpc.INTERNAL_ERROR
    text = value if isinstance(value, str) else rpc.write(value).decode("ascii")
    return {"code": code, "message": text}


def refusal(text: str) -> dict[str, Any]:
    """Return the result by which a model reads that a call was denied."""
    return {"content": [{"type": "text", "text": text}], "isError": True}
