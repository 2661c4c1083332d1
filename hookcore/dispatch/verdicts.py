"""Verdicts of other frameworks, told from payloads: here they would be the tool's arguments."""

from __future__ import annotations

from typing import Any

__all__ = ["is_foreign_verdict"]

_DEPTH = 4

# As keys are compared: without case, underscores and hyphens.
_VERDICTS = frozenset(
    [
        "abort",
        "action",
        "allow",
        "allowed",
        "approve",
        "approved",
        "behavior",
        "block",
        "blocked",
        "continue",
        "decision",
        "denied",
        "deny",
        "hookspecificoutput",
        "isallowed",
        "isapproved",
        "isblocked",
        "permission",
        "permissionbehavior",
        "permissiondecision",
        "permit",
        "permitted",
        "proceed",
        "reject",
        "rejected",
        "shouldblock",
        "tripwiretriggered",
        "verdict",
        "veto",
    ]
)
_OF_ARGUMENTS = frozenset(
    [
        "cancel",
        "cancelled",
        "effect",
        "error",
        "issafe",
        "ok",
        "outcome",
        "pass",
        "passed",
        "result",
        "safe",
        "status",
        "stop",
    ]
)
"""Words that are a result of a tool as often, and so no verdict where results are the payload."""
_NEVER_ARGUMENTS = frozenset({"hookspecificoutput", "permissiondecision"})
_BESIDE = frozenset(
    [
        "additionalcontext",
        "agentmessage",
        "category",
        "confidence",
        "details",
        "explanation",
        "feedback",
        "hookeventname",
        "interrupt",
        "message",
        "permissiondecisionreason",
        "policy",
        "reason",
        "rule",
        "score",
        "severity",
        "source",
        "stopreason",
        "suppressoutput",
        "systemmessage",
        "updatedinput",
        "updatedpermissions",
        "usermessage",
    ]
)
"""Names that stand beside a verdict, and may be an argument's too."""
_WORDS = frozenset(
    [
        "abort",
        "accept",
        "allow",
        "allowed",
        "approve",
        "approved",
        "ask",
        "block",
        "blocked",
        "cancel",
        "continue",
        "defer",
        "denied",
        "deny",
        "forbid",
        "ok",
        "pass",
        "proceed",
        "reject",
        "rejected",
        "stop",
    ]
)


def is_foreign_verdict(value: dict[Any, Any], before: Any, *, arguments: bool) -> bool:
    """Return whether a dict that a hook gave is no payload but a verdict of another system.

    A payload that the hook has changed has something of what it was; one that is all new and says
    "allow" or "block" is taken for a verdict.

    Args:
        value: the dict.
        before: the payload before the call.
        arguments: whether the payload is a dict of arguments, and not any result.
    """
    said = {key for key, item in value.items() if _says(key, item, arguments=arguments)}
    if not said:
        return False
    if not arguments or not isinstance(before, dict):
        return not any(_knows(before, key, _DEPTH) for key in said)
    if said & before.keys():
        return False
    if any(_bare(key) in _NEVER_ARGUMENTS for key in said):
        return True
    return not any(
        key in before and (_bare(key) not in _BESIDE or value[key] == before[key]) for key in value
    )


def _bare(key: Any) -> str:
    return key.replace("_", "").replace("-", "").lower() if isinstance(key, str) else ""


def _says(key: Any, item: Any, *, arguments: bool) -> bool:
    bare = _bare(key)
    if bare not in _VERDICTS and not (arguments and bare in _OF_ARGUMENTS):
        return False
    if isinstance(item, str):
        return item.strip().lower() in _WORDS
    return isinstance(item, bool) or (isinstance(item, dict) and bare == "hookspecificoutput")


def _knows(before: Any, key: str, depth: int) -> bool:
    """Return whether a payload had a key somewhere, as a field or in a text of JSON."""
    if isinstance(before, str):
        return f'"{key}"' in before
    if isinstance(before, dict):
        if key in before:
            return True
        items = tuple(before.values())
    elif isinstance(before, (list, tuple)):
        items = tuple(before)
    else:
        return key in getattr(before, "__dict__", ())
    return depth > 0 and any(_knows(item, key, depth - 1) for item in items)
