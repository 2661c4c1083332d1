"""The response that a hook gave, in the one form that every adapter can translate."""

from __future__ import annotations

from typing import Any

from hookcore_specs import ModelResponse

__all__ = ["neutral_response"]


def neutral_response(value: Any, own: str) -> ModelResponse:
    """Return what a hook gave for a model's response, and is none of the runtime's own.

    Args:
        value: a text, or a :class:`ModelResponse`.
        own: what the runtime's own responses are called, for the error.

    Raises:
        TypeError: the value is neither.
    """
    if isinstance(value, ModelResponse):
        return value
    if isinstance(value, str):
        return ModelResponse(value)
    raise TypeError(
        f"a hook gave {type(value).__name__} for a model's response: give a text, "
        f"hookcore.ModelResponse or {own}"
    )
