"""The errors that hookcore raises, and how it speaks of those of others."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "BackgroundLoopError",
    "ConfigError",
    "HookTimeoutError",
    "HookcoreError",
    "PluginDisabledError",
    "PluginLoadError",
    "RegistrationError",
    "UnknownPointError",
    "UnreadableEventError",
    "WrongResultError",
    "describe_failure",
]


class HookcoreError(Exception):
    """Any error of hookcore's own; a policy's abort is :class:`HookAborted` instead."""


class BackgroundLoopError(HookcoreError, RuntimeError):
    """A sync dispatch on the manager's own background loop would wait for itself."""


class HookTimeoutError(HookcoreError, TimeoutError):
    """A hook outran its timeout, or cannot be started since too many before it did."""


class RegistrationError(HookcoreError):
    """A plugin or hook cannot be registered; ``plugin`` is the object or name."""

    def __init__(self, message: str, plugin: Any = None) -> None:
        super().__init__(message)
        self.plugin = plugin


class UnknownPointError(HookcoreError, LookupError):
    """No point has this name, or the point is of another kind than the call takes."""


class UnreadableEventError(HookcoreError, TypeError):
    """A stream has an event that no codec can read, so that no hook can judge it."""


class WrongResultError(HookcoreError, TypeError):
    """A hook returned, or bound to ``ctx.payload``, a value of a type that the point refuses."""


class ConfigError(HookcoreError):
    """A configuration is wrong; ``file`` and ``key`` say where."""

    def __init__(
        self, message: str, file: Path | str | None = None, key: str | None = None
    ) -> None:
        super().__init__(message)
        self.file = file
        self.key = key


class PluginDisabledError(HookcoreError):
    """Raised by a plugin while it is made, to be left out rather than to stop the program.

    For observers that cannot work as they are configured, whose absence lets nothing through that
    they would have stopped. Where the operator requires the plugin, or says what its failures do,
    it is an error like any other.
    """


class PluginLoadError(HookcoreError):
    """Enabled plugins cannot be loaded; ``problems`` has one entry for each."""

    def __init__(self, message: str, problems: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


def describe_failure(error: BaseException) -> str:
    """Return an exception's class and place, never its text, which may quote the payload."""
    return f"{type(error).__qualname__} at {_place(error.__traceback__)}"


def _place(traceback: TracebackType | None) -> str:
    if traceback is None:
        return "an unknown place"
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    module = traceback.tb_frame.f_globals.get("__name__", "?")
    return f"{module}:{traceback.tb_lineno}"
