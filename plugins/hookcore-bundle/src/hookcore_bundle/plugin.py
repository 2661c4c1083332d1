"""The plugin: no call runs under a bundle that is missing, broken or too old."""

from __future__ import annotations

import logging
import threading
import time
from typing import ClassVar, Final, Literal

from hookcore import HookAborted, ModelCallContext, ToolCallContext, hookimpl

from . import _clock
from ._machine import Machine, Status
from .settings import BundleSettings

__all__ = ["Bundle"]

_LOOK_SECONDS: Final = 1.0
_MESSAGE: Final = "Nothing can be done now: the policies of this machine are out of date."
_log = logging.getLogger("hookcore_bundle")


class Bundle:
    """Stops calls while the bundle in force is not to be believed; the system's file requires it.

    Args:
        settings: the table ``[bundle]`` of the system's file.
    """

    Settings: ClassVar[type[BundleSettings]] = BundleSettings
    on_error: ClassVar[Literal["deny"]] = "deny"
    # Before all others: what they say may be out of date.
    priority: ClassVar[int] = 0

    def __init__(self, settings: BundleSettings) -> None:
        self._machine = Machine(settings)
        self._settings = settings
        self._lock = threading.Lock()
        self._next = 0.0
        self._latest = 0
        self._revision: int | None = None
        self._denial: tuple[str, str] | None = None
        self._told = ""

    @hookimpl(tryfirst=True)
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        """Let a tool call through under a bundle that is in order.

        Args:
            ctx: the call.

        Raises:
            HookAborted: the bundle is not.
        """
        self._judge(ctx)

    @hookimpl(tryfirst=True)
    def pre_model_call(self, ctx: ModelCallContext) -> None:
        """Let a model call through under a bundle that is in order.

        Args:
            ctx: the call.

        Raises:
            HookAborted: the bundle is not.
        """
        self._judge(ctx)

    def _judge(self, ctx: ToolCallContext | ModelCallContext) -> None:
        if ctx.dry_run:  # a replay asks what policies say, not how old they are
            return
        if time.monotonic() >= self._next:
            with self._lock:
                self._look()
        if self._denial is not None:
            reason, rule = self._denial
            raise HookAborted(reason, source="bundle", message=_MESSAGE, rule=rule)

    def _look(self) -> None:
        """Look at the files once a second: the thread that pulls is another program's."""
        if time.monotonic() < self._next:
            return
        status = self._machine.status(self._latest)
        if status.revision != self._revision:
            # Whoever signs a newer revision may set a time right that had jumped ahead.
            self._revision, self._latest = status.revision, 0
        self._latest = max(self._latest, _clock.now(), status.seen.time)
        self._tell(status)
        reason = f"bundle: {status.state}: {status.why}"
        self._denial = (reason, status.state) if self._denies(status) else None
        self._next = time.monotonic() + _LOOK_SECONDS

    def _denies(self, status: Status) -> bool:
        if status.state == "stale":
            return self._settings.when_stale == "deny"
        if status.state == "expired":
            return self._settings.when_expired == "deny"
        return status.state != "fresh"

    def _tell(self, status: Status) -> None:
        """Put a change of the state into the program's log, once."""
        before, self._told = self._told, status.state
        if before == status.state:
            return
        if status.state == "fresh":
            if before:
                _log.info("bundle: revision %s is fresh", status.revision)
            return
        what = "every call is denied" if self._denies(status) else "calls go on under it"
        _log.warning("bundle: %s: %s; %s", status.state, status.why, what)
