"""One payload as a dry run sends it to a point."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from .failure import UsageError

if TYPE_CHECKING:
    from hookcore import HookContext
    from hookcore.hooks.points import PointSpec

__all__ = ["jsonable", "made_context", "point_named"]


def point_named(name: str) -> PointSpec:
    """Return a standard point.

    Args:
        name: its name.

    Raises:
        UnknownPointError: there is none, with a suggestion.
    """
    from hookcore import HookManager

    manager = HookManager()
    manager.hooks(name)  # raises
    return manager.points[name]


def made_context(
    spec: PointSpec,
    payload: Any,
    tool: str | None,
    agent: str | None,
    *,
    words: tuple[str, str] = ("payload", "tool"),
) -> HookContext:
    """Make the context of a dry run.

    Args:
        spec: the point.
        payload: what JSON or TOML gives of it.
        tool: the tool's name, at a point of a tool call.
        agent: the agent's role or name.
        words: the names of payload and tool for messages.

    Raises:
        UsageError: the payload has a wrong type, or the tool no meaning.
    """
    fields: dict[str, Any] = {"point": spec.name, "agent": agent, "dry_run": True}
    if tool is not None:
        if not spec.has_tool:
            raise UsageError(f"{words[1]} has no meaning at {spec.name}, which is about no tool")
        fields["tool_name"] = tool
    return spec.options.context(payload=_typed(spec, payload, words[0]), **fields)


def _typed(spec: PointSpec, payload: Any, what: str) -> Any:
    """Give a payload the type that the point's hooks expect."""
    expected = spec.options.payload
    if isinstance(expected, type) and dataclasses.is_dataclass(expected):
        try:
            return expected(**payload)
        except TypeError as error:
            names = ", ".join(field.name for field in dataclasses.fields(expected))
            raise UsageError(
                f"{what} must be an object with fields of a {expected.__name__} ({names}): {error}"
            ) from error
    if not isinstance(payload, expected):
        types = expected if isinstance(expected, tuple) else (expected,)
        raise UsageError(
            f"{what} at {spec.name} must be a {' or '.join(t.__name__ for t in types)}, not "
            f"{'missing' if payload is None else type(payload).__name__}"
        )
    return payload


def jsonable(payload: Any) -> Any:
    """Return a payload as JSON has it."""
    if dataclasses.is_dataclass(payload) and not isinstance(payload, type):
        return dataclasses.asdict(payload)
    return payload
