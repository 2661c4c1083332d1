"""The options that an author gives to a hook: written once, and checked when they are made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "DEFAULT_WINDOW",
    "HookOptions",
    "HookOptionsDict",
    "HookimplOptionsDict",
    "OnError",
    "StreamMode",
]

OnError = Literal["allow", "deny", "raise"]
StreamMode = Literal["buffer", "window", "observe"]
DEFAULT_WINDOW: Final = 1024


class HookOptionsDict(TypedDict, total=False):
    """The options of a hook, as keywords of ``hookimpl`` and ``on``."""

    tools: Iterable[str] | None
    """Names or globs of the tools it is for (tool points only)."""
    agents: Iterable[str] | None
    """Roles, names or globs of the agents it is for."""
    priority: int | None
    """Lower runs first; 100 when nobody says otherwise."""
    on_error: OnError | None
    """The effect of a failure of the hook: ``"allow"``, ``"deny"`` or ``"raise"``."""
    timeout: float | None
    """Seconds after which the hook has failed."""
    offload: bool
    """Run a plain function in a worker thread under an async host."""
    gate: bool
    """Only lets pass or aborts, and judges the final value."""
    stream: StreamMode
    """The way it meets a streamed response: ``"buffer"`` judges all of it before any of it leaves;
    ``"window"`` is called with the text held back so far and may rewrite it; ``"observe"`` is told
    the whole response afterwards and changes nothing."""
    window: int
    """The characters that ``stream="window"`` holds back; more than 8,192 make it ``"buffer"``."""


class HookimplOptionsDict(HookOptionsDict, total=False):
    """The same with pluggy's own options, as keywords of ``hookimpl``."""

    tryfirst: bool
    """Run before the hooks without it."""
    trylast: bool
    """Run after the hooks without it."""
    wrapper: bool
    """A generator with one ``yield`` around the rest of the chain."""
    optionalhook: bool
    """No error when no point has this name."""
    specname: str | None
    """The point's name, when the function's own differs."""


@dataclass(frozen=True, slots=True)
class HookOptions:
    """The options that an author gives to one hook, checked when they are made."""

    tools: tuple[str, ...] | None = None
    agents: tuple[str, ...] | None = None
    priority: int | None = None
    on_error: OnError | None = None
    timeout: float | None = None
    offload: bool = False
    gate: bool = False
    stream: StreamMode = "buffer"
    window: int = DEFAULT_WINDOW

    @classmethod
    def checked(cls, **options: Unpack[HookOptionsDict]) -> HookOptions:
        """Return options, or raise :exc:`TypeError` or :exc:`ValueError` that names the bad one.

        Args:
            **options: see :class:`HookOptionsDict`.
        """
        given: dict[str, Any] = dict(options)
        for name in given:
            if name not in cls.__slots__:
                from difflib import get_close_matches  # only a mistake needs it

                near = get_close_matches(name, cls.__slots__, n=1)
                meant = f": did you mean {near[0]}=?" if near else ""
                raise TypeError(f"a hook has no option {name!r}{meant}")
        made = cls(**given)
        _check_priority(made.priority)
        _check_choice("on_error", made.on_error, (None, "allow", "deny", "raise"))
        _check_choice("stream", made.stream, ("buffer", "window", "observe"))
        _check_window(made.window, made.stream)
        for name, flag in (("offload", made.offload), ("gate", made.gate)):
            if not isinstance(flag, bool):
                raise TypeError(f"{name}= takes True or False, not {flag!r}")
        return replace(
            made,
            tools=name_patterns("tools", made.tools),
            agents=name_patterns("agents", made.agents),
            timeout=checked_timeout(made.timeout),
        )


def _check_priority(priority: int | None) -> None:
    if priority is not None and (isinstance(priority, bool) or not isinstance(priority, int)):
        raise TypeError(f"priority= takes a whole number, not {priority!r}")


def _check_window(window: int, stream: StreamMode) -> None:
    if isinstance(window, bool) or not isinstance(window, int) or window < 1:
        raise ValueError(f"window= takes a positive number of characters, not {window!r}")
    if window != DEFAULT_WINDOW and stream != "window":
        raise ValueError('window= has a meaning only with stream="window"')


def checked_timeout(timeout: float | None) -> float | None:
    """Return ``timeout`` (seconds) as a float; raise when it is not a positive number."""
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, int | float):
        raise TypeError(f"timeout= takes a number of seconds, not {timeout!r}")
    if not 0 < timeout < float("inf"):
        raise ValueError(f"timeout= takes a positive number of seconds, not {timeout!r}")
    return float(timeout)


def name_patterns(option: str, patterns: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return name patterns as a tuple; raise :exc:`TypeError` for a bare string or a non-string."""
    if patterns is None:
        return None
    if isinstance(patterns, str | bytes):
        raise TypeError(f"{option}= takes a list of names or globs: write {option}=[{patterns!r}]")
    result = tuple(patterns)
    for pattern in result:
        if not isinstance(pattern, str) or not pattern:
            raise TypeError(f"{option}= takes non-empty strings, not {pattern!r}")
    if not result:
        raise ValueError(f"{option}=[] would match nothing: leave it out to match everything")
    return result


def _check_choice(option: str, value: object, choices: tuple[object, ...]) -> None:
    if value not in choices:
        words = ", ".join(repr(choice) for choice in choices if choice is not None)
        raise ValueError(f"{option}= takes one of {words}, not {value!r}")
