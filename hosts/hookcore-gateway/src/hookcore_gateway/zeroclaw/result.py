"""The answer of a modifying hook: go on with a value, or stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

__all__ = ["Cancel", "Continue", "HookResult"]

_T = TypeVar("_T")


class HookResult(Generic[_T]):
    """An answer: ``HookResult.Continue(value)`` or ``HookResult.Cancel(reason)``.

    ``value`` is None where it is cancelled, ``reason`` where it is not.
    """

    Continue: ClassVar[type[Continue[Any]]]
    Cancel: ClassVar[type[Cancel]]

    value: _T | None
    reason: str | None

    def is_cancel(self) -> bool:
        """Tell whether the operation must not take place."""
        return isinstance(self, Cancel)


@dataclass(frozen=True)
class Continue(HookResult[_T]):
    """Go on with this value."""

    value: _T
    reason: None = None


@dataclass(frozen=True)
class Cancel(HookResult[Any]):
    """Stop; the reason is for operators, and no user or model is shown it."""

    reason: str
    value: None = None


HookResult.Continue = Continue
HookResult.Cancel = Cancel
