"""The answers of hooks: replace, abort; and the value that a host gets back from a denial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["NEUTRAL_MESSAGE", "Abort", "Denied", "HookAborted", "Replace", "WrongAbortError"]

NEUTRAL_MESSAGE = "This action is not allowed by policy."
"""The text for end users and models when a policy gives none of its own."""


@dataclass(frozen=True, slots=True)
class Replace:
    """A returned replacement, needed only where the new payload is ``None``."""

    value: Any


@dataclass(frozen=True, slots=True)
class Abort:
    """A returned abort: the same as raising :class:`HookAborted` with these arguments."""

    reason: str
    source: str | None = None
    message: str | None = None
    rule: str | None = None

    def __post_init__(self) -> None:
        _check_texts(self.reason, self.message, self.rule)


class HookAborted(Exception):  # noqa: N818 - the name is CrewAI's, and part of the contract
    """A hook stopped the operation.

    Args:
        reason: why, for operators (logs and telemetry); ``str(error)`` is this text.
        source: who stopped it; the dispatcher fills in ``plugin.hook`` when it is not given.
        message: the text that an end user or a model may see; a neutral one when not given.
        rule: the name of the rule that stopped it, from the policy's settings: records, the log of
            decisions and reports count by it. Nothing that a model wrote belongs into it.

    Raises:
        TypeError: ``reason``, ``message`` or ``rule`` is no text.
    """

    # Also of a subclass that has not called the constructor.
    reason: str = ""
    source: Any = None
    message: str = NEUTRAL_MESSAGE
    rule: str | None = None

    def __init__(
        self,
        reason: str,
        source: Any = None,
        message: str | None = None,
        rule: str | None = None,
    ) -> None:
        _check_texts(reason, message, rule)
        super().__init__(reason)
        self.reason = reason
        self.source = source
        self.message = NEUTRAL_MESSAGE if message is None else message
        self.rule = rule

    def __reduce__(self) -> tuple[Any, ...]:
        # Not through the class: a subclass may take other arguments, and has attributes of its own.
        slots = [name for kind in type(self).__mro__ for name in _slots(kind)]
        state = {name: getattr(self, name) for name in slots if hasattr(self, name)}
        return (_made_again, (type(self), self.args), {**state, **self.__dict__})


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _made_again(kind: type[HookAborted], args: tuple[Any, ...]) -> HookAborted:
    return Exception.__new__(kind, *args)


class WrongAbortError(TypeError):
    """An abort is made of something else than texts; the hook that makes it denies all the same."""


def _check_texts(reason: object, message: object, rule: object) -> None:
    if not isinstance(reason, str):
        raise WrongAbortError(
            f"an abort's reason is a text for operators, not {type(reason).__name__}"
        )
    if message is not None and not isinstance(message, str):
        raise WrongAbortError(
            f"an abort's message is a text for users and models, not {type(message).__name__}"
        )
    if rule is not None and not isinstance(rule, str):
        raise WrongAbortError(f"an abort's rule is a name from settings, not {type(rule).__name__}")


@dataclass(frozen=True, slots=True)
class Denied:
    """A denial as a value, for hosts that tell the model instead of raising.

    ``str(denied)`` is the text for the model; ``reason`` stays with the operator.
    """

    source: str
    message: str
    reason: str
    point: str

    def __str__(self) -> str:
        return f"denied by {self.source}: {self.message}"
