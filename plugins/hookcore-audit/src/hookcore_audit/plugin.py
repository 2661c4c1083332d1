"""The plugin: it records what hooks decided and how tool calls ended."""

from __future__ import annotations

import os
from typing import ClassVar, Final, Literal

from hookcore import (
    EventContext,
    HookAborted,
    HookDispatchedEvent,
    ToolCallContext,
    hookimpl,
    is_recording,
)

from ._bodies import called
from ._chain import Chain
from ._folder import log_folder
from ._signing import SigningKey
from ._writer import AuditWriter
from .settings import AuditSettings

__all__ = ["Audit"]

_MEGABYTE: Final = 1 << 20
_MESSAGE: Final = "The call was not made: it could not be recorded. Try again later."


class Audit:
    """Keeps a log of decisions and calls that tells when somebody has changed it.

    Args:
        settings: where it lies, and what it keeps.

    Raises:
        ValueError: the key cannot be read.
        OSError: nothing can be written there.
    """

    Settings: ClassVar[type[AuditSettings]] = AuditSettings
    on_error: ClassVar[Literal["deny"]] = "deny"
    # Behind those who would still rewrite something.
    priority: ClassVar[int] = 200

    def __init__(self, settings: AuditSettings | None = None) -> None:
        settings = settings or AuditSettings()
        self._writer: AuditWriter | None = None
        self._denies = settings.when_away == "deny"
        if not is_recording():
            return
        chain = Chain(
            log_folder(settings.path),
            max_bytes=settings.max_mb * _MEGABYTE,
            keep_files=settings.keep_files,
            key=_key(settings.sign_key_env),
            every=settings.checkpoint_every,
        )
        chain.check()
        self._writer = AuditWriter(chain, settings)

    @hookimpl
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        """Let the call through, unless it could not be recorded.

        Args:
            ctx: the call.

        Raises:
            HookAborted: nothing can be written, and the settings say to deny then.
        """
        if self._denies and self._writer is not None and not ctx.dry_run:
            why = self._writer.away
            if why is not None:
                self._writer.wake()  # it may be over by the next call
                raise HookAborted(
                    f'audit: {why} and when_away is "deny"',
                    source="audit",
                    message=_MESSAGE,
                    rule="when_away",
                )

    @hookimpl
    def tool_finished(self, ctx: ToolCallContext) -> None:
        """Record how a call ended.

        Args:
            ctx: the call.
        """
        if self._writer is not None and not ctx.dry_run:
            self._writer.put(called(ctx))

    @hookimpl
    def hook_dispatched(self, ctx: EventContext) -> None:
        """Record what hooks decided.

        Args:
            ctx: the event of a dispatch.
        """
        event: HookDispatchedEvent = ctx.payload
        # Of a call that is over there is a record of its own.
        told = event.interception_point == "tool_finished" and not event.error_count
        if self._writer is not None and not told:
            self._writer.put(event)

    def flush(self, seconds: float = 5.0) -> bool:
        """Wait until all is written.

        Args:
            seconds: how long that may take.

        Returns:
            Whether nothing waits any more.
        """
        return self._writer is None or self._writer.flush(seconds)

    def close(self) -> None:
        """Write all, sign the end and tell the anchor; the next record opens the log again."""
        if self._writer is not None:
            self._writer.close()


def _key(variable: str | None) -> SigningKey | None:
    if variable is None:
        return None
    text = os.environ.get(variable)
    if not text:
        raise ValueError(
            f"settings.sign_key_env: the environment variable {variable} is not set: make a key "
            "with: hookctl audit keygen FILE"
        )
    return SigningKey(text)
